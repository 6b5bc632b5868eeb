import { afterAll, beforeAll, expect, test } from 'vitest';
import { transaction } from '../../../kernel/server/database.ts';
import { registration as checkout } from '../../../domain/checkout/checkout.server.ts';
import { grantPoints } from '../../../domain/points-ledger/points-grant.server.ts';
import { registration as orders } from './goods-order.server.ts';
import { all, callAs, exampleCart, one, openShop, payExampleOrders, type Shop } from './order-fixture.ts';

const ROOT = '/jinmao/web/goodsOrder';
let shop: Shop;
const region: Record<'province' | 'city' | 'district' | 'elsewhere', number> = {} as never;
beforeAll(async () => {
  shop = await openShop([orders, checkout]);
  const add = async (code: string, level: number, parent: number | null) =>
    (
      await one<{ id: number }>(
        shop,
        `INSERT INTO region (code, name, level, parent_id) VALUES ($1, $1, $2, $3)
         ON CONFLICT (code) DO UPDATE SET name = excluded.name RETURNING id`,
        [code, level, parent],
      )
    ).id;
  region.province = await add('X10000', 1, null);
  region.city = await add('X10100', 2, region.province);
  region.district = await add('X10101', 3, region.city);
  region.elsewhere = await add('X10102', 3, region.city);
  await all(shop, 'UPDATE project SET region_id = $1', [region.district]);
});
afterAll(() => shop.close());

const quote = () => {
  const { lines, coupons } = exampleCart(shop);
  return callAs(shop, 'platform', 'POST', `${ROOT}/quote`, {
    memberId: String(shop.ids.member),
    houseId: String(shop.ids.house),
    lines,
    coupons,
    points: 3_300,
  });
};
const create = () => callAs(shop, 'platform', 'POST', ROOT, exampleCart(shop));
const block = (tenant: number, place: number, spec: number | null = null) =>
  all(
    shop,
    `INSERT INTO no_delivery_area (tenant_id, product_id, region_id)
     VALUES ($1, (SELECT product_id FROM product_spec WHERE id = $2), $3)`,
    [tenant, spec, place],
  );
const clear = () => all(shop, 'DELETE FROM no_delivery_area');

test('group 08 Must show 12: a no-delivery district refuses quote and order naming the lines, removing it passes', async () => {
  const { merchant1, merchant2, rice } = shop.ids;
  expect((await quote()).data.payable).toBe('142.40');
  const cases: [string, () => Promise<unknown>, string | undefined][] = [
    ['one product, district', () => block(merchant1, region.district, rice), 'rice'],
    ['one product, its city', () => block(merchant1, region.city, rice), 'rice'],
    ['the merchant, district', () => block(merchant1, region.district), 'rice、oil'],
    ['the merchant, province', () => block(merchant2, region.province), 'tissue'],
    ['another district', () => block(merchant1, region.elsewhere), undefined],
  ];
  for (const [what, plant, names] of cases) {
    await plant();
    const asked = await quote();
    if (names === undefined) expect(asked.data.payable, what).toBe('142.40');
    else {
      expect([asked.status, asked.message], what).toEqual([30101, `该地区不配送：${names}`]);
      const made = await create();
      expect([made.status, made.message], what).toEqual([30101, `该地区不配送：${names}`]);
    }
    await clear();
  }
  expect(await all(shop, 'SELECT 1 FROM sales_order')).toEqual([]);
  expect((await one(shop, 'SELECT stock, reserved FROM product_spec WHERE id = $1', [rice])).stock).toBe(100);
  const made = await create();
  expect(made.http).toBe(200);
  // Orders that are paid are not affected.
  await payExampleOrders(shop);
  await block(merchant1, region.district);
  const id = made.data.id as string;
  const shipped = await callAs(shop, 'platform', 'POST', `${ROOT}/${id}/ship`, {
    way: 'express',
    company: 'SF',
    trackingNo: 'SF1234567',
  });
  expect(shipped.data.state).toBe('to_receive');
});

