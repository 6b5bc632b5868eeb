import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestAnswer, type TestProduct } from '../../../testing/test-product.ts';
import { registration as checkout } from '../../../domain/checkout/checkout.server.ts';
import {
  all,
  callAs,
  exampleCart,
  one,
  openShop,
  payExampleOrders,
} from '../../mall/goods-order/order-fixture.ts';
import { registration as orders } from '../../mall/goods-order/goods-order.server.ts';

let product: TestProduct;
let admin: string;
beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
}, 180_000);
afterAll(() => product?.close());

const ROOT = '/jinmao/web/business';
const db = () => product.platform.database.db;
const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path = '', body?: object): Promise<TestAnswer> =>
  product.call(admin, method, `${ROOT}${path}`, body);
const picture = async () =>
  (await runOne<{ id: string }>(
    db(),
    `INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access)
     VALUES (gen_random_uuid(), 'b.png', 'image/png', 1, '\\x00', gen_random_uuid()::text, 'picture') RETURNING id`,
  ))!.id;
const add = async (input: object = {}) =>
  call('POST', '', {
    code: 'pickup',
    name: '自提',
    nameEn: 'Pick-up',
    createType: '2',
    type: '1',
    image: await picture(),
    ...input,
  });
const rowOf = async (code: string) =>
  (await call('GET', `/page?code=${code}`)).data.rows[0] as Record<string, any>;

test('a business has its code once, limits and places that hold, and comes last', async () => {
  const last = (await runOne<{ n: number }>(db(), 'SELECT max(sort) AS n FROM business'))!.n;
  const made = await add({ autoCancelMinutes: 1440, leadHours: 0 });
  expect([made.http, made.data.sort, made.data.classes, made.data.products, made.data.enabled]).toEqual([
    200,
    last + 5,
    0,
    0,
    true,
  ]);
  expect((await add()).message).toBe('编码已存在');
  const wrong = await add({ code: 'Pick', autoCancelMinutes: 1441, autoSignMinutes: 0, image: null });
  expect(Object.keys(wrong.data.fields).sort()).toEqual([
    'autoCancelMinutes',
    'autoSignMinutes',
    'code',
    'image',
  ]);
  expect((await add({ code: 'other', sort: 7 })).data.fields).toEqual({ sort: '须为 5 的倍数' });
  expect((await add({ code: 'other', type: '5' })).http).toBe(422);
  expect((await add({ code: 'other', image: '00000000-0000-4000-8000-000000000000' })).http).toBe(422);
  const saved = await call('PUT', `/${made.data.id}`, {
    version: made.data.version,
    type: '3',
    autoCancelMinutes: null,
  });
  expect([saved.data.type, saved.data.autoCancelMinutes]).toEqual(['3', null]);
  expect((await call('DELETE', `/${made.data.id}`)).http).toBe(200);
});

test('both types are fixed and deleting is refused while the business is used', async () => {
  const goods = await rowOf('goods');
  const fixed = await call('PUT', `/${goods.id}`, { version: goods.version, createType: '1', type: '2' });
  expect([fixed.http, fixed.data.fields]).toEqual([
    422,
    { createType: '已有商品，不能修改', type: '已有商品，不能修改' },
  ]);
  expect((await call('PUT', `/${goods.id}`, { version: goods.version, type: '1', name: '商品' })).http).toBe(
    200,
  );
  const refused = await call('DELETE', `/${goods.id}`);
  expect([refused.status, refused.message]).toEqual([
    30101,
    expect.stringMatching(/^已被 \d+ 个业绩、\d+ 个商品、\d+ 个分类、\d+ 个商户合作 使用，不能删除$/),
  ]);
  const shown = await runOne<{ classes: number; products: number }>(
    db(),
    `SELECT (SELECT count(*)::int FROM product_class WHERE business_id = $1) AS classes,
            (SELECT count(*)::int FROM product WHERE business_id = $1 AND status = 'published' AND recycled_at IS NULL) AS products`,
    [Number(goods.id)],
  );
  expect({ classes: goods.classes, products: goods.products }).toEqual(shown);
});

