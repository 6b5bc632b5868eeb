import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { SYSTEM_NAME, type Caller, type RequestFacts } from '../../kernel/server/people/caller.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { closeUnpaidOrder } from '../checkout/close-unpaid.server.ts';
import { refundPlainOrder } from '../checkout/refund-plain-order.server.ts';
import { completeOrder } from '../checkout/receive-order.server.ts';
import { giveBackRedemption, type OpenRedemption } from './redemption-row.server.ts';

/** Who takes a redemption back; by staff its cash goes the way of every refund of staff. */
export interface GivingUp {
  readonly reason: string;
  readonly caller?: Caller | undefined;
  readonly facts?: RequestFacts | undefined;
}

/**
 * Takes back what was not handed out yet: points into their lots, stock, limits; an unpaid order is closed, a paid one refunded
 * whole. Row, member and order are locked; whoever calls writes the row. Returns the points.
 */
export async function giveUpRedemption(
  tx: Tx,
  platform: Platform,
  row: Pick<OpenRedemption, 'id' | 'state' | 'order_id'>,
  why: GivingUp,
): Promise<number> {
  const points = await giveBackRedemption(tx, platform.settings, {
    id: row.id,
    restock: true,
    note: why.reason,
  });
  if (row.order_id !== null && row.state === 'pending_payment')
    await closeUnpaidOrder(tx, platform, row.order_id, {
      reason: why.reason,
      who: why.caller?.name ?? SYSTEM_NAME,
      ...(why.caller && { caller: why.caller }),
    });
  else if (row.order_id !== null) await refundCash(tx, platform, row.order_id, 'all', why);
  return points;
}

/** Asks for the cash of some pieces, or of all, by the refund of its order. Throws 30101 as every refund does. */
export async function refundCash(
  tx: Tx,
  platform: Platform,
  orderId: number,
  qty: number | 'all',
  { reason, caller, facts }: GivingUp,
): Promise<void> {
  const line = (await runOne<{ id: number }>(tx, 'SELECT id FROM order_line WHERE order_id = $1', [
    orderId,
  ]))!;
  await refundPlainOrder(tx, platform, {
    orderId,
    lines: qty === 'all' ? 'all' : [{ lineId: line.id, qty }],
    reason,
    liable: 'platform',
    caller,
    facts,
  });
}

/** What a paid order was for is with the member: it is completed. One that is being refunded stays as it is. */
export async function orderReached(
  tx: Tx,
  orderId: number | null,
  by: { readonly code: 25 | 26; readonly who: string; readonly action: string },
): Promise<void> {
  if (orderId === null) return;
  const [order] = await run<{ id: number }>(
    tx,
    `SELECT id FROM sales_order WHERE id = $1 AND state = 'to_receive' AND refund_status <> 'refunding' FOR UPDATE`,
    [orderId],
  );
  if (order) await completeOrder(tx, order.id, by);
}
