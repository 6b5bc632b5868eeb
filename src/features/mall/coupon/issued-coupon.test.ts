import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimCoupon } from '../../../domain/coupon/claim.server.ts';
import { claimByCode } from '../../../domain/coupon/codes.server.ts';
import type { Refusal } from '../../../kernel/server/http/errors.ts';
import { registration as checkout } from '../../../domain/checkout/checkout.server.ts';
import { reconcilePayment } from '../../../domain/settlement/reconciled-fixture.ts';
import { eligibleRows } from '../../../domain/statement/eligible.server.ts';
import { elementCode, elementsOf } from '../../../kernel/contract/resource.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { insertRow } from '../../../kernel/server/resource/run-action.ts';
import { registration as orders } from '../goods-order/goods-order.server.ts';
import { all, callAs, one, openShop, payExampleOrders, type Shop } from '../goods-order/order-fixture.ts';
import { callerOf, openMall, type Mall } from '../product/mall-fixture.ts';
import { registration as batches } from './coupon-batch.server.ts';
import { registration as consents } from './coupon-consent.server.ts';
import { registration as coupons } from './coupon.server.ts';
import { couponConsent, ISSUED_MENU, issuedCoupon } from './issued-coupon.contract.ts';
import { registration as issued } from './issued-coupon.server.ts';

const ROOT = '/jinmao/web/issuedCoupon';
const CONSENT = '/jinmao/web/couponConsent';
let mall: Mall;
let shop: Shop;
let operator: Caller;
let alice: Caller;
let bob: Caller;
beforeAll(async () => {
  mall = await openMall([coupons, issued, batches, consents]);
  const platformId = (await runOne<{ id: number }>(
    mall.platform.database.db,
    'SELECT id FROM tenant WHERE kind = 3 LIMIT 1',
  ))!.id;
  const elements = [issuedCoupon, couponConsent].flatMap((resource) =>
    Object.keys(elementsOf(resource)).map((element) => elementCode(resource, element)),
  );
  const make = async (name: string, tenantId: number, tenantKind: 2 | 3) =>
    callerOf({ staffId: await mall.staff(name, tenantId), tenantId, tenantKind }, [ISSUED_MENU], elements);
  operator = await make('issu', platformId, 3);
  alice = await make('aliz', mall.ids.merchantA, 2);
  bob = await make('bobz', mall.ids.merchantB, 2);
  for (const tenant of [mall.ids.merchantA, mall.ids.merchantB]) {
    const made = await runOne<{ id: number }>(
      mall.platform.database.db,
      `INSERT INTO product (code, tenant_id, business_id, name, status) VALUES ('PDI' || $1::bigint, $1, $2, 'x', 'published') RETURNING id`,
      [tenant, mall.ids.business],
    );
    await run(mall.platform.database.db, 'INSERT INTO product_project VALUES ($1, $2)', [
      made!.id,
      mall.ids.north,
    ]);
  }
  shop = await openShop([orders, checkout, coupons]);
});
afterAll(async () => {
  await mall.close();
  await shop.close();
});

const form = (more: Record<string, unknown> = {}) => ({
  issuer: 'platform',
  bearerPercent: 60,
  name: '满150减30',
  type: 'cash',
  face: '30.00',
  threshold: '150.00',
  noThreshold: false,
  total: 100,
  perLimit: 1,
  claimWay: 'centre',
  validKind: 'dates',
  startsAt: new Date(Date.now() - 86_400_000).toISOString(),
  endsAt: new Date(Date.now() + 10 * 86_400_000).toISOString(),
  projects: [String(mall.ids.north)],
  scope: 'all',
  excluded: [],
  returnable: true,
  refundRule: 'share',
  ...more,
});
const create = (caller: Caller, more: Record<string, unknown> = {}) =>
  mall.call(caller, 'POST', ROOT, form(more));
