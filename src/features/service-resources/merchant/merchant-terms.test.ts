import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { findImportTarget, type ImportRow } from '../../../kernel/server/tables/import-target.ts';
import { bookDeposit, depositOf, type DepositMove } from '../../../domain/merchant/deposit.server.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { registration as agreements } from './merchant-agreement.server.ts';
import { registration as merchants } from './merchant.server.ts';

let product: TestProduct;
let admin: string;
let project: string;
let business: string;
beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  project = await idOf('SELECT id FROM project ORDER BY id LIMIT 1');
  business = await idOf(`SELECT id FROM business WHERE code = 'goods'`);
});
afterAll(() => product?.close());
const db = () => product.platform.database.db;
const idOf = async (sql: string, values: unknown[] = []) =>
  String((await runOne<{ id: number }>(db(), sql, values))!.id);
const call = (method: 'GET' | 'POST', path: string, body?: object) =>
  product.call(admin, method, `/jinmao/web${path}`, body);
const act = (id: number, action: string, body: object = {}) =>
  call('POST', `/residentMerchant/${id}/${action}`, body);
const job = (name: string) =>
  [...(merchants.jobs ?? []), ...(agreements.jobs ?? [])]
    .find((one) => one.name === name)!
    .run({}, product.platform);

const WEIGHTS = [1, 3, 9, 27, 19, 26, 16, 17, 20, 29, 25, 13, 8, 24, 10, 30, 28];
const LETTERS = '0123456789ABCDEFGHJKLMNPQRTUWXY';
let turn = 0;
const licence = () => {
  const body = `91320200${String((turn += 1)).padStart(9, '0')}`;
  const sum = WEIGHTS.reduce((total, weight, at) => total + weight * LETTERS.indexOf(body[at]!), 0);
  return body + LETTERS[(31 - (sum % 31)) % 31]!;
};
const day = (days: number) => {
  const at = new Date(Date.now() + 8 * 3_600_000 + days * 86_400_000);
  return at.toISOString().slice(0, 10);
};

/** A merchant in a state, with an agreement in force that asks for a deposit. */
async function shop(state: string, more: { deposit?: number; endsIn?: string } = {}): Promise<number> {
  const name = `条款商户${(turn += 1)}`;
  const id = Number(
    await idOf(
      `INSERT INTO tenant (kind, account, name, merchant_kind, merchant_state, licence_no, legal_person, contact_name, contact_phone, address)
       VALUES (2, $1, $2, 'resident', $3, $4, '王小明', '李小红', '13900001111', '世纪大道 1 号') RETURNING id`,
      [`MT${turn}`, name, state, licence()],
    ),
  );
  await run(db(), 'INSERT INTO tenant_project VALUES ($1, $2)', [id, project]);
  await run(db(), 'INSERT INTO tenant_business VALUES ($1, $2)', [id, business]);
  await run(
    db(),
    `INSERT INTO merchant_agreement (tenant_id, agreement_version, commission_bp, effective_from, effective_to, deposit)
     VALUES ($1, 1, 800, now() - interval '300 days', now() + $2::interval, $3)`,
    [id, more.endsIn ?? '100 days', more.deposit ?? 0],
  );
  await run(
    db(),
    `INSERT INTO merchant_certificate (tenant_id, position, type, long_term) VALUES ($1, 1, 'licence', true)`,
    [id],
  );
  await run(
    db(),
    `INSERT INTO payee_account (code, name, tenant_id, purpose, channel, state, verify_state) VALUES ('MT' || $1::text, '收款账户', $1::bigint, 'payout', 'bank', 'active', 'verified')`,
    [id],
  );
  return id;
}
const goods = async (merchant: number, count: number, line = business) =>
  (
    await run<{ id: number }>(
      db(),
      `INSERT INTO product (code, tenant_id, business_id, name, status, published_at)
       SELECT 'PT' || $4::text || '-' || n, $1::bigint, $3::bigint, '商品' || n, 'published', now() FROM generate_series(1, $2::int) n RETURNING id`,
      [merchant, count, Number(line), (turn += 1)],
    )
  ).map((row) => row.id);
