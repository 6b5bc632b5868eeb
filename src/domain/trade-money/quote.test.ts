import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { couponDiscount, checkShownTotal, freightOf, quote, reprice } from './quote.rules.ts';
import type {
  CoinRule,
  MemberCoupon,
  PointsSettings,
  Quote,
  QuoteInput,
  QuoteLine,
  QuoteOrder,
} from './quote.rules.ts';
import { splitAmount } from './split.rules.ts';

const NOW = Date.UTC(2025, 5, 15);
const DAY = 86_400_000;
const RUNS = { numRuns: 600, seed: 7 };
/** A planted bug only has to be found, not shrunk. */
const FIND = { ...RUNS, endOnFailure: true };

const POINTS: PointsSettings = {
  enabled: true,
  perYuan: 100,
  step: 100,
  maxPercent: 20,
  maxPerOrder: 10_000,
  withCoupon: true,
  withCoin: false,
};

function line(
  lineNo: number,
  merchantId: string,
  unitPrice: number,
  qty: number,
  more: Partial<QuoteLine> = {},
) {
  return {
    lineNo,
    merchantId,
    productId: `p${lineNo}`,
    classIds: ['food'],
    specId: `s${lineNo}`,
    listPrice: unitPrice,
    unitPrice,
    qty,
    priceKind: 'ordinary',
    activityAllowsCoupon: false,
    activityAllowsPoints: false,
    activityAllowsCoins: false,
    pointsAllowed: true,
    service: false,
    ...more,
  } satisfies QuoteLine as QuoteLine;
}

function coupon(memberCouponId: string, more: Partial<MemberCoupon> = {}): MemberCoupon {
  return {
    memberCouponId,
    couponId: `c-${memberCouponId}`,
    name: memberCouponId,
    issuer: 'platform',
    merchantId: null,
    value: { kind: 'cash', face: 1000 },
    threshold: 0,
    scope: { kind: 'all', ids: [] },
    projectIds: null,
    validFrom: NOW - DAY,
    validTo: NOW + DAY,
    locked: false,
    bearerPlatformPercent: 100,
    consentingMerchantIds: null,
    ...more,
  };
}

function coinRule(more: Partial<CoinRule> = {}): CoinRule {
  return {
    ruleId: 'r1',
    name: 'coins',
    scope: { kind: 'all', ids: [] },
    coinsPerYuan: 100,
    step: 100,
    maxPercent: 20,
    maxPerOrder: 3000,
    minOrder: 0,
    capsLeft: null,
    withCoupon: true,
    withPoints: true,
    withSeckill: false,
    withGroup: false,
    priority: 1,
    ...more,
  };
}

function input(lines: readonly QuoteLine[], more: Partial<QuoteInput> = {}): QuoteInput {
  return {
    now: NOW,
    projectId: 'x',
    lines,
    coupons: [],
    choice: { kind: 'best' },
    pointsSettings: POINTS,
    pointsBalance: 0,
    pointsWanted: 0,
    coinRules: [],
    coinsBalance: 0,
    coinsWanted: 0,
    postage: {},
    ...more,
  };
}

const M1_COUPON = coupon('m1-10', {
  issuer: 'merchant',
  merchantId: 'M1',
  value: { kind: 'cash', face: 1000 },
  threshold: 10_000,
});
const PLATFORM_COUPON = coupon('p-20', { value: { kind: 'cash', face: 2000 }, threshold: 15_000 });

const EXAMPLE_A = input([line(1, 'M1', 3990, 2), line(2, 'M1', 5990, 1), line(3, 'M2', 1990, 3)], {
  coupons: [M1_COUPON, PLATFORM_COUPON],
  pointsBalance: 5000,
  pointsWanted: 'max',
  postage: {
    M1: [
      { start: 0, end: 20_000, freight: 600 },
      { start: 20_000, end: null, freight: 0 },
    ],
  },
});

function orderOf(result: Quote, merchantId: string): QuoteOrder {
  const order = result.orders.find((candidate) => candidate.merchantId === merchantId);
  if (!order) throw new Error(`no order of ${merchantId}`);
  return order;
}

function shareTable(result: Quote | QuoteOrder) {
  const lines = 'orders' in result ? result.orders.flatMap((order) => order.lines) : result.lines;
  return lines.map((each) => [
    each.goods,
    ...each.shares.map((share) => [share.step, share.amount, share.units]),
    each.cash,
  ]);
}

