import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Registration } from '../../../kernel/server/registration.ts';
import { registration as refunds } from '../../after-sales/refund/refund.server.ts';
import { deliverEffect } from '../../../kernel/server/tasks/outbox.ts';
import { transaction } from '../../../kernel/server/database.ts';
import { grantMenu } from '../../../testing/grant-menu.ts';
import { effectsOf } from '../../../kernel/server/tasks/kernel-jobs.ts';
import { returnNoOf } from '../../../domain/checkout/money-back.server.ts';
import { registration as checkout } from '../../../domain/checkout/checkout.server.ts';
import { changeStock } from '../product/product-stock.server.ts';
import { registration as orders } from './goods-order.server.ts';
import {
  all,
  brokenRules,
  callAs,
  createExampleOrders,
  deliverAll,
  one,
  openShop,
  payExampleOrders,
  runJob,
  type Shop,
} from './order-fixture.ts';

const ROOT = '/jinmao/web/goodsOrder';
const SERVICES: readonly Registration[] = [orders, checkout, refunds];

let shop: Shop;
beforeAll(async () => {
  shop = await openShop(SERVICES);
  (shop.callers.platform.elements as Set<string>).add('mm_orderRefund:btn_force');
});
afterAll(async () => {
  await shop.close();
});
beforeEach(async () => {
  // The one-minute pause between two refunds of a payment is not what these tests are about.
  await all(
    shop,
    `INSERT INTO setting (key, value) VALUES ('refund.channel_gap_seconds', '0') ON CONFLICT (key) DO NOTHING`,
  );
});

/** Orders of one checkout without coupons and points, one per merchant. */
async function order(lines: readonly { readonly specId: number; readonly qty: number }[]): Promise<string[]> {
  const cart = {
    lines: lines.map((line) => ({ specId: String(line.specId), qty: line.qty })),
    coupons: [],
  };
  const { member, house } = shop.ids;
  const quote = await callAs(shop, 'platform', 'POST', `${ROOT}/quote`, {
    memberId: String(member),
    houseId: String(house),
    ...cart,
  });
  const made = await callAs(shop, 'platform', 'POST', ROOT, {
    member: String(member),
    house: String(house),
    ...cart,
    shownTotal: quote.data.payable,
  });
  expect(made.message).toBe('');
  return made.data.result.orderIds;
}

async function force(orderId: string) {
  const { code } = await one(shop, 'SELECT code FROM sales_order WHERE id = $1', [orderId]);
  return callAs(shop, 'platform', 'POST', '/jinmao/web/refund/action/force', {
    orderCode: code,
    reason: 'returned by force',
  });
}

async function stockOf(specId: number) {
  return one(shop, 'SELECT stock, reserved, sold FROM product_spec WHERE id = $1', [specId]);
}

/** What the worker does until the channel has answered. */
async function settle(): Promise<void> {
  await deliverAll(shop);
  for (const { channel_refund_no } of await all(
    shop,
    `SELECT channel_refund_no FROM refund WHERE state = 'refunding'`,
  ))
    await runJob(shop, 'sandbox.refund_result', { refundNo: channel_refund_no });
}

async function close(orderId: string): Promise<void> {
  const answer = await callAs(shop, 'platform', 'POST', `${ROOT}/${orderId}/close`, { reason: 'not wanted' });
  expect(answer.http).toBe(200);
}

test('an order closed before its checkout was paid is not refunded from the money of the other one', async () => {
  const { oil, tissue } = shop.ids;
  const [closed] = await order([
    { specId: oil, qty: 1 },
    { specId: tissue, qty: 4 },
  ]);
  // Sold pieces of others, so that the stock alone would not stop a wrong return.
  const [sold] = await order([{ specId: oil, qty: 3 }]);
  expect(await payExampleOrders(shop, { tradeNo: `T-${sold}` })).toBe('paid');
  await close(closed!);
  const payment = await one(
    shop,
    'SELECT checkout_code, amount FROM payment WHERE id = (SELECT payment_id FROM sales_order WHERE id = $1)',
    [closed],
  );
  expect(
    await payExampleOrders(shop, {
      tradeNo: `T-${closed}`,
      checkoutCode: payment.checkout_code,
      amount: payment.amount,
    }),
  ).toBe('paid');
  const before = await stockOf(oil);

  expect(await force(closed!)).toMatchObject({ http: 409, message: '订单没有已支付的款项' });
  await settle();
  expect(await stockOf(oil)).toEqual(before);
  expect(
    await one(shop, 'SELECT refunding, refunded FROM payment WHERE checkout_code = $1', [
      payment.checkout_code,
    ]),
  ).toEqual({ refunding: 0, refunded: 0 });
  expect(await brokenRules(shop)).toEqual({});
});

