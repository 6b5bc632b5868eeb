import { refundBudgets } from '../../../domain/coupon/budget.server.ts';
import { nextClaimSeq } from '../../../domain/coupon/claim.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { followRefund } from '../../../domain/after-sale/move-case.server.ts';
import { alertStaff } from '../../../domain/checkout/alert.server.ts';
import { returnFee } from '../../../domain/payee/payment-payee.server.ts';
import { startReceiving } from '../../../domain/checkout/deadlines.server.ts';
import { tellAttachments } from '../../../domain/checkout/order-attachments.server.ts';
import { takeBackStock } from '../../../domain/checkout/stock.server.ts';
import { ALL_REFUNDED } from '../../../domain/checkout/order-events.rules.ts';
import { orderSpendSource, refundPoints } from '../../../domain/points-ledger/points-ledger.server.ts';
import {
  bookRefund,
  couponsToSettle,
  settleOrder,
  type RefundSplit,
} from '../../../domain/trade-money/refund.rules.ts';
import {
  REFUND_STATUS_WORDS,
  loadTrade,
  lockRefund,
  lockTrade,
  orderStateWord,
  type OrderRow,
  type PaymentRow,
  type RefundRecord,
  type Trade,
} from './refund-order.server.ts';
import { storedSplit } from './refund-split.server.ts';
import { ORDER_EVENTS, addNotice, moveRefund, noteOrder, noteRefund } from './refund-transition.server.ts';

/** What became of a success: booked now, booked before, or refused because the refund had ended otherwise (an alarm). */
export type SuccessOutcome = 'settled' | 'already' | 'refused';

/**
 * The channel has paid a refund: books everything in the caller's transaction, once. A refund that was given up as
 * failed meanwhile succeeds all the same, because the money has moved.
 * Source: group 21, Refund engine (success, one database transaction).
 */
export async function settleSuccess(
  tx: Tx,
  request: {
    readonly platform: Platform;
    readonly refundId: number;
    readonly code?: string;
    readonly message?: string;
  },
): Promise<SuccessOutcome> {
  const { platform } = request;
  const refund = await lockRefund(tx, request.refundId);
  const paidOffline = refund.state === 'succeeded' && refund.way === 'offline';
  if (refund.state === 'succeeded' && !paidOffline) return 'already';
  const answer = [request.code, request.message].filter(Boolean).join(' ');
  if (paidOffline || refund.state === 'cancelled' || refund.state === 'reviewing') {
    await alarm(tx, platform, refund, paidOffline ? PAID_TWICE : PAID_UNASKED, answer);
    return 'refused';
  }
  const { order, payment } = await lockTrade(tx, refund.order_id);
  if (refund.offline_by !== null) await alarm(tx, platform, refund, PAID_TWICE, answer);
  await bookSuccess(tx, platform, refund, order, payment);
  await moveRefund(tx, refund, {
    from: ['refunding', 'failed'],
    to: 'succeeded',
    action: 'succeed',
    label: SUCCEEDED,
    set: {
      succeeded_at: payment.now,
      channel_code: request.code ?? refund.channel_code,
      channel_message: request.message ?? '',
      offline_by: null,
    },
    channelAnswer: answer,
  });
  return 'settled';
}

/**
 * Books a success on everything but the refund's own row: lines, shares, freight, refund_status and order state, stock
 * of unshipped units (op 6), points and coins, coupons, payment, timelines, invoice mark, notices. Refund, order and
 * payment must be locked in this order. Source: group 21, Refund engine (success).
 */
