import { releaseBudgets } from '../coupon/budget.server.ts';
import { SYSTEM_NAME, type Caller } from '../../kernel/server/people/caller.ts';
import { run, runOne, transaction, type Executor, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { TIMED_OUT } from './order-events.rules.ts';
import { tellAttachments } from './order-attachments.server.ts';
import { ORDER_ENTITY, SERVICE_ORDER_ENTITY, recordOrderChange } from './order-log.server.ts';
import { PAYMENT_STOPPED } from '../seckill/stopped-payment.server.ts';
import { releaseOrderPoints } from './order-points.server.ts';
import { releaseStock } from './stock.server.ts';
import { lockOrders, lockPayment, orderParts, settleCheckout } from './take-payment.server.ts';

/**
 * What closing an unpaid order sets free, in the caller's transaction, which holds the lock of the order: stock (op 4),
 * points, coupons no other unpaid order of the checkout uses, and its part of the payment's amount. The last order of
 * a payment leaves the amount as it is, so that a payment arriving late is known by it. Does not write the order.
 * Source: group 08, order state machine (关闭) and Stock.
 */
export async function releaseOrder(
  tx: Tx,
  platform: Platform,
  order: { readonly id: number; readonly paymentId: number; readonly payable: number },
): Promise<void> {
  await lockPayment(tx, order.paymentId);
  await releaseStock(tx, await orderParts(tx, order.id), { type: 'sales_order', id: order.id });
  await run(
    tx,
    `UPDATE member_coupon mc SET locked_payment = NULL WHERE mc.locked_payment = $1 AND NOT EXISTS (
       SELECT FROM sales_order o JOIN order_line l ON l.order_id = o.id JOIN order_share s ON s.line_id = l.id
        WHERE o.payment_id = $1 AND o.id <> $2 AND o.state = 'pending_payment'
          AND s.source_type = 'member_coupon' AND s.source_id = mc.id::text)`,
    [order.paymentId, order.id],
  );
  await releaseBudgets(tx, order.id);
  await releaseOrderPoints(tx, platform, order.id);
  await tellAttachments(tx, order.id, (attachment, attached) => attachment.released(tx, platform, attached));
  await run(
    tx,
    `UPDATE payment SET amount = amount - $3 WHERE id = $1 AND state <> 2 AND EXISTS (
       SELECT FROM sales_order o WHERE o.payment_id = $1 AND o.id <> $2 AND o.state = 'pending_payment')`,
    [order.paymentId, order.id, order.payable],
  );
}

/**
 * Settles a payment that closing or repricing left with nothing to pay: its remaining unpaid orders are paid at once.
 * Source: group 08, Money engine (payable = 0).
 */
export async function settleIfNothingIsLeft(
  tx: Tx,
  platform: Platform,
  paymentId: number,
  who: string,
): Promise<boolean> {
  const row = await runOne<{ amount: number; pending: number }>(
    tx,
    `SELECT p.amount, (SELECT count(*) FROM sales_order o WHERE o.payment_id = p.id AND o.state = 'pending_payment') AS pending
       FROM payment p WHERE p.id = $1`,
    [paymentId],
  );
  if (!row || row.amount > 0 || row.pending === 0) return false;
  await settleCheckout(tx, platform, { paymentId, channel: 0, tradeNo: null, paidAt: undefined, who });
  return true;
}

/** Closes every unpaid order of an overdue checkout. Returns how many; 0 when another instance or a payment was faster. */
export async function closeOverdue(platform: Platform, paymentId: number): Promise<number> {
  const closed = await transaction(platform.database.db, async (tx) => {
    const orders = await lockOrders(tx, paymentId);
    await lockPayment(tx, paymentId);
    // By the database's clock, behind the locks: a payment that won the race has moved the orders on.
    const due = await run<{ id: number }>(
      tx,
      `SELECT o.id FROM sales_order o WHERE o.payment_id = $1 AND o.state = 'pending_payment' AND o.pay_deadline <= clock_timestamp()
          AND NOT ${PAYMENT_STOPPED}`,
      [paymentId],
    );
    const ids = new Set(due.map((row) => row.id));
    const overdue = orders.filter((order) => ids.has(order.id));
    for (const order of overdue) {
      await closeRow(tx, order.id, { reason: TIMED_OUT[0], who: SYSTEM_NAME });
      // They go together, so the amount stays what a late payment would bring.
      await releaseOrder(tx, platform, { id: order.id, paymentId, payable: 0 });
    }
    return overdue.length;
  });
  if (closed > 0)
    for (const entity of [ORDER_ENTITY, SERVICE_ORDER_ENTITY, 'appointment']) platform.changed(entity);
  return closed;
}

/**
 * Closes one unpaid order for a member or another group's command (activity cancelled, account closed); staff close
 * with the order's own action. Throws 30101 when the order is not 待支付.
 */
export async function closeUnpaidOrder(
  tx: Tx,
  platform: Platform,
  orderId: number,
  by: { readonly reason: string; readonly who: string; readonly caller?: Caller },
): Promise<void> {
  const order = await runOne<{ payment_id: number; payable: number; state: string }>(
    tx,
    'SELECT payment_id, payable, state FROM sales_order WHERE id = $1 FOR UPDATE',
    [orderId],
  );
  if (order?.state !== 'pending_payment')
    throw ruleBroken(['订单不是待支付状态', 'The order is not waiting for payment']);
  await releaseOrder(tx, platform, { id: orderId, paymentId: order.payment_id, payable: order.payable });
  await closeRow(tx, orderId, by);
  await settleIfNothingIsLeft(tx, platform, order.payment_id, by.who);
}

async function closeRow(
  tx: Executor,
  orderId: number,
  by: { readonly reason: string; readonly who: string; readonly caller?: Caller },
): Promise<void> {
  await run(
    tx,
    `UPDATE sales_order SET state = 'closed', closed_at = now(), close_reason = $2, version = version + 1, updated_at = now() WHERE id = $1`,
    [orderId, by.reason],
  );
  await recordOrderChange(tx, {
    orderId,
    code: 40,
    who: by.who,
    action: 'close',
    from: 'pending_payment',
    to: 'closed',
    remark: by.reason,
    ...(by.caller ? { caller: by.caller } : {}),
  });
}
