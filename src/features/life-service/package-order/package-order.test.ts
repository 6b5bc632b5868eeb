import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../../kernel/server/registration.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { addMonths } from '../../../domain/life-service/package-order.rules.ts';
import { elementCode, elementsOf } from '../../../kernel/contract/resource.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { callerOf, openMall, type Mall } from '../../mall/product/mall-fixture.ts';
import { PACKAGE_MENU } from '../package/package.contract.ts';
import { registration as packages } from '../package/package.server.ts';
import { receipt, RECEIPT_MENU } from '../receipt/receipt.contract.ts';
import { registration as receipts } from '../receipt/receipt.server.ts';
import { receivable, RECEIVABLE_MENU } from '../receivable/receivable.contract.ts';
import { registration as receivables } from '../receivable/receivable.server.ts';
import { registration as instalments } from './package-instalment.server.ts';
import { packageRefund, packageUsage } from './package-order-parts.contract.ts';
import { ORDER_MENU, packageOrder } from './package-order.contract.ts';
import { registration as orders } from './package-order.server.ts';
import { registration as refunds } from './package-refund.server.ts';
import { registration as usages } from './package-usage.server.ts';

const ORDER = '/jinmao/web/packageOrder';
const RECEIPT = '/jinmao/web/receipt';
const TODAY = businessDayOf(new Date());
let mall: Mall;
let seller: Caller;
let second: Caller;
let turn = 0;
const db = () => mall.platform.database.db;
const all = <T extends object>(text: string, values: readonly unknown[] = []) => run<T>(db(), text, values);
const one = async <T extends object>(text: string, values: readonly unknown[] = []) =>
  (await runOne<T>(db(), text, values))!;

beforeAll(async () => {
  mall = await openMall([orders, usages, instalments, refunds, receivables, receipts, packages]);
  const platformId = (await one<{ id: number }>('SELECT id FROM tenant WHERE kind = 3 LIMIT 1')).id;
  const elements = [packageOrder, packageUsage, packageRefund, receivable, receipt].flatMap((resource) =>
    Object.keys(elementsOf(resource)).map((element) => elementCode(resource, element)),
  );
  const make = async (name: string) =>
    callerOf(
      { staffId: await mall.staff(name, platformId), tenantId: platformId, tenantKind: 3 },
      [ORDER_MENU, RECEIVABLE_MENU, RECEIPT_MENU, PACKAGE_MENU],
      elements,
    );
  [seller, second] = [await make('seller'), await make('second')];
  // Who decides is asked from stored rights.
  await all(
    `INSERT INTO group_member (group_id, staff_id) SELECT id, $1 FROM permission_group WHERE code = 'platform_admin' AND built_in`,
    [second.staffId],
  );
});
afterAll(() => mall.close());

interface Terms {
  readonly price: number;
  readonly items: readonly (readonly [name: string, times: number | null, listPrice: number])[];
  readonly plans: readonly { parts: number; firstPercent: number | null; intervalMonths: string }[];
  readonly refund: string;
  readonly fee: string;
  readonly start: string;
  readonly max: number;
}

/** A package on sale in both projects, sold under its first version. */
async function pack(more: Partial<Terms> = {}): Promise<number> {
  turn++;
  const terms = {
    name: `套餐${turn}`,
    price: more.price ?? 120_000,
    validity: 12,
    validityUnit: 'month',
    startRule: more.start ?? 'first_payment',
    firstUseDays: more.start === 'first_use' ? 30 : null,
    payOnce: true,
    refundMethod: more.refund ?? 'by_times',
    cancelFee: more.fee ?? '0.00',
    maxRunning: more.max ?? 0,
    terms: '条款',
    items: (more.items ?? [['保洁', 12, 15_000]]).map(([name, times, listPrice]) => ({
      name,
      times,
      listPrice,
    })),
    plans: more.plans ?? [{ parts: 3, firstPercent: null, intervalMonths: '1' }],
  };
  const { id } = await one<{ id: number }>(
    `INSERT INTO service_package (tenant_id, name, image_ids, price, validity, validity_unit, start_rule, first_use_days, refund_method, cancel_fee, terms, state)
     VALUES ($1, $2, ARRAY[gen_random_uuid()], $3, 12, 'month', $4, $5, $6, $7, '条款', 'published') RETURNING id`,
    [
      seller.tenantId,
      terms.name,
      terms.price,
      terms.startRule,
      terms.firstUseDays,
      terms.refundMethod,
      terms.cancelFee,
    ],
  );
  await all('INSERT INTO service_package_project VALUES ($1, $2), ($1, $3)', [
    id,
    mall.ids.north,
    mall.ids.south,
  ]);
  await all('INSERT INTO service_package_version (package_id, no, price, terms) VALUES ($1, 1, $2, $3)', [
    id,
    terms.price,
    JSON.stringify(terms),
  ]);
  return id;
}

