import { SYSTEM_NAME, type Caller, type RequestFacts } from '../../kernel/server/people/caller.ts';
import type { Tx } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { closeUnpaidOrder } from '../checkout/close-unpaid.server.ts';
import { refundPlainOrder } from '../checkout/refund-plain-order.server.ts';
import { markCancelled, promoteWaiting, type Signup } from './activity-seats.server.ts';

/** Why and how a sign-up ends. */
export interface GivingUp {
  readonly reason: string;
  /** Of what was paid; default 100. */
  readonly percent?: number;
  readonly caller?: Caller | undefined;
  readonly facts?: RequestFacts | undefined;
}

/**
 * Ends a sign-up: an unpaid order is closed, a paid one refunded, its seats go to who waits. The activity is locked. By staff
 * the refund goes the way of every refund of staff.
 */
export async function giveUp(tx: Tx, platform: Platform, signup: Signup, why: GivingUp): Promise<void> {
  await markCancelled(tx, signup, why);
  const { caller, facts, percent = 100 } = why;
  const who = caller?.name ?? SYSTEM_NAME;
  if (signup.state === 'pending_payment')
    await closeUnpaidOrder(tx, platform, signup.order_id!, {
      reason: why.reason,
      who,
      ...(caller && { caller }),
    });
  const back = Math.floor((signup.amount * percent) / 100);
  if (signup.state === 'signed' && signup.order_id !== null && back > 0)
    await refundPlainOrder(tx, platform, {
      orderId: signup.order_id,
      lines: 'all',
      ...(percent < 100 && { agreedCash: back, cashReason: `按${percent}%退款：${why.reason}` }),
      reason: why.reason,
      caller,
      facts,
    });
  await promoteWaiting(tx, platform, signup.activity_id);
}
