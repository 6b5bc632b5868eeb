import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertRow } from '../../../kernel/server/resource/run-action.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { elementCode, elementsOf } from '../../../kernel/contract/resource.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { callerOf, openMall, type Mall } from '../product/mall-fixture.ts';
import { registration as coupons } from '../coupon/coupon.server.ts';
import { phonesOfFile } from './push-phones.rules.ts';
import { couponPush, PUSH_MENU } from './coupon-push.contract.ts';
import { registration as items } from './coupon-push-item.server.ts';
import { registration as pushes } from './coupon-push.server.ts';

const ROOT = '/jinmao/web/couponPush';
let mall: Mall;
let operator: Caller;
let couponId: number;
let platformTenant: number;
const db = () => mall.platform.database.db;

beforeAll(async () => {
  mall = await openMall([coupons, pushes, items]);
  platformTenant = (await runOne<{ id: number }>(db(), 'SELECT id FROM tenant WHERE kind = 3 LIMIT 1'))!.id;
  const staffId = await mall.staff('push', platformTenant);
  operator = callerOf(
    { staffId, tenantId: platformTenant },
    [PUSH_MENU, 'mm_couponManagement'],
    Object.keys(elementsOf(couponPush)).map((element) => elementCode(couponPush, element)),
  );
  await run(
    db(),
    `INSERT INTO member (name, phone, project_id) SELECT 'p' || n, (13700000000 + n)::text, $1 FROM generate_series(1, 8) n`,
    [mall.ids.north],
  );
});
afterAll(() => mall.close());

let turn = 0;
async function makeCoupon(more: Record<string, unknown> = {}): Promise<number> {
  turn++;
  return transaction(db(), (tx) =>
    insertRow(tx, 'coupon', {
      code: `CPP${turn}`,
      name: `P${turn}`,
      type: 'cash',
      issuer: 'platform',
      tenant_id: platformTenant,
      threshold: 1_000,
      face: 500,
      total: 50,
      claim_way: 'targeted',
      starts_at: new Date(Date.now() - 86_400_000),
      ends_at: new Date(Date.now() + 86_400_000),
      ...more,
    }),
  );
}

const phones = (count: number) =>
  Array.from({ length: count }, (_, n) => String(13_700_000_001 + n)).join('\n');

async function makePush(more: Record<string, unknown> = {}) {
  return mall.call(operator, 'POST', ROOT, {
    name: '补偿',
    coupon: String(couponId),
    audience: 'phones',
    phones: phones(8),
    perPerson: 1,
    reason: '停水补偿',
    ...more,
  });
}

async function send(id: string) {
  const { data } = await mall.call(operator, 'GET', `${ROOT}/${id}`);
  return mall.call(operator, 'POST', `${ROOT}/${id}/send`, { version: data.version });
}

const job = () => pushes.jobs!.find((one) => one.name === 'coupon.push.run')!.run({}, mall.platform);
const held = async () =>
  (await runOne<{ n: number }>(db(), 'SELECT count(*)::int AS n FROM member_coupon WHERE coupon_id = $1', [
    couponId,
  ]))!.n;
const rowOf = async (id: string) => (await mall.call(operator, 'GET', `${ROOT}/${id}`)).data;

test('run twice at once, everybody gets it once; those excluded get nothing', async () => {
  couponId = await makeCoupon();
  const made = await makePush({ excluded: '13700000003', perPerson: 1 });
  const id = String(made.data.id);
  expect((await mall.call(operator, 'GET', `${ROOT}/${id}/preview`)).data).toEqual({
    people: 7,
    needed: 7,
    ceiling: '35.00',
    left: 50,
    short: 0,
    unknown: 0,
    unknownSample: [],
  });
  expect((await send(id)).http).toBe(200);
  await Promise.all([job(), job(), job()]);
  await job();
  expect(await held()).toBe(7);
  const row = await rowOf(id);
  expect([row.state, row.people, row.succeeded, row.failed]).toEqual(['done', 7, 7, 0]);
});

test('who reached the limit fails with the reason; a retry touches only those rows', async () => {
  couponId = await makeCoupon({ per_limit: 1 });
  const id = String((await makePush({ phones: phones(2), perPerson: 2 })).data.id);
  await send(id);
  await job();
  const row = await rowOf(id);
  expect([row.state, row.succeeded, row.failed]).toEqual(['part_failed', 2, 2]);
  const failed = await run<{ reason_zh: string; n: number }>(
    db(),
    `SELECT DISTINCT reason_zh, n FROM coupon_push_item WHERE push_id = $1 AND state = 'failed'`,
    [Number(id)],
  );
  expect(failed).toEqual([{ reason_zh: '达到上限', n: 2 }]);
  await run(db(), `UPDATE coupon SET per_limit = 2 WHERE id = $1`, [couponId]);
  await run(db(), `UPDATE coupon_claim_count SET per_limit = 2 WHERE coupon_id = $1`, [couponId]);
  expect((await mall.call(operator, 'POST', `${ROOT}/${id}/retry`, { version: row.version })).http).toBe(200);
  await job();
  expect(await held()).toBe(4);
  expect((await rowOf(id)).state).toBe('done');
});

