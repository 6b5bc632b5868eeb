import { businessDayOf, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import type { PlannedCheckout } from './cart.ts';
import { openCheckout } from './checkout.ts';
import type { CodeBook } from './code-book.ts';
import { EventQueue } from './event-queue.ts';
import type { Market, Texts } from './market.ts';
import { staffNamed } from './market.ts';
import { addOpenRefunds } from './open-refunds.ts';
import { PointsBook } from './points-book.ts';
import { createRandom, type Random } from './random.ts';
import { readSeedFile } from './seed-file.ts';
import { StockBook } from './stock-book.ts';
import { type BusinessCode, DAY, HOUR, MINUTE, type World } from './world.ts';

/** Lets 120 days of trade happen in the order of time up to the world's now. Writes nothing. */
export function simulateTrade(world: World, codes: CodeBook): Market {
  const market: Market = {
    world,
    texts: readSeedFile<Texts>('demo-texts'),
    random: createRandom(world.seed, 'trade'),
    queue: new EventQueue(),
    codes,
    stock: new StockBook(),
    points: new PointsBook(),
    checkouts: [],
    refunds: [],
    returned: [],
  };
  for (const product of world.products) {
    const staff = staffNamed(market, `merchant${product.merchant.no}`);
    for (const spec of product.specs) {
      market.stock.open(spec, product.createdAt.getTime() + 1_000, market.texts.stock.first, staff.id);
    }
  }
  planGrants(market);
  for (const planned of planCheckouts(world))
    market.queue.add(planned.at, () => openCheckout(market, planned));
  market.queue.runUntil(world.now.getTime());
  clearShelves(market);
  addOpenRefunds(market);
  return market;
}

const DAYS = 120;
const CHECKOUTS = 1_830;
/** How busy the hours of a day are. */
const HOURS = [2, 1, 0, 0, 0, 1, 3, 6, 9, 11, 12, 11, 10, 8, 8, 9, 9, 10, 11, 13, 15, 14, 10, 5];

function planCheckouts(world: World): PlannedCheckout[] {
  const random = createRandom(world.seed, 'checkouts');
  const now = world.now.getTime();
  const today = startOfBusinessDay(businessDayOf(world.now)).getTime();
  const days = Array.from({ length: DAYS }, (_, back) => {
    const start = today - back * DAY;
    const weekday = new Date(start + 8 * HOUR).getUTCDay();
    // Trade grows slowly, weekends are busier, and no two days are alike.
    const weight =
      (1.5 - back / DAYS / 1.6) * (weekday === 0 || weekday === 6 ? 1.35 : 1) * (0.75 + random.next() / 2);
    return { start, weight };
  });
  const hours = HOURS.map((weight, hour) => ({ hour, weight }));
  const planned: PlannedCheckout[] = [];
  while (planned.length < CHECKOUTS) {
    const day = random.weighted(days, (candidate) => candidate.weight);
    const { hour } = random.weighted(hours, (candidate) => candidate.weight);
    const at = day.start + hour * HOUR + random.int(0, 3_599) * 1_000;
    if (at > now - 2 * MINUTE) continue;
    planned.push({
      at,
      business: random.weighted(BUSINESSES, (code) => BUSINESS_WEIGHTS[code]),
      unpaid: false,
    });
  }
  // Whatever the hour, some carts of the last minutes and of the find-goods business wait for their payment.
  for (let n = 0; n < 8; n += 1)
    planned.push({ at: now - random.int(2, 24) * MINUTE, business: 'goods', unpaid: true });
  for (let n = 0; n < 7; n += 1) {
    planned.push({ at: now - random.int(30, 1_200) * MINUTE, business: 'find_goods', unpaid: true });
  }
  // Teams that are still forming.
  for (let n = 0; n < 6; n += 1)
    planned.push({ at: now - random.int(12, 90) * MINUTE, business: 'group_buy', unpaid: false });
  return planned.sort((a, b) => a.at - b.at);
}

const BUSINESSES: readonly BusinessCode[] = ['goods', 'group_buy', 'find_goods', 'rush'];
const BUSINESS_WEIGHTS: Readonly<Record<BusinessCode, number>> = {
  goods: 86,
  group_buy: 7,
  find_goods: 4,
  rush: 3,
};

/** Everyone gets points one to three times in the last ten months; the member of the example has exactly 5,000. */
function planGrants(market: Market): void {
  const { world, queue, points, texts } = market;
  const random = createRandom(world.seed, 'grants');
  const { example } = readSeedFile<{ example: { points: number } }>('demo-goods');
  const grant = (
    memberId: number,
    amount: number,
    daysAgo: number,
    purpose: keyof Texts['points'],
    n: number,
  ) => {
    const at = world.now.getTime() - daysAgo * DAY - 3 * HOUR;
    const source = { id: `${memberId}-${n}`, purpose, note: texts.points[purpose] };
    queue.add(at, () => points.grant(memberId, amount, at, source));
  };
  for (const member of world.members) {
    if (!member.shops) {
      grant(member.id, example.points - 2_000, 200, 'purchase', 1);
      grant(member.id, 2_000, 90, 'staff', 2);
      continue;
    }
    const times = random.int(0, 3);
    for (let n = 1; n <= times; n += 1) {
      const purpose = random.pick(PURPOSES);
      grant(member.id, amountOf(random, purpose), random.int(5, 290), purpose, n);
    }
  }
}

const PURPOSES = ['purchase', 'sign_in', 'staff'] as const;

function amountOf(random: Random, purpose: (typeof PURPOSES)[number]): number {
  if (purpose === 'sign_in') return random.int(2, 20) * 10;
  return purpose === 'staff' ? random.pick([500, 1_000, 2_000]) : random.int(120, 3_600);
}

/** One product of the last shop is counted out, so that a sold-out one exists in any case. */
function clearShelves(market: Market): void {
  const product = market.world.products.findLast(
    (candidate) => candidate.orderable && candidate.merchant.no === 5,
  )!;
  const staff = staffNamed(market, 'merchant5');
  for (const spec of product.specs) {
    if (spec.stock > 0)
      market.stock.edit(
        spec,
        -spec.stock,
        market.world.now.getTime() - MINUTE,
        market.texts.stock.less,
        staff.id,
      );
  }
}
