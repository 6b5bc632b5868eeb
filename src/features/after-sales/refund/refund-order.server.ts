import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { notFound } from '../../../kernel/server/http/errors.ts';
import type { ShareSource, ShareStep } from '../../../domain/trade-money/quote.rules.ts';
import type {
  CouponTerms,
  OrderState,
  RefundStatus,
  RefundTotals,
  ShareState,
} from '../../../domain/trade-money/refund.rules.ts';
import { ORDER_STATES, markOf } from '../../../domain/trade-money/states.rules.ts';

/** A row of sales_order as refunds use it; amounts in fen. */
export interface OrderRow {
  readonly id: number;
  readonly code: string;
  readonly kind: string;
  readonly type: string;
  readonly title: string;
  readonly tenant_id: number;
  readonly project_id: number;
  readonly member_id: number;
  readonly payment_id: number;
  readonly state: string;
  readonly refund_status: string;
  readonly goods: number;
  readonly freight: number;
  readonly freight_refunded: number;
  readonly payable: number;
  readonly cash_refunded: number;
  readonly points: number;
  readonly points_refunded: number;
  readonly agreement_version: number | null;
  readonly invoice_type: number;
  /** Null: never sold. It was closed before its checkout was paid, or its money came too late. */
  readonly paid_at: Date | null;
  readonly completed_at: Date | null;
  readonly created_at: Date;
}

/** A row of payment; amounts in fen. `now` is the database's clock when it was read. */
export interface PaymentRow {
  readonly id: number;
  readonly checkout_code: string;
  readonly channel: number;
  readonly state: 1 | 2 | 3;
  readonly amount: number;
  readonly refunding: number;
  readonly refunded: number;
  readonly trade_no: string | null;
  readonly paid_at: Date | null;
  readonly payee_account_id: number | null;
  /** It came in by receipts, outside of a channel. */
  readonly by_receipts: boolean;
  readonly now: Date;
}

/** An order with everything a refund is computed from. */
export interface Trade {
  readonly order: OrderState;
  readonly otherOrders: readonly OrderState[];
  readonly coupons: readonly CouponTerms[];
  readonly lineIds: ReadonlyMap<number, number>;
  readonly lineNos: ReadonlyMap<number, number>;
  readonly lines: readonly LineRow[];
}

/** A row of order_line with what refunds show of it. */
export interface LineRow {
  readonly id: number;
  readonly order_id: number;
  readonly line_no: number;
  readonly spec_id: number;
  readonly product_name: string;
  readonly spec_name: string;
  readonly unit_price: number;
  readonly goods: number;
  readonly cash: number;
  readonly cash_refunded: number;
  readonly cash_withheld: number;
  readonly qty: number;
  readonly qty_shipped: number;
  readonly qty_refunded: number;
  readonly qty_refunded_unshipped: number;
  /** Visits of one piece of a service; goods have one. */
  readonly times: number;
  /** Units of visits that were made, or missed without a waiver: they are not given back. */
  readonly used: number;
}

/** A row of refund with the columns the engine works on; amounts in fen. */
export interface RefundRecord {
  readonly id: number;
  readonly code: string;
  readonly order_id: number;
  readonly payment_id: number;
  readonly after_sale_id: number | null;
  readonly member_id: number;
  readonly applicant_id: number | null;
  readonly state: 'reviewing' | 'refunding' | 'succeeded' | 'failed' | 'cancelled';
  readonly level: 1 | 2;
  readonly kind: 'units' | 'amount' | 'full';
  readonly way: 'origin' | 'offline';
  readonly apply_price: number;
  readonly suggested_cash: number;
  readonly cash: number;
  readonly freight_part: number;
  readonly fee: number;
  readonly points: number;
  readonly points_value: number;
  readonly coins: number;
  readonly coins_value: number;
  readonly shipped: boolean;
  readonly auditor1: number | null;
  readonly auditor2: number | null;
  readonly channel_refund_no: string;
  readonly channel_code: string;
  readonly attempts: number;
  readonly not_before: Date | null;
  readonly sent_at: Date | null;
  readonly offline_payee: string;
  readonly offline_by: number | null;
  readonly reason: string;
  readonly tenant_id: number;
}

