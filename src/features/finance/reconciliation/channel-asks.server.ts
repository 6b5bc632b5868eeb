import { createHash } from 'node:crypto';
import { isSandbox, refundChannel } from '../../../domain/payment-channel/channels.server.ts';
import {
  ChannelSilent,
  type ChannelAnswer,
  type ChannelRefund,
} from '../../../domain/payment-channel/payment-channel.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Effect } from '../../../kernel/server/registration.ts';
import { reconciliation, type CHANNEL_SAYS } from './reconciliation.contract.ts';

/** Effect that asks a channel for a refund again under the number it has. */
export const RESEND_EFFECT = 'recon.resend';
/** Effect that sends back what a payment brought above our amount. */
export const DIFFERENCE_EFFECT = 'recon.refund_diff';
/** Effect that asks a channel what it knows of a row only we have. */
export const ASK_EFFECT = 'recon.ask';

/** Number of the return of a difference: fixed by the trade, so any number of deliveries pays once. */
export function differenceNoOf(tradeNo: string): string {
  return `RD${createHash('sha256').update(tradeNo).digest('hex').slice(0, 24).toUpperCase()}`;
}

interface Asked extends ChannelRefund {
  readonly channel: number;
}

const refundOf = (db: Executor, refundId: number) =>
  runOne<Asked>(
    db,
    `SELECT r.channel_refund_no AS "refundNo", p.trade_no AS "tradeNo", p.checkout_code AS "checkoutCode", r.cash AS amount, p.amount AS paid,
            p.payee_account_id AS "payeeAccountId", r.reason, p.channel
       FROM refund r JOIN payment p ON p.id = r.payment_id WHERE r.id = $1`,
    [refundId],
  );

/** Asks for money to go back once: a number the channel knows is left alone. What is refused or unanswered is asked for again later. */
async function sendBack(platform: Platform, { channel, ...order }: Asked): Promise<void> {
  const way = refundChannel(platform, channel);
  const known = await way.query(order.refundNo, order.tradeNo);
  const answer = known.state === 'none' || known.state === 'failure' ? await way.refund(order) : known;
  if (answer.state === 'failure' || answer.state === 'none')
    throw new Error(`refund ${order.refundNo} is ${answer.state}: ${answer.code} ${answer.message}`);
}

const SAID = {
  success: 'refunded',
  accepted: 'running',
  failure: 'failed',
  none: 'unknown',
} as const satisfies Readonly<Record<ChannelAnswer['state'], keyof typeof CHANNEL_SAYS>>;

/** What the channel knows of a payment or refund of ours. */
async function askOf(
  platform: Platform,
  row: {
    readonly type: string;
    readonly channel: number;
    readonly refund_id: number | null;
    readonly trade_no: string;
    readonly our_no: string;
  },
): Promise<keyof typeof CHANNEL_SAYS> {
  const { db } = platform.database;
  if (row.type === 'pay') {
    // Real channels tell of payments by their bills and callbacks only.
    if (!isSandbox(platform, row.channel)) return 'not_offered';
    const trade = await runOne(db, 'SELECT FROM sandbox_trade WHERE trade_no = $1 AND checkout_code = $2', [
      row.trade_no,
      row.our_no,
    ]);
    return trade ? 'paid' : 'unpaid';
  }
  const order = row.refund_id === null ? undefined : await refundOf(db, row.refund_id);
  if (!order) return 'unknown';
  try {
    return SAID[(await refundChannel(platform, row.channel).query(order.refundNo, order.tradeNo)).state];
  } catch (error) {
    if (error instanceof ChannelSilent) return 'silent';
    throw error;
  }
}

/** What the handling of differences does at the channels. */
export const askEffects: readonly Effect[] = [
  {
    kind: RESEND_EFFECT,
    deliver: async (payload: { refundId: number }, platform) => {
      const order = await refundOf(platform.database.db, payload.refundId);
      if (order) await sendBack(platform, order);
    },
  },
  {
    kind: DIFFERENCE_EFFECT,
    deliver: (payload: Omit<Asked, 'refundNo' | 'reason'>, platform) =>
      sendBack(platform, {
        ...payload,
        refundNo: differenceNoOf(payload.tradeNo),
        reason: 'paid above the amount',
      }),
  },
  {
    kind: ASK_EFFECT,
    deliver: async (payload: { rowId: number }, platform) => {
      const { db } = platform.database;
      const row = await runOne<Parameters<typeof askOf>[1]>(
        db,
        `SELECT t.type, b.channel, t.refund_id, t.trade_no, t.our_no FROM reconciliation t JOIN channel_bill b ON b.id = t.bill_id WHERE t.id = $1`,
        [payload.rowId],
      );
      if (!row) return;
      await run(
        db,
        'UPDATE reconciliation SET channel_says = $2, asked_at = now(), version = version + 1, updated_at = now() WHERE id = $1',
        [payload.rowId, await askOf(platform, row)],
      );
      platform.changed(reconciliation.name);
    },
  },
] as readonly Effect[];
