import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { decideApproval, NO_REQUEST } from '../../../domain/approval/approve.server.ts';
import { bookDeposit } from '../../../domain/merchant/deposit.server.ts';
import { registration as merchants } from '../merchant/merchant.server.ts';

let product: TestProduct;
let admin: string;
let shop: number;
beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  shop = (await one<{ id: number }>(
    `SELECT t.id FROM tenant t WHERE kind = 2 AND merchant_state = 'operating' AND state = 'open' AND NOT EXISTS (
       SELECT FROM merchant_change c WHERE c.tenant_id = t.id) AND EXISTS (SELECT FROM merchant_agreement a WHERE a.tenant_id = t.id AND a.state = 'active'
         AND a.effective_from <= now() AND (a.effective_to IS NULL OR a.effective_to > now())) ORDER BY t.id DESC LIMIT 1`,
  ))!.id;
});
afterAll(() => product?.close());
const db = () => product.platform.database.db;
const one = <T extends object>(sql: string, values: unknown[] = []) => runOne<T>(db(), sql, values);
const root = '/jinmao/web/merchantInfo';
const act = (action: string, body: object = {}) =>
  product.call(admin, 'POST', `${root}/${shop}/${action}`, body);
const read = async () => (await product.call(admin, 'GET', `${root}/${shop}`)).data;

test('the shop closes for now until a time to come, and the job opens it again', async () => {
  const past = await act('closeShop', { until: new Date(Date.now() - 1_000).toISOString() });
  expect([past.http, JSON.stringify(past.data)]).toEqual([
    422,
    expect.stringContaining('恢复时间须晚于现在'),
  ]);
  const closed = await act('closeShop', {
    until: new Date(Date.now() + 3_600_000).toISOString(),
    note: '盘点',
  });
  expect(closed.http, closed.message).toBe(200);
  expect(await read()).toMatchObject({ closedNow: true, closedNote: '盘点' });
  await run(db(), `UPDATE tenant SET closed_until = now() - interval '1 second' WHERE id = $1`, [shop]);
  await merchants.jobs!.find((job) => job.name === 'merchant.reopen')!.run({}, product.platform);
  expect(await read()).toMatchObject({ closedNow: false, closedUntil: null });
});

test('switches are switched, each only the other way', async () => {
  const { invoice } = await read();
  expect((await act(invoice ? 'invoiceOff' : 'invoiceOn')).http).toBe(200);
  expect((await read()).invoice).toBe(!invoice);
  expect((await act(invoice ? 'invoiceOff' : 'invoiceOn')).status).toBe(30101);
});

test('postage and contact are changed at once, the licence is not', async () => {
  const row = await read();
  const put = (body: object) =>
    product.call(admin, 'PUT', `${root}/${shop}`, { version: row.version, ...body });
  const gap = await put({
    postage: [
      { startFen: '0.00', endFen: '50.00', freight: '8.00' },
      { startFen: '60.00', endFen: null, freight: '0.00' },
    ],
  });
  expect(JSON.stringify(gap.data)).toContain('第 2 行区间不连续');
  expect((await put({ licenceNo: '91310115MA1H7Q0AX4' })).http).not.toBe(200);
  const saved = await put({
    contact: '新店长',
    postage: [
      { startFen: '0.00', endFen: '50.00', freight: '8.00' },
      { startFen: '50.00', endFen: null, freight: '0.00' },
    ],
  });
  expect(saved.http, saved.message).toBe(200);
  const told = await one<{ n: number }>(
    `SELECT count(*)::int AS n FROM entity_event WHERE entity = 'merchant' AND entity_id = $1 AND action = 'update'`,
    [shop],
  );
  expect(told!.n).toBeGreaterThan(0);
});

test('eight change requests of one kind at once: one is open, the others are told', async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      act('changeLicence', { address: `新址 ${n} 号`, reason: '门店搬迁' }),
    ),
  );
  expect(answers.filter((one) => one.http === 200)).toHaveLength(1);
  const refused = answers.filter((one) => one.http !== 200);
  expect(new Set(refused.map((one) => `${one.status} ${one.message}`))).toEqual(
    new Set(['30101 已有待审核的变更']),
  );
  // Another set of fields may wait beside it.
  const legal = await act('changeLegal', { legalPerson: '赵新人', reason: '股权转让' });
  expect(legal.http, legal.message).toBe(200);
  expect((await read()).openChanges).toBe(true);
});

