import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ChannelAnswer } from '../../../domain/payment-channel/payment-channel.ts';
import { balanceOf } from '../../../domain/settlement/merchant-ledger.server.ts';
import { bookConfirmed } from '../../../domain/settlement/statement-money.server.ts';
import { withdrawalFee } from '../../../domain/settlement/withdrawal.server.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { grantMenu } from '../../../testing/grant-menu.ts';
import { programToken } from '../../../testing/program-client.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { bound as batches } from '../settlement/batch.server.ts';
import { finishPayout, sendPayout } from '../settlement/payout-flow.server.ts';
import { settlementInvariants } from '../settlement/settlement-invariants.server.ts';
import { withdrawalInvariants } from './withdrawal-invariants.server.ts';

const WEB = '/jinmao/web';
let product: TestProduct;
let reviewer: string;
let cashier: string;
let leader: string;
let answer: ChannelAnswer;
let turn = 0;

const db = () => product.platform.database.db;
const sql = <T extends object>(text: string, values: unknown[] = []) => run<T>(db(), text, values);
const one = async <T extends object>(text: string, values: unknown[] = []) =>
  (await runOne<T>(db(), text, values))!;

beforeAll(async () => {
  product = await startTestProduct({ demo: false });
  Object.assign(product.platform.config, {
    payoutChannel: {
      pay: () => Promise.resolve().then(() => answer),
      query: () => Promise.resolve().then(() => answer),
    },
  });
  await setting('withdraw.per_day', 50);
  [reviewer, cashier, leader] = [
    await officer('wd-review'),
    await officer('wd-cash'),
    await officer('wd-lead'),
  ];
});
afterAll(() => product?.close());

async function setting(key: string, value: number): Promise<void> {
  await sql('DELETE FROM setting WHERE key = $1', [key]);
  await sql('INSERT INTO setting (key, value) VALUES ($1, $2::jsonb)', [key, String(value)]);
  product.platform.settings.forget();
}

/** A staff of the platform that may do everything. */
async function officer(account: string): Promise<string> {
  const { id } = await one<{ id: number }>(
    `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password) SELECT id, $1, $1, true, false FROM tenant WHERE kind = 3 ORDER BY id LIMIT 1 RETURNING id`,
    [account],
  );
  await sql(
    `INSERT INTO group_member (group_id, staff_id) SELECT id, $1 FROM permission_group WHERE code = 'platform_admin' AND built_in`,
    [id],
  );
  return product.signIn(account);
}

interface Shop {
  readonly id: number;
  readonly staff: string;
}

/** A merchant with a verified account, and what statements paid into its wallet. */
async function shop(wallet: number): Promise<Shop> {
  const name = `WDM${(turn += 1)}`;
  const { id } = await one<{ id: number }>(
    `INSERT INTO tenant (kind, account, name, merchant_kind, merchant_state) VALUES (2, $1, $1, 'resident', 'operating') RETURNING id`,
    [name],
  );
  await sql(
    `INSERT INTO merchant_agreement (tenant_id, agreement_version, starts_on, commission_bp, after_sale_days, settlement_cycle, payout_mode) VALUES ($1, 1, '2020-01-01', 0, 7, 'month', 'wallet')`,
    [id],
  );
  await sql(
    `INSERT INTO payee_account (code, name, tenant_id, purpose, channel, account_name, number_tail, bank, state, verify_state)
     VALUES ($1, 'payee', $2, 'payout', 'bank', '商户甲', '8899', '招商银行', 'active', 'verified')`,
    [`PA-${name}`, id],
  );
  const person = await one<{ id: number }>(
    `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password) VALUES ($1, $2, $2, true, false) RETURNING id`,
    [id, name.toLowerCase()],
  );
  await grantMenu(db(), person.id, 'mm_merchantInfo');
  await sql(
    `INSERT INTO element_grant (group_id, element_code) SELECT m.group_id, 'mm_merchantInfo:btn_withdraw' FROM group_member m WHERE m.staff_id = $1`,
    [person.id],
  );
  if (wallet > 0) await settle(id, wallet);
  return { id, staff: await product.signIn(name.toLowerCase()) };
}

