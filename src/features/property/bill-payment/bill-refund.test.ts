import { afterAll, beforeAll, expect, test } from 'vitest';
import { registration as charging } from '../../../domain/charging/charging.server.ts';
import { addDays, firstOfMonth } from '../../../domain/charging/calendar.rules.ts';
import { deductPrepaid, today } from '../../../domain/charging/collect.server.ts';
import { creditPrepaid } from '../../../domain/charging/prepaid.server.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
let picture: string;
let company: number;
let project: number;
let item: string;
let number = 0;
const people: Record<'cashier' | 'clerk' | 'checker', string> = { cashier: '', clerk: '', checker: '' };

const db = () => product.platform.database.db;
const all = <T>(sql: string, values: unknown[] = []) => run<T>(db(), sql, values);
const one = async <T>(sql: string, values: unknown[] = []) => (await runOne<T>(db(), sql, values))!;
const call = (who: keyof typeof people, method: 'GET' | 'POST', path: string, body?: object) =>
  product.call(people[who], method, `/jinmao/web${path}`, body);

beforeAll(async () => {
  product = await startTestProduct();
  ({ project, company } = await one<{ project: number; company: number }>(
    `SELECT h.project_id AS project, c.tenant_id AS company FROM house h JOIN tenant_project c ON c.project_id = h.project_id JOIN tenant t ON t.id = c.tenant_id AND t.kind = 1
      WHERE NOT EXISTS (SELECT FROM fee_assignment a WHERE a.project_id = h.project_id) ORDER BY h.id, c.tenant_id LIMIT 1`,
  ));
  ({ id: item } = await one<{ id: string }>(
    `INSERT INTO fee_item (tenant_id, name, kind, formula, expression, cycle, timing, bill_day, rounding, prepaid_kind, position, auto_bill, enabled)
     VALUES ($1, '退款测试费', 'management', 'fixed', '', 'month', 'pre', 1, 'fen', 'general', 1, false, true) RETURNING id::text AS id`,
    [company],
  ));
  await all(
    `INSERT INTO fee_item_price (fee_item_id, position, price, extra, effective_from) VALUES ($1, 0, 280, 0, '2020-01-01')`,
    [item],
  );
  picture = (await one<{ id: string }>(`SELECT id FROM stored_file WHERE name = 'launch-1.png'`)).id;
  for (const account of Object.keys(people) as (keyof typeof people)[]) {
    const { id } = await one<{ id: number }>(
      `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password) VALUES ($1, $2, $2, true, false) RETURNING id`,
      [company, `br-${account}`],
    );
    const group = await one<{ id: number }>(
      `INSERT INTO permission_group (type_id, tenant_id, code, name) SELECT min(id), $1, $2, $2 FROM group_type RETURNING id`,
      [company, `br-${account}`],
    );
    await all('INSERT INTO menu_grant (group_id, menu_code) SELECT $1, code FROM menu', [group.id]);
    await all('INSERT INTO element_grant (group_id, element_code) SELECT $1, code FROM element', [group.id]);
    await all('INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [group.id, id]);
    people[account] = await product.signIn(`br-${account}`);
  }
});
afterAll(() => product?.close());

/** A house of its own with its owner, or nobody. */
async function house(owner = true): Promise<number> {
  number += 1;
  const { id } = await one<{ id: number }>(
    `INSERT INTO house (project_id, unit_id, number, floor, built_area) SELECT $1, u.id, $2, 5, 100 FROM building_unit u JOIN building b ON b.id = u.building_id WHERE b.project_id = $1 ORDER BY u.id LIMIT 1 RETURNING id`,
    [project, `BR${number}`],
  );
  if (owner)
    await all(
      `WITH m AS (INSERT INTO member (name, phone, project_id) VALUES ('钱退', $1, $2) RETURNING id)
       INSERT INTO household (member_id, house_id, identity, status, pays) SELECT id, $3, 'owner', 'normal', true FROM m`,
      [`1362200${String(number).padStart(4, '0')}`, project, id],
    );
  return id;
}

/** Pays bills of a house; what is above them is paid ahead. Returns the payment. */
async function pay(of: number, principals: readonly string[], amount?: string): Promise<number> {
  const bills: string[] = [];
  for (const [index, principal] of principals.entries()) {
    const due = addDays(firstOfMonth(today()), 40 + 31 * index);
    const made = await call('cashier', 'POST', '/bill', {
      house: String(of),
      item,
      periodFrom: firstOfMonth(due),
      periodTo: due,
      dueDate: due,
      principal,
    });
    expect(made.message).toBe('');
    bills.push(String(made.data.id));
  }
  const quoted = await call('cashier', 'POST', '/bill/quote', {
    houseId: String(of),
    billIds: bills,
    valueDate: today(),
    ...(amount ? { amount } : {}),
  });
  expect(quoted.message).toBe('');
  const paid = await call('cashier', 'POST', '/bill/collect', {
    quoteId: quoted.data.quoteId,
    channel: 'cash',
    received: quoted.data.amount,
  });
  expect(paid.message).toBe('');
  return Number(paid.data.paymentId);
}

const ask = (payment: number, amount: string, who: keyof typeof people = 'clerk') =>
  call(who, 'POST', `/billPayment/${payment}/refund`, { amount, reason: '重复缴费' });
const refundOf = async (payment: number) =>
  (
    await one<{ id: number }>(
      `SELECT r.id FROM refund r JOIN bill_payment p ON p.sales_order_id = r.order_id WHERE p.id = $1 ORDER BY r.id DESC LIMIT 1`,
      [payment],
    )
  ).id;
const audit = (who: keyof typeof people, refund: number, action: string, body: object = {}) =>
  call(who, 'POST', `/refund/${refund}/${action}`, body);
const handOut = (who: keyof typeof people, refund: number) =>
  audit(who, refund, 'offline', { payee: '钱退 6222', voucher: [picture] });
const shown = async (payment: number) =>
  (await call('clerk', 'GET', `/billPayment/${payment}`)).data as Record<string, unknown>;
const billsOf = (of: number) =>
  all<{ state: string; owed: number }>(
    'SELECT state, owed_principal AS owed FROM bill WHERE house_id = $1 ORDER BY id',
    [of],
  );

async function sound(): Promise<void> {
  const rules = product.platform.registrations
    .flatMap((registration) => registration.invariants ?? [])
    .filter((rule) => /^(fee|refund|payment|ledger)\./.test(rule.name));
  expect(rules.length).toBeGreaterThan((charging.invariants ?? []).length);
  for (const rule of rules) {
    const { problems } = await rule.check(product.platform);
    expect([rule.name, problems]).toEqual([rule.name, []]);
  }
}

test('a refund goes through the audit by two persons, the newest bill first, and has a receipt of its own', async () => {
  const home = await house();
  const payment = await pay(home, ['280.00', '120.00']);
  const asked = await ask(payment, '150.00');
  expect(asked.message).toBe('');
  expect(await shown(payment)).toMatchObject({ refundStatus: 'refunding', refunded: '0.00' });
  expect((await ask(payment, '10.00')).message).toBe('该缴费有未完成的退款');
  const refund = await refundOf(payment);
  expect((await audit('clerk', refund, 'approve')).message).toBe('不能审核自己发起的退款');
  expect((await audit('checker', refund, 'approve')).message).toBe('款项由收款单收取，请使用线下退款');
  // Only what works is offered.
  const offered = await call('checker', 'GET', `/refund/${refund}`);
  expect(offered.data.actions).toContain('offline');
  for (const name of ['approve', 'bulkPass', 'approveFinance', 'passAgain', 'restart'])
    expect(offered.data.actions).not.toContain(name);
  expect((await handOut('checker', refund)).message).toBe('');
  expect((await audit('checker', refund, 'confirmOffline')).message).toBe('须由另一人确认线下退款');
  expect((await audit('clerk', refund, 'confirmOffline')).message).toBe('不能审核自己发起的退款');
  expect((await audit('cashier', refund, 'confirmOffline')).message).toBe('');
  expect(await shown(payment)).toMatchObject({ refundStatus: 'part', refunded: '150.00', state: 'valid' });
  expect(await billsOf(home)).toEqual([
    { state: 'part', owed: 3_000 },
    { state: 'unpaid', owed: 12_000 },
  ]);
  const receipt = await one<{ id: number; n: number }>(
    'SELECT id, right(receipt_no, 6)::int AS n FROM bill_payment WHERE refund_of = $1',
    [payment],
  );
  expect(await shown(receipt.id)).toMatchObject({
    amount: '-150.00',
    principal: '-150.00',
    refundOf: { id: String(payment) },
  });
  const printed = (await call('clerk', 'GET', `/billPayment/${receipt.id}/receipt`)).data as {
    amount: string;
    lines: { amount: string }[];
  };
  expect([printed.amount, printed.lines.map((line) => line.amount)]).toEqual([
    '-150.00',
    ['-30.00', '-120.00'],
  ]);
  const again = await ask(receipt.id, '1.00');
  expect([again.http, again.message]).toEqual([409, '退款收据不能再退款']);
  const series = (await call('clerk', 'GET', '/billPayment/series')).data as { missing: number[] }[];
  expect(series.flatMap((row) => row.missing)).toEqual([]);
  expect((await ask(payment, '250.01')).message).toBe('最多可退250.00元');
  const voided = await call('cashier', 'POST', `/billPayment/${payment}/void`, { reason: '错收' });
  expect(voided.message).toBe('已有退款，不能作废');
  // What opened again is collected again.
  const bills = await all<{ id: string }>('SELECT id::text AS id FROM bill WHERE house_id = $1 ORDER BY id', [
    home,
  ]);
  const quoted = await call('cashier', 'POST', '/bill/quote', {
    houseId: String(home),
    billIds: bills.map((one) => one.id),
    valueDate: today(),
  });
  expect([quoted.data.amount, quoted.data.lateFee]).toEqual(['150.00', '0.00']);
  await sound();
});

test('prepaid money is paid back by the payments it came with, newest first, and never twice at once', async () => {
  const home = await house();
  const older = await pay(home, ['100.00'], '160.00');
  const newer = await pay(home, [], '50.00');
  const account = (
    await one<{ id: number }>(
      `SELECT id FROM ledger_account WHERE kind = 'prepaid_general' AND owner = $1 AND unit = 'fen'`,
      [String(home)],
    )
  ).id;
  const payBack = (amount: string) =>
    call('clerk', 'POST', `/prepaidAccount/${account}/refund`, { amount, reason: '业主搬离' });
  expect((await payBack('110.01')).message).toBe('最多可退110.00元');
  const both = await Promise.all([payBack('80.00'), payBack('80.00')]);
  expect(both.map((one) => one.http).sort()).toEqual([200, 409]);
  const refunds = await all<{ id: number; cash: number; payment: number }>(
    `SELECT r.id, r.cash, p.id AS payment FROM refund r JOIN bill_payment p ON p.sales_order_id = r.order_id WHERE p.house_id = $1 ORDER BY p.id DESC`,
    [home],
  );
  expect(refunds.map((one) => [one.payment, one.cash])).toEqual([
    [newer, 5_000],
    [older, 3_000],
  ]);
  for (const { id } of refunds) {
    expect((await handOut('checker', id)).message).toBe('');
    expect((await audit('cashier', id, 'confirmOffline')).message).toBe('');
  }
  // Bills stay paid: only what was paid ahead went back.
  expect(await billsOf(home)).toEqual([{ state: 'paid', owed: 0 }]);
  expect(await one('SELECT balance FROM ledger_account WHERE id = $1', [account])).toEqual({
    balance: 3_000,
  });
  const statement = (await call('clerk', 'GET', `/prepaidEntry/page?account=${account}&sort=at`)).data as {
    rows: { move: string; amount: string }[];
  };
  expect(statement.rows.map((row) => [row.move, row.amount])).toEqual([
    ['post', '60.00'],
    ['post', '50.00'],
    ['refund', '-50.00'],
    ['refund', '-30.00'],
  ]);
  await sound();
});

test('a gift on a prepaid account is never paid out: bills take it first, and what money bills took is gone', async () => {
  const home = await house();
  const payment = await pay(home, [], '50.00');
  const account = (
    await one<{ id: number }>(
      `SELECT id FROM ledger_account WHERE kind = 'prepaid_general' AND owner = $1 AND unit = 'fen'`,
      [String(home)],
    )
  ).id;
  const most = async () =>
    (
      await call('clerk', 'POST', `/prepaidAccount/${account}/refund`, {
        amount: '999.00',
        reason: '业主搬离',
      })
    ).message;
  const gift = (amount: number, id: string) =>
    transaction(db(), (tx) => creditPrepaid(tx, home, amount, { type: 'payment_gift', id, purpose: 'give' }));
  await gift(1_000, `test:${home}:1`);
  expect(await most()).toBe('最多可退50.00元');
  const due = async (principal: string) => {
    const made = await call('cashier', 'POST', '/bill', {
      house: String(home),
      item,
      periodFrom: addDays(today(), -3),
      periodTo: addDays(today(), -2),
      dueDate: addDays(today(), -1),
      principal,
    });
    expect(made.message).toBe('');
    await transaction(db(), (tx) => deductPrepaid(tx, { id: home, projectId: project }, today(), false));
  };
  // The gift and 20.00 of the money.
  await due('30.00');
  expect(await most()).toBe('最多可退30.00元');
  await due('30.00');
  await gift(2_000, `test:${home}:2`);
  expect(await most()).toBe('最多可退0.00元');
  expect((await ask(payment, '20.00')).message).toBe('最多可退0.00元');
  expect(await one('SELECT balance FROM ledger_account WHERE id = $1', [account])).toEqual({
    balance: 2_000,
  });
});

test('a transfer with its slip holds its bills until another person confirms it, once; rejected it lets them go', async () => {
  const home = await house();
  const way = await one<{ id: number }>(
    `WITH payee AS (SELECT id FROM payee_account ORDER BY id LIMIT 1)
     INSERT INTO payment_way (project_id, channel, scene, payee_id, needs_slip, enabled) SELECT $1, 'transfer', 'counter', id, true, true FROM payee RETURNING id`,
    [project],
  );
  await all(
    `INSERT INTO payment_way (project_id, channel, scene, enabled) VALUES ($1, 'cash', 'counter', true)`,
    [project],
  );
  const made = await call('cashier', 'POST', '/bill', {
    house: String(home),
    item,
    periodFrom: today(),
    periodTo: today(),
    dueDate: addDays(today(), 10),
    principal: '280.00',
  });
  const quote = async (amount?: string) =>
    (
      await call('cashier', 'POST', '/bill/quote', {
        houseId: String(home),
        billIds: [String(made.data.id)],
        valueDate: today(),
        ...(amount ? { amount } : {}),
      })
    ).data.quoteId as string;
  const slip = async (tradeNo: string, slipIds = [picture], quoteId?: string) =>
    call('cashier', 'POST', '/bill/collect', {
      quoteId: quoteId ?? (await quote('300.00')),
      channel: 'transfer',
      received: '300.00',
      tradeNo,
      slipIds,
    });
  expect((await slip('TR-1', [])).message).toBe('银行转账须上传凭证待确认');
  expect((await slip('')).data.fields.tradeNo).toBe('请填写流水号');
  const quoted = await quote('300.00');
  const both = await Promise.all([slip('TR-1', [picture], quoted), slip('TR-1', [picture], quoted)]);
  expect(both.map((one) => one.http).sort()).toEqual([200, 409]);
  // Nothing is paid yet, and nobody else takes the bill.
  expect(await billsOf(home)).toEqual([{ state: 'unpaid', owed: 28_000 }]);
  const cash = await call('cashier', 'POST', '/bill/collect', {
    quoteId: await quote(),
    channel: 'cash',
    received: '280.00',
  });
  expect([cash.http, cash.message]).toEqual([409, '账单正在线上支付']);
  const waiting = async () =>
    (
      await one<{ id: number }>(
        `SELECT id FROM online_bill_order WHERE house_id = $1 AND state = 'held' AND channel = 'transfer'`,
        [home],
      )
    ).id;
  const decide = (who: keyof typeof people, id: number, action: string, body: object = {}) =>
    call(who, 'POST', `/transferSlip/${id}/${action}`, body);
  const first = await waiting();
  expect((await decide('cashier', first, 'confirm')).message).toBe('须由另一人确认');
  await expect(
    all(`UPDATE online_bill_order SET decided_by = created_by, state = 'rejected' WHERE id = $1`, [first]),
  ).rejects.toThrow('online_bill_order_two');
  expect((await decide('clerk', first, 'reject', { reason: '未到账' })).message).toBe('');
  expect((await slip('TR-1')).message).toBe('');
  const second = await waiting();
  const confirmed = await Promise.all([
    decide('clerk', second, 'confirm'),
    decide('clerk', second, 'confirm'),
    decide('checker', second, 'confirm'),
  ]);
  expect(confirmed.filter((one) => one.http === 200)).toHaveLength(1);
  expect(await billsOf(home)).toEqual([{ state: 'paid', owed: 0 }]);
  expect(
    await all(
      'SELECT channel, amount, to_prepaid, excess, trade_no FROM bill_payment WHERE house_id = $1 ORDER BY id',
      [home],
    ),
  ).toEqual([{ channel: 'transfer', amount: 30_000, to_prepaid: 2_000, excess: 0, trade_no: 'TR-1' }]);
  expect((await call('clerk', 'GET', `/transferSlip/${second}`)).data).toMatchObject({
    state: 'paid',
    amount: '300.00',
  });
  // A way of other items does not take this one.
  await all(
    `WITH other AS (SELECT id FROM fee_item WHERE id <> $2::bigint ORDER BY id LIMIT 1) INSERT INTO payment_way_item (way_id, fee_item_id) SELECT $1, id FROM other`,
    [way.id, item],
  );
  const more = await call('cashier', 'POST', '/bill/quote', {
    houseId: String(home),
    billIds: [
      String(
        (
          await call('cashier', 'POST', '/bill', {
            house: String(home),
            item,
            periodFrom: addDays(today(), 1),
            periodTo: addDays(today(), 1),
            dueDate: addDays(today(), 10),
            principal: '10.00',
          })
        ).data.id,
      ),
    ],
    valueDate: today(),
  });
  expect(
    (
      await call('cashier', 'POST', '/bill/collect', {
        quoteId: more.data.quoteId,
        channel: 'transfer',
        received: '10.00',
        tradeNo: 'TR-2',
        slipIds: [picture],
      })
    ).message,
  ).toBe('所选账单的收费项目不能用此支付方式');
  await all('DELETE FROM payment_way WHERE project_id = $1', [project]);
  await sound();
});

test('what was paid ahead goes back first and only as far as it is still there', async () => {
  const home = await house();
  const payment = await pay(home, ['280.00'], '400.00');
  await all(`UPDATE ledger_account SET balance = balance WHERE kind = 'prepaid_general' AND owner = $1`, [
    String(home),
  ]);
  expect((await ask(payment, '400.01')).message).toBe('最多可退400.00元');
  expect((await ask(payment, '150.00')).message).toBe('');
  const refund = await refundOf(payment);
  await handOut('checker', refund);
  expect((await audit('cashier', refund, 'confirmOffline')).message).toBe('');
  expect(
    await one(`SELECT amount, allocated, to_prepaid FROM bill_payment WHERE refund_of = $1`, [payment]),
  ).toEqual({ amount: -15_000, allocated: -3_000, to_prepaid: -12_000 });
  expect(await billsOf(home)).toEqual([{ state: 'part', owed: 3_000 }]);
  await sound();
});

test('of two refunds asked for at once one is made, of two confirmations one pays', async () => {
  const payment = await pay(await house(), ['280.00']);
  const asked = await Promise.all([ask(payment, '280.00', 'clerk'), ask(payment, '280.00', 'cashier')]);
  expect(asked.map((answer) => answer.http).sort()).toEqual([200, 409]);
  const { id, applicant } = await one<{ id: number; applicant: string }>(
    `SELECT r.id, s.account AS applicant FROM refund r JOIN bill_payment p ON p.sales_order_id = r.order_id JOIN staff s ON s.id = r.applicant_id WHERE p.id = $1`,
    [payment],
  );
  const other = applicant === 'br-clerk' ? 'cashier' : 'clerk';
  expect((await handOut('checker', id)).message).toBe('');
  const both = await Promise.all([audit(other, id, 'confirmOffline'), audit(other, id, 'confirmOffline')]);
  expect(both.map((answer) => answer.http).sort()).toEqual([200, 409]);
  expect(await all('SELECT amount FROM bill_payment WHERE refund_of = $1', [payment])).toEqual([
    { amount: -28_000 },
  ]);
  expect(await shown(payment)).toMatchObject({ refundStatus: 'full' });
  expect((await ask(payment, '0.01')).message).toBe('已全额退款');
  await sound();
});

test('above the limit an approval comes first, which whoever asked decides neither there nor in the audit', async () => {
  const payment = await pay(await house(), ['6000.00']);
  expect((await ask(payment, '5000.01')).message).toBe('');
  expect((await ask(payment, '5.00')).message).toBe('已有待审批的退款');
  expect(
    await all('SELECT 1 FROM refund r JOIN bill_payment p ON p.sales_order_id = r.order_id WHERE p.id = $1', [
      payment,
    ]),
  ).toEqual([]);
  const tasks = await all<{ id: number; account: string }>(
    `SELECT k.id, s.account FROM approval_task k JOIN approval_instance i ON i.id = k.instance_id JOIN staff s ON s.id = k.assignee_id
      WHERE i.biz_type = 'bill_refund' AND k.state = 'pending'`,
  );
  expect(tasks.map((task) => task.account)).not.toContain('br-clerk');
  const mine = tasks.find((task) => task.account === 'br-checker')!;
  const passed = await call('checker', 'POST', `/approvalTask/${mine.id}/approve`, {
    opinion: '同意',
    attachments: [],
  });
  expect(passed.message).toBe('');
  const refund = await refundOf(payment);
  expect((await audit('clerk', refund, 'approve')).message).toBe('不能审核自己发起的退款');
  expect((await handOut('checker', refund)).message).toBe('');
  expect((await audit('cashier', refund, 'confirmOffline')).message).toBe('');
  expect(await shown(payment)).toMatchObject({ refundStatus: 'part', refunded: '5000.01' });
  await sound();
});

test('the daily close of whoever hands it out counts it; a closed day takes no refund', async () => {
  const payment = await pay(await house(), ['100.00']);
  const expected = async (who: string) =>
    Number(
      (
        await one<{ sum: number }>(
          `SELECT coalesce(sum(amount) FILTER (WHERE channel = 'cash'), 0)::bigint AS sum FROM bill_payment p JOIN staff s ON s.id = p.cashier_id
            WHERE s.account = $1 AND p.state = 'valid' AND p.project_id = $2`,
          [`br-${who}`, project],
        )
      ).sum,
    );
  expect((await ask(payment, '40.00')).message).toBe('');
  const refund = await refundOf(payment);
  expect((await handOut('checker', refund)).message).toBe('');
  const before = await expected('checker');
  const close = (more: object = {}) =>
    call('checker', 'POST', '/cashClose', {
      project: String(project),
      day: today(),
      countedCash: '0.00',
      countedPos: '0.00',
      countedTransfer: '0.00',
      remark: '退款支出',
      ...more,
    });
  const closed = await close();
  expect(closed.message).toBe('');
  expect((await audit('cashier', refund, 'confirmOffline')).message).toBe('当日已日结');
  expect(
    (await call('cashier', 'POST', `/cashClose/${closed.data.id}/reopen`, { reason: '有退款' })).message,
  ).toBe('');
  expect((await audit('cashier', refund, 'confirmOffline')).message).toBe('');
  expect(await expected('checker')).toBe(before - 4_000);
  const again = await close();
  const row = (await call('cashier', 'GET', `/cashClose/${again.data.id}`)).data as Record<string, unknown>;
  expect([row.receipts, row.expectedCash]).toEqual([0, ((await expected('checker')) / 100).toFixed(2)]);
  await sound();
});

test('where nobody lives nothing is refunded; the audit of refunds makes none of its own', async () => {
  const payment = await pay(await house(false), ['50.00']);
  expect((await ask(payment, '10.00')).message).toBe('该房屋没有登记住户，请先登记业主');
  const known = await pay(await house(), ['50.00']);
  await ask(known, '10.00');
  const refund = await refundOf(known);
  expect((await audit('checker', refund, 'reject', { reason: '不符合退款条件' })).message).toBe('');
  expect(await shown(known)).toMatchObject({ refundStatus: 'none', refunded: '0.00' });
  const { code } = await one<{ code: string }>(
    'SELECT o.code FROM sales_order o JOIN bill_payment p ON p.sales_order_id = o.id WHERE p.id = $1',
    [known],
  );
  const admin = await product.signIn('admin');
  const forced = await product.call(admin, 'POST', '/jinmao/web/refund/action/force', {
    orderCode: code,
    reason: '客户投诉强制退款',
  });
  expect(forced.message).toBe('物业缴费请在物业缴费账单中退款');
});

test('pieces of a refund add up to its approval', async () => {
  const payment = await pay(await house(), ['6000.00']);
  expect((await ask(payment, '4000.00')).message).toBe('');
  const refund = await refundOf(payment);
  // The day of the other one is closed.
  await handOut('cashier', refund);
  expect((await audit('checker', refund, 'confirmOffline')).message).toBe('');
  expect((await ask(payment, '1500.00')).message).toBe('');
  const waits = await one<{ state: string }>('SELECT state FROM bill_refund_request WHERE payment_id = $1', [
    payment,
  ]);
  expect(waits).toEqual({ state: 'waiting' });
  expect(await shown(payment)).toMatchObject({ refundStatus: 'part', refunded: '4000.00' });
});

test('a payment whose refund was rejected is not voided, and says so', async () => {
  const payment = await pay(await house(), ['50.00']);
  await ask(payment, '10.00');
  const rejected = await audit('checker', await refundOf(payment), 'reject', { reason: '不符合退款条件' });
  expect(rejected.message).toBe('');
  const voided = await call('cashier', 'POST', `/billPayment/${payment}/void`, { reason: '错收' });
  expect([voided.http, voided.message]).toEqual([409, '已有退款，不能作废']);
});

test('a bill that was voided after its refund stays void when the rest and the discount go back', async () => {
  await all(
    `INSERT INTO discount_rule (tenant_id, name, kind, threshold_amount, amount_off, valid_from, valid_to, enabled)
     VALUES ($1, '满两百减二十', 'amount_off', 20000, 2000, '2020-01-01', '2099-12-31', true)`,
    [company],
  );
  const home = await house();
  const payment = await pay(home, ['100.00', '100.00']);
  await all('UPDATE discount_rule SET enabled = false WHERE tenant_id = $1', [company]);
  const back = async (amount: string) => {
    expect((await ask(payment, amount)).message).toBe('');
    const refund = await refundOf(payment);
    await handOut('cashier', refund);
    expect((await audit('checker', refund, 'confirmOffline')).message).toBe('');
  };
  await back('90.00');
  const [, second] = await all<{ id: string; state: string }>(
    'SELECT id::text AS id, state FROM bill WHERE house_id = $1 ORDER BY id',
    [home],
  );
  expect(second!.state).toBe('unpaid');
  expect((await call('cashier', 'POST', `/bill/${second!.id}/void`, { reason: '误开' })).message).toBe('');
  await back('90.00');
  expect(await all('SELECT state, discount FROM bill WHERE house_id = $1 ORDER BY id', [home])).toEqual([
    { state: 'unpaid', discount: 0 },
    { state: 'void', discount: 0 },
  ]);
  await sound();
});
