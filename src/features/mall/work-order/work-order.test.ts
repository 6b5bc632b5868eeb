import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { elementCode, elementsOf } from '../../../kernel/contract/resource.ts';
import { run, transaction } from '../../../kernel/server/database.ts';
import { insertRow } from '../../../kernel/server/resource/run-action.ts';
import { callerOf, openMall, type Mall } from '../product/mall-fixture.ts';
import { registration as goods } from './business-order.server.ts';
import { applyCase } from '../../after-sales/case/case-apply.server.ts';
import { registration as refunds } from '../../after-sales/refund/refund.server.ts';
import { refund } from '../../after-sales/refund/refund.contract.ts';
import { registration as services } from './reservation-order.server.ts';
import { businessOrder, reservationOrder } from './work-order.contract.ts';

const ROOT = '/jinmao/web/businessOrder';
const SERVICES = '/jinmao/web/reservationOrder';

let mall: Mall;
let desk: Caller;
let auditor: Caller;
let second: Caller;
let merchantA: Caller;
let merchantB: Caller;
let number = 0;

beforeAll(async () => {
  mall = await openMall([goods, services, refunds]);
  const elements = [businessOrder, reservationOrder, refund].flatMap((resource) =>
    Object.keys(elementsOf(resource)).map((element) => elementCode(resource, element)),
  );
  const menus = ['mm_businessOrder', 'mm_reservationOrder', 'mm_orderRefund'];
  const staff = async (name: string, tenantId: number, tenantKind: 2 | 3) =>
    callerOf({ staffId: await mall.staff(name, tenantId), tenantId, tenantKind }, menus, elements);
  const [platform] = await sql<{ id: number }>('SELECT id FROM tenant WHERE kind = 3');
  desk = await staff('desk1', platform!.id, 3);
  auditor = await staff('desk2', platform!.id, 3);
  second = await staff('desk3', platform!.id, 3);
  merchantA = await staff('merch1', mall.ids.merchantA, 2);
  merchantB = await staff('merch2', mall.ids.merchantB, 2);
});
afterAll(() => mall.close());

const sql = <T>(text: string, values: readonly unknown[] = []) =>
  run<T>(mall.platform.database.db, text, values);

async function placed(type: 'goods' | 'service' = 'goods'): Promise<number> {
  number += 1;
  return transaction(mall.platform.database.db, (tx) =>
    insertRow(tx, 'work_order', {
      code: `WO20260101${String(number).padStart(6, '0')}`,
      type,
      sub_status: 'placed',
      tenant_id: mall.ids.merchantA,
      business_id: mall.ids.business,
      project_id: mall.ids.north,
      member_id: mall.ids.member,
      title: 'screen',
      contact_name: '陈思雨',
      contact_phone: '13800138000',
      address: 'x',
    }),
  );
}

const act = (caller: Caller, id: number, action: string, body: Record<string, unknown> = {}, root = ROOT) =>
  mall.call(caller, 'POST', `${root}/${id}/${action}`, body);
const row = async (caller: Caller, id: number, root = ROOT) =>
  (await mall.call(caller, 'GET', `${root}/${id}`)).data;

test('from placed to completed: accepted, quoted, paid, finished, confirmed', async () => {
  const id = await placed();
  expect(await act(merchantA, id, 'accept')).toMatchObject({ http: 200 });
  expect(await act(merchantA, id, 'quote', { amount: '460.00', quoteNote: '纱窗两扇' })).toMatchObject({
    http: 200,
  });
  expect((await row(merchantA, id)).state).toBe('to_pay');
  expect(await act(merchantA, id, 'finish', { result: '已安装' })).toMatchObject({ status: 30101 });
  const payment = { payWay: 'wechat', tradeNo: 'WX-1', amount: '460.00' };
  expect(await act(desk, id, 'pay', { ...payment, amount: '459.99' })).toMatchObject({
    status: 30101,
    message: '收款金额与报价不一致',
  });
  expect(await act(desk, id, 'pay', { ...payment, tradeNo: '' })).toMatchObject({ http: 422 });
  const paid = await Promise.all(Array.from({ length: 6 }, () => act(desk, id, 'pay', payment)));
  expect(paid.filter((one) => one.http === 200)).toHaveLength(1);
  expect(await row(desk, id)).toMatchObject({ state: 'processing', paid: '460.00', payWay: 'wechat' });
  // What is paid stays as it was quoted, and is not cancelled.
  expect(await act(merchantA, id, 'quote', { amount: '1.00', quoteNote: '改价' })).toMatchObject({
    message: '已付款，不能再报价',
  });
  expect(await act(merchantA, id, 'cancel', { reason: '不要了' })).toMatchObject({
    message: '已付款，请走退款',
  });
  expect(await act(merchantA, id, 'finish', { result: '已安装' })).toMatchObject({ http: 200 });
  expect(await act(desk, id, 'confirm', { score: 5, comment: '很好' })).toMatchObject({ http: 200 });
  expect(await row(desk, id)).toMatchObject({ state: 'completed', score: 5, comment: '很好' });
  expect(
    (
      await sql<{ action: string }>('SELECT action FROM work_order_event WHERE order_id = $1 ORDER BY id', [
        id,
      ])
    ).map((one) => one.action),
  ).toEqual(['accept', 'quote', 'pay', 'finish', 'confirm']);
  expect(await sql('SELECT status FROM work_order WHERE id = $1', [id])).toEqual([{ status: 'finished' }]);
});

