import { afterAll, beforeAll, expect, test } from 'vitest';
import { calendarHours } from '../../../domain/work-order/calendar.server.ts';
import { calendarMinutes } from '../../../domain/work-order/sla.rules.ts';
import { freezeMonth } from '../../../domain/work-order-report/freeze.server.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { callerOf, openMall, type Mall } from '../../mall/product/mall-fixture.ts';
import { registration as list } from './ageing-order.server.ts';
import { registration as report } from './ageing.server.ts';

const RANGE = 'range=2025-11-01~2025-11-30';
let mall: Mall;
let reader: Caller;
let company = 0;
let number = 0;

beforeAll(async () => {
  mall = await openMall([report, list]);
  company = await one(`INSERT INTO tenant (kind, account, name) VALUES (1, 'A9', 'company') RETURNING id`);
  const staff = await one(
    `INSERT INTO staff (tenant_id, account, name) VALUES ($1, 'age-read', 'r') RETURNING id`,
    [company],
  );
  reader = callerOf({ staffId: staff, tenantId: company, tenantKind: 1, projectIds: [mall.ids.north] }, [
    'or_agingCount',
  ]);
});
afterAll(() => mall.close());

const db = () => mall.platform.database.db;
const one = async (text: string, values: readonly unknown[] = []) =>
  (await runOne<{ id: number }>(db(), text, values))!.id;
async function plant(times: {
  created: string;
  accepted?: string;
  finished?: string;
  pause?: readonly [string, string];
  project?: number;
}): Promise<string> {
  number += 1;
  const at = (time: string | undefined) => (time ? `${time}+08:00` : null);
  const id = await one(
    `INSERT INTO work_order (code, type, class, status, tenant_id, project_id, title, created_at, accepted_at, finished_at, handler_id)
     VALUES ($1, 'complaint_repair', 'repair', $2, $3, $4, $1, $5, $6, $7, $8) RETURNING id`,
    [
      `AG${number}`,
      times.finished ? 'finished' : times.accepted ? 'accepted' : 'to_accept',
      company,
      times.project ?? mall.ids.north,
      at(times.created),
      at(times.accepted),
      at(times.finished),
      reader.staffId,
    ],
  );
  for (const [index, action] of (['pause', 'resume'] as const).entries())
    if (times.pause)
      await run(db(), 'INSERT INTO work_order_event (order_id, at, action) VALUES ($1, $2, $3)', [
        id,
        at(times.pause[index]),
        action,
      ]);
  return `AG${number}`;
}
const ask = async (query: string) =>
  (await mall.call(reader, 'GET', `/jinmao/web/report/ageing?${RANGE}&${query}`)).data;
const listed = async (filters: Record<string, string>) =>
  (
    await mall.call(
      reader,
      'GET',
      `/jinmao/web/ageingOrder/page?limit=50&${new URLSearchParams(filters).toString()}`,
    )
  ).data.rows.map((row: { code: string }) => row.code);

test('group 11 Must show 4: 5 min 0 s are in the first bucket, a second more in the next, who was not accepted in none; a row adds up', async () => {
  const exact = await plant({ created: '2025-11-10T10:00:00', accepted: '2025-11-10T10:05:00' });
  const over = await plant({ created: '2025-11-10T10:00:00', accepted: '2025-11-10T10:05:01' });
  const never = await plant({ created: '2025-11-10T10:00:00' });
  await plant({ created: '2025-11-10T10:00:00', project: mall.ids.south });
  const { rows, titles, sums } = await ask('agingType=1');
  expect(titles.b1).toEqual(['≤5分', '≤5 min']);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({ b1: 1, b2: 1, b3: 0, b4: 0, b5: 0, b6: 0, notReached: 1, total: 3 });
  expect(sums).toMatchObject({ total: 3 });
  expect(await listed(rows[0].drill.b1)).toEqual([exact]);
  expect(await listed(rows[0].drill.b2)).toEqual([over]);
  expect(await listed(rows[0].drill.notReached)).toEqual([never]);
  expect(await listed(rows[0].drill.total)).toHaveLength(3);
});

test('group 11 Must show 3: six hours with a pause of two are 4 h, a minute more is the next bucket', async () => {
  const four = await plant({
    created: '2025-11-12T10:00:00',
    accepted: '2025-11-12T10:01:00',
    finished: '2025-11-12T16:00:00',
    pause: ['2025-11-12T12:00:00', '2025-11-12T14:00:00'],
  });
  const more = await plant({
    created: '2025-11-12T10:00:00',
    accepted: '2025-11-12T10:01:00',
    finished: '2025-11-12T16:01:00',
    pause: ['2025-11-12T12:00:00', '2025-11-12T14:00:00'],
  });
  const { rows, titles } = await ask('agingType=3');
  expect(titles).toMatchObject({ b1: ['≤4小时', '≤4 h'], b6: null });
  expect(rows[0]).toMatchObject({ b1: 1, b2: 1, notReached: 3, total: 5 });
  expect(await listed(rows[0].drill.b1)).toEqual([four]);
  expect(await listed(rows[0].drill.b2)).toEqual([more]);
});

