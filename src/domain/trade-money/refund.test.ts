import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { QuoteLine } from './quote.rules.ts';
import { quote } from './quote.rules.ts';
import {
  bookRefund,
  cancelPercent,
  cancelService,
  checkAfterSaleWindow,
  checkAuditor,
  checkCaps,
  checkChannel,
  checkRefundable,
  couponsToSettle,
  DEFAULT_CANCEL_TIERS,
  lowerRefund,
  openOrderState,
  partOfLine,
  passRefund,
  settleOrder,
  startRefund,
  suggestFullRefund,
  suggestRefund,
  unitsLeft,
} from './refund.rules.ts';
import type {
  CouponTerms,
  LineState,
  OrderState,
  RefundItem,
  RefundRequest,
  RefundSplit,
  RefundTotals,
  ShareState,
} from './refund.rules.ts';

const NOW = Date.UTC(2025, 5, 15);
const DAY = 86_400_000;
const RUNS = { numRuns: 600, seed: 11 };
/** A planted bug only has to be found, not shrunk. */
const FIND = { ...RUNS, endOnFailure: true };
const LIMITS = { autoPassMax: 20_000, staffDirectMax: 50_000, financeFrom: 200_000 };

function share(step: ShareState['step'], amount: number, more: Partial<ShareState> = {}): ShareState {
  return {
    step,
    sourceType:
      step === 40 ? 'points' : step === 45 ? 'coin_rule' : step === 60 ? 'manual_off' : 'member_coupon',
    sourceId: step === 40 || step === 60 ? null : `s${step}`,
    amount,
    platformAmount: 0,
    units: step === 40 || step === 45 ? amount : 0,
    refundedAmount: 0,
    refundedUnits: 0,
    ...more,
  };
}

function line(lineNo: number, qty: number, cash: number, shares: readonly ShareState[] = []): LineState {
  return {
    lineNo,
    goods: cash + sum(shares.map((each) => each.amount)),
    cash,
    cashRefunded: 0,
    cashWithheld: 0,
    qty,
    qtyShipped: 0,
    qtyRefunded: 0,
    qtyRefundedUnshipped: 0,
    qtyUsed: 0,
    shares,
  };
}

function orderOf(lines: readonly LineState[], more: Partial<OrderState> = {}): OrderState {
  const freight = more.freight ?? 0;
  return {
    orderId: 'o1',
    kind: 'goods',
    status: 10,
    refundStatus: 0,
    freight,
    freightRefunded: 0,
    paid: sum(lines.map((each) => each.cash)) + freight,
    lines,
    ...more,
  };
}

function terms(sourceId: string, step: 20 | 30, more: Partial<CouponTerms> = {}): CouponTerms {
  return {
    sourceId,
    step,
    refundRule: 'share',
    threshold: 0,
    returnable: true,
    endsAt: NOW + DAY,
    settled: false,
    ...more,
  };
}

function amount(lineNo: number, fen: number): RefundItem {
  return { kind: 'amount', lineNo, amount: fen };
}

function units(lineNo: number, qty: number): RefundItem {
  return { kind: 'units', lineNo, qty };
}

function suggest(
  order: OrderState,
  items: readonly RefundItem[],
  more: Partial<RefundRequest> = {},
): RefundSplit {
  const answer = suggestRefund({ order, otherOrders: [], coupons: [], items, ...more });
  if (!answer.ok) throw new Error(answer.breach.message[1]);
  return answer.split;
}

/** Refunds in turn; returns every split and the order after the last one. */
function refundInTurn(
  start: OrderState,
  steps: readonly (readonly RefundItem[])[],
  coupons: CouponTerms[] = [],
) {
  let order = start;
  const splits = steps.map((items) => {
    const split = suggest(order, items, { coupons });
    order = settleOrder(bookRefund(order, split), false);
    return split;
  });
  return { order, splits };
}

function totalsOf(order: OrderState, more: Partial<RefundTotals> = {}): RefundTotals {
  return {
    orderPaid: order.paid,
    orderRefunded: cashRefundedOf(order),
    orderInProgress: 0,
    paymentPaid: order.paid,
    paymentRefunded: cashRefundedOf(order),
    paymentInProgress: 0,
    ...more,
  };
}

function cashRefundedOf(order: OrderState): number {
  return order.freightRefunded + sum(order.lines.map((each) => each.cashRefunded));
}

function exampleA(): { m1: OrderState; m2: OrderState; coupons: CouponTerms[] } {
  const entry = (lineNo: number, merchantId: string, unitPrice: number, qty: number): QuoteLine => ({
    lineNo,
    merchantId,
    productId: `p${lineNo}`,
    classIds: [],
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
  });
  const coupon = {
    couponId: 'c',
    name: 'c',
    scope: { kind: 'all', ids: [] },
    projectIds: null,
    validFrom: 0,
    validTo: NOW + DAY,
    locked: false,
    bearerPlatformPercent: 100,
    consentingMerchantIds: null,
  } as const;
  const priced = quote({
    now: NOW,
    projectId: 'x',
    lines: [entry(1, 'M1', 3990, 2), entry(2, 'M1', 5990, 1), entry(3, 'M2', 1990, 3)],
    coupons: [
      {
        ...coupon,
        memberCouponId: 'm10',
        issuer: 'merchant',
        merchantId: 'M1',
        value: { kind: 'cash', face: 1000 },
        threshold: 10_000,
      },
      {
        ...coupon,
        memberCouponId: 'p20',
        issuer: 'platform',
        merchantId: null,
        value: { kind: 'cash', face: 2000 },
        threshold: 15_000,
      },
    ],
    choice: { kind: 'best' },
    pointsSettings: {
      enabled: true,
      perYuan: 100,
      step: 100,
      maxPercent: 20,
      maxPerOrder: 10_000,
      withCoupon: true,
      withCoin: false,
    },
    pointsBalance: 5000,
    pointsWanted: 'max',
    coinRules: [],
    coinsBalance: 0,
    coinsWanted: 0,
    postage: { M1: [{ start: 0, end: null, freight: 600 }] },
  });
  const [m1, m2] = priced.orders;
  if (!m1 || !m2) throw new Error('no orders');
  return {
    m1: openOrderState(m1, { orderId: 'M1', kind: 'goods', status: 10 }),
    m2: openOrderState(m2, { orderId: 'M2', kind: 'goods', status: 10 }),
    coupons: [terms('m10', 20, { threshold: 10_000 }), terms('p20', 30, { threshold: 15_000 })],
  };
}

