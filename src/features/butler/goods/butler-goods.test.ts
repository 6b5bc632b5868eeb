import { afterAll, beforeAll, expect, test } from 'vitest';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

const GOODS = '/jinmao/web/butlerGoods';
let product: TestProduct;
let admin: string;
let goods: { id: number; price: number; project: number }[];

const db = () => product.platform.database.db;
const add = (more: Readonly<Record<string, unknown>>) =>
  product.call(admin, 'POST', GOODS, {
    products: [String(goods[0]!.id)],
    projects: [String(goods[0]!.project)],
    validFrom: '2090-01-01',
    position: 1,
    incentive: 'plan',
    ...more,
  });

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  // Nothing of the demonstration set stands in the way of the days.
  await run(
    db(),
    `UPDATE butler_goods SET valid_from = date '2001-01-01' + id::integer, valid_to = date '2001-01-01' + id::integer`,
  );
  goods = await run(
    db(),
    `SELECT p.id, p.price_min::integer AS price, min(s.project_id)::integer AS project FROM product p JOIN product_project s ON s.product_id = p.id
      WHERE p.kind = 'goods' AND p.status = 'published' AND p.recycled_at IS NULL AND p.price_min > 100 GROUP BY p.id ORDER BY p.id LIMIT 5`,
  );
});
afterAll(() => product.close());

test('of ten entries of the same goods for overlapping days at once one stands', async () => {
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      add({ validFrom: `2090-01-0${1 + (n % 9)}`, validTo: '2090-02-01' }),
    ),
  );
  expect(answers.filter((one) => one.http === 200)).toHaveLength(1);
  expect(
    new Set(answers.filter((one) => one.http !== 200).map((one) => `${one.status} ${one.message}`)),
  ).toEqual(new Set(['30101 该商品在此期间已配置']));
  expect((await add({ validFrom: '2090-02-02', validTo: '2090-03-01' })).http).toBe(200);
});

test('a fixed incentive is at most 30 % of the price, and each kind needs its value', async () => {
  const most = Math.floor((goods[0]!.price * 3) / 10);
  const days = { validFrom: '2091-01-01', validTo: '2091-02-01', incentive: 'fixed' };
  expect((await add({ ...days, fixed: yuanFromFen(most + 1) })).message).toContain('30%');
  expect((await add(days)).http).toBe(422);
  expect((await add({ ...days, fixed: yuanFromFen(most) })).http).toBe(200);
  expect(
    await runOne(db(), `SELECT fixed_fen, rate_bp FROM butler_goods WHERE valid_from = '2091-01-01'`),
  ).toEqual({ fixed_fen: most, rate_bp: null });
});

test('goods leaving the shelf rest by themselves and come back', async () => {
  const made = await add({ validFrom: '2020-01-01', validTo: '2020-02-01' });
  await run(
    db(),
    `UPDATE butler_goods SET valid_from = '2020-01-01', valid_to = '2080-01-01' WHERE id = $1`,
    [Number(made.data.id)],
  );
  const standing = async () =>
    (await product.call(admin, 'GET', `${GOODS}/${made.data.id}`)).data.standing as string;
  expect(await standing()).toBe('open');
  await run(db(), `UPDATE product SET status = 'off_shelf' WHERE id = $1`, [goods[0]!.id]);
  expect(await standing()).toBe('resting');
  await run(db(), `UPDATE product SET status = 'published' WHERE id = $1`, [goods[0]!.id]);
  expect(await standing()).toBe('open');
});

test('several goods at once are all or none', async () => {
  const count = async () =>
    (await runOne<{ n: number }>(
      db(),
      `SELECT count(*)::int AS n FROM butler_goods WHERE valid_from = '2092-01-01'`,
    ))!.n;
  const both = goods
    .filter((one) => one.project === goods[0]!.project)
    .slice(0, 2)
    .map((one) => String(one.id));
  const days = { validFrom: '2092-01-01', validTo: '2092-02-01', incentive: 'fixed', fixed: '0.21' };
  expect((await add({ ...days, products: [...both, '999999999'] })).http).not.toBe(200);
  expect(await count()).toBe(0);
  expect((await add({ ...days, products: both })).http).toBe(200);
  expect(await count()).toBe(both.length);
  expect(
    await run(db(), `SELECT DISTINCT fixed_fen FROM butler_goods WHERE valid_from = '2092-01-01'`),
  ).toEqual([{ fixed_fen: 21 }]);
});