/** A member with a house. */
async function household(project = mall.ids.north): Promise<{ member: string; house: string }> {
  turn++;
  const { id } = await one<{ id: number }>(
    `WITH b AS (INSERT INTO building (project_id, name) VALUES ($1, $2) RETURNING id),
          u AS (INSERT INTO building_unit (building_id, name) SELECT id, '1' FROM b RETURNING id)
     INSERT INTO house (project_id, unit_id, number, built_area) SELECT $1, id, '101', 90 FROM u RETURNING id`,
    [project, `楼${turn}`],
  );
  const member = await one<{ id: number }>(
    'INSERT INTO member (name, phone, project_id) VALUES ($1, $2, $3) RETURNING id',
    [`客户${turn}`, `137${String(turn).padStart(8, '0')}`, project],
  );
  await all(`INSERT INTO household (member_id, house_id, identity) VALUES ($1, $2, 'owner')`, [
    member.id,
    id,
  ]);
  return { member: String(member.id), house: String(id) };
}

const create = async (packageId: number, more: Record<string, unknown> = {}) =>
  mall.call(seller, 'POST', ORDER, {
    ...(more.member ? {} : await household()),
    project: String(mall.ids.north),
    package: String(packageId),
    plan: 'once',
    contact: '联系人',
    contactPhone: '13700000000',
    seller: String(seller.staffId),
    ...more,
  });
async function made(packageId: number, more: Record<string, unknown> = {}): Promise<string> {
  const answer = await create(packageId, more);
  expect([answer.message, answer.data?.fields]).toEqual(['', undefined]);
  return String(answer.data.id);
}
const read = async (id: string, root = ORDER) => (await mall.call(seller, 'GET', `${root}/${id}`)).data;
async function act(id: string, action: string, input: object = {}, caller = seller, root = ORDER) {
  const { version } = await read(id, root);
  return mall.call(caller, 'POST', `${root}/${id}/${action}`, { version, ...input });
}
async function done(id: string, action: string, input: object = {}) {
  const answer = await act(id, action, input);
  expect([action, answer.message, answer.data?.fields]).toEqual([action, '', undefined]);
  return answer.data;
}
const linesOf = (id: string) =>
  all<{
    code: string;
    period_no: number;
    due_on: string;
    principal: number;
    charges: number;
    received: number;
    state: string;
    id: number;
  }>(
    `SELECT id, code, period_no, due_on::text AS due_on, principal, charges, received, state FROM receivable
      WHERE source_kind = 'package' AND source_id = $1 ORDER BY period_no`,
    [id],
  );
/** Money for an order, recorded by one, confirmed by the other, over its open lines in order. */
async function pay(id: string, amount: string, method = 'cash') {
  const row = await read(id);
  let rest = Math.round(Number(amount) * 100);
  const allocations = (await linesOf(id)).flatMap((line) => {
    const part = Math.min(
      rest,
      ['open', 'part'].includes(line.state) ? line.principal + line.charges - line.received : 0,
    );
    rest -= part;
    return part > 0 ? [{ receivable: String(line.id), amount: (part / 100).toFixed(2) }] : [];
  });
  const recorded = await mall.call(seller, 'POST', RECEIPT, {
    member: row.member.id,
    project: String(mall.ids.north),
    method,
    amount,
    receivedOn: '2026-01-02',
    allocations,
  });
  expect([recorded.message, recorded.data?.fields]).toEqual(['', undefined]);
  const confirmed = await act(String(recorded.data.id), 'confirm', {}, second, RECEIPT);
  expect(confirmed.message).toBe('');
  return String(recorded.data.id);
}
const itemOf = async (id: string) =>
  String(
    (
      await one<{ id: number }>('SELECT id FROM package_order_item WHERE order_id = $1 ORDER BY position', [
        id,
      ])
    ).id,
  );