/** [cash, points, merchant coupon, platform coupon] of each split's first row. */
function parts(splits: readonly RefundSplit[]) {
  return splits.map((split) => {
    const row = split.rows[0];
    const of = (step: number) => row?.shares.find((each) => each.step === step);
    return [row?.cash, of(40)?.units ?? 0, of(20)?.amount ?? 0, of(30)?.amount ?? 0];
  });
}

describe('part of a line', () => {
  test('example A: rice units in turn', () => {
    const { splits } = refundInTurn(exampleA().m1, [[units(1, 1)], [units(1, 1)]]);
    expect(parts(splits)).toEqual([
      [2669, 645, 285, 391],
      [2667, 646, 286, 391],
    ]);
    for (const [cash = 0, points = 0, merchant = 0, platform = 0] of parts(splits))
      expect(cash + points + merchant + platform).toBe(3990);
  });

  test('example A: tissue units in turn', () => {
    const { splits, order } = refundInTurn(exampleA().m2, [[units(3, 1)], [units(3, 1)], [units(3, 1)]]);
    expect(parts(splits)).toEqual([
      [1434, 346, 0, 210],
      [1433, 347, 0, 210],
      [1432, 347, 0, 211],
    ]);
    expect(order).toMatchObject({ status: 45, refundStatus: 20 });
    expect(cashRefundedOf(order)).toBe(4299);
  });

  test('example B: three units of 3.70 with a coupon share of 1.10', () => {
    const { splits } = refundInTurn(orderOf([line(1, 3, 1000, [share(20, 110)])]), [
      [units(1, 1)],
      [units(1, 1)],
      [units(1, 1)],
    ]);
    expect(parts(splits)).toEqual([
      [334, 0, 36, 0],
      [333, 0, 37, 0],
      [333, 0, 37, 0],
    ]);
  });

  test("group 13's line A in three parts", () => {
    const start = orderOf([line(1, 3, 26_248, [share(20, 834), share(30, 2501), share(40, 417)])]);
    const { splits } = refundInTurn(start, [[units(1, 1)], [units(1, 1)], [units(1, 1)]]);
    expect(parts(splits)).toEqual([
      [8750, 139, 278, 833],
      [8749, 139, 278, 834],
      [8749, 139, 278, 834],
    ]);
  });

  test('group 16: line B with coins', () => {
    const start = orderOf([line(1, 1, 9352, [share(45, 1688)]), line(2, 1, 5048, [share(45, 912)])]);
    expect(suggest(start, [units(2, 1)])).toMatchObject({
      cash: 5048,
      coins: 912,
      coinsValue: 912,
      applyPrice: 5960,
    });
  });

  test('cash left short: the missing fen go to points, coins, platform, merchant coupon, then the price reduction', () => {
    const short: LineState = {
      ...line(1, 2, 900, [share(20, 25), share(30, 25), share(40, 25), share(45, 25), share(60, 101)]),
      cashRefunded: 900,
    };
    // T = floor(201 / 2) = 100; floors 12 + 12 + 12 + 12 + 50 = 98, no cash left: 2 fen missing, both from points.
    const part = partOfLine(short, 1);
    expect(part).toMatchObject({ total: 100, cash: 0 });
    expect(part.shares.map((each) => each.amount)).toEqual([12, 12, 14, 12, 50]);
    const onlyManual: LineState = { ...line(1, 3, 1, [share(60, 2), share(20, 2)]), cashRefunded: 1 };
    expect(partOfLine(onlyManual, 1).shares.map((each) => each.amount)).toEqual([0, 1]);
    const manualLast: LineState = { ...line(1, 2, 1, [share(60, 1), share(20, 1)]), cashRefunded: 1 };
    expect(partOfLine(manualLast, 1).shares.map((each) => each.amount)).toEqual([0, 1]);
  });

  test('the platform part of a shared coupon sums to what the platform bore', () => {
    const start = orderOf([line(1, 3, 1000, [share(30, 110, { platformAmount: 66 })])]);
    const { splits } = refundInTurn(start, [[units(1, 1)], [units(1, 1)], [units(1, 1)]]);
    const platform = splits.map((split) => split.rows[0]?.shares[0]?.platformAmount);
    expect(platform).toEqual([21, 22, 23]);
  });

  test('refuses k outside 1…n', () => {
    expect(() => partOfLine(line(1, 2, 100), 3)).toThrow(RangeError);
    expect(() => partOfLine(line(1, 2, 100), 0)).toThrow(RangeError);
  });
});

