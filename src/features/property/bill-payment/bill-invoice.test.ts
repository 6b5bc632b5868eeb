import { afterAll, beforeAll, expect, test } from 'vitest';
import { registration as charging } from '../../../domain/charging/charging.server.ts';
import { today } from '../../../domain/charging/collect.server.ts';
import { registration as bills } from '../charging/bill.server.ts';
import { registration as items } from '../charging/fee-item.server.ts';
import { openCharged, type ChargedPlace } from '../charging/charging-fixture.ts';
import { registration as invoices } from './bill-invoice.server.ts';
import { registration as payments } from './bill-payment.server.ts';

let place: ChargedPlace;
let turn = 0;
beforeAll(async () => {
  place = await openCharged(
    [charging, bills, items, payments, invoices],
    ['cs_propertyChargingBill', 'cs_propertyBill'],
    [
      'cs_propertyChargingBill:btn_collect',
      'cs_propertyChargingBill:btn_single',
      'cs_propertyBill:btn_invoice',
      'cs_propertyBill:btn_void',
    ],
  );
});
afterAll(() => place?.mall.close());

const call = (method: 'GET' | 'POST', path: string, body?: object) =>
  place.mall.call(place.clerk, method, `/jinmao/web${path}`, body);

/** A payment of 280.00 for a bill, and 20.00 paid ahead. */
async function pay(): Promise<string> {
  turn += 1;
  const house = await place.house();
  const made = await call('POST', '/bill', {
    house: String(house),
    item: String(place.item),
    periodFrom: today(),
    periodTo: today(),
    dueDate: today(),
    principal: '280.00',
  });
  const quote = await call('POST', '/bill/quote', {
    houseId: String(house),
    billIds: [String(made.data.id)],
    valueDate: today(),
    amount: '300.00',
  });
  const paid = await call('POST', '/bill/collect', {
    quoteId: quote.data.quoteId,
    channel: 'cash',
    received: '300.00',
  });
  expect(paid.message).toBe('');
  return String(paid.data.paymentId);
}
const ask = (payment: string, amount: string, more: object = {}) =>
  call('POST', `/billPayment/${payment}/invoice`, { type: 'personal', title: '张三', amount, ...more });
const newest = async (payment: string) =>
  (await place.one('SELECT id FROM bill_invoice WHERE payment_id = $1 ORDER BY id DESC LIMIT 1', [payment]))
    .id;
const act = async (id: number, action: string, input: object) => {
  const { version } = await place.one<{ version: number }>('SELECT version FROM bill_invoice WHERE id = $1', [
    id,
  ]);
  return call('POST', `/billInvoice/${id}/${action}`, { version, ...input });
};

test('a payment is invoiced for what it put on bills, once, also when two ask at the same time', async () => {
  const payment = await pay();
  expect((await ask(payment, '280.01')).message).toBe('最多可开280.00元');
  expect((await ask(payment, '10.00', { type: 'company' })).data.fields).toEqual({
    dutyCode: '请填写15–20位税号',
  });
  const both = await Promise.all([ask(payment, '200.00'), ask(payment, '200.00')]);
  expect(both.map((one) => one.http).sort()).toEqual([200, 409]);
  expect(
    (await ask(payment, '80.00', { type: 'company', title: '某公司', dutyCode: '91310000MA1FL4B24X' }))
      .message,
  ).toBe('');
  expect((await ask(payment, '0.01')).message).toBe('最多可开0.00元');
  // The database refuses it as well.
  await expect(
    place.sql(
      `INSERT INTO bill_invoice (code, payment_id, tenant_id, project_id, type, title, amount) SELECT 'IVX', id, tenant_id, project_id, 'personal', 'x', 1 FROM bill_payment WHERE id = $1`,
      [payment],
    ),
  ).rejects.toThrow('is invoiced above');
  const row = (await call('GET', `/billPayment/${payment}`)).data;
  expect([row.invoiced, row.hasInvoice]).toEqual(['280.00', true]);
  expect((await call('POST', `/billPayment/${payment}/void`, { reason: '录错' })).message).toBe(
    '已有发票，请先取消、作废或红冲',
  );
});

test('an invoice is issued with its number, void in its month, taken back by a red one afterwards; then another can be asked for', async () => {
  const payment = await pay();
  await ask(payment, '280.00');
  const first = await newest(payment);
  expect((await act(first, 'issue', { number: '12AB5678', issuedOn: today() })).data.fields).toEqual({
    number: '发票号码为8–20位数字',
  });
  expect((await act(first, 'issue', { number: '26312000001', issuedOn: '2099-01-01' })).data.fields).toEqual({
    issuedOn: '不能晚于今天',
  });
  expect((await act(first, 'issue', { number: '26312000001', issuedOn: today() })).message).toBe('');
  expect((await act(first, 'void', { reason: '抬头错误' })).message).toBe('');
  expect((await ask(payment, '280.00')).message).toBe('');
  const second = await newest(payment);
  expect((await act(second, 'issue', { number: '26312000001', issuedOn: today() })).message).toBe(
    '该发票号码已登记',
  );
  expect((await act(second, 'issue', { number: '26312000002', issuedOn: '2026-01-05' })).message).toBe('');
  expect((await act(second, 'void', { reason: '跨月作废' })).message).toBe('跨月发票请红冲');
  expect((await act(second, 'red', { number: '26312000003', reason: '部分退款' })).message).toBe('');
  expect(
    await place.sql('SELECT state, red_number FROM bill_invoice WHERE payment_id = $1 ORDER BY id', [
      payment,
    ]),
  ).toEqual([
    { state: 'void', red_number: '' },
    { state: 'red', red_number: '26312000003' },
  ]);
  expect(
    (await call('GET', '/billInvoice/page?tab=requested')).data.rows.every(
      (one: { state: string }) => one.state === 'requested',
    ),
  ).toBe(true);
});
