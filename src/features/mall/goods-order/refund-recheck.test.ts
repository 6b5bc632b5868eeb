import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { registrations } from '../../../app/registry/registrations.gen.ts';
import { readMigrations } from '../../../app/server/migrate.ts';
import { spendablePoints } from '../../../domain/points-ledger/points-ledger.server.ts';
import {
  all,
  brokenRules,
  callAs,
  deliverAll,
  keepRowsApart,
  one,
  openShop,
  payExampleOrders,
  runJob,
  type Shop,
} from './order-fixture.ts';

const ROOT = '/jinmao/web/goodsOrder';

let shop: Shop;
beforeEach(async () => {
  shop = await openShop(registrations);
  for (const who of ['merchant1', 'merchant2'] as const)
    (shop.callers[who].elements as Set<string>).delete('mm_orderRefund:btn_audit');
  await all(shop, `INSERT INTO setting (key, value) VALUES ('refund.channel_gap_seconds', '0')`);
});
afterEach(() => shop.close());

/** Orders of a cart with one coupon whose threshold is checked again when units come back. */
async function buy(
  memberCoupon: number,
  coupon: { readonly face: number; readonly threshold: number },
  lines: readonly { readonly specId: number; readonly qty: number }[],
  points = 0,
): Promise<string[]> {
  await all(
    shop,
    `UPDATE coupon SET refund_rule = 'recheck', face = $2, threshold = $3 WHERE id = (SELECT coupon_id FROM member_coupon WHERE id = $1)`,
    [memberCoupon, coupon.face, coupon.threshold],
  );
  const cart = {
    lines: lines.map((line) => ({ ...line, specId: String(line.specId) })),
    coupons: [String(memberCoupon)],
    points,
  };
  const [member, house] = [String(shop.ids.member), String(shop.ids.house)];
  const quote = await callAs(shop, 'platform', 'POST', `${ROOT}/quote`, {
    memberId: member,
    houseId: house,
    ...cart,
  });
  const made = await callAs(shop, 'platform', 'POST', ROOT, {
    member,
    house,
    ...cart,
    shownTotal: quote.data.payable,
  });
  expect(made.message).toBe('');
  expect(await payExampleOrders(shop)).toBe('paid');
  return made.data.result.orderIds;
}

/** Applies for units of the order's only line. */
async function apply(who: 'merchant1' | 'merchant2', orderId: string, qty: number, rows: Rows) {
  const { id } = await one(shop, 'SELECT id FROM order_line WHERE order_id = $1', [orderId]);
  const made = await callAs(shop, who, 'POST', `${ROOT}/${orderId}/refund`, {
    lines: [{ lineId: String(id), qty }],
    reasonCode: 'not_wanted',
    reason: '不想要了',
  });
  expect(made.message).toBe('');
  if (rows === 'two rows') expect(await keepRowsApart(shop, Number(made.data.result.refundId))).toBe(true);
  return made.data.result as { refundId: string; cash: string; points: number };
}

/** Passes a refund, lowered if asked for, and lets the channel pay it. */
async function pass(refundId: string, agreedPrice?: string): Promise<void> {
  const passed = await callAs(shop, 'platform', 'POST', '/jinmao/web/bizRefundAudit/audit', {
    auditId: refundId,
    isPass: 1,
    ...(agreedPrice ? { agreedPrice, remark: '折旧' } : {}),
  });
  expect(passed.message).toBe('');
  await deliverAll(shop);
  const refund = await one(shop, 'SELECT state, channel_refund_no AS no FROM refund WHERE id = $1', [
    refundId,
  ]);
  if (refund.state === 'refunding') await runJob(shop, 'sandbox.refund_result', { refundNo: refund.no });
  expect(await one(shop, 'SELECT state FROM refund WHERE id = $1', [refundId])).toEqual({
    state: 'succeeded',
  });
}

const shares = (orderId: string) =>
  all(
    shop,
    `SELECT s.step, s.amount, s.refunded_amount, s.refunded_units FROM order_share s JOIN order_line l ON l.id = s.line_id
      WHERE l.order_id = $1 ORDER BY s.step`,
    [orderId],
  );
