import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, transaction } from '../../../kernel/server/database.ts';
import { readSecret } from '../../../domain/payee/payee-secret.server.ts';
import {
  all,
  brokenRules,
  callAs,
  deliverAll,
  one,
  runJob,
  type Shop,
} from '../../mall/goods-order/order-fixture.ts';
import {
  ACCOUNTS,
  activeAccount,
  alipayForm,
  as,
  ASSIGNMENTS,
  certificateUntil,
  FOREIGN_KEY,
  openPayeeShop,
  orderOf,
  paymentOf,
  payTest,
  PRIVATE_KEY,
  startPayment,
} from './payee-fixture.ts';

const ORDERS = '/jinmao/web/goodsOrder';
const DAY = 86_400_000;

let shop: Shop;
let project: string;
let centre: string;
beforeAll(async () => {
  shop = await openPayeeShop();
  project = `${shop.ids.project}1`;
  const { id } = await one(shop, 'SELECT centre_id AS id FROM project WHERE id = $1', [shop.ids.project]);
  centre = `${id}2`;
}, 180_000);
afterAll(() => shop?.close());

/** Everything of before stops, so that a test starts with the sandbox's accounts alone. */
async function onlyBuiltIn(): Promise<void> {
  await all(shop, `UPDATE payee_account SET state = 'stopped' WHERE NOT built_in`);
  await all(
    shop,
    `UPDATE payee_assignment SET state = 'withdrawn' WHERE account_id NOT IN (SELECT id FROM payee_account WHERE built_in)`,
  );
  await all(shop, `UPDATE payee_account SET state = 'active', stop_reason = '' WHERE built_in`);
}

async function pay(orderId: string, channel: 1 | 2 = 1) {
  const asked = await startPayment(shop, orderId, channel);
  expect(asked.message).toBe('');
  const { mark } = asked.data.result;
  const paid = await callAs(shop, 'platform', 'POST', `${ORDERS}/${orderId}/sandboxPay`, {
    mark,
    channel: String(channel),
  });
  expect(paid.message).toBe('');
  await deliverAll(shop);
}

async function settleRefunds(): Promise<void> {
  await deliverAll(shop);
  for (const { refund_no } of await all(
    shop,
    `SELECT refund_no FROM sandbox_refund WHERE state = 'accepted'`,
  ))
    await runJob(shop, 'sandbox.refund_result', { refundNo: refund_no });
  await deliverAll(shop);
}

async function refund(orderId: string, amount: string) {
  const [line] = await all(shop, 'SELECT id FROM order_line WHERE order_id = $1', [orderId]);
  const done = await callAs(shop, 'platform', 'POST', `${ORDERS}/${orderId}/refund`, {
    lines: [{ lineId: String(line!.id), amount }],
    cashReason: '协商',
    reasonCode: 'other',
    reason: '协商退款',
  });
  expect(done.message).toBe('');
  const audited = await all(
    shop,
    `SELECT id, state FROM refund WHERE order_id = $1 AND state = 'reviewing'`,
    [orderId],
  );
  expect(audited).toEqual([]);
  await settleRefunds();
}

const resolve = async (more: object = {}) =>
  (
    await as(
      shop,
      'A',
      'GET',
      `${ACCOUNTS}/resolve?${new URLSearchParams({ projectId: String(shop.ids.project), businessType: 'goods', channel: 'alipay', ...more })}`,
    )
  ).data;

test('a new installation takes goods payments with nothing set up: the account of the sandbox is frozen on them', async () => {
  const order = await orderOf(shop, 1000);
  await pay(order);
  const payment = await paymentOf(shop, order);
  const { code } = await one(shop, 'SELECT code FROM payee_account WHERE id = $1', [
    payment.payee_account_id,
  ]);
  expect([payment.state, code, payment.fee]).toEqual([2, 'SANDBOX-ALIPAY', 0]);
});