describe('worked examples of refunds', () => {
  test('example 1: R1 and R2, coupons back at the right moment', () => {
    const { m1, m2, coupons } = exampleA();
    const r1 = suggest(m1, [units(1, 1)], { otherOrders: [m2], coupons });
    expect(r1).toMatchObject({ cash: 2669, points: 645, freightPart: 0, kind: 'units', applyPrice: 3314 });
    const after1 = settleOrder(bookRefund(m1, r1), false);
    expect(after1).toMatchObject({ status: 10, refundStatus: 15 });
    expect(cashRefundedOf(after1)).toBe(2669);
    expect(couponsToSettle([after1, m2], coupons, NOW)).toEqual([]);
    expect(settleOrder(after1, true).refundStatus).toBe(10);

    const r2 = suggest(after1, [units(1, 1), units(2, 1)], { otherOrders: [m2], coupons });
    expect(r2).toMatchObject({ cash: 7272, points: 1615, freightPart: 600, kind: 'full' });
    expect(r2.rows.map((row) => [row.cash, row.shares.find((each) => each.step === 40)?.units])).toEqual([
      [2667, 646],
      [4005, 969],
    ]);
    const after2 = settleOrder(bookRefund(after1, r2), false);
    expect(after2).toMatchObject({ status: 45, refundStatus: 20 });
    expect(cashRefundedOf(after2)).toBe(9941);
    expect(r1.points + r2.points).toBe(2260);
    expect(couponsToSettle([after2, m2], coupons, NOW)).toEqual([{ sourceId: 'm10', outcome: 'return' }]);

    const settled = coupons.map((each) => ({ ...each, settled: each.sourceId === 'm10' }));
    const r3 = suggest(m2, [units(3, 3)], { otherOrders: [after2], coupons: settled });
    expect(r3.cash).toBe(4299);
    const after3 = settleOrder(bookRefund(m2, r3), false);
    expect(couponsToSettle([after2, after3], settled, NOW)).toEqual([{ sourceId: 'p20', outcome: 'return' }]);
    expect(couponsToSettle([after2, after3], settled, NOW + 2 * DAY)).toEqual([
      { sourceId: 'p20', outcome: 'mark' },
    ]);
    expect(checkCaps(after2, totalsOf(after2), { ...r1, cash: 1 })?.cap).toBe('units');
  });

  const couponLines = [line(1, 1, 5789, [share(20, 4211)]), line(2, 1, 5211, [share(20, 3789)])];
  const recheck = terms('s20', 20, { refundRule: 'recheck', threshold: 15_000 });

  test('example 2 by share', () => {
    const { splits, order } = refundInTurn(
      orderOf(couponLines),
      [[units(2, 1)], [units(1, 1)]],
      [{ ...recheck, refundRule: 'share' }],
    );
    expect(splits.map((split) => split.cash)).toEqual([5211, 5789]);
    expect(order).toMatchObject({ status: 45, refundStatus: 20 });
  });

  test('example 2 by recheck, a third request finds nothing', () => {
    const start = orderOf(couponLines);
    const { splits, order } = refundInTurn(start, [[units(2, 1)], [units(1, 1)]], [recheck]);
    expect(splits[0]?.rows.map((row) => [row.kind, row.lineNo, row.qty, row.cash])).toEqual([
      ['units', 2, 1, 5211],
      ['recheck', 1, 0, -4211],
    ]);
    expect(splits.map((split) => split.cash)).toEqual([1000, 10_000]);
    expect(splits[0]?.rows[1]?.formula[0]).toBe('保留商品 100.00 < 150.00 门槛，收回优惠 −42.11');
    const afterB = bookRefund(start, suggest(start, [units(2, 1)], { coupons: [recheck] }));
    expect(couponsToSettle([afterB], [recheck], NOW)).toEqual([{ sourceId: 's20', outcome: 'return' }]);
    expect(order.lines.map((each) => each.cashRefunded)).toEqual([5789, 5211]);
    const third = suggestRefund({ order, otherOrders: [], coupons: [], items: [units(1, 1)] });
    expect(third).toMatchObject({
      ok: false,
      breach: {
        cap: 'units',
        most: 0,
        message: [
          '最多可退0.00元（已退57.89，处理中0.00）',
          'At most 0.00 can be refunded (refunded 57.89, in progress 0.00)',
        ],
      },
    });
  });

  test('example 3: below zero, so by share and the coupon stays', () => {
    const start = orderOf([line(1, 1, 6533, [share(20, 7467)]), line(2, 1, 467, [share(20, 533)])]);
    const split = suggest(start, [units(2, 1)], { coupons: [recheck] });
    expect(split.cash).toBe(467);
    expect(split.notices[0]?.[0]).toBe('门槛不足，仍按分摊计算');
    expect(couponsToSettle([bookRefund(start, split)], [recheck], NOW)).toEqual([]);
  });

  test('example 4: 5.00 for damage, then three units', () => {
    const { splits, order } = refundInTurn(orderOf([line(1, 3, 6000)]), [
      [{ kind: 'amount', lineNo: 1, amount: 500 }],
      [units(1, 1)],
      [units(1, 1)],
      [units(1, 1)],
    ]);
    expect(splits.map((split) => split.cash)).toEqual([500, 1833, 1833, 1834]);
    expect(splits[0]).toMatchObject({ kind: 'amount', points: 0 });
    expect(order).toMatchObject({ status: 45, refundStatus: 20 });
  });

  test('example 5, group 07 Must show 5: service cancelled 10 h, 30 h and by the merchant before the visit', () => {
    const order = orderOf([line(1, 1, 12_800)], { kind: 'service', status: 115 });
    const visit = { cause: 'member', minutesBeforeStart: 600, waived: false } as const;
    const cancelled = cancelService(order, cancelPercent(DEFAULT_CANCEL_TIERS, visit));
    expect(cancelled).toMatchObject({ percent: 30, fee: 3840, orderStatus: 35 });
    const { split } = cancelled;
    if (!split) throw new Error('no refund');
    expect(split).toMatchObject({ kind: 'amount', cash: 8960, fee: 3840 });
    expect(sum(split.rows.map((row) => row.cash)) + split.freightPart - split.fee).toBe(split.cash);
    expect(checkCaps(order, totalsOf(order), split)).toBeNull();
    const after = settleOrder({ ...bookRefund(order, split), status: cancelled.orderStatus }, false);
    expect(after).toMatchObject({ status: 35, refundStatus: 15 });
    expect(cashRefundedOf(after)).toBe(8960);

    const free = cancelService(
      order,
      cancelPercent(DEFAULT_CANCEL_TIERS, { ...visit, minutesBeforeStart: 1800 }),
    );
    expect(free).toMatchObject({ fee: 0, orderStatus: 45, split: { cash: 12_800, kind: 'full' } });
    const byMerchant = cancelPercent(DEFAULT_CANCEL_TIERS, { ...visit, cause: 'merchant' });
    expect(cancelService(order, byMerchant)).toMatchObject({
      fee: 0,
      orderStatus: 45,
      split: { cash: 12_800 },
    });
  });
});

