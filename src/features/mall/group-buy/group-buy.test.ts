import { afterEach, beforeEach, expect, test } from 'vitest';
import { transaction } from '../../../kernel/server/database.ts';
import type { Registration } from '../../../kernel/server/registration.ts';
import { changeCopies, endActivity, publishActivity } from '../../../domain/group-buy/activity.server.ts';
import { registration as groups } from '../../../domain/group-buy/group-buy.server.ts';
import { runningActivity } from '../../../domain/group-buy/occupancy.server.ts';
import { disbandTeam } from '../../../domain/group-buy/teams.server.ts';
import { registration as checkout } from '../../../domain/checkout/checkout.server.ts';
import { closeUnpaidOrder } from '../../../domain/checkout/close-unpaid.server.ts';
import { applyRefund } from '../../after-sales/refund/refund-apply.server.ts';
import { receiveChannelResult } from '../../after-sales/refund/refund-send.server.ts';
import { registration as refunds } from '../../after-sales/refund/refund.server.ts';
import { registration as products } from '../product/product.server.ts';
import { registration as orders } from '../goods-order/goods-order.server.ts';
import {
  all,
  brokenRules,
  callAs,
  deliverAll,
  one,
  openShop,
  runJob,
  type Shop,
} from '../goods-order/order-fixture.ts';
import { copies, makeActivity, makeMembers, order, pay, shelf } from './group-fixture.ts';

const SERVICES: readonly Registration[] = [orders, checkout, products, refunds, groups];

let shop: Shop;
beforeEach(async () => {
  shop = await openShop(SERVICES, 2);
});
afterEach(async () => {
  await shop.close();
});

/** A refusal in these words. */
const says = (zh: string) => ({ label: [zh, expect.any(String)] });
const db = () => shop.platforms[0]!.database.db;
const team = (id: number | null) => one(shop, 'SELECT * FROM group_buy_team WHERE id = $1', [id]);
const stateOf = async (orderId: number) =>
  (await one(shop, 'SELECT state FROM sales_order WHERE id = $1', [orderId])).state as string;
/** Sends every refund and lets the channel say it paid. */
const refundAll = async () => {
  await deliverAll(shop);
  for (const { no } of await all(
    shop,
    `SELECT channel_refund_no AS no FROM refund WHERE state = 'refunding' ORDER BY id`,
  ))
    await receiveChannelResult(shop.platforms[0]!, {
      refundNo: no,
      state: 'success',
      code: 'SUCCESS',
      message: '',
    });
};
/** The refusals among settled calls, by reason. */
const refusals = (results: readonly PromiseSettledResult<unknown>[]) =>
  results.flatMap((one) =>
    one.status === 'rejected'
      ? [(one.reason as { label?: readonly string[] }).label?.[0] ?? String(one.reason)]
      : [],
  );

test('publishing takes the copies from the shelf and marks the spec; ending gives the rest back once', async () => {
  const made = await makeActivity(shop);
  expect(await shelf(shop, shop.ids.rice)).toEqual([70, 0, 0]);
  expect(await copies(shop, made.itemId)).toEqual([30, 30, 0, 0, 0]);
  expect(
    await all(shop, 'SELECT op, qty FROM stock_movement WHERE spec_id = $1 AND op > 2', [shop.ids.rice]),
  ).toEqual([{ op: 7, qty: -30 }]);
  expect(await runningActivity(db(), { specIds: [shop.ids.rice] })).toEqual([
    '活动进行中，不能下架：Group 1',
    'In a running activity: Group 1',
  ]);
  await all(
    shop,
    `UPDATE group_buy SET starts_at = now() - interval '2 hours', ends_at = now() - interval '1 second'`,
  );
  await Promise.all([runJob(shop, 'group_buy.end'), runJob(shop, 'group_buy.end')]);
  expect(await copies(shop, made.itemId)).toEqual([30, 0, 0, 0, 30]);
  expect(await shelf(shop, shop.ids.rice)).toEqual([100, 0, 0]);
  expect(await runningActivity(db(), { specIds: [shop.ids.rice] })).toBeUndefined();
  expect(await brokenRules(shop)).toEqual({});
});

