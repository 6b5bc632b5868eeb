import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeMonth } from '../../../domain/sales-stat/month-close.server.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { registration as departments } from '../../admin-sys/department/department.server.ts';
import { registration as staff } from '../../admin-sys/staff/staff.server.ts';
import { registration as places } from '../../base-data/places/places.server.ts';
import { callerOf, openMall, type Mall } from '../../mall/product/mall-fixture.ts';
import { plantOrder, plantProduct } from '../statistics-fixture.ts';
import { detail, line, registration as report } from './achievement.server.ts';
import { registration as targets } from './performance-target.server.ts';
import { elapsedOf, forecastOf, rate } from './performance.rules.ts';

const MENU = 'sa_achievement';
let mall: Mall;
let company = 0;
let admin: Caller;
let turn = 0;

beforeAll(async () => {
  mall = await openMall([places, staff, departments, report, detail, targets]);
  company = (await runOne<{ id: number }>(mall.platform.database.db, 'SELECT id FROM tenant WHERE kind = 3'))!
    .id;
  admin = callerOf(
    { staffId: await mall.staff('leader', company), tenantId: company },
    [MENU],
    [`${MENU}:btn_viewAll`, `${MENU}:btn_target`, `${MENU}:btn_export`],
  );
});
afterAll(() => mall.close());

async function department(name: string): Promise<number> {
  turn += 1;
  return (await runOne<{ id: number }>(
    mall.platform.database.db,
    `INSERT INTO department (tenant_id, code, name) VALUES ($1, $2, $3) RETURNING id`,
    [company, `SD${turn}`, name],
  ))!.id;
}

/** A butler with valid sales on the given business times, in fen. */
async function butler(name: string, sales: readonly (readonly [string, number])[]): Promise<number> {
  const { db } = mall.platform.database;
  const staff = await mall.staff(name, company);
  const { id: keeper } = (await runOne<{ id: number }>(
    db,
    'INSERT INTO housekeeper (staff_id) VALUES ($1) RETURNING id',
    [staff],
  ))!;
  for (const [paidAt, cash] of sales) {
    const product = await plantProduct(mall, mall.ids.merchantA, `of ${name}`);
    const order = await plantOrder(mall, {
      tenant: mall.ids.merchantA,
      project: mall.ids.north,
      member: mall.ids.member,
      paidAt,
      lines: [{ product, qty: 1, unit: cash, cash }],
    });
    await run(
      db,
      `INSERT INTO butler_performance (line_id, order_id, housekeeper_id, way, project_id, product_id, member_id, paid_at, counted_at, cash, qty, rule)
       SELECT l.id, o.id, $2, 2, o.project_id, l.product_id, o.member_id, o.paid_at, o.paid_at, l.cash, 1, 'none'
         FROM order_line l JOIN sales_order o ON o.id = l.order_id WHERE l.id = $1`,
      [order.lines[0], keeper],
    );
  }
  return staff;
}

const ask = (caller: Caller, query: string) =>
  mall.call(caller, 'GET', `/jinmao/web/report/achievement?limit=200&${query}`);
const details = (caller: Caller, query: string) =>
  mall.call(caller, 'GET', `/jinmao/web/report/achievementDetail?limit=200&${query}`);
const rowOf = (answer: { data: { rows: { id: string }[] } }, id: number): any =>
  answer.data.rows.find((row) => row.id === String(id));
const makeTarget = (body: Record<string, unknown>) =>
  mall.call(admin, 'POST', '/jinmao/web/performanceTarget', { metric: 'sales_valid', ...body });

