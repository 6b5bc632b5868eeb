import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { transaction } from '../../../kernel/server/database.ts';
import type { Registration } from '../../../kernel/server/registration.ts';
import { receiveChannelResult } from '../../after-sales/refund/refund-send.server.ts';
import { registration as checkout } from '../../../domain/checkout/checkout.server.ts';
import type { PaymentCallback } from '../../../domain/checkout/take-payment.server.ts';
import { FACTS, wire } from '../product/product-desk.ts';
import { passReview } from '../product/product-review.server.ts';
import { registration as products } from '../product/product.server.ts';
import { registration as orders } from './goods-order.server.ts';
import {
  all,
  brokenRules,
  callAs,
  createExampleOrders,
  deliverAll,
  exampleCart,
  one,
  openShop,
  payExampleOrders,
  runJob,
  type Shop,
} from './order-fixture.ts';

const ROOT = '/jinmao/web/goodsOrder';
const SERVICES: readonly Registration[] = [orders, checkout, products];

let shop: Shop;
beforeEach(async () => {
  shop = await openShop(SERVICES);
});
afterEach(async () => {
  await shop.close();
});

const createExample = () => createExampleOrders(shop);
const payExample = (more: Partial<PaymentCallback> = {}) => payExampleOrders(shop, more);

describe('example A', () => {
  test('group 08 Must show 1: quote and two orders with the shares of the table', async () => {
    const { ids } = shop;
    const cart = exampleCart(shop);
    const quote = await callAs(shop, 'platform', 'POST', `${ROOT}/quote`, {
      memberId: cart.member,
      houseId: cart.house,
      lines: cart.lines,
      coupons: 'best',
      points: 'max',
    });
    expect(quote.data).toMatchObject({
      payable: '142.40',
      points: 3_300,
      maxPoints: 3_300,
      pointsBalance: 5_000,
      freight: '6.00',
    });
    const [first, second] = await createExample();
    const m1 = (await callAs(shop, 'platform', 'GET', `${ROOT}/${first}`)).data;
    const m2 = (await callAs(shop, 'platform', 'GET', `${ROOT}/${second}`)).data;
    expect([m1.payable, m2.payable, m1.payment.amount]).toEqual(['99.41', '42.99', '142.40']);
    expect(m1.money).toMatchObject({
      goods: '139.70',
      merchantCoupon: '10.00',
      platformCoupon: '13.69',
      pointsValue: '22.60',
      points: 2_260,
      freight: '6.00',
    });
    const shares = (line: any) => [
      line.shares.merchantCoupon,
      line.shares.platformCoupon,
      line.shares.pointsValue,
      line.cash,
    ];
    expect(m1.lines.map(shares)).toEqual([
      ['5.71', '7.82', '12.91', '53.36'],
      ['4.29', '5.87', '9.69', '40.05'],
    ]);
    expect(m2.lines.map(shares)).toEqual([['0.00', '6.31', '10.40', '42.99']]);
    expect(m1.steps.map((step: any) => step.code)).toEqual([10, 20, 30, 40, 50]);
    expect(m1.operations.map((event: any) => event.code)).toEqual([5]);
    const spec = await one(shop, 'SELECT stock, reserved, sold FROM product_spec WHERE id = $1', [ids.rice]);
    expect(spec).toEqual({ stock: 98, reserved: 2, sold: 0 });
    expect((await one(shop, `SELECT balance FROM ledger_account WHERE kind = 'points_held'`)).balance).toBe(
      3_300,
    );
    expect((await all(shop, 'SELECT 1 FROM member_coupon WHERE locked_payment IS NOT NULL')).length).toBe(2);
    expect(await brokenRules(shop)).toEqual({});
  });

  test('group 08 Must show 2: a price raised before submit refuses the order and reserves nothing', async () => {
    const cart = exampleCart(shop);
    const quote = () =>
      callAs(shop, 'platform', 'POST', `${ROOT}/quote`, {
        memberId: cart.member,
        houseId: cart.house,
        lines: cart.lines,
        coupons: 'best',
        points: 'max',
      });
    expect((await quote()).data.payable).toBe('142.40');
    // The merchant raises rice to 40.90; until it is approved the shown price holds.
    const { product_id: rice } = await one(shop, 'SELECT product_id FROM product_spec WHERE id = $1', [
      shop.ids.rice,
    ]);
    const path = `/jinmao/web/product/${rice}`;
    const before = (await callAs(shop, 'merchant1', 'GET', path)).data;
    const specs = [{ ...wire(before.specs[0]), price: '40.90' }];
    const { caller, facts } = { caller: shop.callers.platform, facts: FACTS };
    const edited = await callAs(shop, 'merchant1', 'PUT', path, { version: before.version, specs });
    expect(edited.data).toMatchObject({ price: '39.90', pendingChange: true });
    expect((await quote()).data.payable).toBe('142.40');
    const review = await one(shop, `SELECT id, version FROM product_review WHERE state = 'waiting'`);
    await transaction(shop.platforms[0]!.database.db, (tx) =>
      passReview(tx, { caller, facts }, review.id, review.version),
    );
    const answer = await callAs(shop, 'platform', 'POST', ROOT, cart);
    expect(answer).toMatchObject({ http: 409, status: 30101, message: '价格已变化，请重新确认' });
    expect((await one(shop, 'SELECT sum(reserved)::int AS reserved FROM product_spec')).reserved).toBe(0);
    expect(await all(shop, 'SELECT 1 FROM sales_order')).toEqual([]);
    expect(await all(shop, 'SELECT 1 FROM stock_movement WHERE op = 3')).toEqual([]);
    expect(await all(shop, 'SELECT 1 FROM member_coupon WHERE locked_payment IS NOT NULL')).toEqual([]);
    expect(
      await all(shop, `SELECT 1 FROM ledger_account WHERE kind = 'points_held' AND balance <> 0`),
    ).toEqual([]);
  });

  test('a repeat with the same coupons is refused, another cart says how many are left', async () => {
    await createExample();
    expect((await callAs(shop, 'platform', 'POST', ROOT, exampleCart(shop))).status).toBe(30101);
    const short = await callAs(shop, 'platform', 'POST', ROOT, {
      member: String(shop.ids.member),
      house: String(shop.ids.house),
      lines: [{ specId: String(shop.ids.tissue), qty: 98 }],
      coupons: [],
      shownTotal: '1950.20',
    });
    expect(short).toMatchObject({ status: 30101, message: '库存不足，仅剩97件' });
  });
});