export async function bookSuccess(
  tx: Tx,
  platform: Platform,
  refund: RefundRecord,
  order: OrderRow,
  payment: PaymentRow,
  caller?: Caller,
): Promise<void> {
  const trade = await loadTrade(tx, order.id, payment.id);
  const split = await storedSplit(tx, refund);
  const booked = settleOrder(bookRefund(trade.order, split), false);
  // The case lets its units go before they count as refunded.
  await followRefund(tx, platform, refund, 'succeeded', { caller });
  await bookLines(tx, refund, split, trade);
  const state = orderStateWord(booked.status);
  await bookOrder(
    tx,
    platform,
    order,
    refund,
    state,
    REFUND_STATUS_WORDS[booked.refundStatus],
    booked.freightRefunded,
  );
  await run(tx, 'UPDATE payment SET refunding = refunding - $2, refunded = refunded + $2 WHERE id = $1', [
    payment.id,
    refund.cash,
  ]);
  // What is paid back outside of the channel brings none of its fee.
  if (!caller) await returnFee(tx, payment.id, refund.id);
  await returnStock(tx, refund, order, split, trade);
  await returnPoints(tx, platform, refund, order);
  await refundBudgets(tx, refund.id);
  const coupons = couponsToSettle([booked, ...trade.otherOrders], trade.coupons, payment.now.getTime());
  for (const coupon of coupons) await settleCoupon(tx, Number(coupon.sourceId), coupon.outcome);
  await noteOrder(tx, order, {
    action: 'refund',
    label: REFUNDED,
    code: ORDER_EVENTS.refunded,
    remark: yuanFromFen(refund.cash),
    to: state,
    caller,
  });
  await tellAttachments(tx, order.id, (attachment, attached) =>
    attachment.refunded(tx, platform, attached, { id: refund.id, state }),
  );
  // The order keeps the mark, its timeline says since when: accounting reverses the invoice outside of the product.
  if (order.invoice_type !== 0)
    await noteOrder(tx, order, { action: 'invoice_red', label: INVOICE, to: state, caller });
  await addNotice(tx, refund, 'succeeded');
  for (const entity of ['goodsOrder', 'serviceOrder', 'appointment']) platform.changed(entity);
  platform.changed('refund');
}

const SUCCEEDED: Label = ['退款成功', 'Succeeded'];
const REFUNDED: Label = ['已退款', 'Refunded'];
const INVOICE: Label = ['发票需红冲', 'The invoice has to be reversed'];
const PAID_TWICE: Label = [
  '渠道显示已出款，此前已登记线下退款，请核对并追回其中一笔',
  'The channel paid although an offline refund is recorded; check and get one of them back',
];
const PAID_UNASKED: Label = ['渠道显示已出款，请核对', 'The channel says it paid: please check'];

/** Money left the house that no book expects: on the refund's timeline and to the mall operators, once however often it is told. */
async function alarm(
  tx: Tx,
  platform: Platform,
  refund: RefundRecord,
  what: Label,
  answer: string,
): Promise<void> {
  platform.log.error({ refund: refund.code, state: refund.state, answer }, what[1]);
  const known = await runOne(
    tx,
    'SELECT 1 FROM refund_event WHERE refund_id = $1 AND remark = $2 AND from_state = $3',
    [refund.id, what[0], refund.state],
  );
  if (known) return;
  await noteRefund(tx, refund.id, {
    from: refund.state,
    to: refund.state,
    remark: what[0],
    channelAnswer: answer,
  });
  const cash = yuanFromFen(refund.cash);
  await alertStaff(tx, {
    kind: 'alertPayment',
    paymentId: refund.payment_id,
    title: ['退款异常，渠道已出款', 'Unexpected refund: the channel paid'],
    body: [
      `退款单 ${refund.code}，金额 ${cash} 元：${what[0]}`,
      `Refund ${refund.code}, amount ${cash}: ${what[1]}`,
    ],
  });
}

async function bookLines(tx: Tx, refund: RefundRecord, split: RefundSplit, trade: Trade): Promise<void> {
  for (const row of split.rows)
    await run(
      tx,
      `UPDATE order_line SET cash_refunded = cash_refunded + $2, qty_refunded = qty_refunded + $3,
              qty_refunded_unshipped = qty_refunded_unshipped + $4,
              cash_withheld = least(cash_withheld + $5, cash - cash_refunded - $2) WHERE id = $1`,
      [trade.lineIds.get(row.lineNo), row.cash - row.fee, row.qty, row.unshippedQty, row.withheld],
    );
  // Summed first: UPDATE … FROM takes one source row per target, and units and re-check of a line take from one share.
  await run(
    tx,
    `UPDATE order_share s SET refunded_amount = s.refunded_amount + p.amount, refunded_units = s.refunded_units + p.units
       FROM (SELECT x.share_id, sum(x.amount)::bigint AS amount, sum(x.units)::bigint AS units
               FROM refund_line_share x JOIN refund_line l ON l.id = x.refund_line_id
              WHERE l.refund_id = $1 GROUP BY x.share_id) p
      WHERE s.id = p.share_id`,
    [refund.id],
  );
}

