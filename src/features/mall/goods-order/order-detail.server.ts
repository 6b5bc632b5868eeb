import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { orderEventLabel } from '../../../domain/checkout/order-events.rules.ts';
import type { QuoteOrder, ShareStep } from '../../../domain/trade-money/quote.rules.ts';
import type {
  OperationPart,
  OrderLinePart,
  OrderParts,
  RefundPart,
  ShipmentPart,
} from './order-parts.rules.ts';
import { openLines } from './order-shipping.server.ts';
import { stepsOfMerchant, wireShares, wireSteps } from './quote-wire.rules.ts';

const MENU = 'mm_businessOrder_wx';

/** Reads the parts of an order's detail. The caller has been found to see the order. */
export async function orderParts(
  db: Executor,
  id: number,
  scope: ScopeColumns,
  caller: Caller,
): Promise<OrderParts> {
  const order = (await runOne<OrderRow>(
    db,
    `SELECT o.*, m.name AS member_name FROM sales_order o JOIN member m ON m.id = o.member_id WHERE o.id = $1`,
    [id],
  ))!;
  const [lines, shipments, payment, refunds, cases, operations, comment] = await Promise.all([
    linesOf(db, id),
    shipmentsOf(db, id),
    paymentOf(db, order, scope, caller),
    refundsOf(db, id),
    casesOf(db, id),
    operationsOf(db, order),
    runOne<NonNullable<OrderParts['comment']>>(
      db,
      `SELECT stars, content, reply, state = 'shown' AS shown FROM order_comment WHERE order_id = $1`,
      [id],
    ),
  ]);
  const quote = order.quote as Partial<QuoteOrder>;
  // How the checkout was reckoned tells what other merchants sold in it.
  const steps = caller.tenantKind === 2 ? stepsOfMerchant(quote.steps ?? []) : (quote.steps ?? []);
  const discount =
    order.merchant_coupon + order.platform_coupon + order.points_value + order.coins_value + order.manual_off;
  return {
    times: {
      createdAt: iso(order.created_at),
      paidAt: iso(order.paid_at),
      shippedAt: iso(order.shipped_at),
      completedAt: iso(order.completed_at),
      closedAt: iso(order.closed_at),
      payDeadline: iso(order.pay_deadline),
      receiveDeadline: iso(order.receive_deadline),
    },
    closeReason: order.close_reason,
    onBehalf: order.on_behalf,
    invoice: {
      type: order.invoice_type,
      name: order.invoice_type === 1 ? maskValue('name', order.invoice_name) : order.invoice_name,
      dutyCode: order.duty_code,
      toReverse: order.invoice_to_reverse,
    },
    lines,
    shipments,
    money: {
      goods: yuanFromFen(order.goods),
      merchantCoupon: yuanFromFen(order.merchant_coupon),
      platformCoupon: yuanFromFen(order.platform_coupon),
      pointsValue: yuanFromFen(order.points_value),
      coinsValue: yuanFromFen(order.coins_value),
      manualOff: yuanFromFen(order.manual_off),
      freight: yuanFromFen(order.freight),
      freightRefunded: yuanFromFen(order.freight_refunded),
      discount: yuanFromFen(discount),
      cash: yuanFromFen(order.payable - order.freight),
      payable: yuanFromFen(order.payable),
      refunded: yuanFromFen(order.cash_refunded),
      net: yuanFromFen(order.paid_at ? order.payable - order.cash_refunded : 0),
      points: order.points,
      pointsRefunded: order.points_refunded,
    },
    payment,
    refunds,
    cases,
    operations,
    comment: comment ?? null,
    steps: wireSteps(steps),
    pricing: order.state === 'pending_payment' ? { ...(quote as QuoteOrder), steps } : null,
  };
}