describe('worked example A', () => {
  const result = quote(EXAMPLE_A);

  test('shares of every line', () => {
    expect(shareTable(result)).toEqual([
      [7980, [20, 571, 0], [30, 782, 0], [40, 1291, 1291], 5336],
      [5990, [20, 429, 0], [30, 587, 0], [40, 969, 969], 4005],
      [5970, [30, 631, 0], [40, 1040, 1040], 4299],
    ]);
  });

  test('orders 99.41 and 42.99, payment 142.40', () => {
    expect(orderOf(result, 'M1')).toMatchObject({
      cash: 9341,
      freight: 600,
      payable: 9941,
      pointsUnits: 2260,
    });
    expect(orderOf(result, 'M2')).toMatchObject({ cash: 4299, freight: 0, payable: 4299 });
    expect(result).toMatchObject({
      goods: 19_940,
      merchantCoupon: 1000,
      platformCoupon: 2000,
      points: 3300,
      pointsUnits: 3300,
      cash: 13_640,
      freight: 600,
      payable: 14_240,
      maxPoints: 3300,
    });
  });

  test('settlement base of M1 is 135.70', () => {
    const m1 = orderOf(result, 'M1');
    expect([m1.cash, m1.platformCoupon, m1.points, m1.freight]).toEqual([9341, 1369, 2260, 600]);
    expect(m1.cash + m1.platformCoupon + m1.points + m1.freight).toBe(13_570);
  });

  test('the explain panel lists steps 10, 20, 30, 40, 50 with their numbers', () => {
    expect([...new Set(result.steps.map((step) => step.code))]).toEqual([10, 20, 30, 40, 50]);
    const points = result.steps.find((step) => step.code === 40);
    expect(points).toMatchObject({ base: 16_940, amount: 3300, units: 3300 });
    expect(points?.formula[0]).toContain('floor(169.40 × 20 / 100) = 33.88');
    expect(points?.formula[1]).toContain('balance 5000');
    const m2 = orderOf(result, 'M2').steps;
    expect(m2.map((step) => step.code)).toEqual([10, 30, 40, 50]);
    expect(m2.flatMap((step) => step.lines.map((each) => each.amount))).toEqual([5970, 631, 1040]);
  });

  test('a changed price is refused', () => {
    expect(checkShownTotal(result, 14_240)).toBeNull();
    const raised = quote({
      ...EXAMPLE_A,
      lines: EXAMPLE_A.lines.map((each) => (each.lineNo === 1 ? { ...each, unitPrice: 4090 } : each)),
    });
    expect(checkShownTotal(raised, 14_240)?.[0]).toBe('价格已变化，请重新确认');
  });

  test('Must show 13: reduction of 10.00 on M1', () => {
    const changed = reprice(orderOf(result, 'M1'), { manualOff: 1000 });
    if (!changed.ok) throw new Error('refused');
    const { order } = changed;
    expect(order.lines.map((each) => each.shares.at(-1)?.amount)).toEqual([571, 429]);
    expect(order.lines.map((each) => each.cash)).toEqual([4765, 3576]);
    expect(order).toMatchObject({
      freight: 600,
      payable: 8941,
      pointsUnits: 2260,
      merchantCoupon: 1000,
      platformCoupon: 1369,
      manualOff: 1000,
    });
    expect(order.payable + orderOf(result, 'M2').payable).toBe(13_240);
    expect(order.steps.at(-1)).toMatchObject({ code: 60, base: 9341, amount: 1000 });

    const again = reprice(order, { manualOff: 500 });
    expect(again).toEqual(reprice(orderOf(result, 'M1'), { manualOff: 500 }));
    expect(reprice(order, { manualOff: 0 })).toEqual({ ok: true, order: orderOf(result, 'M1') });
    const moved = reprice(order, { freight: 900 });
    expect(moved.ok && moved.order).toMatchObject({ manualOff: 1000, freight: 900, payable: 9241 });
    const zero = reprice(order, { manualOff: 9341, freight: 0 });
    expect(zero.ok && zero.order.payable).toBe(0);
    expect(reprice(order, { manualOff: 9342 })).toMatchObject({
      ok: false,
      most: 9341,
      message: ['改价金额不能超过93.41元', 'The reduction cannot be more than 93.41'],
    });
  });
});