test('group 15 Must show 8: A changes an account, only B may approve, old payments keep the old account', async () => {
  await onlyBuiltIn();
  const { id } = await activeAccount(shop, [{ object: project, businesses: ['goods'] }]);
  const earlier = await orderOf(shop, 2000);
  await pay(earlier);
  expect((await paymentOf(shop, earlier)).payee_account_id).toBe(Number(id));

  const row = (await as(shop, 'A', 'GET', `${ACCOUNTS}/${id}`)).data;
  const changed = await as(shop, 'A', 'PUT', `${ACCOUNTS}/${id}`, { version: row.version, feeRate: '5.50' });
  expect([changed.message, changed.data.state, changed.data.feeRate]).toEqual(['', 'active', '6.00']);
  expect(changed.data.change.changes).toEqual([{ field: 'feeRate', before: '6.00', after: '5.50' }]);
  expect(changed.data.actions).not.toContain('approve');
  const own = await as(shop, 'A', 'POST', `${ACCOUNTS}/${id}/approve`, {});
  expect([own.http, own.status, own.message]).toEqual([409, 30101, '不能审批自己提交的变更']);
  const english = await shop.apps[0]!.inject({
    method: 'POST',
    url: `/api${ACCOUNTS}/${id}/approve`,
    headers: { authorization: 'Bearer A', 'accept-language': 'en' },
    payload: {},
  });
  expect(english.json().message).toBe('You cannot approve your own change');
  const twice = await as(shop, 'A', 'PUT', `${ACCOUNTS}/${id}`, {
    version: changed.data.version,
    feeRate: '5.00',
  });
  expect(twice.http).toBe(409);
  const passed = await as(shop, 'B', 'POST', `${ACCOUNTS}/${id}/approve`, {});
  expect([passed.message, passed.data.feeRate, passed.data.change]).toEqual(['', '5.50', null]);

  // Another account takes over; what was paid stays where it was, and so does its refund.
  const next = await activeAccount(shop, []);
  await all(shop, `UPDATE payee_assignment SET state = 'withdrawn' WHERE account_id = $1`, [id]);
  const assigned = await as(shop, 'A', 'POST', ASSIGNMENTS, {
    object: project,
    businesses: ['goods'],
    account: next.id,
    effectiveFrom: new Date().toISOString(),
  });
  expect([assigned.message, assigned.data.state]).toEqual(['', 'in_review']);
  expect((await resolve()).matchedLevel).toBe('company');
  expect((await as(shop, 'B', 'POST', `${ACCOUNTS}/${next.id}/approve`, {})).message).toBe('');
  expect((await resolve()).accountId).toBe(next.id);
  const later = await orderOf(shop, 2000);
  await pay(later);
  expect((await paymentOf(shop, later)).payee_account_id).toBe(Number(next.id));
  await refund(earlier, '20.00');
  expect(
    await one(
      shop,
      `SELECT p.payee_account_id, t.payee_account_id AS trade, t.refunded FROM payment p JOIN sandbox_trade t ON t.trade_no = p.trade_no
        JOIN sales_order o ON o.payment_id = p.id WHERE o.id = $1`,
      [earlier],
    ),
  ).toEqual({ payee_account_id: Number(id), trade: Number(id), refunded: 2000 });
  await expect(
    all(shop, 'UPDATE payment SET payee_account_id = $2 WHERE id = $1', [
      (await paymentOf(shop, earlier)).id,
      next.id,
    ]),
  ).rejects.toThrow(/was paid into account/);
});

test('who made or last edited an account cannot approve its opening, though a colleague handed it in', async () => {
  const made = await as(shop, 'B', 'POST', ACCOUNTS, alipayForm(shop));
  await all(shop, 'UPDATE payee_account SET tested_at = now() WHERE id = $1', [made.data.id]);
  // Nobody but B and A could decide, and both have had a hand in it.
  const refused = await as(shop, 'A', 'POST', `${ACCOUNTS}/${made.data.id}/submit`, {});
  expect([refused.http, refused.message]).toEqual([409, '没有其他可审批的平台人员，请先授予「通过」权限']);
});