/** A confirmed statement of that much, paid into the wallet by the cashier. */
async function settle(tenantId: number, amount: number): Promise<void> {
  const id = await transaction(db(), async (tx) => {
    const made = (await runOne<{ id: number }>(
      tx,
      `INSERT INTO statement (code, tenant_id, cycle, period_from, period_to, row_count, gross, cash, accrual, payable)
       VALUES ($1, $2::bigint, 'month', '2026-01-01', '2026-01-31', 1, $3::bigint, $3::bigint, $3::bigint, $3::bigint) RETURNING id`,
      [`WDS${tenantId}`, tenantId, amount],
    ))!;
    await run(
      tx,
      `INSERT INTO statement_line (statement_id, row_no, row_kind, source_type, source_id, cash, gross, net) VALUES ($1::bigint, 1, 'sale', 'order_line', 9000000 + $1::bigint, $2::bigint, $2::bigint, $2::bigint)`,
      [made.id, amount],
    );
    await run(
      tx,
      `UPDATE statement SET state = 'to_pay', pay_amount = payable, carry_out = 0, rows_hash = 'x', submitted_at = now(), confirmer = 'merchant', confirmed_at = now() WHERE id = $1`,
      [made.id],
    );
    await bookConfirmed(tx, made.id);
    return made.id;
  });
  const batch = await call(cashier, `payoutBatch`, undefined, { settlements: [String(id)], note: '' });
  expect(batch.message).toBe('该商户结算到钱包');
  expect(await call(cashier, `settlement/${id}/payWallet`)).toMatchObject({ http: 200 });
  expect(await one('SELECT state, pay_way FROM statement WHERE id = $1', [id])).toEqual({
    state: 'settled',
    pay_way: 'wallet',
  });
}

const call = (token: string, path: string, _?: undefined, body: object = {}) =>
  product.call(token, 'POST', `${WEB}/${path}`, body);
const apply = (who: Shop, amount: string) =>
  call(who.staff, `merchantInfo/${who.id}/withdraw`, undefined, { amount });
const money = async (id: number) => [
  await balanceOf(db(), id, 'merchant_wallet'),
  await balanceOf(db(), id, 'merchant_wallet_frozen'),
];
const newest = (tenant: number) =>
  one<{ id: number; state: string; code: string }>(
    'SELECT id, state, code FROM withdrawal WHERE tenant_id = $1 ORDER BY id DESC LIMIT 1',
    [tenant],
  );
async function sound(): Promise<void> {
  for (const rule of [...withdrawalInvariants, ...settlementInvariants])
    expect((await rule.check(product.platform)).problems, rule.name).toEqual([]);
}
/** Pays a withdrawal that passed: the cashier makes the batch, the leader lets it go. */
async function pay(id: number): Promise<{ id: number; payout_no: string; batch_id: number }> {
  const made = await call(cashier, `withdrawal/${id}/pay`);
  expect(made.message).toBe('');
  const payout = await one<{ id: number; payout_no: string; batch_id: number }>(
    'SELECT id, payout_no, batch_id FROM payout WHERE withdrawal_id = $1 ORDER BY id DESC LIMIT 1',
    [id],
  );
  expect((await call(cashier, `payoutBatch/${payout.batch_id}/authorise`)).message).toBe('制单人不能付款');
  expect((await call(reviewer, `payoutBatch/${payout.batch_id}/authorise`)).message).toBe('审核人不能打款');
  expect((await call(leader, `payoutBatch/${payout.batch_id}/authorise`)).message).toBe('');
  await sendPayout(product.platform, batches, payout.id);
  return payout;
}

test('group 13 Must show 14: 500.00 of a wallet of 600.00; a parallel 200.00 is refused; rejected, 600.00 stand there again', async () => {
  const one = await shop(60_000);
  const [first, second] = await Promise.all([apply(one, '500.00'), apply(one, '200.00')]);
  // Whichever comes first is taken; when it is the smaller one, the larger is refused the same way.
  const taken = [first, second].filter((each) => each!.http === 200);
  expect(taken).toHaveLength(1);
  const other = [first, second].find((each) => each!.http !== 200)!;
  expect(other).toMatchObject({ status: 30101 });
  expect(other.message).toMatch(/^可提现余额仅 (100|400)\.00 元$/);
  if (second!.http === 200) {
    const id = (await newest(one.id)).id;
    expect((await call(one.staff, `infoWithdrawal/${id}/withdraw`)).message).toBe('');
    expect((await apply(one, '500.00')).http).toBe(200);
    expect((await apply(one, '200.00')).message).toBe('可提现余额仅 100.00 元');
  }
  expect(await money(one.id)).toEqual([10_000, 50_000]);
  const { id } = await newest(one.id);
  expect(
    (await call(reviewer, `withdrawal/${id}/reject`, undefined, { opinion: '账户信息有误' })).message,
  ).toBe('');
  expect((await newest(one.id)).state).toBe('rejected');
  expect(await money(one.id)).toEqual([60_000, 0]);
  await sound();
});