test('two activities with one spec published at once: one is, the other is told where the spec is and takes nothing', async () => {
  const first = await makeActivity(shop, {}, {}, false);
  const second = await makeActivity(shop, {}, {}, false);
  const results = await Promise.allSettled(
    [first, second].map(({ id }, n) =>
      transaction(shop.platforms[n]!.database.db, (tx) => publishActivity(tx, id, null)),
    ),
  );
  expect(results.filter((one) => one.status === 'fulfilled').length).toBe(1);
  expect(refusals(results)[0]).toMatch(/规格 rice one 在 .* 已参加「Group [12]」/);
  expect(await shelf(shop, shop.ids.rice)).toEqual([70, 0, 0]);
  expect(await brokenRules(shop)).toEqual({});
});

test('an activity above the stock is refused naming what is short', async () => {
  await expect(makeActivity(shop, {}, { reserved: 101 })).rejects.toMatchObject(
    says('库存不足：rice one 可用 100，需预留 101'),
  );
});

test('30 copies, 60 members at once from two instances: 30 orders, nothing more; the unpaid close and give everything back', async () => {
  const { itemId } = await makeActivity(shop);
  const members = await makeMembers(shop, 60);
  const results = await Promise.allSettled(members.map((id, n) => order(shop, id, itemId, {}, n % 2)));
  expect(results.filter((one) => one.status === 'fulfilled').length).toBe(30);
  expect(new Set(refusals(results))).toEqual(new Set(['还有人未付款，可稍后再试']));
  expect(await copies(shop, itemId)).toEqual([30, 0, 30, 0, 0]);
  expect(await brokenRules(shop)).toEqual({});
  await all(shop, `UPDATE sales_order SET pay_deadline = now() - interval '1 second'`);
  await Promise.all([runJob(shop, 'order.close_unpaid'), runJob(shop, 'order.close_unpaid')]);
  expect(await copies(shop, itemId)).toEqual([30, 30, 0, 0, 0]);
  expect(await shelf(shop, shop.ids.rice)).toEqual([70, 0, 0]);
  // The limit is back too.
  expect((await order(shop, members[0]!, itemId)).payable).toBe(3_590);
  expect(await brokenRules(shop)).toEqual({});
});

test('one member, 20 orders at once, limit 2: two are accepted', async () => {
  const { itemId } = await makeActivity(shop, {}, { per_member_limit: 2 });
  const [member] = await makeMembers(shop, 1);
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, n) => order(shop, member!, itemId, {}, n % 2)),
  );
  expect(results.filter((one) => one.status === 'fulfilled').length).toBe(2);
  expect(new Set(refusals(results))).toEqual(new Set(['超出每人限购']));
  expect(await brokenRules(shop)).toEqual({});
});

test('group 08 Must show 9: the last seat of a team, many payers at once: one joins, exactly 3 members; the others lead their own team or are refused', async () => {
  const { itemId } = await makeActivity(shop);
  const [a, b, ...rest] = await makeMembers(shop, 12);
  const lead = await order(shop, a!, itemId);
  await pay(shop, lead);
  await pay(shop, await order(shop, b!, itemId, { teamId: lead.teamId }));
  const results = await Promise.allSettled(
    rest.map(async (member, n) => {
      const made = await order(
        shop,
        member,
        itemId,
        { teamId: lead.teamId, openNewIfFull: n % 2 === 0 },
        n % 2,
      );
      await pay(shop, made, n % 2);
      return made;
    }),
  );
  const made = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const joined = made.filter((one) => one.teamId === lead.teamId);
  expect(joined.length).toBe(1);
  expect(made.filter((one) => one.teamId !== lead.teamId).every((one) => one.isLeader)).toBe(true);
  expect(refusals(results).every((message) => message === '该团已满' || message === '该团已结束')).toBe(true);
  expect(made.length + refusals(results).length).toBe(10);
  expect(await team(lead.teamId)).toMatchObject({ state: 'formed', joined: 3, held_seats: 0 });
  const states = await all(
    shop,
    `SELECT o.state, (SELECT count(*)::int FROM order_event e WHERE e.order_id = o.id AND e.code = 16) AS formed
       FROM group_buy_member m JOIN sales_order o ON o.id = m.order_id WHERE m.team_id = $1`,
    [lead.teamId],
  );
  expect(states).toEqual(Array.from({ length: 3 }, () => ({ state: 'to_ship', formed: 1 })));
  expect(await brokenRules(shop)).toEqual({});
});

