import { afterAll, beforeAll, expect, test } from 'vitest';
import { registrations } from '../../../app/registry/registrations.gen.ts';
import { programToken } from '../../../testing/program-client.ts';
import { grantPoints } from '../../../domain/points-ledger/points-grant.server.ts';
import { transaction } from '../../../kernel/server/database.ts';
import { receiveChannelResult } from '../../after-sales/refund/refund-send.server.ts';
import { addService, at } from '../../home-services/service-order/visit-fixture.ts';
import { startTestProduct } from '../../../testing/test-product.ts';
import { all, callAs, deliverAll, one, openShop, type Shop } from '../goods-order/order-fixture.ts';

const ROOT = '/jinmao/web/memberTrade';
let shop: Shop;
let requests = 0;

beforeAll(async () => {
  shop = await openShop(registrations, 2);
});
afterAll(() => shop.close());

const next = () => `member-trade-${(requests += 1)}`;
const ask = (path: string, body: object, instance = 0) =>
  callAs(shop, 'program', 'POST', `${ROOT}/${path}`, body, instance);

function cart(qty = 1) {
  return {
    memberId: String(shop.ids.member),
    projectId: String(shop.ids.project),
    lines: [{ specId: String(shop.ids.oil), qty }],
    coupons: [],
  };
}

async function order(qty = 1) {
  const quote = await ask('quote', cart(qty));
  const body = {
    ...cart(qty),
    requestId: next(),
    contactName: '陈思雨',
    contactPhone: '13800138000',
    address: '1-101',
    shownTotal: quote.data.total,
  };
  return { body, answer: await ask('checkout', body) };
}

test('an order goes from the quote to its refund as an app would make it', async () => {
  const { answer } = await order(2);
  expect(answer.data).toMatchObject({ payable: '125.80', paid: false });
  const memberId = String(shop.ids.member);
  const [orderId] = answer.data.orderIds as [string];
  const paid = await ask('pay', {
    memberId,
    checkoutCode: answer.data.checkoutCode,
    channel: 1,
    simulate: 'duplicate',
  });
  expect(paid.http).toBe(200);
  await deliverAll(shop);
  const see = async () =>
    (await callAs(shop, 'program', 'GET', `${ROOT}/order?memberId=${memberId}&orderId=${orderId}`)).data;
  const bought = await see();
  expect(bought).toMatchObject({ state: 'to_ship', payable: '125.80', kind: 'goods' });
  const refund = await ask('refund', {
    requestId: next(),
    memberId,
    orderId,
    lines: [{ lineId: bought.lines[0].lineId, qty: 1 }],
    reason: '多拍了',
  });
  expect(refund.data).toMatchObject({ cash: '59.90', state: 'refunding' });
  const late = await ask('cancel', { requestId: next(), memberId, orderId, reason: '不要了' });
  expect([late.http, late.message]).toEqual([409, '订单不是待支付状态']);
  const early = await ask('receive', { requestId: next(), memberId, orderId });
  expect([early.http, early.message]).toEqual([409, '订单未发货']);
  const own = await one(shop, `SELECT created_by, on_behalf FROM sales_order WHERE id = $1`, [orderId]);
  expect(own).toEqual({ created_by: null, on_behalf: false });
});

