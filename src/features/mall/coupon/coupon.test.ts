import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { elementCode, elementsOf } from '../../../kernel/contract/resource.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { claimCoupon } from '../../../domain/coupon/claim.server.ts';
import { needsReview, percentOff, valueText } from '../../../domain/coupon/coupon.rules.ts';
import { callerOf, openMall, type Mall } from '../product/mall-fixture.ts';
import { coupon, COUPON_MENU } from './coupon.contract.ts';
import { registration as coupons } from './coupon.server.ts';

const ROOT = '/jinmao/web/coupon';
let mall: Mall;
let alice: Caller;
let bob: Caller;
let operator: Caller;
let decider: Caller;
const db = () => mall.platform.database.db;

beforeAll(async () => {
  mall = await openMall([coupons]);
  const platformId = (await runOne<{ id: number }>(db(), 'SELECT id FROM tenant WHERE kind = 3 LIMIT 1'))!.id;
  const elements = Object.keys(elementsOf(coupon)).map((element) => elementCode(coupon, element));
  const make = async (name: string, tenantId: number, tenantKind: 2 | 3) =>
    callerOf({ staffId: await mall.staff(name, tenantId), tenantId, tenantKind }, [COUPON_MENU], elements);
  alice = await make('alice', mall.ids.merchantA, 2);
  bob = await make('bobby', mall.ids.merchantB, 2);
  operator = await make('oper', platformId, 3);
  decider = await make('deci', platformId, 3);
  // Approvers are asked from stored rights.
  await run(
    db(),
    `INSERT INTO group_member (group_id, staff_id) SELECT id, $1 FROM permission_group WHERE code = 'platform_admin' AND built_in`,
    [decider.staffId],
  );
});
afterAll(() => mall.close());

const form = (more: Record<string, unknown> = {}) => ({
  name: '满100减10',
  type: 'cash',
  face: '10.00',
  threshold: '100.00',
  noThreshold: false,
  total: 100,
  perLimit: 1,
  claimWay: 'centre',
  validKind: 'dates',
  startsAt: new Date(Date.now() - 86_400_000).toISOString(),
  endsAt: new Date(Date.now() + 10 * 86_400_000).toISOString(),
  projects: [String(mall.ids.north)],
  scope: 'all',
  returnable: true,
  refundRule: 'share',
  ...more,
});

const create = (caller: Caller, more: Record<string, unknown> = {}) =>
  mall.call(caller, 'POST', ROOT, form(more));
const get = async (caller: Caller, id: string) => (await mall.call(caller, 'GET', `${ROOT}/${id}`)).data;

async function act(caller: Caller, id: string, action: string, input: Record<string, unknown> = {}) {
  const { version } = await get(caller, id);
  return mall.call(caller, 'POST', `${ROOT}/${id}/${action}`, { version, ...input });
}

async function made(caller: Caller, more: Record<string, unknown> = {}): Promise<string> {
  const answer = await create(caller, more);
  if (answer.http !== 200) throw new Error(JSON.stringify(answer));
  return String(answer.data.id);
}

const update = async (caller: Caller, id: string, input: Record<string, unknown>) =>
  mall.call(caller, 'PUT', `${ROOT}/${id}`, { version: (await get(caller, id)).version, ...input });

describe('values', () => {
  const terms = { face: null, rate: null, maxDiscount: null, threshold: 0, total: 10, budget: null };
  test('are said as lists say them', () => {
    expect(valueText({ ...terms, type: 'cash', face: 2_000, threshold: 15_000 })[0]).toBe('¥20 满150');
    expect(valueText({ ...terms, type: 'discount', rate: 85, maxDiscount: 3_000 })[0]).toBe('8.5折 最高30');
  });
  test('decide about the review: above 30 % off or above 10,000.00', () => {
    const limits = { percent: 30, budget: 1_000_000 };
    const cash = { ...terms, type: 'cash' as const, face: 3_000, threshold: 10_000 };
    expect([percentOff(cash), needsReview(cash, limits)]).toEqual([30, false]);
    expect(needsReview({ ...cash, face: 3_001 }, limits)).toBe(true);
    expect(needsReview({ ...cash, budget: 1_000_001 }, limits)).toBe(true);
    expect(needsReview({ ...cash, total: 1_000 }, limits)).toBe(true);
  });
});

