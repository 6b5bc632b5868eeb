import { reprice } from '../../../domain/trade-money/quote.rules.ts';
import { openOrderState } from '../../../domain/trade-money/refund.rules.ts';
import type { PlannedCheckout } from './cart.ts';
import { logOrder, type Market, merchantStaff, setStatus } from './market.ts';
import { afterPayment } from './order-life.ts';
import { payableOf, qtyOf, type SeedCheckout } from './trade.ts';
import { MINUTE } from './world.ts';

/** Decides whether and when the member pays; else the checkout is closed at its deadline or before. */
export function planPayment(market: Market, checkout: SeedCheckout, planned: PlannedCheckout): void {
  const { random, queue } = market;
  const repriced = !planned.unpaid && planned.business === 'goods' && random.chance(0.03);
  if (repriced)
    queue.add(planned.at + 3 * MINUTE, () => lowerPrice(market, checkout, planned.at + 3 * MINUTE));
  if (payableOf(checkout) === 0) return pay(market, checkout, planned.at);
  if (planned.unpaid || random.chance(0.1)) {
    const way = planned.unpaid
      ? 'timeout'
      : random.weighted(['timeout', 'member', 'staff'] as const, (w) => CLOSE_WEIGHTS[w]);
    const at = way === 'timeout' ? checkout.deadline : planned.at + random.int(4, 13) * MINUTE;
    queue.add(at, () => closeUnpaid(market, checkout, at, way));
    return;
  }
  const at = planned.at + (repriced ? 4 * MINUTE : 0) + random.int(20, 9 * 60) * 1_000;
  queue.add(at, () => pay(market, checkout, at));
}

function pay(market: Market, checkout: SeedCheckout, at: number): void {
  checkout.paidAt = at;
  if (payableOf(checkout) === 0) checkout.channel = 0;
  checkout.tradeNo = checkout.channel === 0 ? null : `SBX${checkout.code.slice(2)}${market.random.digits(6)}`;
  for (const coupon of checkout.coupons) {
    coupon.status = 'used';
    coupon.usedAt = new Date(at);
    coupon.usedPayment = checkout;
    coupon.lockedPayment = null;
  }
  for (const order of checkout.orders) {
    const from = setStatus(order, order.type === 'group' ? 6 : 10);
    for (const line of order.lines) market.stock.sell(line.spec, qtyOf(order, line), at, order);
    if (order.hold) order.hold = market.points.capture(order.hold, at);
    logOrder(market, order, at, 'pay', 10, market.texts.system, { from });
    afterPayment(market, order, at);
  }
}

function closeUnpaid(
  market: Market,
  checkout: SeedCheckout,
  at: number,
  way: 'timeout' | 'member' | 'staff',
): void {
  for (const coupon of checkout.coupons) coupon.lockedPayment = null;
  for (const order of checkout.orders) {
    const from = setStatus(order, 45);
    order.closedAt = at;
    order.closeReason = market.texts.closeReasons[way];
    for (const line of order.lines) market.stock.release(line.spec, qtyOf(order, line), at, order);
    if (order.hold) market.points.release(order.hold, at);
    order.hold = null;
    const who = {
      timeout: market.texts.system,
      member: market.texts.buyer,
      staff: merchantStaff(market, order),
    }[way];
    logOrder(market, order, at, 'close', 40, who, { from, remark: order.closeReason });
  }
}

/** 改价: the merchant lets go up to a tenth of the first order's cash. */
function lowerPrice(market: Market, checkout: SeedCheckout, at: number): void {
  const order = checkout.orders[0]!;
  if (order.state.status !== 5 || order.quote.cash < 1_000) return;
  const manualOff = Math.floor((order.quote.cash * market.random.int(2, 10)) / 10_000) * 100;
  const answer = reprice(order.quote, { manualOff });
  if (!answer.ok || manualOff === 0) return;
  order.quote = answer.order;
  order.state = openOrderState(answer.order, { orderId: order.code, kind: 'goods', status: 5 });
  const remark = `${market.texts.priceReason} -${(manualOff / 100).toFixed(2)}`;
  logOrder(market, order, at, 'price', 7, merchantStaff(market, order), { from: 5, remark });
}

const CLOSE_WEIGHTS = { timeout: 7, member: 2, staff: 1 };
