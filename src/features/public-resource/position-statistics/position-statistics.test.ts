import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { callerOf, openMall, type Mall } from '../../mall/product/mall-fixture.ts';
import { amountWithin, overPlaces } from './position-money.rules.ts';
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
    { label: '2025-06', values: { occupancy: 50, heldShare: 10, vacancy: 40, leased: 30 } },
    { label: '2025-07', values: { leased: 1 } },
  ]);
  // A click on a month, or on a project, shows the positions behind it with their days.
  const shown = async (key: string) =>
    (await mall.call(reader, 'GET', `/jinmao/web/report/contractStatistics?${key}`)).data.rows
      .map((row: { leased: number }) => row.leased)
      .sort();
  expect(await shown(charts.months[0].key)).toEqual([0, 30]);
  expect(await shown(charts.projects[0].key)).toEqual([0, 31]);
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

test('income is rent by its days, over the positions of a contract by its working; receipts, what was due, attainment and renewals go with it', async () => {
  const [one, two] = [await add(mall.ids.south, 400_000), await add(mall.ids.south, 100_000)];
  const codes = await run<{ id: number; code: string; project_id: number }>(
    db(),
    'SELECT id, code, project_id FROM position WHERE id = ANY($1::bigint[]) ORDER BY id',
    [[one, two]],
  );
  await run(db(), 'UPDATE position SET area = 10 WHERE id = $1', [one]);
  const made = (await runOne<{ id: number }>(
    db(),
    `INSERT INTO contract (code, name, kind_id, project_id, party_a_id, party_name, owner_id, starts_on, ends_on, state)
       SELECT 'CT-STAT', '统计合同', min(v.id), p.id, p.unit_id, '乙方', (SELECT min(id) FROM staff), '2025-06-11', '2025-07-10', 'expired' FROM project p, biz_dict v
         JOIN biz_dict r ON r.id = v.root_id WHERE p.id = $1 AND r.code = 'contract_kind' AND v.parent_id IS NOT NULL GROUP BY p.id RETURNING id`,
    [mall.ids.south],
  ))!.id;
  for (const [index, { id }] of codes.entries()) {
    await run(
      db(),
      `INSERT INTO contract_position (contract_id, position, place_id, from_on, to_on, price) VALUES ($1, $2, $3, '2025-06-11', '2025-07-10', $4)`,
      [made, index + 1, id, index === 0 ? 300_000 : 100_000],
    );
    await run(
      db(),
      `INSERT INTO position_occupancy (position_id, kind, from_on, to_on, contract_id) VALUES ($1, 'lease', '2025-06-11', '2025-07-10', $2)`,
      [id, made],
    );
  }
  // 30 days, of which 20 lie in June: 4,000.00 and an adjustment of −400.00.
  const explain = codes.map(({ code }, index) => ({ label: code, amount: index === 0 ? 300_000 : 100_000 }));
  await run(
    db(),
    `WITH first AS (INSERT INTO contract_payment (contract_id, no, kind, line_key, due_on, amount, period_from, period_to, explain) VALUES ($1, 1, 'rent', 'rent:1', '2025-06-11', 400000, '2025-06-11', '2025-07-10', $2::jsonb) RETURNING id)
     INSERT INTO contract_payment (contract_id, no, kind, line_key, due_on, amount, period_from, period_to, adjusts_id, state) SELECT $1, 2, 'adjustment', 'adjust:1', '2025-06-11', -40000, '2025-06-11', '2025-07-10', id, 'paid' FROM first`,
    [made, JSON.stringify(explain)],
  );
  const june = (
    await mall.call(
      south,
      'GET',
      '/jinmao/web/report/contractStatistics?range=2025-06-01~2025-06-30&by=position',
    )
  ).data;
  const row = (id: number) => june.rows.find((each: { id: string }) => each.id === String(id));
  expect(row(one)).toMatchObject({
    income: '1800.00',
    received: '0.00',
    collection: '0.00',
    attainment: '75.00',
    perArea: '180.00',
  });
  expect(row(two)).toMatchObject({ income: '600.00', attainment: '100.00' });
  expect([june.figures.income.value, june.figures.collection.value]).toEqual(['2400.00', '0.00']);
  const both = await ask(south, '');
  expect([both.figures.income.value, both.figures.renewal.value]).toEqual(['3600.00', '0.00']);
  await run(
    db(),
    `INSERT INTO contract (code, name, kind_id, project_id, party_a_id, party_name, owner_id, starts_on, ends_on, state, renew_of)
     SELECT 'CT-STAT2', name, kind_id, project_id, party_a_id, party_name, owner_id, '2025-07-11', '2025-08-10', 'expired', id FROM contract WHERE id = $1`,
    [made],
  );
  expect((await ask(south, '')).figures.renewal.value).toBe('100.00');
});