const goodsOf = (merchant: number) =>
  run<{ status: string; off_cause: string; off_reason: string }>(
    db(),
    'SELECT status, off_cause, off_reason FROM product WHERE tenant_id = $1 ORDER BY id',
    [merchant],
  );
const stateOf = async (id: number) =>
  (await runOne<{ state: string; reason: string }>(
    db(),
    'SELECT merchant_state AS state, state_reason AS reason FROM tenant WHERE id = $1',
    [id],
  ))!;
const takeDown = (id: number) =>
  product.call(admin, 'POST', `/jinmao/web/product/${id}/takeDown`, { reason: '换季下架' });

test('group 03 Must show 6: a lapsed certificate takes goods off the shelf, and just those come back', async () => {
  const line = await idOf(`SELECT id FROM business WHERE code = 'rush'`);
  await run(db(), `UPDATE business SET needs_certificate = 'food' WHERE id = $1`, [Number(line)]);
  const id = await shop('operating');
  const [, , third, byHand] = await goods(id, 4, line);
  const [other] = await goods(id, 1);
  expect((await takeDown(byHand!)).message).toBe('');
  await run(
    db(),
    `INSERT INTO merchant_certificate (tenant_id, position, type, valid_to) VALUES ($1, 2, 'food', $2::date)`,
    [id, day(-1)],
  );
  const clerk = await idOf(
    `INSERT INTO staff (tenant_id, account, name, must_change_password) VALUES ($1, 'terms-own', '店员', false) RETURNING id`,
    [id],
  );
  const group = await idOf(
    `INSERT INTO permission_group (type_id, tenant_id, code, name) SELECT min(id), $1, 'terms-own', 'terms-own' FROM group_type RETURNING id`,
    [id],
  );
  await run(db(), `INSERT INTO menu_grant (group_id, menu_code) VALUES ($1, 'mm_merchantInfo')`, [group]);
  await run(db(), 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [group, clerk]);
  await run(
    db(),
    `WITH place AS (INSERT INTO tenant_project (tenant_id, project_id) SELECT $1, min(id) FROM project ON CONFLICT DO NOTHING)
     INSERT INTO staff_project (staff_id, project_id) SELECT $2, min(id) FROM project`,
    [id, clerk],
  );
  await job('merchant.certificates');
  await job('merchant.certificates');
  // Its own people hear of it once, too.
  expect(
    await runOne(
      db(),
      `SELECT count(*)::int AS n FROM notification WHERE kind = 'merchantTerms' AND staff_id = $1`,
      [clerk],
    ),
  ).toEqual({ n: 1 });
  const off = { status: 'off_shelf', off_cause: 'cert_expired', off_reason: '资质到期：食品经营许可' };
  const hand = { status: 'off_shelf', off_cause: '', off_reason: '换季下架' };
  const sold = { status: 'published', off_cause: '', off_reason: '' };
  // Goods of a line of trade that does not ask for it stay.
  expect(await goodsOf(id)).toEqual([off, off, off, hand, sold]);
  expect((await call('GET', `/residentMerchant/${id}`)).data.goodsOff).toBe(3);
  expect((await act(id, 'restoreGoods')).message).toBe('资质尚未更新，不能恢复上架');
  await run(
    db(),
    `UPDATE merchant_certificate SET valid_to = $2::date WHERE tenant_id = $1 AND type = 'food'`,
    [id, day(365)],
  );
  // One of them was edited meanwhile: nobody has reviewed what it says now.
  await run(db(), 'UPDATE product SET version = version + 1 WHERE id = $1', [third]);
  const both = await Promise.all([act(id, 'restoreGoods'), act(id, 'restoreGoods')]);
  expect(both.map((one) => one.data?.result?.back ?? 0).sort()).toEqual([0, 2]);
  expect(await goodsOf(id)).toEqual([sold, sold, off, hand, sold]);
  expect(other).toBeGreaterThan(0);
  expect(
    await runOne(
      db(),
      `SELECT count(*)::int AS n FROM notification WHERE kind = 'merchantTerms' AND row_ids = ARRAY[$1::bigint] AND title_zh LIKE '食品经营许可已到期%' AND staff_id = (SELECT id FROM staff WHERE account = 'admin')`,
      [id],
    ),
  ).toEqual({ n: 1 });
});

