import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Service } from '../../../kernel/server/service.ts';
import { service as checkout } from '../../shared/checkout/checkout.server.ts';
import { receivePayment } from '../../shared/checkout/take-payment.server.ts';
import { service as orders } from './goods-order.server.ts';
import { all, brokenRules, callAs, deliverAll, exampleCart, one, openShop, runJob, type Shop } from './order-fixture.ts';

const ROOT = '/jinmao/web/goodsOrder';
const SERVICES: readonly Service[] = [orders, checkout];

let shop: Shop;
beforeEach(async () => {
  shop = await openShop(SERVICES);
});
afterEach(async () => {
  await shop.close();
});

/** Creates the orders of example A and returns the ids of the orders of M1 and M2. */
async function createExample(): Promise<[string, string]> {
  const answer = await callAs(shop, 'platform', 'POST', ROOT, exampleCart(shop));
  expect(answer.message).toBe('');
  return answer.data.result.orderIds;
}

async function payExample(more: Partial<Parameters<typeof receivePayment>[1]> = {}) {
  const payment = await one(shop, 'SELECT checkout_code, amount FROM payment ORDER BY id DESC LIMIT 1');
  const callback = {
    checkoutCode: payment.checkout_code as string, tradeNo: 'T-1', amount: payment.amount as number, channel: 1 as const, paidAt: new Date(), ...more,
  };
  await all(shop, 'INSERT INTO sandbox_trade (trade_no, checkout_code, amount) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
    callback.tradeNo, callback.checkoutCode, callback.amount,
  ]);
  return receivePayment(shop.platforms[0]!, callback);
}

describe('Must show 1: example A', () => {
  test('quote and two orders with the shares of the table', async () => {
    const { ids } = shop;
    const cart = exampleCart(shop);
    const quote = await callAs(shop, 'platform', 'POST', `${ROOT}/quote`, {
      memberId: cart.member, houseId: cart.house, lines: cart.lines, coupons: 'best', points: 'max',
    });
    expect(quote.data).toMatchObject({ payable: '142.40', points: 3_300, maxPoints: 3_300, pointsBalance: 5_000, freight: '6.00' });
    const [first, second] = await createExample();
    const m1 = (await callAs(shop, 'platform', 'GET', `${ROOT}/${first}`)).data;
    const m2 = (await callAs(shop, 'platform', 'GET', `${ROOT}/${second}`)).data;
    expect([m1.payable, m2.payable, m1.payment.amount]).toEqual(['99.41', '42.99', '142.40']);
    expect(m1.money).toMatchObject({ goods: '139.70', merchantCoupon: '10.00', platformCoupon: '13.69', pointsValue: '22.60', points: 2_260, freight: '6.00' });
    const shares = (line: any) => [line.shares.merchantCoupon, line.shares.platformCoupon, line.shares.pointsValue, line.cash];
    expect(m1.lines.map(shares)).toEqual([['5.71', '7.82', '12.91', '53.36'], ['4.29', '5.87', '9.69', '40.05']]);
    expect(m2.lines.map(shares)).toEqual([['0.00', '6.31', '10.40', '42.99']]);
    expect(m1.steps.map((step: any) => step.code)).toEqual([10, 20, 30, 40, 50]);
    expect(m1.operations.map((event: any) => event.code)).toEqual([5]);
    const spec = await one(shop, 'SELECT stock, reserved, sold FROM product_spec WHERE id = $1', [ids.rice]);
    expect(spec).toEqual({ stock: 98, reserved: 2, sold: 0 });
    expect((await one(shop, `SELECT balance FROM ledger_account WHERE kind = 'points_held'`)).balance).toBe(3_300);
    expect((await all(shop, 'SELECT 1 FROM member_coupon WHERE locked_payment IS NOT NULL')).length).toBe(2);
    expect(await brokenRules(shop)).toEqual({});
  });

  test('Must show 2: a price raised before submit refuses the order and reserves nothing', async () => {
    await all(shop, 'UPDATE product_spec SET price = 4090 WHERE id = $1', [shop.ids.rice]);
    const answer = await callAs(shop, 'platform', 'POST', ROOT, exampleCart(shop));
    expect(answer).toMatchObject({ http: 409, status: 30101, message: '价格已变化，请重新确认' });
    expect((await one(shop, 'SELECT sum(reserved)::int AS reserved FROM product_spec')).reserved).toBe(0);
    expect(await all(shop, 'SELECT 1 FROM sales_order')).toEqual([]);
    expect(await all(shop, 'SELECT 1 FROM member_coupon WHERE locked_payment IS NOT NULL')).toEqual([]);
  });

  test('a repeat with the same coupons is refused, another cart says how many are left', async () => {
    await createExample();
    expect((await callAs(shop, 'platform', 'POST', ROOT, exampleCart(shop))).status).toBe(30101);
    const short = await callAs(shop, 'platform', 'POST', ROOT, {
      member: String(shop.ids.member), house: String(shop.ids.house), lines: [{ specId: String(shop.ids.tissue), qty: 98 }], coupons: [], shownTotal: '1950.20',
    });
    expect(short).toMatchObject({ status: 30101, message: '库存不足，仅剩97件' });
  });
});

