import { sumOf } from '../../../domain/trade-money/amounts.rules.ts';
import { insertRows, type Runner, type SeedRow, takeIds } from './insert-rows.ts';
import type { Market } from './market.ts';
import { ORDER_WORDS, payableOf, qtyOf, REFUND_STATUS_WORDS, type SeedOrder } from './trade.ts';

/** Takes the keys of payments, orders, lines and refunds, so that rows may name each other. */
export async function takeTradeIds(client: Runner, market: Market): Promise<void> {
  const orders = market.checkouts.flatMap((checkout) => checkout.orders);
  const lines = orders.flatMap((order) => order.lines);
  market.refunds.sort((a, b) => a.createdAt - b.createdAt);
  for (const [table, rows] of [
    ['payment', market.checkouts],
    ['sales_order', orders],
    ['order_line', lines],
    ['refund', market.refunds],
  ] as const) {
    const first = await takeIds(client, table, rows.length);
    rows.forEach((row, index) => (row.id = first + index));
  }
}

/** Writes payments with the sandbox channel's side of them. */
export async function writePayments(client: Runner, market: Market): Promise<void> {
  const paid = market.checkouts.map((checkout) => {
    const refunds = checkout.orders.flatMap((order) => order.refunds);
    const cashOf = (states: readonly string[]) =>
      sumOf(refunds, (refund) => (states.includes(refund.state) ? refund.split.cash : 0));
    return {
      checkout,
      refunded: cashOf(['succeeded']),
      refunding: cashOf(['reviewing', 'refunding', 'failed']),
    };
  });
  await insertRows(
    client,
    'payment',
    paid.map(({ checkout, refunded, refunding }) => ({
      id: checkout.id,
      checkout_code: checkout.code,
      channel: checkout.channel,
      state: checkout.paidAt === null ? 1 : 2,
      amount: payableOf(checkout),
      refunding,
      refunded,
      trade_no: checkout.tradeNo,
      paid_at: instant(checkout.paidAt),
      deadline: new Date(checkout.deadline),
      created_at: new Date(checkout.createdAt),
    })),
  );
  await insertRows(
    client,
    'sandbox_trade',
    paid
      .filter(({ checkout }) => checkout.tradeNo !== null)
      .map(({ checkout, refunded }) => ({
        trade_no: checkout.tradeNo,
        checkout_code: checkout.code,
        amount: payableOf(checkout),
        refunded,
        paid_at: instant(checkout.paidAt),
      })),
  );
}

/** Writes orders with lines, shares, parcels and timelines; payments must exist. */
export async function writeOrders(client: Runner, market: Market): Promise<void> {
  const orders = market.checkouts.flatMap((checkout) => checkout.orders);
  await insertRows(
    client,
    'sales_order',
    orders.map((order) => orderRow(market, order)),
  );
  await insertRows(client, 'order_line', orders.flatMap(lineRows));
  const shares = orders.flatMap(shareRows);
  const firstShare = await takeIds(client, 'order_share', shares.length);
  await insertRows(
    client,
    'order_share',
    shares.map((share, index) => ({ id: firstShare + index, ...share })),
  );
  await writeParcels(client, orders);
  await writeTimelines(client, orders);
}

function orderRow(market: Market, order: SeedOrder): SeedRow {
  const { checkout, quote, state } = order;
  const { member } = checkout;
  const first = order.lines[0]!;
  const pieces = sumOf(order.lines, (line) => qtyOf(order, line));
  const more = order.lines.length > 1 ? market.texts.titleMore.replace('{n}', String(pieces)) : '';
  return {
    id: order.id,
    code: order.code,
    kind: 'goods',
    type: order.type,
    source: order.source,
    tenant_id: order.merchant.id,
    project_id: member.project.id,
    member_id: member.id,
    payment_id: checkout.id,
    title: first.product.name + more,
    contact_name: member.name,
    contact_phone: member.phone,
    address: member.address,
    remark: order.remark,
    staff_remark: order.staffRemark,
    on_behalf: order.createdBy !== null,
    state: ORDER_WORDS[state.status],
    refund_status: REFUND_STATUS_WORDS[state.refundStatus],
    comment_status: order.commented ? 1 : 0,
    goods: quote.goods,
    merchant_coupon: quote.merchantCoupon,
    platform_coupon: quote.platformCoupon,
    points_value: quote.points,
    points: quote.pointsUnits,
    coins_value: quote.coins,
    manual_off: quote.manualOff,
    freight: quote.freight,
    freight_refunded: state.freightRefunded,
    payable: quote.payable,
    cash_refunded: sumOf(order.refunds, (refund) => (refund.state === 'succeeded' ? refund.split.cash : 0)),
    points_refunded: sumOf(state.lines, (line) =>
      sumOf(line.shares, (share) => (share.step === 40 ? share.refundedUnits : 0)),
    ),
    item_count: pieces,
    agreement_version: checkout.paidAt === null ? null : 1,
    quote,
    invoice_type: order.invoice.type,
    invoice_name: order.invoice.name,
    duty_code: order.invoice.dutyCode,
    pay_deadline: new Date(checkout.deadline),
    receive_deadline: instant(order.receiveDeadline),
    paid_at: instant(checkout.paidAt),
    pay_channel: checkout.paidAt === null ? 0 : checkout.channel,
    shipped_at: instant(order.shippedAt),
    completed_at: instant(order.completedAt),
    closed_at: instant(order.closedAt),
    close_reason: order.closeReason,
    refunded_at: instant(order.refundedAt),
    created_at: new Date(order.createdAt),
    created_by: order.createdBy?.id ?? null,
    updated_at: new Date(order.lastEventAt),
  };
}