test('group 03 Must show 7: a merchant opens when its deposit is there', async () => {
  const id = await shop('to_activate', { deposit: 500_000 });
  await run(db(), `INSERT INTO staff (tenant_id, account, name) VALUES ($1, 'mt_dep', '店长')`, [id]);
  const operating = async () =>
    Number((await call('GET', '/residentMerchant/page?tab=operating&limit=1')).data.total);
  const before = await operating();
  expect((await act(id, 'activate')).message).toBe('还缺：保证金');
  await transaction(db(), (tx) =>
    bookDeposit(tx, { tenantId: id, move: 'receive', amount: 500_000, reference: '回单 1' }),
  );
  const row = (await call('GET', `/residentMerchant/${id}`)).data;
  expect([row.depositHeld, row.depositRequired, row.depositShort]).toEqual(['5000.00', '5000.00', false]);
  expect((await act(id, 'activate')).message).toBe('');
  expect(await operating()).toBe(before + 1);
});

test('deposits: a voucher is booked once, and no more leaves than is there, whoever comes at once', async () => {
  const id = await shop('operating');
  const book = (move: DepositMove, amount: number, reference: string) =>
    transaction(db(), (tx) => bookDeposit(tx, { tenantId: id, move, amount, reference }));
  await Promise.all([1, 2, 3].map(() => book('receive', 100_00, '回单 7')));
  expect(await depositOf(db(), id)).toBe(100_00);
  const out = await Promise.allSettled([1, 2, 3, 4].map((n) => book('deduct', 40_00, `扣款 ${n}`)));
  expect(out.filter((one) => one.status === 'fulfilled')).toHaveLength(2);
  expect(await depositOf(db(), id)).toBe(20_00);
  await expect(book('return', 20_01, '退还 1')).rejects.toMatchObject({
    label: ['保证金余额仅 20.00 元', expect.any(String)],
  });
  expect(await book('return', 20_00, '退还 1')).toBe(0);
});

test('closing takes everything off the shelf; what is left keeps it from being finished, by name', async () => {
  const id = await shop('operating');
  await goods(id, 2);
  await transaction(db(), (tx) =>
    bookDeposit(tx, { tenantId: id, move: 'receive', amount: 100, reference: '回单 2' }),
  );
  expect((await act(id, 'startClosing', { reason: '合同到期' })).message).toBe('');
  expect((await goodsOf(id)).map((one) => [one.status, one.off_cause])).toEqual([
    ['off_shelf', 'merchant_closing'],
    ['off_shelf', 'merchant_closing'],
  ]);
  expect((await act(id, 'finishClosing')).message).toBe('还有 未退还的保证金 1.00 元，不能完成清退');
  await transaction(db(), (tx) =>
    bookDeposit(tx, { tenantId: id, move: 'return', amount: 100, reference: '退还 2' }),
  );
  expect((await act(id, 'finishClosing')).message).toBe('');
  expect((await stateOf(id)).state).toBe('closed');
});

test('closed for now ends by itself; it ends in the future', async () => {
  const id = await shop('operating');
  const late = await act(id, 'closeShop', { until: '2020-01-01T00:00:00+08:00' });
  expect(late.data.fields).toEqual({ until: '恢复时间须晚于现在' });
  const until = new Date(Date.now() + 3_600_000).toISOString();
  expect((await act(id, 'closeShop', { until, note: '盘点' })).message).toBe('');
  expect((await act(id, 'closeShop', { until })).message).toBe('商户已打烊');
  await job('merchant.reopen');
  expect((await call('GET', `/residentMerchant/${id}`)).data).toMatchObject({
    closedNow: true,
    closedNote: '盘点',
  });
  await run(db(), `UPDATE tenant SET closed_until = now() - interval '1 second' WHERE id = $1`, [id]);
  await job('merchant.reopen');
  expect((await call('GET', `/residentMerchant/${id}`)).data).toMatchObject({
    closedNow: false,
    closedUntil: null,
    closedNote: '',
  });
});

