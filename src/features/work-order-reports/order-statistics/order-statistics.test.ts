import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import {
  freezeDue,
  freezeMonth,
  registration as freezing,
  sendReports,
} from '../../../domain/work-order-report/freeze.server.ts';
import { shareText } from '../../../kernel/client/report/chart-data.rules.ts';
import type { ChartPoint } from '../../../kernel/contract/report.ts';
import { callerOf, openMall, type Mall } from '../../mall/product/mall-fixture.ts';
import { registration as workOrders } from '../../property/work-order/work-order.server.ts';
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
  mall = await openMall([property, propertyList, operations, operationsList, workOrders]);
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
  const elements = ['or_ProOperIndex:btn_freezeView', 'or_ProOperIndex:btn_subscribe'];
  admin = callerOf({ staffId: 900, tenantId: platform }, menus, elements);
  northOnly = callerOf(
    { staffId: reader, tenantId: company, tenantKind: 1, projectIds: [mall.ids.north] },
    menus,
    elements,
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
    expect([data.sums.completionRate, data.figures.completionRate.value]).toEqual(['77.8', '77.8']);
    expect(data.figures.score.value).toBe(null);
    // Over 62 days the line goes by weeks, each of which opens its orders.
    const weeks = (await ask(admin, 'propertyStatistics', 'range=2025-10-01~2025-12-15')).data.charts
      .day as ChartPoint[];
    expect([weeks.length, weeks[1]!.label]).toEqual([12, '10-06']);
    const full = weeks.find((one) => one.values.total === 10)!;
    expect(
      (await list(admin, 'propertyReportOrder', Object.fromEntries(new URLSearchParams(full.key)))).data
        .total,
    ).toBe(10);
    expect(data.charts.kind.map((point: { values: { total: number } }) => point.values.total)).toEqual([
      6, 3, 1,
    ]);
    // The workbook: a sheet for each block behind the table, the definitions last.
    const sheets = await property.exports![0]!.sheets!(
      { caller: admin, platform: mall.platform, language: 'en' },
      { range: RANGE },
    );
    expect(sheets.map((sheet) => sheet.title)).toEqual([
      'Figures',
      'By type',
      'By category',
      'By day',
      'By project',
      'Definitions',
    ]);
    expect(sheets[0]!.rows).toContainEqual(['Completion', '77.8', null]);
    expect(sheets[1]!.rows.map((row) => row[1])).toEqual([6, 3, 1]);
    expect(sheets[3]!.rows).toHaveLength(30);
    expect(sheets[5]!.rows).toContainEqual(['Completion', 'Finished ÷ (orders − cancelled)']);
    for (const column of COUNT_COLUMNS.property) {
      const listed = await list(admin, 'propertyReportOrder', data.sums.drill[column]);
      expect(listed.data.total, column).toBe(data.sums[column]);
      for (const row of data.rows)
        expect((await list(admin, 'propertyReportOrder', row.drill[column])).data.total, column).toBe(
          row[column],
        );
    }
    expect(
      data.charts.kind.map((point: ChartPoint) =>
        shareText(data.charts.kind as ChartPoint[], 'total', point),
      ),
    ).toEqual(['60.0%', '30.0%', '10.0%']);
    // The address of a figure is its whole filter: opened anywhere else it lists the same orders.
    const address = new URLSearchParams(data.sums.drill.repair as Record<string, string>).toString();
    const reopened = await list(
      admin,
      'propertyReportOrder',
      Object.fromEntries(new URLSearchParams(address)),
    );
    expect(reopened.data.total).toBe(6);
    for (const key of ['kind', 'category', 'project'])
      for (const point of data.charts[key])
        expect(
          (await list(admin, 'propertyReportOrder', Object.fromEntries(new URLSearchParams(point.key)))).data
            .total,
          key,
        ).toBe(point.values.total);
  });

  test('averages in business time are what the clocks used in their calendar; the lists behind stay the same', async () => {
    const { db } = mall.platform.database;
    const { data: before } = await ask(admin, 'propertyStatistics', 'range=2023-03-01~2023-03-31');
    expect(before.sums.total).toBe(0);
    // Friday evening to Monday morning: 63 hours and a half on the wall, half an hour of work.
    const id = await plant({
      class: 'repair',
      created: '2023-03-10T17:45:00',
      accepted: '2023-03-13T09:15:00',
      finished: '2023-03-13T10:15:00',
      response: 'met',
    });
    await run(db, `UPDATE sla_clock SET used_minutes = 30, stopped_at = now() WHERE order_id = $1`, [id]);
    const minutes = async (more: string) => {
      const { data } = await ask(admin, 'propertyStatistics', `range=2023-03-01~2023-03-31${more}`);
      return [data.sums.averageResponse, data.sums.averageSolve, data.sums.drill.total.time];
    };
    // Without a clock of its own the end is counted on the wall.
    expect(await minutes('')).toEqual([3_810, 3_870, undefined]);
    expect(await minutes('&time=business')).toEqual([30, 3_870, undefined]);
    // The list behind says both, so that either mean can be followed to its orders.
    const { data } = await list(admin, 'propertyReportOrder', { createdAt: '2023-03-01~2023-03-31' });
    expect(data.rows[0]).toMatchObject({ responseUsed: 3_810, responseBusiness: 30 });
  });

  test('the ring of categories shows the first level, then the one below; each slice lists its orders', async () => {
    const { db } = mall.platform.database;
    const category = async (name: string, parent: number | null) =>
      (await runOne<{ id: number }>(
        db,
        `INSERT INTO work_category (tenant_id, parent_id, code, name) VALUES ($1, $2, $3, $3) RETURNING id`,
        [company, parent, name],
      ))!.id;
    const top = await category('水电', null);
    const [tap, lamp] = [await category('龙头', top), await category('灯具', top)];
    const places = [top, tap, tap, lamp];
    for (const place of places) {
      const id = await plant({ class: 'repair', created: '2023-05-10T10:00:00' });
      await run(db, 'UPDATE work_order SET category_id = $2 WHERE id = $1', [id, place]);
    }
    const ring = async (more: string) => {
      const { data } = await ask(admin, 'propertyStatistics', `range=2023-05-01~2023-05-31${more}`);
      for (const point of data.charts.category as ChartPoint[])
        expect(
          (await list(admin, 'propertyReportOrder', Object.fromEntries(new URLSearchParams(point.key)))).data
            .total,
        ).toBe(point.values.total);
      return (data.charts.category as ChartPoint[]).map((point) => [point.label, point.values.total]);
    };
    expect(await ring('')).toEqual([['水电', 4]]);
    expect(await ring(`&category=${top}`)).toEqual([
      ['龙头', 2],
      ['水电', 1],
      ['灯具', 1],
    ]);
  });

  test.each(['person', 'department', 'category', 'source', 'day'])(
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
    // On hover: the numbers of the formula, on the card and in every row.
    expect(data.figures.responseRate.working).toBe('5 ÷ (5 + 2)');
    expect(data.sums.working.responseRate).toBe('5 ÷ (5 + 2)');
    expect(data.rows[0].working.responseRate).toBe('5 ÷ (5 + 2)');
    expect(data.sums.overdue).toBe(2);
  });

  test('group 11 Must show 6: a page keeps its instant, whatever happens to its orders meanwhile', async () => {
    const { db } = mall.platform.database;
    const ids: number[] = [];
    for (let index = 0; index < 12; index += 1)
      ids.push(
        await plant({
          created: '2025-03-05T10:00:00',
          status: 'processing',
          accepted: '2025-03-05T10:05:00',
        }),
      );
    const asked = () => ask(admin, 'propertyStatistics', 'range=2025-03-01~2025-03-31');
    const open = await asked();
    expect(open.data.sums.doing).toBe(12);
    await run(db, `UPDATE work_order SET status = 'finished', finished_at = now() WHERE id = $1`, [ids[0]]);
    await run(db, `UPDATE work_order SET handler_id = NULL, status = 'pending_system' WHERE id = $1`, [
      ids[1],
    ]);
    await plant({ created: '2025-03-06T10:00:00', status: 'processing', accepted: '2025-03-06T10:05:00' });
    const { drill } = open.data.sums;
    const listed = await list(admin, 'propertyReportOrder', drill.doing);
    expect(listed.data.total).toBe(12);
    expect(listed.data.rows.every((row: { state: string }) => row.state === 'processing')).toBe(true);
    expect((await list(admin, 'propertyReportOrder', drill.finished)).data.total).toBe(0);
    expect((await list(admin, 'propertyReportOrder', drill.total)).data.total).toBe(12);
    const fresh = await asked();
    expect([fresh.data.sums.doing, fresh.data.sums.finished]).toEqual([11, 1]);
    expect((await list(admin, 'propertyReportOrder', fresh.data.sums.drill.doing)).data.total).toBe(11);
    for (const bad of ['yesterday', '1764000000000.5:3:', `${Date.now() - 90_000_000}.1:2:`])
      expect([bad, (await list(admin, 'propertyReportOrder', { asOf: bad })).http]).toEqual([bad, 422]);
  });

  test('group 11 Must show 7: a frozen month stays as it was; the current one says what changed since', async () => {
    const { db } = mall.platform.database;
    const ids: number[] = [];
    for (let index = 0; index < 10; index += 1)
      ids.push(
        await plant({
          created: '2024-11-10T10:00:00',
          accepted: '2024-11-10T10:05:00',
          finished: '2024-11-10T12:00:00',
        }),
      );
    const asked = (more = '') => ask(admin, 'propertyStatistics', `range=2024-11-01~2024-11-30${more}`);
    const changes = (more = '') =>
      mall.call(
        admin,
        'GET',
        `/jinmao/web/workOrderReport/property/changes?range=2024-11-01~2024-11-30${more}`,
      );
    await freezeMonth(mall.platform, '2024-11-01');
    expect((await changes()).data).toEqual({ figures: [], rows: [] });
    await run(
      db,
      `UPDATE work_order SET status = 'processing', reopen_count = reopen_count + 1 WHERE id = $1`,
      [ids[3]],
    );
    const frozen = await asked();
    expect([frozen.data.sums.total, frozen.data.sums.finished, frozen.data.sums.reopened]).toEqual([
      10, 10, 0,
    ]);
    expect((await list(admin, 'propertyReportOrder', frozen.data.sums.drill.finished)).data.total).toBe(10);
    expect((await list(admin, 'propertyReportOrder', frozen.data.sums.drill.total)).data.total).toBe(10);
    const current = await asked('&version=current');
    expect([current.data.sums.total, current.data.sums.finished, current.data.sums.reopened]).toEqual([
      10, 9, 1,
    ]);
    const { data } = await changes();
    expect(data.figures.map((one: { metric: string; by: number }) => [one.metric, one.by])).toEqual([
      ['doing', 1],
      ['finished', -1],
      ['reopened', 1],
    ]);
    const [row, ...others] = (await changes('&metric=reopened')).data.rows;
    expect(others).toEqual([]);
    expect([row.id, row.change]).toEqual([String(ids[3]), 'changed']);
    expect(row.fields).toEqual([
      { label: '状态', from: '已完成', to: '处理中' },
      { label: '重开', from: '0', to: '1' },
    ]);
    // A period over a frozen and an open month adds both.
    await plant({ created: '2024-12-10T10:00:00' });
    expect((await ask(admin, 'propertyStatistics', 'range=2024-11-01~2024-12-31')).data.sums.total).toBe(11);
    await expect(
      run(db, `UPDATE work_order_seen SET status = 'finished' WHERE seen = 'frozen'`),
    ).rejects.toThrow('never changed');
  });

  test('group 11 Must show 11: freezing twice at once and after an end in the middle gives one snapshot per project', async () => {
    const { db } = mall.platform.database;
    for (const project of [mall.ids.north, mall.ids.south])
      await plant({ created: '2024-09-10T10:00:00', project });
    const taken = async () =>
      (await runOne<{ snapshots: number; rows: number; projects: number }>(
        db,
        `SELECT (SELECT count(*)::int FROM report_snapshot WHERE month = '2024-09-01') AS snapshots,
                (SELECT count(*)::int FROM work_order_seen WHERE seen = 'frozen' AND month = '2024-09-01') AS rows,
                (SELECT count(*)::int FROM project) AS projects`,
      ))!;
    // It ends in the middle: the second of its transactions never commits.
    let turn = 0;
    const ending = {
      ...mall.platform,
      database: {
        ...mall.platform.database,
        get db() {
          turn += 1;
          if (turn > 1) throw new Error('ended');
          return db;
        },
      },
    } as unknown as typeof mall.platform;
    await freezeMonth(ending, '2024-09-01').catch(() => undefined);
    await Promise.all([freezeMonth(mall.platform, '2024-09-01'), freezeMonth(mall.platform, '2024-09-01')]);
    const once = await taken();
    expect([once.snapshots, once.rows]).toEqual([once.projects * 2, 2]);
    expect(await freezeMonth(mall.platform, '2024-09-01')).toBe(0);
    expect(await taken()).toEqual(once);
    const figures = await runOne<{ figures: { total: number } }>(
      db,
      `SELECT figures FROM report_snapshot WHERE family = 'property' AND month = '2024-09-01' AND project_id = $1`,
      [mall.ids.north],
    );
    expect(figures!.figures.total).toBe(1);
    for (const rule of freezing.invariants ?? [])
      expect([rule.name, (await rule.check(mall.platform)).problems]).toEqual([rule.name, []]);
    // Before the day of the setting nothing is frozen.
    expect(await freezeDue(mall.platform, '2024-08-04')).toBe(0);
    expect(await freezeDue(mall.platform, '2024-08-05')).toBe(once.projects * 2);
  });

  test('subscriptions are one’s own and are sent on their day', async () => {
    const path = '/jinmao/web/workOrderReport/property/subscription';
    expect((await mall.call(northOnly, 'GET', path)).data).toEqual({ cycles: [] });
    expect((await mall.call(northOnly, 'POST', path, { cycles: ['weekly'] })).data).toEqual({
      cycles: ['weekly'],
    });
    expect(await sendReports(mall.platform, 'monthly', '2025-11-06')).toBe(0);
    expect(await sendReports(mall.platform, 'weekly', '2025-11-10')).toBe(1);
    const told = await runOne<{ title_zh: string; route: string }>(
      mall.platform.database.db,
      `SELECT title_zh, route FROM notification WHERE kind = 'report' AND staff_id = $1`,
      [northOnly.staffId],
    );
    expect(told).toEqual({
      title_zh: '物业工单统计：2025-11-03 至 2025-11-09',
      route: '/ProOperReport/or_ProOperIndex?range=2025-11-03~2025-11-09',
    });
    expect((await mall.call(northOnly, 'POST', path, { cycles: [] })).data).toEqual({ cycles: [] });
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

  test('median and ninetieth, heat map, class, handler and the same days last year; a foreign project does not exist', async () => {
    const at = (minutes: number) => `2022-03-07T09:${String(minutes).padStart(2, '0')}:00`;
    for (const minutes of [1, 2, 3, 4, 50])
      await plant({
        created: '2022-03-07T09:00:00',
        accepted: at(minutes),
        finished: '2022-03-07T11:00:00',
        class: minutes === 50 ? 'complaint' : 'repair',
      });
    await plant({ created: '2021-03-04T09:00:00' });
    await plant({ created: '2021-03-05T09:00:00' });
    const period = 'range=2022-03-01~2022-03-31';
    const { data } = await ask(admin, 'propertyStatistics', `${period}&compare=year`);
    expect(data.sums).toMatchObject({ total: 5, medianResponse: 3, p90Response: 32, medianSolve: 120 });
    expect(data.sums).toMatchObject({ reopenRate: '0.0', fee: '0.00' });
    expect(data.figures.total).toMatchObject({ value: '5', previous: '2' });
    expect(data.rows[0]).toMatchObject({ medianResponse: 3, p90Response: 32 });
    const byClass = (await ask(admin, 'propertyStatistics', `${period}&class=complaint`)).data;
    expect(byClass.sums.total).toBe(1);
    expect((await list(admin, 'propertyReportOrder', byClass.sums.drill.total)).data.total).toBe(1);
    const byHandler = (await ask(admin, 'propertyStatistics', `${period}&handlerId=${handler}`)).data;
    expect((await list(admin, 'propertyReportOrder', byHandler.sums.drill.total)).data.total).toBe(
      byHandler.sums.total,
    );
    // Filters say who and what by name to whoever reads the report, holding no menu of work orders.
    const named = async (caller: Caller, target: string, id: number) =>
      (await mall.call(caller, 'GET', `/jinmao/web/options/${target}?ids=${id}`)).data.map(
        (one: { title: string }) => one.title,
      );
    const department = (await runOne<{ id: number }>(
      mall.platform.database.db,
      `INSERT INTO department (tenant_id, code, name) VALUES ($1, 'RP-D', '维修一队') RETURNING id`,
      [company],
    ))!.id;
    const [category] = await run<{ id: number; name: string }>(
      mall.platform.database.db,
      'SELECT id, name FROM work_category WHERE tenant_id IS NULL ORDER BY id LIMIT 1',
    );
    for (const caller of [admin, northOnly]) {
      expect(await named(caller, 'workDepartment', department)).toEqual(['维修一队']);
      expect(await named(caller, 'workCategory', category!.id)).toEqual([category!.name]);
    }
    expect(await named(admin, 'workStaff', handler)).toEqual(['hand']);
    expect(await named(merchant, 'workDepartment', department)).toEqual([]);
    const heat = (await mall.call(admin, 'GET', `/jinmao/web/workOrderReport/property/heat?${period}`)).data;
    expect(heat.cells.map((one: Record<string, unknown>) => [one.weekday, one.hour, one.orders])).toEqual([
      [1, 9, 5],
    ]);
    const cell = Object.fromEntries(new URLSearchParams(heat.cells[0].query as string));
    expect((await list(admin, 'propertyReportOrder', cell)).data.total).toBe(5);
    expect((await list(admin, 'propertyReportOrder', { ...cell, hour: '24' })).http).toBe(422);
    for (const path of [
      `report/propertyStatistics?${period}&project=${mall.ids.south}`,
      `workOrderReport/property/heat?${period}&project=${mall.ids.south}`,
    ])
      expect((await mall.call(northOnly, 'GET', `/jinmao/web/${path}`)).http).toBe(404);
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
