import { afterAll, beforeAll, expect, test } from 'vitest';
import { all, createExampleOrders, one, openShop, payExampleOrders, type Shop } from './order-fixture.ts';
import { registration } from './goods-order.server.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop([registration]);
});
afterAll(() => shop.close());

test('the commission of every line is frozen when the order is paid', async () => {
  await all(shop, `UPDATE merchant_agreement SET state = 'draft'`);
  await all(shop, 'UPDATE merchant_agreement SET commission_bp = 700');
  await all(shop, `UPDATE merchant_agreement SET state = 'active'`);
  await all(
    shop,
    `INSERT INTO merchant_commission (agreement_id, position, business_id, rate_bp)
     SELECT a.id, 1, b.id, 900 FROM merchant_agreement a, business b WHERE a.tenant_id = $1 AND b.code = 'goods'`,
    [shop.ids.merchant2],
  );
  const orders = await createExampleOrders(shop);
  const rates = () =>
    all(
      shop,
      'SELECT o.tenant_id AS tenant, l.commission_bp AS bp FROM order_line l JOIN sales_order o ON o.id = l.order_id WHERE o.id = ANY($1::bigint[]) ORDER BY l.id',
      [orders],
    );
  expect((await rates()).map((row) => row.bp)).toEqual([null, null, null]);
  await payExampleOrders(shop);
  const frozen = [
    { tenant: shop.ids.merchant1, bp: 700 },
    { tenant: shop.ids.merchant1, bp: 700 },
    { tenant: shop.ids.merchant2, bp: 900 },
  ];
  expect(await rates()).toEqual(frozen);
  await all(shop, 'UPDATE merchant_commission SET rate_bp = 100');
  expect(await rates()).toEqual(frozen);
  expect((await one(shop, 'SELECT count(*)::integer AS n FROM order_line')).n).toBe(3);
});