describe('the form', () => {
  test('refuses what contradicts itself', async () => {
    const fieldsOf = async (more: Record<string, unknown>) => (await create(operator, more)).data.fields;
    expect(await fieldsOf({ threshold: '9.99' })).toEqual({ threshold: '门槛不能低于面值' });
    expect(await fieldsOf({ threshold: '0.00' })).toEqual({ noThreshold: '请确认无门槛' });
    expect(await fieldsOf({ type: 'discount', rate: 85 })).toEqual({ maxDiscount: '此项必填' });
    expect(await fieldsOf({ validKind: 'days' })).toEqual({ validDays: '此项必填' });
    expect(await fieldsOf({ scope: 'classes' })).toEqual({ classes: '此项必填' });
    expect((await create(operator, { threshold: '0.00', noThreshold: true })).http).toBe(200);
  });

  test('a merchant makes coupons of its own, sees no others and covers its own goods only', async () => {
    const mine = await made(alice, { merchant: String(mall.ids.merchantB) });
    const row = await get(alice, mine);
    expect([row.issuer, row.merchant.id]).toEqual(['merchant', String(mall.ids.merchantA)]);
    expect((await mall.call(bob, 'GET', `${ROOT}/${mine}`)).http).toBe(404);
    const foreign = await runOne<{ id: number }>(
      db(),
      `INSERT INTO product (code, tenant_id, business_id, name, status) VALUES ('PDX', $1, $2, 'x', 'published') RETURNING id`,
      [mall.ids.merchantB, mall.ids.business],
    );
    const refused = await create(alice, { scope: 'products', products: [String(foreign!.id)] });
    expect([refused.http, refused.data.fields.products]).toEqual([422, '商户券只能选择本商户商品']);
    const outside = await create(bob, { projects: [String(mall.ids.south)] });
    expect([outside.http, outside.data.fields.projects]).toEqual([422, '项目不在合作范围']);
  });
});

describe('states', () => {
  test('published: only the total up, the end later; taken down with recall; published again before the end', async () => {
    const id = await made(operator);
    expect((await act(operator, id, 'publish')).http).toBe(200);
    expect((await get(operator, id)).state).toBe('published');
    expect((await update(operator, id, { total: 99 })).data.fields.total).toBe('发布后总量只能增加');
    expect((await update(operator, id, { face: '11.00' })).data.fields.face).toBe('发布后不能修改');
    const sooner = new Date(Date.now() + 86_400_000).toISOString();
    expect((await update(operator, id, { endsAt: sooner })).data.fields.endsAt).toBe(
      '发布后结束时间只能延后',
    );
    // A form sends what it does not change, too.
    expect(
      (await update(operator, id, form({ total: 120, startsAt: undefined, endsAt: undefined }))).http,
    ).toBe(200);

    const claimed = await transaction(db(), (tx) =>
      claimCoupon(tx, mall.platform, { couponId: Number(id), memberId: mall.ids.member }),
    );
    expect((await get(operator, id)).state).toBe('in_use');
    expect((await act(operator, id, 'takeDown', { reason: '缺货下架', recall: true })).http).toBe(200);
    const held = await runOne<{ status: string }>(db(), 'SELECT status FROM member_coupon WHERE id = $1', [
      claimed.memberCouponId,
    ]);
    expect(held!.status).toBe('expired');
    expect((await act(operator, id, 'publish')).http).toBe(200);
    expect((await get(operator, id)).state).toBe('in_use');
  });

  test('a merchant coupon above the limits waits, its starter does not decide, passing publishes it', async () => {
    const id = await made(alice, { face: '40.00' });
    const sent = await act(alice, id, 'publish');
    expect([sent.http, sent.message]).toEqual([200, '']);
    const waiting = await get(alice, id);
    expect([waiting.state, waiting.reviewState]).toEqual(['draft', 'waiting']);
    expect((await update(alice, id, { name: 'x' })).message).toBe('审批中，不能操作');
    expect((await act(alice, id, 'approve')).http).toBe(409);
    expect((await act(operator, id, 'approve')).http).toBe(409);
    expect((await act(decider, id, 'approve')).http).toBe(200);
    const passed = await get(alice, id);
    expect([passed.state, passed.reviewState]).toEqual(['published', 'passed']);
  });

  test('refused, it is a draft again and can be changed; below the limits it needs nobody', async () => {
    const id = await made(alice, { face: '40.00' });
    await act(alice, id, 'publish');
    await act(decider, id, 'reject', { opinion: '力度过大' });
    expect((await get(alice, id)).reviewState).toBe('refused');
    expect((await update(alice, id, { face: '20.00', threshold: '100.00' })).http).toBe(200);
    await act(alice, id, 'publish');
    expect((await get(alice, id)).state).toBe('published');
  });

  test('a merchant coupon is not raised past the review limit once it is out; one of the platform, or with a budget, may', async () => {
    const own = await made(alice, { total: 1_000 });
    expect((await act(alice, own, 'publish')).http).toBe(200);
    expect((await get(alice, own)).state).toBe('published');
    const raised = await update(alice, own, { total: 1_001 });
    expect([raised.http, raised.data.fields.total]).toEqual([422, '成本超过审核上限，请复制后提交审批']);
    const bound = await made(alice, { total: 1_000, budget: '9000.00' });
    await act(alice, bound, 'publish');
    expect((await update(alice, bound, { total: 2_000 })).http).toBe(200);
    const platform = await made(operator, { total: 1_000 });
    await act(operator, platform, 'publish');
    expect((await update(operator, platform, { total: 5_000 })).http).toBe(200);
  });

  test('a copy is a draft of its own with nothing claimed', async () => {
    const id = await made(operator, { total: 7 });
    const copy = await act(operator, id, 'copy');
    const row = await get(operator, copy.data.result.id);
    expect([row.name, row.state, row.claimed, row.total]).toEqual(['满100减10（副本）', 'draft', 0, 7]);
  });
});