test('a project without a district counts as its centre city', async () => {
  await clear();
  await all(shop, 'UPDATE project SET region_id = NULL');
  await all(shop, `UPDATE organisation SET region_id = $1 WHERE kind = 'centre_city'`, [region.city]);
  await block(shop.ids.merchant2, region.city);
  expect((await quote()).message).toBe('该地区不配送：tissue');
});

test('points: left-out goods and classes take none, a project has its own rate, orders keep theirs', async () => {
  await clear();
  const set = (key: string, value: unknown) =>
    all(
      shop,
      `INSERT INTO setting (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
      [`mall.points.${key}`, JSON.stringify(value)],
    );
  const { rice, oil } = shop.ids;
  const productOf = async (spec: number) =>
    (await one<{ id: number }>(shop, 'SELECT product_id AS id FROM product_spec WHERE id = $1', [spec])).id;
  const ask = async (points: number | 'max' = 'max') =>
    (
      await callAs(shop, 'platform', 'POST', `${ROOT}/quote`, {
        memberId: String(shop.ids.member),
        houseId: String(shop.ids.house),
        lines: [
          { specId: String(rice), qty: 1 },
          { specId: String(oil), qty: 1 },
        ],
        coupons: [],
        points,
      })
    ).data;
  const { database, settings } = shop.platforms[0]!;
  await transaction(database.db, (tx) =>
    grantPoints(tx, settings, {
      memberId: shop.ids.member,
      amount: 10_000,
      source: { type: 'test', id: '2', purpose: 'grant' },
    }),
  );
  // 39.90 + 59.90 = 99.80, of it 20 %: 19.96, cut to a multiple of 100 points.
  expect((await ask()).points).toBe(1_900);
  await set('excluded_products', [String(await productOf(rice))]);
  const without = await ask();
  expect(without.points).toBe(1_100);
  expect(without.orders[0].lines.map((line: any) => line.shares.points)).toEqual([0, 1_100]);
  await set('excluded_products', []);
  const { parent, child } = await one<{ parent: number; child: number }>(
    shop,
    'SELECT parent_id AS parent, id AS child FROM product_class WHERE parent_id IS NOT NULL ORDER BY id LIMIT 1',
  );
  await all(shop, 'INSERT INTO product_class_member (product_id, class_id) VALUES ($1, $2)', [
    await productOf(oil),
    child,
  ]);
  // A class stands for those below it.
  await set('excluded_classes', [String(parent)]);
  expect((await ask()).points).toBe(700);
  await set('excluded_classes', []);
  await set('project_overrides', [{ project: String(shop.ids.project), perYuan: 200, maxPercent: 10 }]);
  // 9.98, 200 points a yuan: 1,996, cut to 1,900 = 9.50.
  const own = await ask();
  expect([own.points, own.pointsValue]).toEqual([1_900, '9.50']);
  const made = await callAs(shop, 'platform', 'POST', ROOT, {
    member: String(shop.ids.member),
    house: String(shop.ids.house),
    lines: [{ specId: String(rice), qty: 1 }],
    coupons: [],
    points: 700,
    shownTotal: '42.40',
  });
  expect(made.data.result).toMatchObject({ payable: '42.40' });
  await set('project_overrides', [{ project: String(shop.ids.project), enabled: false }]);
  expect((await ask()).points).toBe(0);
  const order = (await callAs(shop, 'platform', 'GET', `${ROOT}/${made.data.id}`)).data;
  expect(order.money).toMatchObject({ points: 700, pointsValue: '3.50' });
});

test('the same place stands once for a merchant and once for each product', async () => {
  await clear();
  await block(shop.ids.merchant2, region.city);
  await block(shop.ids.merchant2, region.city, shop.ids.tissue);
  await expect(block(shop.ids.merchant2, region.city)).rejects.toThrow('no_delivery_area');
});