test('a business is found by either name', async () => {
  const { name, nameEn } = (await call('GET', '/page?sort=sort')).data.rows[0] as {
    name: string;
    nameEn: string;
  };
  for (const typed of [name, nameEn.toUpperCase()])
    expect(
      (await call('GET', `/page?searchVal=${encodeURIComponent(typed)}`)).data.rows.map(
        (row: { name: string }) => row.name,
      ),
    ).toContain(name);
  expect((await call('GET', '/page?searchVal=nosuchbusiness')).data.total).toBe(0);
});

test('rows are dragged; places stay multiples of five and pickers follow', async () => {
  const [rush, goods] = [await rowOf('rush'), await rowOf('goods')];
  expect((await call('POST', '/order', { id: rush.id, before: goods.id })).http).toBe(200);
  const rows = (await call('GET', '/page?sort=sort')).data.rows as { code: string; sort: number }[];
  expect(rows.map((row) => row.code).slice(0, 2)).toEqual(['rush', 'goods']);
  expect(rows.map((row) => row.sort)).toEqual(rows.map((_row, index) => 5 * (index + 1)));
  const picked = await product.call(admin, 'GET', '/jinmao/web/bizProduct/getTenantBusinessPc');
  expect(picked.data[0]).toEqual({ id: rush.id, busCode: 'rush', busName: '疯抢', type: 4 });
  await call('POST', '/order', { id: rush.id, before: null });
});

test('a disabled business is offered nowhere; its row says so and others do not see the screen', async () => {
  const row = await rowOf('find_goods');
  expect((await call('POST', `/${row.id}/disable`, {})).data.enabled).toBe(false);
  const names = async () =>
    (await product.call(admin, 'GET', '/jinmao/web/bizProduct/getTenantBusinessPc')).data.map(
      (one: { busCode: string }) => one.busCode,
    );
  expect(await names()).not.toContain('find_goods');
  expect((await call('POST', `/${row.id}/disable`, {})).message).toBe('业务已停用');
  expect((await call('POST', `/${row.id}/enable`, {})).data.enabled).toBe(true);
  expect(await names()).toContain('find_goods');
  const company = await product.signIn('company1');
  expect((await product.call(company, 'GET', `${ROOT}/page`)).http).toBe(403);
  const told = await run<{ action: string }>(
    db(),
    `SELECT action FROM entity_event WHERE entity = 'business' AND entity_id = $1 ORDER BY id`,
    [Number(row.id)],
  );
  expect(told.map((one) => one.action).slice(-2)).toEqual(['disable', 'enable']);
});

describe('where orders are made', () => {
  test('products of a disabled business are not bought while running orders go on; its minutes to pay count', async () => {
    const shop = await openShop([orders, checkout]);
    try {
      const { lines, coupons } = exampleCart(shop);
      const ask = (path: string) =>
        callAs(
          shop,
          'platform',
          'POST',
          `/jinmao/web/goodsOrder${path}`,
          path === ''
            ? exampleCart(shop)
            : {
                memberId: String(shop.ids.member),
                houseId: String(shop.ids.house),
                lines,
                coupons,
                points: 3_300,
              },
        );
      await all(shop, `UPDATE business SET auto_cancel_minutes = 7, auto_sign_minutes = 90`);
      const made = await ask('');
      expect(made.http).toBe(200);
      const minutes = await one<{ n: number }>(
        shop,
        `SELECT round(extract(epoch FROM pay_deadline - created_at) / 60)::int AS n FROM sales_order LIMIT 1`,
      );
      expect(minutes.n).toBe(7);
      await all(shop, 'UPDATE business SET enabled = false');
      for (const path of ['/quote', '']) {
        const refused = await ask(path);
        expect([path, refused.status, refused.message]).toEqual([
          path,
          30101,
          expect.stringMatching(/：业务已停用$/),
        ]);
      }
      // What is under way goes on: it is paid, sent, and received by the minutes of the business.
      await payExampleOrders(shop);
      const shipped = await callAs(shop, 'platform', 'POST', `/jinmao/web/goodsOrder/${made.data.id}/ship`, {
        way: 'express',
        company: 'SF',
        trackingNo: 'SF1234567',
      });
      expect(shipped.data.state).toBe('to_receive');
      const receipt = await one<{ n: number }>(
        shop,
        `SELECT round(extract(epoch FROM receive_deadline - now()) / 60)::int AS n FROM sales_order WHERE id = $1`,
        [Number(made.data.id)],
      );
      expect(receipt.n).toBe(90);
    } finally {
      await shop.close();
    }
  });
});