test('50 withdrawals of one balance at once: as many as the money lasts for, nothing below zero', async () => {
  const one = await shop(100_000);
  const answers = await Promise.all(Array.from({ length: 50 }, () => apply(one, '130.00')));
  // A slow machine lets some wait too long for the merchant's row: they ask again.
  const late = answers.filter((each) => ![200, 409].includes(each.http));
  expect(
    new Set(late.map((each) => each.http)).size === 0 || late.every((each) => each.http === 503),
    JSON.stringify(late.map((each) => [each.http, each.message])),
  ).toBe(true);
  for (const _ of late) answers.push(await apply(one, '130.00'));
  expect(answers.filter((each) => each.http === 200)).toHaveLength(7);
  expect(
    answers.filter((each) => each.status === 30101 && each.message === '可提现余额仅 90.00 元'),
  ).toHaveLength(43);
  expect(await money(one.id)).toEqual([9_000, 91_000]);
  // The database keeps it, whatever the code says.
  await expect(
    sql(
      `UPDATE ledger_account SET balance = balance - 9001 WHERE kind = 'merchant_wallet' AND owner = $1::text`,
      [String(one.id)],
    ),
  ).rejects.toMatchObject({ code: '23514' });
  await sound();
}, 180_000);

test('applicant, reviewer and payer are three people; the fee stays, the rest arrives once', async () => {
  await setting('withdraw.fee_bp', 10);
  const one_ = await shop(60_000);
  const asked = await apply(one_, '500.00');
  await setting('withdraw.fee_bp', 0);
  expect(asked.data.result).toMatchObject({ fee: '0.50' });
  expect(withdrawalFee(50_000, 10)).toBe(50);
  const { id } = await newest(one_.id);
  // Under the merchant's menu nobody decides, and another merchant's does not exist.
  expect((await call(one_.staff, `withdrawal/${id}/approve`)).http).toBe(403);
  const stranger = await shop(0);
  expect((await call(stranger.staff, `infoWithdrawal/${id}/withdraw`)).http).toBe(404);
  expect(
    (await call(stranger.staff, `merchantInfo/${one_.id}/withdraw`, undefined, { amount: '100.00' })).http,
  ).toBe(404);
  // The desk beside the boss accounts reviews the same row; of two at once one decides.
  const other = await shop(20_000);
  expect((await apply(other, '100.00')).http).toBe(200);
  const raced = await newest(other.id);
  const both = await Promise.all([
    call(reviewer, `bossWithdrawal/${raced.id}/approve`),
    call(leader, `withdrawal/${raced.id}/reject`, undefined, { opinion: '不同意' }),
  ]);
  expect(both.map((each) => each.http).sort()).toEqual([200, 409]);
  const passed = (await newest(other.id)).state === 'to_pay';
  expect(await money(other.id)).toEqual(passed ? [10_000, 10_000] : [20_000, 0]);
  expect((await call(reviewer, `bossWithdrawal/${id}/approve`)).message).toBe('');
  expect((await call(reviewer, `withdrawal/${id}/pay`)).message).toBe('审核人不能打款');
  answer = { state: 'accepted', code: '', message: '' };
  const payout = await pay(id);
  expect(await money(one_.id)).toEqual([10_000, 50_000]);
  await Promise.all([1, 2, 3].map(() => finishPayout(product.platform, batches, payout.payout_no, true, '')));
  expect((await newest(one_.id)).state).toBe('paid');
  expect(await money(one_.id)).toEqual([10_000, 0]);
  expect(
    await sql(
      `SELECT a.kind, e.amount FROM ledger_transfer t JOIN ledger_entry e ON e.transfer_id = t.id JOIN ledger_account a ON a.id = e.account_id
        WHERE t.source_type = 'withdrawal' AND t.source_id = $1::text AND t.purpose = 'withdrawn' ORDER BY e.amount`,
      [String(id)],
    ),
  ).toEqual([
    { kind: 'merchant_wallet_frozen', amount: -50_000 },
    { kind: 'withdrawal_fee', amount: 50 },
    { kind: 'settlement_bank', amount: 49_950 },
  ]);
  await sound();
});