test('the database itself refuses such a refund, its units and one that names a foreign payment', async () => {
  const { oil, tissue } = shop.ids;
  const [closed, paid] = await order([
    { specId: oil, qty: 1 },
    { specId: tissue, qty: 4 },
  ]);
  await close(closed!);
  expect(await payExampleOrders(shop, { tradeNo: `T-${paid}` })).toBe('paid');
  const insert = (orderId: string, cash: number, points: number, payment = 'o.payment_id') =>
    all(
      shop,
      `INSERT INTO refund (code, order_id, payment_id, tenant_id, project_id, member_id, business_type, applicant_type, kind,
         apply_price, suggested_cash, cash, points, channel_refund_no)
       SELECT 'RX' || clock_timestamp(), o.id, ${payment}, o.tenant_id, o.project_id, o.member_id, 1, 2, 'amount', 1, 1, $2, $3, 'CX' || clock_timestamp()
         FROM sales_order o WHERE o.id = $1 RETURNING id`,
      [orderId, cash, points],
    );
  await expect(insert(closed!, 1, 0)).rejects.toThrow('never sold');
  await expect(insert(closed!, 0, 1)).rejects.toThrow('never sold');
  await expect(insert(paid!, 1, 0, '(SELECT min(id) FROM payment WHERE id <> o.payment_id)')).rejects.toThrow(
    'another payment',
  );
  const [empty] = await insert(closed!, 0, 0);
  await expect(
    all(
      shop,
      `INSERT INTO refund_line (refund_id, line_id, qty, cash) SELECT $1, id, 1, 0 FROM order_line WHERE order_id = $2`,
      [empty!.id, closed],
    ),
  ).rejects.toThrow('never sold');
  await all(shop, 'DELETE FROM refund WHERE id = $1', [empty!.id]);
});

test('money that came too late goes back once, whatever is forced: no stock, no row of the settlement', async () => {
  const { oil } = shop.ids;
  const [late] = await order([{ specId: oil, qty: 1 }]);
  await close(late!);
  expect(await payExampleOrders(shop, { tradeNo: `T-${late}` })).toBe('late');
  await settle();
  const before = await stockOf(oil);
  expect(await one(shop, 'SELECT payable, cash_refunded FROM sales_order WHERE id = $1', [late])).toEqual({
    payable: 6_590,
    cash_refunded: 6_590,
  });
  expect(await all(shop, 'SELECT 1 FROM refund_settlement_source WHERE order_id = $1', [late])).toEqual([]);

  expect(await force(late!)).toMatchObject({ http: 409, message: expect.stringContaining('最多可退0.00元') });
  await settle();
  expect(await stockOf(oil)).toEqual(before);
  expect(await brokenRules(shop)).toEqual({});
});