function lineRows(order: SeedOrder): SeedRow[] {
  return order.lines.map((line) => {
    const quoted = order.quote.lines.find((candidate) => candidate.lineNo === line.lineNo)!;
    const state = order.state.lines.find((candidate) => candidate.lineNo === line.lineNo)!;
    return {
      id: line.id,
      order_id: order.id,
      line_no: line.lineNo,
      product_id: line.product.id,
      spec_id: line.spec.id,
      product_name: line.product.name,
      spec_name: line.spec.name,
      image_id: line.product.imageId,
      supplier: line.product.supplier,
      sales_way: line.product.salesWay,
      list_price: quoted.listPrice,
      unit_price: quoted.unitPrice,
      qty: quoted.qty,
      goods: quoted.goods,
      cash: quoted.cash,
      cash_refunded: state.cashRefunded,
      cash_withheld: state.cashWithheld,
      qty_shipped: state.qtyShipped,
      qty_refunded: state.qtyRefunded,
      qty_refunded_unshipped: state.qtyRefundedUnshipped,
      comment_status: order.commented ? 1 : 0,
    };
  });
}

function shareRows(order: SeedOrder): SeedRow[] {
  return order.lines.flatMap((line) => {
    const state = order.state.lines.find((candidate) => candidate.lineNo === line.lineNo)!;
    return state.shares.map((share) => ({
      line_id: line.id,
      step: share.step,
      source_type: share.sourceType,
      source_id: share.sourceId ?? '',
      amount: share.amount,
      platform_amount: share.platformAmount,
      units: share.units,
      refunded_amount: share.refundedAmount,
      refunded_units: share.refundedUnits,
    }));
  });
}

async function writeParcels(client: Runner, orders: readonly SeedOrder[]): Promise<void> {
  const parcels = orders.flatMap((order) => order.shipments.map((shipment) => ({ order, shipment })));
  const first = await takeIds(client, 'shipment', parcels.length);
  await insertRows(
    client,
    'shipment',
    parcels.map(({ order, shipment }, index) => ({
      id: first + index,
      order_id: order.id,
      way: shipment.courier.way,
      company: shipment.courier.company,
      tracking_no: shipment.courier.trackingNo,
      courier: shipment.courier.name,
      courier_phone: shipment.courier.phone,
      at: new Date(shipment.at),
      staff_id: shipment.staff.id,
    })),
  );
  await insertRows(
    client,
    'shipment_line',
    parcels.flatMap(({ shipment }, index) =>
      shipment.lines.map(({ line, qty }) => ({ shipment_id: first + index, line_id: line.id, qty })),
    ),
  );
}

async function writeTimelines(client: Runner, orders: readonly SeedOrder[]): Promise<void> {
  const events = orders.flatMap((order) => order.events.map((event) => ({ order, event })));
  events.sort((a, b) => a.event.at - b.event.at);
  await insertRows(
    client,
    'order_event',
    events
      .filter(({ event }) => event.code !== null)
      .map(({ order, event }) => ({
        order_id: order.id,
        code: event.code,
        at: new Date(event.at),
        who: event.who,
        remark: event.remark,
      })),
  );
  await insertRows(
    client,
    'entity_event',
    events.map(({ order, event }) => ({
      entity: 'goodsOrder',
      entity_id: order.id,
      at: new Date(event.at),
      staff_id: event.staffId,
      who: event.who,
      action: event.action,
      label_zh: event.label[0],
      label_en: event.label[1],
      from_state: event.from,
      to_state: event.to,
      remark: event.remark,
    })),
  );
}

function instant(at: number | null): Date | null {
  return at === null ? null : new Date(at);
}