test('a quoted order waits for its payment; one that costs nothing does not', async () => {
  const free = await placed();
  await act(merchantA, free, 'accept');
  expect(await act(merchantA, free, 'finish', { result: '质保期内免费' })).toMatchObject({ http: 200 });
  const quoted = await placed();
  await act(merchantA, quoted, 'accept');
  await act(merchantA, quoted, 'quote', { amount: '10.00', quoteNote: '零件' });
  // Quoted again before it is paid.
  expect(await act(merchantA, quoted, 'quote', { amount: '12.00', quoteNote: '两个零件' })).toMatchObject({
    http: 200,
  });
  expect(await act(merchantA, quoted, 'cancel', { reason: '买家取消' })).toMatchObject({ http: 200 });
  expect(await row(merchantA, quoted)).toMatchObject({ state: 'cancelled', amount: null });
});

test('one trade number pays one order', async () => {
  const ids = [await placed(), await placed(), await placed()];
  for (const id of ids) {
    await act(merchantA, id, 'accept');
    await act(merchantA, id, 'quote', { amount: '5.00', quoteNote: '上门费' });
  }
  const answers = await Promise.all(
    ids.map((id) => act(desk, id, 'pay', { payWay: 'alipay', tradeNo: 'ALI-9', amount: '5.00' })),
  );
  expect(answers.map((one) => one.http).sort()).toEqual([200, 409, 409]);
  expect(answers.find((one) => one.http === 409)!.message).toBe('该流水号已登记');
});

test('seven days of silence confirm, once', async () => {
  const id = await placed('service');
  await act(merchantA, id, 'accept', {}, SERVICES);
  await act(merchantA, id, 'finish', { result: '已上门' }, SERVICES);
  const job = services.jobs!.find((one) => one.name === 'reservationOrder.auto_confirm')!;
  await job.run({}, mall.platform);
  expect((await row(desk, id, SERVICES)).state).toBe('to_confirm');
  await sql(`UPDATE work_order SET finished_at = now() - interval '7 days' WHERE id = $1`, [id]);
  await Promise.all([job.run({}, mall.platform), job.run({}, mall.platform)]);
  expect((await row(desk, id, SERVICES)).state).toBe('completed');
  expect(
    await sql(
      `SELECT count(*)::integer AS n FROM work_order_event WHERE order_id = $1 AND action = 'autoConfirm'`,
      [id],
    ),
  ).toEqual([{ n: 1 }]);
});

test('goods and services stand under their own menus, merchants see their own', async () => {
  const [good, service] = [await placed(), await placed('service')];
  expect((await mall.call(desk, 'GET', `${ROOT}/${service}`)).http).toBe(404);
  expect((await mall.call(desk, 'GET', `${SERVICES}/${good}`)).http).toBe(404);
  expect((await mall.call(merchantB, 'GET', `${ROOT}/${good}`)).http).toBe(404);
  expect((await act(merchantB, good, 'accept')).http).toBe(404);
  expect((await mall.call(merchantB, 'GET', `${ROOT}/page?merchant=${mall.ids.merchantA}`)).data.total).toBe(
    0,
  );
});

/** A finished order that was paid. */
async function paidOrder(amount: string, finished = true): Promise<number> {
  const id = await placed();
  await act(merchantA, id, 'accept');
  await act(merchantA, id, 'quote', { amount, quoteNote: '上门费' });
  await act(desk, id, 'pay', { payWay: 'cash', amount });
  if (finished) await act(merchantA, id, 'finish', { result: '已安装' });
  return id;
}
const refundOf = async (id: number) =>
  (
    await sql<{ id: number }>(
      `SELECT r.id FROM refund r JOIN work_order w ON w.sales_order_id = r.order_id WHERE w.id = $1 ORDER BY r.id DESC LIMIT 1`,
      [id],
    )
  )[0]!.id;
