import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Registration } from '../../../kernel/server/registration.ts';
import { registration as checkout } from '../../../domain/checkout/checkout.server.ts';
import { registration as orders } from './goods-order.server.ts';
import { all, brokenRules, callAs, one, openShop, runJob, type Shop } from './order-fixture.ts';

const ROOT = '/jinmao/web/goodsOrder';
const SERVICES: readonly Registration[] = [orders, checkout];

let shop: Shop;
beforeAll(async () => {
  shop = await openShop(SERVICES, 2);
});
afterAll(async () => {
  await shop.close();
});

test('group 08 Must show 3: stock 100, 300 orders of one from two instances, then all close', async () => {
  const { ids } = shop;
  const body = {
    member: String(ids.member),
    house: String(ids.house),
    lines: [{ specId: String(ids.tissue), qty: 1 }],
    coupons: [],
    shownTotal: '19.90',
  };
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, n) => callAs(shop, 'platform', 'POST', ROOT, body, n % 2)),
  );
  const made = answers.filter((answer) => answer.http === 200);
  const short = answers.filter((answer) => answer.status === 30101 && answer.message === '库存不足，仅剩0件');
  expect([made.length, short.length]).toEqual([100, 200]);
  expect(
    await one(shop, 'SELECT stock, reserved, sold FROM product_spec WHERE id = $1', [ids.tissue]),
  ).toEqual({ stock: 0, reserved: 100, sold: 0 });
  expect(await brokenRules(shop)).toEqual({});

  await all(shop, `UPDATE sales_order SET pay_deadline = now() - interval '1 second'`);
  await Promise.all([runJob(shop, 'order.close_unpaid'), runJob(shop, 'order.close_unpaid')]);
  expect(
    await one(shop, 'SELECT stock, reserved, sold FROM product_spec WHERE id = $1', [ids.tissue]),
  ).toEqual({ stock: 100, reserved: 0, sold: 0 });
  const movements = await all(
    shop,
    'SELECT op, count(*)::int AS n FROM stock_movement WHERE spec_id = $1 AND op > 2 GROUP BY 1 ORDER BY 1',
    [ids.tissue],
  );
  expect(movements).toEqual([
    { op: 3, n: 100 },
    { op: 4, n: 100 },
  ]);
  expect(await brokenRules(shop)).toEqual({});
});

test('two checkouts over the same goods in opposite order do not wait for each other for ever', async () => {
  const { ids } = shop;
  const lines = [ids.rice, ids.oil, ids.tissue].map((id) => ({ specId: String(id), qty: 1 }));
  const body = { member: String(ids.member), house: String(ids.house), coupons: [], shownTotal: '125.70' };
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      callAs(shop, 'platform', 'POST', ROOT, { ...body, lines: n % 2 ? lines : [...lines].reverse() }, n % 2),
    ),
  );
  expect(answers.map((answer) => answer.http)).toEqual(Array.from({ length: 20 }, () => 200));
  expect(await brokenRules(shop)).toEqual({});
});
