import { unshippedLeft, unitsLeft } from '../../../domain/trade-money/refund.rules.ts';
import { logOrder, type Market, merchantStaff, setStatus, workingTime } from './market.ts';
import { refundAfterShipping, refundBeforeShipping, refundFailedTeam } from './refund-stories.ts';
import type { SeedLine, SeedOrder, SeedShipment } from './trade.ts';
import { DAY, HOUR, MINUTE } from './world.ts';

/** What follows a payment: a team for group orders, else perhaps an early refund, then shipping. */
export function afterPayment(market: Market, order: SeedOrder, at: number): void {
  const { random, queue } = market;
  if (order.type !== 'group') return prepareShipping(market, order, at);
  if (random.chance(0.07)) {
    const failedAt = at + 24 * HOUR;
    queue.add(failedAt, () => refundFailedTeam(market, order, failedAt));
    return;
  }
  const completeAt = at + random.int(60, 22 * 60) * MINUTE;
  queue.add(completeAt, () => {
    const from = setStatus(order, 10);
    logOrder(market, order, completeAt, 'complete_team', 16, market.texts.system, { from });
    prepareShipping(market, order, completeAt);
  });
}

function prepareShipping(market: Market, order: SeedOrder, at: number): void {
  const { random, queue } = market;
  const plan = (from: number) => {
    const shipAt = workingTime(from + random.int(3 * 60, 38 * 60) * MINUTE);
    queue.add(shipAt, () => ship(market, order, shipAt));
  };
  if (random.chance(0.012)) refundBeforeShipping(market, order, at, plan);
  else plan(at);
}

function ship(market: Market, order: SeedOrder, at: number): void {
  const { random, queue } = market;
  if (order.state.status !== 10 && order.state.status !== 15) return;
  const open = order.lines.flatMap((line) => {
    const left = unshippedLeft(stateOf(order, line));
    return left > 0 ? [{ line, qty: left }] : [];
  });
  const pieces = open.reduce((sum, { qty }) => sum + qty, 0);
  const inParts = order.shipments.length === 0 && pieces > 1 && random.chance(0.16);
  const first = open[0]!;
  const sent = inParts
    ? [open.length > 1 ? first : { line: first.line, qty: Math.ceil(first.qty / 2) }]
    : open;
  const shipment: SeedShipment = {
    at,
    courier: courierOf(market, order),
    staff: merchantStaff(market, order),
    lines: sent,
  };
  order.shipments.push(shipment);
  order.state = {
    ...order.state,
    lines: order.state.lines.map((line) => {
      const qty = sent.find((part) => part.line.lineNo === line.lineNo)?.qty ?? 0;
      return { ...line, qtyShipped: line.qtyShipped + qty };
    }),
  };
  order.shippedAt ??= at;
  const from = setStatus(order, inParts ? 15 : 20);
  const { courier } = shipment;
  const remark =
    courier.way === 'own' ? `${courier.company} ${courier.name}` : `${courier.company} ${courier.trackingNo}`;
  logOrder(market, order, at, 'ship', 20, shipment.staff, { from, remark });
  if (inParts) {
    const again = workingTime(at + random.int(20, 50) * HOUR);
    queue.add(again, () => ship(market, order, again));
    return;
  }
  order.receiveDeadline = at + 7 * DAY;
  if (random.chance(0.014)) refundAfterShipping(market, order, at);
  const automatic = random.chance(0.3);
  const receivedAt = automatic ? order.receiveDeadline : at + random.int(20 * 60, 5 * 24 * 60) * MINUTE;
  queue.add(receivedAt, () => receive(market, order, receivedAt, automatic));
}

function receive(market: Market, order: SeedOrder, at: number, automatic: boolean): void {
  const { random, queue } = market;
  if (order.state.status !== 20) return;
  const from = setStatus(order, 35);
  order.completedAt = at;
  const who = automatic ? market.texts.system : market.texts.buyer;
  logOrder(market, order, at, automatic ? 'auto_receive' : 'sign', automatic ? 26 : 25, who, { from });
  if (!random.chance(0.45)) return;
  const commentAt = at + random.int(60, 4 * 24 * 60) * MINUTE;
  queue.add(commentAt, () => {
    if (order.state.lines.every((line) => unitsLeft(line) === 0)) return;
    order.commented = true;
    logOrder(market, order, commentAt, 'comment', 30, market.texts.buyer, { from: 35 });
  });
}

function courierOf(market: Market, order: SeedOrder): SeedShipment['courier'] {
  const { random, texts, world } = market;
  // The rice shop delivers with its own people.
  if (order.merchant.no === 1) {
    const [company, name] = texts.ownDelivery;
    return {
      way: 'own',
      company,
      trackingNo: '',
      name,
      phone: `137${String(world.seed % 10)}${random.digits(7)}`,
    };
  }
  const [company, prefix] = random.pick(texts.couriers);
  return { way: 'express', company, trackingNo: `${prefix}${random.digits(13)}`, name: '', phone: '' };
}

function stateOf(order: SeedOrder, line: SeedLine) {
  return order.state.lines.find((state) => state.lineNo === line.lineNo)!;
}
