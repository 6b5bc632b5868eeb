import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

const PATH = '/jinmao/web/settings/pointsRange';
let product: TestProduct;
let admin: string;

beforeAll(async () => {
  product = await startTestProduct({ demo: false });
  admin = await product.signIn('admin');
});
afterAll(() => product?.close());

test('the first ranges stand until others are saved; overlaps are refused at their row, history tells them', async () => {
  const first = (await product.call(admin, 'GET', PATH)).data;
  expect(first.values.points_screen_ranges).toHaveLength(5);
  const save = (points_screen_ranges: unknown) =>
    product.call(admin, 'PUT', PATH, { version: first.version, values: { points_screen_ranges } });
  const refused = await save([
    { start: 0, end: 99 },
    { start: 50, end: 200 },
  ]);
  expect([refused.http, refused.data.fields]).toEqual([422, { points_screen_ranges: '第 2 行区间重叠' }]);
  const saved = await save([
    { start: 0, end: 99, more: 'x' },
    { start: 100, end: -1 },
  ]);
  expect(saved.data.values.points_screen_ranges).toEqual([
    { start: 0, end: 99 },
    { start: 100, end: -1 },
  ]);
  const history = await product.call(admin, 'GET', `${PATH}/history`);
  expect(history.data[0].changes[0].after).toBe('0–99，100–∞');
});