describe('single rules', () => {
  test("group 13's example: shares of lines A and B", () => {
    const result = quote(
      input([line(1, 'M', 10_000, 3), line(2, 'M', 5990, 1)], {
        coupons: [
          coupon('m', { issuer: 'merchant', merchantId: 'M' }),
          coupon('p', { value: { kind: 'cash', face: 3000 } }),
        ],
        pointsBalance: 500,
        pointsWanted: 'max',
        postage: { M: [{ start: 0, end: null, freight: 800 }] },
      }),
    );
    expect(shareTable(result)).toEqual([
      [30_000, [20, 834, 0], [30, 2501, 0], [40, 417, 417], 26_248],
      [5990, [20, 166, 0], [30, 499, 0], [40, 83, 83], 5242],
    ]);
    expect(result.payable).toBe(32_290);
  });

  test('discount coupon of rate 85 on 233.33, max 30.00', () => {
    const value = { kind: 'discount', rate: 85, maxDiscount: null } as const;
    expect(couponDiscount(value, 23_333)).toBe(3499);
    expect(couponDiscount({ ...value, maxDiscount: 3000 }, 23_333)).toBe(3000);
    expect(couponDiscount({ ...value, maxDiscount: 2000 }, 20_000)).toBe(2000);
    expect(couponDiscount({ kind: 'cash', face: 3000 }, 2999)).toBe(2999);
  });

  test('group 16: platform coupon 30.00 off 150.00 borne 60/40', () => {
    const result = quote(
      input([line(1, 'A', 10_000, 1), line(2, 'B', 6000, 1)], {
        coupons: [
          coupon('p', { value: { kind: 'cash', face: 3000 }, threshold: 15_000, bearerPlatformPercent: 60 }),
        ],
      }),
    );
    const shares = result.orders.flatMap((order) => order.lines.flatMap((each) => each.shares));
    expect(shares.map((share) => [share.amount, share.platformAmount])).toEqual([
      [1875, 1125],
      [1125, 675],
    ]);
    expect(result.payable).toBe(13_000);
  });

  test('goods of a merchant without consent are out of scope', () => {
    const shared = coupon('p', { bearerPlatformPercent: 60, consentingMerchantIds: ['B'] });
    const result = quote(input([line(1, 'A', 10_000, 1), line(2, 'B', 600, 1)], { coupons: [shared] }));
    expect(result.platformCoupon).toBe(600);
    expect(orderOf(result, 'A').platformCoupon).toBe(0);
  });

  test('group 16: coins 2,600 = 26.00 over A and B', () => {
    const result = quote(
      input([line(1, 'M', 11_040, 1), line(2, 'M', 5960, 1)], {
        coinRules: [coinRule()],
        coinsBalance: 2650,
        coinsWanted: 'max',
        postage: { M: [{ start: 0, end: null, freight: 800 }] },
      }),
    );
    expect(shareTable(result)).toEqual([
      [11_040, [45, 1688, 1688], 9352],
      [5960, [45, 912, 912], 5048],
    ]);
    expect(result.payable).toBe(15_200);
  });

  test('coins: worth, minimum, best rule, tie by priority', () => {
    const cart = [line(1, 'M', 10_000, 1)];
    const withRules = (...rules: CoinRule[]) =>
      quote(input(cart, { coinRules: rules, coinsBalance: 100_000, coinsWanted: 'max' }));
    // 30 coins per yuan: floor(c × 100 / 30) ≤ 2000 allows 600 coins; step 7 → 595 = 19.83.
    expect(withRules(coinRule({ coinsPerYuan: 30, step: 7, maxPerOrder: null }))).toMatchObject({
      coins: 1983,
      coinsUnits: 595,
    });
    // 1,000 coins per yuan, step 1: 20,009 coins are still floor(2000.9) = 20.00.
    expect(withRules(coinRule({ coinsPerYuan: 1000, step: 1, maxPerOrder: null })).coinsUnits).toBe(20_009);
    expect(withRules(coinRule({ minOrder: 10_001 })).coins).toBe(0);
    expect(withRules(coinRule({ capsLeft: 555 })).coins).toBe(500);
    const better = withRules(coinRule(), coinRule({ ruleId: 'r2', maxPercent: 25, maxPerOrder: null }));
    expect(better.steps.find((step) => step.code === 45)?.sourceId).toBe('r2');
    const tie = withRules(coinRule(), coinRule({ ruleId: 'r2', priority: 9 }));
    expect(tie.steps.find((step) => step.code === 45)?.sourceId).toBe('r2');
  });

  test('points and coins together only by setting; points with coupons only by setting', () => {
    const base = input([line(1, 'M', 10_000, 1)], {
      pointsBalance: 500,
      pointsWanted: 'max',
      coinRules: [coinRule()],
      coinsBalance: 500,
      coinsWanted: 'max',
    });
    expect(quote(base)).toMatchObject({ points: 500, coins: 0 });
    expect(quote(base).notices.map((notice) => notice[0])).toEqual(['代币不可与积分同时使用']);
    const both = quote({ ...base, pointsSettings: { ...POINTS, withCoin: true } });
    expect(both).toMatchObject({ points: 500, coins: 500 });
    const off = quote({
      ...base,
      coupons: [coupon('p')],
      coinsWanted: 0,
      pointsSettings: { ...POINTS, withCoupon: false },
    });
    expect(off).toMatchObject({ platformCoupon: 1000, points: 0, maxPoints: 0 });
    expect(off.notices.map((notice) => notice[0])).toEqual(['积分不可与优惠券同时使用']);
  });

  test('points: step, balance, per order, other exchange rates', () => {
    const cart = [line(1, 'M', 10_000, 1), line(2, 'M', 5000, 1, { pointsAllowed: false })];
    const withPoints = (pointsBalance: number, wanted: number | 'max', more: Partial<PointsSettings> = {}) =>
      quote(input(cart, { pointsBalance, pointsWanted: wanted, pointsSettings: { ...POINTS, ...more } }));
    expect(withPoints(5000, 'max').pointsUnits).toBe(2000);
    expect(withPoints(1999, 'max').pointsUnits).toBe(1900);
    expect(withPoints(5000, 250).pointsUnits).toBe(200);
    expect(withPoints(5000, 'max', { maxPerOrder: 1150 }).pointsUnits).toBe(1100);
    expect(withPoints(5000, 'max', { perYuan: 50, step: 50 })).toMatchObject({
      pointsUnits: 1000,
      points: 2000,
    });
    expect(withPoints(5000, 'max', { perYuan: 200 })).toMatchObject({ pointsUnits: 4000, points: 2000 });
    expect(withPoints(5000, 'max', { enabled: false }).points).toBe(0);
    expect(withPoints(5000, 5000).notices[0]?.[0]).toBe('本单最多可用2000积分');
    expect(() => withPoints(5000, 'max', { perYuan: 300 })).toThrow(RangeError);
  });

  test('activity lines take discounts only when their flag allows it', () => {
    const seckill = line(1, 'M', 10_000, 1, { priceKind: 'seckill' });
    const all = { pointsBalance: 500, pointsWanted: 'max', coupons: [coupon('p')] } as const;
    const shut = quote(input([seckill], all));
    expect(shut).toMatchObject({ platformCoupon: 0, points: 0, payable: 10_000 });
    expect(shut.coupons[0]).toMatchObject({ state: 'unusable', refusal: 'activity_goods' });
    expect(shut.coupons[0]?.reason).toEqual(['活动商品不可用', 'Not with activity goods']);
    const open = { ...seckill, activityAllowsCoupon: true, activityAllowsPoints: true };
    expect(quote(input([open], all))).toMatchObject({ platformCoupon: 1000, points: 500 });
    const coins = { coinRules: [coinRule()], coinsBalance: 500, coinsWanted: 'max' } as const;
    const coinsOpen = { ...seckill, activityAllowsCoins: true };
    expect(quote(input([coinsOpen], coins)).coins).toBe(0);
    expect(quote(input([coinsOpen], { ...coins, coinRules: [coinRule({ withSeckill: true })] })).coins).toBe(
      500,
    );
  });

  test('every refusal of a coupon', () => {
    const cart = [line(1, 'M', 10_000, 1)];
    const refusalOf = (more: Partial<MemberCoupon>) =>
      quote(input(cart, { coupons: [coupon('c', more)] })).coupons[0]?.reason?.[0];
    expect(refusalOf({ locked: true })).toBe('已锁定');
    expect(refusalOf({ validFrom: NOW + 1 })).toBe('未开始');
    expect(refusalOf({ validTo: NOW - 1 })).toBe('已过期');
    expect(refusalOf({ validTo: NOW })).toBeUndefined();
    expect(refusalOf({ projectIds: ['y'] })).toBe('不适用小区');
    expect(refusalOf({ scope: { kind: 'products', ids: ['p2'] } })).toBe('不适用商品');
    expect(refusalOf({ scope: { kind: 'classes', ids: ['toys'] } })).toBe('不适用商品');
    expect(refusalOf({ scope: { kind: 'all', ids: [], excludedProductIds: ['p1'] } })).toBe('不适用商品');
    expect(refusalOf({ issuer: 'merchant', merchantId: 'other' })).toBe('不适用商品');
    expect(refusalOf({ threshold: 10_450 })).toBe('还差4.50元');
    expect(refusalOf({ scope: { kind: 'classes', ids: ['food'] }, threshold: 10_000 })).toBeUndefined();
  });

  test('named coupons: none, one too many, unusable, unknown', () => {
    const named = (...memberCouponIds: string[]) =>
      quote({
        ...EXAMPLE_A,
        coupons: [...EXAMPLE_A.coupons, coupon('p-5'), coupon('late', { validTo: 0, issuer: 'merchant' })],
        choice: { kind: 'named', memberCouponIds },
      });
    expect(named()).toMatchObject({ merchantCoupon: 0, platformCoupon: 0, notices: [] });
    expect(named().coupons.map((option) => option.state)).toEqual(['usable', 'usable', 'usable', 'unusable']);
    const two = named('p-5', 'p-20');
    expect(two.platformCoupon).toBe(1000);
    expect(two.notices[0]?.[0]).toBe('每次结算最多使用一张平台券');
    expect(named('late').notices[0]?.[0]).toBe('late：已过期');
    expect(named('nobody').notices[0]?.[0]).toBe('优惠券不存在');
  });

  test('the default counts the freight a coupon causes', () => {
    const bands = [
      { start: 0, end: 10_000, freight: 600 },
      { start: 10_000, end: null, freight: 0 },
    ];
    const cart = input([line(1, 'M', 10_000, 1)], { postage: { M: bands } });
    const small = coupon('small', {
      issuer: 'merchant',
      merchantId: 'M',
      value: { kind: 'cash', face: 500 },
    });
    expect(quote({ ...cart, coupons: [small] })).toMatchObject({ merchantCoupon: 0, payable: 10_000 });
    const big = { ...small, value: { kind: 'cash', face: 700 } } as const;
    expect(quote({ ...cart, coupons: [big] })).toMatchObject({
      merchantCoupon: 700,
      freight: 600,
      payable: 9900,
    });
  });

  test('freight: bands are half open, services have none, a free order is valid', () => {
    const bands = [
      { start: 0, end: 5000, freight: 800 },
      { start: 5000, end: 9900, freight: 500 },
    ];
    expect([0, 4999, 5000, 9899, 9900].map((base) => freightOf(base, bands))).toEqual([
      800, 800, 500, 500, 0,
    ]);
    const service = line(1, 'M', 1000, 1, { service: true });
    const free = quote(input([service], { coupons: [coupon('p')], postage: { M: bands } }));
    expect(free).toMatchObject({ payable: 0, freight: 0, platformCoupon: 1000 });
  });

  test('refuses input that no form can send', () => {
    expect(() => quote(input([]))).toThrow(RangeError);
    expect(() => quote(input([line(1, 'M', 1, 1), line(1, 'M', 1, 1)]))).toThrow(RangeError);
    expect(() => quote(input([line(1, 'M', 1.5, 1)]))).toThrow(RangeError);
    expect(() => quote(input([line(1, 'M', 100, 0)]))).toThrow(RangeError);
  });
});

