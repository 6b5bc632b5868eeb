import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
const tokens = new Map<string, string>();
beforeAll(async () => {
  product = await startTestProduct();
  for (const account of ACCOUNTS) tokens.set(account, await product.signIn(account));
}, 180_000);
afterAll(() => product?.close());

const ACCOUNTS = ['admin', 'merchant1', 'centre1', 'company1', 'mall1', 'finance1'];
const PERIODS = ['today', '7days', '30days', 'month'];
/** Where the rows of a screen come from. */
const LISTS: Readonly<Record<string, string>> = {
  mm_businessOrder_wx: '/api/jinmao/web/goodsOrder',
  mm_orderRefund: '/api/jinmao/web/refund',
};
/** The column of the list a money figure adds up. */
const COLUMNS: Readonly<Record<string, string>> = { gmv: 'payable', refund_amount: 'cost' };

type Row = Readonly<Record<string, string>>;
const get = async <T>(account: string, path: string): Promise<T> => {
  const answer = await product.app.inject({ url: path, headers: { authorization: tokens.get(account)! } });
  expect([path, answer.statusCode]).toEqual([path, 200]);
  return answer.json<{ data: T }>().data;
};
/** All rows of the list a route opens. */
const listOf = async (
  account: string,
  route: string,
): Promise<{ total: number; rows: Row[] } | undefined> => {
  const url = new URL(route, 'http://product');
  const root = LISTS[url.pathname.split('/').at(-1)!];
  if (!root) return undefined;
  const rows: Row[] = [];
  for (let page = 1; ; page++) {
    const query = new URLSearchParams(url.searchParams);
    query.set('limit', '200');
    query.set('page', String(page));
    const answer = await get<{ total: number; rows: Row[] }>(account, `${root}/page?${query.toString()}`);
    rows.push(...answer.rows);
    if (answer.rows.length < 200) return { total: answer.total, rows };
  }
};
const fen = (yuan: string) => Math.round(Number(yuan) * 100);
const sum = (rows: readonly Row[], column: string) =>
  rows.reduce((total, row) => total + fen(row[column]!), 0);

describe.each(ACCOUNTS)('home page of %s', (account) => {
  it('shows figures that equal the lists they open, to the fen', async () => {
    const projects = await get<{ id: string }[]>(account, '/api/jinmao/web/options/project');
    let looked = 0;
    for (const projectId of ['', projects[0]!.id])
      for (const period of PERIODS) {
        const { figures } = await get<{
          figures: { code: string; kind: string; value: string; route: string; formula: string }[];
        }>(account, `/api/admin/home/figures?projectId=${projectId}&period=${period}`);
        for (const figure of figures) {
          expect(figure.formula).not.toBe('');
          const list = await listOf(account, figure.route);
          if (!list) continue;
          const shown = figure.kind === 'money' ? fen(figure.value) : Number(figure.value);
          const listed = figure.kind === 'money' ? sum(list.rows, COLUMNS[figure.code]!) : list.total;
          expect([figure.code, period, projectId, shown]).toEqual([figure.code, period, projectId, listed]);
          looked++;
        }
      }
    expect(looked).toBeGreaterThanOrEqual(16);
  });

  it('shows to-dos that equal the total of the lists they open', async () => {
    const todos = await get<{ kind: string; count: number; route: string }[]>(
      account,
      '/api/admin/home/todo',
    );
    for (const todo of todos) {
      // Kinds without rows are not drawn; some are counted only for who can do something about them.
      if (todo.count === 0) continue;
      const list = await listOf(account, todo.route);
      if (list) expect([todo.kind, todo.count]).toEqual([todo.kind, list.total]);
    }
    expect(todos.length).toBeGreaterThan(0);
  });

  it('draws points that equal the lists they open', async () => {
    const charts = await get<{ code: string; measures: Record<string, string[]>; rule?: string[] }[]>(
      account,
      '/api/admin/home/charts',
    );
    expect(charts.map((chart) => chart.code)).toContain('paid_by_day');
    // Group orders are not counted when they are paid, as the title alone would make one think.
    expect(charts.find((chart) => chart.code === 'top_products')?.rule?.join()).toMatch(
      /成团.*team has formed/,
    );
    for (const chart of charts) {
      const { points } = await get<{
        points: { key: string; values: Record<string, number>; route: string }[];
      }>(account, `/api/admin/home/charts/${chart.code}?period=7days`);
      expect(points.length).toBeGreaterThan(0);
      for (const point of points) {
        const value = Math.round(Object.values(point.values)[0]! * 100);
        const list = await listOf(account, point.route);
        if (list) expect([point.key, value]).toEqual([point.key, sum(list.rows, 'payable')]);
        else {
          const query = new URL(point.route, 'http://product').searchParams;
          const report = await get<{ figures: { key: string; value: string }[]; rows: Row[] }>(
            account,
            `/api/jinmao/web/report/businessAna?${query.toString()}`,
          );
          expect([point.key, value]).toEqual([point.key, sum(report.rows, 'paid')]);
        }
      }
    }
  });
});
