import { afterAll, beforeAll, expect, test } from 'vitest';
import { service as checkout } from '../../shared/checkout/checkout.server.ts';
import { service as orders } from './goods-order.server.ts';
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

test('the same place stands once for a merchant and once for each product', async () => {
  const again = block(shop.ids.merchant2, region.city);
  await expect(again).rejects.toThrow('no_delivery_area');
});
