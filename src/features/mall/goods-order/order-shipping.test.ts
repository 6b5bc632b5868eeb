import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Service } from '../../../kernel/server/service.ts';
import { service as checkout } from '../../shared/checkout/checkout.server.ts';
import type { PaymentCallback } from '../../shared/checkout/take-payment.server.ts';
import { service as orders } from './goods-order.server.ts';
import {
  all,
  brokenRules,
  callAs,
  createExampleOrders,
  openShop,
  payExampleOrders,
  runJob,
  type Shop,
} from './order-fixture.ts';

const ROOT = '/jinmao/web/goodsOrder';
const SERVICES: readonly Service[] = [orders, checkout];

let shop: Shop;
beforeEach(async () => {
  shop = await openShop(SERVICES);
});
afterEach(async () => {
  await shop.close();
});

const createExample = () => createExampleOrders(shop);
const payExample = (more: Partial<PaymentCallback> = {}) => payExampleOrders(shop, more);

describe('Must show 5: shipping', () => {
  test('three units: two, then two more refused, then one', async () => {
    const [, second] = await createExample();
    await payExample();
    const line = (await callAs(shop, 'platform', 'GET', `${ROOT}/${second}`)).data.lines[0].id;
    const ship = (qty: number, more: object = {}) =>
      callAs(shop, 'merchant2', 'POST', `${ROOT}/${second}/ship`, {
        way: 'express',
        company: 'SF',
        trackingNo: `SF-00000${qty}`,
        lines: [{ lineId: line, qty }],
        ...more,
      });
    expect((await callAs(shop, 'merchant2', 'POST', `${ROOT}/${second}/sign`, {})).message).toBe(
      '订单未发货',
    );
    expect((await ship(1, { trackingNo: 'SF 1' })).data.fields.trackingNo).toBe('请输入6–32位字母、数字或-');
    expect((await ship(1, { way: 'own' })).data.fields).toMatchObject({
      courier: '此项必填',
      courierPhone: '此项必填',
    });
    const two = await ship(2);
    expect(two.data).toMatchObject({
      state: 'part_shipped',
      shipments: [{ trackingNo: 'SF-000002', lines: [{ qty: 2 }] }],
    });
    expect(await ship(2)).toMatchObject({ http: 422, message: '发货数量超过待发数量' });
    const last = await ship(1);
    expect(last.data).toMatchObject({ state: 'to_receive' });
    expect(last.data.deadline).not.toBeNull();
    const changed = await callAs(shop, 'merchant2', 'POST', `${ROOT}/${second}/logistics`, {
      shipment: last.data.shipments[0].id,
      company: 'JD',
      trackingNo: 'JD-999999',
      reason: '改单',
    });
    expect(changed.data.operations.at(-1)).toMatchObject({
      code: 21,
      remark: 'SF SF-000002 → JD JD-999999 · 改单',
    });
    await all(shop, `UPDATE sales_order SET receive_deadline = now() - interval '1 second' WHERE id = $1`, [
      second,
    ]);
    await Promise.all([runJob(shop, 'order.auto_receive'), runJob(shop, 'order.auto_receive')]);
    expect(
      (await all(shop, 'SELECT code FROM order_event WHERE order_id = $1 AND code = 26', [second])).length,
    ).toBe(1);
    expect(await brokenRules(shop)).toEqual({});
  });

  test('units in an unfinished refund cannot be shipped, the rest can; automatic receipt waits', async () => {
    const [, second] = await createExample();
    await payExample();
    const line = (await callAs(shop, 'platform', 'GET', `${ROOT}/${second}`)).data.lines[0].id;
    const suggestion = await callAs(shop, 'platform', 'POST', `${ROOT}/${second}/suggestRefund`, {
      lines: [{ lineId: line, qty: 1 }],
    });
    expect(suggestion.data).toMatchObject({ ok: true, cash: '14.34', points: 346 });
    const refund = await callAs(shop, 'merchant2', 'POST', `${ROOT}/${second}/refund`, {
      lines: [{ lineId: line, qty: 1 }],
      reasonCode: 'other',
      reason: '少要一提',
    });
    expect(refund.data).toMatchObject({
      refundStatus: 'refunding',
      result: { cash: '14.34', state: 'refunding' },
    });
    const ship = (lines?: unknown) =>
      callAs(shop, 'merchant2', 'POST', `${ROOT}/${second}/ship`, {
        way: 'own',
        courier: '王五',
        courierPhone: '13700137000',
        ...(lines ? { lines } : {}),
      });
    expect(await ship([{ lineId: line, qty: 3 }])).toMatchObject({
      status: 30101,
      message: '该商品退款处理中，不能发货',
    });
    expect((await ship()).data).toMatchObject({ state: 'part_shipped', lines: [{ shipped: 2, held: 1 }] });
    expect(
      (
        await callAs(shop, 'merchant2', 'POST', `${ROOT}/${second}/refund`, {
          lines: [{ lineId: line, qty: 1 }],
          reasonCode: 'other',
          reason: '再退',
        })
      ).message,
    ).toBe('该订单有未完成的退款');
  });
});
