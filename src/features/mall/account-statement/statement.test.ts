import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { elementCode, elementsOf } from '../../../kernel/contract/resource.ts';
import {
  draftStatement,
  endOfWorkingDays,
  submitStatement,
} from '../../../domain/statement/draft-statement.server.ts';
import { callerOf, openMall, type Mall } from '../product/mall-fixture.ts';
import { salesOf, type Sales } from './sale-fixture.ts';
import { registration as lineService } from './statement-line.server.ts';
import { draftDueStatements, remindWindows } from './statement-jobs.server.ts';
import { registration } from './statement.server.ts';
import { statement, statementLine } from './statement.contract.ts';

const ROOT = '/jinmao/web/statement';
const LINES = '/jinmao/web/statementLine';
const MENUS = ['mm_accountStatement'];
const ELEMENTS = [statement, statementLine].flatMap((resource) =>
  Object.keys(elementsOf(resource)).map((element) => elementCode(resource, element)),
);

let mall: Mall;
let merchantA: Caller;
let merchantB: Caller;
let cashier: Caller;
let maker: Caller;
let picture: string;
let number = 0;
let insert: Sales['insert'];
let sell: Sales['sell'];
let refunded: Sales['refunded'];

beforeAll(async () => {
  mall = await openMall([registration, lineService]);
  ({ insert, sell, refunded } = salesOf(mall));
  const { db } = mall.platform.database;
  const platform = (await runOne<{ id: number }>(db, 'SELECT id FROM tenant WHERE kind = 3'))!.id;
  const staff = async (name: string, tenantId: number, tenantKind: 2 | 3) =>
    callerOf({ staffId: await mall.staff(name, tenantId), tenantId, tenantKind }, MENUS, ELEMENTS);
  merchantA = await staff('merch1', mall.ids.merchantA, 2);
  merchantB = await staff('merch2', mall.ids.merchantB, 2);
  cashier = await staff('cashier1', platform, 3);
  maker = await staff('maker1', platform, 3);
  picture = await mall.picture();
  for (const [tenant, bp] of [
    [mall.ids.merchantA, 0],
    [mall.ids.merchantB, 800],
  ] as const)
    await insert('merchant_agreement', {
      tenant_id: tenant,
      starts_on: '2020-01-01',
      agreement_version: 1,
      commission_bp: bp,
      after_sale_days: 7,
    });
});
afterAll(() => mall.close());

const sql = <T>(text: string, values: readonly unknown[] = []) =>
  run<T>(mall.platform.database.db, text, values);

/** A merchant whose statements no other test touches. */
async function freshMerchant(bp: number): Promise<number> {
  number += 1;
  const tenant = await insert('tenant', {
    kind: 2,
    account: `MX${number}`,
    name: `merchant ${number}`,
    merchant_kind: 'resident',
  });
  await insert('merchant_agreement', {
    tenant_id: tenant,
    starts_on: '2020-01-01',
    agreement_version: 1,
    commission_bp: bp,
    after_sale_days: 7,
  });
  return tenant;
}

const MARCH = { cycle: 'month', from: '2026-03-01', to: '2026-03-31' } as const;
const APRIL = { cycle: 'month', from: '2026-04-01', to: '2026-04-30' } as const;
const MAY = { cycle: 'month', from: '2026-05-01', to: '2026-05-31' } as const;

function draft(
  tenantId: number,
  period: typeof MARCH | typeof APRIL | typeof MAY,
  makerId: number | null = null,
) {
  return transaction(mall.platform.database.db, (tx) => draftStatement(tx, { tenantId, ...period, makerId }));
}

async function submitted(
  tenantId: number,
  period: typeof MARCH | typeof APRIL | typeof MAY,
  makerId: number | null = null,
): Promise<number> {
  const made = await draft(tenantId, period, makerId);
  await transaction(mall.platform.database.db, (tx) =>
    submitStatement(tx, made!.id, { submitterId: makerId, objectionDays: 5 }),
  );
  return made!.id;
}