const redeem = async (id: string, qty = 1, caller = seller) =>
  mall.call(caller, 'POST', `${ORDER}/${id}/redeem`, { item: await itemOf(id), qty, usedOn: TODAY });
async function broken(): Promise<string[]> {
  const problems: string[] = [];
  for (const look of [...(orders.invariants ?? []), ...(receivables.invariants ?? [])])
    problems.push(...(await look.check(mall.platform)).problems);
  return problems;
}
const runJob = (name: string) =>
  (orders.jobs as readonly Job[]).find((job) => job.name === name)!.run({}, mall.platform);

test('group 19 Must show 1: 1,000.00 in three parts, due today and a month apart, issued once by five confirmations at once', async () => {
  const id = await made(await pack({ price: 100_000 }), { plan: '3/=/1' });
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => mall.call(seller, 'POST', `${ORDER}/${id}/confirm`, {})),
  );
  expect(answers.filter((answer) => answer.http === 200)).toHaveLength(1);
  const lines = await linesOf(id);
  expect(lines.map((line) => [line.period_no, line.due_on, line.principal])).toEqual([
    [1, TODAY, 33_334],
    [2, addMonths(TODAY, 1), 33_333],
    [3, addMonths(TODAY, 2), 33_333],
  ]);
  expect(new Set(lines.map((line) => line.code)).size).toBe(3);
  expect(lines.every((line) => line.code.startsWith('AR'))).toBe(true);
  expect((await read(id)).state).toBe('pending_first');
  expect(await broken()).toEqual([]);
});

test('the first part that is paid starts the term; a part of it does not', async () => {
  const id = await made(await pack({ price: 100_000 }), { plan: '3/=/1' });
  await done(id, 'confirm');
  await pay(id, '100.00');
  expect((await read(id)).state).toBe('pending_first');
  await pay(id, '233.34');
  expect(await read(id)).toMatchObject({
    state: 'in_service',
    startOn: TODAY,
    endOn: addDays(addMonths(TODAY, 12), -1),
    received: '333.34',
    owed: '666.66',
  });
});

test('group 19 Must show 5: three uses of 150.00 of 1,200.00: 750.00 are shown, then booked; of 400.00 paid 50.00 are still to be paid', async () => {
  const packageId = await pack();
  const full = await made(packageId);
  await done(full, 'confirm');
  await pay(full, '1200.00');
  for (let n = 0; n < 3; n++) expect((await redeem(full)).message).toBe('');
  expect((await mall.call(seller, 'GET', `${ORDER}/${full}/cancellation`)).data).toMatchObject({
    paid: '1200.00',
    used: '450.00',
    fee: '0.00',
    dueBack: '750.00',
    needsApproval: false,
  });
  await done(full, 'cancel', { reason: '搬家' });
  expect(await read(full)).toMatchObject({ state: 'cancelled', refund: '750.00' });
  const [back] = await all<{ id: number; method: string; amount: number; state: string }>(
    'SELECT id, method, amount, state FROM package_refund WHERE order_id = $1',
    [full],
  );
  expect(back).toMatchObject({ method: 'cash', amount: 75_000, state: 'waiting' });
  const paidBack = await act(
    String(back!.id),
    'payBack',
    { slip: 'T1' },
    second,
    '/jinmao/web/packageRefund',
  );
  expect(paidBack.message).toBe('');

  const part = await made(packageId, { plan: '3/=/1' });
  await done(part, 'confirm');
  await pay(part, '400.00');
  for (let n = 0; n < 3; n++) await redeem(part);
  await done(part, 'cancel', { reason: '不再需要' });
  const lines = await linesOf(part);
  expect(lines.map((line) => [line.period_no, line.principal, line.state])).toEqual([
    [1, 40_000, 'paid'],
    [2, 40_000, 'void'],
    [3, 40_000, 'void'],
    [100, 5_000, 'open'],
  ]);
  expect(lines[3]!.due_on).toBe(addDays(TODAY, 15));
  expect((await read(part)).refund).toBe('0.00');
  expect(await broken()).toEqual([]);
});