const returned = async (memberCoupon: number) =>
  (await all(shop, 'SELECT 1 FROM member_coupon WHERE returned_from = $1', [memberCoupon])).length;
const points = () => spendablePoints(shop.platforms[0]!.database.db, shop.ids.member);

type Rows = 'one row' | 'two rows';
/** Rice for 39.90 twice: coupon 11.81, points 10.00, cash 57.99 and freight 6.00. */
const riceTwice = () =>
  buy(shop.ids.merchantCoupon, { face: 1_181, threshold: 7_000 }, [{ specId: shop.ids.rice, qty: 2 }], 1_000);

describe.each(['one row', 'two rows'] as const)('a unit whose return breaks the threshold, in %s', (rows) => {
  test('takes both parts of the share, the last unit brings back the rest', async () => {
    const [order] = await riceTwice();
    expect(await points()).toBe(4_000);
    const first = await apply('merchant1', order!, 1, rows);
    // 39.90 − 5.90 coupon − 5.00 points, and 5.91 taken back from what is kept.
    expect(first).toMatchObject({ cash: '23.09', points: 500 });
    expect(await brokenRules(shop)).toEqual({});
    const detail = await callAs(shop, 'platform', 'GET', `/jinmao/web/refund/${first.refundId}`);
    expect(detail.data.parts.lines).toHaveLength(1);
    expect(detail.data.parts.lines[0]).toMatchObject({
      currentQty: 1,
      currentCash: '23.09',
      shares: [{ current: '11.81' }, { current: '5.00', currentUnits: 500 }],
    });
    await pass(first.refundId);
    expect(await brokenRules(shop)).toEqual({});
    expect(await shares(order!)).toEqual([
      { step: 20, amount: 1_181, refunded_amount: 1_181, refunded_units: 0 },
      { step: 40, amount: 1_000, refunded_amount: 500, refunded_units: 500 },
    ]);
    expect([await points(), await returned(shop.ids.merchantCoupon)]).toEqual([4_500, 1]);

    const last = await apply('merchant1', order!, 1, 'one row');
    expect(last).toMatchObject({ cash: '40.90', points: 500 });
    await pass(last.refundId);
    expect(await brokenRules(shop)).toEqual({});
    expect(await shares(order!)).toEqual([
      { step: 20, amount: 1_181, refunded_amount: 1_181, refunded_units: 0 },
      { step: 40, amount: 1_000, refunded_amount: 1_000, refunded_units: 1_000 },
    ]);
    expect([await points(), await returned(shop.ids.merchantCoupon)]).toEqual([5_000, 1]);
    expect(
      await one(shop, 'SELECT state, refund_status, payable, cash_refunded FROM sales_order WHERE id = $1', [
        order,
      ]),
    ).toEqual({ state: 'closed', refund_status: 'full', payable: 6_399, cash_refunded: 6_399 });
    expect(await one(shop, 'SELECT amount, refunding, refunded FROM payment')).toEqual({
      amount: 6_399,
      refunding: 0,
      refunded: 6_399,
    });
  });

  test('lowered at the audit keeps the difference back once', async () => {
    const [order] = await riceTwice();
    const first = await apply('merchant1', order!, 1, rows);
    await pass(first.refundId, '20.00');
    expect(await brokenRules(shop)).toEqual({});
    expect(
      await one(shop, 'SELECT cash_refunded, cash_withheld FROM order_line WHERE order_id = $1', [order]),
    ).toEqual({ cash_refunded: 2_000, cash_withheld: 309 });
    const last = await apply('merchant1', order!, 1, 'one row');
    expect(last.cash).toBe('40.90');
    await pass(last.refundId);
    expect(await brokenRules(shop)).toEqual({});
  });
});

