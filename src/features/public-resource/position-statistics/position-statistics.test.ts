import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { callerOf, openMall, type Mall } from '../../mall/product/mall-fixture.ts';
import { registration } from './position-statistics.server.ts';

let mall: Mall;
let reader: Caller;
let south: Caller;
let turn = 0;
const db = () => mall.platform.database.db;

beforeAll(async () => {
  mall = await openMall([registration]);
  const platformId = (await runOne<{ id: number }>(db(), 'SELECT id FROM tenant WHERE kind = 3 LIMIT 1'))!.id;
  const make = async (name: string, projectIds: readonly number[]) =>
    callerOf(
      { staffId: await mall.staff(name, platformId), tenantId: platformId, tenantKind: 3, projectIds },
      ['statisticalAnalysis'],
    );
  reader = await make('pstn', [mall.ids.north]);
  south = await make('psts', [mall.ids.south]);
});
afterAll(() => mall.close());

async function add(project: number, price: number, enabled = true): Promise<number> {
  const made = await runOne<{ id: number }>(
    db(),
    `INSERT INTO position (code, name, project_id, type_id, list_price, enabled, created_at)
     SELECT $1, '统计点位', $2, v.id, $3, $4, '2025-01-01' FROM biz_dict v JOIN biz_dict r ON r.id = v.root_id
      WHERE r.code = 'position_type' AND v.parent_id IS NOT NULL ORDER BY v.id LIMIT 1 RETURNING id`,
    [`S-${(turn += 1)}`, project, price, enabled],
  );
  return made!.id;
}
const take = (
  id: number,
  kind: string,
  from: string,
  to: string,
  more = 'NULL::timestamptz, NULL::timestamptz',
) =>
  run(
    db(),
    `INSERT INTO position_occupancy (position_id, kind, from_on, to_on, holder_id, expires_at, released_at)
     SELECT $1, $2, $3, $4, CASE WHEN $2 = 'hold' THEN (SELECT min(id) FROM staff) END, x.* FROM (VALUES (${more})) x (a, b)`,
    [id, kind, from, to],
  );
const ask = async (caller: Caller, query: string) =>
  (
    await mall.call(
      caller,
      'GET',
      `/jinmao/web/report/contractStatistics?range=2025-06-01~2025-07-31&${query}`,
    )
  ).data;

test('occupancy is leased days over enabled days without repairs; vacancy is what is neither let nor held', async () => {
  const one = await add(mall.ids.north, 100_000);
  const two = await add(mall.ids.north, 200_000);
  await add(mall.ids.north, 300_000, false);
  await add(mall.ids.south, 400_000);
  // 61 days: one is let for 31 of them, in repair for 10; two is held for 6, and a released hold counts for nothing.
  await take(one, 'lease', '2025-05-20', '2025-07-01');
  await take(one, 'repair', '2025-07-22', '2025-08-20');
  await take(two, 'hold', '2025-06-25', '2025-06-30', `now() + interval '2 days', NULL::timestamptz`);
  await take(two, 'hold', '2025-07-01', '2025-07-31', `now() - interval '2 days', now() - interval '2 days'`);
  const { rows, figures, charts } = await ask(reader, '');
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({ positions: 2, base: 122, leased: 31, held: 6, repair: 10, vacant: 75 });
  expect([figures.occupancy.value, figures.vacancy.value]).toEqual(['27.68', '66.96']);
  expect(charts.months).toMatchObject([
    { key: '2025-06', values: { occupancy: 50, heldShare: 10, vacancy: 40, leased: 30 } },
    { key: '2025-07', values: { leased: 1 } },
  ]);
  const behind = await ask(reader, `by=position&project=${rows[0].drill.project}`);
  expect(behind.rows.map((row: { leased: number }) => row.leased).sort()).toEqual([0, 31]);
  expect((await ask(south, `by=position&project=${mall.ids.north}`)).rows).toEqual([]);
});

test('what ends is counted from today, whatever the period', async () => {
  const today = businessDayOf(new Date());
  for (const [days, price] of [
    [30, 100],
    [31, 1_000],
    [90, 10_000],
    [91, 100_000],
  ] as const)
    await take(await add(mall.ids.south, price), 'lease', today, addDays(today, days));
  const { sums } = await ask(south, '');
  expect(sums).toMatchObject({ ending30: 1, ending60: 2, ending90: 3, atStake: '111.00' });
});
