import { afterEach, beforeEach, expect, test } from 'vitest';
import { transaction } from '../../../kernel/server/database.ts';
import type { Registration } from '../../../kernel/server/registration.ts';
import { registration as checkout } from '../../../domain/checkout/checkout.server.ts';
import { runningActivity } from '../../../domain/group-buy/occupancy.server.ts';
import {
  changeCopies,
  closeSeckill,
  moveTo,
  publishSeckill,
} from '../../../domain/seckill/activity.server.ts';
import { registration as seckills } from '../../../domain/seckill/seckill.server.ts';
import { equationsOf } from '../../../domain/seckill/verify.server.ts';
import { receiveChannelResult } from '../../after-sales/refund/refund-send.server.ts';
import { registration as refunds } from '../../after-sales/refund/refund.server.ts';
import { makeMembers, shelf } from '../../mall/group-buy/group-fixture.ts';
import {
  all,
  brokenRules,
  deliverAll,
  one,
  openShop,
  runJob,
  type Shop,
} from '../../mall/goods-order/order-fixture.ts';
import { registration as orders } from '../../mall/goods-order/goods-order.server.ts';
import { registration as products } from '../../mall/product/product.server.ts';
import { claim, copies, makeSeckill, pay, shift } from './seckill-fixture.ts';

const SERVICES: readonly Registration[] = [orders, checkout, products, refunds, seckills];

let shop: Shop;
beforeEach(async () => {
  shop = await openShop(SERVICES, 2);
});
afterEach(async () => {
  await shop.close();
});

const db = () => shop.platforms[0]!.database.db;
const accepted = (results: readonly PromiseSettledResult<unknown>[]) =>
  results.filter((one) => one.status === 'fulfilled').length;
/** How often each reason stands among the refusals. */
const reasons = (results: readonly PromiseSettledResult<unknown>[]) => {
  const counts: Record<string, number> = {};
  for (const one of results)
    if (one.status === 'rejected') {
      const { data, message } = one.reason as { data?: { reason?: string }; message: string };
      const key = data?.reason ?? message;
      counts[key] = (counts[key] ?? 0) + 1;
    }
  return counts;
};
const setStock = (qty: number) =>
  all(
    shop,
    `WITH s AS (UPDATE product_spec SET stock = stock + $2 WHERE id = $1 RETURNING stock)
     INSERT INTO stock_movement (spec_id, op, qty, stock_before, stock_after, source_type, source_id, reason)
     SELECT $1, 1, $2, s.stock - $2, s.stock, 'test', 'more', 'test' FROM s`,
    [shop.ids.rice, qty],
  );

test('group 16 Must show 1: 100 of 300 are reserved with one movement of −100, cancelling before the start gives 300 again', async () => {
  await setStock(200);
  const made = await makeSeckill(shop, { sessions: [[60, 120]] });
  expect(await shelf(shop, shop.ids.rice)).toEqual([200, 0, 0]);
  expect(await copies(shop, made.itemId)).toEqual([100, 100, 0, 0, 0]);
  expect(
    await all(shop, `SELECT op, qty, reason FROM stock_movement WHERE source_type = 'seckill_item'`),
  ).toEqual([{ op: 7, qty: -100, reason: expect.stringContaining('活动预留') }]);
  expect(await runningActivity(db(), { specIds: [shop.ids.rice] })).toEqual([
    '活动进行中，不能下架：Rush 1',
    'In a running activity: Rush 1',
  ]);
  await transaction(db(), async (tx) => {
    await closeSeckill(tx, made.id, { reason: 'test', staffId: null });
    await moveTo(tx, made.id, 'cancelled', {
      action: 'cancel',
      label: ['取消', 'Cancelled'],
      from: 'scheduled',
    });
  });
  expect(await shelf(shop, shop.ids.rice)).toEqual([300, 0, 0]);
  expect(await runningActivity(db(), { specIds: [shop.ids.rice] })).toBeUndefined();
  expect(await brokenRules(shop)).toEqual({});
});

test('group 16 Must show 2: 1,000 members at once over two instances: exactly 100 orders, 900 refused, every equation holds', async () => {
  const made = await makeSeckill(shop);
  const members = await makeMembers(shop, 1_000);
  const results = await Promise.allSettled(members.map((id, n) => claim(shop, made, id, {}, n % 2)));
  expect(accepted(results)).toBe(100);
  expect(reasons(results)).toEqual({ SOLD_OUT: 900 });
  expect(await copies(shop, made.itemId)).toEqual([100, 0, 100, 0, 0]);
  const counted = await one(
    shop,
    `SELECT sum(count)::int AS n FROM activity_refusal_count WHERE reason = 'SOLD_OUT'`,
  );
  expect(counted.n).toBe(900);
  expect((await equationsOf(db(), made.id)).filter((equation) => !equation.ok)).toEqual([]);
  expect(await brokenRules(shop)).toEqual({});
}, 180_000);