test('an amount is spread over its days to the fen, over positions by the largest remainder', () => {
  const days = { from: '2025-06-01', to: '2025-06-03' };
  const each = ['2025-06-01', '2025-06-02', '2025-06-03'].map((day) => amountWithin(100, days, day, day));
  expect(each).toEqual([34, 33, 33]);
  expect(amountWithin(-100, days, '2025-05-01', '2025-06-01')).toBe(-34);
  expect(amountWithin(100, days, '2025-06-04', '2025-06-30')).toBe(0);
  const places = ['A', 'B'].map((code) => ({ place: code, code, price: 1 }));
  expect(overPlaces(101, [], places)).toEqual([51, 50]);
  expect(overPlaces(-100, [{ label: 'B', amount: 10 }], places)).toEqual([-0, -100]);
});

test('approvals of contracts that were started in the period are shown by type: how many, median business hours, share of late ones; of the own projects', async () => {
  const staffId = (await runOne<{ id: number }>(db(), 'SELECT min(id) AS id FROM staff'))!.id;
  const start = async (n: number, kind: string, startedAt: string, endedAt: string | null, late: boolean) => {
    const made = (await runOne<{ id: number }>(
      db(),
      `INSERT INTO approval_instance (code, biz_type, biz_id, tenant_id, project_id, title_zh, title_en, starter_id, state, started_at, ended_at)
       SELECT 'AP-PS' || $1::int, $2, $1::int, min(t.id), $3, '合同', 'Contract', $4, $5, $6, $7 FROM tenant t RETURNING id`,
      [n, kind, mall.ids.south, staffId, endedAt ? 'passed' : 'running', startedAt, endedAt],
    ))!.id;
    if (late)
      await run(
        db(),
        `INSERT INTO approval_task (instance_id, first_assignee_id, assignee_id, state, decided_by, decided_at, arrived_at, due_at)
         VALUES ($1, $2, $2, 'approved', $2, $3, $4, $4::timestamptz + interval '1 minute')`,
        [made, staffId, endedAt, startedAt],
      );
  };
  // Mondays: two hours, four hours, and one that still runs; a change beside them, and one of another time.
  await start(1, 'contract', '2025-06-09T09:00:00+08:00', '2025-06-09T11:00:00+08:00', true);
  await start(2, 'contract', '2025-06-16T09:00:00+08:00', '2025-06-16T14:30:00+08:00', false);
  await start(3, 'contract', '2025-06-23T09:00:00+08:00', null, false);
  await start(4, 'contract_change', '2025-06-09T09:00:00+08:00', '2025-06-09T10:00:00+08:00', false);
  await start(5, 'contract', '2025-05-12T09:00:00+08:00', '2025-05-12T10:00:00+08:00', false);
  expect((await ask(south, '')).charts.approvals).toEqual([
    { key: 'contract', label: '合同', values: { approvals: 3, medianHours: 2, lateShare: 33.3 } },
    { key: 'contract_change', label: '合同变更', values: { approvals: 1, medianHours: 1, lateShare: 0 } },
  ]);
  expect((await ask(reader, '')).charts.approvals).toEqual([]);
});
