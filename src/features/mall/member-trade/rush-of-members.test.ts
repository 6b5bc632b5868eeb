import { afterAll, beforeAll, expect, test } from 'vitest';
import { registrations } from '../../../app/registry/registrations.gen.ts';
import { orderInvariants } from '../../../domain/checkout/order-checks.server.ts';
import { all, callAs, one, openShop, type Shop } from '../goods-order/order-fixture.ts';

const ROOT = '/jinmao/web/memberTrade';
let shop: Shop;
let members: readonly string[];
let requests = 0;

beforeAll(async () => {
  shop = await openShop(registrations, 2);
  const rows = await all<{ id: number }>(
    shop,
    `INSERT INTO member (name, phone, project_id) SELECT 'r' || n, (13500000000 + n)::text, $1 FROM generate_series(1, 40) n RETURNING id`,
    [shop.ids.project],
  );
  members = rows.map((row) => String(row.id));
});
afterAll(() => shop.close());

const ask = (path: string, body: object, instance = 0) =>
  callAs(
    shop,
    'program',
    'POST',
    `${ROOT}/${path}`,
    { requestId: `rush-request-${(requests += 1)}`, ...body },
    instance,
  );

test('claims that are written together pass neither the coupon nor the limit of a member, and each is answered for itself', async () => {
  const { id } = await one<{ id: number }>(
    shop,
    `INSERT INTO coupon (code, name, type, issuer, tenant_id, threshold, face, total, per_limit, status, bearer_platform_percent, starts_at, ends_at)
     VALUES ('CPRUSH', 'C', 'cash', 'platform', $1, 0, 100, 30, 1, 'published', 100, now() - interval '1 day', now() + interval '9 days') RETURNING id`,
    [shop.ids.platformTenant],
  );
  const couponId = String(id);
  // Everybody once and the first ten twice, over two instances; somebody asks for a member who is not there.
  const asked = [...members, ...members.slice(0, 10)].map((memberId, index) => ({
    memberId,
    couponId,
    requestId: `claim-rush-${index}`,
  }));
  const [answers, stranger] = await Promise.all([
    Promise.all(asked.map((body, index) => ask('claimCoupon', body, index % 2))),
    ask('claimCoupon', { memberId: '999999999', couponId }),
  ]);
  expect([stranger.http, stranger.message]).toEqual([404, '会员不存在']);
  const given = answers.filter((answer) => answer.http === 200);
  expect(given).toHaveLength(30);
  expect(new Set(given.map((answer) => answer.data.code)).size).toBe(30);
  for (const answer of answers.filter((one) => one.http !== 200))
    expect(['已达领取上限', '已领完']).toContain(answer.message);
  const counted = await one(
    shop,
    `SELECT claimed, (SELECT count(*)::int FROM member_coupon x WHERE x.coupon_id = c.id) AS held,
            (SELECT count(DISTINCT member_id)::int FROM member_coupon x WHERE x.coupon_id = c.id) AS members,
            (SELECT count(*)::int FROM coupon_claim_count n WHERE n.coupon_id = c.id AND n.qty <> 1) AS off FROM coupon c WHERE c.id = $1`,
    [id],
  );
  expect(counted).toEqual({ claimed: 30, held: 30, members: 30, off: 0 });
  // A repeat gets what the first was told; what was refused keeps nothing.
  const first = answers.findIndex((answer) => answer.http === 200);
  const again = await ask('claimCoupon', asked[first]!);
  expect(again.data).toEqual(answers[first]!.data);
  const kept = await one<{ n: number }>(
    shop,
    `SELECT count(*)::int AS n FROM program_request WHERE request_id LIKE 'claim-rush-%'`,
  );
  expect(kept.n).toBe(30);
});

test('checkouts at the same moment have numbers of their own and sell no piece twice', async () => {
  const { stock } = await one<{ stock: number }>(shop, 'SELECT stock FROM product_spec WHERE id = $1', [
    shop.ids.oil,
  ]);
  const qty = Math.ceil(stock / 8);
  const cart = (memberId: string) => ({
    memberId,
    projectId: String(shop.ids.project),
    lines: [{ specId: String(shop.ids.oil), qty }],
    coupons: [],
  });
  const quote = await callAs(shop, 'program', 'POST', `${ROOT}/quote`, cart(members[0]!));
  const answers = await Promise.all(
    members.slice(0, 14).map((memberId, index) =>
      ask(
        'checkout',
        {
          ...cart(memberId),
          contactName: '陈思雨',
          contactPhone: '13800138000',
          address: '1-101',
          shownTotal: quote.data.total,
        },
        index % 2,
      ),
    ),
  );
  const made = answers.filter((answer) => answer.http === 200);
  expect(made).toHaveLength(Math.floor(stock / qty));
  expect(new Set(made.map((answer) => answer.data.checkoutCode)).size).toBe(made.length);
  for (const answer of answers.filter((one) => one.http !== 200))
    expect(answer.message).toMatch(/^库存不足，仅剩\d+件$/);
  for (const { name, check } of orderInvariants.filter((rule) => rule.name.startsWith('stock.')))
    expect([name, (await check(shop.platforms[0]!)).problems]).toEqual([name, []]);
});