/**
 * Locks an order and then its payment, the order every refund takes them in, and reads both.
 * Throws 404 for an unknown order.
 */
export async function lockTrade(tx: Tx, orderId: number): Promise<{ order: OrderRow; payment: PaymentRow }> {
  const order = await runOne<OrderRow>(tx, 'SELECT * FROM sales_order WHERE id = $1 FOR UPDATE', [orderId]);
  if (!order) throw notFound();
  const payment = await runOne<PaymentRow>(
    tx,
    'SELECT *, clock_timestamp() AS now FROM payment WHERE id = $1 FOR UPDATE',
    [order.payment_id],
  );
  return { order, payment: payment! };
}

/** Locks a refund. Throws 404 for an unknown one. */
export async function lockRefund(tx: Tx, refundId: number): Promise<RefundRecord> {
  const row = await runOne<RefundRecord>(tx, 'SELECT * FROM refund WHERE id = $1 FOR UPDATE', [refundId]);
  if (!row) throw notFound();
  return row;
}

/**
 * Reads an order, its sister orders of the checkout and their coupons in the words of the refund rules. Sisters that
 * were closed unpaid are left out: their shares of a coupon never came to life and hold nobody's coupon back.
 */
export async function loadTrade(db: Executor, orderId: number, paymentId: number): Promise<Trade> {
  const orders = await run<OrderRow>(
    db,
    'SELECT * FROM sales_order WHERE payment_id = $1 AND (id = $2 OR paid_at IS NOT NULL) ORDER BY id',
    [paymentId, orderId],
  );
  const lines = await run<LineRow>(
    db,
    `SELECT l.*, least(l.qty * l.times - l.qty_refunded, l.qty * (SELECT count(*) FROM appointment a
              WHERE a.line_id = l.id AND (a.state = 'done' OR (a.state = 'no_show' AND NOT a.fee_waived))))::integer AS used
       FROM order_line l WHERE l.order_id = ANY($1::bigint[]) ORDER BY l.order_id, l.line_no`,
    [orders.map((order) => order.id)],
  );
  const shares = await run<ShareRow>(
    db,
    'SELECT * FROM order_share WHERE line_id = ANY($1::bigint[]) ORDER BY step, id',
    [lines.map((line) => line.id)],
  );
  const states = orders.map((order) =>
    orderState(
      order,
      lines.filter((line) => line.order_id === order.id),
      shares,
    ),
  );
  const own = lines.filter((line) => line.order_id === orderId);
  return {
    order: states[orders.findIndex((order) => order.id === orderId)]!,
    otherOrders: states.filter((_state, index) => orders[index]!.id !== orderId),
    coupons: await couponTerms(db, shares),
    lineIds: new Map(own.map((line) => [line.line_no, line.id])),
    lineNos: new Map(own.map((line) => [line.id, line.line_no])),
    lines: own,
  };
}

/** Σ of an order's and its payment's refunds, in fen; `except` leaves one refund out. Read behind the locks. */
export async function refundTotals(
  db: Executor,
  order: OrderRow,
  payment: PaymentRow,
  except = 0,
): Promise<RefundTotals> {
  const sums = await runOne<{ order_done: number; order_open: number; all_done: number; all_open: number }>(
    db,
    `SELECT coalesce(sum(cash) FILTER (WHERE order_id = $1 AND state = 'succeeded'), 0)::bigint AS order_done,
            coalesce(sum(cash) FILTER (WHERE order_id = $1 AND state IN ('reviewing', 'refunding', 'failed')), 0)::bigint AS order_open,
            coalesce(sum(cash) FILTER (WHERE state = 'succeeded'), 0)::bigint AS all_done,
            coalesce(sum(cash) FILTER (WHERE state IN ('reviewing', 'refunding', 'failed')), 0)::bigint AS all_open
       FROM refund WHERE payment_id = $2 AND id <> $3`,
    [order.id, payment.id, except],
  );
  return {
    orderPaid: order.payable,
    orderRefunded: sums!.order_done,
    orderInProgress: sums!.order_open,
    paymentPaid: payment.amount,
    paymentRefunded: sums!.all_done,
    paymentInProgress: sums!.all_open,
  };
}