describe('payment', () => {
  test('group 08 Must show 6: five callbacks have one effect', async () => {
    const [first] = await createExample();
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => payExample()));
    expect(outcomes.sort()).toEqual(['paid', 'repeated', 'repeated', 'repeated', 'repeated']);
    const row = await one(
      shop,
      'SELECT o.state, o.agreement_version, p.state AS paid FROM sales_order o JOIN payment p ON p.id = o.payment_id WHERE o.id = $1',
      [first],
    );
    expect(row).toEqual({ state: 'to_ship', agreement_version: 3, paid: 2 });
    expect(
      await one(shop, 'SELECT stock, reserved, sold FROM product_spec WHERE id = $1', [shop.ids.rice]),
    ).toEqual({ stock: 98, reserved: 0, sold: 2 });
    expect((await all(shop, `SELECT 1 FROM member_coupon WHERE status = 'used'`)).length).toBe(2);
    expect((await one(shop, `SELECT balance FROM ledger_account WHERE kind = 'points_held'`)).balance).toBe(
      0,
    );
    expect(await brokenRules(shop)).toEqual({});
  });

  test('group 08 Must show 6: a wrong amount fails the payment, the order stays, the money goes back once', async () => {
    const [first] = await createExample();
    expect(await payExample({ amount: 14_239 })).toBe('amount_differs');
    expect(await payExample({ amount: 14_239 })).toBe('repeated');
    await deliverAll(shop);
    await all(shop, `UPDATE sandbox_refund SET state = 'success', paid_times = 1`);
    await deliverAll(shop);
    const row = await one(
      shop,
      'SELECT o.state, p.state AS paid FROM sales_order o JOIN payment p ON p.id = o.payment_id WHERE o.id = $1',
      [first],
    );
    expect(row).toEqual({ state: 'pending_payment', paid: 3 });
    expect(await all(shop, 'SELECT trade_no, amount FROM sandbox_refund')).toEqual([
      { trade_no: 'T-1', amount: 14_239 },
    ]);
    const codes = (
      await all(shop, 'SELECT code FROM order_event WHERE order_id = $1 ORDER BY id', [first])
    ).map((event) => event.code);
    expect(codes).toEqual([5, 9, 43]);
    expect(await payExample({ tradeNo: 'T-2' })).toBe('paid');
    expect(await payExample({ tradeNo: 'T-3' })).toBe('surplus');
    expect(await brokenRules(shop)).toEqual({});
  });

  test('group 08 Must show 7: money after closing is refunded, the order stays closed', async () => {
    const [first, second] = await createExample();
    await all(shop, `UPDATE sales_order SET pay_deadline = now() - interval '1 minute'`);
    await Promise.all([runJob(shop, 'order.close_unpaid'), runJob(shop, 'order.close_unpaid')]);
    expect((await all(shop, 'SELECT state FROM sales_order')).map((row) => row.state)).toEqual([
      'closed',
      'closed',
    ]);
    expect(
      (await one(shop, `SELECT balance FROM ledger_account WHERE kind = 'points_available'`)).balance,
    ).toBe(5_000);
    expect(await all(shop, 'SELECT 1 FROM member_coupon WHERE locked_payment IS NOT NULL')).toEqual([]);
    expect(await payExample()).toBe('late');
    const refunds = await all(shop, 'SELECT order_id, cash, points, state FROM refund ORDER BY order_id');
    expect(refunds).toEqual([
      { order_id: Number(first), cash: 9_941, points: 0, state: 'refunding' },
      { order_id: Number(second), cash: 4_299, points: 0, state: 'refunding' },
    ]);
    expect((await all(shop, 'SELECT state FROM sales_order')).map((row) => row.state)).toEqual([
      'closed',
      'closed',
    ]);
    expect(
      (await all(shop, 'SELECT code FROM order_event WHERE order_id = $1 ORDER BY id', [first])).map(
        (event) => event.code,
      ),
    ).toContain(42);
    for (const { no } of await all(shop, 'SELECT channel_refund_no AS no FROM refund ORDER BY id'))
      await receiveChannelResult(shop.platforms[0]!, {
        refundNo: no,
        state: 'success',
        code: 'SUCCESS',
        message: '',
      });
    expect(await all(shop, 'SELECT DISTINCT state FROM refund')).toEqual([{ state: 'succeeded' }]);
    expect(await one(shop, 'SELECT amount, refunding, refunded FROM payment')).toEqual({
      amount: 14_240,
      refunding: 0,
      refunded: 14_240,
    });
    expect(await all(shop, 'SELECT DISTINCT state FROM sales_order')).toEqual([{ state: 'closed' }]);
    const seen = (await callAs(shop, 'platform', 'GET', `${ROOT}/${first}`)).data;
    expect(seen).toMatchObject({ state: 'closed', refunds: [{ state: 'succeeded', cash: '99.41' }] });
    expect(seen.operations.map((event: any) => event.code)).toContain(42);
    expect(
      await one(shop, 'SELECT stock, reserved, sold FROM product_spec WHERE id = $1', [shop.ids.rice]),
    ).toEqual({ stock: 100, reserved: 0, sold: 0 });
    expect(await brokenRules(shop)).toEqual({});
  });

  test('btn_pay gives a link, the sandbox pays it through the same handler; a changed price voids the link', async () => {
    const [first] = await createExample();
    const asked = await callAs(shop, 'platform', 'POST', `${ROOT}/${first}/pay`, { channel: '2' });
    expect(asked.data.result).toMatchObject({ amount: '142.40', channel: 2, partial: false });
    const { mark } = asked.data.result;
    expect(asked.data.result.payLink).toContain(`?mark=${mark}&`);
    await callAs(shop, 'platform', 'POST', `${ROOT}/${first}/price`, { off: '10.00' });
    const void_ = await callAs(shop, 'platform', 'POST', `${ROOT}/${first}/sandboxPay`, {
      mark,
      channel: '2',
    });
    expect(void_).toMatchObject({ status: 30101, message: '支付链接已失效，请重新发起支付' });
    const again = await callAs(shop, 'platform', 'POST', `${ROOT}/${first}/pay`, { channel: '2' });
    expect(again.data.result.amount).toBe('132.40');
    const paid = await callAs(shop, 'platform', 'POST', `${ROOT}/${first}/sandboxPay`, {
      mark: again.data.result.mark,
      channel: '2',
      simulate: 'duplicate',
    });
    expect(paid.http).toBe(200);
    await deliverAll(shop);
    expect((await callAs(shop, 'platform', 'GET', `${ROOT}/${first}`)).data).toMatchObject({
      state: 'to_ship',
      payChannel: '2',
    });
    expect(await brokenRules(shop)).toEqual({});
  });

  test('a late payment needs the right link too; a channel that is real takes no simulated payment', async () => {
    const [first] = await createExample();
    const asked = await callAs(shop, 'platform', 'POST', `${ROOT}/${first}/pay`, { channel: '2' });
    const { mark } = asked.data.result;
    const pay = (body: Record<string, string>) =>
      callAs(shop, 'platform', 'POST', `${ROOT}/${first}/sandboxPay`, { mark, channel: '2', ...body });
    for (const wrong of ['', 'x', mark.replace(/.$/, mark.endsWith('0') ? '1' : '0')])
      expect(await pay({ mark: wrong, simulate: 'late' })).toMatchObject({
        status: 30101,
        message: '支付链接已失效，请重新发起支付',
      });
    const config = shop.platforms[0]!.config as { paymentChannels?: object };
    const silent = {
      refund: () => Promise.reject(new Error('x')),
      query: () => Promise.reject(new Error('x')),
    };
    // The way of the link is real, or the one that is named: refused either way, whatever is simulated.
    for (const [real, channel] of [
      [2, '2'],
      [2, '1'],
      [1, '1'],
    ] as const) {
      config.paymentChannels = { [real]: silent };
      for (const simulate of ['ok', 'late', 'duplicate'])
        expect(await pay({ channel, simulate })).toMatchObject({
          status: 30101,
          message: '该支付方式已接入正式渠道，不能模拟支付，请由买家付款',
        });
    }
    delete config.paymentChannels;
    expect(await one(shop, 'SELECT count(*)::int AS n FROM sandbox_trade')).toEqual({ n: 0 });
    expect((await pay({ simulate: 'late' })).http).toBe(200);
    expect(await one(shop, 'SELECT count(*)::int AS n FROM sandbox_trade')).toEqual({ n: 1 });
  });

  test('nothing to pay is paid at once', async () => {
    await all(shop, 'UPDATE coupon SET face = 100000, threshold = 0 WHERE issuer = $1', ['platform']);
    const answer = await callAs(shop, 'platform', 'POST', ROOT, {
      member: String(shop.ids.member),
      house: String(shop.ids.house),
      lines: [{ specId: String(shop.ids.tissue), qty: 1 }],
      coupons: [String(shop.ids.platformCoupon)],
      shownTotal: '0.00',
    });
    expect(answer.data).toMatchObject({ state: 'to_ship', payChannel: '0', result: { paid: true } });
    expect(await brokenRules(shop)).toEqual({});
  });
});