test('orders that are open are counted by their age alone, by person and department as well', async () => {
  const open = await ask('agingType=4&by=person');
  expect(open.titles).toMatchObject({ notReached: null, centre: null });
  expect(open.rows[0]).toMatchObject({ total: 3, notReached: 0, b5: 3 });
  expect(await listed(open.rows[0].drill.total)).toHaveLength(3);
  for (const by of ['department', 'category']) {
    const { rows } = await ask(`agingType=1&by=${by}`);
    expect(rows.reduce((sum: number, row: { total: number }) => sum + row.total, 0)).toBe(5);
    expect(await listed(rows[0].drill.total)).toHaveLength(rows[0].total);
  }
});

test('bounds that are set name the columns; a minute that is no bound of the measure is refused', async () => {
  const rows = (query: string) =>
    mall.call(
      reader,
      'GET',
      `/jinmao/web/workOrderReport/aging/rows?startTime=2025-11-01&endTime=2025-11-30&${query}`,
    );
  expect((await rows('agingType=1&minute=7')).data.fields).toEqual({ minute: '时效区间不存在' });
  expect((await rows('agingType=4&minute=-1')).http).toBe(422);
  expect((await rows('agingType=1&minute=0')).data.total).toBe(5);
  expect((await rows('agingType=1&minute=15')).data.total).toBe(1);
  expect((await rows(`agingType=1&minute=0&projectId=${mall.ids.south}`)).http).toBe(404);
  await run(db(), `INSERT INTO setting (key, value) VALUES ('report.aging.short', '[7, 30]')`);
  mall.platform.settings.forget();
  const { titles } = await ask('agingType=1');
  expect(titles).toMatchObject({ b1: ['≤7分', '≤7 min'], b3: ['>30分', '>30 min'], b4: null });
  expect((await rows('agingType=1&minute=7')).data.total).toBe(4);
  await run(db(), `DELETE FROM setting WHERE key = 'report.aging.short'`);
  mall.platform.settings.forget();
});

test('bounds that are changed later do not touch frozen months: titles, counts and the orders behind them; current ones follow', async () => {
  // The month is read before it is frozen: nothing stands in it but what is planted here.
  const range = 'range=2025-07-01~2025-07-31';
  await plant({ created: '2025-07-10T10:00:00', accepted: '2025-07-10T10:06:00' });
  expect(await freezeMonth(mall.platform, '2025-07-01')).toBeGreaterThan(0);
  await run(db(), `INSERT INTO setting (key, value) VALUES ('report.aging.short', '[7, 30]')`);
  mall.platform.settings.forget();
  const july = async (query: string, period = range) =>
    (await mall.call(reader, 'GET', `/jinmao/web/report/ageing?${period}&agingType=1${query}`)).data;
  const frozen = await july('');
  expect(frozen.titles).toMatchObject({ b1: ['≤5分', '≤5 min'], b6: ['>2小时', '>2 h'] });
  expect(frozen.sums).toMatchObject({ b1: 0, b2: 1, total: 1 });
  expect(await listed(frozen.rows[0].drill.b2)).toHaveLength(1);
  const now = await july('&version=current');
  expect([now.titles.b1, now.titles.b4]).toEqual([['≤7分', '≤7 min'], null]);
  expect(now.sums).toMatchObject({ b1: 1, b2: 0, total: 1 });
  // A month that is not frozen in it: the bounds that are set.
  expect((await july('', 'range=2025-07-01~2025-08-31')).titles.b1).toEqual(['≤7分', '≤7 min']);
  await run(db(), `DELETE FROM setting WHERE key = 'report.aging.short'`);
  mall.platform.settings.forget();
});

/** A clock of an order by the standard calendar. */
async function clock(codeOfOrder: string, target: 'response' | 'resolution', used: number, stopped: boolean) {
  const policy = await one(
    `INSERT INTO sla_policy (tenant_id, name, urgency, response_min, resolution_min, calendar_id, enabled) VALUES ($1, $2, 'normal', 30, 960, 1, false) RETURNING id`,
    [company, `${codeOfOrder}${target}`],
  );
  await run(
    db(),
    `INSERT INTO sla_clock (order_id, target, policy_id, calendar_id, target_minutes, started_at, used_minutes, due_at, stopped_at, state)
     SELECT id, $2, $3, 1, 960, created_at, $4, now(), CASE WHEN $5 THEN now() END, CASE WHEN $5 THEN 'met' ELSE 'running' END FROM work_order WHERE code = $1`,
    [codeOfOrder, target, policy, used, stopped],
  );
}

