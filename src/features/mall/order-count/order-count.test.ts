import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { callerOf, openMall, type Mall } from '../product/mall-fixture.ts';
import { plantTrade } from '../sales-analysis/sales-fixture.ts';
import { registration as list } from './counted-order.server.ts';
import { grainOf } from './order-count.rules.ts';
import { registration as report } from './order-count.server.ts';

const FROM = '2026-03-01';
const TO = addDays(FROM, 59);
const COLUMNS = ['created', 'paid', 'closed', 'refunds', 'completed'] as const;
let mall: Mall;
let admin: Caller;
let merchant: Caller;

beforeAll(async () => {
  mall = await openMall([report, list]);
  const platform = (await runOne<{ id: number }>(
    mall.platform.database.db,
    'SELECT id FROM tenant WHERE kind = 3',
  ))!.id;
  admin = callerOf({ staffId: 900, tenantId: platform }, ['mm_numberOrders'], ['mm_numberOrders:btn_export']);
  merchant = callerOf({ staffId: 901, tenantId: mall.ids.merchantA, tenantKind: 2 }, ['mm_numberOrders']);
  await plantTrade(mall, FROM);
});
afterAll(() => mall.close());

const ask = (caller: Caller, query: string) =>
  mall.call(caller, 'GET', `/jinmao/web/report/orderCount?limit=200&${query}`);
const orders = (caller: Caller, drill: Record<string, string>) => {
  const { id, ...query } = drill;
  return mall.call(
    caller,
    'GET',
    `/jinmao/web/countedOrder/page?limit=1&${new URLSearchParams({ ...query, ...(id ? { merchant: id } : {}) }).toString()}`,
  );
};

describe('order counts', () => {
  test('every figure is the number of orders its link lists, per row and in total; received is their cash', async () => {
    const { data } = await ask(admin, `range=${FROM}~${TO}`);
    expect(data.rows.length).toBeGreaterThan(2);
    for (const row of data.rows)
      for (const column of COLUMNS) {
        const listed = await orders(admin, row.drill[column]);
        expect(listed.data.total, `${row.merchant.title} ${column}`).toBe(row[column]);
      }
    for (const column of COLUMNS)
      expect((await orders(admin, data.sums.drill[column])).data.total, column).toBe(data.sums[column]);
    for (const column of COLUMNS)
      expect(
        data.rows.reduce((sum: number, row: Record<string, number>) => sum + row[column]!, 0),
        column,
      ).toBe(data.sums[column]);
    const cash = await runOne<{ fen: number }>(
      mall.platform.database.db,
      `SELECT sum(payable - freight)::bigint AS fen FROM sales_order WHERE paid_at IS NOT NULL
          AND (created_at AT TIME ZONE 'Asia/Shanghai')::date BETWEEN $1 AND $2`,
      [FROM, TO],
    );
    expect(data.sums.received).toBe((cash!.fen / 100).toFixed(2));
    expect(data.sums.paid).toBeGreaterThan(0);
    expect(data.figures.rate.value).toBe(((100 * data.sums.paid) / data.sums.created).toFixed(2));
    const inTime = data.charts.time.reduce(
      (sum: number, point: { values: { created: number } }) => sum + point.values.created,
      0,
    );
    expect(inTime).toBe(data.sums.created);
    expect(data.charts.time).toHaveLength(60);
  });

  test('weeks begin on Monday, months are whole, an empty step is a zero', async () => {
    const weeks = await ask(admin, `range=${FROM}~${TO}&grain=week`);
    expect(weeks.data.charts.time.map((point: { key: string }) => point.key)).toEqual(
      [...new Set(Array.from({ length: 60 }, (_, n) => grainOf(addDays(FROM, n), 'week')))].sort(),
    );
    expect(grainOf('2026-03-01', 'week')).toBe('2026-02-23');
    expect(grainOf('2026-03-02', 'week')).toBe('2026-03-02');
    const months = await ask(admin, `range=${FROM}~${TO}&grain=month`);
    expect(months.data.charts.time.map((point: { key: string }) => point.key)).toEqual([
      '2026-03',
      '2026-04',
    ]);
    const later = addDays(businessDayOf(new Date()), 20);
    const empty = await ask(admin, `range=${later}~${later}`);
    expect(empty.data).toMatchObject({ total: 0, sums: { created: 0 } });
    expect(empty.data.figures.rate.value).toBeNull();
  });

  test('a merchant counts and lists its own orders whatever it asks for', async () => {
    const own = await ask(merchant, `range=${FROM}~${TO}&merchant=${mall.ids.merchantB}`);
    expect(own.data.rows.length).toBeGreaterThan(0);
    expect(own.data.rows.every((row: any) => row.merchant.id === String(mall.ids.merchantA))).toBe(true);
    const foreign = await orders(merchant, {
      id: String(mall.ids.merchantB),
      figure: 'created',
      createdAt: `${FROM}~${TO}`,
    });
    expect([foreign.http, foreign.data?.total ?? 0]).toEqual([foreign.http === 404 ? 404 : 200, 0]);
    const all = await mall.call(merchant, 'GET', '/jinmao/web/countedOrder/page?limit=200');
    const tenants = await run<{ code: string }>(
      mall.platform.database.db,
      'SELECT code FROM sales_order WHERE tenant_id = $1',
      [mall.ids.merchantA],
    );
    const mine = new Set(tenants.map((row) => row.code));
    expect(all.data.rows.length).toBeGreaterThan(0);
    expect(all.data.rows.every((row: { code: string }) => mine.has(row.code))).toBe(true);
  });

  test('more than a year is refused', async () => {
    const long = await ask(admin, `range=${FROM}~${addDays(FROM, 366)}`);
    expect([long.http, long.data.fields.range]).toEqual([422, '时间跨度不能超过366天']);
  });
});