test('group 16 Must show 9: two take the last seat at once: one holds it, the other leads a new team or is told; the holder pays and three orders wait to be shipped; a team short at its deadline is refunded in full', async () => {
  const { itemId } = await makeActivity(shop);
  const members = await makeMembers(shop, 10);
  for (const openNewIfFull of [true, false]) {
    const [a, b, c, d] = members.splice(0, 4) as [number, number, number, number];
    const lead = await order(shop, a, itemId);
    await pay(shop, lead);
    await pay(shop, await order(shop, b, itemId, { teamId: lead.teamId }));
    const rush = await Promise.allSettled(
      [c, d].map((member, instance) =>
        order(shop, member, itemId, { teamId: lead.teamId, openNewIfFull }, instance),
      ),
    );
    const made = rush.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const holders = made.filter((one) => one.teamId === lead.teamId);
    expect(holders).toHaveLength(1);
    if (openNewIfFull) {
      expect(made.filter((one) => one.teamId !== lead.teamId).map((one) => one.isLeader)).toEqual([true]);
    } else {
      expect([made.length, refusals(rush)]).toEqual([1, ['该团已满']]);
    }
    expect(await team(lead.teamId)).toMatchObject({ state: 'forming', joined: 2, held_seats: 1 });
    await pay(shop, holders[0]!);
    expect(await team(lead.teamId)).toMatchObject({ state: 'formed', joined: 3, held_seats: 0 });
    const orders = await all<{ id: number; state: string }>(
      shop,
      `SELECT o.id, o.state FROM group_buy_member m JOIN sales_order o ON o.id = m.order_id WHERE m.team_id = $1`,
      [lead.teamId],
    );
    expect(orders.map((one) => one.state)).toEqual(['to_ship', 'to_ship', 'to_ship']);
    for (const { id } of orders) {
      const told = await callAs(shop, 'platform', 'GET', `/jinmao/web/goodsOrder/${id}/timeline`);
      expect(JSON.stringify(told.data)).toContain('团购成功');
    }
  }

  const [a, b] = members as [number, number];
  const short = await order(shop, a, itemId);
  await pay(shop, short);
  const second = await order(shop, b, itemId, { teamId: short.teamId });
  await pay(shop, second);
  await all(shop, `UPDATE group_buy_team SET deadline = now() - interval '1 second' WHERE id = $1`, [
    short.teamId,
  ]);
  await runJob(shop, 'group_buy.team', { teamId: short.teamId });
  await refundAll();
  for (const made of [short, second])
    expect(
      await one(
        shop,
        `SELECT o.state, o.payable - o.cash_refunded AS kept, (SELECT array_agg(r.state || ' ' || r.cash) FROM refund r WHERE r.order_id = o.id) AS refunds
           FROM sales_order o WHERE o.id = $1`,
        [made.orderId],
      ),
    ).toEqual({ state: 'closed', kept: 0, refunds: [`succeeded ${made.payable}`] });
  expect(await brokenRules(shop)).toEqual({});
});

test('three seats paid at the same moment: the team forms once, with everybody', async () => {
  const { itemId } = await makeActivity(shop);
  const [a, b, c] = await makeMembers(shop, 3);
  const lead = await order(shop, a!, itemId);
  const seats = [
    lead,
    await order(shop, b!, itemId, { teamId: lead.teamId }),
    await order(shop, c!, itemId, { teamId: lead.teamId }),
  ];
  expect(await Promise.all(seats.flatMap((seat) => [pay(shop, seat, 0), pay(shop, seat, 1)]))).toEqual(
    expect.arrayContaining(['paid', 'repeated']),
  );
  expect(await team(lead.teamId)).toMatchObject({ state: 'formed', joined: 3 });
  expect(await copies(shop, itemId)).toEqual([30, 27, 0, 3, 0]);
  expect(await shelf(shop, shop.ids.rice)).toEqual([70, 0, 3]);
  expect(await brokenRules(shop)).toEqual({});
});