const get = async (caller: Caller, id: string) => (await mall.call(caller, 'GET', `${ROOT}/${id}`)).data;
async function act(caller: Caller, root: string, id: string, action: string, input: object = {}) {
  const { version } = (await mall.call(caller, 'GET', `${root}/${id}`)).data;
  return mall.call(caller, 'POST', `${root}/${id}/${action}`, { version, ...input });
}
const asked = async (caller: Caller, couponId: string) =>
  (await mall.call(caller, 'GET', `${CONSENT}/page?coupon=${couponId}`)).data.rows as {
    id: string;
    merchant: { id: string };
    state: string;
    actions: string[];
  }[];

test('whose coupon it is decides who bears it, and which address shows it', async () => {
  expect((await create(operator, { issuer: 'merchant' })).data.fields).toEqual({ merchant: '此项必填' });
  const platform = String((await create(operator)).data.id);
  expect(await get(operator, platform)).toMatchObject({
    role: '1',
    issuer: 'platform',
    bearerPercent: 60,
    worst: '3000.00',
  });
  const merchant = String(
    (await create(operator, { issuer: 'merchant', merchant: String(mall.ids.merchantA) })).data.id,
  );
  expect(await get(operator, merchant)).toMatchObject({ role: '2', issuer: 'merchant', bearerPercent: 0 });
  // A merchant's staff make coupons of their own whatever they send, and see none of the platform.
  const own = String((await create(alice, { bearerPercent: 100 })).data.id);
  expect(await get(alice, own)).toMatchObject({ role: '2', bearerPercent: 0 });
  expect((await mall.call(alice, 'GET', `${ROOT}/${platform}`)).http).toBe(404);
});

test('publishing asks every merchant whose goods are covered; each answers for itself', async () => {
  const id = String((await create(operator)).data.id);
  expect(await asked(operator, id)).toEqual([]);
  expect((await act(operator, ROOT, id, 'publish')).http).toBe(200);
  const [ours] = await asked(alice, id);
  const [theirs] = await asked(bob, id);
  expect([ours!.merchant.id, theirs!.merchant.id]).toEqual([
    String(mall.ids.merchantA),
    String(mall.ids.merchantB),
  ]);
  const seen = await asked(operator, id);
  expect(seen.map((one) => [one.state, one.actions])).toEqual([
    ['waiting', []],
    ['waiting', []],
  ]);
  const refused = await act(operator, CONSENT, ours!.id, 'agree');
  expect([refused.http, refused.message]).toEqual([409, '只有该商户可以答复']);
  expect((await mall.call(bob, 'GET', `${CONSENT}/${ours!.id}`)).http).toBe(404);
  // Two who answer at once: one answer counts.
  const both = await Promise.all([
    act(alice, CONSENT, ours!.id, 'agree'),
    act(alice, CONSENT, ours!.id, 'decline', { reason: '毛利不足' }),
  ]);
  expect(both.map((one) => one.http).sort()).toEqual([200, 409]);
  expect((await act(bob, CONSENT, theirs!.id, 'decline', { reason: '毛利不足' })).http).toBe(200);
  // Who declined may change its mind.
  expect((await act(bob, CONSENT, theirs!.id, 'agree')).http).toBe(200);
});

test('further pieces need a reason, make a batch, and stop when the budget is used up', async () => {
  const id = String((await create(operator, { bearerPercent: 100, budget: '60.00' })).data.id);
  await act(operator, ROOT, id, 'publish');
  expect((await act(operator, ROOT, id, 'raise', { qty: 20 })).http).toBe(422);
  expect((await act(operator, ROOT, id, 'raise', { qty: 20, reason: '活动追加' })).http).toBe(200);
  expect((await get(operator, id)).total).toBe(120);
  const rows = (await mall.call(operator, 'GET', `/jinmao/web/couponBatch/page?coupon=${id}`)).data.rows;
  expect(rows.map((row: { qty: number; reason: string }) => [row.qty, row.reason]).sort()).toEqual([
    [100, ''],
    [20, '活动追加'],
  ]);
  const tooMany = await act(operator, ROOT, id, 'raise', { qty: 1_000_000, reason: '活动追加' });
  expect(tooMany.data.fields).toEqual({ qty: '总量不能超过 1,000,000' });
  await run(mall.platform.database.db, 'UPDATE coupon SET budget_booked = 6000 WHERE id = $1', [id]);
  expect((await act(operator, ROOT, id, 'raise', { qty: 1, reason: '活动追加' })).message).toBe(
    '预算已用完，不能增加',
  );
});