test('group 15 Must show 9: the ladder chooses, and without an account a payment is refused before the channel is called', async () => {
  await onlyBuiltIn();
  const a = await activeAccount(shop, [{ object: project, businesses: ['goods'] }]);
  const b = await activeAccount(shop, [{ object: centre, businesses: ['*'] }]);
  expect(await resolve()).toMatchObject({ accountId: a.id, matchedLevel: 'project' });
  const parking = await resolve({ businessType: 'parking' });
  expect([parking.accountId, parking.matchedLevel]).toEqual([b.id, 'centre_city']);
  expect(parking.candidates.map((one: any) => [one.accountCode, one.level, one.reason])).toEqual([
    [b.code, 'centre_city', 'chosen'],
    ['SANDBOX-ALIPAY', 'company', 'less_specific'],
  ]);
  expect((await as(shop, 'A', 'POST', `${ACCOUNTS}/${a.id}/stop`, { reason: '换户' })).message).toBe('');
  const next = await resolve();
  expect([next.accountId, next.candidates[0].reason]).toEqual([b.id, 'stopped']);
  const pending = await orderOf(shop, 1500);
  const builtIn = await one(shop, `SELECT id FROM payee_account WHERE code = 'SANDBOX-ALIPAY'`);
  expect(
    (await as(shop, 'A', 'POST', `${ACCOUNTS}/${builtIn.id}/stop`, { reason: '停用沙箱' })).message,
  ).toBe('');
  const last = await as(shop, 'A', 'POST', `${ACCOUNTS}/${b.id}/stop`, { reason: '停用' });
  expect([last.http, last.message]).toEqual([409, '停用后以下项目将无法收款：Garden']);
  expect(
    (await as(shop, 'A', 'POST', `${ACCOUNTS}/${b.id}/forceStop`, { reason: '强制停用' })).data.state,
  ).toBe('stopped');
  expect((await resolve()).accountId).toBeNull();
  const before = await one(
    shop,
    'SELECT (SELECT count(*) FROM sandbox_trade) AS trades, (SELECT count(*) FROM outbox) AS effects',
  );
  const refused = await startPayment(shop, pending);
  expect([refused.http, refused.status, refused.message]).toEqual([409, 30101, '未配置收款账户']);
  expect(
    await one(
      shop,
      'SELECT (SELECT count(*) FROM sandbox_trade) AS trades, (SELECT count(*) FROM outbox) AS effects',
    ),
  ).toEqual(before);
  const told = await all(shop, `SELECT DISTINCT title_zh FROM notification WHERE kind = 'alertPayee'`);
  expect(told).toEqual([{ title_zh: '未配置收款账户：Garden · 商品 · 支付宝' }]);
});

test('group 15 Must show 10: the fee of 128.00 is 0.77 and goes back as 0.30 and 0.47', async () => {
  await onlyBuiltIn();
  await activeAccount(shop, [{ object: project, businesses: ['*'] }]);
  const order = await orderOf(shop, 12_800);
  await pay(order);
  expect((await paymentOf(shop, order)).fee).toBe(77);
  await refund(order, '50.00');
  expect((await paymentOf(shop, order)).fee_returned).toBe(30);
  await refund(order, '78.00');
  expect(await paymentOf(shop, order)).toMatchObject({ fee: 77, fee_returned: 77, refunded: 12_800 });
  const parts = await all(shop, 'SELECT fee_returned FROM refund WHERE order_id = $1 ORDER BY id', [order]);
  expect(parts).toEqual([{ fee_returned: 30 }, { fee_returned: 47 }]);
  const account = (await paymentOf(shop, order)).payee_account_id;
  const flow = (await as(shop, 'A', 'GET', `/jinmao/web/payeeFlow/page?account=${account}&sort=at`)).data
    .rows;
  expect(flow.map((one: any) => [one.kind, one.amount, one.fee, one.net])).toEqual([
    ['pay', '128.00', '0.77', '127.23'],
    ['refund', '-50.00', '-0.30', '-49.70'],
    ['refund', '-78.00', '-0.47', '-77.53'],
  ]);
  const report = (await as(shop, 'A', 'GET', `/jinmao/web/report/payeeReceived?account=${account}`)).data;
  expect(report.rows).toMatchObject([{ count: 3, amount: '0.00', fee: '0.00', net: '0.00' }]);
  expect(await brokenRules(shop)).toEqual({});
});