const merchantOf = (tenantId: number) =>
  callerOf({ staffId: merchantA.staffId, tenantId, tenantKind: 2 }, MENUS, ELEMENTS);
const row = async (caller: Caller, id: number) => (await mall.call(caller, 'GET', `${ROOT}/${id}`)).data;
const act = (caller: Caller, id: number, action: string, body: Record<string, unknown> = {}) =>
  mall.call(caller, 'POST', `${ROOT}/${id}/${action}`, body);
const confirm = async (caller: Caller, id: number) =>
  act(caller, id, 'confirm', { rowsHash: (await row(caller, id)).rowsHash });

test('group 08 Must show 15: 12,345.67 confirmed; a voucher of 12,345.66 is refused, 12,345.67 settles it', async () => {
  await sell(mall.ids.merchantA, [
    { price: 1_000_000, qty: 1 },
    { price: 33_333, qty: 7 },
    { price: 1_236, qty: 1 },
  ]);
  const id = await submitted(mall.ids.merchantA, MARCH, maker.staffId);
  expect(await confirm(merchantA, id)).toMatchObject({ http: 200 });
  const bill = await row(merchantA, id);
  expect([bill.state, bill.payable, bill.payAmount]).toEqual(['to_pay', '12345.67', '12345.67']);
  const voucher = { vouchers: [picture], receiptNo: 'BR-0001', paidOn: '2026-06-01' };
  expect(await act(cashier, id, 'pay', { ...voucher, amount: '12345.66' })).toMatchObject({
    status: 30101,
    message: '支付金额与结算金额不一致',
  });
  // Who made it never pays it, and has no button for it.
  expect((await row(maker, id)).actions).not.toContain('pay');
  expect(await act(maker, id, 'pay', { ...voucher, amount: '12345.67' })).toMatchObject({
    status: 30101,
    message: '制单人不能付款',
  });
  expect(await act(merchantA, id, 'pay', { ...voucher, amount: '12345.67' })).toMatchObject({
    status: 30101,
  });
  const paid = await Promise.all(
    Array.from({ length: 5 }, () => act(cashier, id, 'pay', { ...voucher, amount: '12345.67' })),
  );
  expect(paid.map((one) => one.http).sort()).toEqual([200, 409, 409, 409, 409]);
  const settled = await row(merchantA, id);
  expect(settled.state).toBe('settled');
  expect(settled.vouchers.map((file: { id: string }) => file.id)).toEqual([picture]);
  const lines = (await mall.call(merchantA, 'GET', `${LINES}/page?statement=${id}&limit=50`)).data;
  expect(lines.total).toBe(3);
  expect(
    lines.rows.reduce((sum: number, line: { net: string }) => sum + Math.round(Number(line.net) * 100), 0),
  ).toBe(1_234_567);
  expect(settled.totals.all.net).toBe('12345.67');
  // Nothing of it changes any more, in the database either; vouchers only grow.
  await expect(sql('UPDATE statement SET payable = payable + 1 WHERE id = $1', [id])).rejects.toThrow();
  await expect(
    sql('UPDATE statement_line SET net = net + 1 WHERE statement_id = $1', [id]),
  ).rejects.toThrow();
  await expect(sql(`UPDATE statement SET voucher_ids = '{}' WHERE id = $1`, [id])).rejects.toThrow();
  const second = await mall.picture();
  expect(await act(cashier, id, 'voucher', { vouchers: [second] })).toMatchObject({ http: 200 });
  expect((await row(merchantA, id)).vouchers).toHaveLength(2);
});