test('group 08 Must show 8: group of 3, two paid, the deadline passes: failed once, orders closed, full refunds with freight, copies and limits back', async () => {
  const { itemId } = await makeActivity(shop);
  const [a, b, c] = await makeMembers(shop, 3);
  const lead = await order(shop, a!, itemId);
  await pay(shop, lead);
  const second = await order(shop, b!, itemId, { teamId: lead.teamId });
  await pay(shop, second);
  const unpaid = await order(shop, c!, itemId, { teamId: lead.teamId });
  await expect(
    transaction(db(), (tx) =>
      applyRefund(tx, {
        platform: shop.platforms[0]!,
        applicantType: 1,
        orderId: lead.orderId,
        lines: 'all',
        reason: 'x',
      }),
    ),
  ).rejects.toMatchObject(says('拼团进行中，成团前不可申请退款'));
  await runJob(shop, 'group_buy.team', { teamId: lead.teamId });
  expect(await team(lead.teamId)).toMatchObject({ state: 'forming' });

  await all(shop, `UPDATE group_buy_team SET deadline = now() - interval '1 second'`);
  await Promise.all([
    runJob(shop, 'group_buy.team'),
    runJob(shop, 'group_buy.team', { teamId: lead.teamId }),
    runJob(shop, 'group_buy.team'),
  ]);
  expect(await team(lead.teamId)).toMatchObject({ state: 'failed', joined: 2, held_seats: 0 });
  for (const made of [lead, second, unpaid]) expect(await stateOf(made.orderId)).toBe('closed');
  await refundAll();
  expect(await all(shop, 'SELECT order_id, cash, freight_part, state FROM refund ORDER BY order_id')).toEqual(
    [lead, second].map((made) => ({
      order_id: made.orderId,
      cash: 3_590,
      freight_part: 600,
      state: 'succeeded',
    })),
  );
  expect(
    await one(shop, 'SELECT state, refund_status, cash_refunded FROM sales_order WHERE id = $1', [
      lead.orderId,
    ]),
  ).toEqual({
    state: 'closed',
    refund_status: 'full',
    cash_refunded: 3_590,
  });
  expect(await copies(shop, itemId)).toEqual([30, 30, 0, 0, 0]);
  expect(await shelf(shop, shop.ids.rice)).toEqual([70, 0, 0]);
  expect(await brokenRules(shop)).toEqual({});
  // The limit of one per person is free again.
  expect((await order(shop, a!, itemId)).isLeader).toBe(true);
});

test('a deadline and the last payment at the same moment: formed or refunded, never both', async () => {
  const { itemId } = await makeActivity(shop, { group_size: 2 }, { reserved: 40 });
  const members = await makeMembers(shop, 20);
  const pairs = await Promise.all(
    Array.from({ length: 10 }, async (_, n) => {
      const lead = await order(shop, members[2 * n]!, itemId);
      await pay(shop, lead);
      return {
        lead,
        last: await order(shop, members[2 * n + 1]!, itemId, {
          teamId: lead.teamId,
          openNewIfFull: n % 2 === 0,
        }),
      };
    }),
  );
  await all(shop, `UPDATE group_buy_team SET deadline = now() - interval '1 second'`);
  await Promise.all(
    pairs.flatMap(({ lead, last }, n) => [
      pay(shop, last, n % 2),
      runJob(shop, 'group_buy.team', { teamId: lead.teamId }),
    ]),
  );
  await runJob(shop, 'group_buy.team');
  await runJob(shop, 'group_buy.refund');
  await refundAll();
  for (const { lead, last } of pairs) {
    const states = [await stateOf(lead.orderId), await stateOf(last.orderId)];
    const { state } = await team(lead.teamId);
    if (state === 'formed') expect(states).toEqual(['to_ship', 'to_ship']);
    else {
      expect([state, states[0]]).toEqual(['failed', 'closed']);
      expect(['closed', 'grouping']).toContain(states[1]);
    }
  }
  const owing = await all(
    shop,
    `SELECT id FROM sales_order WHERE state = 'closed' AND paid_at IS NOT NULL AND cash_refunded <> payable`,
  );
  expect(owing).toEqual([]);
  expect(await brokenRules(shop)).toEqual({});
});