const MERCHANTS = ['A', 'B', 'C'] as const;
const lineCases = fc.record({
  merchantId: fc.constantFrom(...MERCHANTS),
  unitPrice: fc.oneof(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 99_999_999 })),
  qty: fc.integer({ min: 1, max: 9 }),
  classIds: fc.subarray(['food', 'toys', 'home']),
  priceKind: fc.constantFrom('ordinary', 'ordinary', 'seckill', 'group', 'rush'),
  activityAllowsCoupon: fc.boolean(),
  activityAllowsPoints: fc.boolean(),
  activityAllowsCoins: fc.boolean(),
  pointsAllowed: fc.boolean(),
  service: fc.boolean(),
} satisfies Record<string, fc.Arbitrary<unknown>>);
const couponCases = fc.record({
  issuer: fc.constantFrom('merchant', 'platform'),
  merchantId: fc.constantFrom(...MERCHANTS),
  value: fc.oneof(
    fc.record({ kind: fc.constant('cash' as const), face: fc.integer({ min: 1, max: 30_000 }) }),
    fc.record({
      kind: fc.constant('discount' as const),
      rate: fc.integer({ min: 1, max: 99 }),
      maxDiscount: fc.option(fc.integer({ min: 1, max: 20_000 })),
    }),
  ),
  threshold: fc.nat(40_000),
  classes: fc.option(fc.subarray(['food', 'toys', 'home'])),
  locked: fc.boolean(),
  bearerPlatformPercent: fc.nat(100),
});
const inputCases = fc
  .record({
    lines: fc.array(lineCases, { minLength: 1, maxLength: 6 }),
    coupons: fc.array(couponCases, { maxLength: 6 }),
    pointsBalance: fc.nat(20_000),
    pointsWanted: fc.oneof(fc.constant('max' as const), fc.nat(20_000)),
    coinsBalance: fc.nat(50_000),
    coinsPerYuan: fc.integer({ min: 1, max: 1000 }),
    coinStep: fc.integer({ min: 1, max: 100 }),
    withCoin: fc.boolean(),
    freight: fc.nat(2000),
    band: fc.integer({ min: 1, max: 30_000 }),
  })
  .map((each): QuoteInput => {
    const bands = [{ start: 0, end: each.band, freight: each.freight }];
    return input(
      each.lines.map(({ merchantId, unitPrice, qty, ...more }, index) =>
        line(index + 1, merchantId, unitPrice, qty, more),
      ),
      {
        coupons: each.coupons.map(({ classes, merchantId, ...more }, index) =>
          coupon(`c${index}`, {
            ...more,
            merchantId: more.issuer === 'merchant' ? merchantId : null,
            scope: classes ? { kind: 'classes', ids: classes } : { kind: 'all', ids: [] },
          }),
        ),
        pointsBalance: each.pointsBalance,
        pointsWanted: each.pointsWanted,
        pointsSettings: { ...POINTS, withCoin: each.withCoin },
        coinRules: [coinRule({ coinsPerYuan: each.coinsPerYuan, step: each.coinStep, withGroup: true })],
        coinsBalance: each.coinsBalance,
        coinsWanted: 'max',
        postage: { A: bands, B: bands },
      },
    );
  });

