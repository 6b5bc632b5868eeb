import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Registration } from '../../../kernel/server/registration.ts';
import { registration as checkout } from '../../../domain/checkout/checkout.server.ts';
import { registration as orders } from './goods-order.server.ts';
import { all, callAs, one, openShop, type Answer, type Shop } from './order-fixture.ts';
import { PHONE_LOOK_UPS } from './order-lookup.server.ts';

const SERVICES: readonly Registration[] = [orders, checkout];

let shop: Shop;
beforeAll(async () => {
  shop = await openShop(SERVICES, 2);
});
afterAll(async () => {
  await shop.close();
});

const lookUp = (phone: string, instance = 0, who: 'merchant1' | 'merchant2' = 'merchant1') =>
  callAs(shop, who, 'GET', `/jinmao/web/goodsOrder/member?phone=${phone}`, undefined, instance);
const pick = (phone: string, instance = 0): Promise<Answer> =>
  callAs(shop, 'merchant1', 'GET', `/jinmao/web/options/orderMember?searchVal=${phone}`, undefined, instance);
const number = (n: number) => `139${String(n).padStart(8, '0')}`;

test('thirty phone numbers a minute for each staff, counted over both instances and both ways to look one up', async () => {
  const { most } = PHONE_LOOK_UPS;
  const answers = await Promise.all(
    Array.from({ length: most + 20 }, (_one, n) => (n % 3 === 0 ? pick : lookUp)(number(n), n % 2)),
  );
  const refused = answers.filter((answer) => answer.http === 429);
  expect([answers.filter((answer) => answer.http === 200).length, refused.length]).toEqual([most, 20]);
  for (const { message, status } of refused) {
    expect(status).toBe(429);
    expect(message).toMatch(/^操作过于频繁（60秒内最多30次），请于([1-9]|[1-5]\d|60)秒后再试$/);
  }
  const late = await shop.apps[1]!.inject({
    url: `/api/jinmao/web/goodsOrder/member?phone=${number(99)}`,
    headers: { authorization: 'Bearer merchant1', 'accept-language': 'en' },
  });
  expect(late.statusCode).toBe(429);
  expect(late.json<{ message: string }>().message).toMatch(
    /^Too many requests \(at most 30 in 60 s\), please try again in \d+ s$/,
  );
  expect(Number(late.headers['retry-after'])).toBeGreaterThan(0);

  // Another staff is not held up, and what is no phone number is not counted.
  expect((await lookUp(number(1), 0, 'merchant2')).http).toBe(200);
  expect((await lookUp('1390013900')).data).toEqual([]);

  // A minute after the first of them the staff goes on; the refused ones did not make the wait longer.
  await all(shop, `UPDATE call_window SET started_at = started_at - interval '60 seconds'`);
  expect((await lookUp(number(2))).http).toBe(200);
  expect(
    await one(shop, 'SELECT calls FROM call_window WHERE staff_id = $1 AND purpose = $2', [
      shop.callers.merchant1.staffId,
      PHONE_LOOK_UPS.purpose,
    ]),
  ).toEqual({ calls: 1 });
});