describe('payment', () => {
  test('Must show 6: five callbacks have one effect', async () => {
    const [first] = await createExample();
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => payExample()));
    expect(outcomes.sort()).toEqual(['paid', 'repeated', 'repeated', 'repeated', 'repeated']);
    const row = await one(shop, 'SELECT o.state, o.agreement_version, p.state AS paid FROM sales_order o JOIN payment p ON p.id = o.payment_id WHERE o.id = $1', [first]);
    expect(row).toEqual({ state: 'to_ship', agreement_version: 3, paid: 2 });
    expect(await one(shop, 'SELECT stock, reserved, sold FROM product_spec WHERE id = $1', [shop.ids.rice])).toEqual({ stock: 98, reserved: 0, sold: 2 });
    expect((await all(shop, `SELECT 1 FROM member_coupon WHERE status = 'used'`)).length).toBe(2);
    expect((await one(shop, `SELECT balance FROM ledger_account WHERE kind = 'points_held'`)).balance).toBe(0);
    expect(await brokenRules(shop)).toEqual({});
  });

  test('Must show 6: a wrong amount fails the payment, the order stays, the money goes back once', async () => {
    const [first] = await createExample();
    expect(await payExample({ amount: 14_239 })).toBe('amount_differs');
    expect(await payExample({ amount: 14_239 })).toBe('repeated');
    await deliverAll(shop);
    await all(shop, `UPDATE sandbox_refund SET state = 'success', paid_times = 1`);
    await deliverAll(shop);
    const row = await one(shop, 'SELECT o.state, p.state AS paid FROM sales_order o JOIN payment p ON p.id = o.payment_id WHERE o.id = $1', [first]);
    expect(row).toEqual({ state: 'pending_payment', paid: 3 });
    expect(await all(shop, 'SELECT trade_no, amount FROM sandbox_refund')).toEqual([{ trade_no: 'T-1', amount: 14_239 }]);
    const codes = (await all(shop, 'SELECT code FROM order_event WHERE order_id = $1 ORDER BY id', [first])).map((event) => event.code);
    expect(codes).toEqual([5, 9, 43]);
    expect(await payExample({ tradeNo: 'T-2' })).toBe('paid');
    expect(await payExample({ tradeNo: 'T-3' })).toBe('surplus');
    expect(await brokenRules(shop)).toEqual({});
  });

  test('Must show 7: money after closing is refunded, the order stays closed', async () => {
    const [first, second] = await createExample();
    await all(shop, `UPDATE sales_order SET pay_deadline = now() - interval '1 minute'`);
    await Promise.all([runJob(shop, 'order.close_unpaid'), runJob(shop, 'order.close_unpaid')]);
    expect((await all(shop, 'SELECT state FROM sales_order')).map((row) => row.state)).toEqual(['closed', 'closed']);
    expect((await one(shop, `SELECT balance FROM ledger_account WHERE kind = 'points_available'`)).balance).toBe(5_000);
    expect(await all(shop, 'SELECT 1 FROM member_coupon WHERE locked_payment IS NOT NULL')).toEqual([]);
    expect(await payExample()).toBe('late');
    const refunds = await all(shop, 'SELECT order_id, cash, points, state FROM refund ORDER BY order_id');
    expect(refunds).toEqual([
      { order_id: Number(first), cash: 9_941, points: 0, state: 'refunding' },
      { order_id: Number(second), cash: 4_299, points: 0, state: 'refunding' },
    ]);
    expect((await all(shop, 'SELECT state FROM sales_order')).map((row) => row.state)).toEqual(['closed', 'closed']);
    expect((await all(shop, 'SELECT code FROM order_event WHERE order_id = $1 ORDER BY id', [first])).map((event) => event.code)).toContain(42);
    expect(await one(shop, 'SELECT stock, reserved, sold FROM product_spec WHERE id = $1', [shop.ids.rice])).toEqual({ stock: 100, reserved: 0, sold: 0 });
    expect(await brokenRules(shop)).toEqual({});
  });

  test('btn_pay gives a link, the sandbox pays it through the same handler; a changed price voids the link', async () => {
    const [first] = await createExample();
    const asked = await callAs(shop, 'platform', 'POST', `${ROOT}/${first}/pay`, { channel: '2' });
    expect(asked.data.result).toMatchObject({ amount: '142.40', channel: 2 });
    await callAs(shop, 'platform', 'POST', `${ROOT}/${first}/price`, { off: '10.00' });
    const void_ = await callAs(shop, 'platform', 'POST', `${ROOT}/${first}/sandboxPay`, { amount: '142.40', channel: '2' });
    expect(void_).toMatchObject({ status: 30101, message: '支付链接已失效，请重新发起支付' });
    const paid = await callAs(shop, 'platform', 'POST', `${ROOT}/${first}/sandboxPay`, { amount: '132.40', channel: '2', simulate: 'duplicate' });
    expect(paid.http).toBe(200);
    await deliverAll(shop);
    expect((await callAs(shop, 'platform', 'GET', `${ROOT}/${first}`)).data).toMatchObject({ state: 'to_ship', payChannel: '2' });
    expect(await brokenRules(shop)).toEqual({});
  });

  test('nothing to pay is paid at once', async () => {
    await all(shop, 'UPDATE coupon SET face = 100000, threshold = 0 WHERE issuer = $1', ['platform']);
    const answer = await callAs(shop, 'platform', 'POST', ROOT, {
      member: String(shop.ids.member), house: String(shop.ids.house), lines: [{ specId: String(shop.ids.tissue), qty: 1 }],
      coupons: [String(shop.ids.platformCoupon)], shownTotal: '0.00',
    });
    expect(answer.data).toMatchObject({ state: 'to_ship', payChannel: '0', result: { paid: true } });
    expect(await brokenRules(shop)).toEqual({});
  });
});