test('group 22 Must show 1 (the app): E1 to E3 by orders and refunds as an app makes them', async () => {
  const member = (
    await one<{ id: number }>(
      shop,
      `INSERT INTO member (name, phone, project_id) VALUES ('何青', '13800138022', $1) RETURNING id`,
      [shop.ids.project],
    )
  ).id;
  const memberId = String(member);
  const { db } = shop.platforms[0]!.database;
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
  await all(shop, `INSERT INTO setting (key, value) VALUES ('mall.points.step', '10')`);
  shop.platforms.forEach((platform) => platform.settings.forget());
  // Lots as in E1: A 100, B 200 and C 50, C ends first and B last.
  for (const [amount, days] of [
    [100, 120],
    [200, 210],
    [50, 60],
  ] as const)
    await transaction(db, (tx) =>
      grantPoints(tx, shop.platforms[0]!.settings, {
        memberId: member,
        amount,
        expiresAt: inDays(days),
        source: { type: 'test', id: `${memberId}-${amount}`, purpose: 'grant' },
      }),
    );
  const lots = async () =>
    (
      await all<{ amount: number; remaining: number }>(
        shop,
        `SELECT l.amount, l.remaining FROM points_lot l JOIN ledger_account a ON a.id = l.account_id WHERE a.member_id = $1 ORDER BY l.id`,
        [member],
      )
    ).map((lot) => [lot.amount, lot.remaining]);
  const available = async () =>
    (
      await one<{ balance: number }>(
        shop,
        `SELECT balance FROM ledger_account WHERE member_id = $1 AND kind = 'points_available'`,
        [member],
      )
    ).balance;

  // Three pieces for 180 points: 60 of each piece.
  const wanted = { ...cart(3), memberId, points: 180 };
  const quote = await ask('quote', wanted);
  const bought = await ask('checkout', {
    ...wanted,
    requestId: next(),
    contactName: '何青',
    contactPhone: '13800138022',
    address: '1-102',
    shownTotal: quote.data.total,
  });
  expect([bought.http, bought.message]).toEqual([200, '']);
  const [orderId] = bought.data.orderIds as [string];
  await ask('pay', { memberId, checkoutCode: bought.data.checkoutCode, channel: 1 });
  await deliverAll(shop);
  expect([await lots(), await available()]).toEqual([
    [
      [100, 0],
      [200, 170],
      [50, 0],
    ],
    170,
  ]);

  const { lines } = (
    await callAs(shop, 'program', 'GET', `${ROOT}/order?memberId=${memberId}&orderId=${orderId}`)
  ).data;
  const giveBack = async (qty: number) => {
    const refund = await ask('refund', {
      requestId: next(),
      memberId,
      orderId,
      lines: [{ lineId: lines[0].lineId, qty }],
      reason: '不想要了',
    });
    expect([refund.http, refund.message]).toEqual([200, '']);
    await deliverAll(shop);
    const { no } = await one<{ no: string }>(
      shop,
      'SELECT channel_refund_no AS no FROM refund WHERE id = $1',
      [refund.data.refundId],
    );
    await receiveChannelResult(shop.platforms[0]!, {
      refundNo: no,
      state: 'success',
      code: 'SUCCESS',
      message: '',
    });
    await deliverAll(shop);
    return refund.data.points;
  };
  expect(await giveBack(1)).toBe(60);
  expect([await lots(), await available()]).toEqual([
    [
      [100, 30],
      [200, 200],
      [50, 0],
    ],
    230,
  ]);

  // Ten days after the end of C: what it gave lives seven days more, in a lot of its own.
  await all(
    shop,
    `UPDATE points_lot SET expires_at = now() - interval '10 days' WHERE amount = 50 AND account_id IN (SELECT id FROM ledger_account WHERE member_id = $1)`,
    [member],
  );
  expect(await giveBack(2)).toBe(120);
  expect([await lots(), await available()]).toEqual([
    [
      [100, 100],
      [200, 200],
      [50, 0],
      [50, 50],
    ],
    350,
  ]);
  const last = await one<{ day: string }>(
    shop,
    `SELECT (l.expires_at AT TIME ZONE 'Asia/Shanghai')::date - (now() AT TIME ZONE 'Asia/Shanghai')::date AS day
       FROM points_lot l JOIN ledger_account a ON a.id = l.account_id WHERE a.member_id = $1 ORDER BY l.id DESC LIMIT 1`,
    [member],
  );
  expect(Number(last.day)).toBe(7);
  await all(shop, `DELETE FROM setting WHERE key = 'mall.points.step'`);
  shop.platforms.forEach((platform) => platform.settings.forget());
});

test('a request is carried out once: fifty repeats over two instances make one order, another body is refused', async () => {
  const before = await one<{ n: number }>(shop, 'SELECT count(*)::int AS n FROM sales_order');
  const quote = await ask('quote', cart());
  const body = {
    ...cart(),
    requestId: next(),
    contactName: '陈思雨',
    contactPhone: '13800138000',
    address: '1-101',
    shownTotal: quote.data.total,
  };
  const answers = await Promise.all(Array.from({ length: 50 }, (_, no) => ask('checkout', body, no % 2)));
  expect(new Set(answers.map((answer) => JSON.stringify(answer.data))).size).toBe(1);
  expect((await one<{ n: number }>(shop, 'SELECT count(*)::int AS n FROM sales_order')).n).toBe(before.n + 1);
  const other = await ask('checkout', { ...body, address: '2-202' });
  expect([other.http, other.message]).toEqual([422, expect.stringContaining('请求标识已用于其他请求')]);
  // What failed keeps nothing: the same id may be used again once it can succeed.
  const stale = { ...body, requestId: next(), shownTotal: quote.data.total + 1 };
  expect((await ask('checkout', stale)).message).toBe('价格已变化，请重新确认');
  expect(await all(shop, 'SELECT 1 FROM program_request WHERE request_id = $1', [stale.requestId])).toEqual(
    [],
  );
});

test('orders of other members answer as missing ones, in every verb', async () => {
  const { answer } = await order();
  const stranger = await one<{ id: number }>(
    shop,
    `INSERT INTO member (name, phone, project_id) VALUES ('王五', '13800138999', $1) RETURNING id`,
    [shop.ids.project],
  );
  const foreign = { memberId: String(stranger.id), orderId: answer.data.orderIds[0] };
  for (const [path, more] of [
    ['cancel', { reason: '不要了' }],
    ['receive', {}],
    ['refund', { lines: 'all', reason: '不要了' }],
  ] as const)
    expect((await ask(path, { requestId: next(), ...foreign, ...more })).http, path).toBe(404);
  expect(
    (await ask('pay', { memberId: foreign.memberId, checkoutCode: answer.data.checkoutCode, channel: 1 }))
      .http,
  ).toBe(404);
  const read = await callAs(
    shop,
    'program',
    'GET',
    `${ROOT}/order?memberId=${foreign.memberId}&orderId=${foreign.orderId}`,
  );
  expect(read.http).toBe(404);
  expect((await ask('quote', { ...cart(), memberId: '999999' })).http).toBe(404);
});