test('paid after the team was disbanded: a new team if the order said so, else every fen back', async () => {
  const { itemId } = await makeActivity(shop);
  const [a, b, c] = await makeMembers(shop, 3);
  const lead = await order(shop, a!, itemId);
  await pay(shop, lead);
  const newer = await order(shop, b!, itemId, { teamId: lead.teamId, openNewIfFull: true });
  const late = await order(shop, c!, itemId, { teamId: lead.teamId });
  const platform = shop.platforms[0]!;
  expect(await transaction(db(), (tx) => disbandTeam(tx, platform, lead.teamId!, '人数不足'))).toBe(true);
  expect(await transaction(db(), (tx) => disbandTeam(tx, platform, lead.teamId!, 'again'))).toBe(false);
  expect(await pay(shop, newer)).toBe('paid');
  expect(await pay(shop, late)).toBe('paid');
  await Promise.all([
    runJob(shop, 'group_buy.refund', { orderId: late.orderId }),
    runJob(shop, 'group_buy.refund'),
  ]);
  await refundAll();
  expect(await stateOf(newer.orderId)).toBe('grouping');
  const seat = await one(shop, 'SELECT team_id, role FROM group_buy_member WHERE order_id = $1', [
    newer.orderId,
  ]);
  expect(seat.role).toBe('leader');
  expect(seat.team_id).not.toBe(lead.teamId);
  expect(
    await one(shop, 'SELECT state, cash_refunded FROM sales_order WHERE id = $1', [late.orderId]),
  ).toEqual({
    state: 'closed',
    cash_refunded: 3_590,
  });
  expect(await copies(shop, itemId)).toEqual([30, 29, 0, 1, 0]);
  expect(await brokenRules(shop)).toEqual({});
});

test('a team with enough paid members forms at its deadline; a second seat and a foreign team are refused', async () => {
  const { itemId } = await makeActivity(
    shop,
    { group_size: 5, form_at_deadline_from: 2 },
    { leader_price: 2_500 },
  );
  const [a, b] = await makeMembers(shop, 2);
  const lead = await order(shop, a!, itemId, { shownTotal: 3_100 });
  await expect(order(shop, a!, itemId, { teamId: lead.teamId })).rejects.toMatchObject(says('您已在该团中'));
  await expect(order(shop, b!, itemId, { teamId: 9_999_999 })).rejects.toMatchObject(says('该团不存在'));
  await pay(shop, lead);
  await pay(shop, await order(shop, b!, itemId, { teamId: lead.teamId }));
  await all(shop, `UPDATE group_buy_team SET deadline = now() - interval '1 second'`);
  await runJob(shop, 'group_buy.team');
  expect(await team(lead.teamId)).toMatchObject({ state: 'formed', joined: 2 });
  expect(await stateOf(lead.orderId)).toBe('to_ship');
  expect(await brokenRules(shop)).toEqual({});
});

test('an activity that counts copies: all wait for the number, later ones do not; below it everybody is refunded', async () => {
  const { id, itemId } = await makeActivity(shop, { mode: 'total', group_size: 10 });
  const members = await makeMembers(shop, 12);
  const seats = await Promise.all(members.map((member, n) => order(shop, member, itemId, {}, n % 2)));
  await Promise.all(seats.slice(0, 9).map((seat, n) => pay(shop, seat, n % 2)));
  expect(await stateOf(seats[0]!.orderId)).toBe('grouping');
  await Promise.all(seats.slice(9).map((seat, n) => pay(shop, seat, n % 2)));
  for (const seat of seats) expect(await stateOf(seat.orderId)).toBe('to_ship');
  const { n } = await one(shop, 'SELECT count(*)::int AS n FROM order_event WHERE code = 16');
  expect(n).toBe(12);
  await transaction(db(), (tx) => endActivity(tx, id, { reason: 'x', staffId: null }));

  // Of the second activity the time begins when that of the first was ended.
  const low = await makeActivity(shop, {
    mode: 'total',
    group_size: 10,
    starts_at: new Date(Date.now() + 500),
  });
  await new Promise((resolve) => setTimeout(resolve, 700));
  const few = await Promise.all(members.slice(0, 3).map((member) => order(shop, member, low.itemId)));
  await Promise.all(few.map((seat) => pay(shop, seat)));
  await transaction(db(), (tx) => endActivity(tx, low.id, { reason: 'x', staffId: null }));
  await Promise.all([runJob(shop, 'group_buy.end'), runJob(shop, 'group_buy.end')]);
  await refundAll();
  for (const seat of few)
    expect(
      await one(shop, 'SELECT state, cash_refunded FROM sales_order WHERE id = $1', [seat.orderId]),
    ).toEqual({
      state: 'closed',
      cash_refunded: 3_590,
    });
  expect(await shelf(shop, shop.ids.rice)).toEqual([88, 0, 12]);
  expect(await brokenRules(shop)).toEqual({});
});