test('the example of group 13: rows, header, and refunds of the next months that take back to the fen', async () => {
  const tenant = await freshMerchant(800);
  const sale = await sell(
    tenant,
    [
      { price: 10_000, qty: 3, platformCoupon: 2_501, merchantCoupon: 834, points: 417 },
      { price: 5_990, qty: 1, platformCoupon: 499, merchantCoupon: 166, points: 83 },
    ],
    { freight: 800, fee: 194 },
  );
  const first = await submitted(tenant, MARCH);
  const me = merchantOf(tenant);
  const bill = await row(me, first);
  expect([bill.gross, bill.subsidy, bill.commission, bill.channelFee, bill.payable]).toEqual([
    '357.90',
    '35.00',
    '27.99',
    '1.94',
    '327.97',
  ]);
  const lines = (await mall.call(me, 'GET', `${LINES}/page?statement=${first}`)).data.rows;
  expect(lines.map((line: { net: string }) => line.net)).toEqual(['266.75', '53.27', '7.95']);
  expect(await confirm(me, first)).toMatchObject({ http: 200 });
  await refunded(sale, sale.lines[0]!, {
    qty: 1,
    cash: 8_750,
    platformCoupon: 833,
    merchantCoupon: 278,
    points: 139,
  });
  const second = await submitted(tenant, APRIL);
  const claw = (await mall.call(me, 'GET', `${LINES}/page?statement=${second}`)).data.rows;
  expect(claw).toHaveLength(1);
  expect([claw[0].rowKind, claw[0].net, claw[0].first.id]).toEqual(['refund', '-88.92', String(first)]);
  // Below nothing: settled without a payment, the next one takes it over.
  expect(await confirm(me, second)).toMatchObject({ http: 200 });
  expect(await row(me, second)).toMatchObject({
    state: 'settled',
    payAmount: '0.00',
    carryOut: '-88.92',
    noPayment: true,
  });
  await refunded(sale, sale.lines[0]!, {
    qty: 1,
    cash: 8_749,
    platformCoupon: 834,
    merchantCoupon: 278,
    points: 139,
  });
  await refunded(sale, sale.lines[0]!, {
    qty: 1,
    cash: 8_749,
    platformCoupon: 834,
    merchantCoupon: 278,
    points: 139,
  });
  await sell(tenant, [{ price: 100_000, qty: 1 }], { completed: '2026-05-02' });
  const third = await submitted(tenant, MAY);
  const rest = (await mall.call(me, 'GET', `${LINES}/page?statement=${third}&limit=50`)).data.rows;
  expect(rest.map((line: { rowKind: string; net: string }) => [line.rowKind, line.net])).toEqual([
    ['sale', '920.00'],
    ['refund', '-88.92'],
    ['refund', '-88.91'],
    ['carry_in', '-88.92'],
  ]);
  expect((await row(me, third)).payable).toBe('653.25');
});

test('services and orders of teams are settled like goods; an order of another kind never', async () => {
  const tenant = await freshMerchant(500);
  await sell(tenant, [{ price: 10_000, qty: 1 }]);
  const visit = await sell(tenant, [{ price: 20_000, qty: 1 }], { kind: 'service' });
  await sell(tenant, [{ price: 4_000, qty: 2 }], { type: 'group' });
  const other = await sell(tenant, [{ price: 999, qty: 1 }], { kind: 'service' });
  await run(mall.platform.database.db, `UPDATE sales_order SET kind = 'work_order' WHERE id = $1`, [
    other.order,
  ]);
  const made = await draft(tenant, MARCH);
  const rows = await run<{ order_id: number; gross: number; commission: number }>(
    mall.platform.database.db,
    'SELECT order_id, gross, commission FROM statement_line WHERE statement_id = $1 ORDER BY gross',
    [made!.id],
  );
  expect(rows.map((one) => [one.gross, one.commission])).toEqual([
    [8_000, 400],
    [10_000, 500],
    [20_000, 1_000],
  ]);
  expect(rows.at(-1)!.order_id).toBe(visit.order);
  expect(rows.map((one) => one.order_id)).not.toContain(other.order);
});