test('renewal begins the next version with the same terms; without one the merchant stops at the end', async () => {
  const id = await shop('operating', { endsIn: '30 days' });
  const listed = async () =>
    ((await call('GET', '/residentMerchant/page?tab=renewal&limit=200')).data.rows as { id: string }[]).some(
      (row) => row.id === String(id),
    );
  expect(await listed()).toBe(true);
  const both = await Promise.all([act(id, 'renew'), act(id, 'renew')]);
  expect(both.map((one) => one.http).sort()).toEqual([200, 409]);
  expect((await act(id, 'renew')).message).toBe('版本 V2 还是草稿，请先处理');
  expect(
    await run(
      db(),
      `SELECT n.state, n.commission_bp AS bp, n.effective_from = a.effective_to AS follows,
              n.effective_to - n.effective_from = a.effective_to - a.effective_from AS as_long
         FROM merchant_agreement n JOIN merchant_agreement a ON a.tenant_id = n.tenant_id AND a.agreement_version = 1
        WHERE n.tenant_id = $1 AND n.agreement_version = 2`,
      [id],
    ),
  ).toEqual([{ state: 'draft', bp: 800, follows: true, as_long: true }]);
  await run(
    db(),
    `UPDATE merchant_agreement SET effective_to = now() - interval '1 second' WHERE tenant_id = $1 AND agreement_version = 1`,
    [id],
  );
  await job('merchant.agreementsEnd');
  expect(await stateOf(id)).toEqual({ state: 'suspended', reason: '协议到期' });
  expect((await act(id, 'resume')).message).toBe('没有生效中的协议，请先续约');
});

test('an agreement in force is terminated and its merchant stops; one to come is not', async () => {
  const id = await shop('operating');
  const [now] = await run<{ id: number }>(
    db(),
    `UPDATE merchant_agreement SET effective_to = now() + interval '10 days' WHERE tenant_id = $1 RETURNING id`,
    [id],
  );
  const next = Number(
    await idOf(
      `INSERT INTO merchant_agreement (tenant_id, agreement_version, commission_bp, effective_from, effective_to)
       SELECT tenant_id, 2, 900, effective_to, effective_to + interval '1 year' FROM merchant_agreement WHERE id = $1 RETURNING id`,
      [now!.id],
    ),
  );
  const end = (agreement: number) =>
    call('POST', `/residentAgreement/${agreement}/terminate`, { reason: '双方协商' });
  const early = await end(next);
  expect([early.http, early.message]).toEqual([409, '版本尚未生效，不能终止；生效后可由新版本替代']);
  expect((await end(now!.id)).message).toBe('');
  expect(await stateOf(id)).toEqual({ state: 'suspended', reason: '协议终止' });
  expect((await act(id, 'resume')).message).toBe('没有生效中的协议，请先续约');
});

test('operations is told 60, 30 and 7 days before an agreement ends, once', async () => {
  const id = await shop('operating', { endsIn: '30 days' });
  await job('merchant.agreementWarnings');
  await job('merchant.agreementWarnings');
  expect(
    await run(
      db(),
      `SELECT title_zh AS text FROM notification WHERE kind = 'merchantTerms' AND row_ids = ARRAY[$1::bigint] AND staff_id = (SELECT id FROM staff WHERE account = 'admin')`,
      [id],
    ),
  ).toEqual([{ text: expect.stringMatching(/^协议 V1将在 30 天后到期/) as string }]);
});