function holds(price: (each: QuoteInput) => Quote) {
  return fc.property(inputCases, (each) => {
    const result = price(each);
    const lines = result.orders.flatMap((order) => order.lines);
    expect(lines.length).toBe(each.lines.length);
    for (const step of result.steps) {
      const own = lines.flatMap((one) =>
        one.shares.filter((share) => share.step === step.code && share.sourceId === step.sourceId),
      );
      if (step.code !== 10 && step.code !== 50) {
        expect(sum(own.map((share) => share.amount))).toBe(step.amount);
        expect(sum(own.map((share) => share.platformAmount))).toBe(step.platformAmount);
        expect(sum(own.map((share) => share.units))).toBe(step.units);
        expect(sum(step.lines.map((one) => one.amount))).toBe(step.amount);
      }
      for (const one of step.lines) expect(one.amount).toBeLessThanOrEqual(one.base);
    }
    for (const one of lines) {
      expect(one.cash).toBeGreaterThanOrEqual(0);
      expect(one.goods).toBe(one.unitPrice * one.qty);
      expect(one.cash + sum(one.shares.map((share) => share.amount))).toBe(one.goods);
      for (const share of one.shares) {
        expect(share.amount).toBeGreaterThanOrEqual(0);
        expect(share.platformAmount).toBeLessThanOrEqual(share.amount);
        if (one.priceKind !== 'ordinary' && share.step <= 30) expect(one.activityAllowsCoupon).toBe(true);
        if (share.step === 40) expect(one.pointsAllowed).toBe(true);
      }
    }
    for (const order of result.orders) {
      expect(order.payable).toBe(sum(order.lines.map((one) => one.cash)) + order.freight);
      if (order.lines.every((one) => one.service)) expect(order.freight).toBe(0);
    }
    expect(result.payable).toBe(sum(result.orders.map((order) => order.payable)));
    expect(result.pointsUnits).toBeLessThanOrEqual(each.pointsBalance);
    expect(result.pointsUnits % each.pointsSettings.step).toBe(0);
    expect(result.coinsUnits).toBeLessThanOrEqual(each.coinsBalance);
    if (!each.pointsSettings.withCoin) expect(Math.min(result.points, result.coins)).toBe(0);
    expect(result.coupons.length).toBe(each.coupons.length);
    const chosen = result.coupons.filter((option) => option.state === 'chosen');
    expect(sum(chosen.map((option) => option.discount))).toBe(result.merchantCoupon + result.platformCoupon);
    expect(result.coupons.every((option) => (option.state === 'unusable') === (option.reason !== null))).toBe(
      true,
    );
  });
}

