import { run, runOne, transaction, type Executor, type Tx } from '../../kernel/server/database.ts';
import { addEffect } from '../../kernel/server/tasks/outbox.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { Label } from '../../kernel/contract/label.ts';
import { yuanFromFen } from '../../kernel/contract/money.rules.ts';
import { SYSTEM_NAME } from '../../kernel/server/people/caller.ts';
import { applyRefund } from '../../features/after-sales/refund/refund-apply.server.ts';
import { bookPayee } from '../payee/payment-payee.server.ts';
import { freezeCommission } from '../merchant/commission.server.ts';
import { alertStaff } from './alert.server.ts';
import { RETURN_EFFECT } from './money-back.server.ts';
import { tellAttachments } from './order-attachments.server.ts';
import { ORDER_ENTITY, SERVICE_ORDER_ENTITY, recordOrderChange } from './order-log.server.ts';
import { captureOrderPoints } from './order-points.server.ts';
import { TIMED_OUT } from './order-events.rules.ts';
import { partsOf, sellStock } from './stock.server.ts';

/** What a payment channel reports. `amount` in fen. */
export interface PaymentCallback {
  readonly checkoutCode: string;
  readonly tradeNo: string;
  readonly amount: number;
  readonly channel: 1 | 2;
  readonly paidAt: Date;
  /** Account the channel says it was paid into; absent: the one the payment was started with. */
  readonly payeeAccountId?: number | null | undefined;
}

/**
 * What a callback led to. `paid`: orders go on. `repeated`: seen before, nothing happened. Every other one sends the
 * money back: `amount_differs`, `late` (orders closed), `surplus` (paid before by another trade), `unknown` (no payment).
 */
export type PaymentOutcome = 'paid' | 'repeated' | 'amount_differs' | 'late' | 'surplus' | 'unknown';

/** An order row as payments see it. */
interface OrderRow {
  readonly id: number;
  readonly state: string;
  readonly kind: string;
  readonly type: string;
  readonly tenant_id: number;
  readonly payable: number;
  readonly freight: number;
  readonly closed_at: Date | null;
}

interface PaymentRow {
  readonly id: number;
  readonly state: number;
  readonly amount: number;
  readonly trade_no: string | null;
}

/**
 * The one handler of payment results, whatever the channel. Accepted only while an order of the payment is 待支付 and
 * the amount equals the payment's; any number of repeats has one effect. Money that is not accepted goes back through
 * the outbox under a number fixed by the trade. Locks orders in id order, then the payment.
 * Source: group 08, Payment; Must show 6 and 7.
 */
export async function receivePayment(platform: Platform, callback: PaymentCallback): Promise<PaymentOutcome> {
  const outcome = await transaction(platform.database.db, async (tx) => {
    const found = await runOne<{ id: number }>(tx, 'SELECT id FROM payment WHERE checkout_code = $1', [
      callback.checkoutCode,
    ]);
    if (!found) return (await sendBack(tx, callback)) ? alerted(tx, callback, 'unknown') : 'repeated';
    const orders = await lockOrders(tx, found.id);
    const payment = await lockPayment(tx, found.id);
    if (payment.trade_no === callback.tradeNo || (await isSentBack(tx, callback))) return 'repeated';
    if (payment.state === 2)
      return (await sendBack(tx, callback)) ? alerted(tx, callback, 'surplus') : 'repeated';
    const pending = orders.filter((order) => order.state === 'pending_payment');
    if (callback.amount !== payment.amount) {
      await refuseAmount(tx, callback, payment, pending.length > 0 ? pending : orders, orders.length > 1);
      return alerted(tx, callback, 'amount_differs');
    }
    if (pending.length === 0 && !(await openAgain(tx, orders))) {
      await keepLate(tx, platform, callback, payment, orders);
      return alerted(tx, callback, 'late');
    }
    await settleCheckout(tx, platform, {
      paymentId: payment.id,
      channel: callback.channel,
      tradeNo: callback.tradeNo,
      paidAt: callback.paidAt,
      payeeAccountId: callback.payeeAccountId,
      who: SYSTEM_NAME,
    });
    return 'paid';
  });
  if (outcome !== 'repeated')
    for (const entity of [ORDER_ENTITY, SERVICE_ORDER_ENTITY, 'appointment']) platform.changed(entity);
  return outcome;
}