test('a deposit that is short for longer than the grace keeps new goods from being handed in', async () => {
  const id = await shop('operating', { deposit: 300_000 });
  const [item] = await goods(id, 1);
  await run(db(), `UPDATE product SET status = 'draft' WHERE id = $1`, [item]);
  const handIn = async () =>
    (await product.call(admin, 'POST', `/jinmao/web/product/${item}/apply`, {})).message;
  await job('merchant.deposit');
  expect(await handIn()).not.toMatch(/保证金/);
  await run(
    db(),
    `UPDATE tenant SET deposit_short_since = (now() AT TIME ZONE 'Asia/Shanghai')::date - 16 WHERE id = $1`,
    [id],
  );
  await job('merchant.deposit');
  expect(await handIn()).toBe('商户保证金不足且已过宽限期，暂不能发布新商品');
  const listed = async () =>
    ((await call('GET', '/merchant/page?tab=depositShort&limit=200')).data.rows as { id: string }[]).some(
      (row) => row.id === String(id),
    );
  expect(await listed()).toBe(true);
  await transaction(db(), (tx) =>
    bookDeposit(tx, { tenantId: id, move: 'receive', amount: 300_000, reference: '回单 9' }),
  );
  expect(await listed()).toBe(false);
  expect(await handIn()).not.toMatch(/保证金/);
  await job('merchant.deposit');
  expect(await runOne(db(), 'SELECT deposit_short_since AS since FROM tenant WHERE id = $1', [id])).toEqual({
    since: null,
  });
});

test('group 03 Must show 12: an import names duplicate licences, the good rows become drafts', async () => {
  const target = findImportTarget(product.platform, 'merchant')!;
  const importCall = {
    caller: await product.caller('admin'),
    platform: product.platform,
    language: 'zh' as const,
  };
  const taken = licence();
  await run(
    db(),
    `INSERT INTO tenant (kind, account, name, merchant_kind, merchant_state, licence_no) VALUES (2, 'MTI', '已有商户', 'resident', 'operating', $1)`,
    [taken],
  );
  const [projectName, businessName] = [
    (await runOne<{ name: string }>(db(), 'SELECT name FROM project WHERE id = $1', [Number(project)]))!.name,
    (await runOne<{ name: string }>(db(), 'SELECT name FROM business WHERE id = $1', [Number(business)]))!
      .name,
  ];
  const first = licence();
  const rows: ImportRow[] = Array.from({ length: 20 }, (_, index) => ({
    number: index + 2,
    values: {
      name: `导入商户${index}`,
      kind: 'resident',
      licenceNo: index === 0 || index === 7 ? first : index === 12 ? taken : licence(),
      address: '世纪大道 1 号',
      legalPerson: '王小明',
      contact: '李小红',
      phone: '13900001111',
      projects: projectName,
      businesses: businessName,
    },
  }));
  const problems = await target.check(importCall, rows);
  expect(problems.map((one) => one.row)).toEqual([9, 14]);
  expect(problems[1]!.message[0]).toBe('执照号已存在');
  const bad = new Set(problems.map((one) => one.row));
  const good = rows.filter((row) => !bad.has(row.number));
  expect(await transaction(db(), (tx) => target.commit(tx, importCall, good))).toBe(18);
  expect(
    await run(
      db(),
      `SELECT merchant_state AS state, count(*)::int AS n FROM tenant WHERE name LIKE '导入商户%' GROUP BY 1`,
    ),
  ).toEqual([{ state: 'draft', n: 18 }]);
});

test('a self-operated merchant is imported with its company; without one the column is named', async () => {
  const target = findImportTarget(product.platform, 'merchant')!;
  const importCall = {
    caller: await product.caller('admin'),
    platform: product.platform,
    language: 'zh' as const,
  };
  const name = async (table: 'project' | 'business' | 'tenant', where: string) =>
    (await runOne<{ name: string }>(db(), `SELECT name FROM ${table} WHERE ${where}`))!.name;
  const values = {
    kind: '自营',
    address: '世纪大道 1 号',
    legalPerson: '王小明',
    contact: '李小红',
    phone: '13900001111',
    projects: await name('project', `id = ${project}`),
    businesses: await name('business', `id = ${business}`),
  };
  const owningCompany = await name('tenant', `account = 'C000001'`);
  const owned: readonly Record<string, string>[] = [{ owningCompany, costCentre: '零售一部' }, {}];
  const rows: ImportRow[] = owned.map((more, index) => ({
    number: index + 2,
    values: { ...values, ...more, name: `导入自营${index}`, licenceNo: licence() },
  }));
  expect((await target.check(importCall, rows)).map(({ row, column }) => [row, column])).toEqual([
    [3, 'owningCompany'],
  ]);
  expect(await transaction(db(), (tx) => target.commit(tx, importCall, rows.slice(0, 1)))).toBe(1);
  expect(
    await runOne(
      db(),
      `SELECT o.name AS company, t.cost_centre AS centre FROM tenant t JOIN tenant o ON o.id = t.owning_company_id WHERE t.name = '导入自营0'`,
    ),
  ).toEqual({ company: owningCompany, centre: '零售一部' });
});

