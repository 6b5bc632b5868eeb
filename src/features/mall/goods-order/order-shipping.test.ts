import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { transaction } from '../../../kernel/server/database.ts';
import type { Registration } from '../../../kernel/server/registration.ts';
import { findImportTarget } from '../../../kernel/server/tables/import-target.ts';
import { registration as checkout } from '../../../domain/checkout/checkout.server.ts';
import type { PaymentCallback } from '../../../domain/checkout/take-payment.server.ts';
import { registration as orders } from './goods-order.server.ts';
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
const SERVICES: readonly Registration[] = [orders, checkout];

let shop: Shop;
beforeEach(async () => {
  shop = await openShop(SERVICES);
});
afterEach(async () => {
  await shop.close();
});

const createExample = () => createExampleOrders(shop);
const payExample = (more: Partial<PaymentCallback> = {}) => payExampleOrders(shop, more);

describe('shipping', () => {
  test('group 08 Must show 5: three units: two, then two more refused, then one', async () => {
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
    const seen = (
      await callAs(shop, 'merchant2', 'GET', `/jinmao/bizProductOrder/findProductOrderInfo?orderId=${second}`)
    ).data;
    expect(seen).toMatchObject({ orderStatus: 15, shipmentList: [{ lines: [{ qty: 2 }] }] });
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
    // A file of tracking numbers is told so before anything is written.
    const [order] = await all(
      shop,
      `SELECT o.code, p.code || '-' || s.code AS spec FROM sales_order o JOIN order_line l ON l.order_id = o.id
         JOIN product_spec s ON s.id = l.spec_id JOIN product p ON p.id = s.product_id WHERE o.id = $1`,
      [second],
    );
    const platform = shop.platforms[0]!;
    const problemsOf = (qty: string) =>
      findImportTarget(platform, 'goodsOrderShip')!.check(
        { caller: shop.callers.merchant2, platform, language: 'zh' },
        [
          {
            number: 2,
            values: { order: order!.code, spec: order!.spec, qty, company: 'SF', trackingNo: 'SF-000003' },
          },
        ],
      );
    expect((await problemsOf('4'))[0]!.message[0]).toBe('发货数量超过待发数量');
    expect((await problemsOf('3'))[0]!.message[0]).toBe('该商品退款处理中，不能发货');
    expect(await problemsOf('2')).toEqual([]);
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

describe('import, to-do and palette', () => {
  test('the import says what is wrong with each row and ships the good ones', async () => {
    const [first] = await createExample();
    await payExample();
    const target = orders.imports![0]!;
    const platform = shop.platforms[0]!;
    const call = { caller: shop.callers.merchant1, platform, language: 'zh' as const };
    const codes = await all(shop, 'SELECT id, code FROM sales_order ORDER BY id');
    const row = (number: number, order: string, spec: string, qty: string, trackingNo = 'SF-123456') => ({
      number,
      values: { order, spec, qty, company: 'SF', trackingNo },
    });
    const own = codes.find((order) => String(order.id) === first)!.code as string;
    const foreign = codes.find((order) => String(order.id) !== first)!.code as string;
    const bad = [
      row(1, own, 'PDrice-S01', '3'),
      row(2, own, 'PDtissue-S01', '1'),
      row(3, foreign, 'PDtissue-S01', '1'),
      row(4, own, 'PDoil-S01', '1', 'x'),
    ];
    const problems = await target.check(call, bad);
    expect(problems.map((problem) => [problem.row, problem.column, problem.message[0]])).toEqual([
      [1, 'qty', '发货数量超过待发数量'],
      [2, 'spec', '订单中没有该规格'],
      [3, 'order', '订单不存在'],
      [4, 'trackingNo', '请输入6–32位字母、数字或-'],
    ]);
    const good = [row(1, own, 'PDrice-S01', '2'), row(2, own, 'PDoil-S01', '1')];
    expect(await target.check(call, good)).toEqual([]);
    expect(await transaction(platform.database.db, (tx) => target.commit(tx, call, good))).toBe(2);
    expect((await callAs(shop, 'merchant1', 'GET', `${ROOT}/${first}`)).data).toMatchObject({
      state: 'to_receive',
      shipments: [{ lines: [{ qty: 2 }, { qty: 1 }] }],
    });
    expect(await brokenRules(shop)).toEqual({});
  });

  test('to_ship counts the rows of its tab; SO finds orders in scope', async () => {
    const [first] = await createExample();
    await payExample();
    const platform = shop.platforms[0]!;
    const count = (caller: 'platform' | 'merchant1') =>
      orders.todos![0]!.count({ caller: shop.callers[caller], platform });
    expect([(await count('platform')).count, (await count('merchant1')).count]).toEqual([2, 1]);
    const find = (number: string) =>
      orders.prefixes![0]!.find({ caller: shop.callers.merchant1, platform }, number);
    const code = (await all(shop, 'SELECT code FROM sales_order WHERE id = $1', [first]))[0]!.code as string;
    expect(await find(code)).toMatchObject([
      { code, route: `/merchantManager/mm_businessOrder_wx/${first}` },
    ]);
    expect((await find('000001')).length + (await find('000002')).length).toBe(1);
  });
});