describe('registrations', () => {
  test('tiers: boundaries, no-show, merchant, waiver', () => {
    const percent = (
      minutesBeforeStart: number,
      cause: 'member' | 'merchant' | 'no_show' = 'member',
      waived = false,
    ) => cancelPercent(DEFAULT_CANCEL_TIERS, { cause, minutesBeforeStart, waived });
    expect([1441, 1440, 0, -1].map((minutes) => percent(minutes))).toEqual([0, 30, 30, 100]);
    expect([percent(600, 'merchant'), percent(-20, 'no_show'), percent(-20, 'no_show', true)]).toEqual([
      0, 100, 0,
    ]);
  });

  test('group 07 Must show 6: no-show, at 100 % nothing is returned; a waiver finds everything', () => {
    const order = orderOf([line(1, 1, 12_000, [share(40, 800)])], { kind: 'service', status: 115 });
    expect(cancelService(order, 100)).toMatchObject({ split: null, orderStatus: 35, fee: 12_000 });
    expect(suggestFullRefund({ ...order, status: 35 })).toMatchObject({ cash: 12_000, points: 800 });
    expect(cancelService(order, 30).split).toMatchObject({ cash: 8400, points: 800, pointsValue: 800 });
  });

  test('group 07 Must show 9: package of four visits, one done, 3/4 of the line', () => {
    const done: LineState = { ...line(1, 4, 10_000), qtyUsed: 1 };
    const order = orderOf([done], { kind: 'service', status: 115 });
    const split = suggest(order, [units(1, 3)]);
    expect(split.cash).toBe(7500);
    expect(settleOrder(bookRefund(order, split), false)).toMatchObject({ status: 35, refundStatus: 15 });
    expect(suggestRefund({ order, otherOrders: [], coupons: [], items: [units(1, 4)] })).toMatchObject({
      ok: false,
      breach: { cap: 'units', most: 3 },
    });
    expect(cancelService(order, 0)).toMatchObject({ orderStatus: 35, split: { cash: 7500 } });
    expect(cancelService(order, 30)).toMatchObject({ fee: 2250, split: { cash: 5250 } });
  });
});

