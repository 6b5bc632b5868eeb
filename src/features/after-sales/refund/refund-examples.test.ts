import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { spendablePoints } from '../../../domain/points-ledger/points-ledger.server.ts';
import { quote, type QuoteLine } from '../../../domain/trade-money/quote.rules.ts';
import { applyRefund, suggestRefund, type RefundLineRequest } from './refund-apply.server.ts';
import {
  brokenInvariants,
  fixtureOfQuote,
  makeCheckout,
  makeCoupon,
  openFixture,
  type MadeOrder,
} from './refund-fixtures.ts';

let fixture: Awaited<ReturnType<typeof openFixture>>;
beforeAll(async () => {
  fixture = await openFixture();
  await fixture.set('sandbox.delay_ms', 0);
  await fixture.set('refund.auto_pass_max', 10_000_000);
  await fixture.set('refund.channel_gap_seconds', 0);
});
afterAll(() => fixture.close());

/** A buyer's refund of unsent goods, all the way to the channel's success. */
async function refundNow(
  order: MadeOrder,
  lines: readonly RefundLineRequest[] | 'all',
  more: { agreedCash?: number; cashReason?: string } = {},
) {
  const made = await transaction(fixture.db, (tx) =>
    applyRefund(tx, {
      platform: fixture.platform,
      orderId: order.id,
      lines,
      applicantType: 1,
      reasonCode: 'not_wanted',
      reason: 'x',
      ...more,
    }),
  );
  await fixture.pump();
  const stored = await runOne<{ state: string }>(fixture.db, 'SELECT state FROM refund WHERE id = $1', [
    made.id,
  ]);
  expect(stored!.state).toBe('succeeded');
  return made;
}

const orderRow = (id: number) =>
  runOne<{
    state: string;
    refund_status: string;
    cash_refunded: number;
    points_refunded: number;
    payable: number;
  }>(
    fixture.db,
    'SELECT state, refund_status, cash_refunded, points_refunded, payable FROM sales_order WHERE id = $1',
    [id],
  );

const units = (order: MadeOrder, ...qty: number[]): RefundLineRequest[] =>
  qty.flatMap((count, index) => (count > 0 ? [{ lineId: order.lines[index]!, qty: count }] : []));

const returnedOf = async (memberCouponId: number) =>
  (await run(fixture.db, 'SELECT id FROM member_coupon WHERE returned_from = $1', [memberCouponId])).length;