test('late money whose refund was given up is returned by force: its amount, no units', async () => {
  const { oil } = shop.ids;
  const [late] = await order([{ specId: oil, qty: 1 }]);
  await close(late!);
  await all(
    shop,
    `INSERT INTO setting (key, value) VALUES ('sandbox.refund.mode', '"fail"') ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  );
  shop.platforms[0]!.settings.forget();
  expect(await payExampleOrders(shop, { tradeNo: `T-${late}` })).toBe('late');
  await settle();
  const failed = await one(shop, 'SELECT id, state FROM refund WHERE order_id = $1', [late]);
  expect(failed.state).toBe('failed');
  const refused = await callAs(shop, 'platform', 'POST', `/jinmao/web/refund/${failed.id}/reject`, {
    reason: 'the channel says nothing moved',
  });
  expect(refused.message).toBe('');
  await all(shop, `DELETE FROM setting WHERE key = 'sandbox.refund.mode'`);
  shop.platforms[0]!.settings.forget();
  const before = await stockOf(oil);

  expect(await force(late!)).toMatchObject({ http: 200, data: { cash: '65.90' } });
  await settle();
  expect(await stockOf(oil)).toEqual(before);
  expect(await one(shop, 'SELECT cash_refunded, state FROM sales_order WHERE id = $1', [late])).toEqual({
    cash_refunded: 6_590,
    state: 'closed',
  });
  expect(await brokenRules(shop)).toEqual({});
});

test('a return of money that the channel accepted and then could not pay is asked for again', async () => {
  const { tissue } = shop.ids;
  const [made] = await order([{ specId: tissue, qty: 1 }]);
  await all(
    shop,
    `INSERT INTO setting (key, value) VALUES ('sandbox.refund.mode', '"fail"') ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  );
  shop.platforms[0]!.settings.forget();
  const tradeNo = `T-${made}`;
  expect(await payExampleOrders(shop, { tradeNo, amount: 1_989 })).toBe('amount_differs');
  const refundNo = returnNoOf(tradeNo);
  const deliver = async (kind: string) => {
    await all(shop, `UPDATE outbox SET available_at = now() WHERE kind = $1 AND state = 'pending'`, [kind]);
    const { id } = await one(shop, 'SELECT id FROM outbox WHERE kind = $1 ORDER BY id DESC LIMIT 1', [kind]);
    return deliverEffect(shop.platforms[0]!, effectsOf(SERVICES), id);
  };
  expect(await deliver('payment.return')).toBe('done');
  await runJob(shop, 'sandbox.refund_result', { refundNo });
  await all(shop, `DELETE FROM setting WHERE key = 'sandbox.refund.mode'`);
  shop.platforms[0]!.settings.forget();

  expect(await deliver('payment.return_check')).toBe('retry');
  await runJob(shop, 'sandbox.refund_result', { refundNo });
  expect(await deliver('payment.return_check')).toBe('done');
  expect(
    await one(shop, 'SELECT amount, refunded FROM sandbox_trade WHERE trade_no = $1', [tradeNo]),
  ).toEqual({
    amount: 1_989,
    refunded: 1_989,
  });
});

test('the mall operators are told when money could not be sent back at the last try', async () => {
  const { tissue } = shop.ids;
  const { staffId } = shop.callers.platform;
  await grantMenu(shop.platforms[0]!.database.db, staffId, 'mm_businessOrder_wx');
  await all(shop, 'UPDATE staff SET all_projects = true WHERE id = $1', [staffId]);
  const [made] = await order([{ specId: tissue, qty: 1 }]);
  const tradeNo = `T-${made}`;
  expect(await payExampleOrders(shop, { tradeNo, amount: 1_989 })).toBe('amount_differs');
  // The channel does not know the trade: it refuses each time.
  await all(shop, 'DELETE FROM sandbox_trade WHERE trade_no = $1', [tradeNo]);
  const { id } = await one(
    shop,
    `SELECT id FROM outbox WHERE kind = 'payment.return' ORDER BY id DESC LIMIT 1`,
  );
  const told = () =>
    all(shop, `SELECT title_zh FROM notification WHERE kind = 'alertPayment' AND body_zh LIKE $1`, [
      `%${tradeNo}，%原路退回失败%`,
    ]);
  const deliver = () => deliverEffect(shop.platforms[0]!, effectsOf(SERVICES), id);
  expect(await deliver()).toBe('retry');
  expect(await told()).toEqual([]);
  await all(shop, 'UPDATE outbox SET attempts = 19, available_at = now() WHERE id = $1', [id]);
  expect(await deliver()).toBe('dead');
  expect(await told()).toEqual([{ title_zh: '退款失败，款项未退回买家' }]);
});

test('a coupon comes back with the last sold order of its checkout, though another one was closed unpaid', async () => {
  const [closed, kept] = await createExampleOrders(shop);
  await close(closed);
  expect(await payExampleOrders(shop, { tradeNo: `T-${kept}` })).toBe('paid');
  expect(await force(kept)).toMatchObject({ http: 200 });
  await settle();
  const coupons = await all(
    shop,
    'SELECT status FROM member_coupon WHERE coupon_id = (SELECT coupon_id FROM member_coupon WHERE id = $1) ORDER BY id',
    [shop.ids.platformCoupon],
  );
  expect(coupons).toEqual([{ status: 'refunded' }, { status: 'claimed' }]);
  expect(await brokenRules(shop)).toEqual({});
});

test('an order without any coupon is made although one could be used', async () => {
  const { rice } = shop.ids;
  const [made] = await order([{ specId: rice, qty: 3 }]);
  expect(await one(shop, 'SELECT merchant_coupon, payable FROM sales_order WHERE id = $1', [made])).toEqual({
    merchant_coupon: 0,
    payable: 12_570,
  });
});