describe('requests, caps and states', () => {
  test('freight: all of it with the last unshipped unit, staff may set less, never more', () => {
    const order = orderOf([line(1, 2, 2000)], { freight: 600 });
    expect(suggest(order, [units(1, 1)]).freightPart).toBe(0);
    expect(suggest(order, [units(1, 2)])).toMatchObject({ freightPart: 600, kind: 'full' });
    expect(suggest(order, [units(1, 2)], { freightPart: 100 })).toMatchObject({ cash: 2100, kind: 'units' });
    expect(suggest(order, [], { freightPart: 600 })).toMatchObject({ cash: 600, kind: 'amount' });
    expect(
      suggestRefund({ order, otherOrders: [], coupons: [], items: [units(1, 1)], freightPart: 601 }),
    ).toMatchObject({ ok: false, breach: { cap: 'freight', most: 600 } });
    const shipped = { ...order, lines: order.lines.map((each) => ({ ...each, qtyShipped: 1 })) };
    expect(suggest(shipped, [units(1, 2)])).toMatchObject({ freightPart: 0, send: true });
  });

  test('agreed cash: lowered over the rows, freight last, never above the suggestion', () => {
    const order = orderOf([line(1, 1, 5336), line(2, 1, 4005)], { freight: 600 });
    const split = suggest(order, [units(1, 1), units(2, 1)]);
    const lowered = lowerRefund(split, 8941);
    if (!lowered.ok) throw new Error('refused');
    expect(lowered.split.rows.map((row) => row.cash)).toEqual([4765, 3576]);
    expect(lowered.split).toMatchObject({ freightPart: 600, cash: 8941, kind: 'units', applyPrice: 8941 });
    const after = settleOrder(bookRefund(order, lowered.split), false);
    expect(after).toMatchObject({ status: 45, refundStatus: 20 });
    expect(cashRefundedOf(after)).toBe(8941);
    const none = lowerRefund(split, 0);
    expect(none.ok && none.split).toMatchObject({ freightPart: 0, cash: 0 });
    expect(lowerRefund(split, 9942)).toMatchObject({
      ok: false,
      breach: { cap: 'suggested', most: 9941 },
    });
    expect(lowerRefund(split, 9941)).toEqual({ ok: true, split });
  });

  test('decision 0005: what a lowered refund kept back is out of reach of the next units', () => {
    let order = orderOf([line(1, 3, 6000)]);
    const lowered = lowerRefund(suggest(order, [units(1, 1)]), 1500);
    if (!lowered.ok) throw new Error('refused');
    expect(lowered.split.rows).toMatchObject([{ cash: 1500, withheld: 500, cashLeftAfter: 4000 }]);
    order = bookRefund(order, lowered.split);
    expect(order.lines[0]).toMatchObject({ cashRefunded: 1500, cashWithheld: 500 });
    // Not 22.50: T is the unit price × k, no amount-only refund touched the line.
    expect(suggest(order, [units(1, 1)]).cash).toBe(2000);
    expect(suggest(order, [units(1, 2)])).toMatchObject({ cash: 4000 });
    const asked = { order, otherOrders: [], coupons: [], items: [amount(1, 4001)] };
    expect(suggestRefund(asked)).toMatchObject({ ok: false, breach: { cap: 'line_cash', most: 4000 } });
    // The platform may name it, and everything left includes it.
    expect(suggestRefund({ ...asked, items: [amount(1, 4500)], reach: 'all' }).ok).toBe(true);
    expect(suggestFullRefund(order).cash).toBe(4500);
    expect(suggestFullRefund(order, 'free').cash).toBe(4000);
    order = bookRefund(order, suggest(order, [units(1, 2)]));
    const free = { order, otherOrders: [], coupons: [], items: [amount(1, 1)] };
    expect(suggestRefund(free)).toMatchObject({ ok: false, breach: { most: 0 } });
    const back = suggestRefund({ ...free, items: [amount(1, 300)], reach: 'all' });
    if (!back.ok) throw new Error('refused');
    expect(checkCaps(order, totalsOf(order), back.split)).toMatchObject({ cap: 'line_cash' });
    expect(checkCaps(order, totalsOf(order), back.split, 'all')).toBeNull();
    expect(bookRefund(order, back.split).lines[0]).toMatchObject({ cashRefunded: 5800, cashWithheld: 200 });
  });

  test('decision 0005: a lowered amount-only refund keeps nothing back, a mixed row only what its units lost', () => {
    const order = orderOf([line(1, 3, 6000)]);
    const damage = lowerRefund(suggest(order, [amount(1, 500)]), 300);
    if (!damage.ok) throw new Error('refused');
    const after = bookRefund(order, damage.split);
    expect(after.lines[0]).toMatchObject({ cashRefunded: 300, cashWithheld: 0 });
    expect(suggest(after, [units(1, 3)]).cash).toBe(5700);
    const row = suggest(order, [units(1, 1)]).rows[0]!;
    const mixed = {
      ...suggest(order, [units(1, 1)]),
      cash: 2500,
      rows: [{ ...row, cash: 2500, amountPart: 500 }],
    };
    const lowered = lowerRefund(mixed, 1800);
    expect(lowered.ok && lowered.split.rows).toMatchObject([{ cash: 1800, withheld: 200, amountPart: 0 }]);
  });

  test('caps name what is left, refunded and in progress', () => {
    const order = orderOf([line(1, 2, 2000)], { freight: 600 });
    const split = suggest(order, [units(1, 2)]);
    expect(checkCaps(order, totalsOf(order), split)).toBeNull();
    const busy = checkCaps(order, totalsOf(order, { orderRefunded: 100, orderInProgress: 250 }), split);
    expect(busy).toMatchObject({ cap: 'order', most: 2250 });
    expect(busy?.message[0]).toBe('最多可退22.50元（已退1.00，处理中2.50）');
    expect(checkCaps(order, totalsOf(order, { paymentRefunded: 1 }), split)?.cap).toBe('payment');
    const booked = bookRefund(order, suggest(order, [units(1, 1)]));
    expect(checkCaps(booked, totalsOf(booked), split)?.cap).toBe('units');
    const damaged = bookRefund(order, suggest(order, [{ kind: 'amount', lineNo: 1, amount: 500 }]));
    expect(checkCaps(damaged, totalsOf(damaged), split)?.cap).toBe('line_cash');
    const freightGone = { ...order, freightRefunded: 1 };
    expect(checkCaps(freightGone, totalsOf(order), split)?.cap).toBe('freight');
    expect(() => bookRefund(damaged, split)).toThrow(RangeError);
    expect(
      suggestRefund({
        order,
        otherOrders: [],
        coupons: [],
        items: [{ kind: 'amount', lineNo: 1, amount: 2001 }],
      }),
    ).toMatchObject({ ok: false, breach: { cap: 'line_cash', most: 2000 } });
  });

  test('unshipped units go first; 15 becomes 20 when nothing unshipped is left', () => {
    const partly = orderOf([{ ...line(1, 3, 3000), qtyShipped: 1 }], { status: 15 });
    const one = suggest(partly, [units(1, 1)]);
    expect(one.rows[0]?.unshippedQty).toBe(1);
    expect(settleOrder(bookRefund(partly, one), false).status).toBe(15);
    const two = suggest(partly, [units(1, 2)]);
    expect(settleOrder(bookRefund(partly, two), false)).toMatchObject({ status: 20, refundStatus: 15 });
    const three = suggest(partly, [units(1, 3)]);
    expect(three.rows[0]?.unshippedQty).toBe(2);
    expect(settleOrder(bookRefund(partly, three), false)).toMatchObject({ status: 45, refundStatus: 20 });

    const returned = suggest(partly, [{ kind: 'units', lineNo: 1, qty: 1, from: 'shipped' }]);
    expect(returned.rows[0]?.unshippedQty).toBe(0);
    expect(settleOrder(bookRefund(partly, returned), false).status).toBe(15);
    expect(
      suggestRefund({
        order: partly,
        otherOrders: [],
        coupons: [],
        items: [{ kind: 'units', lineNo: 1, qty: 2, from: 'shipped' }],
      }),
    ).toMatchObject({ ok: false, breach: { cap: 'units', most: 1 } });
    const completed = { ...partly, status: 35 };
    expect(settleOrder(bookRefund(completed, three), false)).toMatchObject({ status: 35, refundStatus: 20 });
  });

  test('an order paid by coupons alone is refunded, not without refund', () => {
    const free = orderOf([line(1, 2, 0, [share(30, 1000)])]);
    const half = suggest(free, [units(1, 1)]);
    expect(half).toMatchObject({ cash: 0, applyPrice: 0 });
    expect(settleOrder(bookRefund(free, half), false).refundStatus).toBe(15);
    expect(settleOrder(free, false).refundStatus).toBe(0);
  });

  test('recheck over a checkout: other orders count, only own lines get rows', () => {
    const platform = terms('s30', 30, { refundRule: 'recheck', threshold: 15_000 });
    const m1 = orderOf([line(1, 1, 9000, [share(30, 1000)]), line(2, 1, 4400, [share(30, 500)])]);
    const m2 = orderOf([line(3, 1, 9000, [share(30, 1000)])], { orderId: 'o2' });
    const kept = suggest(m1, [units(2, 1)], { otherOrders: [m2], coupons: [platform] });
    expect(kept.rows.map((row) => row.kind)).toEqual(['units']);
    const undone = suggest(m1, [units(1, 1)], { otherOrders: [m2], coupons: [platform] });
    expect(undone.rows.map((row) => [row.kind, row.lineNo, row.cash])).toEqual([
      ['units', 1, 9000],
      ['recheck', 2, -500],
    ]);
    const amountOnly = suggest(m1, [{ kind: 'amount', lineNo: 1, amount: 100 }], { coupons: [platform] });
    expect(amountOnly.rows.length).toBe(1);
  });

  test('requests that no form can send', () => {
    const order = orderOf([line(1, 2, 2000)]);
    expect(() => suggest(order, [])).toThrow(RangeError);
    expect(() => suggest(order, [units(9, 1)])).toThrow(RangeError);
    expect(() => suggest(order, [units(1, 1), units(1, 1)])).toThrow(RangeError);
    expect(() => suggest(order, [units(1, 0)])).toThrow(RangeError);
  });

  test('levels: buyer, staff, system, force', () => {
    const start = (applicant: Parameters<typeof startRefund>[0], applyPrice: number, send = false) =>
      startRefund(applicant, { applyPrice, send }, LIMITS);
    expect(start({ kind: 'buyer' }, 20_000)).toEqual({ status: 1 });
    expect(start({ kind: 'buyer' }, 20_001)).toEqual({ status: 0, level: 1 });
    expect(start({ kind: 'buyer' }, 100, true)).toEqual({ status: 0, level: 1 });
    expect(start({ kind: 'staff', holdsAudit: true }, 50_000)).toEqual({ status: 1 });
    expect(start({ kind: 'staff', holdsAudit: true }, 80_000)).toEqual({ status: 0, level: 1 });
    expect(start({ kind: 'staff', holdsAudit: false }, 100)).toEqual({ status: 0, level: 1 });
    expect(start({ kind: 'system' }, 900_000)).toEqual({ status: 1 });
    expect(start({ kind: 'force' }, 199_999)).toEqual({ status: 1 });
    expect(start({ kind: 'force' }, 200_000)).toEqual({ status: 0, level: 2 });
    expect(passRefund({ level: 1, applyPrice: 250_000 }, LIMITS)).toEqual({ status: 0, level: 2 });
    expect(passRefund({ level: 2, applyPrice: 250_000 }, LIMITS)).toEqual({ status: 1 });
    expect(passRefund({ level: 1, applyPrice: 80_000 }, LIMITS)).toEqual({ status: 1 });
  });

  test('four eyes', () => {
    const refund = { applicantStaffId: 'a', level: 2, auditor1Id: 'b' } as const;
    expect(checkAuditor(refund, 'a')?.[0]).toBe('不能审核自己发起的退款');
    expect(checkAuditor(refund, 'b')?.[0]).toBe('二级审核须由另一人完成');
    expect(checkAuditor(refund, 'c')).toBeNull();
  });

  test('before anything', () => {
    const fine = {
      orderStatus: 10,
      hasUnfinishedRefund: false,
      paymentState: 2,
      paymentBusinessType: 1,
      refundBusinessType: 1,
      bySystem: false,
    } as const;
    expect(checkRefundable(fine)).toBeNull();
    expect(checkRefundable({ ...fine, hasUnfinishedRefund: true })?.[0]).toBe('该订单有未完成的退款');
    expect(checkRefundable({ ...fine, orderStatus: 6 })?.[0]).toBe('拼团进行中，成团前不可申请退款');
    expect(checkRefundable({ ...fine, orderStatus: 6, bySystem: true })).toBeNull();
    expect(checkRefundable({ ...fine, orderStatus: 5 })?.[1]).toContain('close it');
    expect(checkRefundable({ ...fine, orderStatus: 45 })?.[0]).toBe('订单已关闭');
    expect(checkRefundable({ ...fine, orderStatus: 45, bySystem: true })).toBeNull();
    expect(checkRefundable({ ...fine, paymentState: 1 })).not.toBeNull();
    expect(checkRefundable({ ...fine, refundBusinessType: 2 })).not.toBeNull();
  });

  test('after-sale window', () => {
    const facts = {
      completedAt: NOW,
      now: NOW + 7 * DAY,
      actor: 'buyer',
      isQualityReason: false,
      afterSaleDays: 7,
      qualityDays: 15,
    } as const;
    expect(checkAfterSaleWindow(facts)).toBeNull();
    expect(checkAfterSaleWindow({ ...facts, now: facts.now + 1 })?.[0]).toBe('已超过售后期限');
    expect(checkAfterSaleWindow({ ...facts, now: NOW + 15 * DAY, isQualityReason: true })).toBeNull();
    expect(
      checkAfterSaleWindow({ ...facts, now: NOW + 20 * DAY, afterSaleDays: 30, isQualityReason: true }),
    ).toBeNull();
    expect(checkAfterSaleWindow({ ...facts, now: NOW + 99 * DAY, actor: 'platform' })).toBeNull();
  });

  test('channel: days, parts, gap, nothing to send', () => {
    const limits = { days: 365, maxParts: 50, gapSeconds: 60 };
    const facts = { cash: 100, channel: 1, paidAt: NOW, now: NOW + DAY, parts: 0, lastPartAt: null };
    expect(checkChannel(facts, limits)).toEqual({ kind: 'send' });
    expect(checkChannel({ ...facts, cash: 0 }, limits)).toEqual({ kind: 'no_call' });
    expect(checkChannel({ ...facts, channel: 0 }, limits)).toEqual({ kind: 'no_call' });
    const late = checkChannel({ ...facts, now: NOW + 366 * DAY }, limits);
    expect(late.kind === 'refused' && late.message[0]).toContain('线下退款');
    expect(checkChannel({ ...facts, now: NOW + 365 * DAY }, limits).kind).toBe('send');
    expect(checkChannel({ ...facts, parts: 50 }, limits).kind).toBe('refused');
    expect(checkChannel({ ...facts, lastPartAt: facts.now - 59_999 }, limits)).toEqual({
      kind: 'wait',
      notBefore: facts.now + 1,
      message: ['排队中', 'Queued'],
    });
    expect(checkChannel({ ...facts, lastPartAt: facts.now - 60_000 }, limits).kind).toBe('send');
  });
});

