import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCheckout } from '../../../domain/checkout/create-checkout.server.ts';
import { registration as checkout } from '../../../domain/checkout/checkout.server.ts';
import { receiveByMember } from '../../../domain/checkout/receive-order.server.ts';
import { receivePayment } from '../../../domain/checkout/take-payment.server.ts';
import { grantPoints } from '../../../domain/points-ledger/points-grant.server.ts';
import { pointsInvariants } from '../../../domain/points-ledger/points-invariants.server.ts';
import { spendablePoints, spendPoints } from '../../../domain/points-ledger/points-ledger.server.ts';
import { loadBudget, openBudgetAccounts } from '../../../domain/points-ledger/points-budget.server.ts';
import { releaseDue } from '../../../domain/points-ledger/points-pending.server.ts';
import { settleReturn } from '../../../domain/points-return/points-return.server.ts';
import { runOne, transaction } from '../../../kernel/server/database.ts';
import type { Registration } from '../../../kernel/server/registration.ts';
import { insertRow } from '../../../kernel/server/resource/run-action.ts';
import { applyRefund } from '../../after-sales/refund/refund-apply.server.ts';
import { receiveChannelResult } from '../../after-sales/refund/refund-send.server.ts';
import { registration as refunds } from '../../after-sales/refund/refund.server.ts';
import { registration as orders } from '../../mall/goods-order/goods-order.server.ts';
import {
  all,
  brokenRules,
  callAs,
  deliverAll,
  one,
  openShop,
  type Shop,
} from '../../mall/goods-order/order-fixture.ts';
import { makeMembers } from '../../mall/group-buy/group-fixture.ts';
import { registration as products } from '../../mall/product/product.server.ts';
import { registration as returnRules } from './points-return-rule.server.ts';

const SERVICES: readonly Registration[] = [orders, checkout, products, refunds, returnRules];
const DAY = 86_400_000;

let shop: Shop;
let trade = 0;
beforeEach(async () => {
  shop = await openShop(SERVICES, 1, 20);
  await all(shop, 'UPDATE product_spec SET price = 11040 WHERE id = $1', [shop.ids.rice]);
  await all(shop, 'UPDATE product_spec SET price = 5960 WHERE id = $1', [shop.ids.oil]);
});
afterEach(async () => {
  expect(await brokenRules(shop)).toEqual({});
  for (const invariant of pointsInvariants) {
    const { problems } = await invariant.check(shop.platforms[0]!);
    expect([invariant.name, problems]).toEqual([invariant.name, []]);
  }
  await shop.close();
});

const db = () => shop.platforms[0]!.database.db;

/** An enabled rule of 5 per 10.00 in the shop's project. */
async function rule(more: Record<string, unknown> = {}): Promise<number> {
  return transaction(db(), async (tx) => {
    const budget = await runOne<{ id: number }>(tx, 'SELECT id FROM points_budget ORDER BY id LIMIT 1');
    const id = await insertRow(tx, 'points_return_rule', {
      name: '返积分',
      asset: 'points',
      give: 5,
      per: 1_000,
      budget_id: budget!.id,
      starts_on: '2020-01-01',
      ends_on: '2099-12-31',
      priority: 100,
      state: 'enabled',
      ...more,
    });
    await runOne(tx, 'INSERT INTO points_return_project VALUES ($1, $2)', [id, shop.ids.project]);
    await note(tx, id);
    return id;
  });
}
const note = (tx: Parameters<typeof runOne>[0], id: number) =>
  runOne(
    tx,
    `INSERT INTO points_return_version (rule_id, no, terms)
     SELECT t.id, coalesce((SELECT max(v.no) FROM points_return_version v WHERE v.rule_id = t.id), 0) + 1, points_return_terms(t) FROM points_return_rule t WHERE t.id = $1`,
    [id],
  );

/** Rice at 110.40 and oil at 59.60, 6.00 for freight. */
async function order(memberId: number): Promise<{ id: number; code: string }> {
  const made = await transaction(db(), (tx) =>
    createCheckout(tx, shop.platforms[0]!, {
      memberId,
      projectId: shop.ids.project,
      lines: [
        { specId: shop.ids.rice, qty: 1 },
        { specId: shop.ids.oil, qty: 1 },
      ],
      coupons: [],
      pointsWanted: 0,
      contactName: '陈思雨',
      contactPhone: '13800138000',
      address: '1-101',
      remark: '',
      source: 1,
      onBehalf: false,
      who: '陈思雨',
      shownTotal: 17_600,
    }),
  );
  return { id: made.orderIds[0]!, code: made.checkoutCode };
}

async function pay(made: { code: string }, deliver = true): Promise<void> {
  trade += 1;
  await all(shop, 'INSERT INTO sandbox_trade (trade_no, checkout_code, amount) VALUES ($1, $2, 17600)', [
    `T-${trade}`,
    made.code,
  ]);
  const outcome = await receivePayment(shop.platforms[0]!, {
    checkoutCode: made.code,
    tradeNo: `T-${trade}`,
    amount: 17_600,
    channel: 1,
    paidAt: new Date(),
  });
  expect(outcome).toBe('paid');
  if (deliver) await deliverAll(shop);
}