/** The default choice is never worse than any combination of the member's coupons, freight included. */
function isBest(price: (each: QuoteInput) => Quote) {
  return fc.property(inputCases, (full) => {
    const each = { ...full, pointsWanted: 0, coinsWanted: 0 } as const;
    const best = price(each);
    const combinations = each.coupons.reduce<string[][]>(
      (sets, one) => [...sets, ...sets.map((set) => [...set, one.memberCouponId])],
      [[]],
    );
    for (const memberCouponIds of combinations) {
      const other = quote({ ...each, choice: { kind: 'named', memberCouponIds } });
      expect(best.payable).toBeLessThanOrEqual(other.payable);
    }
  });
}

describe('properties of the quote', () => {
  test('sums, limits and signs hold', () => {
    fc.assert(holds(quote), RUNS);
  });

  test('the default choice is the best combination', () => {
    fc.assert(isBest(quote), { ...RUNS, numRuns: 500 });
  });

  test('a reduction keeps coupons, points and the sum', () => {
    fc.assert(
      fc.property(inputCases, fc.nat(), fc.nat(5000), (each, wish, freight) => {
        for (const order of quote(each).orders) {
          const manualOff = wish % (order.cash + 1);
          const changed = reprice(order, { manualOff, freight });
          if (!changed.ok) throw new Error('refused');
          expect(changed.order.payable).toBe(order.cash - manualOff + freight);
          expect(changed.order.manualOff).toBe(manualOff);
          expect(changed.order.pointsUnits).toBe(order.pointsUnits);
          for (const one of changed.order.lines) {
            expect(one.cash).toBeGreaterThanOrEqual(0);
            expect(one.cash + sum(one.shares.map((share) => share.amount))).toBe(one.goods);
          }
          expect(reprice(order, { manualOff: order.cash + 1 }).ok).toBe(false);
        }
      }),
      RUNS,
    );
  });

  test('the properties see planted bugs', () => {
    const losesFen = (each: QuoteInput): Quote => {
      const result = quote(each);
      const orders = result.orders.map((order) => ({
        ...order,
        lines: order.lines.map((one) => ({ ...one, cash: Math.round(one.cash / 10) * 10 })),
      }));
      return { ...result, orders };
    };
    const freightTwice = (each: QuoteInput): Quote => {
      const result = quote(each);
      return { ...result, payable: result.payable + result.freight };
    };
    const firstCoupon = (each: QuoteInput): Quote =>
      quote({
        ...each,
        choice: { kind: 'named', memberCouponIds: each.coupons.slice(0, 1).map((one) => one.memberCouponId) },
      });
    const resplit = (each: QuoteInput): Quote => {
      const result = quote(each);
      const steps = result.steps.map((step) => ({
        ...step,
        lines: step.lines.map((one) => ({
          ...one,
          amount: splitAmount(step.amount, [step.amount])[0] ?? 0,
        })),
      }));
      return { ...result, steps };
    };
    for (const broken of [losesFen, freightTwice, resplit])
      expect(fc.check(holds(broken), FIND).failed).toBe(true);
    expect(fc.check(isBest(firstCoupon), FIND).failed).toBe(true);
  });
});

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}