const shareCases = fc.record({
  merchant: fc.nat(3000),
  manual: fc.nat(3000),
  platform: fc.nat(3000),
  platformPercent: fc.nat(100),
  points: fc.nat(3000),
  perYuan: fc.constantFrom(50, 100, 200),
  coins: fc.nat(3000),
});
const lineCases = fc
  .record({
    qty: fc.integer({ min: 1, max: 7 }),
    cash: fc.oneof(fc.constant(0), fc.nat(50_000)),
    shares: shareCases,
    shipped: fc.nat(7),
  })
  .map(({ qty, cash, shares, shipped }) => (lineNo: number): LineState => {
    const { platform } = shares;
    const own = [
      share(20, shares.merchant),
      share(30, platform, { platformAmount: Math.floor((platform * shares.platformPercent) / 100) }),
      share(40, shares.points, { units: Math.floor((shares.points * shares.perYuan) / 100) }),
      share(45, shares.coins, { units: shares.coins * 3 }),
      share(60, shares.manual),
    ].filter((each) => each.amount > 0);
    return { ...line(lineNo, qty, cash, own), qtyShipped: Math.min(qty, shipped) };
  });
const orderCases = fc
  .record({ lines: fc.array(lineCases, { minLength: 1, maxLength: 4 }), freight: fc.nat(1500) })
  .map(({ lines, freight }) => {
    const built = lines.map((make, index) => make(index + 1));
    const anyShipped = built.some((each) => each.qtyShipped > 0);
    return orderOf(built, { freight, status: anyShipped ? 15 : 10 });
  });
/** Random requests: which line, how many units or what amount; applied modulo what is left. */
const wishCases = fc.array(
  fc.record({ line: fc.nat(3), amountOnly: fc.boolean(), size: fc.nat(100_000), agreedPercent: fc.nat(100) }),
  { maxLength: 14 },
);

type PartOf = typeof partOfLine;

