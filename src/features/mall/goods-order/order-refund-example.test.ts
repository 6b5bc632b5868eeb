import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Registration } from '../../../kernel/server/registration.ts';
import { receiveChannelResult } from '../../after-sales/refund/refund-send.server.ts';
import { registration as refunds } from '../../after-sales/refund/refund.server.ts';
import { registration as checkout } from '../../../domain/checkout/checkout.server.ts';
import { registration as orders } from './goods-order.server.ts';
import {
  all,
  brokenRules,
  callAs,
  createExampleOrders,
  one,
  openShop,
  payExampleOrders,
  type Shop,
} from './order-fixture.ts';

const ROOT = '/jinmao/web/goodsOrder';
const SERVICES: readonly Registration[] = [orders, checkout, refunds];

let shop: Shop;
beforeEach(async () => {
  shop = await openShop(SERVICES);
});
afterEach(async () => {
  await shop.close();
});

type Who = 'merchant1' | 'merchant2';
const read = async (id: string) => (await callAs(shop, 'platform', 'GET', `${ROOT}/${id}`)).data;
/** btn_refund of the order page, then the channel's success. */
const refund = async (who: Who, id: string, lines: readonly { lineId: string; qty: number }[]) => {
  const made = await callAs(shop, who, 'POST', `${ROOT}/${id}/refund`, {
    lines,
    reasonCode: 'not_wanted',
    reason: '不想要了',
  });
  expect(made.message).toBe('');
  const row = await one(shop, 'SELECT channel_refund_no AS no FROM refund ORDER BY id DESC LIMIT 1');
  await receiveChannelResult(shop.platforms[0]!, {
    refundNo: row.no,
    state: 'success',
    code: 'SUCCESS',
    message: '',
  });
  return made.data.result;
};
const returned = async (coupon: number) =>
  (await all(shop, 'SELECT 1 FROM member_coupon WHERE returned_from = $1', [coupon])).length;
const couponStatus = async (coupon: number) =>
  (await one(shop, 'SELECT status FROM member_coupon WHERE id = $1', [coupon])).status as string;

test('group 21 Must show 1: worked example 1 by the calls of the order page: R1, R2, then the order of the other merchant', async () => {
  const { merchantCoupon, platformCoupon } = shop.ids;
  const [m1, m2] = await createExampleOrders(shop);
  expect(await payExampleOrders(shop)).toBe('paid');
  const [rice, oil] = (await read(m1)).lines.map((line: { lineId?: string; id: string }) => line.id);
  const suggested = await callAs(shop, 'merchant1', 'POST', `${ROOT}/${m1}/suggestRefund`, {
    lines: [{ lineId: rice, qty: 1 }],
  });
  expect(suggested.data).toMatchObject({ ok: true, cash: '26.69', points: 645, freight: '0.00' });
  expect(await refund('merchant1', m1, [{ lineId: rice, qty: 1 }])).toMatchObject({
    cash: '26.69',
    points: 645,
  });
  expect(await read(m1)).toMatchObject({
    state: 'to_ship',
    refundStatus: 'part',
    money: { refunded: '26.69' },
  });
  expect([await returned(merchantCoupon), await returned(platformCoupon)]).toEqual([0, 0]);

  expect(
    await refund('merchant1', m1, [
      { lineId: rice, qty: 1 },
      { lineId: oil, qty: 1 },
    ]),
  ).toMatchObject({ cash: '72.72', points: 1_615 });
  expect(await read(m1)).toMatchObject({
    state: 'closed',
    refundStatus: 'full',
    money: { refunded: '99.41' },
  });
  const info = await callAs(
    shop,
    'merchant1',
    'GET',
    `/jinmao/bizProductOrder/findProductOrderInfo?orderId=${m1}`,
  );
  expect(info.data).toMatchObject({ orderStatus: 45, refundStatus: 20, refundPrice: '99.41' });
  expect([await returned(merchantCoupon), await returned(platformCoupon)]).toEqual([1, 0]);
  expect(await couponStatus(platformCoupon)).toBe('used');

  const [tissue] = (await read(m2)).lines.map((line: { id: string }) => line.id);
  expect(await refund('merchant2', m2, [{ lineId: tissue, qty: 3 }])).toMatchObject({
    cash: '42.99',
    points: 1_040,
  });
  expect([await returned(merchantCoupon), await returned(platformCoupon)]).toEqual([1, 1]);
  expect(await one(shop, 'SELECT amount, refunding, refunded FROM payment')).toEqual({
    amount: 14_240,
    refunding: 0,
    refunded: 14_240,
  });
  expect(await brokenRules(shop)).toEqual({});
});

test('group 21 Must show 9: units of a rejected refund can be shipped again', async () => {
  await all(shop, `INSERT INTO setting (key, value) VALUES ('refund.staff_direct_max', '0')`);
  const [, m2] = await createExampleOrders(shop);
  await payExampleOrders(shop);
  const [tissue] = (await read(m2)).lines.map((line: { id: string }) => line.id);
  const made = await callAs(shop, 'merchant2', 'POST', `${ROOT}/${m2}/refund`, {
    lines: [{ lineId: tissue, qty: 3 }],
    reasonCode: 'not_wanted',
    reason: '不想要了',
  });
  expect(made.data.result).toMatchObject({ state: 'reviewing' });
  const ship = () =>
    callAs(shop, 'merchant2', 'POST', `${ROOT}/${m2}/ship`, {
      way: 'express',
      company: 'SF',
      trackingNo: 'SF1234567',
      lines: [{ lineId: tissue, qty: 3 }],
    });
  expect(await ship()).toMatchObject({ status: 30101, message: '该商品退款处理中，不能发货' });
  const rejected = await callAs(shop, 'platform', 'POST', '/jinmao/web/bizRefundAudit/audit', {
    auditId: made.data.result.refundId,
    isPass: 2,
    remark: '不符合退款条件',
  });
  expect(rejected.data).toMatchObject({ auditStatus: 4 });
  expect(await read(m2)).toMatchObject({ state: 'to_ship', refundStatus: 'none' });
  expect((await ship()).data).toMatchObject({ state: 'to_receive', lines: [{ shipped: 3 }] });
});