test('a refund goes back first in first out; the receipt it draws on is not reversed any more', async () => {
  const id = await made(await pack({ refund: 'by_days', price: 90_000 }), { plan: '3/=/1' });
  await done(id, 'confirm');
  const first = await pay(id, '300.00', 'wechat');
  await pay(id, '350.00', 'pos');
  await done(id, 'cancel', { reason: '客户申请' });
  const parts = await all<{ method: string; amount: number }>(
    'SELECT method, amount FROM package_refund WHERE order_id = $1 ORDER BY id',
    [id],
  );
  const used = Math.ceil(90_000 / 365);
  // A year of 366 days uses a fen less.
  expect(parts[0]).toEqual({ method: 'wechat', amount: 30_000 });
  expect([35_000 - used, 35_000 - used + 1]).toContain(parts[1]!.amount);
  // The third part keeps the 50.00 that came in for it.
  expect((await linesOf(id)).map((line) => [line.state, line.charges, line.received])).toEqual([
    ['paid', 0, 30_000],
    ['paid', 0, 30_000],
    ['paid', -25_000, 5_000],
  ]);
  const refused = await act(first, 'reverse', { reason: '重复' }, second, RECEIPT);
  expect([refused.http, refused.message]).toEqual([409, '该收款已有退款，不能冲销']);
  expect(await broken()).toEqual([]);
});

test('a refund above 1,000.00 waits for somebody else, meanwhile nothing moves', async () => {
  const id = await made(await pack({ price: 200_000, refund: 'by_times' }));
  await done(id, 'confirm');
  await pay(id, '2000.00');
  const answer = await done(id, 'cancel', { reason: '客户申请' });
  expect(answer.result.said).toContain('冻结');
  expect(await read(id)).toMatchObject({ state: 'in_service', frozen: true });
  expect([(await redeem(id)).message, (await act(id, 'pause', { days: 1, reason: '外出' })).message]).toEqual(
    ['退订审批中，订单已冻结', '退订审批中，订单已冻结'],
  );
  const waiting = await one<{ kind: string; amount: number; state: string }>(
    'SELECT kind, amount, state FROM package_order_request WHERE order_id = $1',
    [id],
  );
  expect(waiting).toEqual({ kind: 'cancel', amount: 200_000, state: 'waiting' });
});

test('group 19 Must show 9: of two who redeem the twelfth at once one is refused; undone it is there again', async () => {
  const id = await made(await pack());
  await done(id, 'confirm');
  await pay(id, '1200.00');
  expect((await redeem(id, 11)).message).toBe('');
  const answers = await Promise.all([redeem(id, 1, seller), redeem(id, 1, second)]);
  expect(answers.map((answer) => answer.http).sort()).toEqual([200, 409]);
  expect((await read(id)).state).toBe('finished');
  const [last] = await all<{ id: number }>(
    'SELECT id FROM package_usage WHERE order_id = $1 ORDER BY id DESC LIMIT 1',
    [id],
  );
  const undone = await act(
    String(last!.id),
    'undo',
    { reason: '登记错误' },
    seller,
    '/jinmao/web/packageUsage',
  );
  expect(undone.message).toBe('');
  expect(await read(id)).toMatchObject({ state: 'in_service', uses: '1 / 12' });
  const more = await redeem(id, 2);
  expect([more.http, more.status, more.message]).toEqual([409, 30_101, '剩余次数不足']);
  await all(`UPDATE package_usage SET created_at = now() - interval '9 days' WHERE order_id = $1`, [id]);
  const [old] = await all<{ id: number }>(
    `SELECT id FROM package_usage WHERE order_id = $1 AND state = 'used'`,
    [id],
  );
  const late = await act(String(old!.id), 'undo', { reason: '登记错误' }, seller, '/jinmao/web/packageUsage');
  expect(late.message).toBe('登记超过 7 天，不能撤销');
  expect(await broken()).toEqual([]);
});