test('100 real checkouts at once for 30 copies beside ordinary ones of the same goods: nothing is sold twice', async () => {
  const made = await makeSeckill(shop, { item: { reserved: 30 } });
  const members = await makeMembers(shop, 100);
  const results = await Promise.allSettled(members.map((id, n) => claim(shop, made, id, {}, n % 2)));
  expect(accepted(results)).toBe(30);
  const paid = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  await Promise.all(paid.slice(0, 20).map((one, n) => pay(shop, one, n % 2)));
  expect(await copies(shop, made.itemId)).toEqual([30, 0, 10, 20, 0]);
  expect(await shelf(shop, shop.ids.rice)).toEqual([70, 0, 20]);
  expect(await brokenRules(shop)).toEqual({});
});

test('group 16 Must show 3: 20 claims of one member at once, limit 2: two accepted; one key five times: one order, five equal answers', async () => {
  const made = await makeSeckill(shop, { item: { per_member_limit: 2 } });
  const [member, other] = await makeMembers(shop, 2);
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, n) => claim(shop, made, member!, { key: `k${n}` }, n % 2)),
  );
  expect(accepted(results)).toBe(2);
  expect(reasons(results)).toEqual({ OVER_MEMBER_LIMIT: 18 });
  const same = await Promise.all(
    Array.from({ length: 5 }, (_, n) => claim(shop, made, other!, { key: 'same' }, n % 2)),
  );
  expect(new Set(same.map((answer) => JSON.stringify(answer))).size).toBe(1);
  expect(await all(shop, 'SELECT id FROM seckill_claim WHERE member_id = $1', [other])).toHaveLength(1);
  await expect(claim(shop, made, other!, { key: 'same', phone: '13911111111' })).rejects.toMatchObject({
    http: 422,
  });
  expect(await brokenRules(shop)).toEqual({});
});

test('group 16 Must show 4: 60 of 100 paid, the others close and may claim again; money for a closed order goes back in full', async () => {
  const made = await makeSeckill(shop);
  const members = await makeMembers(shop, 100);
  const claims = await Promise.all(members.map((id, n) => claim(shop, made, id, {}, n % 2)));
  await Promise.all(claims.slice(0, 60).map((one, n) => pay(shop, one, n % 2)));
  await all(
    shop,
    `UPDATE sales_order SET pay_deadline = now() - interval '1 second' WHERE state = 'pending_payment'`,
  );
  await Promise.all([runJob(shop, 'order.close_unpaid'), runJob(shop, 'order.close_unpaid')]);
  expect(await copies(shop, made.itemId)).toEqual([100, 40, 0, 60, 0]);
  const states = await all(shop, 'SELECT state, count(*)::int AS n FROM sales_order GROUP BY 1 ORDER BY 1');
  expect(states).toEqual([
    { state: 'closed', n: 40 },
    { state: 'to_ship', n: 60 },
  ]);
  const late = claims[60]!;
  await pay(shop, late);
  await deliverAll(shop);
  for (const { no } of await all(
    shop,
    `SELECT channel_refund_no AS no FROM refund WHERE state = 'refunding'`,
  ))
    await receiveChannelResult(shop.platforms[0]!, {
      refundNo: no,
      state: 'success',
      code: 'SUCCESS',
      message: '',
    });
  expect(
    await all(shop, 'SELECT state, cash AS amount FROM refund WHERE order_id = $1', [late.orderId]),
  ).toEqual([{ state: 'succeeded', amount: late.amount }]);
  expect((await one(shop, 'SELECT state FROM sales_order WHERE id = $1', [late.orderId])).state).toBe(
    'closed',
  );
  expect(await copies(shop, made.itemId)).toEqual([100, 40, 0, 60, 0]);
  await claim(shop, made, members[60]!);
  expect(await copies(shop, made.itemId)).toEqual([100, 39, 1, 60, 0]);
  expect(await brokenRules(shop)).toEqual({});
}, 180_000);

test('group 16 Must show 5: the end gives 40 back once, though the job runs on two instances', async () => {
  const made = await makeSeckill(shop, { item: { reserved: 40 } });
  await transaction(db(), (tx) => shift(tx, made.id, 90));
  await Promise.all([
    runJob(shop, 'seckill.clock'),
    seckills.jobs!.find((job) => job.name === 'seckill.clock')!.run({}, shop.platforms[1]!),
  ]);
  expect((await one(shop, 'SELECT state FROM seckill_activity')).state).toBe('ended');
  expect(await copies(shop, made.itemId)).toEqual([40, 0, 0, 0, 40]);
  expect(await shelf(shop, shop.ids.rice)).toEqual([100, 0, 0]);
  expect(await all(shop, `SELECT qty FROM stock_movement WHERE op = 8`)).toEqual([{ qty: 40 }]);
  const [member] = await makeMembers(shop, 1);
  await expect(claim(shop, made, member!)).rejects.toMatchObject({ data: { reason: 'ENDED' } });
  expect(await brokenRules(shop)).toEqual({});
});