/** The oil goes back, all the way to the channel's success. */
async function refundOil(orderId: number): Promise<void> {
  const { line } = await one<{ line: number }>(
    shop,
    'SELECT id AS line FROM order_line WHERE order_id = $1 AND spec_id = $2',
    [orderId, shop.ids.oil],
  );
  await transaction(db(), (tx) =>
    applyRefund(tx, {
      platform: shop.platforms[0]!,
      system: true,
      applicantType: 2,
      orderId,
      lines: [{ lineId: line, qty: 1 }],
      reasonCode: 'not_wanted',
      reason: 'x',
    }),
  );
  await deliverAll(shop);
  const { no, state } = await one(
    shop,
    'SELECT channel_refund_no AS no, state FROM refund WHERE order_id = $1 ORDER BY id DESC LIMIT 1',
    [orderId],
  );
  if (state === 'refunding')
    await receiveChannelResult(shop.platforms[0]!, {
      refundNo: no,
      state: 'success',
      code: 'OK',
      message: '',
    });
  await deliverAll(shop);
}

/** Ships what was not refunded, and the member receives it. */
async function complete(orderId: number): Promise<void> {
  const lines = await all<{ id: number; qty: number }>(
    shop,
    'SELECT id, qty - qty_refunded AS qty FROM order_line WHERE order_id = $1 AND qty > qty_refunded ORDER BY id',
    [orderId],
  );
  const shipped = await callAs(shop, 'merchant1', 'POST', `/jinmao/web/goodsOrder/${orderId}/ship`, {
    way: 'express',
    company: 'SF',
    trackingNo: 'SF1234567',
    lines: lines.map((line) => ({ lineId: String(line.id), qty: line.qty })),
  });
  expect(shipped.message).toBe('');
  await transaction(db(), (tx) => receiveByMember(tx, orderId, '陈思雨'));
}

const grantOf = (orderId: number) =>
  one(shop, 'SELECT * FROM points_return_grant WHERE order_id = $1 ORDER BY rule_id LIMIT 1', [orderId]);
const available = (memberId: number) => spendablePoints(db(), memberId);
const owedBy = async (memberId: number) =>
  Math.abs(
    (
      await one(
        shop,
        `SELECT coalesce(sum(balance), 0)::int AS owed FROM ledger_account WHERE kind = 'points_debt' AND owner = $1 AND unit = 'point'`,
        [String(memberId)],
      )
    ).owed as number,
  );
const later = (days: number) => new Date(Date.now() + days * DAY);

test('group 16 Must show 12: 85 wait at payment, granted 7 days after completion; refund of B leaves 55', async () => {
  await rule();
  const [member, other] = await makeMembers(shop, 2);
  const first = await order(member!);
  await pay(first);
  expect(await grantOf(first.id)).toMatchObject({
    base: 17_000,
    granted: 85,
    state: 'waiting',
    release_at: null,
  });
  expect(
    await all(
      shop,
      'SELECT points FROM points_return_line l JOIN order_line o ON o.id = l.line_id ORDER BY o.line_no',
    ),
  ).toEqual([{ points: 55 }, { points: 30 }]);
  // Nothing is released before the order is completed, however long that takes.
  await releaseDue(shop.platforms[0]!, later(400));
  expect(await available(member!)).toBe(0);
  await complete(first.id);
  await releaseDue(shop.platforms[0]!, later(6));
  expect(await available(member!)).toBe(0);
  await releaseDue(shop.platforms[0]!, later(8));
  expect(await available(member!)).toBe(85);
  expect(await grantOf(first.id)).toMatchObject({ state: 'released', booked: 85 });
  expect(
    await one(
      shop,
      `SELECT kind, member_id::int AS member FROM ledger_transfer WHERE source_type = 'points_return'`,
    ),
  ).toEqual({ kind: 3, member });

  const second = await order(other!);
  await pay(second);
  await refundOil(second.id);
  expect(await grantOf(second.id)).toMatchObject({ granted: 85, taken_back: 30, state: 'waiting' });
  await complete(second.id);
  await releaseDue(shop.platforms[0]!, later(8));
  expect(await available(other!)).toBe(55);
});

test('group 16 Must show 12: all 85 spent before the refund are owed as 30, the next grant of 50 leaves 20', async () => {
  await rule({ grant_at: 'payment' });
  const [member] = await makeMembers(shop, 1);
  const made = await order(member!);
  await pay(made);
  expect(await grantOf(made.id)).toMatchObject({ state: 'released', booked: 85 });
  const source = (purpose: string) => ({ type: 'later', id: String(made.id), purpose });
  await transaction(db(), (tx) =>
    spendPoints(tx, { memberId: member!, amount: 85, source: source('spend') }),
  );
  await refundOil(made.id);
  expect([await available(member!), await owedBy(member!)]).toEqual([0, 30]);
  await transaction(db(), (tx) =>
    grantPoints(tx, shop.platforms[0]!.settings, { memberId: member!, amount: 50, source: source('grant') }),
  );
  expect([await available(member!), await owedBy(member!)]).toEqual([20, 0]);
});

