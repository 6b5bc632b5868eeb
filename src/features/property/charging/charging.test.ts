import { afterAll, beforeAll, expect, test } from 'vitest';
import { deductAll, postAllLateFees } from '../../../domain/charging/charging.server.ts';
import { addDays, firstOfMonth } from '../../../domain/charging/calendar.rules.ts';
import { today } from '../../../domain/charging/collect.server.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { findImportTarget } from '../../../kernel/server/tables/import-target.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
let admin: string;
let company: number;
let project: number;
let item: string;
let water: string;
let number = 0;

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  const place = await one<{ project: number; company: number }>(
    `SELECT h.project_id AS project, c.tenant_id AS company FROM house h JOIN tenant_project c ON c.project_id = h.project_id JOIN tenant t ON t.id = c.tenant_id AND t.kind = 1
      WHERE NOT EXISTS (SELECT FROM fee_assignment a WHERE a.project_id = h.project_id) ORDER BY h.id, c.tenant_id LIMIT 1`,
  );
  ({ project, company } = place);
  item = await addItem({});
  water = await addItem({ kind: 'other', formula: 'fixed', prepaidKind: 'general', prices: priced('30') });
});
afterAll(() => product?.close());

const db = () => product.platform.database.db;
const all = <T>(sql: string, values: unknown[] = []) => run<T>(db(), sql, values);
const one = async <T>(sql: string, values: unknown[] = []) => (await runOne<T>(db(), sql, values))!;
const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object, token = admin) =>
  product.call(token, method, `/jinmao/web${path}`, body);
const priced = (price: string, effectiveFrom = '2020-01-01') => [{ effectiveFrom, price, extra: '0.00' }];

async function addItem(more: object): Promise<string> {
  number += 1;
  const made = await call('POST', '/feeItem', {
    name: `测试收费${number}`,
    company: String(company),
    kind: 'management',
    formula: 'built_area',
    prices: priced('2.8'),
    cycle: 'month',
    timing: 'pre',
    billDay: 1,
    rounding: 'fen',
    prepaidKind: 'general',
    deductible: true,
    autoBill: false,
    ...more,
  });
  expect(made.message).toBe('');
  return String(made.data.id);
}

