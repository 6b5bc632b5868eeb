import { quote } from '../../../domain/trade-money/quote.rules.ts';
import { openOrderState } from '../../../domain/trade-money/refund.rules.ts';
import { fillCart, pickMember, type PlannedCheckout, typeOf } from './cart.ts';
import { quoteCoupon } from './coupons.ts';
import { logOrder, type Market, staffNamed } from './market.ts';
import { planPayment } from './payment.ts';
import { qtyOf, type SeedCheckout, type SeedOrder } from './trade.ts';
import { type BusinessCode, MINUTE, type SeedMember } from './world.ts';

/** A member fills a cart and creates its orders; payment or closing follows in the queue. */
export function openCheckout(market: Market, planned: PlannedCheckout): void {
  const { random, world } = market;
  const member = pickMember(market, planned.at);
  const type = typeOf(market, planned.business);
  const picked = fillCart(market, member, planned, type);
  if (picked.length === 0) return;
  const held = world.memberCoupons.filter(
    (row) =>
      row.memberId === member.id &&
      row.status === 'claimed' &&
      !row.lockedPayment &&
      row.claimedAt.getTime() <= planned.at,
  );
  const result = quote({
    now: planned.at,
    projectId: String(member.project.id),
    lines: picked.map(({ line }) => line),
    coupons: held.map(quoteCoupon),
    choice: random.chance(0.8) ? { kind: 'best' } : { kind: 'named', memberCouponIds: [] },
    pointsSettings: POINTS,
    pointsBalance: market.points.available(member.id),
    pointsWanted: random.chance(0.3) ? (random.chance(0.6) ? 'max' : 500) : 0,
    coinRules: [],
    coinsBalance: 0,
    coinsWanted: 0,
    postage: Object.fromEntries(world.merchants.map((merchant) => [String(merchant.id), merchant.postage])),
  });
  const used = result.coupons
    .filter((option) => option.state === 'chosen')
    .map((option) => option.memberCouponId);
  const checkout: SeedCheckout = {
    id: 0,
    code: market.codes.next('CK', new Date(planned.at)),
    member,
    createdAt: planned.at,
    deadline: planned.at + PAY_MINUTES[planned.business] * MINUTE,
    orders: [],
    coupons: held.filter((row) => used.includes(String(row.id))),
    channel: result.payable === 0 ? 0 : random.chance(0.42) ? 1 : 2,
    paidAt: null,
    tradeNo: null,
  };
  for (const coupon of checkout.coupons) coupon.lockedPayment = checkout;
  market.checkouts.push(checkout);
  const onBehalf =
    planned.business === 'goods' && random.chance(0.04) ? staffNamed(market, 'service1') : null;
  const source = onBehalf ? 5 : random.weighted([1, 2, 3, 4], (n) => SOURCE_WEIGHTS[n]!);
  for (const priced of result.orders) {
    const merchant = world.merchants.find((candidate) => String(candidate.id) === priced.merchantId)!;
    const code = market.codes.next('SO', new Date(planned.at));
    const order: SeedOrder = {
      id: 0,
      code,
      checkout,
      merchant,
      type,
      source,
      createdAt: planned.at,
      createdBy: onBehalf,
      remark: random.chance(0.15) ? random.pick(market.texts.remarks) : '',
      invoice: invoiceOf(market, member),
      lines: picked.filter(({ line }) => line.merchantId === priced.merchantId).map(({ seed }) => seed),
      refunds: [],
      shipments: [],
      events: [],
      quote: priced,
      state: openOrderState(priced, { orderId: code, kind: 'goods', status: 5 }),
      hold: null,
      staffRemark: random.chance(0.05) ? random.pick(market.texts.staffRemarks) : '',
      receiveDeadline: null,
      shippedAt: null,
      completedAt: null,
      closedAt: null,
      refundedAt: null,
      closeReason: '',
      commented: false,
      lastEventAt: planned.at,
    };
    checkout.orders.push(order);
    for (const line of order.lines) market.stock.reserve(line.spec, qtyOf(order, line), planned.at, order);
    if (priced.pointsUnits > 0)
      order.hold = market.points.hold(member.id, priced.pointsUnits, planned.at, order);
    logOrder(market, order, planned.at, 'create', 5, onBehalf ?? market.texts.buyer);
  }
  planPayment(market, checkout, planned);
}

function invoiceOf(market: Market, member: SeedMember): SeedOrder['invoice'] {
  const { random, texts } = market;
  const type = random.weighted([0, 1, 2] as const, (n) => INVOICE_WEIGHTS[n]);
  if (type === 0) return { type, name: '', dutyCode: '' };
  if (type === 1) return { type, name: member.name, dutyCode: '' };
  return { type, name: random.pick(texts.invoiceCompanies), dutyCode: `91310${random.digits(13)}` };
}

const INVOICE_WEIGHTS = { 0: 85, 1: 9, 2: 6 };
const SOURCE_WEIGHTS: Readonly<Record<number, number>> = { 1: 28, 2: 30, 3: 8, 4: 34 };
/** Minutes to pay: settings and the businesses' own values of the reference data. */
const PAY_MINUTES: Readonly<Record<BusinessCode, number>> = {
  goods: 30,
  group_buy: 15,
  find_goods: 1_440,
  rush: 15,
};
/** Defaults of mall.points.*. Source: settings.csv. */
const POINTS = {
  enabled: true,
  perYuan: 100,
  step: 100,
  maxPercent: 20,
  maxPerOrder: 10_000,
  withCoupon: true,
  withCoin: false,
};