test('an order keeps the version it was priced with; rules enabled or stopped later do not matter', async () => {
  const id = await rule();
  const [member] = await makeMembers(shop, 1);
  const before = await order(member!);
  await all(shop, `UPDATE points_return_rule SET give = 10 WHERE id = $1`, [id]);
  await transaction(db(), (tx) => note(tx, id));
  const after = await order(member!);
  await all(shop, `UPDATE points_return_rule SET state = 'stopped' WHERE id = $1`, [id]);
  const late = await order(member!);
  for (const made of [before, after, late]) await pay(made);
  expect(await grantOf(before.id)).toMatchObject({ version_no: 1, granted: 85 });
  expect(await grantOf(after.id)).toMatchObject({ version_no: 2, granted: 170 });
  expect(await grantOf(late.id)).toBeUndefined();
});

test('the cap of a day cuts the second order and the explanation names it', async () => {
  await rule({ cap_day: 100 });
  const [member] = await makeMembers(shop, 1);
  for (const made of [await order(member!), await order(member!)]) await pay(made);
  const rows = await all(shop, 'SELECT granted, why, explain FROM points_return_grant ORDER BY id');
  expect(rows).toMatchObject([
    { granted: 85, why: null },
    { granted: 15, why: 'day', explain: expect.stringContaining('日上限') },
  ]);
  // What a refund takes back may be earned again.
  const [first] = await all<{ id: number }>(
    shop,
    'SELECT order_id AS id FROM points_return_grant ORDER BY id',
  );
  await refundOil(first!.id);
  expect(await one(shop, `SELECT used FROM points_return_used WHERE period LIKE 'day:%'`)).toEqual({
    used: 70,
  });
});

test('coins are announced and given like points, without a budget; both assets of one line side by side', async () => {
  await rule();
  await rule({ asset: 'coin', give: 20, budget_id: null });
  const [member] = await makeMembers(shop, 1);
  const made = await order(member!);
  await pay(made);
  await complete(made.id);
  await releaseDue(shop.platforms[0]!, later(8));
  expect([await available(member!), await spendablePoints(db(), member!, 'coin')]).toEqual([85, 340]);
  // The after-sale of a completed order goes back to what stays paid.
  await refundOil(made.id);
  expect([await available(member!), await spendablePoints(db(), member!, 'coin')]).toEqual([55, 220]);
});

test('many orders at once: a total cap of 200 gives 200, a budget of 200 pays two of six and the others can be tried again', async () => {
  const capped = await rule({ cap_total: 200, give: 5 });
  const budget = await transaction(db(), async (tx) => {
    const id = Number(
      (await runOne<{ id: string }>(
        tx,
        `SELECT nextval(pg_get_serial_sequence('points_budget', 'id')) AS id`,
      ))!.id,
    );
    const accounts = await openBudgetAccounts(tx, id);
    await insertRow(tx, 'points_budget', {
      id,
      code: 'PBT1',
      name: '小预算',
      year: 2026,
      account_id: accounts.accountId,
      hold_account_id: accounts.holdAccountId,
    });
    await loadBudget(tx, {
      budgetId: id,
      amount: 200,
      reference: 'test',
    });
    return id;
  });
  const members = await makeMembers(shop, 6);
  const made: { readonly id: number; readonly code: string }[] = [];
  for (const member of members) made.push(await order(member));
  for (const one of made) await pay(one, false);
  const settleAll = () =>
    Promise.all(
      made.map((one) => transaction(db(), (tx) => settleReturn(tx, shop.platforms[0]!.settings, one.id))),
    );
  await settleAll();
  await settleAll();
  const sums = (id: number) =>
    one(
      shop,
      `SELECT sum(granted)::int AS granted, (SELECT used FROM points_return_used WHERE rule_id = $1 AND member_id = 0) AS used FROM points_return_grant WHERE rule_id = $1`,
      [id],
    );
  expect(await sums(capped)).toEqual({ granted: 200, used: 200 });

  await all(shop, `UPDATE points_return_rule SET state = 'stopped'`);
  const paid = await rule({ grant_at: 'payment', budget_id: budget });
  made.length = 0;
  for (const member of members) made.push(await order(member));
  for (const one of made) await pay(one, false);
  await settleAll();
  const states = await all<{ state: string; n: number }>(
    shop,
    'SELECT state, count(*)::int AS n FROM points_return_grant WHERE rule_id = $1 GROUP BY 1 ORDER BY 1',
    [paid],
  );
  expect(states).toEqual([
    { state: 'failed', n: 4 },
    { state: 'released', n: 2 },
  ]);
  expect(
    await one(shop, 'SELECT sum(booked)::int AS booked FROM points_return_grant WHERE rule_id = $1', [paid]),
  ).toEqual({
    booked: 170,
  });
});