test('group 15 Must show 11: one of two overlapping assignments sent at once is stored', async () => {
  await onlyBuiltIn();
  const forms = [alipayForm(shop), alipayForm(shop)];
  const ids: string[] = [];
  for (const form of forms) ids.push((await as(shop, 'A', 'POST', ACCOUNTS, form)).data.id);
  const send = (account: string, instance: number) =>
    as(
      shop,
      'A',
      'POST',
      ASSIGNMENTS,
      {
        object: project,
        businesses: ['deposit'],
        account,
        effectiveFrom: new Date(Date.now() + DAY).toISOString(),
      },
      instance,
    );
  const answers = await Promise.all(ids.map((id, index) => send(id, index)));
  expect(answers.map((one) => one.http).sort()).toEqual([200, 409]);
  const kept = answers.findIndex((one) => one.http === 200);
  expect(answers[1 - kept]!.message).toBe(`生效时间与 ${String(forms[kept]!.code)} 重叠`);
  expect(
    await one(
      shop,
      `SELECT count(*)::int AS n FROM payee_assignment WHERE business_type = 'deposit' AND state = 'active'`,
    ),
  ).toEqual({ n: 1 });
  // Before and after it there is room; the general rule is another one.
  const other = {
    object: project,
    businesses: ['*'],
    account: ids[0],
    effectiveFrom: new Date(Date.now() + DAY).toISOString(),
  };
  expect((await as(shop, 'A', 'POST', ASSIGNMENTS, other)).message).toBe('');
  const past = await as(shop, 'A', 'POST', ASSIGNMENTS, {
    ...other,
    businesses: ['other'],
    effectiveFrom: new Date(Date.now() - DAY).toISOString(),
  });
  expect([past.http, past.data.fields]).toEqual([422, { effectiveFrom: '生效时间不能早于现在' }]);
});