async function bookOrder(
  tx: Tx,
  platform: Platform,
  order: OrderRow,
  refund: RefundRecord,
  state: string,
  refundStatus: string,
  freightRefunded: number,
): Promise<void> {
  const closes = state === 'closed' && order.state !== 'closed';
  const waits = state === 'to_receive' && order.state !== 'to_receive';
  await run(
    tx,
    `UPDATE sales_order SET cash_refunded = cash_refunded + $2, points_refunded = points_refunded + $3, freight_refunded = $4,
            state = $5, refund_status = $6, refunded_at = clock_timestamp(),
            closed_at = CASE WHEN $7 THEN clock_timestamp() ELSE closed_at END,
            close_reason = CASE WHEN $7 THEN $8 ELSE close_reason END,
            invoice_to_reverse = invoice_to_reverse OR invoice_type <> 0,
            completed_at = CASE WHEN $5 = 'completed' THEN coalesce(completed_at, clock_timestamp()) ELSE completed_at END,
            version = version + 1, updated_at = now() WHERE id = $1`,
    [order.id, refund.cash, refund.points, freightRefunded, state, refundStatus, closes, ALL_REFUNDED[0]],
  );
  if (waits) await startReceiving(tx, platform, order.id);
}

/** False for what only times or seats limit: none of its pieces was counted. */
async function isSold(tx: Tx, orderId: number, specId: number): Promise<boolean> {
  const sold = await runOne(
    tx,
    `SELECT 1 AS one FROM stock_movement WHERE source_type = 'sales_order' AND source_id = $1 AND spec_id = $2 AND op = 5`,
    [String(orderId), specId],
  );
  return sold !== undefined;
}

/** Op 6: units that had never left go on sale again. Specs in id order, one movement each. Source: group 08, Stock. */
async function returnStock(
  tx: Tx,
  refund: RefundRecord,
  order: OrderRow,
  split: RefundSplit,
  trade: Trade,
): Promise<void> {
  const back = new Map<number, number>();
  for (const row of split.rows) {
    if (row.unshippedQty === 0) continue;
    const { spec_id: spec, times } = trade.lines.find((line) => line.line_no === row.lineNo)!;
    // A package goes on sale again as a whole.
    const pieces = Math.floor(row.unshippedQty / times);
    if (pieces > 0 && (order.kind === 'goods' || (await isSold(tx, order.id, spec))))
      back.set(spec, (back.get(spec) ?? 0) + pieces);
  }
  // The same order of locks as the checkout: two of them at once never wait for each other.
  await takeBackStock(
    tx,
    [...back].map(([specId, qty]) => ({ specId, qty })),
    { type: 'refund', id: refund.id },
    await areGivenBack(tx, refund.order_id),
  );
}

/** Copies of a team that did not form went back to their activity when it failed. */
async function areGivenBack(tx: Tx, orderId: number): Promise<boolean> {
  const row = await runOne(tx, 'SELECT 1 AS one FROM group_buy_member WHERE order_id = $1 AND given_back', [
    orderId,
  ]);
  return row !== undefined;
}

async function returnPoints(
  tx: Tx,
  platform: Platform,
  refund: RefundRecord,
  order: OrderRow,
): Promise<void> {
  const spend = orderSpendSource(order.id);
  const source = { type: 'refund', id: String(refund.id) };
  if (refund.points > 0)
    await refundPoints(tx, platform.settings, {
      memberId: order.member_id,
      spend,
      amount: refund.points,
      source: { ...source, purpose: 'refund' },
    });
  if (refund.coins > 0)
    await refundPoints(tx, platform.settings, {
      memberId: order.member_id,
      unit: 'coin',
      spend: { ...spend, purpose: 'coin_capture' },
      amount: refund.coins,
      source: { ...source, purpose: 'coin_refund' },
    });
}

/** Returns a coupon as a new row with the same end, once, or only marks it 已退款. Source: group 21, coupon rules. */
async function settleCoupon(tx: Tx, memberCouponId: number, outcome: 'return' | 'mark'): Promise<void> {
  // Before the coupon is locked, as claims do it.
  const seq = outcome === 'return' ? await nextClaimSeq(tx, memberCouponId) : 0;
  await run(
    tx,
    'SELECT 1 FROM coupon WHERE id = (SELECT coupon_id FROM member_coupon WHERE id = $1) FOR UPDATE',
    [memberCouponId],
  );
  const marked = await runOne<{ coupon_id: number }>(
    tx,
    `UPDATE member_coupon SET status = 'refunded' WHERE id = $1 AND status = 'used' RETURNING coupon_id`,
    [memberCouponId],
  );
  if (!marked) return;
  await run(tx, 'UPDATE coupon SET used = greatest(used - 1, 0) WHERE id = $1', [marked.coupon_id]);
  if (outcome === 'mark') return;
  await run(
    tx,
    `INSERT INTO member_coupon (code, coupon_id, member_id, claim_seq, status, returned_from, ends_at)
     SELECT o.code || 'R', o.coupon_id, o.member_id, $2, 'claimed', o.id, o.ends_at FROM member_coupon o WHERE o.id = $1`,
    [memberCouponId, seq],
  );
}