describe('performance', () => {
  test('group 18 Must show 7: 4,000.00 of 10,000.00 on day 12 of 30 is on pace and comes to 10,000.00', () => {
    const time = elapsedOf('2026-11-01', '2026-11-30', '2026-11-12');
    expect(time).toEqual({ days: 30, gone: 12 });
    expect(
      line('sales_valid', 1_000_000, 400_000, { ...time, progress: rate(time.gone, time.days)! }),
    ).toEqual({
      target: 1_000_000,
      actual: 400_000,
      gap: -600_000,
      forecast: 1_000_000,
      completion: 40,
      progress: 40,
      pace: 'success',
    });
    expect(forecastOf(400_000, 2, 30)).toBeNull();
    expect(line('orders', 100, 31, { gone: 12, days: 30, progress: 40 })).toMatchObject({
      actualN: 31,
      pace: 'error',
    });
    expect(line('orders', 100, 32, { gone: 12, days: 30, progress: 40 })).toMatchObject({ pace: 'warning' });
  });

  test('a target stands beside what was reached, and its rows add up to it', async () => {
    const staff = await butler('reacher', [
      ['2021-06-03T10:00:00', 250_000],
      ['2021-06-30T23:59:59', 150_000],
      ['2021-07-01T00:00:00', 999],
    ]);
    const made = await makeTarget({
      month: '2021-06',
      subjectKind: 'staff',
      staff: String(staff),
      amount: '10000.00',
    });
    expect(made.http).toBe(200);
    const answer = await ask(admin, 'range=2021-06-01~2021-06-30');
    expect(rowOf(answer, staff)).toMatchObject({
      target: '10000.00',
      actual: '4000.00',
      completion: '40.0',
      gap: '-6000.00',
      pace: 'error',
    });
    expect(answer.data.titles).toMatchObject({ targetN: null, actualN: null });
    const { drill } = rowOf(answer, staff);
    const opened = await details(admin, new URLSearchParams(drill.actual).toString());
    expect(opened.data.rows.map((row: { value: string }) => row.value)).toEqual(['1500.00', '2500.00']);
    expect(opened.data.sums.value).toBe('4000.00');
    expect(opened.data.figures).toMatchObject({
      actual: { value: '4000.00' },
      target: { value: '10000.00' },
    });
    const counted = await ask(admin, 'range=2021-06-01~2021-06-30&metric=orders');
    expect(rowOf(counted, staff)).toMatchObject({ actualN: 2 });
    const again = await makeTarget({
      month: '2021-06',
      subjectKind: 'staff',
      staff: String(staff),
      amount: '1.00',
    });
    expect([again.http, again.status]).toEqual([409, 30101]);
  });

  test('group 18 Must show 8: 10,000.00 over three who did alike is 3,333.34, 3,333.33, 3,333.33', async () => {
    const of = await department('split');
    const people = [];
    for (const name of ['s1', 's2', 's3']) {
      const staff = await butler(`split${name}`, [['2021-09-15T10:00:00', 5_000]]);
      await run(mall.platform.database.db, 'UPDATE staff SET department_id = $2 WHERE id = $1', [staff, of]);
      people.push(staff);
    }
    const made = await makeTarget({
      month: '2021-10',
      subjectKind: 'department',
      department: String(of),
      amount: '10000.00',
    });
    expect(made.http).toBe(200);
    const split = await mall.call(admin, 'POST', `/jinmao/web/performanceTarget/${made.data.id}/split`, {
      version: made.data.version ?? 1,
    });
    expect(split.http, JSON.stringify(split)).toBe(200);
    const rows = await run<{ amount: number }>(
      mall.platform.database.db,
      `SELECT amount FROM performance_target WHERE month = '2021-10' AND staff_id = ANY($1::bigint[]) ORDER BY staff_id`,
      [people],
    );
    expect(rows.map((row) => row.amount)).toEqual([333_334, 333_333, 333_333]);
  });

  test('targets of a month are copied with a tenth more; who has one already keeps it', async () => {
    const [first, second] = [await department('copy 1'), await department('copy 2')];
    const copy = (input: object) =>
      mall.call(admin, 'POST', '/jinmao/web/performanceTarget/action/copyMonth', {
        source: '2022-01',
        copyTo: '2022-02',
        percent: '10',
        ...input,
      });
    for (const of of [first, second])
      await makeTarget({
        month: '2022-01',
        subjectKind: 'department',
        department: String(of),
        amount: '99.99',
      });
    await makeTarget({
      month: '2022-02',
      subjectKind: 'department',
      department: String(second),
      amount: '5.00',
    });
    const done = await copy({});
    expect([done.http, done.message, done.data]).toEqual([200, '', { targets: 1 }]);
    expect(
      await run(
        mall.platform.database.db,
        `SELECT department_id AS of, amount, state FROM performance_target WHERE month = '2022-02' ORDER BY 1`,
      ),
    ).toEqual([
      { of: first, amount: 10_999, state: 'draft' },
      { of: second, amount: 500, state: 'draft' },
    ]);
    expect((await copy({})).message).toBe('来源月份没有可复制的目标');
    expect((await copy({ copyTo: '2022-13' })).data.fields).toEqual({ copyTo: '月份格式为 2026-11' });
  });

  test('group 18 Must show 9: details of others need the right to see everybody, the own ones come whatever is asked', async () => {
    const mine = await butler('mine', [['2021-05-03T10:00:00', 1_100]]);
    const other = await butler('other', [['2021-05-04T10:00:00', 2_200]]);
    const me = callerOf({ staffId: mine, tenantId: company }, [MENU]);
    const query = `range=2021-05-01~2021-05-31&subjectId=${other}&subjectKind=staff`;
    expect((await details(me, `isAdmin=1&${query}`)).http).toBe(403);
    const own = await details(me, `isAdmin=0&${query}`);
    expect(own.data.rows.map((row: { value: string }) => row.value)).toEqual(['11.00']);
    const list = await ask(me, 'range=2021-05-01~2021-05-31&subjectKind=project');
    expect(list.data.rows.map((row: { id: string }) => row.id)).toEqual([String(mine)]);
  });

  test('group 18 Must show 10: who moved on the 16th has days 1 to 15 in one department and the rest in the other', async () => {
    const { db } = mall.platform.database;
    const [first, second] = [await department('before'), await department('after')];
    const staff = await butler('mover', [
      ['2021-04-15T23:00:00', 700],
      ['2021-04-16T00:00:00', 300],
    ]);
    await run(db, 'UPDATE staff SET department_id = $2 WHERE id = $1', [staff, second]);
    await run(db, 'DELETE FROM staff_department_since WHERE staff_id = $1', [staff]);
    await run(
      db,
      `INSERT INTO staff_department_since (staff_id, since, department_id) VALUES ($1, '2000-01-01', $2), ($1, '2021-04-16', $3)`,
      [staff, first, second],
    );
    const range = 'range=2021-04-01~2021-04-30';
    const answer = await ask(admin, `${range}&subjectKind=department`);
    expect([rowOf(answer, first).actual, rowOf(answer, second).actual]).toEqual(['7.00', '3.00']);
    expect(rowOf(await ask(admin, range), staff).actual).toBe('10.00');
    const kept = await run<{ since: string }>(
      db,
      `UPDATE staff SET department_id = $2 WHERE id = $1 RETURNING (SELECT count(*)::text FROM staff_department_since WHERE staff_id = $1) AS since`,
      [staff, first],
    );
    expect(kept).toHaveLength(1);
    const last = await runOne<{ department: number }>(
      db,
      'SELECT department_id AS department FROM staff_department_since WHERE staff_id = $1 ORDER BY since DESC LIMIT 1',
      [staff],
    );
    expect(last!.department).toBe(first);
  });

  test('a closed month takes no target, a confirmed one changes with a reason, too much is refused', async () => {
    const staff = await mall.staff('closed', company);
    const base = { subjectKind: 'staff', staff: String(staff) };
    const much = await makeTarget({ ...base, month: '2020-02', amount: '100000000.01' });
    expect([much.http, much.data.fields.amount]).toEqual([422, '目标应为 0 至 100,000,000.00']);
    const made = await makeTarget({ ...base, month: '2020-02', amount: '5.00' });
    const path = `/jinmao/web/performanceTarget/${made.data.id}`;
    const confirmed = await mall.call(admin, 'POST', `${path}/confirm`, { version: 1 });
    expect(confirmed.http).toBe(200);
    const bare = await mall.call(admin, 'POST', `${path}/change`, { version: 2, amount: '6.00' });
    expect(bare.http).toBe(422);
    const changed = await mall.call(admin, 'POST', `${path}/change`, {
      version: 2,
      amount: '6.00',
      reason: '调整范围',
    });
    expect(changed.http, JSON.stringify(changed)).toBe(200);
    await transaction(mall.platform.database.db, (tx) => closeMonth(tx, '2020-02', null));
    const late = await mall.call(admin, 'POST', `${path}/change`, {
      version: 3,
      amount: '7.00',
      reason: '再调整',
    });
    expect([late.status, late.message]).toEqual([30101, '2020-02 已关账']);
    const other = await makeTarget({ ...base, month: '2020-02', metric: 'orders', number: 3 });
    expect(other.message).toBe('2020-02 已关账');
  });
});
