import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { coinReplay } from './coin-replay.server.ts';

let product: TestProduct;
let admin: string;
let project: number;
let number = 0;

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  // A project no rule of the demonstration holds in.
  ({ project } = await one<{ project: number }>(
    `SELECT j.project_id AS project FROM product_project j WHERE NOT EXISTS (SELECT FROM coin_deduction_project p WHERE p.project_id = j.project_id)
      GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1`,
  ));
});
afterAll(() => product?.close());

const db = () => product.platform.database.db;
const one = async <T>(sql: string, values: unknown[] = []) => (await runOne<T>(db(), sql, values))!;
const call = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) =>
  product.call(admin, method, `/jinmao/web/coinDeductionRule${path}`, body);
const act = (id: string, action: string, body: object = {}) => call('POST', `/${id}/${action}`, body);

async function rule(more: object = {}): Promise<string> {
  number += 1;
  const made = await call('POST', '', {
    name: `代币抵扣${number}`,
    projects: [String(project)],
    coinsPerYuan: 100,
    step: 100,
    maxPercent: 20,
    maxPerOrder: '30.00',
    withCoupon: true,
    withPoints: false,
    withSeckill: false,
    withGroup: false,
    startsOn: '2020-01-01',
    endsOn: '2099-12-31',
    priority: 100 + number,
    ...more,
  });
  expect(made.message).toBe('');
  return String(made.data.id);
}

test('a step that is worth more than everything allowed is warned of', async () => {
  const id = await rule({ coinsPerYuan: 1, step: 50 });
  expect((await call('GET', `/${id}/step`)).data).toEqual({ step: '50.00', most: '30.00', needs: '250.00' });
  expect((await call('GET', `/${await rule()}/step`)).data).toMatchObject({ most: null, needs: '5.00' });
});

test('a budget is not lowered below what is used, and a used-up one has to be raised before enabling', async () => {
  const id = await rule({ budget: '100.00' });
  await run(db(), 'UPDATE coin_deduction_rule SET booked = 6000 WHERE id = $1', [id]);
  const { version } = (await call('GET', `/${id}`)).data;
  const refused = await call('PUT', `/${id}`, { version, budget: '50.00' });
  expect(refused.data.fields.budget).toBe('已占用 60.00，预算不能更低');
  await run(db(), 'UPDATE coin_deduction_rule SET booked = 10000 WHERE id = $1', [id]);
  expect((await act(id, 'enable')).data.fields.budget).toBe('预算已用完，请先增加预算');
  await run(db(), 'UPDATE coin_deduction_rule SET booked = 0 WHERE id = $1', [id]);
});

test('enabling makes version 1, a change version 2 with its difference; what it stacks with is said', async () => {
  const id = await rule();
  expect((await act(id, 'enable')).message).toBe('');
  const row = (await call('GET', `/${id}`)).data;
  expect(row.stacks).toContain('优惠券');
  expect(
    (await call('PUT', `/${id}`, { version: row.version, maxPercent: 30, withGroup: true })).message,
  ).toBe('');
  const versions = await product.call(
    admin,
    'GET',
    `/jinmao/web/coinDeductionVersion/page?rule=${id}&limit=20`,
  );
  expect(versions.data.rows).toMatchObject([
    { no: 2, difference: expect.stringContaining('最高比例 20→30；拼团可用 否→是') },
    { no: 1 },
  ]);
  expect((await act(id, 'stop', { reason: '活动结束' })).message).toBe('');
});

test('a simulation shows the worked example, which rule is used and which is not', async () => {
  const goods = await run<{ id: number }>(
    db(),
    'SELECT p.id FROM product p JOIN product_project j ON j.product_id = p.id WHERE j.project_id = $1 ORDER BY p.id LIMIT 2',
    [project],
  );
  const worse = await rule({ maxPercent: 10 });
  await act(worse, 'enable');
  const id = await rule();
  const { data } = await act(id, 'simulate', {
    project: String(project),
    coins: 2650,
    lines: [
      { product: String(goods[0]!.id), paid: '110.40' },
      { product: String(goods[1]!.id), paid: '59.60' },
    ],
  });
  expect(data.results).toMatchObject([
    { own: true, used: true, coins: 2600, amount: '26.00', lines: [{ amount: '16.88' }, { amount: '9.12' }] },
    { own: false, used: false, coins: 1700, amount: '17.00', explain: expect.stringContaining('未采用') },
  ]);
  expect((await act(id, 'replay')).data.taskId).toEqual(expect.any(String));
  expect((await act(id, 'simulate', { order: 'SO0' })).data.fields.order).toBe('没有此订单');
});

test('an order that used coins is tried as it was, and 30 days are replayed', async () => {
  const used = await one<{ id: number; code: string; coins: number }>(
    `SELECT rule_id AS id, order_code AS code, coins FROM coin_deduction_use WHERE state = 'captured' AND coins_back = 0 ORDER BY id LIMIT 1`,
  );
  const { data } = await act(String(used.id), 'simulate', { order: used.code });
  expect(data.results.find((row: { own: boolean }) => row.own).coins).toBeGreaterThanOrEqual(used.coins);
  const rows = [];
  for await (const batch of coinReplay.read(
    { caller: { projectIds: null } as Caller, platform: product.platform, language: 'zh' },
    { rule: String(used.id) },
  ))
    rows.push(...batch);
  const [total] = rows.splice(-1);
  expect(total![0]).toBe(`合计 ${rows.length} 单`);
  expect(total![3]).toBe(rows.reduce((sum, row) => sum + Number(row[3]), 0));
});