describe('migration 0023 mends what was booked with one of two rows', () => {
  /** Runs the migration's text and says what it wrote on timelines. */
  const mend = async () => {
    const { sql } = readMigrations().find(({ name }) => name.startsWith('0023_'))!;
    const client = new pg.Client(shop.database.owner);
    await client.connect();
    await client.query(sql).finally(() => client.end());
    return all(
      shop,
      `SELECT entity, entity_id::text AS id, remark FROM entity_event WHERE action = 'correctShares'`,
    );
  };
  /** A refund of one unit as it was booked before: the second part of the coupon's share is missing. */
  const bookedBefore = async (order: string, step: 20 | 30) => {
    const first = await apply('merchant1', order, 1, 'two rows');
    await pass(first.refundId);
    const rows = await all(
      shop,
      `UPDATE order_share s SET refunded_amount = x.amount
         FROM refund_line_share x JOIN refund_line l ON l.id = x.refund_line_id
        WHERE l.refund_id = $1 AND l.kind = 'recheck' AND s.id = x.share_id AND s.step = $2 RETURNING s.id`,
      [first.refundId, step],
    );
    expect(rows).toHaveLength(1);
    expect(Object.keys(await brokenRules(shop))).toEqual(['refund.share_refunded_amount']);
  };

  test('a share that lacks a part gets it, once, and the timeline of its order says so', async () => {
    const [order] = await riceTwice();
    await bookedBefore(order!, 20);
    const told = await mend();
    expect(told).toEqual([{ entity: 'goodsOrder', id: order, remark: '第1行 5.91 → 11.81' }]);
    expect(await brokenRules(shop)).toEqual({});
    expect(await mend()).toEqual(told);
    const last = await apply('merchant1', order!, 1, 'one row');
    expect(last).toMatchObject({ cash: '40.90', points: 500 });
    await pass(last.refundId);
    expect(await brokenRules(shop)).toEqual({});
  });

  test('what later refunds took of it too much is taken off them, and cash stays', async () => {
    const [order] = await riceTwice();
    await bookedBefore(order!, 20);
    const last = await apply('merchant1', order!, 1, 'one row');
    expect(last).toMatchObject({ cash: '40.90', points: 500 });
    await pass(last.refundId);
    expect(Object.keys(await brokenRules(shop))).toEqual(['refund.share_refunded_amount']);
    expect(await mend()).toHaveLength(1);
    expect(await brokenRules(shop)).toEqual({});
    expect(
      await all(
        shop,
        `SELECT sum(x.amount)::bigint AS taken FROM refund_line_share x JOIN order_share s ON s.id = x.share_id GROUP BY s.step ORDER BY s.step`,
      ),
    ).toEqual([{ taken: 1_181 }, { taken: 1_000 }]);
  });

  test('a refund that was asked for in between can be passed', async () => {
    const [order] = await riceTwice();
    await bookedBefore(order!, 20);
    const waiting = await apply('merchant1', order!, 1, 'one row');
    await mend();
    expect(await brokenRules(shop)).toEqual({});
    await pass(waiting.refundId);
    expect(await brokenRules(shop)).toEqual({});
    expect(await shares(order!)).toEqual([
      { step: 20, amount: 1_181, refunded_amount: 1_181, refunded_units: 0 },
      { step: 40, amount: 1_000, refunded_amount: 1_000, refunded_units: 1_000 },
    ]);
  });

  test('a coupon that stayed used although everything of it is back is returned', async () => {
    const { rice, tissue, platformCoupon } = shop.ids;
    const [first, second] = await buy(platformCoupon, { face: 2_000, threshold: 9_000 }, [
      { specId: rice, qty: 2 },
      { specId: tissue, qty: 1 },
    ]);
    await bookedBefore(first!, 30);
    const other = await apply('merchant2', second!, 1, 'one row');
    await pass(other.refundId);
    const coupon = () =>
      one(
        shop,
        'SELECT mc.status, c.used FROM member_coupon mc JOIN coupon c ON c.id = mc.coupon_id WHERE mc.id = $1',
        [platformCoupon],
      );
    expect([await coupon(), await returned(platformCoupon)]).toEqual([{ status: 'used', used: 1 }, 0]);
    await mend();
    expect([await coupon(), await returned(platformCoupon)]).toEqual([{ status: 'refunded', used: 0 }, 1]);
    expect(await brokenRules(shop)).toEqual({});
    await mend();
    expect(await returned(platformCoupon)).toBe(1);
    const last = await apply('merchant1', first!, 1, 'one row');
    await pass(last.refundId);
    expect(await brokenRules(shop)).toEqual({});
    expect(await one(shop, 'SELECT amount - refunded AS "left" FROM payment')).toEqual({ left: 0 });
  });
});