/** How a checkout was paid; `paidAt` absent: now. */
export interface Settlement {
  readonly paymentId: number;
  readonly channel: 0 | 1 | 2;
  readonly tradeNo: string | null;
  readonly paidAt: Date | undefined;
  /** As in the callback. */
  readonly payeeAccountId?: number | null | undefined;
  readonly who: string;
}

/**
 * Marks a payment paid and moves its unpaid orders on: stock sold (op 5), points spent, coupons used, the merchant's
 * agreement version frozen, event 10; a group order becomes 拼团中, a service 待受理, a sign-up for an activity 待收货 until it is
 * over, points goods 待收货 until they are handed out, any other 待发货. Also used where nothing is left to
 * pay. Takes the locks of orders and payment itself. Source: group 08, order state machine (payment success).
 */
export async function settleCheckout(tx: Tx, platform: Platform, paid: Settlement): Promise<void> {
  const orders = (await lockOrders(tx, paid.paymentId)).filter((order) => order.state === 'pending_payment');
  await lockPayment(tx, paid.paymentId);
  await bookPayee(tx, paid.paymentId, paid.channel, paid.payeeAccountId ?? null);
  await run(
    tx,
    `UPDATE payment SET state = 2, channel = $2, trade_no = $3, paid_at = coalesce($4::timestamptz, clock_timestamp()) WHERE id = $1`,
    [paid.paymentId, paid.channel, paid.tradeNo, paid.paidAt ?? null],
  );
  for (const order of orders) await settleOrder(tx, order, paid);
  for (const order of orders)
    await tellAttachments(tx, order.id, (attachment, attached) => attachment.paid(tx, platform, attached));
  const used = await run<{ coupon_id: number }>(
    tx,
    `UPDATE member_coupon SET status = 'used', used_at = clock_timestamp(), used_payment = $1, locked_payment = NULL
      WHERE locked_payment = $1 RETURNING coupon_id`,
    [paid.paymentId],
  );
  for (const couponId of used.map((row) => row.coupon_id).sort((a, b) => a - b))
    await run(tx, `UPDATE coupon SET used = used + 1 WHERE id = $1`, [couponId]);
}

/** Locks the orders of a payment in id order; the payment is locked after them. */
export async function lockOrders(tx: Executor, paymentId: number): Promise<OrderRow[]> {
  return run<OrderRow>(
    tx,
    'SELECT id, state, kind, type, tenant_id, payable, freight, closed_at FROM sales_order WHERE payment_id = $1 ORDER BY id FOR UPDATE',
    [paymentId],
  );
}

/** Locks a payment; orders that are to be locked too come first. */
export async function lockPayment(tx: Executor, paymentId: number): Promise<PaymentRow> {
  return (await runOne<PaymentRow>(
    tx,
    'SELECT id, state, amount, trade_no FROM payment WHERE id = $1 FOR UPDATE',
    [paymentId],
  ))!;
}

/** Lines of an order as stock parts; none for an order whose pieces come from an activity, which keeps them itself. */
export async function orderParts(tx: Executor, orderId: number) {
  return partsOf(
    await run<{ specId: number; qty: number }>(
      tx,
      // What only times or seats limit took nothing from a stock, so nothing is sold or given back.
      `SELECT l.spec_id AS "specId", l.qty FROM order_line l JOIN sales_order o ON o.id = l.order_id WHERE l.order_id = $1
          AND (o.kind = 'goods' OR EXISTS (SELECT FROM stock_movement m
            WHERE m.source_type = 'sales_order' AND m.source_id = o.id::text AND m.spec_id = l.spec_id AND m.op = 3))
          AND NOT EXISTS (SELECT FROM group_buy_member g WHERE g.order_id = l.order_id)
          AND NOT EXISTS (SELECT FROM seckill_claim c WHERE c.order_id = l.order_id)`,
      [orderId],
    ),
  );
}