interface OrderRow extends DbRow {
  readonly id: number;
  readonly payment_id: number;
  readonly member_name: string;
  readonly contact_name: string;
  readonly created_at: Date;
  readonly paid_at: Date | null;
  readonly shipped_at: Date | null;
  readonly completed_at: Date | null;
  readonly closed_at: Date | null;
  readonly pay_deadline: Date | null;
  readonly receive_deadline: Date | null;
  readonly close_reason: string;
  readonly on_behalf: boolean;
  readonly invoice_type: number;
  readonly invoice_name: string;
  readonly duty_code: string;
  readonly invoice_to_reverse: boolean;
  readonly goods: number;
  readonly merchant_coupon: number;
  readonly platform_coupon: number;
  readonly points_value: number;
  readonly points: number;
  readonly points_refunded: number;
  readonly coins_value: number;
  readonly manual_off: number;
  readonly freight: number;
  readonly freight_refunded: number;
  readonly payable: number;
  readonly cash_refunded: number;
  readonly quote: unknown;
}

interface LineRow {
  readonly id: number;
  readonly line_no: number;
  readonly product_id: number;
  readonly product_name: string;
  readonly spec_name: string;
  readonly spec_code: string;
  readonly image_id: string | null;
  readonly supplier: string;
  readonly list_price: number;
  readonly unit_price: number;
  readonly qty: number;
  readonly goods: number;
  readonly cash: number;
  readonly cash_refunded: number;
  readonly cash_withheld: number;
  readonly qty_shipped: number;
  readonly qty_refunded: number;
  readonly comment_status: number;
  readonly shares: readonly { step: ShareStep; amount: number; units: number }[];
}

async function linesOf(db: Executor, id: number): Promise<OrderLinePart[]> {
  const rows = await run<LineRow>(
    db,
    `SELECT l.*, p.code || '-' || s.code AS spec_code,
            (SELECT coalesce(json_agg(json_build_object('step', x.step, 'amount', x.amount, 'units', x.units)), '[]') FROM order_share x WHERE x.line_id = l.id) AS shares
       FROM order_line l JOIN product p ON p.id = l.product_id JOIN product_spec s ON s.id = l.spec_id WHERE l.order_id = $1 ORDER BY l.line_no`,
    [id],
  );
  const open = new Map((await openLines(db, id)).map((line) => [line.id, line]));
  return rows.map((row) => ({
    id: String(row.id),
    lineNo: row.line_no,
    productId: String(row.product_id),
    productName: row.product_name,
    specName: row.spec_name,
    specCode: row.spec_code,
    image: row.image_id,
    supplier: row.supplier,
    price: yuanFromFen(row.unit_price),
    listPrice: yuanFromFen(row.list_price),
    qty: row.qty,
    goods: yuanFromFen(row.goods),
    cash: yuanFromFen(row.cash),
    cashRefunded: yuanFromFen(row.cash_refunded),
    cashLeft: yuanFromFen(row.cash - row.cash_refunded - row.cash_withheld),
    withheld: yuanFromFen(row.cash_withheld),
    shares: wireShares(row.shares),
    shipped: row.qty_shipped,
    refunded: row.qty_refunded,
    unshipped: open.get(row.id)?.unshipped ?? 0,
    held: open.get(row.id)?.held ?? 0,
    commented: row.comment_status === 1,
  }));
}

async function shipmentsOf(db: Executor, id: number): Promise<ShipmentPart[]> {
  const rows = await run<{
    id: number;
    way: 'express' | 'own';
    company: string;
    tracking_no: string;
    courier: string;
    courier_phone: string;
    at: Date;
    who: string | null;
    lines: { line_id: number; product_name: string; spec_name: string; qty: number }[];
  }>(
    db,
    `SELECT s.*, st.name AS who, (SELECT coalesce(json_agg(json_build_object('line_id', x.line_id, 'product_name', l.product_name, 'spec_name', l.spec_name, 'qty', x.qty)
              ORDER BY l.line_no), '[]') FROM shipment_line x JOIN order_line l ON l.id = x.line_id WHERE x.shipment_id = s.id) AS lines
       FROM shipment s LEFT JOIN staff st ON st.id = s.staff_id WHERE s.order_id = $1 ORDER BY s.id`,
    [id],
  );
  return rows.map((row) => ({
    id: String(row.id),
    way: row.way,
    company: row.company,
    trackingNo: row.tracking_no,
    courier: row.courier,
    courierPhone: row.courier_phone ? maskValue('phone', row.courier_phone) : '',
    at: isoInstant(row.at),
    who: row.who ?? '',
    lines: row.lines.map((line) => ({
      lineId: String(line.line_id),
      productName: line.product_name,
      specName: line.spec_name,
      qty: line.qty,
    })),
  }));
}

