import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run } from '../../../kernel/server/database.ts';
import { callerOf, openMall, type Mall } from '../product/mall-fixture.ts';
import { registration as bills } from '../account-statement/statement.server.ts';
import { registration } from './account-analysis.server.ts';

const PATH = '/jinmao/web/report/accountAna?limit=200&range=2026-01-01~2026-12-31';

let mall: Mall;
let finance: Caller;
let merchant: Caller;

beforeAll(async () => {
  mall = await openMall([registration, bills]);
  const { merchantA, merchantB, north, south } = mall.ids;
  const menus = ['mm_accountAna', 'mm_accountStatement'];
  finance = callerOf({ staffId: 900, tenantId: 1 }, menus);
  merchant = callerOf({ staffId: 901, tenantId: merchantA, tenantKind: 2 }, menus);
  const bill = async (
    tenant: number,
    month: string,
    payable: number,
    state: string,
    daysDue: number,
    project: number,
  ) => {
    const due = ['to_pay', 'failed', 'settled'].includes(state);
    await run(
      mall.platform.database.db,
      `WITH head AS (INSERT INTO statement (code, tenant_id, cycle, period_from, period_to, state, row_count, gross, cash, commission, accrual, payable, rows_hash, submitted_at,
           pay_amount, carry_out, confirmer, confirmed_at, to_pay_at, pay_way, paid_at)
         VALUES ($1, $2, 'month', $3::date, ($3::date + interval '1 month - 1 day')::date, 'draft', 1, $4, $4, 0, $4, $4, 'x', now(),
           CASE WHEN $6 THEN $4::bigint END, CASE WHEN $6 THEN 0 END, CASE WHEN $6 THEN 'system' END, CASE WHEN $6 THEN now() END,
           now() - make_interval(days => $7), CASE WHEN $6 THEN 'channel' END, now()) RETURNING id),
       line AS (INSERT INTO statement_line (statement_id, row_no, row_kind, source_type, source_id, cash, gross, net)
         SELECT id, 1, 'sale', 'order_line', id, $4, $4, $4 FROM head)
       INSERT INTO statement_project SELECT id, $8 FROM head WHERE $5 <> ''`,
      [`ST${tenant}${month}`, tenant, `${month}-01`, payable, state, due, daysDue, project],
    );
    await run(mall.platform.database.db, 'UPDATE statement SET state = $2 WHERE code = $1', [
      `ST${tenant}${month}`,
      state,
    ]);
  };
  await bill(merchantA, '2026-01', 100_000, 'settled', 90, north);
  await bill(merchantA, '2026-02', 200_000, 'to_pay', 5, north);
  await bill(merchantA, '2026-03', 300_000, 'to_confirm', 0, south);
  await bill(merchantB, '2026-02', 400_000, 'failed', 40, north);
});
afterAll(() => mall.close());

test('figures, bars, ring and ageing add up to the table', async () => {
  const { rows, figures, charts, sums } = (await mall.call(finance, 'GET', PATH)).data;
  expect(rows).toHaveLength(4);
  expect([figures.sum.value, figures.due.value, figures.settled.value, sums.payable]).toEqual([
    '10000.00',
    '6000.00',
    '1000.00',
    '10000.00',
  ]);
  const total = (chart: string, name: string) =>
    charts[chart].reduce(
      (sum: number, point: { values: Record<string, number> }) => sum + point.values[name]!,
      0,
    );
  expect([total('merchants', 'payable'), total('states', 'payable'), total('ageing', 'payAmount')]).toEqual([
    10_000, 10_000, 6_000,
  ]);
  const ages = Object.fromEntries(
    rows.map((row: { code: string; age: number | null }) => [row.code, row.age]),
  );
  expect([ages[`ST${mall.ids.merchantA}2026-02`], ages[`ST${mall.ids.merchantA}2026-01`]]).toEqual([5, null]);
});

test('a bar opens exactly its bills; the filters of the page go along', async () => {
  const { charts } = (await mall.call(finance, 'GET', `${PATH}&stage=1`)).data;
  expect(charts.merchants).toHaveLength(2);
  for (const chart of ['merchants', 'states'])
    for (const point of charts[chart] as { key: string; values: { payable: number } }[]) {
      const { rows } = (await mall.call(finance, 'GET', `/jinmao/web/statement/page?${point.key}`)).data;
      const sum = rows.reduce((all: number, row: { payable: string }) => all + Number(row.payable), 0);
      expect(sum, point.key).toBe(point.values.payable);
    }
});

test('a merchant reads its own bills only; nobody a sum of projects he does not work in', async () => {
  expect((await mall.call(merchant, 'GET', `${PATH}&merchant=${mall.ids.merchantB}`)).data.total).toBe(0);
  expect((await mall.call(merchant, 'GET', PATH)).data.figures.sum.value).toBe('6000.00');
  const north = { ...finance, tenantKind: 4 as const, projectIds: [mall.ids.north], staffId: 902 };
  expect((await mall.call(north, 'GET', PATH)).data.total).toBe(3);
});
