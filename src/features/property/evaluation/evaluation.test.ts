import { afterAll, beforeAll, expect, test } from 'vitest';
import { rate, workdaysAfter } from '../../../domain/evaluation/rate.server.ts';
import { assignHouses } from '../../../domain/property-staff/housekeeper.server.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { grantMenu } from '../../../testing/grant-menu.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

const ROOT = '/jinmao/web';
let product: TestProduct;
let admin: string;
let project: number;
let building: number;
let homes: number[];
let former: number;
let next: number;
let people: number[];

const db = () => product.platform.database.db;
const one = async <T extends object>(text: string, values: readonly unknown[] = []) =>
  (await runOne<T>(db(), text, values))!;
const said = (target: 'housekeeper' | 'property', household: number, more: object = {}) =>
  transaction(db(), (tx) =>
    rate(tx, {
      target,
      householdId: household,
      grade: 'satisfied',
      at: new Date('2026-11-20T10:00:00+08:00'),
      ...more,
    }),
  );

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  ({ id: project } = await one<{ id: number }>(
    `INSERT INTO project (code, name, centre_id, unit_id) SELECT 'EV01', '评价小区', centre_id, unit_id FROM project ORDER BY id LIMIT 1 RETURNING id`,
  ));
  ({ id: building } = await one<{ id: number }>(
    `INSERT INTO building (project_id, name) VALUES ($1, '1幢') RETURNING id`,
    [project],
  ));
  const { id: unit } = await one<{ id: number }>(
    `INSERT INTO building_unit (building_id, name) VALUES ($1, '1单元') RETURNING id`,
    [building],
  );
  homes = [];
  for (let number = 0; number < 6; number++) {
    const { id: house } = await one<{ id: number }>(
      `INSERT INTO house (project_id, unit_id, number, built_area) VALUES ($1, $2, $3, 100) RETURNING id`,
      [project, unit, String(101 + number)],
    );
    const { id: member } = await one<{ id: number }>(
      `SELECT m.id FROM member m ORDER BY m.id OFFSET $1 LIMIT 1`,
      [number],
    );
    homes.push(
      (
        await one<{ id: number }>(
          `INSERT INTO household (house_id, member_id, identity, status) VALUES ($1, $2, 'tenant', 'normal') RETURNING id`,
          [house, member],
        )
      ).id,
    );
  }
  const staff = await run<{ id: number }>(
    db(),
    `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password) SELECT id, a.account, a.account, false, false
       FROM (SELECT id FROM tenant WHERE kind = 1 ORDER BY id LIMIT 1) t, (VALUES ('keeper1'), ('keeper2'), ('looker')) AS a (account) RETURNING id`,
  );
  people = staff.map((person) => person.id);
  await run(
    db(),
    'INSERT INTO tenant_project (tenant_id, project_id) SELECT min(id), $1 FROM tenant WHERE kind = 1',
    [project],
  );
  const keepers = await run<{ id: number }>(
    db(),
    'INSERT INTO housekeeper (staff_id) SELECT unnest($1::bigint[]) RETURNING id',
    [people.slice(0, 2)],
  );
  [former, next] = keepers.map((keeper) => keeper.id) as [number, number];
  await transaction(db(), async (tx) => {
    const common = { buildingId: building, kind: 'main' } as const;
    await assignHouses(tx, { ...common, housekeeperId: former, from: '2026-01-01', to: '2026-11-30' });
    await assignHouses(tx, { ...common, housekeeperId: next, from: '2026-12-01' });
  });
});
afterAll(() => product.close());

test('group 06 Must show 14 (ratings): the building moves on 1 December, a rating of 30 November counts for the former', async () => {
  const late = await said('housekeeper', homes[0]!, { at: new Date('2026-11-30T23:59:00+08:00') });
  const after = await said('housekeeper', homes[0]!, { at: new Date('2026-12-01T00:00:00+08:00') });
  const held = await run<{ id: number; housekeeper_id: number }>(
    db(),
    'SELECT id, housekeeper_id FROM evaluation WHERE id = ANY($1::bigint[]) ORDER BY id',
    [[late, after]],
  );
  expect(held.map((row) => row.housekeeper_id)).toEqual([former, next]);
  await expect(
    said('housekeeper', homes[1]!, { at: new Date('2025-12-31T10:00:00+08:00') }),
  ).rejects.toMatchObject({ label: ['该房屋当日没有管家', expect.any(String)] });
});

test('of twenty ratings at once one stands a month: per member and housekeeper, per household for the property', async () => {
  for (const target of ['housekeeper', 'property'] as const) {
    const answers = await Promise.allSettled(Array.from({ length: 20 }, () => said(target, homes[2]!)));
    expect(answers.filter((answer) => answer.status === 'fulfilled')).toHaveLength(1);
    const words = answers.flatMap((answer) =>
      answer.status === 'rejected' ? [(answer.reason as { label: readonly string[] }).label[0]] : [],
    );
    expect(new Set(words)).toEqual(
      new Set([target === 'housekeeper' ? '本月已评价过该管家' : '本户本月已评价过物业']),
    );
  }
  await said('property', homes[2]!, { at: new Date('2026-12-01T00:00:00+08:00') });
});