test('a change that passes is written on the merchant, by somebody else than who asked', async () => {
  const change = (await one<{ id: number; after_text: string }>(
    `SELECT id, after_text FROM merchant_change WHERE tenant_id = $1 AND kind = 'licence' AND state = 'in_review'`,
    [shop],
  ))!;
  const task = (await one<{ assignee: number }>(
    `SELECT k.assignee_id AS assignee FROM approval_instance i JOIN approval_task k ON k.instance_id = i.id AND k.state = 'pending'
      WHERE i.biz_type = 'merchant_change' AND i.biz_id = $1 LIMIT 1`,
    [change.id],
  ))!;
  const asked = (await one<{ id: number }>(`SELECT created_by AS id FROM merchant_change WHERE id = $1`, [
    change.id,
  ]))!;
  expect(task.assignee).not.toBe(asked.id);
  const caller = await product.caller(
    (await one<{ account: string }>('SELECT account FROM staff WHERE id = $1', [task.assignee]))!.account,
  );
  await transaction(db(), (tx) =>
    decideApproval(tx, product.platform, {
      kind: 'merchant_change',
      bizId: change.id,
      caller,
      facts: NO_REQUEST,
      approved: true,
      opinion: '属实',
      insideAction: false,
    }),
  );
  expect(
    await one('SELECT state, opinion, decided_by FROM merchant_change WHERE id = $1', [change.id]),
  ).toEqual({ state: 'approved', opinion: '属实', decided_by: task.assignee });
  expect(await one('SELECT address FROM tenant WHERE id = $1', [shop])).toEqual({
    address: change.after_text,
  });
});

test('who audits merchants reviews a renewed certificate by its kind and its picture, also without the page of merchants', async () => {
  const { id: reviewer } = (await one<{ id: number }>(
    `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password) SELECT tenant_id, 'certcheck', 'certcheck', true, false FROM staff WHERE account = 'admin' RETURNING id`,
  ))!;
  const { id: group } = (await one<{ id: number }>(
    `INSERT INTO permission_group (type_id, tenant_id, code, name) SELECT y.id, s.tenant_id, 'certcheck', '资质审核' FROM group_type y, staff s WHERE y.code = 'role' AND s.account = 'admin' RETURNING id`,
  ))!;
  await run(
    db(),
    `INSERT INTO menu_grant (group_id, menu_code, data_scope) SELECT $1, unnest('{ssm_merchantManager,pr_auditManagement}'::text[]), 'all'`,
    [group],
  );
  await run(db(), `INSERT INTO element_grant VALUES ($1, 'ssm_merchantManager:btn_audit')`, [group]);
  await run(db(), 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [group, reviewer]);
  const token = await product.signIn('certcheck');
  const { id: picture } = (await one<{ id: string }>(
    `SELECT id FROM stored_file WHERE name = 'launch-1.png'`,
  ))!;
  const asked = await act('renewCertificate', {
    type: 'health',
    number: 'WS-2031',
    validTo: '2031-01-31',
    files: [picture],
    reason: '卫生许可换证',
  });
  expect(asked.message).toBe('');
  const change = (await one<{ id: number }>(
    `SELECT id FROM merchant_change WHERE tenant_id = $1 AND kind = 'certificate' AND state = 'in_review'`,
    [shop],
  ))!.id;
  const { rows } = (await product.call(token, 'GET', '/jinmao/web/approvalTask/page?limit=100')).data as {
    rows: { title: string }[];
  };
  expect(rows.map((row) => row.title).join()).toContain('资质更新变更');
  const instance = (await one<{ id: number }>(
    `SELECT id FROM approval_instance WHERE biz_type = 'merchant_change' AND biz_id = $1`,
    [change],
  ))!.id;
  const shown = (await product.call(token, 'GET', `/admin/approval/instance/${instance}`)).data as {
    sections: { values: { label: string; value: string; pictures?: { id: string }[] }[] }[];
  };
  const fact = (label: string) => shown.sections[0]!.values.find((value) => value.label === label);
  expect([
    fact('类型')?.value,
    fact('到期日')?.value,
    fact('证件图片')?.pictures?.map((file) => file.id),
  ]).toEqual(['卫生许可', '2031-01-31', [picture]]);
  const { data } = await product.call(admin, 'GET', `/jinmao/web/merchantChange/${change}`);
  expect([data.after, data.pictures.map((file: { id: string }) => file.id)]).toEqual([
    '卫生许可 · WS-2031 · 2031-01-31｜Health permit · WS-2031 · 2031-01-31',
    [picture],
  ]);
  const caller = await product.caller('certcheck');
  await transaction(db(), (tx) =>
    decideApproval(tx, product.platform, {
      kind: 'merchant_change',
      bizId: change,
      caller,
      facts: NO_REQUEST,
      approved: true,
      opinion: '',
      insideAction: false,
    }),
  );
  expect(
    await one(
      `SELECT c.number, c.valid_to::text AS ends, $2 = ANY(t.qualification_ids) AS kept FROM merchant_certificate c JOIN tenant t ON t.id = c.tenant_id WHERE t.id = $1 AND c.type = 'health'`,
      [shop, picture],
    ),
  ).toEqual({ number: 'WS-2031', ends: '2031-01-31', kept: true });
});