/** Any sequence of part refunds and amount-only refunds sums to the line; no component exceeds its amount. */
function partsSumToLine(partOf: PartOf) {
  return fc.property(
    lineCases,
    fc.array(fc.record({ k: fc.nat(6), amount: fc.nat(4000) }), { maxLength: 8 }),
    (make, turns) => {
      let current = make(1);
      const start = current;
      const platform = start.shares.map(() => 0);
      const take = (k: number) => {
        const part = partOf(current, k);
        expect(part.cash).toBeGreaterThanOrEqual(0);
        expect(part.cash + sum(part.shares.map((each) => each.amount))).toBe(part.total);
        current = {
          ...current,
          cashRefunded: current.cashRefunded + part.cash,
          qtyRefunded: current.qtyRefunded + k,
          shares: current.shares.map((each, index) => {
            const taken = part.shares[index];
            expect(taken?.amount).toBeGreaterThanOrEqual(0);
            expect(taken?.platformAmount).toBeGreaterThanOrEqual(0);
            platform[index] = (platform[index] ?? 0) + (taken?.platformAmount ?? 0);
            expect(taken?.platformAmount).toBeLessThanOrEqual(taken?.amount ?? 0);
            return {
              ...each,
              refundedAmount: each.refundedAmount + (taken?.amount ?? 0),
              refundedUnits: each.refundedUnits + (taken?.units ?? 0),
            };
          }),
        };
        expect(current.cashRefunded).toBeLessThanOrEqual(current.cash);
        for (const each of current.shares) {
          expect(each.refundedAmount).toBeLessThanOrEqual(each.amount);
          expect(each.refundedUnits).toBeLessThanOrEqual(each.units);
        }
      };
      let amountOnly = 0;
      for (const { k, amount } of turns) {
        const cashLeft = current.cash - current.cashRefunded;
        if (amountOnly === 0 && k > 0 && k <= unitsLeft(current)) {
          // Untouched by amount-only refunds a part is worth unit price × k.
          expect(partOf(current, k).total).toBe(floorOf(leftOf(current), k, unitsLeft(current)));
        }
        if (k > 0 && k <= unitsLeft(current)) take(k);
        else if (amount > 0 && amount <= cashLeft) {
          amountOnly += amount;
          current = { ...current, cashRefunded: current.cashRefunded + amount };
        }
      }
      if (unitsLeft(current) > 0) take(unitsLeft(current));
      // Amount-only refunds after the last unit find no cash.
      expect(current.cashRefunded).toBe(start.cash);
      expect(platform).toEqual(start.shares.map((each) => each.platformAmount));
      for (const each of current.shares) {
        expect(each.refundedAmount).toBe(each.amount);
        expect(each.refundedUnits).toBe(each.units);
      }
    },
  );
}

type Suggest = typeof suggestRefund;

/**
 * Random requests, then everything left: at every moment Σ cash is between 0 and paid, no line pays above its cash and
 * the caps agree; at the end exactly paid, all points and coins, all shares 0, order closed.
 */
function refundsEndAtPaid(suggestBy: Suggest, coupons: readonly CouponTerms[]) {
  return fc.property(orderCases, wishCases, (start, wishes) => {
    let order: OrderState = start;
    let points = 0;
    let coins = 0;
    const run = (items: readonly RefundItem[], freightPart?: number) => {
      const answer = suggestBy({
        order,
        otherOrders: [],
        coupons,
        items,
        ...(freightPart === undefined ? {} : { freightPart }),
      });
      if (!answer.ok) throw new Error(answer.breach.message[1]);
      const { split } = answer;
      expect(split.cash).toBeGreaterThanOrEqual(0);
      expect(sum(split.rows.map((row) => row.cash)) + split.freightPart - split.fee).toBe(split.cash);
      // A re-check moves value from cash back to the line; it neither pays nor keeps anything.
      for (const row of split.rows.filter((each) => each.kind === 'recheck'))
        expect(row.cash + sum(row.shares.map((each) => each.amount))).toBe(0);
      expect(checkCaps(order, totalsOf(order), split)).toBeNull();
      const before = cashRefundedOf(order);
      order = settleOrder(bookRefund(order, split), false);
      expect(cashRefundedOf(order) - before).toBe(split.cash);
      expect(cashRefundedOf(order)).toBeLessThanOrEqual(order.paid);
      points += split.points;
      coins += split.coins;
    };
    for (const wish of wishes) {
      const target = order.lines[wish.line % order.lines.length];
      if (!target) continue;
      const cashLeft = target.cash - target.cashRefunded;
      if (wish.amountOnly) {
        if (cashLeft > 0 && unitsLeft(target) > 0)
          run([{ kind: 'amount', lineNo: target.lineNo, amount: 1 + (wish.size % cashLeft) }]);
      } else if (unitsLeft(target) > 0) {
        run([units(target.lineNo, 1 + (wish.size % unitsLeft(target)))]);
      }
    }
    const rest = order.lines.filter((each) => unitsLeft(each) > 0);
    const freightLeft = order.freight - order.freightRefunded;
    if (rest.length > 0 || freightLeft > 0)
      run(
        rest.map((each) => units(each.lineNo, unitsLeft(each))),
        freightLeft,
      );
    expect(cashRefundedOf(order)).toBe(start.paid);
    expect(order).toMatchObject({ status: 45, refundStatus: 20 });
    const unitsOf = (step: number) =>
      sum(start.lines.flatMap((each) => each.shares.map((one) => (one.step === step ? one.units : 0))));
    expect(points).toBe(unitsOf(40));
    expect(coins).toBe(unitsOf(45));
    for (const each of order.lines) {
      expect(each.cashRefunded).toBe(each.cash);
      for (const one of each.shares) expect(one.refundedAmount).toBe(one.amount);
    }
    const used = coupons.filter((coupon) =>
      start.lines.some((each) => each.shares.some((one) => one.sourceId === coupon.sourceId)),
    );
    expect(couponsToSettle([order], coupons, NOW).length).toBe(used.length);
  });
}

const byRecheck = fc
  .sample(fc.nat(100_000), { numRuns: 4, seed: 3 })
  .map((threshold) => [
    terms('s20', 20, { refundRule: 'recheck', threshold }),
    terms('s30', 30, { refundRule: 'recheck', threshold: threshold >> 1 }),
  ]);

