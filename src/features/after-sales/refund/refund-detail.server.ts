import type { Caller } from '../../../kernel/server/people/caller.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import type { Binding } from '../../../kernel/server/resource/binding.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import {
  bookRefund,
  couponsToSettle,
  formulaForMerchant,
  rowPerLine,
  type RefundSplit,
} from '../../../domain/trade-money/refund.rules.ts';
import { ORDER_STATES } from '../../../domain/trade-money/states.rules.ts';
import {
  loadTrade,
  refundTotals,
  type OrderRow,
  type PaymentRow,
  type RefundRecord,
  type Trade,
} from './refund-order.server.ts';
import { storedSplit } from './refund-split.server.ts';
import type { CouponEffect, LinePart, MoneyRow, RefundParts, SuggestedRow } from './refund-parts.ts';

/** Everything the detail of a refund shows beside its fields; the parts are described in refund-parts.ts. */
export const refundDetail: NonNullable<Binding['detail']> = async (db, id, _row, caller) => {
  return { parts: await refundParts(db, id, caller) };
};

/** Reads the parts of a refund's detail: order, payment, money table, lines, coupons, suggestion, channel, reasons. */
export async function refundParts(
  db: Executor,
  id: number,
  caller: Pick<Caller, 'tenantKind'>,
): Promise<RefundParts> {
  const refund = (await runOne<StoredRefund>(
    db,
    'SELECT *, clock_timestamp() AS now FROM refund WHERE id = $1',
    [id],
  ))!;
  const order = (await runOne<OrderRow>(db, 'SELECT * FROM sales_order WHERE id = $1', [refund.order_id]))!;
  const payment = (await runOne<PaymentRow>(db, 'SELECT * FROM payment WHERE id = $1', [refund.payment_id]))!;
  const [trade, split, events] = await Promise.all([
    loadTrade(db, order.id, payment.id),
    storedSplit(db, refund),
    run<EventRow>(db, 'SELECT * FROM refund_event WHERE refund_id = $1 ORDER BY id', [id]),
  ]);
  const state = ORDER_STATES.find((mark) => mark.name === order.state);
  return {
    order: {
      id: String(order.id),
      code: order.code,
      title: order.title,
      state: state?.label ?? [order.state, order.state],
      createdAt: isoInstant(order.created_at),
      payable: yuanFromFen(order.payable),
    },
    payment: {
      id: String(payment.id),
      code: payment.checkout_code,
      channel: payment.channel,
      tradeNo: payment.trade_no ?? '',
      paidAt: payment.paid_at ? isoInstant(payment.paid_at) : null,
      amount: yuanFromFen(caller.tenantKind === 2 ? order.payable : payment.amount),
    },
    // A payment may hold other merchants' orders, which are none of this merchant's business.
    money: (await moneyRows(db, refund, order, payment)).filter(
      (row) => row.scope === 'order' || caller.tenantKind !== 2,
    ),
    lines: lineParts(trade, split),
    coupons: await couponEffects(db, refund, trade, split, caller),
    suggested: suggestedRows(refund.snapshot, trade, caller),
    suggestedCash: yuanFromFen(refund.suggested_cash),
    appliedCash: yuanFromFen(refund.cash),
    cashReason: refund.cash_reason,
    notices: refund.snapshot.notices ?? [],
    channel: {
      number: refund.channel_refund_no,
      attempts: refund.attempts,
      code: refund.channel_code,
      message: refund.channel_message,
      sentAt: refund.sent_at ? isoInstant(refund.sent_at) : null,
      waitsUntil:
        refund.state === 'refunding' && refund.not_before && refund.not_before > refund.now
          ? isoInstant(refund.not_before)
          : null,
    },
    events: events.map((event) => ({
      at: isoInstant(event.at),
      from: event.from_state,
      to: event.to_state,
      who: event.who,
      remark: event.remark,
      answer: event.channel_answer,
    })),
    offline: refund.offline_payee ? { waits: refund.offline_by !== null } : null,
  };
}

interface StoredRefund extends RefundRecord {
  readonly now: Date;
  readonly cash_reason: string;
  readonly channel_message: string;
  readonly snapshot: Partial<RefundSplit>;
}

interface EventRow {
  readonly at: Date;
  readonly from_state: string | null;
  readonly to_state: string;
  readonly who: string;
  readonly remark: string;
  readonly channel_answer: string;
}