test('the strip above the orders counts what its tabs show; a package says how much of it was used and paid back', async () => {
  const figures = async () => (await mall.call(seller, 'GET', `${ORDER}/figures`)).data;
  const before = await figures();
  const packageId = await pack();
  const id = await made(packageId);
  await done(id, 'confirm');
  expect(await figures()).toMatchObject({ pending: before.pending + 1, service: before.service });
  await pay(id, '1200.00');
  expect((await redeem(id, 3)).message).toBe('');
  expect(await figures()).toMatchObject({
    pending: before.pending,
    service: before.service + 1,
    used: before.used + 3,
  });
  expect((await mall.call(seller, 'GET', `/jinmao/web/package/${packageId}`)).data).toMatchObject({
    usedShare: '25.00',
    refundShare: '0.00',
  });
  await all(`UPDATE package_order SET state = 'finished', start_on = $2, end_on = $2 WHERE id = $1`, [
    id,
    addDays(TODAY, -1),
  ]);
  expect(await figures()).toMatchObject({ ended: before.ended + 1, renewed: before.renewed });
  const renewal = await mall.call(seller, 'POST', `${ORDER}/${id}/renew`, {});
  expect(renewal.message).toBe('');
  expect(await figures()).toMatchObject({ ended: before.ended + 1, renewed: before.renewed + 1 });
  for (const tab of ['service', 'pending', 'late'] as const) {
    const page = (await mall.call(seller, 'GET', `${ORDER}/page?tab=${tab}&limit=1`)).data;
    expect((await figures())[tab]).toBe(page.total);
  }
});

test('group 19 Must show 10: a renewal 20 days before the end starts the day after it, at the full price, once', async () => {
  const packageId = await pack();
  const id = await made(packageId, { discount: '100.00', discountReason: '老客户' });
  await done(id, 'confirm');
  await pay(id, '1100.00');
  const end = addDays(TODAY, 20);
  await all(`UPDATE package_order SET start_on = $2, end_on = $3 WHERE id = $1`, [
    id,
    addDays(TODAY, -300),
    end,
  ]);
  const answers = await Promise.all([0, 1].map(() => mall.call(seller, 'POST', `${ORDER}/${id}/renew`, {})));
  expect(answers.map((answer) => answer.http).sort()).toEqual([200, 409]);
  const renewal = answers.find((answer) => answer.http === 200)!.data.result.id;
  expect(await read(renewal)).toMatchObject({
    state: 'draft',
    startOn: addDays(end, 1),
    total: '1200.00',
    discount: '0.00',
    credit: '0.00',
  });
  await done(renewal, 'confirm');
  await pay(renewal, '1200.00');
  expect(await read(renewal)).toMatchObject({
    state: 'to_start',
    startOn: addDays(end, 1),
    endOn: addDays(addMonths(addDays(end, 1), 12), -1),
  });
});

test('a pause moves the end and what follows it, at most 90 days of a term', async () => {
  const id = await made(await pack());
  await done(id, 'confirm');
  await pay(id, '1200.00');
  const { endOn } = await read(id);
  expect((await act(id, 'pause', { days: 91, reason: '外出' })).data.fields.days).toContain('最多暂停 90 天');
  await done(id, 'pause', { days: 60, reason: '外出' });
  expect((await redeem(id)).http).toBe(409);
  await all('UPDATE package_order SET paused_on = paused_on - 10 WHERE id = $1', [id]);
  await done(id, 'resume');
  expect(await read(id)).toMatchObject({ state: 'in_service', pausedDays: 10, endOn: addDays(endOn, 10) });
  expect((await act(id, 'pause', { days: 81, reason: '外出' })).http).toBe(422);
});

