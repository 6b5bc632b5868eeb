import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Registration } from '../../../kernel/server/registration.ts';
import { registration as checkout } from '../../../domain/checkout/checkout.server.ts';
import type { PaymentCallback } from '../../../domain/checkout/take-payment.server.ts';
import { registration as orders } from './goods-order.server.ts';
import {
  all,
  brokenRules,
  callAs,
  createExampleOrders,
  one,
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

describe('scope and the paths of the specification', () => {
  test('group 08 Must show 10: a merchant sees its own orders whatever it asks for', async () => {
    const [first, second] = await createExample();
    const { merchant2, project } = shop.ids;
    const list = await callAs(
      shop,
      'merchant1',
      'POST',
      `/jinmao/bizProductOrder/search/?tenantId=${merchant2}&projectId=${project}&projectId=${project}&page=1&limit=10`,
    );
    expect(list.data).toMatchObject({
      total: 1,
      rows: [
        {
          orderId: first,
          actualPrice: '99.41',
          orderStatus: 5,
          orderStatusDesc: '待支付',
          refundStatus: 0,
          tenantName: 'Merchant 1',
          orderType: 1,
        },
      ],
    });
    expect(
      (
        await callAs(
          shop,
          'merchant1',
          'GET',
          `/jinmao/bizProductOrder/findProductOrderInfo?orderId=${second}`,
        )
      ).http,
    ).toBe(404);
    expect(
      (await callAs(shop, 'merchant1', 'POST', `${ROOT}/${second}/close`, { reason: '客户取消' })).http,
    ).toBe(404);
    expect(
      (
        await callAs(shop, 'merchant1', 'POST', `${ROOT}/quote`, {
          memberId: String(shop.ids.member),
          houseId: String(shop.ids.house),
          lines: [{ specId: String(shop.ids.tissue), qty: 1 }],
        })
      ).http,
    ).toBe(404);
    const exported = async (query: Record<string, string>) => {
      const rows: (readonly (string | number | null)[])[] = [];
      for await (const batch of orders.exports![0]!.read(
        { caller: shop.callers.merchant1, platform: shop.platforms[0]!, language: 'zh' },
        query,
      ))
        rows.push(...batch);
      return rows.map((row) => [row[1], row[21]]);
    };
    const { code } = await one(shop, 'SELECT code FROM sales_order WHERE id = $1', [first]);
    expect(await exported({})).toEqual([
      [code, 'rice'],
      [code, 'oil'],
    ]);
    expect(await exported({ merchant: String(merchant2) })).toEqual([]);
    // The sister order of the checkout is another merchant's business.
    const own = (await callAs(shop, 'merchant1', 'GET', `${ROOT}/${first}`)).data;
    expect(own.payment).toMatchObject({ amount: '99.41', orders: [{ id: first }] });
    const info = (
      await callAs(shop, 'platform', 'GET', `/jinmao/bizProductOrder/findProductOrderInfo?orderId=${first}`)
    ).data;
    expect(info).toMatchObject({
      actualPrice: '99.41',
      contactName: '陈*雨',
      contactTel: '138****8000',
      productPrice: '139.70',
      discountPrice: '46.29',
      freight: '6.00',
      pointsPrice: '22.60',
      operationList: [{ code: 5, name: '提交订单' }],
    });
  });

  test('states 30, 40 and 50, dates and unknown parameters', async () => {
    const [first, second] = await createExample();
    await payExample();
    await all(shop, `UPDATE sales_order SET state = 'completed', completed_at = now() WHERE id = $1`, [
      first,
    ]);
    await all(shop, `UPDATE sales_order SET refund_status = 'refunding' WHERE id = $1`, [second]);
    const search = (query: string) =>
      callAs(shop, 'platform', 'POST', `/jinmao/bizProductOrder/search?${query}`);
    expect(
      (await search('queryOrderStatus=30')).data.rows.map((row: any) => [row.orderId, row.orderStatusDesc]),
    ).toEqual([[first, '待评价']]);
    expect((await search('queryOrderStatus=40')).data.rows.map((row: any) => row.orderId)).toEqual([second]);
    expect((await search('queryOrderStatus=50')).data.total).toBe(0);
    expect((await search('startDate=2020-01-01&endDate=2020-01-02')).data.total).toBe(0);
    expect((await search('startDate=2020-13-01')).http).toBe(422);
    expect((await search('orderBy=1')).http).toBe(422);
    expect((await search('searchVal=13800138000')).data.total).toBe(2);
    const { code } = (
      await all<{ code: string }>(shop, 'SELECT code FROM sales_order WHERE id = $1', [second])
    )[0]!;
    await all(shop, 'UPDATE sales_order SET title = $2 WHERE id = $1', [first, `又一次 ${code}`]);
    const listed = async (keyword: string): Promise<string[]> =>
      (
        await callAs(shop, 'platform', 'GET', `${ROOT}/page?searchVal=${encodeURIComponent(keyword)}`)
      ).data.rows.map((row: any) => String(row.id));
    // The whole number means its order; a part of it, or one that nobody has, is looked for in all words.
    expect(await listed(code.toLowerCase())).toEqual([String(second)]);
    expect((await listed(code.slice(0, -1))).sort()).toEqual([String(first), String(second)].sort());
    expect(await listed(`${code}9`)).toEqual([]);
    const counts = (await callAs(shop, 'platform', 'GET', `${ROOT}/counts`)).data;
    expect(counts).toMatchObject({
      all: 2,
      to_comment: 1,
      completed: 1,
      refunding: 1,
      to_ship: 1,
      closed: 0,
    });
    const task = await callAs(
      shop,
      'platform',
      'POST',
      '/jinmao/bizProductOrder/exportProductOrderExcel?queryOrderStatus=30',
    );
    expect(task.data.taskId).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('the export has 29 columns and order amounts on the first line only', async () => {
    await createExample();
    await payExample();
    const source = orders.exports![0]!;
    const call = { caller: shop.callers.platform, platform: shop.platforms[0]!, language: 'zh' as const };
    expect(
      source
        .columns('zh')
        .map((column) => column.title)
        .join(),
    ).toBe(
      '序号,订单号,商户支付单号,类型,标题,下单时间,客户,电话,项目,地址,总件数,实付,优惠,运费,支付方式,状态,退款状态,评价状态,签收时间,退款金额,退款时间,商品,规格,数量,单价,供应商,销售方式,来源,备注',
    );
    const rows: (readonly (string | number | null)[])[] = [];
    for await (const batch of source.read(call, {})) rows.push(...batch);
    expect(rows.map((row) => [row[0], row[11], row[12], row[21], row[23]])).toEqual([
      [1, '42.99', '16.71', 'tissue', 3],
      [2, '99.41', '46.29', 'rice', 2],
      [3, null, null, 'oil', 1],
    ]);
    const own: unknown[] = [];
    for await (const batch of source.read({ ...call, caller: shop.callers.merchant2 }, {}))
      own.push(...batch);
    expect(own.length).toBe(1);
  });
});

describe('every invariant finds a planted bug', () => {
  const bugs: readonly (readonly [rule: string, bug: string, undo: string])[] = [
    [
      'order.totals',
      'UPDATE sales_order SET item_count = item_count + 1',
      'UPDATE sales_order SET item_count = item_count - 1',
    ],
    [
      'order.line_shares',
      'UPDATE order_share SET amount = amount + 1 WHERE step = 40',
      'UPDATE order_share SET amount = amount - 1 WHERE step = 40',
    ],
    [
      'order.step_sums',
      'UPDATE order_share SET units = units + 1 WHERE step = 40',
      'UPDATE order_share SET units = units - 1 WHERE step = 40',
    ],
    ['payment.sums', 'UPDATE payment SET amount = amount + 1', 'UPDATE payment SET amount = amount - 1'],
    ['order.pieces', 'UPDATE order_line SET qty_shipped = 1', 'UPDATE order_line SET qty_shipped = 0'],
    [
      'stock.equation',
      'UPDATE product_spec SET stock = stock + 1',
      'UPDATE product_spec SET stock = stock - 1',
    ],
    [
      'stock.reserved',
      'UPDATE product_spec SET reserved = reserved + 1',
      'UPDATE product_spec SET reserved = reserved - 1',
    ],
    [
      'coupon.locked',
      `UPDATE sales_order SET state = 'closed'`,
      `UPDATE sales_order SET state = 'pending_payment'`,
    ],
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