test('the same period at once makes one statement, and each line stands in one row', async () => {
  const tenant = await freshMerchant(500);
  for (let n = 0; n < 8; n += 1) await sell(tenant, [{ price: 12_345 + n, qty: 1 }]);
  const made = await Promise.all(Array.from({ length: 6 }, () => draft(tenant, MARCH)));
  expect(new Set(made.map((one) => one!.id)).size).toBe(1);
  expect(made.filter((one) => one!.made)).toHaveLength(1);
  expect(
    await sql(
      'SELECT count(*)::integer AS n FROM statement_line l JOIN statement s ON s.id = l.statement_id WHERE s.tenant_id = $1',
      [tenant],
    ),
  ).toEqual([{ n: 8 }]);
  // A draft is shown to nobody here.
  expect((await mall.call(merchantOf(tenant), 'GET', `${ROOT}/${made[0]!.id}`)).http).toBe(404);
  // Rows that do not add up never reach the disk.
  await expect(
    sql(
      'UPDATE statement SET payable = payable + 1, accrual = accrual + 1, gross = gross + 1 WHERE id = $1',
      [made[0]!.id],
    ),
  ).rejects.toThrow(/add up/);
});

test('an open after-sale window, an open refund and frozen settlement keep sales out', async () => {
  const tenant = await freshMerchant(0);
  await sell(tenant, [{ price: 20_000, qty: 1 }], { completed: '2026-03-30' });
  const held = await sell(tenant, [{ price: 30_000, qty: 1 }]);
  await sql(`UPDATE sales_order SET refund_status = 'refunding' WHERE id = $1`, [held.order]);
  await refunded(held, held.lines[0]!, { qty: 1, cash: 30_000 });
  await sql(`UPDATE refund SET state = 'reviewing', succeeded_at = NULL WHERE order_id = $1`, [held.order]);
  expect(await draft(tenant, MARCH)).toBeUndefined();
  await sql(`UPDATE tenant SET settlement_frozen = true, freeze_reason = 'x' WHERE id = $1`, [tenant]);
  expect(await draft(tenant, APRIL)).toBeUndefined();
  await sql(`UPDATE tenant SET settlement_frozen = false WHERE id = $1`, [tenant]);
  const april = await draft(tenant, APRIL);
  expect(await sql('SELECT payable FROM statement WHERE id = $1', [april!.id])).toEqual([
    { payable: 20_000 },
  ]);
  await expect(draft(tenant, { ...MAY, to: '2099-05-31' } as never)).rejects.toThrow(/not over/);
});

test('a rate of the class beats the business, and what was frozen at payment beats both', async () => {
  const tenant = await freshMerchant(100);
  const [agreement] = await sql<{ id: number }>('SELECT id FROM merchant_agreement WHERE tenant_id = $1', [
    tenant,
  ]);
  await sql(
    `INSERT INTO merchant_commission (agreement_id, position, business_id, class_id, rate_bp) VALUES ($1, 1, $2, NULL, 200), ($1, 2, $2, $3, 300)`,
    [agreement!.id, mall.ids.business, mall.classes[0]],
  );
  const sale = await sell(tenant, [
    { price: 10_000, qty: 1 },
    { price: 10_000, qty: 1 },
    { price: 10_000, qty: 1 },
  ]);
  // The second product stands below the class with a rate; the third was sold under another one.
  await sql(
    'INSERT INTO product_class_member (product_id, class_id) SELECT product_id, $2 FROM order_line WHERE id = $1',
    [sale.lines[1], mall.classes[1]],
  );
  await sql('UPDATE order_line SET commission_bp = 1000 WHERE id = $1', [sale.lines[2]]);
  const id = await submitted(tenant, MARCH);
  const rows = await sql('SELECT commission FROM statement_line WHERE statement_id = $1 ORDER BY row_no', [
    id,
  ]);
  expect(rows).toEqual([{ commission: 200 }, { commission: 300 }, { commission: 1_000 }]);
});