test('the job cancels what is not paid in time, suspends for arrears, goes on when paid, ends terms', async () => {
  const packageId = await pack({ price: 100_000 });
  const late = await made(packageId, { plan: '3/=/1' });
  await done(late, 'confirm');
  await all(`UPDATE package_order SET confirmed_at = now() - interval '9 days' WHERE id = $1`, [late]);
  const owing = await made(packageId, { plan: '3/=/1' });
  await done(owing, 'confirm');
  await pay(owing, '333.34');
  await all(
    `UPDATE receivable SET posted_on = posted_on - 200, due_on = due_on - 100 WHERE source_kind = 'package' AND source_id = $1 AND period_no > 1`,
    [owing],
  );
  const over = await made(packageId);
  await done(over, 'confirm');
  await pay(over, '1000.00');
  await all(`UPDATE package_order SET start_on = $2::date - 400, end_on = $2::date - 1 WHERE id = $1`, [
    over,
    TODAY,
  ]);
  await runJob('package.state');
  expect([(await read(late)).state, (await read(owing)).state, (await read(over)).state]).toEqual([
    'cancelled',
    'paused',
    'finished',
  ]);
  expect((await linesOf(late)).every((line) => line.state === 'void')).toBe(true);
  const { endOn } = await read(owing);
  expect((await act(owing, 'resume')).message).toBe('欠费暂停，付清后自动恢复');
  await pay(owing, '666.66');
  expect(await read(owing)).toMatchObject({ state: 'in_service', endOn });
  await runJob('package.state');
  expect((await read(owing)).state).toBe('in_service');
  expect(await broken()).toEqual([]);
});

test('a change carries what is left into the new order; more than its price is refused', async () => {
  const id = await made(await pack());
  await done(id, 'confirm');
  await pay(id, '1200.00');
  await redeem(id, 2);
  const cheap = await pack({ price: 50_000 });
  const refused = await act(id, 'change', { package: String(cheap), plan: 'once', reason: '换套餐' });
  expect([refused.http, refused.message]).toEqual([409, '抵扣额大于新套餐价格，请先退订']);
  const dear = await pack({ price: 200_000, refund: 'by_times' });
  const { result } = await done(id, 'change', { package: String(dear), plan: 'once', reason: '升级' });
  expect((await read(id)).state).toBe('cancelled');
  expect(await read(result.id)).toMatchObject({
    state: 'pending_first',
    credit: '900.00',
    total: '1100.00',
    changedFrom: (await read(id)).code,
  });
  // What is left is money of the first order's receipt.
  await done(result.id, 'cancel', { reason: '不换了' });
  const [back] = await all<{ amount: number; method: string }>(
    'SELECT amount, method FROM package_refund WHERE order_id = $1',
    [result.id],
  );
  expect(back).toEqual({ amount: 90_000, method: 'cash' });
  expect(await broken()).toEqual([]);
});

test('a large discount is confirmed only after somebody else agreed; a house has no more orders than the package allows', async () => {
  const packageId = await pack({ max: 1 });
  const home = await household();
  const id = await made(packageId, { ...home, discount: '120.01', discountReason: '员工推荐' });
  expect((await act(id, 'confirm')).message).toBe('优惠超过审批标准，请先提交优惠审批');
  await done(id, 'askDiscount');
  await all(`UPDATE package_order SET discount_passed = discount WHERE id = $1`, [id]);
  await done(id, 'confirm');
  const other = await made(packageId, home);
  expect((await act(other, 'confirm')).message).toBe('该房屋在用订单已达上限 1');
});

test('the form: customer, house, plan and start fit together; once confirmed only contact, seller and remark change', async () => {
  const packageId = await pack({ start: 'fixed_date' });
  const home = await household();
  const other = await household();
  expect(
    (await create(packageId, { ...home, house: other.house, startOn: addDays(TODAY, 1) })).data.fields,
  ).toEqual({
    house: '不是该会员的房屋',
  });
  expect((await create(packageId, { ...home })).data.fields).toEqual({ startOn: '请填写开始日期' });
  expect(
    (await create(packageId, { ...home, startOn: addDays(TODAY, 1), plan: '5/=/1' })).data.fields,
  ).toEqual({
    plan: '该套餐没有此付款方式',
  });
  const id = await made(packageId, { ...home, startOn: addDays(TODAY, 5) });
  await done(id, 'confirm');
  const change = async (input: object) =>
    mall.call(seller, 'PUT', `${ORDER}/${id}`, { version: (await read(id)).version, ...input });
  expect((await change({ discount: '1.00', discountReason: 'x' })).data.fields).toMatchObject({
    discount: '确认后只能修改联系人、销售与备注',
  });
  expect((await change({ remark: '请先联系' })).http).toBe(200);
  await pay(id, '1200.00');
  expect(await read(id)).toMatchObject({ state: 'to_start', startOn: addDays(TODAY, 5) });
  expect((await redeem(id)).message).toBe('服务尚未开始');
});

