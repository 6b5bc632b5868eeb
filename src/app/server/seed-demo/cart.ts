import type { PriceKind, QuoteLine } from '../../../domain/trade-money/quote.rules.ts';
import { type Market, staffNamed } from './market.ts';
import type { OrderType, SeedLine } from './trade.ts';
import type { BusinessCode, SeedMember, SeedMerchant, SeedProduct, SeedSpec } from './world.ts';

/** A checkout that is to happen: when, in which business, and whether it is to stay unpaid. */
export interface PlannedCheckout {
  readonly at: number;
  readonly business: BusinessCode;
  readonly unpaid: boolean;
}

/** A line of a cart: as the money engine wants it, and what it stands for. */
export interface CartEntry {
  readonly line: QuoteLine;
  readonly seed: SeedLine;
}

/** A member registered by then; some buy far more often than others. */
export function pickMember(market: Market, at: number): SeedMember {
  const { members } = market.world;
  for (;;) {
    const member = members[Math.floor(market.random.next() ** 1.7 * members.length)]!;
    if (member.shops && member.registeredAt.getTime() < at) return member;
  }
}

/** The order type a business leads to; a few ordinary checkouts are seckill ones. */
export function typeOf(market: Market, business: BusinessCode): OrderType {
  if (business === 'group_buy') return 'group';
  if (business === 'rush') return 'rush';
  return business === 'goods' && market.random.chance(0.02) ? 'seckill' : 'ordinary';
}

/** One to three products of one merchant, sometimes of two; empty when nothing fits. */
export function fillCart(
  market: Market,
  member: SeedMember,
  planned: PlannedCheckout,
  type: OrderType,
): CartEntry[] {
  const { random, world } = market;
  const single = type !== 'ordinary' || planned.business !== 'goods';
  const fits = (product: SeedProduct) =>
    product.orderable &&
    product.business === planned.business &&
    product.projectIds.has(member.project.id) &&
    product.createdAt.getTime() < planned.at;
  const goods = world.products.filter(fits);
  const merchants = world.merchants.filter((merchant) =>
    goods.some((product) => product.merchant === merchant),
  );
  if (merchants.length === 0) return [];
  const first = random.weighted(merchants, (merchant) => MERCHANT_WEIGHTS[merchant.no]!);
  const chosen: SeedMerchant[] = [first];
  if (!single && merchants.length > 1 && random.chance(0.13)) {
    chosen.push(random.pick(merchants.filter((merchant) => merchant !== first)));
  }
  const entries: CartEntry[] = [];
  for (const merchant of chosen) {
    const own = random.shuffle(goods.filter((product) => product.merchant === merchant));
    const count = single ? 1 : random.weighted([1, 2, 3], (n) => LINE_WEIGHTS[n]!);
    for (const product of own.slice(0, count)) {
      const spec = random.pick(product.specs);
      const qty = spec.price > 30_000 ? 1 : random.weighted([1, 2, 3, 4], (n) => QTY_WEIGHTS[n]!);
      if (!makeRoom(market, product, spec, qty, planned.at)) continue;
      const lineNo = entries.length + 1;
      const kind: PriceKind = type;
      entries.push({
        line: {
          lineNo,
          merchantId: String(merchant.id),
          productId: String(product.id),
          classIds: product.classIds,
          specId: String(spec.id),
          listPrice: spec.price,
          unitPrice: Math.floor((spec.price * PRICE_PERCENT[type]) / 1_000) * 10,
          qty,
          priceKind: kind,
          activityAllowsCoupon: false,
          activityAllowsPoints: false,
          activityAllowsCoins: false,
          pointsAllowed: true,
          service: false,
        },
        seed: { id: 0, lineNo, product, spec },
      });
    }
  }
  return entries;
}

/** The merchant fills up what sells out, except for the scarce goods. */
function makeRoom(market: Market, product: SeedProduct, spec: SeedSpec, qty: number, at: number): boolean {
  if (spec.stock >= qty) return true;
  if (!spec.restocked) return false;
  const staff = staffNamed(market, `merchant${product.merchant.no}`);
  market.stock.edit(spec, market.random.int(8, 20) * 10, at - 1_000, market.texts.stock.more, staff.id);
  return true;
}

const MERCHANT_WEIGHTS: Readonly<Record<number, number>> = {
  1: 22,
  2: 20,
  3: 18,
  4: 8,
  5: 10,
  6: 12,
  7: 7,
  8: 7,
};
const LINE_WEIGHTS: Readonly<Record<number, number>> = { 1: 50, 2: 33, 3: 17 };
const QTY_WEIGHTS: Readonly<Record<number, number>> = { 1: 58, 2: 27, 3: 10, 4: 5 };
/** Activity prices as a part of the ordinary price; the result has whole ten fen. */
const PRICE_PERCENT: Readonly<Record<OrderType, number>> = {
  ordinary: 100,
  group: 85,
  rush: 80,
  seckill: 70,
};
