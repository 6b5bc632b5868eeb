import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import { SYSTEM_NAME } from '../../kernel/server/people/caller.ts';
import { run, runOne, transaction, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { hasLiveCase } from '../after-sale/claims.server.ts';
import { startReceiving } from './deadlines.server.ts';
import { ORDER_ENTITY, recordOrderChange } from './order-log.server.ts';

/**
 * Completes an order whose receive deadline is over (event 26). Waits while a refund or a case is unfinished; the sweep asks
 * again. An order without a deadline gets one. Returns true when the order was completed by this call.
 * Source: group 08, Jobs (order.auto_receive).
 */
export async function receiveOverdue(platform: Platform, orderId: number): Promise<boolean> {
  const received = await transaction(platform.database.db, async (tx) => {
    const order = await runOne<{ due: boolean; deadline: Date | null }>(
      tx,
      `SELECT receive_deadline AS deadline, receive_deadline <= clock_timestamp() AS due FROM sales_order
        WHERE id = $1 AND kind = 'goods' AND state = 'to_receive' FOR UPDATE`,
      [orderId],
    );
    if (!order) return false;
    if (order.deadline === null) await startReceiving(tx, platform, orderId);
    if (!order.due) return false;
    if ((await hasOpenRefund(tx, orderId)) || (await hasLiveCase(tx, orderId))) return false;
    await completeOrder(tx, orderId, { code: 26, who: SYSTEM_NAME, action: 'auto_receive' });
    return true;
  });
  if (received) platform.changed(ORDER_ENTITY);
  return received;
}

/** The buyer says that everything has arrived (event 25). Throws 30101 unless the order is 待收货 without an open refund. */
export async function receiveByMember(tx: Tx, orderId: number, who: string): Promise<void> {
  const order = await runOne<{ state: string }>(
    tx,
    `SELECT state FROM sales_order WHERE id = $1 AND kind = 'goods' FOR UPDATE`,
    [orderId],
  );
  if (order?.state !== 'to_receive') throw ruleBroken(['订单未发货', 'The order has not been shipped']);
  if (await hasOpenRefund(tx, orderId))
    throw ruleBroken(['该订单有未完成的退款', 'The order has an unfinished refund']);
  await completeOrder(tx, orderId, { code: 25, who, action: 'sign' });
}

/** Days by which a buyer may put the automatic receipt off, once. Source: group 08, time-outs. */
const DELAY_DAYS = 3;

/** The buyer needs more time: the receive deadline moves once by three days. Throws 30101 in another state and the second time. */
export async function delayReceipt(tx: Tx, orderId: number, who: string): Promise<void> {
  const moved = await runOne(
    tx,
    `UPDATE sales_order SET receive_deadline = receive_deadline + make_interval(days => ${DELAY_DAYS}), receive_delayed = true,
            version = version + 1, updated_at = now()
      WHERE id = $1 AND kind = 'goods' AND state = 'to_receive' AND receive_deadline > clock_timestamp() AND NOT receive_delayed RETURNING id`,
    [orderId],
  );
  if (!moved) {
    const order = await runOne<{ state: string; receive_delayed: boolean }>(
      tx,
      'SELECT state, receive_delayed FROM sales_order WHERE id = $1',
      [orderId],
    );
    throw ruleBroken(
      order?.state === 'to_receive' && order.receive_delayed
        ? ['每笔订单只能延长一次', 'Once an order only']
        : ['订单不在待收货', 'The order is not on its way'],
    );
  }
  await writeTimeline(tx, {
    entity: ORDER_ENTITY,
    entityId: orderId,
    action: 'delayReceipt',
    label: ['延长收货', 'Receipt put off'],
    from: 'to_receive',
    to: 'to_receive',
    remark: `${who} +${DELAY_DAYS}`,
  });
}

async function hasOpenRefund(tx: Tx, orderId: number): Promise<boolean> {
  const open = await runOne(
    tx,
    `SELECT 1 AS one FROM refund WHERE order_id = $1 AND state IN ('reviewing', 'refunding', 'failed') LIMIT 1`,
    [orderId],
  );
  return open !== undefined;
}

/** An order in 待收货 has reached its buyer; the caller holds its lock. */
export async function completeOrder(
  tx: Tx,
  orderId: number,
  by: { readonly code: number; readonly who: string; readonly action: string },
): Promise<void> {
  await run(
    tx,
    `UPDATE sales_order SET state = 'completed', completed_at = clock_timestamp(), version = version + 1, updated_at = now() WHERE id = $1`,
    [orderId],
  );
  await recordOrderChange(tx, { orderId, ...by, from: 'to_receive', to: 'completed' });
}