async function moneyRows(
  db: Executor,
  refund: StoredRefund,
  order: OrderRow,
  payment: PaymentRow,
): Promise<MoneyRow[]> {
  const totals = await refundTotals(db, order, payment, refund.id);
  const own = refund.state === 'cancelled' ? 0 : refund.cash;
  const row = (scope: MoneyRow['scope'], paid: number, refunded: number, inProgress: number): MoneyRow => ({
    scope,
    paid: yuanFromFen(paid),
    refunded: yuanFromFen(refunded),
    inProgress: yuanFromFen(inProgress),
    current: yuanFromFen(own),
    leftAfter: yuanFromFen(paid - refunded - inProgress - own),
  });
  return [
    row('order', totals.orderPaid, totals.orderRefunded, totals.orderInProgress),
    row('payment', totals.paymentPaid, totals.paymentRefunded, totals.paymentInProgress),
  ];
}

function lineParts(trade: Trade, split: RefundSplit): LinePart[] {
  const rows = rowPerLine(split.rows);
  return trade.lines.map((line) => {
    const row = rows.find((one) => one.lineNo === line.line_no);
    const state = trade.order.lines.find((one) => one.lineNo === line.line_no)!;
    return {
      lineNo: line.line_no,
      product: line.product_name,
      spec: line.spec_name,
      price: yuanFromFen(line.unit_price),
      qty: line.qty,
      shipped: line.qty_shipped,
      refundedQty: line.qty_refunded,
      goods: yuanFromFen(line.goods),
      cash: yuanFromFen(line.cash),
      cashRefunded: yuanFromFen(line.cash_refunded),
      currentQty: row?.qty ?? 0,
      currentCash: yuanFromFen((row?.cash ?? 0) - (row?.fee ?? 0)),
      currentWithheld: yuanFromFen(row?.withheld ?? 0),
      recheck: row?.kind === 'recheck',
      shares: state.shares.map((share) => {
        const part = row?.shares.find((one) => one.step === share.step && one.sourceId === share.sourceId);
        return {
          step: share.step,
          amount: yuanFromFen(share.amount),
          units: share.units,
          refunded: yuanFromFen(share.refundedAmount),
          current: yuanFromFen(part?.amount ?? 0),
          currentUnits: part?.units ?? 0,
        };
      }),
    };
  });
}

async function couponEffects(
  db: Executor,
  refund: StoredRefund,
  trade: Trade,
  split: RefundSplit,
  caller: Pick<Caller, 'tenantKind'>,
): Promise<CouponEffect[]> {
  // Coupons of the checkout that paid nothing of this order are none of its merchant's business either.
  const own = new Set(trade.order.lines.flatMap((line) => line.shares.map((share) => share.sourceId)));
  const shown = trade.coupons.filter((coupon) => caller.tenantKind !== 2 || own.has(coupon.sourceId));
  if (shown.length === 0) return [];
  const rows = await run<{ id: number; name: string; status: string; returned: boolean }>(
    db,
    `SELECT mc.id, c.name, mc.status, EXISTS (SELECT FROM member_coupon b WHERE b.returned_from = mc.id) AS returned
       FROM member_coupon mc JOIN coupon c ON c.id = mc.coupon_id WHERE mc.id = ANY($1::bigint[])`,
    [shown.map((coupon) => Number(coupon.sourceId))],
  );
  const isOpen = refund.state !== 'succeeded' && refund.state !== 'cancelled';
  const after = isOpen ? [bookRefund(trade.order, split), ...trade.otherOrders] : [];
  const settled = isOpen ? couponsToSettle(after, trade.coupons, refund.now.getTime()) : [];
  return shown.map((coupon) => {
    const stored = rows.find((row) => String(row.id) === coupon.sourceId);
    const shares = split.rows
      .flatMap((row) => row.shares)
      .filter((share) => share.sourceId === coupon.sourceId && share.step === coupon.step);
    const coming = settled.find((one) => one.sourceId === coupon.sourceId)?.outcome;
    return {
      name: stored?.name ?? '',
      step: coupon.step,
      rule: coupon.refundRule,
      threshold: yuanFromFen(coupon.threshold),
      lapses: yuanFromFen(shares.reduce((sum, share) => sum + share.amount, 0)),
      outcome: stored?.returned
        ? 'returned'
        : stored?.status === 'refunded'
          ? 'marked'
          : coming === 'return'
            ? 'will_return'
            : coming === 'mark'
              ? 'will_mark'
              : 'kept',
    };
  });
}

function suggestedRows(
  snapshot: Partial<RefundSplit>,
  trade: Trade,
  caller: Pick<Caller, 'tenantKind'>,
): SuggestedRow[] {
  return (snapshot.rows ?? []).map((row) => ({
    lineNo: row.lineNo,
    product: trade.lines.find((line) => line.line_no === row.lineNo)?.product_name ?? '',
    kind: row.kind,
    qty: row.qty,
    cash: yuanFromFen(row.cash - row.fee),
    formula: caller.tenantKind === 2 ? formulaForMerchant(row) : row.formula,
    before: yuanFromFen(row.cashLeftBefore),
    after: yuanFromFen(row.cashLeftAfter),
  }));
}
