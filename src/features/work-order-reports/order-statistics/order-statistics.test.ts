import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { callerOf, openMall, type Mall } from '../../mall/product/mall-fixture.ts';
import { COUNT_COLUMNS } from './order-statistics.contract.ts';
import { registration as operationsList } from './operations-order.server.ts';
import { registration as operations } from './operations-statistics.server.ts';
import { registration as propertyList } from './property-order.server.ts';
import { registration as property } from './property-statistics.server.ts';

const RANGE = '2025-11-01~2025-11-30';
let mall: Mall;
let admin: Caller;
let northOnly: Caller;
let merchant: Caller;
let company = 0;

interface Planted {
  readonly type?: string;
  readonly class?: string | null;
  readonly status?: string;
  readonly project?: number;
  readonly created?: string;
  readonly accepted?: string | null;
  readonly finished?: string | null;
  readonly complained?: number | null;
  readonly tenant?: number;
  readonly response?: 'met' | 'failed' | 'running';
  readonly pause?: readonly [string, string];
}

let turn = 0;
async function plant(one: Planted): Promise<number> {
  const { db } = mall.platform.database;
  turn += 1;
  const type = one.type ?? 'complaint_repair';
  const trade = type === 'goods' || type === 'service';
  const row = (await runOne<{ id: number }>(
    db,
    `INSERT INTO work_order (code, type, class, status, tenant_id, project_id, title, created_at, accepted_at, finished_at,
                             complained_staff_id, sub_status, business_id, handler_id)
     VALUES ($1, $2, $3, $4, $5, $6, $1, $7, $8, $9, $10, $11, $12, $13) RETURNING id`,
    [
      `RP${turn}`,
      type,
      type === 'complaint_repair' ? (one.class ?? 'repair') : null,
      one.status ?? 'finished',
      one.tenant ?? company,
      one.project ?? mall.ids.north,
      `${one.created ?? '2025-11-10T10:00:00'}+08:00`,
      one.accepted ? `${one.accepted}+08:00` : null,
      one.finished ? `${one.finished}+08:00` : null,
      one.complained ?? null,
      trade ? 'placed' : null,
      trade ? (await runOne<{ id: number }>(db, 'SELECT min(id) AS id FROM business'))!.id : null,
      handler,
    ],
  ))!;
  if (one.response)
    await run(
      db,
      `INSERT INTO sla_clock (order_id, target, policy_id, calendar_id, target_minutes, started_at, due_at, stopped_at, state)
       VALUES ($1, 'response', 1, 1, 30, now(), now(), $2, $3)`,
      [row.id, one.response === 'met' ? new Date() : null, one.response],
    );
  for (const [index, action] of (['pause', 'resume'] as const).entries())
    if (one.pause)
      await run(db, 'INSERT INTO work_order_event (order_id, at, action) VALUES ($1, $2, $3)', [
        row.id,
        `${one.pause[index]}+08:00`,
        action,
      ]);
  return row.id;
}

let handler = 0;
const ask = (caller: Caller, report: string, query: string) =>
  mall.call(caller, 'GET', `/jinmao/web/report/${report}?limit=200&${query}`);
const list = (caller: Caller, name: string, query: Record<string, string>) =>
  mall.call(caller, 'GET', `/jinmao/web/${name}/page?limit=50&${new URLSearchParams(query).toString()}`);

beforeAll(async () => {
  mall = await openMall([property, propertyList, operations, operationsList]);
  const { db } = mall.platform.database;
  const one = async (text: string, values: readonly unknown[] = []) =>
    (await runOne<{ id: number }>(db, text, values))!.id;
  company = await one(`INSERT INTO tenant (kind, account, name) VALUES (1, 'R9', 'company') RETURNING id`);
  await run(db, 'INSERT INTO tenant_project VALUES ($1, $2), ($1, $3)', [
    company,
    mall.ids.north,
    mall.ids.south,
  ]);
  handler = await one(
    `INSERT INTO staff (tenant_id, account, name) VALUES ($1, 'report-hand', 'hand') RETURNING id`,
    [company],
  );
  const reader = await one(
    `INSERT INTO staff (tenant_id, account, name) VALUES ($1, 'report-read', 'read') RETURNING id`,
    [company],
  );
  const platform = await one('SELECT id FROM tenant WHERE kind = 3');
  const menus = ['or_ProOperIndex', 'or_ProOperDetail', 'or_operIndex', 'or_operDetail'];
  admin = callerOf({ staffId: 900, tenantId: platform }, menus);
  northOnly = callerOf(
    { staffId: reader, tenantId: company, tenantKind: 1, projectIds: [mall.ids.north] },
    menus,
  );
  merchant = callerOf({ staffId: 901, tenantId: mall.ids.merchantA, tenantKind: 2 }, menus);
});
afterAll(() => mall.close());

