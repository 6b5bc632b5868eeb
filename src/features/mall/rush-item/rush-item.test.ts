import { afterAll, beforeAll, expect, test } from 'vitest';
import { registration as checkout } from '../../../domain/checkout/checkout.server.ts';
import { registration as orders } from '../goods-order/goods-order.server.ts';
import {
  all,
  brokenRules,
  callAs,
  one,
  openShop,
  payExampleOrders,
  runJob,
  type Shop,
} from '../goods-order/order-fixture.ts';
import { registration as products } from '../product/product.server.ts';
import { registration as rushes } from './rush-item.server.ts';

const GOODS = '/jinmao/web/product';
const ORDERS = '/jinmao/web/goodsOrder';
let shop: Shop;
let goods: number;
const hour = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

beforeAll(async () => {
  shop = await openShop([orders, checkout, products, rushes], 2);
  // Tissue of merchant 2, 19.90, is sold in rushes only.
  ({ product_id: goods } = await one<{ product_id: number }>(
    shop,
    'SELECT product_id FROM product_spec WHERE id = $1',
    [shop.ids.tissue],
  ));
  await all(
    shop,
    `UPDATE product SET business_id = (SELECT id FROM business WHERE code = 'rush') WHERE id = $1`,
    [goods],
  );
});
afterAll(() => shop.close());

const add = (who: 'platform' | 'merchant2', more: object = {}, product = goods) =>
  callAs(shop, who, 'POST', `${GOODS}/${product}/rush`, {
    items: [
      {
        spec: String(shop.ids.tissue),
        price: '9.90',
        stock: 20,
        perLimit: 0,
        startsAt: hour(-1),
        endsAt: hour(1),
        ...more,
      },
    ],
  });
const buy = (more: object = {}, instance = 0) =>
  callAs(
    shop,
    'platform',
    'POST',
    ORDERS,
    {
      member: String(shop.ids.member),
      house: String(shop.ids.house),
      lines: [{ specId: String(shop.ids.tissue), qty: 1 }],
      coupons: [],
      shownTotal: '9.90',
      ...more,
    },
    instance,
  );
const pieces = () =>
  one(shop, 'SELECT remaining, held, sold FROM rush_item WHERE period @> now() ORDER BY id DESC LIMIT 1');

test('rushes are put up below the ordinary price, one at a time for a spec, by the platform while the goods are on sale', async () => {
  expect((await buy()).message).toContain('请在活动中下单');
  const problem = async (more: object) => (await add('platform', more)).data.fields.items as string;
  expect(await problem({ price: '19.90' })).toBe('第 1 行疯抢价须低于原价 19.90');
  expect(await problem({ endsAt: hour(-2) })).toBe('第 1 行结束须晚于开始');
  expect(await problem({ startsAt: hour(-3), endsAt: hour(-2) })).toBe('第 1 行结束时间已过');
  expect((await add('merchant2')).message).toBe('商品在售或审核中，场次由平台调整；或先下架');
  expect((await add('platform', {}, goods - 1)).status).toBe(30101);
  expect((await add('platform')).message).toBe('');
  expect(await problem({ startsAt: hour(0), endsAt: hour(2) })).toBe('第 1 行与该规格的其他场次重叠');
  const list = await callAs(shop, 'merchant2', 'GET', `/jinmao/web/rushItem/page?product=${goods}`);
  expect(list.data.rows[0]).toMatchObject({ price: '9.90', ordinary: '19.90', remaining: 20, perLimit: 0 });
  expect((await callAs(shop, 'merchant1', 'GET', '/jinmao/web/rushItem/page')).data.total).toBe(0);
});

test('twenty pieces, sixty orders from two instances: twenty at the rush price, the others sold out; closing gives them back', async () => {
  const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => buy({}, n % 2)));
  const made = answers.filter((answer) => answer.http === 200);
  expect([made.length, answers.filter((answer) => answer.message === '已抢光').length]).toEqual([20, 40]);
  expect(await pieces()).toEqual({ remaining: 0, held: 20, sold: 0 });
  expect(
    await one(shop, 'SELECT stock, reserved FROM product_spec WHERE id = $1', [shop.ids.tissue]),
  ).toEqual({ stock: 80, reserved: 20 });
  expect(
    await all(
      shop,
      `SELECT DISTINCT o.type, o.goods, l.unit_price, l.list_price FROM sales_order o JOIN order_line l ON l.order_id = o.id`,
    ),
  ).toEqual([{ type: 'rush', goods: 990, unit_price: 990, list_price: 1_990 }]);
  expect(await brokenRules(shop)).toEqual({});
  await all(shop, `UPDATE sales_order SET pay_deadline = now() - interval '1 second'`);
  await Promise.all([runJob(shop, 'order.close_unpaid'), runJob(shop, 'order.close_unpaid')]);
  expect(await pieces()).toEqual({ remaining: 20, held: 0, sold: 0 });
  expect(await brokenRules(shop)).toEqual({});
});

test('paid pieces are sold, a limit counts per member, other goods are ordered apart, and no coupon is taken', async () => {
  await all(shop, 'UPDATE rush_item SET per_limit = 2');
  expect(
    (await buy({ lines: [{ specId: String(shop.ids.tissue), qty: 3 }], shownTotal: '29.70' })).message,
  ).toMatch(/疯抢每人限购2件$/);
  const made = await buy({ lines: [{ specId: String(shop.ids.tissue), qty: 2 }], shownTotal: '19.80' });
  expect(made.message).toBe('');
  expect((await buy()).message).toMatch(/疯抢每人限购2件$/);
  await payExampleOrders(shop);
  expect(await pieces()).toEqual({ remaining: 18, held: 0, sold: 2 });
  expect(await brokenRules(shop)).toEqual({});
  const mixed = await buy({
    lines: [shop.ids.tissue, shop.ids.rice].map((id) => ({ specId: String(id), qty: 1 })),
  });
  expect(mixed.message).toBe('疯抢商品请单独下单');
  const [row] = (await callAs(shop, 'platform', 'GET', `/jinmao/web/rushItem/page?product=${goods}`)).data
    .rows;
  expect(row.actions).not.toContain('remove');
  // Once it is over the goods are sold no more.
  await all(
    shop,
    `UPDATE rush_item SET period = tstzrange(now() - interval '2 hours', now() - interval '1 hour')`,
  );
  expect((await buy()).message).toContain('请在活动中下单');
});