/** The payment with those orders of the checkout the caller may see: a merchant learns nothing of other merchants'. */
async function paymentOf(
  db: Executor,
  order: OrderRow,
  scope: ScopeColumns,
  caller: Caller,
): Promise<OrderParts['payment']> {
  const payment = (await runOne<{
    checkout_code: string;
    channel: number;
    state: number;
    amount: number;
    trade_no: string | null;
    paid_at: Date | null;
  }>(db, 'SELECT checkout_code, channel, state, amount, trade_no, paid_at FROM payment WHERE id = $1', [
    order.payment_id,
  ]))!;
  const parameters = new Parameters();
  const orders = await run<{ id: number; code: string; merchant: string; payable: number; state: string }>(
    db,
    `SELECT t.id, t.code, m.name AS merchant, t.payable, t.state FROM sales_order t JOIN tenant m ON m.id = t.tenant_id
      WHERE t.payment_id = ${parameters.bind(order.payment_id)} AND ${scopeCondition(caller, MENU, scope, parameters)} ORDER BY t.id`,
    parameters.values,
  );
  // The whole amount tells what other merchants sold; a merchant sees its own part.
  const whole = caller.tenantKind === 2 ? orders.reduce((sum, one) => sum + one.payable, 0) : payment.amount;
  return {
    checkoutCode: payment.checkout_code,
    channel: payment.channel,
    state: payment.state,
    amount: yuanFromFen(whole),
    tradeNo: payment.trade_no,
    paidAt: iso(payment.paid_at),
    orders: orders.map((one) => ({ ...one, id: String(one.id), payable: yuanFromFen(one.payable) })),
  };
}

async function casesOf(db: Executor, id: number): Promise<OrderParts['cases']> {
  const rows = await run<{ id: number; code: string; type: string; state: string; cash: number; at: Date }>(
    db,
    `SELECT id, code, type, state, coalesce(agreed_cash, applied_cash) AS cash, applied_at AS at FROM after_sale
      WHERE order_id = $1 ORDER BY id DESC`,
    [id],
  );
  return rows.map((row) => ({
    id: String(row.id),
    code: row.code,
    type: row.type,
    state: row.state,
    cash: yuanFromFen(row.cash),
    appliedAt: iso(row.at)!,
  }));
}

async function refundsOf(db: Executor, id: number): Promise<RefundPart[]> {
  const rows = await run<{
    id: number;
    code: string;
    state: string;
    cash: number;
    points: number;
    freight_part: number;
    reason: string;
    created_at: Date;
    succeeded_at: Date | null;
  }>(
    db,
    'SELECT id, code, state, cash, points, freight_part, reason, created_at, succeeded_at FROM refund WHERE order_id = $1 ORDER BY id',
    [id],
  );
  return rows.map((row) => ({
    id: String(row.id),
    code: row.code,
    state: row.state,
    cash: yuanFromFen(row.cash),
    points: row.points,
    freight: yuanFromFen(row.freight_part),
    reason: row.reason,
    appliedAt: isoInstant(row.created_at),
    succeededAt: iso(row.succeeded_at),
  }));
}

async function operationsOf(db: Executor, order: OrderRow): Promise<OperationPart[]> {
  const rows = await run<{ code: number; at: Date; who: string; remark: string }>(
    db,
    'SELECT code, at, who, remark FROM order_event WHERE order_id = $1 ORDER BY at, id LIMIT 500',
    [order.id],
  );
  // Members sign the timeline with their name; staff names are no secret.
  const isMember = (who: string) => who !== '' && (who === order.member_name || who === order.contact_name);
  return rows.map((row) => ({
    code: row.code,
    label: orderEventLabel(row.code),
    at: isoInstant(row.at),
    who: isMember(row.who) ? maskValue('name', row.who) : row.who,
    remark: row.remark,
  }));
}

function iso(instant: Date | null): string | null {
  return instant && isoInstant(instant);
}
