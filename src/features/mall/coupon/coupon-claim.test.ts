import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimCoupon } from '../../../domain/coupon/claim.server.ts';
import { registration as checkout } from '../../../domain/checkout/checkout.server.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import type { Refusal } from '../../../kernel/server/http/errors.ts';
import { insertRow } from '../../../kernel/server/resource/run-action.ts';
import { all, brokenRules, callAs, one, openShop, runJob, type Shop } from '../goods-order/order-fixture.ts';
import { registration as orders } from '../goods-order/goods-order.server.ts';
import { registration as coupons } from './coupon.server.ts';

let shop: Shop;
let members: number[];
let turn = 0;
beforeAll(async () => {
  shop = await openShop([orders, checkout, coupons], 2, 20);
  members = (
    await all<{ id: number }>(
      shop,
      `INSERT INTO member (name, phone) SELECT 'm' || n, (13900000000 + n)::text FROM generate_series(1, 100) n RETURNING id`,
    )
  ).map((row) => row.id);
});
afterAll(() => shop.close());

/** A published coupon of the platform, bent by `more`. */
async function make(more: Record<string, unknown> = {}): Promise<number> {
  turn++;
  return transaction(shop.platforms[0]!.database.db, (tx) =>
    insertRow(tx, 'coupon', {
      code: `CPT${turn}`,
      name: `T${turn}`,
      type: 'cash',
      issuer: 'platform',
      tenant_id: shop.ids.platformTenant,
      threshold: 1_000,
      face: 500,
      total: 50,
      starts_at: new Date(Date.now() - 86_400_000),
      ends_at: new Date(Date.now() + 86_400_000),
      ...more,
    }),
  );
}

const claim = (couponId: number, memberId: number, instance = 0, pushed = false) =>
  transaction(shop.platforms[instance]!.database.db, (tx) =>
    claimCoupon(tx, shop.platforms[instance]!, { couponId, memberId, pushed }),
  ).then(
    () => 'claimed',
    (error: Refusal) => error.label[0],
  );

const said = (answers: readonly string[]) =>
  Object.fromEntries(
    [...new Set(answers)].sort().map((word) => [word, answers.filter((one) => one === word).length]),
  );

test('group 08 Must show 4: coupon total 50, per person 1: 200 parallel claims by 100 members', async () => {
  const id = await make();
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, n) => claim(id, members[n % 100]!, n % 2)),
  );
  const counts = said(answers);
  expect(counts.claimed).toBe(50);
  expect((counts['已领完'] ?? 0) + (counts['已达领取上限'] ?? 0)).toBe(150);
  expect(await one(shop, 'SELECT claimed, status FROM coupon WHERE id = $1', [id])).toEqual({
    claimed: 50,
    status: 'in_use',
  });
  const held = await all<{ n: number }>(
    shop,
    'SELECT count(*)::int AS n FROM member_coupon WHERE coupon_id = $1 GROUP BY member_id',
    [id],
  );
  expect(held.length).toBe(50);
  expect(held.every((row) => row.n === 1)).toBe(true);
  expect(await brokenRules(shop)).toEqual({});
});

test('one member claiming ten times at once gets what a person may have', async () => {
  const id = await make({ per_limit: 3 });
  const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => claim(id, members[0]!, n % 2)));
  expect(said(answers)).toEqual({ claimed: 3, 已达领取上限: 7 });
  // The table itself refuses a fourth, whatever code writes it.
  await expect(
    run(shop.platforms[0]!.database.db, 'UPDATE coupon_claim_count SET qty = qty + 1 WHERE coupon_id = $1', [
      id,
    ]),
  ).rejects.toThrow();
});

test('claims are refused before, after and beside what the coupon allows', async () => {
  const soon = new Date(Date.now() + 3_600_000);
  const ago = new Date(Date.now() - 3_600_000);
  const refusals = await Promise.all([
    claim(await make({ status: 'draft' }), members[0]!),
    claim(await make({ status: 'off_shelf' }), members[0]!),
    claim(await make({ status: 'expired' }), members[0]!),
    claim(await make({ ends_at: ago }), members[0]!),
    claim(await make({ claim_from: soon }), members[0]!),
    claim(await make({ claim_to: ago }), members[0]!),
    claim(await make({ claim_way: 'targeted' }), members[0]!),
    claim(await make({ budget_fen: 1_000, budget_booked: 1_000, status: 'in_use' }), members[0]!),
  ]);
  expect(refusals).toEqual([
    '券未发布',
    '券已下架',
    '券已过期',
    '券已过期',
    '未到领取时间',
    '领取已结束',
    '该券不开放领取',
    '已领完',
  ]);
  expect(await claim(await make({ claim_way: 'targeted' }), members[0]!, 0, true)).toBe('claimed');
  await all(shop, `UPDATE coupon SET budget_booked = 0 WHERE budget_booked = 1000`);
});