test('in business time an evening does not count: buckets by the calendar of the clocks, and the orders behind them', async () => {
  // Friday evening to Monday morning: half an hour of work.
  const week = 'range=2024-03-15~2024-03-18';
  const over = await plant({
    created: '2024-03-15T17:45:00',
    accepted: '2024-03-18T09:15:00',
    finished: '2024-03-18T11:15:00',
  });
  await run(db(), `UPDATE work_order SET started_at = '2024-03-18T10:15:00+08:00' WHERE code = $1`, [over]);
  await clock(over, 'response', 30, true);
  await clock(over, 'resolution', 150, true);
  const buckets = async (query: string) => {
    const { data } = await mall.call(reader, 'GET', `/jinmao/web/report/ageing?${week}&${query}`);
    const { sums } = data;
    const [column] = ['b1', 'b2', 'b3', 'b4', 'b5', 'b6'].filter((name) => sums[name] === 1);
    expect(await listed(data.rows[0].drill[column!])).toEqual([over]);
    return column;
  };
  expect(await buckets('agingType=1')).toBe('b6');
  expect(await buckets('agingType=1&time=business')).toBe('b3');
  expect(await buckets('agingType=2')).toBe('b4');
  expect(await buckets('agingType=2&time=business')).toBe('b4');
  expect(await buckets('agingType=3')).toBe('b3');
  expect(await buckets('agingType=3&time=business')).toBe('b1');
  // An open one: two months on the wall and what the calendar has worked since.
  const open = await plant({ created: '2024-03-16T10:00:00', accepted: '2024-03-16T10:01:00' });
  await clock(open, 'resolution', 0, false);
  const { data } = await mall.call(
    reader,
    'GET',
    `/jinmao/web/report/ageing?${week}&agingType=4&time=business`,
  );
  expect(data.sums).toMatchObject({ b5: 1, total: 1 });
  const [row] = (
    await mall.call(
      reader,
      'GET',
      `/jinmao/web/ageingOrder/page?limit=50&${new URLSearchParams(data.sums.drill.b5).toString()}`,
    )
  ).data.rows;
  expect(row.code).toBe(open);
  expect(Number(row.openBusiness)).toBeLessThan(Number(row.openMinutes) / 3);
});

test('the minutes of a calendar in the database are those of the clocks', async () => {
  const hours = await calendarHours(db(), 1);
  const from = new Date(Date.now() - 40 * 86_400_000);
  for (const days of [0.2, 1, 2.7, 8, 33]) {
    const to = new Date(from.getTime() + days * 86_400_000);
    const { n } = (await runOne<{ n: number }>(db(), 'SELECT work_calendar_minutes(1, $1, $2) AS n', [
      from,
      to,
    ]))!;
    expect([days, n]).toEqual([days, calendarMinutes(from, to, hours)]);
  }
});

test('a frozen month keeps its buckets; the current figures and a page that stands open see what they saw', async () => {
  const first = await plant({ created: '2024-06-03T10:00:00', accepted: '2024-06-03T10:04:00' });
  const never = await plant({ created: '2024-06-04T10:00:00' });
  const june = async (query: string) =>
    (
      await mall.call(
        reader,
        'GET',
        `/jinmao/web/report/ageing?range=2024-06-01~2024-06-30&agingType=1${query}`,
      )
    ).data;
  const standing = await june('');
  await run(
    db(),
    `UPDATE work_order SET accepted_at = '2024-06-04T10:03:00+08:00', status = 'accepted' WHERE code = $1`,
    [never],
  );
  // The page that was opened before lists what it counted.
  expect(await listed(standing.sums.drill.notReached)).toEqual([never]);
  expect((await june('')).sums).toMatchObject({ b1: 2, notReached: 0 });
  await freezeMonth(mall.platform, '2024-06-01');
  await run(db(), `UPDATE work_order SET accepted_at = '2024-06-03T11:00:00+08:00' WHERE code = $1`, [first]);
  const frozen = await june('');
  expect(frozen.sums).toMatchObject({ b1: 2, b4: 0 });
  expect(await listed(frozen.sums.drill.b1)).toEqual([never, first]);
  const current = await june('&version=current');
  expect(current.sums).toMatchObject({ b1: 1, b4: 1 });
  expect(await listed(current.sums.drill.b4)).toEqual([first]);
});