test('ended early: forming teams fail, an unpaid order that closes later gives its copy to the shelf; no order after the end', async () => {
  const { id, itemId } = await makeActivity(shop);
  const [a, b, c] = await makeMembers(shop, 3);
  const lead = await order(shop, a!, itemId);
  await pay(shop, lead);
  const other = await order(shop, b!, itemId);
  expect(
    await Promise.all(
      [0, 1].map((n) =>
        transaction(shop.platforms[n]!.database.db, (tx) =>
          endActivity(tx, id, { reason: 'x', staffId: null }),
        ),
      ),
    ),
  ).toEqual(expect.arrayContaining([true, false]));
  expect(await copies(shop, itemId)).toEqual([30, 0, 1, 1, 28]);
  await runJob(shop, 'group_buy.team');
  await refundAll();
  expect(await stateOf(lead.orderId)).toBe('closed');
  expect(await stateOf(other.orderId)).toBe('closed');
  expect(await copies(shop, itemId)).toEqual([30, 0, 0, 0, 30]);
  expect(await shelf(shop, shop.ids.rice)).toEqual([100, 0, 0]);
  await expect(order(shop, c!, itemId)).rejects.toMatchObject(says('活动已结束'));
  expect(await brokenRules(shop)).toEqual({});
});

test('the time to pay never passes the end of the team; more copies come from the shelf, fewer only from what is left', async () => {
  const { itemId } = await makeActivity(shop);
  const [a, b] = await makeMembers(shop, 2);
  const lead = await order(shop, a!, itemId);
  const minutes = (orderId: number) =>
    one(
      shop,
      `SELECT round(extract(epoch FROM pay_deadline - created_at) / 60)::int AS n FROM sales_order WHERE id = $1`,
      [orderId],
    );
  expect((await minutes(lead.orderId)).n).toBe(15);
  await all(shop, `UPDATE group_buy_team SET deadline = now() + interval '5 minutes' WHERE id = $1`, [
    lead.teamId,
  ]);
  const second = await order(shop, b!, itemId, { teamId: lead.teamId });
  expect((await minutes(second.orderId)).n).toBe(5);
  const change = (difference: number, key: string) =>
    transaction(db(), (tx) =>
      changeCopies(tx, itemId, difference, { changeKey: `${itemId}:${key}`, reason: 'x', staffId: null }),
    );
  await change(5, '1');
  expect(await copies(shop, itemId)).toEqual([35, 33, 2, 0, 0]);
  expect(await shelf(shop, shop.ids.rice)).toEqual([65, 0, 0]);
  await expect(change(-34, '2')).rejects.toMatchObject(says('最多可减少 33 份'));
  await expect(change(66, '3')).rejects.toMatchObject(says('库存不足：可用 65，还需 66'));
  await transaction(db(), (tx) =>
    closeUnpaidOrder(tx, shop.platforms[0]!, second.orderId, { reason: 'x', who: 'x' }),
  );
  expect(await brokenRules(shop)).toEqual({});
});

test('a refund of a formed team goes to the shelf, not into the activity; the limit is not given back', async () => {
  const { itemId } = await makeActivity(shop, { group_size: 2 });
  const [a, b] = await makeMembers(shop, 2);
  const lead = await order(shop, a!, itemId);
  await pay(shop, lead);
  await pay(shop, await order(shop, b!, itemId, { teamId: lead.teamId }));
  await transaction(db(), (tx) =>
    applyRefund(tx, {
      platform: shop.platforms[0]!,
      system: true,
      applicantType: 2,
      orderId: lead.orderId,
      lines: 'all',
      reason: 'x',
    }),
  );
  await refundAll();
  expect(await stateOf(lead.orderId)).toBe('closed');
  expect(await copies(shop, itemId)).toEqual([30, 28, 0, 2, 0]);
  expect(await shelf(shop, shop.ids.rice)).toEqual([71, 0, 1]);
  await expect(order(shop, a!, itemId)).rejects.toMatchObject(says('超出每人限购'));
  expect(await brokenRules(shop)).toEqual({});
});