describe('Must show 13 and closing', () => {
  test('10.00 off splits 5.71 / 4.29, points and coupons stay, the checkout becomes 132.40', async () => {
    const [first] = await createExample();
    const answer = await callAs(shop, 'platform', 'POST', `${ROOT}/${first}/price`, { off: '10.00', reason: 'old customer' });
    const order = answer.data;
    expect(order).toMatchObject({ payable: '89.41', payment: { amount: '132.40' }, money: { points: 2_260, manualOff: '10.00', merchantCoupon: '10.00' } });
    expect(order.lines.map((line: any) => [line.shares.manualOff, line.cash])).toEqual([['5.71', '47.65'], ['4.29', '35.76']]);
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
    expect((await one(shop, `SELECT balance FROM ledger_account WHERE kind = 'points_held'`)).balance).toBe(2_260);
    expect(await brokenRules(shop)).toEqual({});
    expect(await payExample()).toBe('paid');
    expect(await brokenRules(shop)).toEqual({});
  });

  test('a new address takes the freight of today', async () => {
    const [first] = await createExample();
    await all(shop, 'UPDATE postage_rule SET freight = 800');
    const answer = await callAs(shop, 'platform', 'POST', `${ROOT}/${first}/address`, { contactName: '李四', contactPhone: '13900139000', address: '幸福路 1 号 2 室' });
    expect(answer.data).toMatchObject({ payable: '101.41', address: '幸福路 1 号 2 室', contactName: '李*', payment: { amount: '144.40' } });
    expect(await brokenRules(shop)).toEqual({});
  });
});