test('group 16 Must show 6: two activities over one spec published at once: one is, the other is told the conflict and takes nothing', async () => {
  const made = [
    await makeSeckill(shop, { publish: false, sessions: [[60, 120]], item: { reserved: 30 } }),
    await makeSeckill(shop, { publish: false, sessions: [[90, 150]], item: { reserved: 30 } }),
  ];
  const results = await Promise.allSettled(
    made.map(({ id }, n) =>
      transaction(shop.platforms[n]!.database.db, (tx) => publishSeckill(tx, shop.platforms[n]!, id, null)),
    ),
  );
  expect(accepted(results)).toBe(1);
  expect(Object.keys(reasons(results))[0]).toMatch(/Conflicts with “Rush [12]”/);
  expect(await shelf(shop, shop.ids.rice)).toEqual([70, 0, 0]);
});

test('a session that is over gives its copies back while the next one goes on; unpaid copies follow on the shelf', async () => {
  const made = await makeSeckill(shop, {
    sessions: [
      [-20, 30],
      [40, 90],
    ],
    item: { reserved: 20 },
  });
  const [member] = await makeMembers(shop, 1);
  await claim(shop, made, member!);
  await transaction(db(), (tx) => shift(tx, made.id, 32));
  await runJob(shop, 'seckill.clock');
  expect((await one(shop, 'SELECT state FROM seckill_activity')).state).toBe('running');
  expect(await copies(shop, made.itemId)).toEqual([20, 0, 1, 0, 19]);
  await all(shop, `UPDATE sales_order SET pay_deadline = now() - interval '1 second'`);
  await runJob(shop, 'order.close_unpaid');
  expect(await copies(shop, made.itemId)).toEqual([20, 0, 0, 0, 20]);
  expect(await shelf(shop, shop.ids.rice)).toEqual([80, 0, 0]);
  expect(await brokenRules(shop)).toEqual({});
});

test('copies are added from the shelf and taken from what is left only', async () => {
  const made = await makeSeckill(shop, { item: { reserved: 50 } });
  const [member] = await makeMembers(shop, 1);
  await claim(shop, made, member!);
  const change = (by: number, key: string) =>
    transaction(db(), (tx) =>
      changeCopies(tx, { id: made.itemId, activityId: made.id }, by, {
        changeKey: key,
        reason: 'test',
        staffId: null,
      }),
    );
  await change(30, '1');
  await change(-20, '2');
  expect(await copies(shop, made.itemId)).toEqual([60, 59, 1, 0, 0]);
  expect(await shelf(shop, shop.ids.rice)).toEqual([40, 0, 0]);
  await expect(change(-60, '3')).rejects.toMatchObject({ label: ['最多可减少 59 份', expect.any(String)] });
  await expect(change(41, '4')).rejects.toMatchObject({
    label: ['库存不足：可用 40，还需 41', expect.any(String)],
  });
  expect(await brokenRules(shop)).toEqual({});
});

test('who may buy: new members, households, not before the start, not above the limit of an order', async () => {
  const [old, fresh] = await makeMembers(shop, 2);
  await all(shop, `UPDATE member SET registered_at = now() - interval '40 days' WHERE id = $1`, [old]);
  const forNew = await makeSeckill(shop, {
    item: { reserved: 10 },
    more: { audience: 'new', audience_days: 30 },
  });
  await expect(claim(shop, forNew, old!)).rejects.toMatchObject({ data: { reason: 'NOT_ELIGIBLE' } });
  await claim(shop, forNew, fresh!);
  await expect(claim(shop, forNew, fresh!, { qty: 2 })).rejects.toMatchObject({
    data: { reason: 'OVER_ORDER_LIMIT' },
  });
  const later = await makeSeckill(shop, {
    sessions: [[60, 120]],
    item: { spec_id: shop.ids.oil, reserved: 5 },
  });
  await expect(claim(shop, later, fresh!)).rejects.toMatchObject({ data: { reason: 'NOT_STARTED' } });
  const price = await one(shop, `SELECT unit_price, list_price FROM order_line ORDER BY id DESC LIMIT 1`);
  expect(price.unit_price).toBe(990);
  expect(price.list_price).toBeGreaterThan(990);
});