test('the first use starts a term that waits for it', async () => {
  const id = await made(await pack({ start: 'first_use' }));
  await done(id, 'confirm');
  await pay(id, '1200.00');
  expect(await read(id)).toMatchObject({ state: 'to_start', startOn: null, startBy: addDays(TODAY, 30) });
  expect((await redeem(id)).message).toBe('');
  expect(await read(id)).toMatchObject({ state: 'in_service', startOn: TODAY });
});

test('a seller of one project sees, counts and redeems nothing of another', async () => {
  const id = await made(await pack());
  const elsewhere = { ...seller, projectIds: [mall.ids.south] };
  expect((await mall.call(elsewhere, 'GET', `${ORDER}/${id}`)).http).toBe(404);
  expect((await mall.call(elsewhere, 'GET', `${ORDER}/${id}/items`)).http).toBe(404);
  expect((await mall.call(elsewhere, 'GET', `${ORDER}/${id}/cancellation`)).http).toBe(404);
  expect((await mall.call(elsewhere, 'POST', `${ORDER}/${id}/confirm`, {})).http).toBe(404);
  const list = await mall.call(elsewhere, 'GET', `${ORDER}/page?limit=200`);
  expect(list.data.rows.map((row: { id: string }) => row.id)).not.toContain(id);
});

/**
 * Holds a receivable of an order while two calls queue up behind it, the first one first: one that both want, since who waits for
 * different ones is woken at the same moment.
 */