async function settleOrder(tx: Tx, order: OrderRow, paid: Settlement): Promise<void> {
  const to =
    order.type === 'group'
      ? 'grouping'
      : order.kind === 'service'
        ? 'to_accept'
        : order.kind === 'activity' || order.kind === 'points'
          ? 'to_receive'
          : 'to_ship';
  await sellStock(tx, await orderParts(tx, order.id), { type: 'sales_order', id: order.id });
  await captureOrderPoints(tx, order.id);
  await run(
    tx,
    `UPDATE sales_order o SET state = $2, paid_at = p.paid_at, pay_channel = p.channel, version = version + 1, updated_at = now(),
        agreement_version = (SELECT a.agreement_version FROM merchant_agreement a
          WHERE a.tenant_id = o.tenant_id AND a.state NOT IN ('draft', 'in_review') AND a.effective_from <= p.paid_at
            AND (a.effective_to IS NULL OR a.effective_to > p.paid_at)
          ORDER BY a.agreement_version DESC LIMIT 1)
       FROM payment p WHERE o.id = $1 AND p.id = o.payment_id`,
    [order.id, to],
  );
  await freezeCommission(tx, order.id);
  await recordOrderChange(tx, {
    orderId: order.id,
    code: 10,
    who: paid.who,
    action: 'pay',
    from: 'pending_payment',
    to,
    after: { channel: paid.channel, tradeNo: paid.tradeNo, payable: order.payable },
  });
}

async function refuseAmount(
  tx: Executor,
  callback: PaymentCallback,
  payment: PaymentRow,
  orders: readonly OrderRow[],
  isShared: boolean,
): Promise<void> {
  await sendBack(tx, callback);
  await run(tx, 'UPDATE payment SET state = 3 WHERE id = $1 AND state = 1', [payment.id]);
  for (const order of orders) {
    // The sums of a shared payment would tell one merchant what another sold.
    const remark = isShared
      ? `${yuanFromFen(order.payable)} · ${callback.tradeNo}`
      : `${yuanFromFen(callback.amount)} ≠ ${yuanFromFen(payment.amount)} · ${callback.tradeNo}`;
    await recordOrderChange(tx, {
      orderId: order.id,
      code: 9,
      who: SYSTEM_NAME,
      action: 'refuse_payment',
      from: order.state,
      to: order.state,
      remark,
      after: { tradeNo: callback.tradeNo, amount: callback.amount },
    });
  }
}

/**
 * The money came after the last order was closed: the payment is kept as paid and everything goes back through refunds
 * by the system, which finance sees as any other. They are amount-only: nothing was sold, so no stock, point or coupon
 * may be booked back. Orders closed by hand before are not part of the amount. Source: group 08, Payment; group 21,
 * states (late payment → system).
 */
async function keepLate(
  tx: Tx,
  platform: Platform,
  callback: PaymentCallback,
  payment: PaymentRow,
  orders: readonly OrderRow[],
): Promise<void> {
  const last = Math.max(...orders.map((order) => order.closed_at?.getTime() ?? 0));
  const owed = orders.filter((order) => order.closed_at?.getTime() === last);
  const isWhole = owed.reduce((sum, order) => sum + order.payable, 0) === payment.amount;
  if (isWhole) {
    await bookPayee(tx, payment.id, callback.channel, callback.payeeAccountId ?? null);
    await run(tx, 'UPDATE payment SET state = 2, channel = $2, trade_no = $3, paid_at = $4 WHERE id = $1', [
      payment.id,
      callback.channel,
      callback.tradeNo,
      callback.paidAt,
    ]);
  } else await sendBack(tx, callback);
  for (const order of owed) {
    await recordOrderChange(tx, {
      orderId: order.id,
      code: 42,
      who: SYSTEM_NAME,
      action: 'return_late_payment',
      from: order.state,
      to: order.state,
      remark: `${yuanFromFen(orders.length > 1 ? order.payable : callback.amount)} · ${callback.tradeNo}`,
      after: { tradeNo: callback.tradeNo, amount: callback.amount },
    });
    if (isWhole && order.payable > 0) await refundLate(tx, platform, order);
  }
}