describe('Must show 5: shipping', () => {
  test('three units: two, then two more refused, then one', async () => {
    const [, second] = await createExample();
    await payExample();
    const line = (await callAs(shop, 'platform', 'GET', `${ROOT}/${second}`)).data.lines[0].id;
    const ship = (qty: number, more: object = {}) =>
      callAs(shop, 'merchant2', 'POST', `${ROOT}/${second}/ship`, { way: 'express', company: 'SF', trackingNo: `SF-00000${qty}`, lines: [{ lineId: line, qty }], ...more });
    expect((await callAs(shop, 'merchant2', 'POST', `${ROOT}/${second}/sign`, {})).message).toBe('订单未发货');
    expect((await ship(1, { trackingNo: 'SF 1' })).data.fields.trackingNo).toBe('请输入6–32位字母、数字或-');
    expect((await ship(1, { way: 'own' })).data.fields).toMatchObject({ courier: '此项必填', courierPhone: '此项必填' });
    const two = await ship(2);
    expect(two.data).toMatchObject({ state: 'part_shipped', shipments: [{ trackingNo: 'SF-000002', lines: [{ qty: 2 }] }] });
    expect(await ship(2)).toMatchObject({ http: 422, message: '发货数量超过待发数量' });
    const last = await ship(1);
    expect(last.data).toMatchObject({ state: 'to_receive' });
    expect(last.data.deadline).not.toBeNull();
    const changed = await callAs(shop, 'merchant2', 'POST', `${ROOT}/${second}/logistics`, {
      shipment: last.data.shipments[0].id, company: 'JD', trackingNo: 'JD-999999', reason: '改单',
    });
    expect(changed.data.operations.at(-1)).toMatchObject({ code: 21, remark: 'SF SF-000002 → JD JD-999999 · 改单' });
    await all(shop, `UPDATE sales_order SET receive_deadline = now() - interval '1 second' WHERE id = $1`, [second]);
    await Promise.all([runJob(shop, 'order.auto_receive'), runJob(shop, 'order.auto_receive')]);
    expect((await all(shop, 'SELECT code FROM order_event WHERE order_id = $1 AND code = 26', [second])).length).toBe(1);
    expect(await brokenRules(shop)).toEqual({});
  });

  test('units in an unfinished refund cannot be shipped, the rest can; automatic receipt waits', async () => {
    const [, second] = await createExample();
    await payExample();
    const line = (await callAs(shop, 'platform', 'GET', `${ROOT}/${second}`)).data.lines[0].id;
    const suggestion = await callAs(shop, 'platform', 'POST', `${ROOT}/${second}/suggestRefund`, { lines: [{ lineId: line, qty: 1 }] });
    expect(suggestion.data).toMatchObject({ ok: true, cash: '14.34', points: 346 });
    const refund = await callAs(shop, 'merchant2', 'POST', `${ROOT}/${second}/refund`, { lines: [{ lineId: line, qty: 1 }], reasonCode: 'other', reason: '少要一提' });
    expect(refund.data).toMatchObject({ refundStatus: 'refunding', result: { cash: '14.34', state: 'refunding' } });
    const ship = (lines?: unknown) => callAs(shop, 'merchant2', 'POST', `${ROOT}/${second}/ship`, { way: 'own', courier: '王五', courierPhone: '13700137000', ...(lines ? { lines } : {}) });
    expect(await ship([{ lineId: line, qty: 3 }])).toMatchObject({ status: 30101, message: '该商品退款处理中，不能发货' });
    expect((await ship()).data).toMatchObject({ state: 'part_shipped', lines: [{ shipped: 2, held: 1 }] });
    expect((await callAs(shop, 'merchant2', 'POST', `${ROOT}/${second}/refund`, { lines: [{ lineId: line, qty: 1 }], reasonCode: 'other', reason: '再退' })).message).toBe('该订单有未完成的退款');
  });
});