/** Code of refund.business_type of an order kind: 0 original business, 1 goods, 2 services. Source: entities.md. */
export function businessTypeOf(kind: string): 0 | 1 | 2 {
  if (kind === 'goods') return 1;
  return kind === 'service' || kind === 'home_decor' || kind === 'package' ? 2 : 0;
}

/** Name of the resource whose timeline tells an order's story. */
export function orderEntity(kind: string): string {
  // Orders of decor packages tell their story themselves.
  if (kind === 'home_decor') return 'decorTrade';
  if (kind === 'property_fee') return 'billTrade';
  if (kind === 'work_order') return 'workTrade';
  return kind === 'service' ? 'serviceOrder' : 'goodsOrder';
}

/** Code of an order's stored state. Throws for an unknown word. */
export function orderStatusCode(state: string): number {
  const mark = ORDER_STATES.find((candidate) => candidate.name === state);
  if (!mark) throw new Error(`unknown order state ${state}`);
  return mark.code;
}

/** Stored word of an order's state code. */
export function orderStateWord(code: number): string {
  return markOf(ORDER_STATES, code).name;
}

/** Stored words of sales_order.refund_status by code. */
export const REFUND_STATUS_WORDS: Readonly<Record<RefundStatus, string>> = {
  0: 'none',
  10: 'refunding',
  15: 'part',
  20: 'full',
};

/** A row of order_share; amounts in fen, `units` counts points or coins. */
export interface ShareRow {
  readonly id: number;
  readonly line_id: number;
  readonly step: ShareStep;
  readonly source_type: ShareSource;
  readonly source_id: string;
  readonly amount: number;
  readonly platform_amount: number;
  readonly units: number;
  readonly refunded_amount: number;
  readonly refunded_units: number;
}

function orderState(order: OrderRow, lines: readonly LineRow[], shares: readonly ShareRow[]): OrderState {
  const word = Object.entries(REFUND_STATUS_WORDS).find(([, stored]) => stored === order.refund_status)!;
  return {
    orderId: String(order.id),
    kind: order.kind === 'service' ? 'service' : 'goods',
    status: orderStatusCode(order.state),
    refundStatus: Number(word[0]) as RefundStatus,
    freight: order.freight,
    freightRefunded: order.freight_refunded,
    paid: order.payable,
    lines: lines.map((line) => ({
      lineNo: line.line_no,
      goods: line.goods,
      cash: line.cash,
      cashRefunded: line.cash_refunded,
      cashWithheld: line.cash_withheld,
      qty: line.qty * line.times,
      qtyShipped: line.qty_shipped,
      qtyRefunded: line.qty_refunded,
      qtyRefundedUnshipped: line.qty_refunded_unshipped,
      qtyUsed: line.used,
      shares: shares.filter((share) => share.line_id === line.id).map(shareState),
    })),
  };
}

function shareState(share: ShareRow): ShareState {
  return {
    step: share.step,
    sourceType: share.source_type,
    sourceId: share.source_id === '' ? null : share.source_id,
    amount: share.amount,
    platformAmount: share.platform_amount,
    units: share.units,
    refundedAmount: share.refunded_amount,
    refundedUnits: share.refunded_units,
  };
}

async function couponTerms(db: Executor, shares: readonly ShareRow[]): Promise<CouponTerms[]> {
  const ids = new Set(
    shares.filter((share) => share.source_type === 'member_coupon').map((share) => Number(share.source_id)),
  );
  if (ids.size === 0) return [];
  const rows = await run<{
    id: number;
    issuer: string;
    refund_rule: 'share' | 'recheck';
    threshold: number;
    returnable: boolean;
    ends_at: Date;
    status: string;
  }>(
    db,
    `SELECT mc.id, c.issuer, c.refund_rule, c.threshold, c.returnable, mc.ends_at, mc.status
       FROM member_coupon mc JOIN coupon c ON c.id = mc.coupon_id WHERE mc.id = ANY($1::bigint[]) ORDER BY mc.id`,
    [[...ids]],
  );
  return rows.map((row) => ({
    sourceId: String(row.id),
    step: row.issuer === 'merchant' ? 20 : 30,
    refundRule: row.refund_rule,
    threshold: row.threshold,
    returnable: row.returnable,
    endsAt: row.ends_at.getTime(),
    settled: row.status === 'refunded',
  }));
}