test('the channel refuses: it is paid anew under another number, or given up and the money stands in the wallet', async () => {
  const it = await shop(60_000);
  expect((await apply(it, '300.00')).http).toBe(200);
  const { id } = await newest(it.id);
  expect((await call(reviewer, `withdrawal/${id}/approve`)).message).toBe('');
  answer = { state: 'failure', code: 'NAME', message: '户名不符' };
  const first = await pay(id);
  expect((await newest(it.id)).state).toBe('failed');
  expect(await money(it.id)).toEqual([30_000, 30_000]);
  const shown = await product.call(cashier, 'GET', `${WEB}/withdrawal/${id}`);
  expect(shown.data).toMatchObject({ state: 'failed', failure: '户名不符', payoutNo: first.payout_no });
  const second = await pay(id);
  expect(second.payout_no).not.toBe(first.payout_no);
  expect(
    (await call(cashier, `withdrawal/${id}/giveUp`, undefined, { reason: '商户更换账户' })).message,
  ).toBe('');
  expect(await money(it.id)).toEqual([60_000, 0]);
  expect((await newest(it.id)).state).toBe('cancelled');
  await sound();
});

test('frozen money, an account that is not verified, too little, too often: no withdrawal', async () => {
  const it = await shop(60_000);
  expect((await apply(it, '99.99')).message).toBe('单笔提现不低于 100.00 元');
  await sql('UPDATE tenant SET settlement_frozen = true WHERE id = $1', [it.id]);
  expect((await apply(it, '100.00')).message).toBe('商户资金已冻结，不能提现');
  await sql('UPDATE tenant SET settlement_frozen = false WHERE id = $1', [it.id]);
  await sql(`UPDATE payee_account SET verify_state = 'unverified' WHERE tenant_id = $1`, [it.id]);
  expect((await apply(it, '100.00')).message).toBe('收款账户未验证，不能提现');
  await sql(`UPDATE payee_account SET verify_state = 'verified' WHERE tenant_id = $1`, [it.id]);
  for (const _ of [1, 2, 3]) expect((await apply(it, '100.00')).http).toBe(200);
  await sql(
    `INSERT INTO withdrawal (code, tenant_id, amount, payee_account_id, applicant_id, state)
    SELECT 'WDX' || n, $1, 10000, (SELECT id FROM payee_account WHERE tenant_id = $1), (SELECT min(id) FROM staff), 'cancelled' FROM generate_series(1, 47) n`,
    [it.id],
  );
  expect((await apply(it, '100.00')).message).toBe('每日最多提现 50 次');
  // The platform applies for nobody.
  expect((await call(cashier, `merchantInfo/${it.id}/withdraw`, undefined, { amount: '100.00' })).http).toBe(
    409,
  );
  await sound();
});

test('the owner asks in the merchants’ app, once per request, and takes it back; a clerk may not', async () => {
  const it = await shop(60_000);
  const token = await programToken(product, { id: 'wd-app', scopes: ['member_event'] });
  const boss = async (phone: string, role: string, permissions: string[]) => {
    const { id } = await one<{ id: number }>(
      `INSERT INTO boss_account (phone, name) VALUES ($1, '老板') RETURNING id`,
      [phone],
    );
    await sql(
      `INSERT INTO boss_link (boss_account_id, position, merchant_id, role, permissions) VALUES ($1, 1, $2, $3, $4)`,
      [id, it.id, role, permissions],
    );
    const session = `session-of-${phone}-long-enough`;
    await sql(
      `INSERT INTO boss_session (boss_account_id, token_hash, device) VALUES ($1, sha256($2::text::bytea), 'test')`,
      [id, session],
    );
    return session;
  };
  const owner = await boss('13912340001', 'owner', ['withdraw', 'money']);
  const clerk = await boss('13912340002', 'clerk', ['ship']);
  const ask = (who: string, requestId: string, amount: string) =>
    call(token, 'withdrawal/app/apply', undefined, {
      token: who,
      merchantId: String(it.id),
      requestId,
      amount,
    });
  expect((await ask(clerk, 'request-01', '100.00')).http).toBe(403);
  expect((await ask('nobody-knows-this-token', 'request-02', '100.00')).http).toBe(401);
  const made = await Promise.all([1, 2, 3].map(() => ask(owner, 'request-03', '250.00')));
  expect(new Set(made.map((each) => each.data.id)).size).toBe(1);
  expect(await money(it.id)).toEqual([35_000, 25_000]);
  const cancel = await call(token, 'withdrawal/app/cancel', undefined, {
    token: owner,
    merchantId: String(it.id),
    requestId: 'request-04',
    id: made[0]!.data.id,
  });
  expect(cancel.http).toBe(200);
  expect(await money(it.id)).toEqual([60_000, 0]);
  expect((await newest(it.id)).state).toBe('cancelled');
  await sound();
});