describe('scope and the paths of the specification', () => {
  test('Must show 10: a merchant sees its own orders whatever it asks for', async () => {
    const [first, second] = await createExample();
    const { merchant2, project } = shop.ids;
    const list = await callAs(shop, 'merchant1', 'POST', `/jinmao/bizProductOrder/search/?tenantId=${merchant2}&projectId=${project}&projectId=${project}&page=1&limit=10`);
    expect(list.data).toMatchObject({ total: 1, rows: [{ orderId: first, actualPrice: '99.41', orderStatus: 5, orderStatusDesc: '待支付', refundStatus: 0, tenantName: 'Merchant 1', orderType: 1 }] });
    expect((await callAs(shop, 'merchant1', 'GET', `/jinmao/bizProductOrder/findProductOrderInfo?orderId=${second}`)).http).toBe(404);
    expect((await callAs(shop, 'merchant1', 'POST', `${ROOT}/${second}/close`, { reason: '客户取消' })).http).toBe(404);
    expect((await callAs(shop, 'merchant1', 'POST', `${ROOT}/quote`, { memberId: String(shop.ids.member), houseId: String(shop.ids.house), lines: [{ specId: String(shop.ids.tissue), qty: 1 }] })).http).toBe(404);
    // The sister order of the checkout is another merchant's business.
    const own = (await callAs(shop, 'merchant1', 'GET', `${ROOT}/${first}`)).data;
    expect(own.payment).toMatchObject({ amount: '99.41', orders: [{ id: first }] });
    const info = (await callAs(shop, 'platform', 'GET', `/jinmao/bizProductOrder/findProductOrderInfo?orderId=${first}`)).data;
    expect(info).toMatchObject({ actualPrice: '99.41', contactName: '陈*雨', contactTel: '138****8000', productPrice: '139.70', discountPrice: '46.29', freight: '6.00', pointsPrice: '22.60', operationList: [{ code: 5, name: '提交订单' }] });
  });

  test('states 30, 40 and 50, dates and unknown parameters', async () => {
    const [first, second] = await createExample();
    await payExample();
    await all(shop, `UPDATE sales_order SET state = 'completed', completed_at = now() WHERE id = $1`, [first]);
    await all(shop, `UPDATE sales_order SET refund_status = 'refunding' WHERE id = $1`, [second]);
    const search = (query: string) => callAs(shop, 'platform', 'POST', `/jinmao/bizProductOrder/search?${query}`);
    expect((await search('queryOrderStatus=30')).data.rows.map((row: any) => [row.orderId, row.orderStatusDesc])).toEqual([[first, '待评价']]);
    expect((await search('queryOrderStatus=40')).data.rows.map((row: any) => row.orderId)).toEqual([second]);
    expect((await search('queryOrderStatus=50')).data.total).toBe(0);
    expect((await search('startDate=2020-01-01&endDate=2020-01-02')).data.total).toBe(0);
    expect((await search('startDate=2020-13-01')).http).toBe(422);
    expect((await search('orderBy=1')).http).toBe(422);
    expect((await search('searchVal=13800138000')).data.total).toBe(2);
    const counts = (await callAs(shop, 'platform', 'GET', `${ROOT}/counts`)).data;
    expect(counts).toMatchObject({ all: 2, to_comment: 1, completed: 1, refunding: 1, to_ship: 1, closed: 0 });
    const task = await callAs(shop, 'platform', 'POST', '/jinmao/bizProductOrder/exportProductOrderExcel?queryOrderStatus=30');
    expect(task.data.taskId).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('the export has 29 columns and order amounts on the first line only', async () => {
    await createExample();
    await payExample();
    const source = orders.exports![0]!;
    const call = { caller: shop.callers.platform, platform: shop.platforms[0]!, language: 'zh' as const };
    expect(source.columns('zh').map((column) => column.title).join()).toBe(
      '序号,订单号,商户支付单号,类型,标题,下单时间,客户,电话,项目,地址,总件数,实付,优惠,运费,支付方式,状态,退款状态,评价状态,签收时间,退款金额,退款时间,商品,规格,数量,单价,供应商,销售方式,来源,备注',
    );
    const rows: (readonly (string | number | null)[])[] = [];
    for await (const batch of source.read(call, {})) rows.push(...batch);
    expect(rows.map((row) => [row[0], row[11], row[12], row[21], row[23]])).toEqual([
      [1, '42.99', '16.71', 'tissue', 3], [2, '99.41', '46.29', 'rice', 2], [3, null, null, 'oil', 1],
    ]);
    const own: unknown[] = [];
    for await (const batch of source.read({ ...call, caller: shop.callers.merchant2 }, {})) own.push(...batch);
    expect(own.length).toBe(1);
  });
});

describe('every invariant finds a planted bug', () => {
  const bugs: readonly (readonly [rule: string, bug: string, undo: string])[] = [
    ['order.totals', 'UPDATE sales_order SET item_count = item_count + 1', 'UPDATE sales_order SET item_count = item_count - 1'],
    ['order.line_shares', 'UPDATE order_share SET amount = amount + 1 WHERE step = 40', 'UPDATE order_share SET amount = amount - 1 WHERE step = 40'],
    ['order.step_sums', 'UPDATE order_share SET units = units + 1 WHERE step = 40', 'UPDATE order_share SET units = units - 1 WHERE step = 40'],
    ['payment.sums', 'UPDATE payment SET amount = amount + 1', 'UPDATE payment SET amount = amount - 1'],
    ['order.pieces', 'UPDATE order_line SET qty_shipped = 1', 'UPDATE order_line SET qty_shipped = 0'],
    ['stock.equation', 'UPDATE product_spec SET stock = stock + 1', 'UPDATE product_spec SET stock = stock - 1'],
    ['stock.reserved', 'UPDATE product_spec SET reserved = reserved + 1', 'UPDATE product_spec SET reserved = reserved - 1'],
    ['coupon.locked', `UPDATE sales_order SET state = 'closed'`, `UPDATE sales_order SET state = 'pending_payment'`],
  ];

  test('and is quiet without one', async () => {
    await createExample();
    for (const [rule, bug, undo] of bugs) {
      expect(await brokenRules(shop)).toEqual({});
      await all(shop, bug);
      expect(Object.keys(await brokenRules(shop))).toContain(rule);
      await all(shop, undo);
    }
    await all(shop, bugs[5]![1]);
    await expect(runJob(shop, 'stock.alert')).resolves.toBeUndefined();
  });
});