test('group 03 Must show 8: two open orders and a payable of -38.92 keep a merchant from being closed, each with its link', async () => {
  const id = await shop('closing');
  await run(
    db(),
    `WITH paid AS (INSERT INTO payment (checkout_code, channel, state, amount, deadline) SELECT 'CB' || n || '-' || $1::text, 1, 1, 1000, now() FROM generate_series(1, 2) n RETURNING id)
     INSERT INTO sales_order (code, source, tenant_id, project_id, member_id, payment_id, title, contact_name, contact_phone, address, state, goods, payable, pay_deadline)
     SELECT 'OB' || paid.id, 1, $1::bigint, $2, (SELECT min(id) FROM member), paid.id, '米', '陈思雨', '13800138000', '1-101', 'to_ship', 1000, 1000, now() FROM paid`,
    [id, Number(project)],
  );
  await transaction(db(), async (tx) => {
    const bill = (await runOne<{ id: number }>(
      tx,
      `INSERT INTO statement (code, tenant_id, cycle, period_from, period_to, row_count, cash, refunds, accrual, payable)
       VALUES ('STB' || $1::text, $1::bigint, 'month', '2026-09-01', '2026-09-30', 1, -3892, -3892, -3892, -3892) RETURNING id`,
      [id],
    ))!;
    await run(
      tx,
      `INSERT INTO statement_line (statement_id, row_no, row_kind, source_type, source_id, cash, gross, net)
       VALUES ($1, 1, 'refund', 'refund', 900000000 + $1::bigint, -3892, -3892, -3892)`,
      [bill.id],
    );
    await run(
      tx,
      `UPDATE statement SET state = 'settled', rows_hash = 'x', submitted_at = now(), confirmer = 'system', confirmed_at = now(), pay_amount = 0, carry_out = -3892 WHERE id = $1`,
      [bill.id],
    );
  });
  const refused = await act(id, 'finishClosing');
  expect([refused.http, refused.status, refused.message]).toEqual([
    409,
    30101,
    '还有 2 笔未完成订单、应结余额 -38.92 元，不能完成清退',
  ]);
  const listed = await call('GET', `/residentMerchant/${id}/blockers`);
  expect(listed.data).toEqual(refused.data.blockers);
  expect(
    listed.data.map((one: { key: string; route: string }) => [one.key, one.route.split('?')[0]]),
  ).toEqual([
    ['orders', '/merchantManager/mm_businessOrder_wx'],
    ['payable', '/serviceSourceManager/maoBossAccount'],
  ]);
  // What the links show are exactly these.
  const orders = await call('GET', `/goodsOrder/page?merchant=${id}`);
  const funds = await call('GET', `/merchantFund/${id}`);
  expect([orders.data.total, funds.data.payable]).toEqual([2, '-38.92']);
  expect((await call('GET', '/residentMerchant/999999999/blockers')).http).toBe(404);
  await run(db(), `UPDATE sales_order SET state = 'closed' WHERE tenant_id = $1`, [id]);
  // Once the ledger knows the merchant, its account says what is owed.
  await run(
    db(),
    `INSERT INTO ledger_account (kind, owner, unit, balance, may_be_negative) VALUES ('merchant_payable', $1, 'fen', 0, true)`,
    [String(id)],
  );
  expect((await act(id, 'finishClosing')).message).toBe('');
  expect((await stateOf(id)).state).toBe('closed');
});