test('a coupon of days counts the claim day as day 1 and ends at 23:59:59 in Shanghai', async () => {
  const id = await make({ valid_kind: 'days', valid_days: 7 });
  expect(await claim(id, members[1]!)).toBe('claimed');
  expect(
    await one(
      shop,
      `SELECT to_char(ends_at AT TIME ZONE 'Asia/Shanghai', 'HH24:MI:SS') AS time,
              (ends_at AT TIME ZONE 'Asia/Shanghai')::date - (claimed_at AT TIME ZONE 'Asia/Shanghai')::date AS days
         FROM member_coupon WHERE coupon_id = $1`,
      [id],
    ),
  ).toEqual({ time: '23:59:59', days: 6 });
});

test('an order books its discount against the budget, closing gives it back; at 80 % it is told once, at 100 % claims stop', async () => {
  const id = await make({ face: 800, threshold: 0, budget_fen: 1_000 });
  expect(await claim(id, shop.ids.member)).toBe('claimed');
  const held = (await one(shop, 'SELECT id FROM member_coupon WHERE coupon_id = $1', [id])).id;
  const body = {
    member: String(shop.ids.member),
    house: String(shop.ids.house),
    lines: [{ specId: String(shop.ids.tissue), qty: 1 }],
    coupons: [String(held)],
    shownTotal: '11.90',
  };
  const made = await callAs(shop, 'platform', 'POST', '/jinmao/web/goodsOrder', body);
  expect(made.message).toBe('');
  const booked = () =>
    one(shop, 'SELECT budget_booked, budget_told_at IS NOT NULL AS told FROM coupon WHERE id = $1', [id]);
  expect(await booked()).toEqual({ budget_booked: 800, told: false });
  await Promise.all([runJob(shop, 'coupon.budget'), runJob(shop, 'coupon.budget')]);
  expect(await booked()).toEqual({ budget_booked: 800, told: true });
  expect(await brokenRules(shop)).toEqual({});

  await all(shop, `UPDATE sales_order SET pay_deadline = now() - interval '1 second'`);
  await runJob(shop, 'order.close_unpaid');
  expect((await booked()).budget_booked).toBe(0);
  expect(await brokenRules(shop)).toEqual({});
});

test('what was recalled cannot be used and expires, what an unpaid order holds after it is free', async () => {
  const id = await make();
  await claim(id, shop.ids.member);
  await claim(id, members[2]!);
  const payment = await one(
    shop,
    `INSERT INTO payment (checkout_code, channel, amount, deadline) VALUES ('CKT', 1, 1, now()) RETURNING id`,
  );
  await all(shop, 'UPDATE member_coupon SET locked_payment = $2 WHERE coupon_id = $1 AND member_id = $3', [
    id,
    payment.id,
    members[2],
  ]);
  await all(shop, `UPDATE coupon SET recalled_at = now(), status = 'off_shelf' WHERE id = $1`, [id]);
  const states = async () =>
    (await all(shop, 'SELECT status FROM member_coupon WHERE coupon_id = $1 ORDER BY id', [id])).map(
      (row) => row.status,
    );
  await runJob(shop, 'coupon.sweep');
  expect(await states()).toEqual(['expired', 'claimed']);
  await all(shop, 'UPDATE member_coupon SET locked_payment = NULL WHERE coupon_id = $1', [id]);
  await runJob(shop, 'coupon.sweep');
  expect(await states()).toEqual(['expired', 'expired']);
});

test('a coupon of which merchants bear a part covers goods of those only who agreed', async () => {
  const id = await make({ bearer_platform_percent: 60, consent_needed: true });
  await claim(id, shop.ids.member);
  const held = (await one(shop, 'SELECT id FROM member_coupon WHERE coupon_id = $1', [id])).id;
  const quote = () =>
    callAs(shop, 'platform', 'POST', '/jinmao/web/goodsOrder/quote', {
      memberId: String(shop.ids.member),
      houseId: String(shop.ids.house),
      lines: [{ specId: String(shop.ids.tissue), qty: 1 }],
      coupons: [String(held)],
    });
  const stateOf = async () =>
    (await quote()).data.coupons.find((option: { id: string }) => option.id === String(held)).state;
  expect(await stateOf()).toBe('unusable');
  await all(
    shop,
    `INSERT INTO coupon_consent (coupon_id, tenant_id, state, answered_at) VALUES ($1, $2, 'yes', now())`,
    [id, shop.ids.merchant2],
  );
  expect(await stateOf()).toBe('chosen');
});

test('coupons end at their time, and only once', async () => {
  const id = await make({ ends_at: new Date(Date.now() - 1_000) });
  await Promise.all([runJob(shop, 'coupon.expire'), runJob(shop, 'coupon.expire')]);
  expect(await one(shop, 'SELECT status FROM coupon WHERE id = $1', [id])).toEqual({ status: 'expired' });
  const { n } = (await runOne<{ n: number }>(
    shop.platforms[0]!.database.db,
    `SELECT count(*)::int AS n FROM entity_event WHERE entity = 'coupon' AND entity_id = $1`,
    [id],
  ))!;
  expect(n).toBe(1);
});