describe('properties of refunds', () => {
  test('parts sum to the line', () => {
    fc.assert(partsSumToLine(partOfLine), RUNS);
  });

  test('by share, any order of refunds ends exactly at paid', () => {
    fc.assert(refundsEndAtPaid(suggestRefund, [terms('s20', 20), terms('s30', 30)]), RUNS);
  });

  test('by recheck, never above paid and exactly at paid in the end', () => {
    for (const coupons of byRecheck) fc.assert(refundsEndAtPaid(suggestRefund, coupons), RUNS);
  });

  test('the recheck runs really undo coupons', () => {
    let undone = 0;
    let refused = 0;
    const watch: Suggest = (request) => {
      const answer = suggestRefund(request);
      if (answer.ok && answer.split.rows.some((row) => row.kind === 'recheck')) undone += 1;
      if (answer.ok && answer.split.notices.length > 0) refused += 1;
      return answer;
    };
    for (const coupons of byRecheck) fc.assert(refundsEndAtPaid(watch, coupons), RUNS);
    expect(undone).toBeGreaterThan(200);
    expect(refused).toBeGreaterThan(200);
  });

  test('the full path returns paid, freight and points whatever went before', () => {
    fc.assert(
      fc.property(orderCases, fc.nat(6), fc.nat(100), (start, k, percent) => {
        let order = start;
        const first = order.lines[0];
        if (first && k > 0 && k <= unitsLeft(first)) {
          const lowered = lowerRefund(suggest(order, [units(1, k)]), 0);
          if (!lowered.ok) throw new Error('refused');
          order = bookRefund(order, lowered.split);
        }
        const left = order.lines.some((each) => unitsLeft(each) > 0 || each.cash > each.cashRefunded);
        if (!left && order.freight === 0) return;
        const split = suggestFullRefund(order);
        expect(split.cash).toBe(start.paid);
        const agreed = Math.floor((split.cash * percent) / 100);
        const lowered = lowerRefund(split, agreed);
        if (!lowered.ok) throw new Error('refused');
        expect(cashRefundedOf(bookRefund(order, lowered.split))).toBe(agreed);
        expect(lowered.split.rows.every((row) => row.cash >= 0)).toBe(true);
        const closed = settleOrder(bookRefund(order, split), false);
        expect(closed).toMatchObject({ status: 45, refundStatus: 20 });
      }),
      RUNS,
    );
  });

  test('decision 0005: lowering a refund changes no later suggestion', () => {
    fc.assert(
      fc.property(orderCases, wishCases, (start, wishes) => {
        let [lowered, twin] = [start, start];
        for (const wish of wishes) {
          const target = twin.lines[wish.line % twin.lines.length]!;
          if (unitsLeft(target) === 0) continue;
          const items = [units(target.lineNo, 1 + (wish.size % unitsLeft(target)))];
          const freely = suggest(twin, items, { freightPart: 0 });
          const split = suggest(lowered, items, { freightPart: 0 });
          expect(split.cash).toBe(freely.cash);
          const less = lowerRefund(split, Math.floor((split.cash * wish.agreedPercent) / 100));
          if (!less.ok) throw new Error('refused');
          lowered = bookRefund(lowered, less.split);
          twin = bookRefund(twin, freely);
          for (const [index, each] of lowered.lines.entries())
            expect(each.cashRefunded + each.cashWithheld).toBe(twin.lines[index]!.cashRefunded);
        }
      }),
      RUNS,
    );
  });

  test('a cancellation keeps the fee and returns the rest', () => {
    fc.assert(
      fc.property(orderCases, fc.nat(99), (start, percent) => {
        const order = {
          ...start,
          kind: 'service',
          status: 115,
          freight: 0,
          paid: start.paid - start.freight,
        } as const;
        const { split, fee } = cancelService(order, percent);
        if (!split) throw new Error('nothing returned');
        expect(split.cash + fee).toBe(order.paid);
        const after = bookRefund(order, split);
        expect(cashRefundedOf(after)).toBe(order.paid - fee);
        for (const each of after.lines)
          for (const one of each.shares) expect(one.refundedUnits).toBe(one.units);
      }),
      RUNS,
    );
  });

  test('the properties see planted bugs', () => {
    const noRest: PartOf = (each, k) => {
      const n = unitsLeft(each);
      const part = partOfLine(each, k);
      return k < n ? part : { ...part, cash: Math.max(0, part.cash - 1), total: Math.max(0, part.total - 1) };
    };
    const rounded: PartOf = (each, k) => {
      const part = partOfLine(each, k);
      const shares = part.shares.map((one, index) => {
        const whole = each.shares[index];
        const left = (whole?.amount ?? 0) - (whole?.refundedAmount ?? 0);
        return { ...one, amount: Math.round((left * k) / unitsLeft(each)) };
      });
      return { ...part, shares };
    };
    const cashUncapped: PartOf = (each, k) => {
      const part = partOfLine(each, k);
      const amounts = each.shares.map((one) => floorOf(one.amount - one.refundedAmount, k, unitsLeft(each)));
      const shares = part.shares.map((one, index) => ({ ...one, amount: amounts[index] ?? 0 }));
      return { ...part, shares, cash: part.total - sum(amounts) };
    };
    for (const broken of [noRest, rounded, cashUncapped])
      expect(fc.check(partsSumToLine(broken), FIND).failed).toBe(true);

    const share20 = [terms('s20', 20), terms('s30', 30)];
    const keepsPoints: Suggest = (request) => {
      const answer = suggestRefund(request);
      return answer.ok
        ? { ...answer, split: { ...answer.split, points: Math.max(0, answer.split.points - 1) } }
        : answer;
    };
    const paysFenMore: Suggest = (request) => {
      const answer = suggestRefund(request);
      return answer.ok ? { ...answer, split: { ...answer.split, cash: answer.split.cash + 1 } } : answer;
    };
    for (const broken of [keepsPoints, paysFenMore])
      expect(fc.check(refundsEndAtPaid(broken, share20), FIND).failed).toBe(true);

    // A re-check that takes the coupon back but leaves its share standing would pay the kept line twice.
    const forgetsShare: Suggest = (request) => {
      const answer = suggestRefund(request);
      if (!answer.ok) return answer;
      const rows = answer.split.rows.map((row) => (row.kind === 'recheck' ? { ...row, shares: [] } : row));
      return { ...answer, split: { ...answer.split, rows } };
    };
    expect(byRecheck.some((coupons) => fc.check(refundsEndAtPaid(forgetsShare, coupons), FIND).failed)).toBe(
      true,
    );
  });
});

function leftOf(each: LineState): number {
  return each.cash - each.cashRefunded + sum(each.shares.map((one) => one.amount - one.refundedAmount));
}

function floorOf(amount: number, k: number, n: number): number {
  return Math.floor((amount * k) / n);
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}