test('the count of a form is that of goods for sale in scope, and a merchant counts its own', async () => {
  const count = async (caller: Caller, more: object = {}) =>
    (
      await mall.call(caller, 'POST', `${ROOT}/matching`, {
        scope: 'all',
        projects: [String(mall.ids.north)],
        ...more,
      })
    ).data;
  const whole = await count(operator);
  expect(whole.merchants).toBe(2);
  const one_ = await runOne<{ id: number }>(
    mall.platform.database.db,
    `SELECT id FROM product WHERE code = 'PDI' || $1::bigint`,
    [mall.ids.merchantA],
  );
  expect((await count(operator, { excluded: [String(one_!.id)] })).products).toBe(whole.products - 1);
  expect((await count(alice)).merchants).toBe(1);
  expect(await count(operator, { scope: 'products', products: [String(one_!.id)] })).toEqual({
    products: 1,
    merchants: 1,
  });
});

test('group 16 Must show 10: 满150减30 at 60/40 over 100.00 + 60.00 gives 18.75 / 11.25, and the settlement of A counts 11.25', async () => {
  const { ids } = shop;
  const db = shop.platforms[0]!.database.db;
  await run(
    db,
    'UPDATE product_spec SET price = CASE id WHEN $1 THEN 10000 ELSE 6000 END WHERE id = ANY($2)',
    [ids.rice, [ids.rice, ids.tissue]],
  );
  await run(db, `UPDATE postage_rule SET freight = 0`);
  const id = await transaction(db, (tx) =>
    insertRow(tx, 'coupon', {
      code: 'CPI1',
      name: '满150减30',
      type: 'cash',
      issuer: 'platform',
      tenant_id: ids.platformTenant,
      threshold: 15_000,
      face: 3_000,
      total: 10,
      bearer_platform_percent: 60,
      consent_needed: true,
      starts_at: new Date(Date.now() - 86_400_000),
      ends_at: new Date(Date.now() + 86_400_000),
    }),
  );
  await run(
    db,
    `INSERT INTO coupon_consent (coupon_id, tenant_id, state, answered_at) SELECT $1, unnest($2::bigint[]), 'yes', now()`,
    [id, [ids.merchant1, ids.merchant2]],
  );
  await transaction(db, (tx) => claimCoupon(tx, shop.platforms[0]!, { couponId: id, memberId: ids.member }));
  const held = await one(shop, 'SELECT id FROM member_coupon WHERE coupon_id = $1', [id]);
  const made = await callAs(shop, 'platform', 'POST', '/jinmao/web/goodsOrder', {
    member: String(ids.member),
    house: String(ids.house),
    lines: [
      { specId: String(ids.rice), qty: 1 },
      { specId: String(ids.tissue), qty: 1 },
    ],
    coupons: [String(held.id)],
    shownTotal: '130.00',
  });
  expect(made.message).toBe('');
  expect(
    await all(
      shop,
      `SELECT s.amount, s.platform_amount, s.amount - s.platform_amount AS merchant FROM order_share s JOIN order_line l ON l.id = s.line_id
        WHERE s.source_id = $1 ORDER BY s.amount DESC`,
      [String(held.id)],
    ),
  ).toEqual([
    { amount: 1_875, platform_amount: 1_125, merchant: 750 },
    { amount: 1_125, platform_amount: 675, merchant: 450 },
  ]);
  await payExampleOrders(shop);
  await run(
    db,
    `UPDATE sales_order SET state = 'completed', completed_at = now() - interval '40 days', paid_at = now() - interval '50 days'`,
  );
  for (const payment of await run<{ id: number }>(db, 'SELECT id FROM payment WHERE channel <> 0'))
    await reconcilePayment(db, payment.id);
  const now = new Date();
  const rows = await transaction(db, (tx) =>
    eligibleRows(tx, { tenantId: ids.merchant1, end: now, at: now }),
  );
  expect(rows.map((row) => row.subsidy)).toEqual([1_125]);
});