test('a coupon is claimed to the limit of the member, once per request', async () => {
  const { id } = await one<{ id: number }>(
    shop,
    `INSERT INTO coupon (code, name, type, issuer, tenant_id, threshold, face, total, per_limit, status, bearer_platform_percent, starts_at, ends_at)
     VALUES ('CPMT', 'C', 'cash', 'platform', $1, 0, 100, 10, 1, 'published', 100, now() - interval '1 day', now() + interval '9 days') RETURNING id`,
    [shop.ids.platformTenant],
  );
  const body = { requestId: next(), memberId: String(shop.ids.member), couponId: String(id) };
  const answers = await Promise.all(Array.from({ length: 8 }, (_, no) => ask('claimCoupon', body, no % 2)));
  expect(new Set(answers.map((answer) => answer.data?.code)).size).toBe(1);
  const again = await ask('claimCoupon', { ...body, requestId: next() });
  expect([again.http, again.message]).toEqual([409, '已达领取上限']);
  const held = await one(shop, 'SELECT count(*)::int AS n FROM member_coupon WHERE coupon_id = $1', [id]);
  expect(held.n).toBe(1);
});

test('a service that was made is not refunded by asking for everything', async () => {
  const made = await transaction(shop.platforms[0]!.database.db, (tx) =>
    addService(shop, tx, 'done', 5_000, { verify: false }),
  );
  const cart = {
    memberId: String(shop.ids.member),
    projectId: String(shop.ids.project),
    lines: [{ specId: String(made.spec), qty: 1 }],
    coupons: [],
    visit: { startsAt: at(3, 9) },
  };
  const answer = await ask('checkout', {
    ...cart,
    requestId: next(),
    contactName: '陈思雨',
    contactPhone: '13800138000',
    address: '1-101',
    shownTotal: 5_000,
  });
  const [orderId] = answer.data.orderIds as [string];
  const memberId = String(shop.ids.member);
  await ask('pay', { memberId, checkoutCode: answer.data.checkoutCode, channel: 1 });
  await deliverAll(shop);
  await all(shop, `UPDATE appointment SET state = 'done', finished_at = now() WHERE order_id = $1`, [
    orderId,
  ]);
  await all(shop, `UPDATE sales_order SET state = 'completed', completed_at = now() WHERE id = $1`, [
    orderId,
  ]);
  const refused = await ask('refund', {
    requestId: next(),
    memberId,
    orderId,
    lines: 'all',
    reason: '不满意',
  });
  expect([refused.http, refused.message]).toEqual([409, '最多可退0.00元（已退0.00，处理中0.00）']);
});

test('only programs with the scope of member orders call, staff do not', async () => {
  const product = await startTestProduct({ demo: false });
  try {
    const body = { ...cart(), memberId: '999999' };
    const right = await programToken(product, { id: 'trade-app', scopes: ['member_order'] });
    expect((await product.call(right, 'POST', `${ROOT}/quote`, body)).http).toBe(404);
    const wrong = await programToken(product, { id: 'event-app', scopes: ['member_event'] });
    expect((await product.call(wrong, 'POST', `${ROOT}/quote`, body)).http).toBe(403);
    const admin = await product.signIn('admin');
    expect((await product.call(admin, 'POST', `${ROOT}/quote`, body)).http).toBe(403);
    expect((await product.call('', 'POST', `${ROOT}/quote`, body)).http).toBe(401);
  } finally {
    await product.close();
  }
});

test('a buyer puts the receipt off once by three days, and only while it is on its way', async () => {
  const { answer } = await order(1);
  const memberId = String(shop.ids.member);
  const [orderId] = answer.data.orderIds as [string];
  const delay = () => ask('delay', { requestId: next(), memberId, orderId });
  expect((await delay()).message).toBe('订单不在待收货');
  await all(
    shop,
    `UPDATE sales_order SET state = 'to_receive', receive_deadline = date_trunc('second', now()) + interval '1 day' WHERE id = $1`,
    [orderId],
  );
  const both = await Promise.all([delay(), delay()]);
  expect(both.map((one) => one.http).sort()).toEqual([200, 409]);
  expect(both.find((one) => one.http === 409)!.message).toBe('每笔订单只能延长一次');
  expect(
    await one(
      shop,
      `SELECT round(extract(epoch FROM receive_deadline - now()) / 86400)::int AS days FROM sales_order WHERE id = $1`,
      [orderId],
    ),
  ).toEqual({ days: 4 });
});