const audit = (caller: Caller, id: number, action: string, body: object = {}) =>
  mall.call(caller, 'POST', `/jinmao/web/refund/${id}/${action}`, body);
async function paidBack(id: number): Promise<void> {
  const voucher = [await mall.picture()];
  expect((await audit(auditor, id, 'offline', { payee: '陈思雨 6222', voucher })).message).toBe('');
  expect((await audit(second, id, 'confirmOffline')).message).toBe('');
}

test('a paid order is refunded through the audit: 退款中, then 退款完成; a part goes back to where it stood', async () => {
  const id = await paidOrder('460.00');
  expect((await act(desk, id, 'refund', { amount: '460.01', reason: '不满意' })).message).toBe(
    '最多可退460.00元',
  );
  const asked = await Promise.all(
    Array.from({ length: 5 }, () => act(desk, id, 'refund', { amount: '60.00', reason: '纱窗少一扇' })),
  );
  expect(asked.filter((one) => one.http === 200)).toHaveLength(1);
  expect(await row(desk, id)).toMatchObject({ state: 'refunding', paid: '460.00', amount: '460.00' });
  const first = await refundOf(id);
  expect(await sql('SELECT business_type, cash, state FROM refund WHERE id = $1', [first])).toEqual([
    { business_type: 0, cash: 6_000, state: 'reviewing' },
  ]);
  expect((await audit(desk, first, 'approve')).message).toBe('不能审核自己发起的退款');
  await paidBack(first);
  expect(await row(desk, id)).toMatchObject({ state: 'to_confirm', refunded: '60.00' });
  expect((await act(desk, id, 'refund', { amount: '400.01', reason: '退货' })).message).toBe(
    '最多可退400.00元',
  );
  expect((await act(desk, id, 'refund', { amount: '400.00', reason: '退货' })).message).toBe('');
  await paidBack(await refundOf(id));
  expect(await row(desk, id)).toMatchObject({ state: 'refunded', refunded: '460.00' });
  expect(
    await sql(
      `SELECT o.kind, o.payable, o.cash_refunded, p.refunded, p.refunding FROM work_order w JOIN sales_order o ON o.id = w.sales_order_id JOIN payment p ON p.id = o.payment_id WHERE w.id = $1`,
      [id],
    ),
  ).toEqual([{ kind: 'work_order', payable: 46_000, cash_refunded: 46_000, refunded: 46_000, refunding: 0 }]);
  // Money of it goes back here only.
  const [trade] = await sql<{ id: number }>('SELECT sales_order_id AS id FROM work_order WHERE id = $1', [
    id,
  ]);
  await expect(
    transaction(mall.platform.database.db, (tx) =>
      applyCase(tx, mall.platform, {
        orderId: trade!.id,
        caller: desk,
        type: 'refund_only',
        lines: [],
        reasonCode: 'quality',
        reason: '质量问题',
      }),
    ),
  ).rejects.toMatchObject({ label: ['该类订单没有售后，请在其页面退款', expect.anything()] });
});

test('a rejected refund puts the order back; unpaid ones and other merchants have none', async () => {
  const id = await paidOrder('5.00', false);
  expect((await act(merchantB, id, 'refund', { amount: '5.00', reason: '退款' })).http).toBe(404);
  expect((await act(merchantA, id, 'refund', { amount: '5.00', reason: '退款' })).message).toBe('');
  const reject = await audit(auditor, await refundOf(id), 'reject', { reason: '已完成服务，不予退款' });
  expect(reject.message).toBe('');
  expect(await row(desk, id)).toMatchObject({ state: 'processing', refunded: '0.00' });
  const unpaid = await placed();
  await act(merchantA, unpaid, 'accept');
  expect((await act(merchantA, unpaid, 'refund', { amount: '1.00', reason: '退款' })).message).toBe(
    '尚未付款',
  );
});

test('the export has the 24 columns of the section', () => {
  const source = goods.exports!.find((one) => one.source === businessOrder.name)!;
  expect(source.columns('zh').map((column) => column.title)).toEqual([
    '编号',
    '标题',
    '业务',
    '项目',
    '收货人',
    '电话',
    '地址',
    '买家',
    '买家电话',
    '备注',
    '状态',
    '金额',
    '实付',
    '支付方式',
    '下单时间',
    '受理时间',
    '完成时间',
    '处理人',
    '满意度',
    '评价',
    '退款金额',
    '退款时间',
    '来源',
    '商户',
  ]);
});