async function queued<A, B>(
  id: string,
  first: () => Promise<A>,
  then: () => Promise<B>,
  receivable?: string,
): Promise<[A, B]> {
  const queue = async (waiting: number) => {
    for (let n = 0; n < 200; n++) {
      const { held } = await one<{ held: number }>(
        `SELECT count(*)::int AS held FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      if (held >= waiting) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const { version } = await read(id);
  expect(version).toBeGreaterThan(0);
  const calls = await transaction(db(), async (tx) => {
    await run(
      tx,
      `SELECT FROM receivable WHERE source_kind = 'package' AND source_id = $1 AND id = coalesce($2::bigint, id) ORDER BY id FOR UPDATE`,
      [id, receivable ?? null],
    );
    const a = first();
    await queue(1);
    const b = then();
    await queue(2);
    return [a, b] as const;
  });
  return Promise.all(calls);
}

test('money that is confirmed while an order is cancelled goes back too', async () => {
  const id = await made(await pack({ price: 90_000 }), { plan: '3/=/1' });
  await done(id, 'confirm');
  await pay(id, '300.00');
  const next = (await linesOf(id))[1]!;
  const recorded = await mall.call(seller, 'POST', RECEIPT, {
    member: (await read(id)).member.id,
    project: String(mall.ids.north),
    method: 'cash',
    amount: '300.00',
    receivedOn: '2026-01-02',
    allocations: [{ receivable: String(next.id), amount: '300.00' }],
  });
  const [confirmed, cancelled] = await queued(
    id,
    () => mall.call(second, 'POST', `${RECEIPT}/${recorded.data.id}/confirm`, {}),
    () => mall.call(seller, 'POST', `${ORDER}/${id}/cancel`, { reason: '搬家' }),
    String(next.id),
  );
  expect([confirmed.message, cancelled.message]).toEqual(['', '']);
  expect((await read(id)).refund).toBe('600.00');
  expect(await broken()).toEqual([]);
});

test('a receipt that is reversed while its order is cancelled goes back once', async () => {
  const id = await made(await pack({ price: 90_000 }));
  await done(id, 'confirm');
  const receiptId = await pay(id, '900.00');
  await queued(
    id,
    () => mall.call(second, 'POST', `${RECEIPT}/${receiptId}/reverse`, { reason: '支票退回' }),
    () => mall.call(seller, 'POST', `${ORDER}/${id}/cancel`, { reason: '搬家' }),
  );
  const back = await one<{ refunds: number; reversals: number }>(
    `SELECT (SELECT count(*)::int FROM package_refund WHERE receipt_id = $1) AS refunds,
            (SELECT count(*)::int FROM receipt WHERE reversal_of = $1) AS reversals`,
    [receiptId],
  );
  expect(back.refunds + back.reversals).toBe(1);
  expect(await broken()).toEqual([]);
});

test('one receipt that paid two orders gives each of them back its own part', async () => {
  const packageId = await pack({ price: 20_000 });
  const home = await household();
  const ids = [await made(packageId, home), await made(packageId, home)];
  for (const id of ids) await done(id, 'confirm');
  const lines = (await Promise.all(ids.map(linesOf))).flat();
  const recorded = await mall.call(seller, 'POST', RECEIPT, {
    member: home.member,
    project: String(mall.ids.north),
    method: 'cash',
    amount: '400.00',
    receivedOn: '2026-01-02',
    allocations: lines.map((line) => ({ receivable: String(line.id), amount: '200.00' })),
  });
  expect((await act(String(recorded.data.id), 'confirm', {}, second, RECEIPT)).message).toBe('');
  for (const id of ids) {
    await done(id, 'cancel', { reason: '搬家' });
    expect((await read(id)).refund).toBe('200.00');
  }
  expect(await broken()).toEqual([]);
});

test('a merchant changes its orders into packages of its own only', async () => {
  const own = callerOf(
    {
      staffId: await mall.staff('merchant-seller', mall.ids.merchantA),
      tenantId: mall.ids.merchantA,
      tenantKind: 2,
    },
    [ORDER_MENU],
    [...seller.elements],
  );
  const packageId = await pack();
  const foreign = await pack({ price: 200_000 });
  await all('UPDATE service_package SET tenant_id = $2 WHERE id = $1', [packageId, own.tenantId]);
  await all('UPDATE service_package SET tenant_id = $2 WHERE id = $1', [foreign, mall.ids.merchantB]);
  const id = await made(packageId);
  await done(id, 'confirm');
  await pay(id, '1200.00');
  const answer = await mall.call(own, 'POST', `${ORDER}/${id}/change`, {
    package: String(foreign),
    plan: 'once',
    reason: '升级',
  });
  expect([answer.http, answer.data?.fields]).toEqual([422, { package: '套餐在该项目不在售' }]);
});

test('a discount that was agreed to is that of its package', async () => {
  const id = await made(await pack({ price: 500_000 }), { discount: '1000.00', discountReason: '老客户' });
  await done(id, 'askDiscount');
  const other = await pack({ price: 110_000 });
  const change = async () =>
    mall.call(seller, 'PUT', `${ORDER}/${id}`, {
      version: (await read(id)).version,
      package: String(other),
    });
  expect((await change()).message).toBe('优惠审批中，不能更换套餐');
  await all(`UPDATE package_order_request SET state = 'passed', ended_at = now() WHERE order_id = $1`, [id]);
  await all('UPDATE package_order SET discount_passed = discount WHERE id = $1', [id]);
  expect((await change()).message).toBe('');
  expect((await act(id, 'confirm')).message).toBe('优惠超过审批标准，请先提交优惠审批');
});

test('what an earlier order left goes back when the changed one is not paid in time, whatever its package gives back', async () => {
  const first = await made(await pack());
  await done(first, 'confirm');
  await pay(first, '1200.00');
  const { result } = await done(first, 'change', {
    package: String(await pack({ price: 200_000, refund: 'none' })),
    plan: 'once',
    reason: '升级',
  });
  await all(`UPDATE package_order SET confirmed_at = now() - interval '9 days' WHERE id = $1`, [result.id]);
  await runJob('package.state');
  expect(await read(result.id)).toMatchObject({ state: 'cancelled', credit: '1200.00', refund: '1200.00' });
  expect(await broken()).toEqual([]);
});