/** A staff of the company with every right. */
async function clerk(account: string): Promise<string> {
  const { id } = await one<{ id: number }>(
    `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password) VALUES ($1, $2, $2, true, false) RETURNING id`,
    [company, account],
  );
  const group = await one<{ id: number }>(
    `INSERT INTO permission_group (type_id, tenant_id, code, name) SELECT min(id), $1, $2, $2 FROM group_type RETURNING id`,
    [company, account],
  );
  await all('INSERT INTO menu_grant (group_id, menu_code) SELECT $1, code FROM menu', [group.id]);
  await all('INSERT INTO element_grant (group_id, element_code) SELECT $1, code FROM element', [group.id]);
  await all('INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [group.id, id]);
  return product.signIn(account);
}

/** A house of its own with 100.00 m² on floor 25. */
async function house(): Promise<number> {
  number += 1;
  const { id } = await one<{ id: number }>(
    `INSERT INTO house (project_id, unit_id, number, floor, built_area) SELECT $1, u.id, $2, 25, 100 FROM building_unit u JOIN building b ON b.id = u.building_id WHERE b.project_id = $1 ORDER BY u.id LIMIT 1 RETURNING id`,
    [project, `T${number}`],
  );
  return id;
}

const bill = async (of: number, due: string, principal = '280.00', fee = item) => {
  const made = await call('POST', '/bill', {
    house: String(of),
    item: fee,
    periodFrom: firstOfMonth(due),
    periodTo: due,
    dueDate: due,
    principal,
  });
  expect(made.message).toBe('');
  return String(made.data.id);
};
const quote = (of: number, billIds: string[], amount?: string, valueDate = today()) =>
  call('POST', '/bill/quote', { houseId: String(of), billIds, valueDate, ...(amount ? { amount } : {}) });
const collect = (quoteId: string, received: string, more: object = {}) =>
  call('POST', '/bill/collect', { quoteId, channel: 'cash', received, ...more });
const read = async (id: string) => {
  const row = (await call('GET', `/bill/${id}`)).data as Record<string, string>;
  return [row.state, row.lateFee, row.paid, row.owed];
};

test('group 06 Must show 3: a run previews and posts 280.00 once, again 0; two at once still make one bill', async () => {
  const home = await house();
  expect(
    (await call('POST', '/feeAssignment', { house: String(home), item, validFrom: '2026-01-01' })).message,
  ).toBe('');
  const run1 = async () =>
    (await call('POST', '/billingRun', { project: String(project), items: [item], month: '2026-01-15' }))
      .data as {
      id: string;
      version: number;
    };
  const first = await run1();
  const shown = (await call('GET', `/billingRun/${first.id}`)).data as Record<string, unknown>;
  expect([shown.state, shown.bills, shown.amount, shown.skipped]).toEqual(['previewed', 1, '280.00', 0]);
  const plan = (await call('GET', `/billingRun/${first.id}/plan`)).data as {
    bills: { amount: string; due: string }[];
  };
  expect(plan.bills.map((row) => [row.amount, row.due])).toEqual([['280.00', '2026-01-16']]);
  const second = await run1();
  const posted = await Promise.all(
    [first, second].map(({ id }) => call('POST', `/billingRun/${id}/post`, {})),
  );
  expect(posted.map((answer) => answer.message)).toEqual(['', '']);
  const bills = await all<{ principal: number }>('SELECT principal FROM bill WHERE house_id = $1', [home]);
  expect(bills).toEqual([{ principal: 28_000 }]);
  const third = await run1();
  const again = (await call('GET', `/billingRun/${third.id}/plan`)).data as {
    bills: unknown[];
    skipped: { reason: string }[];
  };
  expect([again.bills.length, again.skipped.map((row) => row.reason)]).toEqual([0, ['billed']]);
  // Formula and cycle are fixed now; a run that made bills is revoked while nothing is paid.
  const locked = await call('PUT', `/feeItem/${item}`, { version: 1, cycle: 'year' });
  expect([locked.http, locked.message.startsWith('已出账')]).toEqual([409, true]);
  const made = await one<{ run_id: number }>('SELECT run_id FROM bill WHERE house_id = $1', [home]);
  expect((await call('POST', `/billingRun/${made.run_id}/revoke`, { reason: '重算' })).message).toBe('');
  expect(await all('SELECT state FROM bill WHERE house_id = $1', [home])).toEqual([{ state: 'void' }]);
});

test('group 06 Must show 4: late fees by the job and by the quote of a back-dated payment', async () => {
  const home = await house();
  // 31 days overdue, five of grace: 26 charged days.
  const id = await bill(home, addDays(today(), -31));
  expect(await read(id)).toEqual(['unpaid', '0.00', '0.00', '280.00']);
  await postAllLateFees(product.platform, today());
  expect(await read(id)).toEqual(['unpaid', '3.64', '0.00', '283.64']);
  // A job that runs again adds nothing.
  await postAllLateFees(product.platform, today());
  expect(await read(id)).toEqual(['unpaid', '3.64', '0.00', '283.64']);
  // Paid 16 days ago: ten days of 280.00 and sixteen of 180.00.
  const asked = await quote(home, [id], '100.00', addDays(today(), -16));
  expect((await collect(asked.data.quoteId as string, '100.00')).message).toBe('');
  await postAllLateFees(product.platform, today());
  expect(await read(id)).toEqual(['part', '2.84', '100.00', '182.84']);
  const lines = await all<{ amount: number }>(
    `SELECT amount FROM bill_line WHERE bill_id = $1 AND kind = 'late_fee' ORDER BY id`,
    [Number(id)],
  );
  expect(lines.reduce((sum, line) => sum + line.amount, 0)).toBe(284);
  expect(lines.some((line) => line.amount < 0)).toBe(true);
  const tooFar = await quote(home, [id], undefined, addDays(today(), -31));
  expect([tooFar.http, (tooFar.data.fields as Record<string, string>).valueDate]).toEqual([
    422,
    '最多补录30天',
  ]);
  // A day that no calendar has.
  expect((await quote(home, [id], undefined, '2026-02-30')).http).toBe(422);
});

test('group 06 Must show 5 and 6: 400.00 and 600.00 spread over two bills, the rest paid ahead and deducted at night', async () => {
  const [poor, rich] = [await house(), await house()];
  const two = async (of: number) => [
    await bill(of, addDays(today(), -31)),
    await bill(of, addDays(today(), 5)),
  ];
  const bills = await two(poor);
  const asked = await quote(poor, bills, '400.00');
  const paid = await collect(asked.data.quoteId as string, '500.00');
  expect([paid.data.amount, paid.data.change]).toEqual(['400.00', '100.00']);
  expect(await Promise.all(bills.map(read))).toEqual([
    ['paid', '3.64', '283.64', '0.00'],
    ['part', '0.00', '116.36', '163.64'],
  ]);
  const more = await two(rich);
  const full = await quote(rich, more, '600.00');
  expect([full.data.due, full.data.rest]).toEqual(['563.64', '36.36']);
  expect((await collect(full.data.quoteId as string, '600.00')).data.toPrepaid).toBe('36.36');
  const drop = await bill(rich, today(), '30.00', water);
  const large = await bill(rich, today());
  await deductAll(product.platform, today());
  expect([await read(drop), (await read(large))[0]]).toEqual([['paid', '0.00', '30.00', '0.00'], 'unpaid']);
  const room = (await call('GET', `/bill/room?houseId=${rich}`)).data as { prepaid: Record<string, string> };
  expect(room.prepaid.general).toBe('6.36');
});

test('group 06 Must show 8: two cashiers, one receipt; receipts of parallel payments have no gap', async () => {
  const home = await house();
  const id = await bill(home, today());
  const quotes = await Promise.all([quote(home, [id]), quote(home, [id])]);
  const answers = await Promise.all(quotes.map((one) => collect(one.data.quoteId as string, '280.00')));
  expect(answers.map((one) => one.http).sort()).toEqual([200, 409]);
  expect(answers.find((one) => one.http === 409)!.message).toBe('账单已缴清');
  const many = await Promise.all(
    Array.from({ length: 30 }, async () => {
      const of = await house();
      return { of, id: await bill(of, today()) };
    }),
  );
  const asked = await Promise.all(many.map(({ of, id: one }) => quote(of, [one])));
  const paid = await Promise.all(
    asked.map((one, index) =>
      // Every fifth is short and rolls back.
      collect(one.data.quoteId as string, index % 5 === 0 ? '1.00' : '280.00'),
    ),
  );
  expect([...new Set(paid.map((one) => `${one.http} ${one.message}`))].sort()).toEqual([
    '200 ',
    '422 实收不足',
  ]);
  expect(paid.filter((one) => one.http === 200).length).toBe(24);
  const numbers = (
    await all<{ n: number }>(
      `SELECT right(receipt_no, 6)::int AS n FROM bill_payment WHERE project_id = $1 AND receipt_no LIKE '%' || $2 || '______' ORDER BY n`,
      [project, today().slice(0, 4)],
    )
  ).map((row) => row.n);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
});

test('an old quote, a bill of another house and a changed amount are refused', async () => {
  const [home, other] = [await house(), await house()];
  const id = await bill(home, addDays(today(), -31));
  expect((await quote(other, [id])).http).toBe(422);
  const asked = await quote(home, [id]);
  expect((await call('POST', `/bill/${id}/adjust`, { amount: '-10.00', reason: '面积更正' })).message).toBe(
    '',
  );
  const refused = await collect(asked.data.quoteId as string, '283.64');
  expect([refused.http, refused.message]).toEqual([409, '应收金额已变化，请重新确认']);
  const fresh = await quote(home, [id]);
  expect((await collect(fresh.data.quoteId as string, fresh.data.amount as string)).http).toBe(200);
  // A quote is paid once.
  const twice = await collect(fresh.data.quoteId as string, fresh.data.amount as string);
  expect([twice.http, twice.message]).toEqual([409, '账单已缴清']);
  expect((await call('POST', `/bill/${id}/void`, { reason: '误开' })).http).toBe(409);
});

test('disputed days bear no late fee; a waiver takes at most what is unpaid and free of approval', async () => {
  const home = await house();
  const id = await bill(home, addDays(today(), -31));
  expect((await call('POST', `/bill/${id}/dispute`, { reason: '漏水未修' })).message).toBe('');
  await postAllLateFees(product.platform, today());
  expect((await read(id))[1]).toBe('0.00');
  expect((await call('POST', `/bill/${id}/release`, { reason: '已处理' })).message).toBe('');
  await postAllLateFees(product.platform, today());
  // Today was in dispute.
  expect((await read(id))[1]).toBe('3.50');
  expect((await call('POST', `/bill/${id}/waive`, { amount: '3.51', reason: '协商' })).http).toBe(409);
  expect((await call('POST', `/bill/${id}/waive`, { amount: '1.50', reason: '协商' })).message).toBe('');
  expect(await read(id)).toEqual(['unpaid', '3.50', '0.00', '282.00']);
});

test('small waivers of one bill add up: the approval is not passed in pieces', async () => {
  const home = await house();
  const id = await bill(home, addDays(today(), -400), '500.00');
  await postAllLateFees(product.platform, today());
  const waive = (amount: string) => call('POST', `/bill/${id}/waive`, { amount, reason: '协商' });
  expect((await waive('50.00')).message).toBe('');
  // It would wait for somebody else, of whom there is none here.
  expect((await waive('48.75')).message).toBe('没有可用的审批人，请先设置部门负责人');
  expect((await read(id))[3]).toBe('548.75');
});

test('group 06 Must show 12: a waiver above 50.00 waits for another person; late-fee lines stay', async () => {
  const home = await house();
  const id = await bill(home, addDays(today(), -400), '500.00');
  await postAllLateFees(product.platform, today());
  expect((await read(id))[1]).toBe('98.75');
  const [asker, other] = await Promise.all([clerk('asker'), clerk('decider')]);
  const ask = (amount: string) => call('POST', `/bill/${id}/waive`, { amount, reason: '疫情减免' }, asker);
  expect((await ask('60.00')).message).toBe('');
  expect((await ask('60.00')).message).toBe('已有待审批的减免');
  expect((await read(id))[3]).toBe('598.75');
  const task = await one<{ id: number; account: string }>(
    `SELECT k.id, s.account FROM approval_task k JOIN approval_instance i ON i.id = k.instance_id JOIN staff s ON s.id = k.assignee_id
      WHERE i.biz_type = 'late_fee_waiver' AND k.state = 'pending'`,
  );
  expect(task.account).toBe('decider');
  const decide = (token: string) =>
    call('POST', `/approvalTask/${task.id}/approve`, { opinion: '同意', attachments: [] }, token);
  // Who asked for it decides nothing.
  expect((await decide(asker)).http).not.toBe(200);
  const passed = await decide(other);
  expect(passed.message).toBe('');
  expect(await read(id)).toEqual(['unpaid', '98.75', '0.00', '538.75']);
  expect(
    await all('SELECT kind, amount FROM bill_line WHERE bill_id = $1 ORDER BY id', [Number(id)]),
  ).toEqual([
    { kind: 'principal', amount: 50_000 },
    { kind: 'late_fee', amount: 9_875 },
    { kind: 'late_fee_waiver', amount: 6_000 },
  ]);
});

test('a vacant house pays less for the days somebody else approved by an inspection, when it is billed', async () => {
  const home = await house();
  await call('POST', '/feeAssignment', { house: String(home), item, validFrom: '2026-01-01' });
  const rule = async (more: object) =>
    call('POST', '/discountRule', {
      name: `空置${++number}`,
      company: String(company),
      kind: 'vacant_percent',
      items: [item],
      percent: '30',
      validFrom: '2025-01-01',
      validTo: '2027-12-31',
      ...more,
    });
  expect((await rule({ percent: '0' })).data.fields).toEqual({ percent: '须大于0' });
  const { id: ruleId } = (await rule({})).data as { id: string };
  await all('UPDATE discount_rule SET enabled = true WHERE id = $1', [Number(ruleId)]);
  const { id: photo } = await one<{ id: string }>(`SELECT id FROM stored_file WHERE name = 'launch-1.png'`);
  const [asker, other] = await Promise.all([clerk('vacancyAsker'), clerk('vacancyDecider')]);
  const ask = (more: object = {}) =>
    call(
      'POST',
      '/vacancy',
      {
        house: String(home),
        rule: ruleId,
        validFrom: '2026-06-17',
        validTo: '2026-07-31',
        inspectedOn: '2026-06-17',
        photos: [photo],
        ...more,
      },
      asker,
    );
  expect((await ask({ photos: [] })).http).toBe(422);
  expect((await ask({ validTo: '2028-06-01' })).data.fields).toEqual({
    rule: '请选择该项目在此期间有效的空置折扣',
  });
  const asked = await ask();
  expect(asked.message).toBe('');
  expect((await ask({ validFrom: '2026-07-31' })).message).toBe('该房屋这些天已有空置申请');
  const monthOf = async (month: string) => {
    const made = await call('POST', '/billingRun', { project: String(project), items: [item], month });
    expect((await call('POST', `/billingRun/${made.data.id}/post`, {})).message).toBe('');
    return one<{ id: number; principal: number; discount: number; owed_principal: number }>(
      `SELECT id, principal, discount, owed_principal FROM bill WHERE house_id = $1 AND period_from = $2 AND state <> 'void'`,
      [home, month],
    );
  };
  // Not approved yet: billed in full.
  expect(await monthOf('2026-05-01')).toMatchObject({ principal: 28_000, discount: 0 });
  const decide = (token: string) =>
    call('POST', `/vacancy/${asked.data.id}/approve`, { version: 1, opinion: '已查验' }, token);
  expect((await decide(asker)).http).not.toBe(200);
  expect((await decide(other)).message).toBe('');
  // 14 of 30 days, 30 % of 280.00; then the whole month.
  const june = await monthOf('2026-06-01');
  expect(june).toMatchObject({ principal: 28_000, discount: 3_920, owed_principal: 24_080 });
  expect(await monthOf('2026-07-01')).toMatchObject({ discount: 8_400, owed_principal: 19_600 });
  expect(await monthOf('2026-08-01')).toMatchObject({ discount: 0 });
  const line = await one<{ amount: number; note: string }>(
    `SELECT amount, note FROM bill_line WHERE bill_id = $1 AND kind = 'discount'`,
    [june.id],
  );
  expect([line.amount, line.note.endsWith('14/30天 30%')]).toEqual([3_920, true]);
  const told = (await call('GET', `/discountRule/${ruleId}`)).data as Record<string, unknown>;
  expect([told.uses, told.given]).toEqual([2, '123.20']);
  // A payment does not use it a second time.
  const offered = (await quote(home, [String(june.id)])).data.discounts as { ruleId: string }[];
  expect(offered.some((one) => one.ruleId === ruleId)).toBe(false);
});

test('a bill that a run posted is voided by a second person; one that is paid meanwhile stays', async () => {
  const home = await house();
  expect(
    (await call('POST', '/feeAssignment', { house: String(home), item, validFrom: '2026-01-01' })).message,
  ).toBe('');
  const [asker, other] = await Promise.all([clerk('voider'), clerk('voidDecider')]);
  const posted = async (month: string) => {
    const made = await call('POST', '/billingRun', { project: String(project), items: [item], month });
    expect((await call('POST', `/billingRun/${made.data.id}/post`, {})).message).toBe('');
    return String(
      (
        await one<{ id: number }>('SELECT id FROM bill WHERE house_id = $1 AND period_from = $2', [
          home,
          firstOfMonth(month),
        ])
      ).id,
    );
  };
  const ask = (id: string) => call('POST', `/bill/${id}/void`, { reason: '房屋错挂' }, asker);
  const decide = async (id: string, token: string) => {
    const task = await one<{ id: number }>(
      `SELECT k.id FROM approval_task k JOIN approval_instance i ON i.id = k.instance_id JOIN bill_void_request q ON q.id = i.biz_id JOIN staff s ON s.id = k.assignee_id
        WHERE i.biz_type = 'bill_void' AND k.state = 'pending' AND q.bill_id = $1 AND s.account = 'voidDecider'`,
      [Number(id)],
    );
    return call('POST', `/approvalTask/${task.id}/approve`, { opinion: '同意', attachments: [] }, token);
  };
  const first = await posted('2026-03-10');
  expect((await ask(first)).message).toBe('');
  expect((await ask(first)).message).toBe('已有待审批的作废');
  expect((await read(first))[0]).toBe('unpaid');
  expect((await decide(first, asker)).http).not.toBe(200);
  expect((await decide(first, other)).message).toBe('');
  expect((await read(first))[0]).toBe('void');
  // The period may be billed anew.
  await posted('2026-03-10');
  const fresh = await one<{ id: number }>(
    `SELECT id FROM bill WHERE house_id = $1 AND period_from = '2026-03-01' AND state = 'unpaid'`,
    [home],
  );
  const second = String(fresh.id);
  expect((await ask(second)).message).toBe('');
  const asked = await quote(home, [second]);
  expect((await collect(asked.data.quoteId as string, asked.data.amount as string)).message).toBe('');
  expect((await decide(second, other)).message).toBe('');
  expect((await read(second))[0]).toBe('paid');
});

test('a late-fee policy is tried on the bills of last month before it is saved', async () => {
  const home = await house();
  const due = addDays(firstOfMonth(today(), -1), 4);
  await bill(home, due, '1000.00');
  const simulate = (more: object = {}) =>
    call('POST', '/lateFeePolicy/simulate', {
      project: String(project),
      graceDays: 5,
      dailyPercent: '0.05',
      onceFen: '0.00',
      oncePercent: '0',
      capPercent: 30,
      monthCap: null,
      ...more,
    });
  const same = (await simulate()).data as {
    bills: number;
    before: { amount: string };
    after: { amount: string };
  };
  expect(same.bills).toBeGreaterThan(0);
  expect(Number(same.after.amount)).toBeGreaterThan(0);
  const none = (await simulate({ dailyPercent: '0' })).data as typeof same;
  expect([none.before.amount, none.after.amount]).toEqual([same.before.amount, '0.00']);
  expect((await simulate({ project: '999999999999', dailyPercent: '0' })).http).not.toBe(500);
  // Nothing is written by trying.
  expect(
    await all(
      'SELECT 1 FROM bill_line WHERE kind = $1 AND bill_id IN (SELECT id FROM bill WHERE house_id = $2)',
      ['late_fee', home],
    ),
  ).toEqual([]);
});

test('the collection report: receivable, received, owed, recovered and houses of the period, from the bills themselves', async () => {
  const { id: unit } = await one<{ id: number }>(
    `WITH b AS (INSERT INTO building (project_id, name) VALUES ($1, '统计栋') RETURNING id) INSERT INTO building_unit (building_id, name) SELECT id, '1单元' FROM b RETURNING id`,
    [project],
  );
  const { building } = await one<{ building: number }>(
    'SELECT building_id AS building FROM building_unit WHERE id = $1',
    [unit],
  );
  const [first, second] = await Promise.all([house(), house()]);
  await all('UPDATE house SET unit_id = $1 WHERE id = ANY($2::bigint[])', [unit, [first, second]]);
  const month = firstOfMonth(today());
  const make = async (of: number, from: string, principal: string) => {
    const made = await call('POST', '/bill', {
      house: String(of),
      item,
      periodFrom: from,
      periodTo: addDays(from, 27),
      dueDate: addDays(today(), 20),
      principal,
    });
    expect(made.message).toBe('');
    return String(made.data.id);
  };
  const pay = async (of: number, id: string, amount: string) =>
    expect((await collect((await quote(of, [id], amount)).data.quoteId as string, amount)).message).toBe('');
  await pay(first, await make(first, month, '280.00'), '280.00');
  await pay(second, await make(second, month, '280.00'), '100.00');
  await pay(second, await make(second, firstOfMonth(month, -2), '200.00'), '50.00');
  const range = `${month}~${addDays(firstOfMonth(month, 1), -1)}`;
  const ask = async (more: string, token = admin) =>
    call('GET', `/report/collection?range=${range}&building=${building}${more}`, undefined, token);
  const report = (await ask('')).data as {
    figures: Record<string, { value: string }>;
    rows: Record<string, string | number>[];
    sums: Record<string, string | number>;
  };
  const wanted = {
    receivable: '560.00',
    received: '380.00',
    owed: '180.00',
    collectionRate: '67.9',
    historicOwed: '150.00',
    recovered: '50.00',
    clearanceRate: '25.0',
    houses: 2,
    owingHouses: 1,
    houseRate: '50.0',
  };
  const said = (row: Record<string, string | number>) =>
    Object.fromEntries(
      Object.keys(wanted).map((name) => [
        name,
        name.endsWith('Rate') ? Number(row[name]).toFixed(1) : row[name],
      ]),
    );
  expect(said(report.sums)).toEqual(wanted);
  expect(report.rows.map(said)).toEqual([wanted]);
  // A figure opens exactly its bills.
  const drill = new URLSearchParams(
    (report.rows[0] as unknown as { drill: Record<string, Record<string, string>> }).drill.owed,
  );
  const listed = (await call('GET', `/bill/page?${drill}`)).data as { total: number };
  expect(listed.total).toBe(1);
  const byMonth = (await ask('&by=month')).data as { rows: { name: string }[] };
  expect(byMonth.rows.map((row) => row.name)).toEqual([month.slice(0, 7)]);
  expect((await ask('&project=999999999999', await clerk('reader'))).http).toBe(404);
});

test('bills come from a table once, two files at once included; every bad cell is named', async () => {
  const home = await house();
  const [name, fee] = await Promise.all([
    one<{ name: string }>(
      `SELECT p.name || b.name || u.name || h.number AS name FROM house h JOIN building_unit u ON u.id = h.unit_id JOIN building b ON b.id = u.building_id JOIN project p ON p.id = h.project_id WHERE h.id = $1`,
      [home],
    ),
    one<{ name: string }>('SELECT name FROM fee_item WHERE id = $1', [water]),
  ]);
  const target = findImportTarget(product.platform, 'bill')!;
  const task = { caller: await product.caller('admin'), platform: product.platform, language: 'zh' as const };
  const good = {
    house: name.name,
    item: fee.name,
    period: '2026-01',
    amount: '36.50',
    dueDate: '2026-02-15',
  };
  const rows = (...values: Record<string, string>[]) =>
    values.map((one, index) => ({ number: index + 1, values: { ...good, ...one } }));
  const problems = await target.check(
    task,
    rows(
      {},
      {},
      { house: '没有的房' },
      { item: '没有的费' },
      { period: '2026-13' },
      { amount: '0' },
      { dueDate: '2026-02-30' },
    ),
  );
  expect(problems.map((one) => [one.row, one.column, one.message[0]])).toEqual([
    [2, 'house', '与第1行重复'],
    [3, 'house', '没有此房屋'],
    [4, 'item', '该房屋的物业公司没有此收费项目'],
    [5, 'period', '请填写 2026-01 或起止日期'],
    [6, 'amount', '请填写大于0的金额，最多两位小数'],
    [7, 'dueDate', '日期不正确'],
  ]);
  const both = await Promise.allSettled(
    [1, 2].map(() => transaction(db(), (tx) => target.commit(tx, task, rows({})))),
  );
  const made = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  expect(made.reduce((sum, n) => sum + n, 0)).toBe(1);
  expect(
    await all(
      'SELECT principal, period_to::text AS period_to, due_date::text AS due, imported FROM bill WHERE house_id = $1',
      [home],
    ),
  ).toEqual([{ principal: 3_650, period_to: '2026-01-31', due: '2026-02-15', imported: true }]);
  expect((await target.check(task, rows({}))).map((one) => one.message[0])).toEqual([
    '该房屋此账期已有该项目账单',
  ]);
});

test('a payment is voided on its day and before the close only; the close counts by channel and stops the day', async () => {
  const home = await house();
  const [token, other] = [await clerk('cashier'), await clerk('cashier2')];
  const id = await bill(home, today());
  const pay = async (more: object = {}) => {
    const asked = await call(
      'POST',
      '/bill/quote',
      { houseId: String(home), billIds: [id], valueDate: today(), amount: '300.00' },
      token,
    );
    return call(
      'POST',
      '/bill/collect',
      { quoteId: asked.data.quoteId, channel: 'cash', received: '300.00', ...more },
      token,
    );
  };
  const first = await pay();
  expect([first.message, first.data.toPrepaid]).toEqual(['', '20.00']);
  const path = `/billPayment/${first.data.paymentId}`;
  const refused = await call('POST', `${path}/void`, { reason: '错收' }, other);
  expect([refused.http, refused.message]).toEqual([409, '只能作废本人当日收款']);
  expect((await call('POST', `${path}/void`, { reason: '错收' }, token)).message).toBe('');
  expect(await read(id)).toEqual(['unpaid', '0.00', '0.00', '280.00']);
  const room = (await call('GET', `/bill/room?houseId=${home}`)).data as { prepaid: Record<string, string> };
  expect(room.prepaid.general).toBe('0.00');
  const second = await pay();
  expect(second.message).toBe('');
  const close = (countedCash: string, remark = '') =>
    call(
      'POST',
      '/cashClose',
      {
        project: String(project),
        day: today(),
        countedCash,
        countedPos: '0.00',
        countedTransfer: '0.00',
        remark,
      },
      token,
    );
  // What is to be counted is told before: own receipts only.
  const expected = async (who: string) =>
    (await call('GET', `/cashClose/expected?project=${project}&day=${today()}`, undefined, who)).data;
  expect(await expected(token)).toEqual({
    receipts: 1,
    voids: 1,
    cash: '300.00',
    pos: '0.00',
    transfer: '0.00',
  });
  expect(await expected(other)).toMatchObject({ receipts: 0, voids: 0, cash: '0.00' });
  expect((await close('299.00')).data.fields.remark).toBe('与应收不一致，请填写说明');
  const closed = await close('300.00');
  expect(closed.message).toBe('');
  const shown = (await call('GET', `/cashClose/${closed.data.id}`, undefined, token)).data as Record<
    string,
    unknown
  >;
  expect([shown.receipts, shown.voids, shown.expectedCash, shown.difference]).toEqual([
    1,
    1,
    '300.00',
    '0.00',
  ]);
  expect((await close('300.00')).message).toBe('当日已日结');
  const late = await call('POST', `/billPayment/${second.data.paymentId}/void`, { reason: '错收' }, token);
  expect([late.http, late.message]).toEqual([409, '已日结，请走退款']);
  const another = await house();
  const more = await bill(another, today());
  const asked = await call(
    'POST',
    '/bill/quote',
    { houseId: String(another), billIds: [more], valueDate: today() },
    token,
  );
  const stopped = await call(
    'POST',
    '/bill/collect',
    { quoteId: asked.data.quoteId, channel: 'cash', received: '280.00' },
    token,
  );
  expect([stopped.http, stopped.message]).toEqual([409, '当日已日结']);
  expect((await call('POST', `/cashClose/${closed.data.id}/reopen`, { reason: '漏点' }, other)).message).toBe(
    '',
  );
  expect(
    (
      await call(
        'POST',
        '/bill/collect',
        { quoteId: asked.data.quoteId, channel: 'cash', received: '280.00' },
        token,
      )
    ).message,
  ).toBe('');
  const series = (await call('GET', '/billPayment/series')).data as unknown as { missing: number[] }[];
  expect(series.flatMap((row) => row.missing)).toEqual([]);
});

test('every figure of bills, payments, receipts and prepaid money agrees with what it is made of', async () => {
  const { registration } = await import('../../../domain/charging/charging.server.ts');
  for (const rule of registration.invariants ?? []) {
    const found = await rule.check(product.platform);
    expect([rule.name, found.problems]).toEqual([rule.name, []]);
    expect([rule.name, found.looked > 0]).toEqual([rule.name, true]);
  }
});

test('group 06 Must show 11: the formula preview gives its figures, code answers 422 with its position', async () => {
  const ask = (expression: string) =>
    call('POST', '/feeItem/preview', { expression, price: '2.8', extra: '0', months: 1 });
  const shown = (await ask('builtArea*price+if(floor>20,30,0)')).data as unknown as {
    amount: string;
    values: Record<string, string>;
  }[];
  expect(shown.length).toBe(3);
  for (const row of shown)
    expect(Number(row.amount)).toBeCloseTo(
      Number(row.values.builtArea) * 2.8 + (Number(row.values.floor) > 20 ? 30 : 0),
      1,
    );
  const refused = await ask('constructor("x")()');
  expect([refused.http, (refused.data.fields as Record<string, string>).expression]).toEqual([
    422,
    '第 1 个字符：公式中不允许这样写',
  ]);
});