describe('tests with 0.01', () => {
  const mode = (value: string) =>
    all(
      shop,
      `INSERT INTO setting (key, value) VALUES ('sandbox.payment.mode', $1::jsonb) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
      [JSON.stringify(value)],
    ).then(() => shop.platforms.forEach((platform) => platform.settings.forget()));

  test('group 15 Must show 12: a paid test marks the account and goes back by itself; a failed one says why and lets nobody approve', async () => {
    const made = await as(shop, 'A', 'POST', ACCOUNTS, alipayForm(shop));
    const { id } = made.data;
    await mode('fail');
    const failed = await payTest(shop, id);
    expect(await one(shop, 'SELECT state, reason FROM payee_test WHERE id = $1', [failed])).toEqual({
      state: 'failed',
      reason: '渠道拒绝了支付',
    });
    expect((await as(shop, 'A', 'POST', `${ACCOUNTS}/${id}/submit`, {})).data.state).toBe('in_review');
    const untested = await as(shop, 'B', 'POST', `${ACCOUNTS}/${id}/approve`, {});
    expect([untested.http, untested.message]).toEqual([409, '请先完成 0.01 元测试']);

    await mode('duplicate');
    const test = await payTest(shop, id);
    await settleRefunds();
    const row = await one(shop, 'SELECT state, amount, steps FROM payee_test WHERE id = $1', [test]);
    expect([row.state, row.amount, row.steps.map((one: any) => one.step)]).toEqual([
      'refunded',
      1,
      ['created', 'paid', 'refunded'],
    ]);
    expect(
      await one(
        shop,
        'SELECT t.amount, t.refunded FROM sandbox_trade t JOIN payee_test x ON x.trade_no = t.trade_no WHERE x.id = $1',
        [test],
      ),
    ).toEqual({ amount: 1, refunded: 1 });
    expect((await as(shop, 'B', 'POST', `${ACCOUNTS}/${id}/approve`, {})).data).toMatchObject({
      state: 'active',
    });
    await mode('ok');
  });

  test('a result that comes after the test was closed goes back and proves nothing; five tests a day', async () => {
    const { id } = (await as(shop, 'A', 'POST', ACCOUNTS, alipayForm(shop))).data;
    await mode('delay');
    const test = await payTest(shop, id);
    await all(shop, `UPDATE payee_test SET deadline = now() - interval '1 second' WHERE id = $1`, [test]);
    await runJob(shop, 'payee.test_close');
    expect((await one(shop, 'SELECT state FROM payee_test WHERE id = $1', [test])).state).toBe('refunding');
    await settleRefunds();
    expect(await one(shop, 'SELECT state, paid_at FROM payee_test WHERE id = $1', [test])).toEqual({
      state: 'refunded',
      paid_at: null,
    });
    expect((await one(shop, 'SELECT tested_at FROM payee_account WHERE id = $1', [id])).tested_at).toBeNull();
    await mode('ok');
    for (let n = 0; n < 4; n++) await as(shop, 'A', 'POST', `${ACCOUNTS}/${id}/test`, {});
    const sixth = await as(shop, 'A', 'POST', `${ACCOUNTS}/${id}/test`, {});
    expect([sixth.http, sixth.message]).toEqual([409, '每个账户每天最多测试 5 次']);
  });

  test('a bank account is confirmed by hand with its receipt; numbers pass their check digit', async () => {
    const bank = {
      code: 'BANK-1',
      name: '对公账户',
      owner: String(shop.ids.platformTenant),
      channel: 'bank',
      accountName: '金茂物业服务有限公司',
      accountNumber: '4111111111111112',
      bank: '中国银行',
      feeRate: '0.00',
      feeBearer: 'platform',
      feeRefundable: true,
    };
    const wrong = await as(shop, 'A', 'POST', ACCOUNTS, bank);
    expect([wrong.http, wrong.data.fields]).toEqual([422, { accountNumber: '卡号校验位不正确' }]);
    const missing = await as(shop, 'A', 'POST', ACCOUNTS, { ...bank, accountNumber: '', bank: '' });
    expect(Object.keys(missing.data.fields).sort()).toEqual(['accountNumber', 'bank']);
    const made = await as(shop, 'A', 'POST', ACCOUNTS, { ...bank, accountNumber: '4111111111111111' });
    expect([made.message, made.data.number, made.data.actions.includes('test')]).toEqual([
      '',
      '****1111',
      false,
    ]);
    const done = await as(shop, 'A', 'POST', `${ACCOUNTS}/${made.data.id}/confirmTest`, {
      receiptNo: 'HD20261122',
    });
    expect([done.message, done.data.testedAt !== null]).toEqual(['', true]);
  });
});

test('group 15 Must show 13: a certificate that ends tomorrow is told today; after its end new payments are refused and old ones refunded', async () => {
  await onlyBuiltIn();
  await all(shop, `UPDATE payee_account SET state = 'stopped' WHERE built_in`);
  const wechat = {
    channel: 'wechat',
    accountNumber: '1600000001',
    apiKey: '0123456789abcdef0123456789ABCDEF',
    certificate: certificateUntil(new Date(Date.now() + DAY)),
    privateKey: FOREIGN_KEY,
    publicKey: undefined,
  };
  const unfit = await as(shop, 'A', 'POST', ACCOUNTS, alipayForm(shop, wechat));
  expect([unfit.http, unfit.data.fields]).toEqual([422, { certificate: '证书与私钥不匹配' }]);
  const over = await as(
    shop,
    'A',
    'POST',
    ACCOUNTS,
    alipayForm(shop, {
      ...wechat,
      privateKey: PRIVATE_KEY,
      certificate: certificateUntil(new Date(Date.now() - DAY)),
    }),
  );
  expect(over.data.fields).toEqual({ certificate: '证书已过期' });
  const { id } = await activeAccount(shop, [{ object: project, businesses: ['*'] }], {
    ...wechat,
    privateKey: PRIVATE_KEY,
  });
  const old = await orderOf(shop, 3000);
  await pay(old, 2);
  const waiting = await orderOf(shop, 3000);

  await all(shop, 'DELETE FROM notification');
  await runJob(shop, 'payee.notice');
  const told = await all(shop, `SELECT DISTINCT title_zh FROM notification WHERE kind = 'payeeNotice'`);
  expect(told.map((one) => one.title_zh).filter((title: string) => title.includes('证书'))).toHaveLength(1);
  expect(
    (await as(shop, 'A', 'GET', `${ACCOUNTS}/page?expiring=true`)).data.rows.map((one: any) => one.id),
  ).toContain(id);

  await all(
    shop,
    `UPDATE payee_account SET certificate_expires_on = now() - interval '1 minute' WHERE id = $1`,
    [id],
  );
  const refused = await startPayment(shop, waiting, 2);
  expect([refused.http, refused.message]).toEqual([409, '未配置收款账户']);
  await runJob(shop, 'payee.expire');
  expect((await as(shop, 'A', 'GET', `${ACCOUNTS}/${id}`)).data.state).toBe('expired');
  expect((await startPayment(shop, waiting, 2)).message).toBe('未配置收款账户');
  await refund(old, '30.00');
  expect((await paymentOf(shop, old)).refunded).toBe(3000);

  // A new certificate brings it back once somebody else has agreed.
  const renewed = await as(shop, 'A', 'POST', `${ACCOUNTS}/${id}/cert`, {
    certificate: certificateUntil(new Date(Date.now() + 300 * DAY)),
    privateKey: PRIVATE_KEY,
  });
  expect([renewed.message, renewed.data.state]).toEqual(['', 'expired']);
  expect((await as(shop, 'B', 'POST', `${ACCOUNTS}/${id}/approve`, {})).message).toBe('请先完成 0.01 元测试');
  await payTest(shop, id);
  await settleRefunds();
  const back = await as(shop, 'B', 'POST', `${ACCOUNTS}/${id}/approve`, {});
  expect([back.message, back.data.state]).toEqual(['', 'active']);
  await pay(waiting, 2);
});

test('group 15 Must show 14: secrets and full numbers are in no list, detail, export, difference or log; reveal is one log row', async () => {
  const number = '2088777766665555';
  const apiKey = 'KEYKEYKEYKEYKEYKEYKEYKEYKEYKEY99';
  const made = await as(shop, 'A', 'POST', ACCOUNTS, alipayForm(shop, { accountNumber: number, apiKey }));
  const { id } = made.data;
  await as(shop, 'A', 'PUT', `${ACCOUNTS}/${id}`, {
    version: made.data.version,
    accountNumber: '2088777766664444',
  });
  const answers = [
    made,
    await as(shop, 'A', 'GET', `${ACCOUNTS}/${id}`),
    await as(shop, 'A', 'GET', `${ACCOUNTS}/page?limit=200`),
    await as(shop, 'A', 'GET', `${ACCOUNTS}/${id}/timeline`),
  ];
  const secret = /20887777|KEYKEYKEY|BEGIN [A-Z ]*PRIVATE/;
  for (const answer of answers) expect(JSON.stringify(answer.data)).not.toMatch(secret);
  const tables = [
    'payee_account',
    'payee_change',
    'audit_record',
    'entity_event',
    'idempotency_key',
    'approval_instance',
    'notification',
  ];
  for (const table of tables) {
    const rows = await all<{ text: string }>(shop, `SELECT row_to_json(t)::text AS text FROM ${table} t`);
    expect([table, rows.filter((row) => secret.test(row.text))]).toEqual([table, []]);
  }
  const timeline = answers[3]!.data as { changes: { field: string; before: string; after: string }[] }[];
  expect(timeline[0]!.changes).toContainEqual({
    field: '账号/商户号',
    before: '****5555',
    after: '****4444',
  });
  const { platform } = { platform: shop.platforms[0]! };
  const source = shop.registrations
    .flatMap((one) => one.exports ?? [])
    .find((one) => one.source === 'payeeAccount')!;
  for await (const rows of source.read({ caller: (shop.callers as any).A, platform, language: 'zh' }, {}))
    expect(JSON.stringify(rows)).not.toMatch(secret);
  expect(await readSecret(platform.database.db, platform, Number(id), 'number')).toBe('2088777766664444');

  const before = await one(shop, `SELECT count(*)::int AS n FROM audit_record WHERE action = 'reveal'`);
  const people = shop.callers as any;
  people.N = {
    ...people.A,
    elements: new Set([...people.A.elements].filter((code) => code !== 'pm_account:btn_reveal')),
  };
  expect((await as(shop, 'N', 'GET', `${ACCOUNTS}/${id}/reveal`)).http).toBe(403);
  expect((await as(shop, 'A', 'GET', `${ACCOUNTS}/${id}/reveal`)).data).toEqual({
    number: '2088777766664444',
  });
  expect(await one(shop, `SELECT count(*)::int AS n FROM audit_record WHERE action = 'reveal'`)).toEqual({
    n: before.n + 1,
  });
});

test('group 15 Must show 15: a company does not find the account of another one, a centre city those of its own only', async () => {
  const owner = (who: string) => String((shop.callers as any)[who].tenantId);
  const made = await as(shop, 'Y', 'POST', ACCOUNTS, alipayForm(shop, { owner: owner('Y') }));
  expect(made.message).toBe('');
  const { id } = made.data;
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['PUT', '', { version: 1, name: '改名账户' }],
    ['POST', '/stop', { reason: 'x' }],
    ['POST', '/test', {}],
    ['GET', '/reveal', undefined],
    ['GET', '/timeline', undefined],
  ] as const)
    for (const who of ['X', 'C'])
      expect([
        method,
        path,
        who,
        (await as(shop, who, method, `${ACCOUNTS}/${id}${path}`, body)).http,
      ]).toEqual([method, path, who, 404]);
  expect((await as(shop, 'X', 'POST', ACCOUNTS, alipayForm(shop, { owner: owner('Y') }))).http).toBe(404);
  const own = await as(shop, 'C', 'POST', ACCOUNTS, alipayForm(shop, { owner: owner('C') }));
  expect((await as(shop, 'C', 'GET', `${ACCOUNTS}/page`)).data.rows.map((one: any) => one.id)).toEqual([
    own.data.id,
  ]);
  const form = { businesses: ['goods'], account: own.data.id, effectiveFrom: new Date().toISOString() };
  expect((await as(shop, 'C', 'POST', ASSIGNMENTS, { ...form, object: '9' })).http).toBe(404);
  expect((await as(shop, 'C', 'POST', ASSIGNMENTS, { ...form, object: project, account: id })).http).toBe(
    404,
  );
  expect((await as(shop, 'C', 'POST', ASSIGNMENTS, { ...form, object: project })).message).toBe('');
});

test('rejecting sends a draft back with its reason; withdrawing is for the proposer; a draft is deleted, a used one not', async () => {
  const { id } = (await as(shop, 'A', 'POST', ACCOUNTS, alipayForm(shop))).data;
  await as(shop, 'A', 'POST', `${ACCOUNTS}/${id}/submit`, {});
  expect((await as(shop, 'B', 'POST', `${ACCOUNTS}/${id}/withdraw`, {})).message).toBe('只有提交人可以撤回');
  expect((await as(shop, 'A', 'POST', `${ACCOUNTS}/${id}/withdraw`, {})).data.state).toBe('draft');
  await as(shop, 'A', 'POST', `${ACCOUNTS}/${id}/submit`, {});
  expect((await as(shop, 'B', 'POST', `${ACCOUNTS}/${id}/reject`, {})).http).toBe(422);
  const rejected = await as(shop, 'B', 'POST', `${ACCOUNTS}/${id}/reject`, { reason: '户名不符' });
  expect(rejected.data.state).toBe('rejected');
  const list = (await as(shop, 'A', 'GET', `/jinmao/web/payeeChange/page?account=${id}`)).data.rows;
  expect(list.map((one: any) => [one.state, one.opinion])).toEqual([
    ['rejected', '户名不符'],
    ['withdrawn', ''],
  ]);
  const edited = await as(shop, 'A', 'PUT', `${ACCOUNTS}/${id}`, {
    version: rejected.data.version,
    name: '改正后的账户',
  });
  expect([edited.data.state, edited.data.name]).toEqual(['draft', '改正后的账户']);
  expect((await as(shop, 'A', 'DELETE', `${ACCOUNTS}/${id}`)).http).toBe(200);
  await transaction(shop.platforms[0]!.database.db, async (tx) => {
    expect(await run(tx, 'SELECT 1 FROM payee_secret WHERE account_id = $1', [id])).toEqual([]);
  });
});

test('the matrix shows which account applies today and leaves a cell empty where none does', async () => {
  await onlyBuiltIn();
  const a = await activeAccount(shop, [{ object: project, businesses: ['goods'] }]);
  const [row] = (await as(shop, 'A', 'GET', `${ACCOUNTS}/coverage?channel=alipay`)).data.rows;
  expect([row.cells.goods.accountId, row.cells.parking.code]).toEqual([a.id, 'SANDBOX-ALIPAY']);
  await all(shop, `UPDATE payee_account SET state = 'stopped' WHERE built_in`);
  const [after] = (await as(shop, 'A', 'GET', `${ACCOUNTS}/coverage?channel=alipay`)).data.rows;
  expect([after.cells.goods.accountId, after.cells.parking]).toEqual([a.id, null]);
  await all(shop, 'DELETE FROM notification');
  await runJob(shop, 'payee.coverage');
  expect((await all(shop, `SELECT DISTINCT title_zh FROM notification`)).map((one) => one.title_zh)).toEqual([
    '1 个项目有业务未配置收款账户',
  ]);
});