test('disputes: one per line, the window stands still, withdrawing goes on; a stale or late confirmation is refused', async () => {
  const tenant = await freshMerchant(800);
  await sell(tenant, [
    { price: 50_000, qty: 1 },
    { price: 60_000, qty: 1 },
  ]);
  const id = await submitted(tenant, MARCH);
  const me = merchantOf(tenant);
  const lines = (await mall.call(me, 'GET', `${LINES}/page?statement=${id}`)).data.rows;
  const body = {
    lines: [lines[0].id],
    reasonType: 'commission',
    claimed: '480.00',
    text: '佣金比例与协议不符',
    evidence: [picture],
  };
  expect(await act(cashier, id, 'dispute', body)).toMatchObject({ status: 30101 });
  const asked = await Promise.all(Array.from({ length: 4 }, () => act(me, id, 'dispute', body)));
  expect(asked.map((one) => one.http).sort()).toEqual([200, 409, 409, 409]);
  expect(asked.find((one) => one.http === 409)!.message).toBe('第 1 行已提出异议');
  const disputed = await row(me, id);
  expect([disputed.state, disputed.disputes.length, disputed.disputes[0].claimed]).toEqual([
    'disputed',
    1,
    '480.00',
  ]);
  expect(await act(me, id, 'dispute', { ...body, lines: ['999999'] })).toMatchObject({ http: 422 });
  expect(await act(me, id, 'confirm', { rowsHash: disputed.rowsHash })).toMatchObject({
    status: 30101,
    message: '账单状态已变化',
  });
  await sql(`UPDATE statement SET window_stopped_at = window_stopped_at - interval '2 days' WHERE id = $1`, [
    id,
  ]);
  const before = new Date(disputed.windowEndsAt).getTime();
  expect(await act(me, id, 'withdrawDispute')).toMatchObject({ http: 200 });
  const after = await row(me, id);
  expect(after.state).toBe('to_confirm');
  expect(Math.round((new Date(after.windowEndsAt).getTime() - before) / 86_400_000)).toBe(2);
  expect(await act(me, id, 'confirm', { rowsHash: 'old' })).toMatchObject({
    status: 30101,
    message: '账单已更新，请重新核对',
  });
  await sql(`UPDATE statement SET window_ends_at = now() - interval '1 minute' WHERE id = $1`, [id]);
  expect(await confirm(me, id)).toMatchObject({ status: 30101, message: '账单状态已变化' });
  // Silence confirms.
  const job = registration.jobs!.find((one) => one.name === 'settle.auto_confirm')!;
  await job.run({}, mall.platform);
  await job.run({}, mall.platform);
  expect(await row(me, id)).toMatchObject({ state: 'to_pay', confirmer: 'system' });
});

test('merchants see their own statements only, whatever they ask for', async () => {
  await sell(mall.ids.merchantB, [{ price: 40_000, qty: 1 }]);
  const id = await submitted(mall.ids.merchantB, MARCH);
  expect((await mall.call(merchantA, 'GET', `${ROOT}/${id}`)).http).toBe(404);
  expect((await mall.call(merchantA, 'GET', `${ROOT}/${id}/print`)).http).toBe(404);
  expect((await mall.call(merchantA, 'GET', `${ROOT}/page?merchant=${mall.ids.merchantB}`)).data.total).toBe(
    0,
  );
  expect((await mall.call(merchantA, 'GET', `${LINES}/page?statement=${id}`)).data.total).toBe(0);
  const printed = (await mall.call(merchantB, 'GET', `${ROOT}/${id}/print`)).data;
  expect(printed.rows).toHaveLength(1);
  // Who works in some of its projects only is told no sum of them.
  const south = callerOf(
    { staffId: maker.staffId, tenantId: maker.tenantId, tenantKind: 4, projectIds: [mall.ids.south] },
    MENUS,
    ELEMENTS,
  );
  expect((await mall.call(south, 'GET', `${ROOT}/${id}`)).http).toBe(404);
});

