import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCheckout } from '../../../domain/checkout/create-checkout.server.ts';
import { registration as checkout } from '../../../domain/checkout/checkout.server.ts';
import { receivePayment } from '../../../domain/checkout/take-payment.server.ts';
import { closeUnpaidOrder } from '../../../domain/checkout/close-unpaid.server.ts';
import { priceCart } from '../../../domain/checkout/load-cart.server.ts';
import { grantPoints } from '../../../domain/points-ledger/points-grant.server.ts';
import { pointsInvariants } from '../../../domain/points-ledger/points-invariants.server.ts';
import { spendablePoints } from '../../../domain/points-ledger/points-ledger.server.ts';
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
  deliverAll,
  one,
  openShop,
  runJob,
  type Shop,
} from '../../mall/goods-order/order-fixture.ts';
import { makeActivity, makeMembers } from '../../mall/group-buy/group-fixture.ts';
import { registration as products } from '../../mall/product/product.server.ts';

import { registration as coinRules } from './coin-deduction-rule.server.ts';

const SERVICES: readonly Registration[] = [orders, checkout, products, refunds, coinRules];

let shop: Shop;
let trade = 0;
beforeEach(async () => {
  shop = await openShop(SERVICES, 1, 20);
  await all(shop, 'UPDATE product_spec SET price = 11040 WHERE id = $1', [shop.ids.rice]);
  await all(shop, 'UPDATE product_spec SET price = 5960 WHERE id = $1', [shop.ids.oil]);
  await all(shop, 'UPDATE postage_rule SET freight = 800');
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

/** An enabled rule of 20 %, 30.00 at most, 100 coins a yuan in hundreds, in the shop's project. */
async function rule(more: Record<string, unknown> = {}): Promise<number> {
  return transaction(db(), async (tx) => {
    const id = await insertRow(tx, 'coin_deduction_rule', {
      name: '代币抵扣',
      coins_per_yuan: 100,
      step: 100,
      max_percent: 20,
      max_per_order: 3_000,
      starts_on: '2020-01-01',
      ends_on: '2099-12-31',
      priority: 100,
      state: 'enabled',
      ...more,
    });
    await runOne(tx, 'INSERT INTO coin_deduction_project VALUES ($1, $2)', [id, shop.ids.project]);
    await runOne(
      tx,
      'INSERT INTO coin_deduction_version (rule_id, no, terms) SELECT t.id, 1, coin_deduction_terms(t) FROM coin_deduction_rule t WHERE t.id = $1',
      [id],
    );
    return id;
  });
}

/** A new member with coins in two lots. */
async function member(...lots: readonly number[]): Promise<number> {
  const [id] = await makeMembers(shop, 1);
  for (const [index, amount] of lots.entries())
    await transaction(db(), (tx) =>
      grantPoints(tx, shop.platforms[0]!.settings, {
        memberId: id!,
        amount,
        unit: 'coin',
        expiresAt: new Date(Date.now() + (index + 1) * 30 * 86_400_000),
        source: { type: 'coins', id: `${id}-${index}`, purpose: 'grant' },
      }),
    );
  return id!;
}

const cartOf = (memberId: number, coinsWanted: number | 'max') => ({
  memberId,
  projectId: shop.ids.project,
  lines: [
    { specId: shop.ids.rice, qty: 1 },
    { specId: shop.ids.oil, qty: 1 },
  ],
  coupons: [],
  pointsWanted: 0,
  coinsWanted,
});
/** Rice at 110.40 and oil at 59.60 and 8.00 of freight; `shownTotal` in fen. */
const order = async (memberId: number, coinsWanted: number | 'max', shownTotal: number) => {
  const made = await transaction(db(), (tx) =>
    createCheckout(tx, shop.platforms[0]!, {
      ...cartOf(memberId, coinsWanted),
      contactName: '陈思雨',
      contactPhone: '13800138000',
      address: '1-101',
      remark: '',
      source: 1,
      onBehalf: false,
      who: '陈思雨',
      shownTotal,
    }),
  );
  return { id: made.orderIds[0]!, code: made.checkoutCode, payable: made.payable };
};

async function pay(made: { code: string; payable: number }): Promise<void> {
  trade += 1;
  await all(shop, 'INSERT INTO sandbox_trade (trade_no, checkout_code, amount) VALUES ($1, $2, $3)', [
    `T-${trade}`,
    made.code,
    made.payable,
  ]);
  const outcome = await receivePayment(shop.platforms[0]!, {
    checkoutCode: made.code,
    tradeNo: `T-${trade}`,
    amount: made.payable,
    channel: 1,
    paidAt: new Date(),
  });
  expect(outcome).toBe('paid');
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

const coinsOf = (memberId: number) => spendablePoints(db(), memberId, 'coin');
const useOf = (orderId: number) =>
  one(shop, 'SELECT * FROM coin_deduction_use WHERE order_id = $1', [orderId]);
const bookedOf = async (id: number) =>
  (await one(shop, 'SELECT booked FROM coin_deduction_rule WHERE id = $1', [id])).booked as number;
const lotsOf = (memberId: number) =>
  all(
    shop,
    `SELECT l.remaining, l.held, l.parent_lot AS parent FROM points_lot l JOIN ledger_account a ON a.id = l.account_id
      WHERE a.owner = $1 AND a.unit = 'coin' ORDER BY l.expires_at, l.id`,
    [String(memberId)],
  );
/** A refusal in these words. */
const says = (zh: string) => ({ label: [zh, expect.any(String)] });

test('group 16 Must show 11: 2,600 coins are 26.00, the buyer pays 152.00; refunding B gives 50.48 and 912 coins back in their old lots', async () => {
  const id = await rule({ budget: 10_000 });
  const buyer = await member(2_000, 650);
  const { quote } = await priceCart(db(), shop.platforms[0]!, cartOf(buyer, 'max'));
  expect(quote).toMatchObject({ coins: 2_600, coinsUnits: 2_600, payable: 15_200, maxCoins: 2_600 });
  expect(quote.steps.find((step) => step.code === 45)!.formula[0]).toContain('= 26.00');
  const made = await order(buyer, 'max', 15_200);
  expect(await useOf(made.id)).toMatchObject({ state: 'held', coins: 2_600, amount: 2_600, base: 17_000 });
  expect([await coinsOf(buyer), await bookedOf(id)]).toEqual([50, 2_600]);
  await pay(made);
  expect(await useOf(made.id)).toMatchObject({ state: 'captured' });
  await refundOil(made.id);
  expect(await one(shop, 'SELECT cash, coins, coins_value FROM refund')).toEqual({
    cash: 5_048,
    coins: 912,
    coins_value: 912,
  });
  expect(await useOf(made.id)).toMatchObject({ state: 'captured', coins_back: 912, amount_back: 912 });
  // The lot used last first: 600 of the second, the rest into the first one; no new lot.
  expect(await lotsOf(buyer)).toEqual([
    { remaining: 312, held: 0, parent: null },
    { remaining: 650, held: 0, parent: null },
  ]);
  expect([await coinsOf(buyer), await bookedOf(id)]).toEqual([962, 1_688]);
});

test('group 16 Must show 11: two orders at once with the same 2,650 coins, the second sees 50', async () => {
  await rule();
  const buyer = await member(2_650);
  const results = await Promise.allSettled([order(buyer, 2_600, 15_200), order(buyer, 2_600, 15_200)]);
  expect(results.map((one) => one.status).sort()).toEqual(['fulfilled', 'rejected']);
  const refused = results.find((one) => one.status === 'rejected') as PromiseRejectedResult;
  expect(refused.reason).toMatchObject(says('代币余额不足'));
  expect(await coinsOf(buyer)).toBe(50);
  const { quote, coinsBalance } = await priceCart(db(), shop.platforms[0]!, cartOf(buyer, 'max'));
  expect([coinsBalance, quote.coinsUnits, quote.payable]).toEqual([50, 0, 17_800]);
  await expect(order(buyer, 2_600, 15_200)).rejects.toMatchObject(says('代币余额不足'));
});

test('many orders at once on one budget: only what fits is booked, closing gives it back', async () => {
  const id = await rule({ budget: 8_000 });
  const buyers = [];
  for (let n = 0; n < 8; n += 1) buyers.push(await member(3_000));
  const results = await Promise.allSettled(buyers.map((buyer) => order(buyer, 'max', 14_800)));
  const made = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  // 30.00 each: two fit into 80.00.
  expect(made).toHaveLength(2);
  expect(await bookedOf(id)).toBe(6_000);
  await transaction(db(), (tx) =>
    closeUnpaidOrder(tx, shop.platforms[0]!, made[0]!.id, { reason: 'x', who: 'x' }),
  );
  expect(await bookedOf(id)).toBe(3_000);
  expect(await useOf(made[0]!.id)).toMatchObject({ state: 'released', coins_back: 3_000 });
  // What is left of the budget caps the next quote.
  await all(shop, 'UPDATE coin_deduction_rule SET booked = booked WHERE id = $1', [id]);
  const [next] = [await member(9_000)];
  const { quote } = await priceCart(db(), shop.platforms[0]!, cartOf(next, 'max'));
  expect(quote.coins).toBe(3_000);
});

test('the cap of a day counts over orders and comes back with a close; a rule that ends at 100 % gives a zero order', async () => {
  await rule({ cap_day: 4_000 });
  const buyer = await member(20_000);
  const first = await order(buyer, 'max', 14_800);
  const second = await order(buyer, 'max', 16_800);
  expect(await useOf(second.id)).toMatchObject({ amount: 1_000 });
  await transaction(db(), (tx) =>
    closeUnpaidOrder(tx, shop.platforms[0]!, first.id, { reason: 'x', who: 'x' }),
  );
  expect((await priceCart(db(), shop.platforms[0]!, cartOf(buyer, 'max'))).quote.coins).toBe(3_000);
  await all(shop, 'UPDATE postage_rule SET freight = 0');
  await rule({ max_percent: 100, max_per_order: null });
  const free = await order(buyer, 'max', 0);
  expect(await one(shop, 'SELECT state, pay_channel FROM sales_order WHERE id = $1', [free.id])).toEqual({
    state: 'to_ship',
    pay_channel: 0,
  });
  expect(await useOf(free.id)).toMatchObject({ state: 'captured', amount: 17_000 });
});

test('an activity that takes no coins refuses them; a budget that is used up stops its rule', async () => {
  const id = await rule({ budget: 3_000, with_group: true });
  const buyer = await member(9_000);
  const { itemId } = await makeActivity(shop);
  const group = { itemId, teamId: null, openNewIfFull: true };
  await expect(
    transaction(db(), (tx) =>
      createCheckout(tx, shop.platforms[0]!, {
        ...cartOf(buyer, 100),
        lines: [{ specId: shop.ids.rice, qty: 1 }],
        group,
        contactName: 'x',
        contactPhone: '13800138000',
        address: '1-101',
        remark: '',
        source: 1,
        onBehalf: false,
        who: 'x',
        shownTotal: 0,
      }),
    ),
  ).rejects.toMatchObject(says('该活动不可使用代币'));
  await order(buyer, 'max', 14_800);
  await runJob(shop, 'coin_deduction.exhaust');
  expect(await one(shop, 'SELECT state, stop_reason FROM coin_deduction_rule WHERE id = $1', [id])).toEqual({
    state: 'stopped',
    stop_reason: '预算已用完',
  });
});
