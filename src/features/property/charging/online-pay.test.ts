import { afterAll, beforeAll, expect, test } from 'vitest';
import { CrmRefused } from '../../../domain/crm/crm.server.ts';
import { registration as charging } from '../../../domain/charging/charging.server.ts';
import { today } from '../../../domain/charging/collect.server.ts';
import { takeOnlineResult } from '../../../domain/charging/online-order.server.ts';
import { askBillChannel, releaseHolds } from '../../../domain/charging/online-query.server.ts';
import { registration as payments } from '../bill-payment/bill-payment.server.ts';
import { registration as online } from '../bill-payment/online-order.server.ts';
import { registration as detail } from '../order-detail/order-detail.server.ts';
import { registration as bills } from './bill.server.ts';
import { openCharged, type ChargedPlace } from './charging-fixture.ts';

let place: ChargedPlace;

beforeAll(async () => {
  place = await openCharged(
    [charging, bills, payments, online, detail],
    ['cs_propertyChargingBill', 'cs_propertyBill'],
    [
      'cs_propertyChargingBill:btn_collect',
      'cs_propertyChargingBill:btn_payCode',
      'cs_propertyBill:btn_confirm',
      'cs_propertyBill:btn_query',
      'cs_propertyBill:btn_retryCrm',
    ],
  );
});
afterAll(() => place?.mall.close());

const call = (method: 'GET' | 'POST', path: string, body?: object) =>
  place.mall.call(place.clerk, method, `/jinmao/web${path}`, body);
/** A house with a bill of 280.00 of the coming month, and its pay code. */
async function coded() {
  const home = await place.house();
  await call('POST', '/bill/ahead', { houseId: String(home), itemId: String(place.item), months: 1 });
  const { id } = await place.one('SELECT id FROM bill WHERE house_id = $1', [home]);
  const make = () =>
    call('POST', '/bill/payCode', { houseId: String(home), billIds: [String(id)], channel: 'wechat' });
  return { home, bill: String(id), make };
}
const pay = async (home: number, bill: string) => {
  const asked = await call('POST', '/bill/quote', {
    houseId: String(home),
    billIds: [bill],
    valueDate: today(),
  });
  return call('POST', '/bill/collect', { quoteId: asked.data?.quoteId, channel: 'cash', received: '280.00' });
};
const general = async (home: number) =>
  (await call('GET', `/bill/room?houseId=${home}`)).data.prepaid.general as string;
const state = async (bill: string) =>
  (await place.one<{ state: string }>('SELECT state FROM bill WHERE id = $1', [bill])).state;
const waiting = async () => {
  const todo = payments.todos!.find((one) => one.kind === 'billPayment.excess')!;
  return (await todo.count({ caller: place.clerk, platform: place.mall.platform })).count;
};

test('group 06 Must show 9: success told five times behind a counter payment is one payment, all of it paid ahead, and one to-do', async () => {
  const { home, bill, make } = await coded();
  const order = (await make()).data;
  expect([order.amount, order.state]).toEqual(['280.00', 'held']);
  const refused = await pay(home, bill);
  expect([refused.http, refused.message]).toEqual([409, '账单正在线上支付']);
  expect((await call('POST', `/bill/payCode/${order.id}/close`, {})).message).toBe('');
  expect((await pay(home, bill)).message).toBe('');
  expect(await waiting()).toBe(0);
  const told = { code: order.code as string, tradeNo: 'WX-9', amount: 28_000 };
  const ids = await Promise.all(Array.from({ length: 5 }, () => takeOnlineResult(place.mall.platform, told)));
  expect(new Set(ids).size).toBe(1);
  const rows = await place.sql<{ amount: number; to_prepaid: number; excess: number; channel: string }>(
    `SELECT amount, to_prepaid, excess, channel FROM bill_payment WHERE house_id = $1 ORDER BY id`,
    [home],
  );
  expect(rows).toEqual([
    { amount: 28_000, to_prepaid: 0, excess: 0, channel: 'cash' },
    { amount: 28_000, to_prepaid: 28_000, excess: 28_000, channel: 'wechat' },
  ]);
  expect(await general(home)).toBe('280.00');
  expect(await waiting()).toBe(1);
  const shown = await call('GET', '/billPayment/page?limit=10&tab=excess');
  expect(shown.data.total).toBe(1);
  expect(
    (await call('POST', `/billPayment/${ids[0]}/checkExcess`, { note: '转为预存，已告知业主' })).message,
  ).toBe('');
  expect(await waiting()).toBe(0);
});