test('what was said is never changed; somebody follows up the lowest grade, due two working days on', async () => {
  const id = await said('property', homes[3]!, {
    grade: 'unsatisfied',
    content: '电梯又坏了',
    reasons: ['公共设施'],
  });
  const row = (await product.call(admin, 'GET', `${ROOT}/evaluation/${id}`)).data;
  // Rated on a Friday.
  expect([row.state, row.followDue]).toEqual(['to_follow', '2026-11-24']);
  expect(await workdaysAfter(db(), '2026-11-19', 2)).toBe('2026-11-23');
  for (const text of [
    `UPDATE evaluation SET grade = 'satisfied', state = 'none', follow_due = NULL WHERE id = $1`,
    `UPDATE evaluation SET content = '' WHERE id = $1`,
    'DELETE FROM evaluation WHERE id = $1',
  ])
    await expect(run(db(), text, [id])).rejects.toThrow(/never changed/);
  const path = `${ROOT}/evaluation/${id}/follow`;
  expect((await product.call(admin, 'POST', path, { version: 1, result: '' })).status).toBe(422);
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => product.call(admin, 'POST', path, { version: 1, result: '已致歉' })),
  );
  expect(answers.filter((answer) => answer.http === 200)).toHaveLength(1);
  const done = (await product.call(admin, 'GET', `${ROOT}/evaluation/${id}`)).data;
  expect([done.state, done.result, done.followedBy.title.length > 0]).toEqual(['followed', '已致歉', true]);
  const praised = await said('property', homes[4]!);
  expect(
    (
      await product.call(admin, 'POST', `${ROOT}/evaluation/${praised}/follow`, {
        version: 1,
        result: '好的',
      })
    ).status,
  ).toBe(30101);
});

test('the ranking counts, has shares and averages over the rows one sees, and months up to the last day asked for', async () => {
  await said('property', homes[5]!, { grade: 'fair', reasons: ['停车管理', '公共设施'] });
  const asked = `ratedAt=2026-11-01~2026-11-30&project=${project}`;
  const { data } = await product.call(admin, 'GET', `${ROOT}/evaluation/ranking?${asked}`);
  const [row] = data.rows;
  const counted = await one<{ n: number; good: number }>(
    `SELECT count(*)::integer AS n, count(*) FILTER (WHERE grade = 'satisfied')::integer AS good FROM evaluation
      WHERE project_id = $1 AND target = 'property' AND rated_month = '2026-11-01'`,
    [project],
  );
  expect([row.name, row.count, row.satisfied]).toEqual([
    '评价小区',
    counted.n,
    ((100 * counted.good) / counted.n).toFixed(1),
  ]);
  // Two satisfied, one fair, one not satisfied: (3 + 3 + 2 + 1) / 4.
  expect([counted.n, counted.good, row.average]).toEqual([4, 2, '2.25']);
  expect(row.trend.map((month: { month: string }) => month.month)).toEqual([
    '2026-06',
    '2026-07',
    '2026-08',
    '2026-09',
    '2026-10',
    '2026-11',
  ]);
  expect(row.trend.at(-1)).toMatchObject({ count: 4, satisfied: '50.0' });
  expect(row.trend[0]).toMatchObject({ count: 0, satisfied: null });
  expect(data.reasons).toEqual([
    { reason: '公共设施', count: 2, share: '66.7' },
    { reason: '停车管理', count: 1, share: '33.3' },
  ]);
  const keepers = (await product.call(admin, 'GET', `${ROOT}/housekeeperEvaluation/ranking?${asked}`)).data
    .rows;
  expect(keepers.map((keeper: { id: string; name: string }) => [keeper.id, keeper.name])).toEqual([
    [String(former), 'keeper1'],
  ]);
  await grantMenu(db(), people[2]!, 'cs_propertyEvaluate');
  const looker = await product.signIn('looker');
  expect((await product.call(looker, 'GET', `${ROOT}/evaluation/ranking?${asked}`)).data.rows).toEqual([]);
  expect((await product.call(looker, 'GET', `${ROOT}/housekeeperEvaluation/ranking?${asked}`)).http).toBe(
    403,
  );
  await run(db(), 'INSERT INTO staff_project (staff_id, project_id) VALUES ($1, $2)', [people[2], project]);
  const again = await product.signIn('looker');
  expect((await product.call(again, 'GET', `${ROOT}/evaluation/ranking?${asked}`)).data.rows).toHaveLength(1);
});