test('a merchant is reminded two working days before its window ends and one before, once each', async () => {
  const tenant = await freshMerchant(0);
  await mall.staff(`owner${tenant}`, tenant);
  await sell(tenant, [{ price: 10_000, qty: 1 }]);
  const { db } = mall.platform.database;
  const id = await transaction(db, async (tx) => {
    const made = await draftStatement(tx, {
      tenantId: tenant,
      cycle: 'month',
      from: '2026-03-01',
      to: '2026-03-31',
      makerId: maker.staffId,
    });
    await submitStatement(tx, made!.id, { submitterId: maker.staffId, objectionDays: 5 });
    return made!.id;
  });
  const now = new Date();
  const left = async () =>
    (
      await sql<{ left: number | null }>('SELECT reminded_days AS left FROM statement WHERE id = $1', [id])
    )[0]!.left;
  const windowIn = async (days: number) =>
    sql('UPDATE statement SET window_ends_at = $2 WHERE id = $1', [
      id,
      await endOfWorkingDays(db, now, days),
    ]);
  await sql(
    `UPDATE statement SET window_ends_at = now() + interval '1 year' WHERE state = 'to_confirm' AND id <> $1`,
    [id],
  );
  expect([await remindWindows(mall.platform, now), await left()]).toEqual([0, null]);
  await windowIn(2);
  expect([await remindWindows(mall.platform, now), await left()]).toEqual([1, 2]);
  expect(await remindWindows(mall.platform, now)).toBe(0);
  // A working day later, seen from the same window.
  await sql('UPDATE statement SET window_ends_at = $2, reminded_window = $2 WHERE id = $1', [
    id,
    await endOfWorkingDays(db, now, 1),
  ]);
  expect([await remindWindows(mall.platform, now), await left()]).toEqual([1, 1]);
  expect(await remindWindows(mall.platform, now)).toBe(0);
  // Another round has another window.
  await windowIn(2);
  expect([await remindWindows(mall.platform, now), await left()]).toEqual([1, 2]);
});

test('the job drafts every merchant whose month is over, once; a clerk submits', async () => {
  const tenant = await freshMerchant(600);
  await sell(tenant, [{ price: 70_000, qty: 1 }], { completed: '2026-06-03' });
  const [one, two] = await Promise.all([
    draftDueStatements(mall.platform, '2026-07-01'),
    draftDueStatements(mall.platform, '2026-07-01'),
  ]);
  expect(one + two).toBeGreaterThan(0);
  expect(await draftDueStatements(mall.platform, '2026-07-01')).toBe(0);
  const rows = await sql<{ state: string }>(
    `SELECT state FROM statement WHERE tenant_id = $1 AND period_from = '2026-06-01'`,
    [tenant],
  );
  expect(rows.map((row) => row.state)).toEqual(['draft']);
  for (const rule of registration.invariants!) expect((await rule.check(mall.platform)).problems).toEqual([]);
});

test('both exports have an element of their own; rows are those of the own settled, or not settled bills', async () => {
  const list = await mall.call(merchantA, 'POST', `${ROOT}/export`, { query: { state: 'settled' } });
  expect(list.http).toBe(200);
  const rows = await mall.call(merchantA, 'POST', `${ROOT}/action/exportLines`, { which: 'settled' });
  expect(rows.http).toBe(200);
  const bare = { ...merchantA, elements: new Set(['mm_accountStatement:btn_exportList']), epoch: '2' };
  expect((await mall.call(bare, 'POST', `${ROOT}/export`, {})).http).toBe(200);
  expect((await mall.call(bare, 'POST', `${ROOT}/action/exportLines`, { which: 'settled' })).http).toBe(403);
  expect((await mall.call(bare, 'POST', `${LINES}/export`, {})).http).toBe(403);
  const tasks = await sql<{ source: string; query: unknown; element: string }>(
    `SELECT source, query, result ->> 'element' AS element FROM task WHERE staff_id = $1 ORDER BY created_at, source`,
    [merchantA.staffId],
  );
  expect(tasks.map((task) => [task.source, task.element])).toEqual(
    expect.arrayContaining([
      ['statement', 'btn_exportList'],
      ['statementLine', 'btn_exportLines'],
    ]),
  );
  expect(tasks.find((task) => task.source === 'statementLine')!.query).toEqual({ settled: 'true' });
});