test('a code that is paid pays its bills; two codes of the same bills are refused', async () => {
  const { home, bill, make } = await coded();
  const both = await Promise.all([make(), make()]);
  expect(both.map((one) => one.http).sort()).toEqual([200, 409]);
  expect(both.find((one) => one.http === 409)!.message).toBe('账单正在线上支付');
  const order = both.find((one) => one.http === 200)!.data;
  expect((await call('GET', `/bill/room?houseId=${home}`)).data.online).toBe(order.id);
  expect((await call('POST', `/bill/payCode/${order.id}/simulate`, {})).message).toBe('');
  expect(await state(bill)).toBe('paid');
  const now = (await call('GET', `/bill/payCode/${order.id}`)).data;
  expect(now.state).toBe('paid');
  expect(now.receiptNo).not.toBe('');
  expect([await general(home), await waiting()]).toEqual(['0.00', 0]);
});

test('a payment opens as an order of kind property fee, in its own project only', async () => {
  const { home, bill, make } = await coded();
  const order = (await make()).data;
  await call('POST', `/bill/payCode/${order.id}/simulate`, {});
  const { id } = await place.one('SELECT id FROM bill_payment WHERE house_id = $1', [home]);
  const path = `/jinmao/web/orderEngine/getSubDetailByWeb?id=${id}&objType=2`;
  const { detail, transactionLogList } = (await place.mall.call(place.clerk, 'GET', path)).data;
  expect([detail.subStatus, detail.actualPrice, detail.discountPrice, detail.itemList.length]).toEqual([
    4,
    '280.00',
    '0.00',
    1,
  ]);
  expect(detail.itemList[0]).toMatchObject({ name: '物业管理费', amount: '280.00', paid: '280.00' });
  expect(transactionLogList.map((one: { operateType: string }) => one.operateType)).toEqual(['pay']);
  expect(await state(bill)).toBe('paid');
  const elsewhere = { ...place.clerk, projectIds: [place.mall.ids.south], epoch: '7' };
  expect((await place.mall.call(elsewhere, 'GET', path)).http).toBe(404);
});

test('what nobody pays in time is let go, and a late success still pays the bills that are open', async () => {
  const { home, bill, make } = await coded();
  const order = (await make()).data;
  await place.sql(`UPDATE online_bill_order SET expires_at = now() - interval '1 second' WHERE id = $1`, [
    order.id,
  ]);
  expect(await releaseHolds(place.mall.platform)).toBe(1);
  expect((await call('GET', `/bill/payCode/${order.id}`)).data.state).toBe('expired');
  await takeOnlineResult(place.mall.platform, {
    code: order.code as string,
    tradeNo: 'WX-late',
    amount: 28_000,
  });
  expect([await state(bill), await general(home), await waiting()]).toEqual(['paid', '0.00', 0]);
  expect((await place.mall.call(place.clerk, 'GET', `/jinmao/web/bill/payCode/999999`)).http).toBe(404);
});