test('group 21 Must show 1: worked example 1, order M1 of example A in two refunds, M2 gives the platform coupon back', async () => {
  const merchantCoupon = await makeCoupon(fixture, { issuer: 'merchant', threshold: 10_000, face: 1_000 });
  const platformCoupon = await makeCoupon(fixture, { issuer: 'platform', threshold: 15_000, face: 2_000 });
  const line = (
    lineNo: number,
    merchantId: string,
    specId: string,
    unitPrice: number,
    qty: number,
  ): QuoteLine => ({
    lineNo,
    merchantId,
    productId: specId,
    classIds: [],
    specId,
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
  const coupon = (id: number, issuer: 'merchant' | 'platform', face: number, threshold: number) => ({
    memberCouponId: String(id),
    couponId: String(id),
    name: 'c',
    issuer,
    merchantId: issuer === 'merchant' ? 'M1' : null,
    value: { kind: 'cash' as const, face },
    threshold,
    scope: { kind: 'all' as const, ids: [] },
    projectIds: null,
    validFrom: 0,
    validTo: Number.MAX_SAFE_INTEGER,
    locked: false,
    bearerPlatformPercent: 100,
    consentingMerchantIds: null,
  });
  const priced = quote({
    now: 1,
    projectId: 'p',
    lines: [
      line(1, 'M1', 'rice', 3_990, 2),
      line(2, 'M1', 'oil', 5_990, 1),
      line(3, 'M2', 'tissue', 1_990, 3),
    ],
    coupons: [
      coupon(merchantCoupon, 'merchant', 1_000, 10_000),
      coupon(platformCoupon, 'platform', 2_000, 15_000),
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
    pointsBalance: 5_000,
    pointsWanted: 'max',
    coinRules: [],
    coinsBalance: 0,
    coinsWanted: 0,
    postage: { M1: [{ start: 0, end: null, freight: 600 }] },
  });
  const [m1, m2] = (await makeCheckout(fixture, [
    fixtureOfQuote(priced.orders[0]!, 0, { invoice: 1 }),
    fixtureOfQuote(priced.orders[1]!, 1),
  ])) as [MadeOrder, MadeOrder];
  expect((await orderRow(m1.id))!.payable).toBe(9_941);

  const r1 = await refundNow(m1, units(m1, 1));
  expect([r1.cash, r1.points]).toEqual([2_669, 645]);
  expect(await orderRow(m1.id)).toMatchObject({
    state: 'to_ship',
    refund_status: 'part',
    cash_refunded: 2_669,
    points_refunded: 645,
  });
  expect(await spendablePoints(fixture.db, fixture.ids.member)).toBe(645);
  expect(await returnedOf(merchantCoupon)).toBe(0);

  const r2 = await refundNow(m1, units(m1, 1, 1));
  expect([r2.cash, r2.points]).toEqual([2_667 + 4_005 + 600, 1_615]);
  expect(await orderRow(m1.id)).toMatchObject({
    state: 'closed',
    refund_status: 'full',
    cash_refunded: 9_941,
    points_refunded: 2_260,
  });
  expect(await returnedOf(merchantCoupon)).toBe(1);
  expect(await returnedOf(platformCoupon)).toBe(0);
  const platformRow = await runOne<{ status: string }>(
    fixture.db,
    'SELECT status FROM member_coupon WHERE id = $1',
    [platformCoupon],
  );
  expect(platformRow!.status).toBe('used');
  const rice = await runOne(fixture.db, 'SELECT stock, sold FROM product_spec WHERE id = $1', [m1.specs[0]]);
  expect(rice).toEqual({ stock: 52, sold: 0 });
  const codes = await run<{ code: number }>(
    fixture.db,
    'SELECT code FROM order_event WHERE order_id = $1 ORDER BY id',
    [m1.id],
  );
  expect(codes.map((event) => event.code)).toEqual([60, 60]);
  const invoice = await run(
    fixture.db,
    `SELECT 1 FROM entity_event WHERE entity = 'goodsOrder' AND entity_id = $1 AND action = 'invoice_red'`,
    [m1.id],
  );
  expect(invoice).toHaveLength(2);

  const r3 = await refundNow(m2, 'all');
  expect([r3.cash, r3.points]).toEqual([4_299, 1_040]);
  expect(await returnedOf(platformCoupon)).toBe(1);
  expect(await spendablePoints(fixture.db, fixture.ids.member)).toBe(3_300);
  const payment = await runOne(fixture.db, 'SELECT amount, refunding, refunded FROM payment WHERE id = $1', [
    m1.paymentId,
  ]);
  expect(payment).toEqual({ amount: 14_240, refunding: 0, refunded: 14_240 });
  expect(await brokenInvariants(fixture.platform)).toEqual([]);
});

describe('worked example 2: coupon 80.00 off 150.00 over A 100.00 and B 90.00', () => {
  const cart = async (rule: 'share' | 'recheck') => {
    const coupon = await makeCoupon(fixture, { issuer: 'merchant', threshold: 15_000, face: 8_000, rule });
    const [order] = await makeCheckout(fixture, [
      {
        state: 'completed',
        completedDaysAgo: 1,
        lines: [
          {
            name: 'A',
            price: 10_000,
            qty: 1,
            shipped: 1,
            shares: [{ step: 20, source: coupon, amount: 4_211 }],
          },
          {
            name: 'B',
            price: 9_000,
            qty: 1,
            shipped: 1,
            shares: [{ step: 20, source: coupon, amount: 3_789 }],
          },
        ],
      },
    ]);
    await fixture.set('refund.staff_direct_max', 10_000_000);
    return { coupon, order: order! };
  };
  const byStaff = async (order: MadeOrder, lines: RefundLineRequest[]) => {
    const caller = await fixture.caller({ elements: ['btn_audit'], merchant: 0 });
    const made = await transaction(fixture.db, (tx) =>
      applyRefund(tx, {
        platform: fixture.platform,
        caller,
        orderId: order.id,
        lines,
        applicantType: 2,
        reason: 'x',
      }),
    );
    await fixture.pump();
    return made;
  };

  test('share: 52.11, then 57.89', async () => {
    const { order, coupon } = await cart('share');
    expect((await byStaff(order, units(order, 0, 1))).cash).toBe(5_211);
    expect(await returnedOf(coupon)).toBe(0);
    expect((await byStaff(order, units(order, 1))).cash).toBe(5_789);
    expect(await returnedOf(coupon)).toBe(1);
  });

  test('group 21 Must show 2: recheck, 10.00 with the formula, then exactly 100.00, then nothing', async () => {
    const { order, coupon } = await cart('recheck');
    const answer = await suggestRefund(fixture.db, { orderId: order.id, lines: units(order, 0, 1) });
    expect(answer.ok && answer.split.rows.map((row) => row.cash)).toEqual([5_211, -4_211]);
    expect(answer.ok && answer.split.rows[1]!.formula[0]).toContain('100.00 < 150.00');
    expect((await byStaff(order, units(order, 0, 1))).cash).toBe(1_000);
    expect(await returnedOf(coupon)).toBe(1);
    expect((await byStaff(order, units(order, 1))).cash).toBe(10_000);
    await expect(byStaff(order, units(order, 1))).rejects.toMatchObject({
      http: 409,
      label: [expect.stringContaining('最多可退0.00元'), expect.any(String)],
    });
    expect(await brokenInvariants(fixture.platform)).toEqual([]);
  });
});

test('a re-check on a line of which a part goes back keeps one row per line and books it', async () => {
  const coupon = await makeCoupon(fixture, {
    issuer: 'merchant',
    threshold: 15_000,
    face: 2_000,
    rule: 'recheck',
  });
  const [order] = await makeCheckout(fixture, [
    { lines: [{ name: 'A', price: 10_000, qty: 2, shares: [{ step: 20, source: coupon, amount: 2_000 }] }] },
  ]);
  const first = await refundNow(order!, units(order!, 1));
  expect(first.cash).toBe(9_000 - 1_000);
  const second = await refundNow(order!, 'all');
  expect(second.cash).toBe(10_000);
  expect(await returnedOf(coupon)).toBe(1);
  expect(await brokenInvariants(fixture.platform)).toEqual([]);
});

test('worked example 3: below the threshold but by share, the coupon stays', async () => {
  const coupon = await makeCoupon(fixture, {
    issuer: 'merchant',
    threshold: 15_000,
    face: 8_000,
    rule: 'recheck',
  });
  const [order] = await makeCheckout(fixture, [
    {
      lines: [
        { name: 'A', price: 14_000, qty: 1, shares: [{ step: 20, source: coupon, amount: 7_467 }] },
        { name: 'B', price: 1_000, qty: 1, shares: [{ step: 20, source: coupon, amount: 533 }] },
      ],
    },
  ]);
  const made = await refundNow(order!, units(order!, 0, 1));
  expect(made.cash).toBe(467);
  expect(await returnedOf(coupon)).toBe(0);
  const stored = await runOne<{ snapshot: { notices: unknown[] } }>(
    fixture.db,
    'SELECT snapshot FROM refund WHERE id = $1',
    [made.id],
  );
  expect(stored!.snapshot.notices).toEqual([
    ['门槛不足，仍按分摊计算', 'Below the threshold, still by share'],
  ]);
});

test('worked example 4: 5.00 for damage, then one unit at a time', async () => {
  const [order] = await makeCheckout(fixture, [{ lines: [{ name: 'A', price: 2_000, qty: 3 }] }]);
  expect((await refundNow(order!, [{ lineId: order!.lines[0]!, amount: 500 }])).cash).toBe(500);
  for (const cash of [1_833, 1_833, 1_834])
    expect((await refundNow(order!, units(order!, 1))).cash).toBe(cash);
  expect(await orderRow(order!.id)).toMatchObject({
    cash_refunded: 6_000,
    state: 'closed',
    refund_status: 'full',
  });
});

test('cash lowered with a reason is withheld; above the suggestion or without a reason is refused', async () => {
  const [order] = await makeCheckout(fixture, [
    { freight: 300, lines: [{ name: 'A', price: 2_000, qty: 1 }] },
  ]);
  const ask = (more: { agreedCash?: number; cashReason?: string }) =>
    refundNow(order!, units(order!, 1), more);
  await expect(ask({ agreedCash: 2_301, cashReason: 'x' })).rejects.toMatchObject({ status: 30101 });
  await expect(ask({ agreedCash: 2_000 })).rejects.toMatchObject({
    status: 422,
    fields: { cashReason: expect.anything() },
  });
  expect((await ask({ agreedCash: 2_000, cashReason: '折旧' })).cash).toBe(2_000);
  expect(await orderRow(order!.id)).toMatchObject({
    cash_refunded: 2_000,
    refund_status: 'full',
    state: 'closed',
  });
  expect(await brokenInvariants(fixture.platform)).toEqual([]);
});

test('group 21 Must show 14, group 08 Must show 8 (refunds): a failed team, no audit, freight included, points and coupon back once; nothing to pay needs no channel', async () => {
  const coupon = await makeCoupon(fixture, { issuer: 'merchant', threshold: 1_000, face: 500 });
  const [order] = await makeCheckout(fixture, [
    {
      state: 'grouping',
      freight: 500,
      lines: [
        {
          name: 'A',
          price: 100_000,
          qty: 3,
          shares: [
            { step: 20, source: coupon, amount: 500 },
            { step: 40, amount: 1_000, units: 1_000 },
          ],
        },
      ],
    },
  ]);
  const before = await spendablePoints(fixture.db, fixture.ids.member);
  const made = await transaction(fixture.db, (tx) =>
    applyRefund(tx, {
      platform: fixture.platform,
      system: true,
      orderId: order!.id,
      lines: 'all',
      applicantType: 2,
      reason: '拼团失败',
    }),
  );
  expect(made).toMatchObject({ state: 'refunding', cash: 299_000, points: 1_000 });
  await fixture.pump();
  expect(await orderRow(order!.id)).toMatchObject({
    state: 'closed',
    refund_status: 'full',
    cash_refunded: 299_000,
  });
  await fixture.pump();
  expect(await returnedOf(coupon)).toBe(1);
  expect((await spendablePoints(fixture.db, fixture.ids.member)) - before).toBe(1_000);

  const [free] = await makeCheckout(fixture, [
    { lines: [{ name: 'F', price: 1_000, qty: 1, shares: [{ step: 40, amount: 1_000, units: 1_000 }] }] },
  ]);
  const done = await transaction(fixture.db, (tx) =>
    applyRefund(tx, {
      platform: fixture.platform,
      orderId: free!.id,
      lines: 'all',
      applicantType: 1,
      reason: 'x',
    }),
  );
  expect(done.state).toBe('succeeded');
  expect(await brokenInvariants(fixture.platform)).toEqual([]);
});

test('what cannot be asked for is refused with its reason', async () => {
  const apply = (
    order: MadeOrder,
    lines: RefundLineRequest[],
    caller?: Awaited<ReturnType<typeof fixture.caller>>,
    reasonCode?: 'quality',
  ) =>
    transaction(fixture.db, (tx) =>
      applyRefund(tx, {
        platform: fixture.platform,
        caller,
        orderId: order.id,
        lines,
        applicantType: caller ? 2 : 1,
        reason: 'x',
        ...(reasonCode ? { reasonCode } : {}),
      }),
    );
  const make = async (state: string, completedDaysAgo?: number) =>
    (
      await makeCheckout(fixture, [
        {
          state,
          ...(completedDaysAgo === undefined ? {} : { completedDaysAgo }),
          lines: [{ name: 'A', price: 5_000, qty: 1, shipped: state === 'completed' ? 1 : 0 }],
        },
      ])
    )[0]!;
  const grouping = await make('grouping');
  await expect(apply(grouping, units(grouping, 1))).rejects.toMatchObject({
    label: ['拼团进行中，成团前不可申请退款', expect.any(String)],
  });
  const old = await make('completed', 9);
  await expect(apply(old, units(old, 1))).rejects.toMatchObject({
    label: ['已超过售后期限', expect.any(String)],
  });
  expect((await apply(old, units(old, 1), undefined, 'quality')).state).toBe('reviewing');
  const older = await make('completed', 40);
  const merchant = await fixture.caller({ merchant: 0 });
  await expect(apply(older, units(older, 1), merchant)).rejects.toMatchObject({
    label: ['已超过售后期限', expect.any(String)],
  });
  expect((await apply(older, units(older, 1), await fixture.caller())).state).toBe('reviewing');
  const open = await make('to_ship');
  await expect(apply(open, [{ lineId: old.lines[0]!, qty: 1 }])).rejects.toMatchObject({ status: 422 });
  await expect(apply(open, [])).rejects.toMatchObject({ status: 422 });
  await expect(apply(open, units(open, 2))).rejects.toMatchObject({
    label: [expect.stringContaining('最多可退50.00元'), expect.any(String)],
  });
});
