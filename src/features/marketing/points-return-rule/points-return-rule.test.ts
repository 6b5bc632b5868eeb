import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { returnReplay } from './return-replay.server.ts';

let product: TestProduct;
let admin: string;
let project: number;
let number = 0;

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  // A project no rule of the demonstration holds in.
  ({ project } = await one<{ project: number }>(
    `SELECT j.project_id AS project FROM product_project j WHERE NOT EXISTS (SELECT FROM points_return_project p WHERE p.project_id = j.project_id)
      GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1`,
  ));
});
afterAll(() => product?.close());

const db = () => product.platform.database.db;
const one = async <T>(sql: string, values: unknown[] = []) => (await runOne<T>(db(), sql, values))!;
const call = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) =>
  product.call(admin, method, `/jinmao/web/pointsReturnRule${path}`, body);
const act = (id: string, action: string, body: object = {}) => call('POST', `/${id}/${action}`, body);

async function rule(more: object = {}): Promise<string> {
  number += 1;
  const made = await call('POST', '', {
    name: `返积分${number}`,
    asset: 'points',
    projects: [String(project)],
    merchants: [],
    businesses: [],
    classes: [],
    products: [],
    excluded: [],
    give: 5,
    per: '10.00',
    grades: [],
    minPaid: '0.00',
    capOrder: -1,
    capDay: -1,
    capMonth: -1,
    capTotal: -1,
    grantAt: 'after',
    afterDays: 7,
    startsOn: '2020-01-01',
    endsOn: '2099-12-31',
    priority: 100 + number,
    ...more,
  });
  expect(made.message).toBe('');
  return String(made.data.id);
}

test('points take the default budget, coins none; both are refused the other way round', async () => {
  const id = await rule();
  const row = await one<{ code: string }>(
    'SELECT b.code FROM points_return_rule r JOIN points_budget b ON b.id = r.budget_id WHERE r.id = $1',
    [id],
  );
  expect(row.code).toBe('PB0001');
  const coin = await rule({ asset: 'coin' });
  expect(await one('SELECT budget_id AS budget FROM points_return_rule WHERE id = $1', [coin])).toEqual({
    budget: null,
  });
  const { budget } = await one<{ budget: number }>(
    'SELECT id AS budget FROM points_budget ORDER BY id LIMIT 1',
  );
  const refused = await call('POST', '', {
    name: '代币带预算',
    asset: 'coin',
    projects: [String(project)],
    give: 1,
    per: '1.00',
    budget: String(budget),
    capOrder: -1,
    capDay: -1,
    capMonth: -1,
    capTotal: -1,
    grantAt: 'payment',
    startsOn: '2020-01-01',
    endsOn: '2099-12-31',
    priority: 1,
  });
  expect(refused.data.fields.budget).toBe('代币不占积分预算');
});

test('enabling makes version 1, a change version 2 with its difference, no change none; stopping needs a reason', async () => {
  const id = await rule();
  expect((await act(id, 'enable')).message).toBe('');
  const row = (await call('GET', `/${id}`)).data;
  expect((await call('PUT', `/${id}`, { version: row.version, give: 8, priority: 900 })).message).toBe('');
  const again = (await call('GET', `/${id}`)).data;
  expect((await call('PUT', `/${id}`, { version: again.version, name: '改名' })).message).toBe('');
  const versions = await product.call(
    admin,
    'GET',
    `/jinmao/web/pointsReturnVersion/page?rule=${id}&limit=20`,
  );
  expect(versions.data.rows).toMatchObject([
    { no: 2, difference: expect.stringContaining('返还数量 5→8') },
    { no: 1, difference: expect.stringContaining('首个版本') },
  ]);
  expect((await act(id, 'stop')).status).not.toBe(0);
  expect((await act(id, 'stop', { reason: '预算调整' })).message).toBe('');
  expect((await call('GET', `/${id}`)).data).toMatchObject({ state: 'stopped', stopReason: '预算调整' });
  const over = await rule({ startsOn: '2020-01-01', endsOn: '2020-02-01' });
  expect((await act(over, 'enable')).message).toBe('有效期已结束');
});

test('two enabled rules of equal priority and overlapping scope are warned of with the products', async () => {
  const first = await rule({ priority: 777 });
  const second = await rule({ priority: 777 });
  await act(first, 'enable');
  const { data } = await call('GET', `/${second}/overlaps`);
  expect(data).toMatchObject([{ id: first, products: expect.arrayContaining([expect.any(String)]) }]);
  const other = await rule({ priority: 777, asset: 'coin' });
  expect((await call('GET', `/${other}/overlaps`)).data).toEqual([]);
});

test('a simulation by goods shows formula, parts and the rule that lost; an unpaid or unknown order is refused', async () => {
  const goods = await run<{ id: number; name: string }>(
    db(),
    'SELECT p.id, p.name FROM product p JOIN product_project j ON j.product_id = p.id WHERE j.project_id = $1 ORDER BY p.id LIMIT 2',
    [project],
  );
  await run(db(), `UPDATE points_return_rule SET state = 'stopped' WHERE state = 'enabled'`);
  const low = await rule({ priority: 10 });
  await act(low, 'enable');
  const grade = await one<{ id: number }>('SELECT id FROM grade ORDER BY threshold DESC LIMIT 1');
  const id = await rule({ priority: 20, grades: [{ grade: String(grade.id), multiplier: '1.5' }] });
  const body = {
    project: String(project),
    lines: [
      { product: String(goods[0]!.id), paid: '110.40' },
      { product: String(goods[1]!.id), paid: '59.60' },
    ],
  };
  const { data } = await act(id, 'simulate', body);
  expect(data.results).toMatchObject([
    {
      own: true,
      base: '170.00',
      granted: 85,
      explain: expect.stringContaining('优先级较低'),
      lines: [
        { product: goods[0]!.name, paid: '110.40', points: 55 },
        { product: goods[1]!.name, paid: '59.60', points: 30 },
      ],
    },
  ]);
  expect((await act(id, 'simulate', { ...body, grade: String(grade.id) })).data.results[0].granted).toBe(127);
  expect((await act(id, 'simulate', { order: 'SO0' })).data.fields.order).toBe('没有此订单');
  const replay = await act(id, 'replay');
  expect(replay.data.taskId).toEqual(expect.any(String));
});

test('an order of the demonstration is tried, and 30 days are replayed with points and liability in the last row', async () => {
  const { id, code, base } = await one<{ id: number; code: string; base: number }>(
    'SELECT rule_id AS id, order_code AS code, base FROM points_return_grant WHERE asset = $1 AND granted > taken_back AND taken_back = 0 ORDER BY id DESC LIMIT 1',
    ['points'],
  );
  const { data } = await act(String(id), 'simulate', { order: code });
  expect(data.order).toBe(code);
  expect(data.results.find((row: { own: boolean }) => row.own).base).toBe((base / 100).toFixed(2));
  const rows = [];
  for await (const batch of returnReplay.read(
    { caller: { projectIds: null } as Caller, platform: product.platform, language: 'zh' },
    { rule: String(id) },
  ))
    rows.push(...batch);
  const [total] = rows.splice(-1);
  expect(rows.length).toBeGreaterThan(0);
  expect(total![0]).toBe(`合计 ${rows.length} 单`);
  expect(total![3]).toBe(rows.reduce((sum, row) => sum + Number(row[3]), 0));
  expect(total![5]).toBe((Number(total![3]) / 100).toFixed(2));
});
