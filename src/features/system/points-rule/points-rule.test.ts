import { afterAll, beforeAll, expect, test } from 'vitest';
import { elementCode, elementsOf } from '../../../kernel/contract/resource.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { grantPoints } from '../../../domain/points-ledger/points-grant.server.ts';
import { callerOf, openMall, type Mall } from '../../mall/product/mall-fixture.ts';
import { pointsRule } from './points-rule.contract.ts';
import { registration } from './points-rule.server.ts';

const ROOT = '/jinmao/web/pointsRule';
let mall: Mall;
let editor: Caller;
let member: number;
const db = () => mall.platform.database.db;

beforeAll(async () => {
  mall = await openMall([registration]);
  const tenantId = (await runOne<{ id: number }>(db(), 'SELECT id FROM tenant WHERE kind = 3 LIMIT 1'))!.id;
  const staffId = await mall.staff('rules', tenantId);
  editor = callerOf(
    { staffId, tenantId },
    [pointsRule.menu],
    Object.keys(elementsOf(pointsRule)).map((element) => elementCode(pointsRule, element)),
  );
  member = (await runOne<{ id: number }>(
    db(),
    `INSERT INTO member (name, phone, project_id) VALUES ('陈一', '13700001111', $1) RETURNING id`,
    [mall.ids.north],
  ))!.id;
});
afterAll(() => mall.close());

const add = (more: Record<string, unknown> = {}) =>
  mall.call(editor, 'POST', ROOT, {
    name: '发帖',
    direction: 'earn',
    event: 'post.create',
    points: 5,
    dayLimit: 12,
    monthLimit: -1,
    totalLimit: -1,
    dimension: 'person',
    ...more,
  });
const act = async (id: string, action: string) => {
  const { data } = await mall.call(editor, 'GET', `${ROOT}/${id}`);
  return mall.call(editor, 'POST', `${ROOT}/${id}/${action}`, { version: data.version });
};

test('limits follow each other', async () => {
  const bad = await add({ dayLimit: 3, monthLimit: 20, totalLimit: 10 });
  expect([bad.http, Object.keys(bad.data.fields)]).toEqual([422, ['dayLimit', 'totalLimit']]);
});

test('group 09 Must show 4: a second rule of the event and project is refused with the code of the first', async () => {
  const first = String((await add()).data.id);
  expect((await act(first, 'enable')).http).toBe(200);
  const code = (await mall.call(editor, 'GET', `${ROOT}/${first}`)).data.code as string;
  const second = String((await add({ name: '发帖二', projects: [String(mall.ids.north)] })).data.id);
  const refused = await act(second, 'enable');
  expect([refused.http, refused.status, refused.message]).toEqual([
    409,
    30101,
    `规则 ${code} 已对同一事件和项目启用`,
  ]);
  // Enabled at once, one of several wins.
  const others = await Promise.all(
    ['a', 'b', 'c'].map(async (name) => String((await add({ name, event: 'like' })).data.id)),
  );
  const all = await Promise.all(others.map((id) => act(id, 'enable')));
  expect(all.filter((one) => one.http === 200)).toHaveLength(1);
  // Changed only when it is stopped.
  const { data } = await mall.call(editor, 'GET', `${ROOT}/${first}`);
  expect(
    (await mall.call(editor, 'PUT', `${ROOT}/${first}`, { version: data.version, points: 6 })).status,
  ).toBe(30101);
  await act(first, 'stop');
  const now = await mall.call(editor, 'GET', `${ROOT}/${first}`);
  expect(
    (await mall.call(editor, 'PUT', `${ROOT}/${first}`, { version: now.data.version, points: 6 })).http,
  ).toBe(200);
  expect((await act(second, 'enable')).http).toBe(200);
});

test('a trial tells points, which limit cuts and why, and books nothing; a rule with entries stays', async () => {
  const id = String((await add({ name: '评论', event: 'comment.create', points: 2, dayLimit: 6 })).data.id);
  await act(id, 'enable');
  for (const n of [1, 2])
    await transaction(db(), (tx) =>
      grantPoints(tx, mall.platform.settings, {
        memberId: member,
        amount: 2,
        ruleId: Number(id),
        activity: true,
        source: { type: 'test', id: String(n), purpose: 'comment' },
      }),
    );
  const before = await run(db(), 'SELECT id FROM ledger_transfer');
  const trial = await mall.call(editor, 'POST', `${ROOT}/test`, {
    member: String(member),
    event: 'comment.create',
    times: 2,
  });
  expect(trial.data).toMatchObject({ wanted: 4, granted: 2, cut: 'day', available: 4, frozen: false });
  expect(trial.data.caps[0]).toEqual({ cap: 'day', limit: 6, used: 4, left: 2 });
  expect(await run(db(), 'SELECT id FROM ledger_transfer')).toHaveLength(before.length);
  const none = await mall.call(editor, 'POST', `${ROOT}/test`, { member: String(member), event: 'ad.click' });
  expect(none.data).toMatchObject({ rule: null, why: 'none' });
  expect((await mall.call(editor, 'GET', `${ROOT}/${id}`)).data.givenThisMonth).toBe(4);
  await act(id, 'stop');
  const { data } = await mall.call(editor, 'GET', `${ROOT}/${id}`);
  const gone = await mall.call(editor, 'DELETE', `${ROOT}/${id}`, { version: data.version });
  expect([gone.http, gone.message]).toEqual([409, '该规则已有积分记录，不能删除']);
});