/**
 * A service whose time to pay is over is paid all the same: its visit takes its place again or another time is chosen. Only
 * where nothing but cash pays it and nothing was counted: coupons, points and pieces were given free when it was closed.
 * Source: group 07, capacity rule 4.
 */
async function openAgain(tx: Tx, orders: readonly OrderRow[]): Promise<boolean> {
  const [order] = orders;
  if (orders.length !== 1 || order!.kind !== 'service' || order!.type === 'group') return false;
  const opened = await runOne(
    tx,
    `UPDATE sales_order o SET state = 'pending_payment', closed_at = NULL, close_reason = '' WHERE o.id = $1 AND o.state = 'closed'
        AND o.close_reason = $2 AND o.merchant_coupon + o.platform_coupon + o.points_value + o.coins_value = 0
        AND NOT EXISTS (SELECT FROM stock_movement m WHERE m.source_type = 'sales_order' AND m.source_id = o.id::text)
      RETURNING o.id`,
    [order!.id, TIMED_OUT[0]],
  );
  return opened !== undefined;
}

async function refundLate(tx: Tx, platform: Platform, order: OrderRow): Promise<void> {
  const lines = await run<{ id: number; cash: number }>(
    tx,
    'SELECT id, cash FROM order_line WHERE order_id = $1 AND cash > 0 ORDER BY line_no',
    [order.id],
  );
  await applyRefund(tx, {
    platform,
    system: true,
    applicantType: 2,
    orderId: order.id,
    lines: lines.map((line) => ({ lineId: line.id, amount: line.cash })),
    freight: order.freight,
    cashReason: LATE[0],
    reasonCode: 'system',
    reason: LATE[0],
  });
}

const LATE: Label = ['订单关闭后到账，自动退款', 'Paid after the order was closed, refunded automatically'];

function returnKey(callback: PaymentCallback): string {
  return `${RETURN_EFFECT}:${callback.tradeNo}`;
}

/** Queues the return of a trade, once for ever; false when it was queued before. */
async function sendBack(tx: Executor, callback: PaymentCallback): Promise<boolean> {
  const { checkoutCode, tradeNo, amount, channel, payeeAccountId = null } = callback;
  return (
    (await addEffect(
      tx,
      RETURN_EFFECT,
      { checkoutCode, tradeNo, amount, channel, payeeAccountId },
      { key: returnKey(callback) },
    )) !== undefined
  );
}

async function isSentBack(tx: Executor, callback: PaymentCallback): Promise<boolean> {
  return (
    (await runOne(tx, 'SELECT 1 AS one FROM outbox WHERE key = $1', [returnKey(callback)])) !== undefined
  );
}

async function alerted(
  tx: Executor,
  callback: PaymentCallback,
  outcome: PaymentOutcome,
): Promise<PaymentOutcome> {
  await alertStaff(tx, {
    kind: 'alertPayment',
    checkoutCode: callback.checkoutCode,
    title: ['支付异常，款项已原路退回', 'Unexpected payment, the money was sent back'],
    body: [
      `支付单 ${callback.checkoutCode}，渠道流水 ${callback.tradeNo}，金额 ${yuanFromFen(callback.amount)} 元`,
      `Payment ${callback.checkoutCode}, trade ${callback.tradeNo}, amount ${yuanFromFen(callback.amount)}`,
    ],
  });
  return outcome;
}