test('stock that was filled up behind an order keeps it from nothing: it closes, its refund is booked', async () => {
  const { oil } = shop.ids;
  const [unpaid] = await order([{ specId: oil, qty: 2 }]);
  const [paid] = await order([{ specId: oil, qty: 3 }]);
  expect(await payExampleOrders(shop, { tradeNo: `T-${paid}` })).toBe('paid');
  const fill = async (difference: number) => {
    await transaction(shop.platforms[0]!.database.db, (tx) =>
      changeStock(tx, [{ specId: oil, difference }], 'counted', 1),
    );
  };
  await fill(999_999 - (await stockOf(oil)).stock);

  await close(unpaid!);
  expect(await force(paid!)).toMatchObject({ http: 200 });
  await settle();
  expect(await one(shop, 'SELECT state, refund_status FROM sales_order WHERE id = $1', [paid])).toEqual({
    state: 'closed',
    refund_status: 'full',
  });
  expect((await stockOf(oil)).stock).toBe(1_000_004);
  // Staff may lower it, not raise it.
  await expect(fill(1)).rejects.toMatchObject({ status: 30101 });
  await fill(-1);
  expect((await stockOf(oil)).stock).toBe(1_000_003);
  await fill(-999_900);
  expect(await brokenRules(shop)).toEqual({});
});

test('a server whose clock is wrong moves neither the after-sale window nor a closing nor the end of a coupon', async () => {
  const { oil, rice } = shop.ids;
  const [unpaid] = await order([{ specId: rice, qty: 1 }]);
  const [paid] = await order([{ specId: oil, qty: 1 }]);
  expect(await payExampleOrders(shop, { tradeNo: `T-${paid}` })).toBe('paid');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 40 * 86_400_000 });
  try {
    await close(unpaid!);
    const { member, house } = shop.ids;
    const quote = await callAs(shop, 'platform', 'POST', `${ROOT}/quote`, {
      memberId: String(member),
      houseId: String(house),
      lines: [{ specId: String(rice), qty: 3 }],
    });
    expect(quote.data.coupons).toContainEqual(expect.objectContaining({ state: 'chosen' }));
    for (const [action, input] of [
      ['ship', { way: 'express', company: 'SF', trackingNo: 'SF1234567890' }],
      ['sign', {}],
    ] as const)
      expect((await callAs(shop, 'platform', 'POST', `${ROOT}/${paid}/${action}`, input)).http).toBe(200);
  } finally {
    vi.useRealTimers();
  }
  expect(
    await one(
      shop,
      `SELECT (SELECT closed_at <= clock_timestamp() FROM sales_order WHERE id = $1) AS closed,
              (SELECT shipped_at <= clock_timestamp() AND completed_at <= clock_timestamp() FROM sales_order WHERE id = $2) AS completed`,
      [unpaid, paid],
    ),
  ).toEqual({ closed: true, completed: true });
});

test('the freight alone can be refunded, and an empty list of goods ships nothing', async () => {
  const { oil } = shop.ids;
  const [paid] = await order([{ specId: oil, qty: 1 }]);
  expect(await payExampleOrders(shop, { tradeNo: `T-${paid}` })).toBe('paid');
  const act = (action: string, input: object) =>
    callAs(shop, 'platform', 'POST', `${ROOT}/${paid}/${action}`, input);
  expect(
    (await act('ship', { way: 'express', company: 'SF', trackingNo: 'SF1234567890', lines: [] })).http,
  ).toBe(422);
  const reason = { reasonCode: 'other', reason: 'came late' };
  expect((await act('refund', { ...reason, lines: [] })).http).toBe(422);
  const back = await act('refund', { ...reason, lines: [], freight: '6.00', cashReason: 'came late' });
  expect(back).toMatchObject({ http: 200, data: { result: { cash: '6.00', points: 0 } } });
  await settle();
  expect(
    await one(
      shop,
      'SELECT freight_refunded, cash_refunded, refund_status, state FROM sales_order WHERE id = $1',
      [paid],
    ),
  ).toEqual({ freight_refunded: 600, cash_refunded: 600, refund_status: 'part', state: 'to_ship' });
  expect(await force(paid!)).toMatchObject({ http: 200, data: { cash: '59.90' } });
  await settle();
  expect(await brokenRules(shop)).toEqual({});
});