test('one connection is enough for an order: nothing asks the pool from inside a transaction', async () => {
  const narrow = await openShop(SERVICES, 1, 1);
  try {
    const [first] = await createExampleOrders(narrow);
    expect((await callAs(narrow, 'platform', 'POST', `${ROOT}/${first}/price`, { off: '1.00' })).http).toBe(
      200,
    );
    expect(await payExampleOrders(narrow)).toBe('paid');
    const parcel = { way: 'express', company: 'SF', trackingNo: 'SF1234567' };
    expect((await callAs(narrow, 'platform', 'POST', `${ROOT}/${first}/ship`, parcel)).http).toBe(200);
    expect((await callAs(narrow, 'platform', 'POST', `${ROOT}/${first}/sign`, {})).data.state).toBe(
      'completed',
    );
    const [second] = await createExampleOrders(narrow).catch(() => [undefined]);
    expect(second).toBeUndefined();
  } finally {
    await narrow.close();
  }
});

describe('price and closing', () => {
  test('group 08 Must show 13: 10.00 off splits 5.71 / 4.29, points and coupons stay, the checkout becomes 132.40', async () => {
    const [first] = await createExample();
    const answer = await callAs(shop, 'platform', 'POST', `${ROOT}/${first}/price`, {
      off: '10.00',
      reason: 'old customer',
    });
    const order = answer.data;
    expect(order).toMatchObject({
      payable: '89.41',
      payment: { amount: '132.40' },
      money: {
        points: 2_260,
        pointsValue: '22.60',
        manualOff: '10.00',
        merchantCoupon: '10.00',
        platformCoupon: '13.69',
        freight: '6.00',
      },
    });
    expect(order.lines.map((line: any) => [line.shares.manualOff, line.cash])).toEqual([
      ['5.71', '47.65'],
      ['4.29', '35.76'],
    ]);
    expect(order.steps.map((step: any) => step.code)).toEqual([10, 20, 30, 40, 50, 60]);
    const tooMuch = await callAs(shop, 'platform', 'POST', `${ROOT}/${first}/price`, { off: '93.42' });
    expect(tooMuch).toMatchObject({ http: 422, data: { fields: { off: '改价金额不能超过93.41元' } } });
    expect(await brokenRules(shop)).toEqual({});
    expect(await payExample()).toBe('paid');
    expect(await brokenRules(shop)).toEqual({});
  });

  test('the whole cash off still leaves the freight; closing one order leaves the other to be paid', async () => {
    const [first, second] = await createExample();
    const closed = await callAs(shop, 'merchant2', 'POST', `${ROOT}/${second}/close`, { reason: '客户取消' });
    expect(closed.data).toMatchObject({ state: 'closed', closeReason: '客户取消' });
    expect((await callAs(shop, 'platform', 'GET', `${ROOT}/${first}`)).data.payment.amount).toBe('99.41');
    // The platform coupon still lives on M1's order.
    expect((await all(shop, 'SELECT 1 FROM member_coupon WHERE locked_payment IS NOT NULL')).length).toBe(2);
    expect((await one(shop, `SELECT balance FROM ledger_account WHERE kind = 'points_held'`)).balance).toBe(
      2_260,
    );
    expect(await brokenRules(shop)).toEqual({});
    expect(await payExample()).toBe('paid');
    expect(await brokenRules(shop)).toEqual({});
  });

  test('a new address takes the freight of today', async () => {
    const [first] = await createExample();
    await all(shop, 'UPDATE postage_rule SET freight = 800');
    const answer = await callAs(shop, 'platform', 'POST', `${ROOT}/${first}/address`, {
      contactName: '李四',
      contactPhone: '13900139000',
      address: '幸福路 1 号 2 室',
    });
    expect(answer.data).toMatchObject({
      payable: '101.41',
      address: '幸福路 1 号 2 室',
      contactName: '李*',
      payment: { amount: '144.40' },
    });
    expect(await brokenRules(shop)).toEqual({});
  });
});