test('who asked withdraws; the merchant stays as it was', async () => {
  const row = (await one<{ id: number }>(
    `SELECT id FROM merchant_change WHERE tenant_id = $1 AND kind = 'legal' AND state = 'in_review'`,
    [shop],
  ))!;
  const before = await one('SELECT legal_person FROM tenant WHERE id = $1', [shop]);
  const done = await product.call(admin, 'POST', `/jinmao/web/merchantChange/${row.id}/withdraw`, {});
  expect(done.http, done.message).toBe(200);
  expect(
    await one(`SELECT state FROM approval_instance WHERE biz_type = 'merchant_change' AND biz_id = $1`, [
      row.id,
    ]),
  ).toEqual({ state: 'withdrawn' });
  expect(await one('SELECT legal_person FROM tenant WHERE id = $1', [shop])).toEqual(before);
});

test('the terms name the version in force, its rates and what is missing', async () => {
  const { data } = await product.call(admin, 'GET', `${root}/${shop}/terms`);
  expect(data.version).toBeGreaterThan(0);
  expect(data.checklist.map((one: { label: [string, string] }) => one.label[0])).toContain('保证金');
});

test('the money of the merchant is what the platform sees of it, with the bookings of its deposit', async () => {
  const before = (await product.call(admin, 'GET', `${root}/${shop}/funds`)).data;
  await Promise.all(
    ['F-1', 'F-2', 'F-2', 'F-2'].map((reference) =>
      transaction(db(), (tx) =>
        bookDeposit(tx, { tenantId: shop, move: 'receive', amount: 1250, reference }),
      ),
    ),
  );
  await transaction(db(), (tx) =>
    bookDeposit(tx, { tenantId: shop, move: 'deduct', amount: 50, reference: 'F-3' }),
  );
  const { data, http } = await product.call(admin, 'GET', `${root}/${shop}/funds`);
  expect(http).toBe(200);
  // A voucher sent three times is booked once.
  expect(data.deposit - before.deposit).toBe(2450);
  expect(data.entries[0]).toMatchObject({
    account: 'merchant_deposit',
    move: 'deduct',
    reference: 'F-3',
    amount: -50,
    balance: data.deposit,
  });
  expect(data.entries.filter((entry: { reference: string }) => entry.reference === 'F-2')).toHaveLength(1);
  // Bills to confirm, what is due of those confirmed, and what nobody has taken in yet.
  const bills = await run<{
    state: string;
    payable: number;
    pay_amount: number;
    carry_out: number;
    taken: boolean;
  }>(
    db(),
    `SELECT s.*, EXISTS (SELECT FROM statement_line x WHERE x.source_type = 'statement' AND x.source_id = s.id AND x.active) AS taken
       FROM statement s WHERE tenant_id = $1`,
    [shop],
  );
  const owed = bills.reduce((sum, bill) => {
    if (['to_confirm', 'disputed'].includes(bill.state)) return sum + bill.payable;
    const due = ['to_pay', 'failed'].includes(bill.state) ? bill.pay_amount : 0;
    const carried = ['draft', 'void'].includes(bill.state) || bill.taken ? 0 : (bill.carry_out ?? 0);
    return sum + due + carried;
  }, 0);
  expect(data.payable).toBe(owed);
  expect((await product.call(admin, 'GET', `${root}/999999999/funds`)).http).toBe(404);
});