test('a draft says how many it would reach, as it was saved last', async () => {
  couponId = await makeCoupon();
  const id = String((await makePush({ excluded: '13700000003' })).data.id);
  const row = await rowOf(id);
  expect([row.state, row.people]).toEqual(['draft', 7]);
  const saved = await mall.call(operator, 'PUT', `${ROOT}/${id}`, {
    version: row.version,
    phones: phones(2),
    excluded: '13700000001',
  });
  expect([saved.http, (await rowOf(id)).people]).toEqual([200, 1]);
});

test('too few coupons, nobody matched, doubles and unknown numbers', async () => {
  couponId = await makeCoupon({ total: 5 });
  const short = await send(String((await makePush()).data.id));
  expect([short.status, short.message]).toEqual([30101, '券余量不足，还差3张']);
  const nobody = await makePush({ phones: '13600000000' });
  expect((await mall.call(operator, 'GET', `${ROOT}/${nobody.data.id}/preview`)).data).toMatchObject({
    people: 0,
    unknown: 1,
    unknownSample: ['136****0000'],
  });
  expect((await send(String(nobody.data.id))).message).toBe('没有匹配的会员');
  const doubled = await makePush({ phones: '13700000001\n13700000001' });
  expect([doubled.http, doubled.data.fields.phones]).toEqual([422, '第 2 个手机号重复']);
  // Numbers are never read back.
  expect((await rowOf(String(nobody.data.id))).phones).toBeNull();
});

test('a file brings the phone of each line, without its heading; what is none stays to be named', () => {
  const csv = '\uFEFF姓名,手机号\r\n"王芳",13700000001\r\n李强;13700000002\n\n13700000003\n赵六,1370000\n';
  expect(phonesOfFile(csv)).toBe('13700000001\n13700000002\n13700000003\n赵六');
  expect(phonesOfFile('手机号\n')).toBe('');
});

test('members of projects, and a cancelled push gives nothing', async () => {
  couponId = await makeCoupon();
  const id = String(
    (await makePush({ audience: 'projects', phones: undefined, projects: [String(mall.ids.north)] })).data.id,
  );
  await send(id);
  const row = await rowOf(id);
  expect([row.state, row.people >= 8]).toEqual(['scheduled', true]);
  await mall.call(operator, 'POST', `${ROOT}/${id}/cancel`, { version: row.version });
  await job();
  expect(await held()).toBe(0);
});

test('a member banned for good fails with 会员已停用; grades speak to those who have them', async () => {
  couponId = await makeCoupon();
  await run(db(), `UPDATE member SET banned_until = 'infinity' WHERE phone = '13700000001'`);
  const id = String((await makePush({ phones: phones(2) })).data.id);
  await send(id);
  await job();
  expect(
    await run(db(), `SELECT state, reason_zh FROM coupon_push_item WHERE push_id = $1 ORDER BY id`, [
      Number(id),
    ]),
  ).toEqual([
    { state: 'failed', reason_zh: '会员已停用' },
    { state: 'success', reason_zh: '' },
  ]);
  const grades = await run<{ id: number }>(db(), 'SELECT id FROM grade ORDER BY threshold');
  const none = await makePush({ audience: 'grades', phones: undefined });
  expect([none.http, Object.keys(none.data.fields)]).toEqual([422, ['grades']]);
  await run(db(), `DELETE FROM member_grade`);
  const people = async (grade: number) => {
    const made = await makePush({ audience: 'grades', phones: undefined, grades: [String(grade)] });
    return (await mall.call(operator, 'GET', `${ROOT}/${made.data.id}/preview`)).data.people as number;
  };
  const all = await people(grades[0]!.id);
  await run(
    db(),
    `INSERT INTO member_grade (member_id, basis) SELECT m.id, g.threshold FROM member m, grade g WHERE m.phone IN ('13700000002', '13700000003') AND g.id = $1`,
    [grades.at(-1)!.id],
  );
  expect([await people(grades[0]!.id), await people(grades.at(-1)!.id)]).toEqual([all - 2, 2]);
});