test('codes are made for each piece, kept as hashes, and each is exchanged once by whoever is first', async () => {
  const { db } = mall.platform.database;
  const open = String((await create(operator, { bearerPercent: 100 })).data.id);
  await act(operator, ROOT, open, 'publish');
  expect((await act(operator, ROOT, open, 'codes')).message).toBe('领取方式不是兑换码');
  const id = String(
    (await create(operator, { bearerPercent: 100, claimWay: 'code', total: 3, perLimit: 3 })).data.id,
  );
  await act(operator, ROOT, id, 'publish');
  expect((await act(operator, ROOT, id, 'codes')).http).toBe(200);
  const task = (await runOne<{ query: Record<string, string>; element: string }>(
    db,
    `SELECT query, result->>'element' AS element FROM task WHERE source = 'couponCodes' ORDER BY created_at DESC LIMIT 1`,
  ))!;
  expect(task.element).toBe('btn_batch');
  const source = issued.exports!.find((one) => one.source === 'couponCodes')!;
  const call = { caller: operator, platform: mall.platform, language: 'zh' as const };
  const made = async () => {
    const codes: string[] = [];
    for await (const rows of source.read(call, task.query)) codes.push(...rows.map((row) => String(row[0])));
    return codes;
  };
  const lost = await made();
  // A task that was broken off writes its file anew: what stood in the lost one is worth nothing.
  const codes = await made();
  expect(codes.length).toBe(3);
  expect(codes.every((code) => /^[A-Z2-9]{4}(-[A-Z2-9]{4}){3}$/.test(code))).toBe(true);
  expect(await get(operator, id)).toMatchObject({ codesMade: 3 });
  expect((await act(operator, ROOT, id, 'codes')).message).toBe('每张券都已有兑换码');
  const kept = await run<{ hash: Buffer }>(db, 'SELECT hash FROM coupon_code WHERE coupon_id = $1', [id]);
  expect(kept.some(({ hash }) => codes.some((code) => hash.toString('latin1').includes(code)))).toBe(false);
  const members = await run<{ id: number }>(
    db,
    `INSERT INTO member (name, phone) SELECT '码', (13700009000 + n)::text FROM generate_series(1, 8) n RETURNING id`,
  );
  const exchange = (code: string, memberId: number) =>
    transaction(db, (tx) => claimByCode(tx, mall.platform, { code, memberId })).then(
      () => 'claimed',
      (error: Refusal) => error.label[0],
    );
  const answers = await Promise.all(
    members.map(({ id: member }) => exchange(codes[0]!.toLowerCase(), member)),
  );
  expect(answers.filter((one) => one === 'claimed').length).toBe(1);
  expect(answers.filter((one) => one === '兑换码无效或已使用').length).toBe(7);
  expect(await exchange(lost[0]!, members[0]!.id)).toBe('兑换码无效或已使用');
  // In the coupon centre it is not offered, and its window holds for codes, too.
  await expect(
    transaction(db, (tx) =>
      claimCoupon(tx, mall.platform, { couponId: Number(id), memberId: members[1]!.id }),
    ),
  ).rejects.toMatchObject({ label: ['该券不开放领取', 'The coupon cannot be claimed'] });
  await run(db, `UPDATE coupon SET claim_to = now() - interval '1 hour' WHERE id = $1`, [id]);
  expect(await exchange(codes[1]!, members[2]!.id)).toBe('领取已结束');
  await run(db, 'UPDATE coupon SET claim_to = NULL WHERE id = $1', [id]);
  expect(await exchange(codes[1]!, members[2]!.id)).toBe('claimed');
  const { claimed } = (await runOne<{ claimed: number }>(db, 'SELECT claimed FROM coupon WHERE id = $1', [
    id,
  ]))!;
  expect(claimed).toBe(2);
});