describe('statistics of work orders', () => {
  test('group 11 Must show 1: ten orders, completion 7 ÷ 9, each figure lists exactly its orders', async () => {
    const repair = { class: 'repair', accepted: '2025-11-10T10:05:00', finished: '2025-11-10T12:00:00' };
    for (let index = 0; index < 5; index += 1) await plant(repair);
    await plant({ class: 'repair', status: 'processing', accepted: '2025-11-10T10:05:00' });
    for (let index = 0; index < 2; index += 1) await plant({ ...repair, class: 'complaint' });
    await plant({ class: 'complaint', status: 'cancelled_by_staff' });
    await plant({ type: 'plan', status: 'pending_system' });
    const { data, http } = await ask(admin, 'propertyStatistics', `range=${RANGE}`);
    expect(http).toBe(200);
    expect(data.sums).toMatchObject({
      total: 10,
      repair: 6,
      complaint: 3,
      plan: 1,
      finished: 7,
      cancelled: 1,
    });
    expect(data.sums.completionRate).toBe('77.8');
    expect(data.charts.kind.map((point: { values: { total: number } }) => point.values.total)).toEqual([
      6, 3, 1,
    ]);
    for (const column of COUNT_COLUMNS.property) {
      const listed = await list(admin, 'propertyReportOrder', data.sums.drill[column]);
      expect(listed.data.total, column).toBe(data.sums[column]);
      for (const row of data.rows)
        expect((await list(admin, 'propertyReportOrder', row.drill[column])).data.total, column).toBe(
          row[column],
        );
    }
    for (const key of ['kind', 'category', 'project'])
      for (const point of data.charts[key])
        expect(
          (await list(admin, 'propertyReportOrder', Object.fromEntries(new URLSearchParams(point.key)))).data
            .total,
          key,
        ).toBe(point.values.total);
  });

  test.each(['person', 'category', 'source', 'day'])(
    'rows by %s list their orders and sum up',
    async (by) => {
      const { data } = await ask(admin, 'propertyStatistics', `range=${RANGE}&by=${by}`);
      let sum = 0;
      for (const row of data.rows) {
        sum += row.total;
        expect((await list(admin, 'propertyReportOrder', row.drill.total)).data.total).toBe(row.total);
      }
      expect(sum).toBe(data.sums.total);
    },
  );

  test('group 11 Must show 2: 5 met, 2 failed, 1 running is 71.4 %', async () => {
    for (const response of ['met', 'met', 'met', 'met', 'met', 'failed', 'failed', 'running'] as const)
      await plant({ created: '2025-08-05T10:00:00', response });
    const { data } = await ask(admin, 'propertyStatistics', 'range=2025-08-01~2025-08-31');
    expect(data.sums.responseRate).toBe('71.4');
    expect(data.sums.overdue).toBe(2);
  });

  test('a pause of two hours on the wall does not count: 10:00 to 16:00 is four hours', async () => {
    await plant({
      created: '2025-07-05T10:00:00',
      accepted: '2025-07-05T10:05:00',
      finished: '2025-07-05T16:00:00',
      pause: ['2025-07-05T12:00:00', '2025-07-05T14:00:00'],
    });
    const { data } = await ask(admin, 'propertyStatistics', 'range=2025-07-01~2025-07-31');
    expect(data.sums).toMatchObject({ averageSolve: 240, averageResponse: 5 });
  });

  test('group 11 Must show 5: 1 of 1 and 1 of 9 in time are 20.0 % together', async () => {
    await plant({ created: '2025-06-05T10:00:00', response: 'met' });
    for (let index = 0; index < 9; index += 1)
      await plant({
        created: '2025-06-05T10:00:00',
        project: mall.ids.south,
        response: index === 0 ? 'met' : 'failed',
      });
    const { data } = await ask(admin, 'propertyStatistics', 'range=2025-06-01~2025-06-30');
    expect(data.rows.map((row: { responseRate: string }) => row.responseRate).sort()).toEqual([
      '100.0',
      '11.1',
    ]);
    expect(data.sums.responseRate).toBe('20.0');
    const own = await ask(northOnly, 'propertyStatistics', 'range=2025-06-01~2025-06-30');
    expect(own.data.sums.total).toBe(1);
  });

  test('the complaint about the reader is neither counted nor listed', async () => {
    await plant({ created: '2025-05-05T10:00:00', class: 'complaint', complained: northOnly.staffId });
    const range = '2025-05-01~2025-05-31';
    const { data } = await ask(northOnly, 'propertyStatistics', `range=${range}`);
    expect(data.sums.total).toBe(0);
    expect((await list(northOnly, 'propertyReportOrder', { createdAt: range })).data.total).toBe(0);
    expect((await ask(admin, 'propertyStatistics', `range=${range}`)).data.sums.total).toBe(1);
  });

  test('an unknown metric and a period of 400 days are refused', async () => {
    const bad = await list(admin, 'propertyReportOrder', { metric: 'abc' });
    expect(bad.http).toBe(422);
    const long = await ask(admin, 'propertyStatistics', 'range=2024-01-01~2025-02-03');
    expect(long.http).toBe(422);
    expect(long.data.fields.range).toBe('时间跨度不能超过366天');
  });

  test('group 11 Must show 10: a merchant sees its own orders of goods and services only', async () => {
    await plant({ type: 'goods', created: '2025-04-05T10:00:00', tenant: mall.ids.merchantA });
    await plant({ type: 'service', created: '2025-04-05T10:00:00', tenant: company });
    const range = '2025-04-01~2025-04-30';
    const own = await ask(merchant, 'operationsStatistics', `range=${range}`);
    expect(own.data.sums).toMatchObject({ total: 1, goods: 1, service: 0 });
    expect((await list(merchant, 'operationsReportOrder', own.data.sums.drill.total)).data.total).toBe(1);
    expect((await ask(admin, 'operationsStatistics', `range=${range}`)).data.sums.total).toBe(2);
  });
});