test('a payment whose result never came is found by asking the channel, by hand or before its bills are let go', async () => {
  const { platform } = place.mall;
  const set = async (mode: string) => {
    await place.sql(
      `INSERT INTO setting (key, value) VALUES ('sandbox.payment.mode', to_jsonb($1::text)) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
      [mode],
    );
    platform.settings.forget();
  };
  await set('lost');
  const [first, second, third] = [await coded(), await coded(), await coded()];
  const orders = [];
  for (const one of [first, second, third]) orders.push((await one.make()).data);
  for (const order of orders.slice(0, 2))
    expect((await call('POST', `/bill/payCode/${order.id}/simulate`, {})).data.paymentId).toBe(null);
  await set('ok');
  expect([await state(first.bill), await state(second.bill)]).toEqual(['unpaid', 'unpaid']);
  const listed = (await call('GET', '/onlineBillOrder/page?limit=50&tab=held')).data.rows as { id: string }[];
  expect(listed.map((one) => one.id)).toEqual(expect.arrayContaining(orders.map((one) => one.id)));
  const asked = await call('POST', `/onlineBillOrder/${orders[0].id}/query`, { version: 1 });
  expect(asked.message).toBe('');
  expect(
    (
      await place.sql(`SELECT FROM outbox WHERE kind = 'bill.channel_query' AND payload ->> 'code' = $1`, [
        orders[0].code,
      ])
    ).length,
  ).toBe(1);
  expect(await askBillChannel(platform, orders[0].code as string)).toBe(true);
  expect(await askBillChannel(platform, orders[2].code as string)).toBe(false);
  expect(await state(first.bill)).toBe('paid');
  expect((await call('POST', `/onlineBillOrder/${orders[0].id}/query`, { version: 1 })).http).toBe(409);
  await place.sql(
    `UPDATE online_bill_order SET expires_at = now() - interval '1 second' WHERE id = ANY($1)`,
    [[orders[1].id, orders[2].id]],
  );
  expect(await releaseHolds(platform)).toBe(1);
  expect([await state(second.bill), await state(third.bill)]).toEqual(['paid', 'unpaid']);
  const elsewhere = { ...place.clerk, projectIds: [place.mall.ids.south], epoch: '8' };
  const foreign = await place.mall.call(
    elsewhere,
    'POST',
    `/jinmao/web/onlineBillOrder/${orders[2].id}/query`,
    { version: 1 },
  );
  expect(foreign.http).toBe(404);
});

test('the CRM is told of each payment once; what it refuses says why and is sent again by hand only', async () => {
  const told: string[] = [];
  let refuses = true;
  const platform = {
    ...place.mall.platform,
    config: {
      ...place.mall.platform.config,
      crm: {
        put: (record: { number: string }) => {
          told.push(record.number);
          return refuses ? Promise.reject(new CrmRefused('无此客户')) : Promise.resolve(`C-${record.number}`);
        },
      },
    },
  };
  const job = payments.jobs!.find((one) => one.name === 'crm.bill_payments')!;
  const { home, bill } = await coded();
  await pay(home, bill);
  const newest = () =>
    place.one<{ id: number; receipt_no: string; crm_sync: number; crm_code: string; crm_error: string }>(
      'SELECT id, receipt_no, crm_sync, crm_code, crm_error FROM bill_payment WHERE house_id = $1',
      [home],
    );
  await job.run(undefined, platform);
  const refused = await newest();
  expect([refused.crm_sync, refused.crm_code, refused.crm_error]).toEqual([2, '', '无此客户']);
  const before = told.length;
  await job.run(undefined, platform);
  expect(told.length).toBe(before);
  refuses = false;
  const shown = await call('GET', `/billPayment/page?limit=10&crmSync=2&searchVal=${refused.receipt_no}`);
  expect(shown.data.total).toBe(1);
  expect((await call('POST', `/billPayment/${refused.id}/retryCrm`, { version: 1 })).message).toBe('');
  await job.run(undefined, platform);
  const taken = await newest();
  expect([taken.crm_sync, taken.crm_code, taken.crm_error]).toEqual([1, `C-${taken.receipt_no}`, '']);
  const again = await call('POST', `/billPayment/${refused.id}/retryCrm`, { version: 1 });
  expect([again.http, again.message]).toEqual([409, '仅同步失败的缴费可重发']);
});

test('receipts have no gap and the ledger agrees behind online payments', async () => {
  for (const invariant of charging.invariants ?? [])
    expect([invariant.name, (await invariant.check(place.mall.platform)).problems]).toEqual([
      invariant.name,
      [],
    ]);
});
