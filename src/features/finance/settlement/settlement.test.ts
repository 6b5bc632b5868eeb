import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { transaction } from '../../../kernel/server/database.ts';
import type { ChannelAnswer } from '../../../domain/payment-channel/payment-channel.ts';
import { ChannelSilent } from '../../../domain/payment-channel/payment-channel.ts';
import type { PayoutOrder } from '../../../domain/settlement/payout-channel.server.ts';
import { balanceOf } from '../../../domain/settlement/merchant-ledger.server.ts';
import { draftStatement } from '../../../domain/statement/draft-statement.server.ts';
import { EXAMPLE, openFinance, type Finance } from '../finance-fixture.ts';
import { settlementDraft } from '../initiate/initiate.contract.ts';
import { registration as draftService } from '../initiate/draft.server.ts';
import { registration as statementService } from '../../mall/account-statement/statement.server.ts';
import { registration as lineService } from '../../mall/account-statement/statement-line.server.ts';
import { statement, statementLine } from '../../mall/account-statement/statement.contract.ts';
import { bound as batches, registration as batchService } from './batch.server.ts';
import { registration as rowService } from './line.server.ts';
import { checkBooks } from './finance-doctor.server.ts';
import { finishPayout, queryPayout, sendPayout } from './payout-flow.server.ts';
import { registration as payoutService } from './payout.server.ts';
import { registration as settlementService } from './settlement.server.ts';
import { payout, payoutBatch, settlement, settlementLine } from './settlement.contract.ts';

const WEB = '/jinmao/web';
let f: Finance;
let clerk: Caller;
let cashier: Caller;
let leader: Caller;
let picture: string;
/** What the bank answers next; each call is kept. */
let answer: (order: PayoutOrder | string) => ChannelAnswer;
let asked: string[];

const accepted: ChannelAnswer = { state: 'accepted', code: '', message: '' };

beforeAll(async () => {
  f = await openFinance(
    [statementService, lineService, draftService, settlementService, rowService, batchService, payoutService],
    [statement, statementLine, settlementDraft, settlement, settlementLine, payoutBatch, payout],
  );
  Object.assign(f.platform.config, {
    payoutChannel: {
      pay: (order: PayoutOrder) => {
        asked.push(`pay ${order.payoutNo}`);
        return Promise.resolve().then(() => answer(order));
      },
      query: (no: string) => {
        asked.push(`query ${no}`);
        return Promise.resolve().then(() => answer(no));
      },
    },
  });
  clerk = await f.clerk('clerk');
  cashier = await f.clerk('cashier');
  leader = await f.clerk('leader');
  picture = await f.picture();
});
afterAll(() => f.close());
beforeEach(() => {
  answer = () => accepted;
  asked = [];
});

const MARCH = { cycle: 'month', from: '2026-03-01', to: '2026-03-31' } as const;
const APRIL = { cycle: 'month', from: '2026-04-01', to: '2026-04-30' } as const;
const MAY = { cycle: 'month', from: '2026-05-01', to: '2026-05-31' } as const;

const act = (
  by: Caller,
  name: string,
  id: string | number,
  action: string,
  body: Record<string, unknown> = {},
) => f.call(by, 'POST', `${WEB}/${name}/${id}/${action}`, body);
const get = async (by: Caller, name: string, id: string | number) =>
  (await f.call(by, 'GET', `${WEB}/${name}/${id}`)).data;

async function submitted(
  tenantId: number,
  period: typeof MARCH | typeof APRIL | typeof MAY = MARCH,
): Promise<number> {
  const made = await transaction(f.platform.database.db, (tx) =>
    draftStatement(tx, { tenantId, ...period, makerId: clerk.staffId }),
  );
  expect(await act(clerk, 'settlementDraft', made!.id, 'submit')).toMatchObject({ http: 200 });
  return made!.id;
}

/** A statement its merchant has confirmed. */
async function confirmed(
  tenantId: number,
  period: typeof MARCH | typeof APRIL | typeof MAY = MARCH,
): Promise<number> {
  const id = await submitted(tenantId, period);
  const me = await f.merchantStaff(tenantId);
  const { rowsHash } = await get(me, 'statement', id);
  expect(await act(me, 'statement', id, 'confirm', { rowsHash })).toMatchObject({ http: 200 });
  return id;
}

async function payee(tenant: number, name = '商户甲', state = 'verified'): Promise<void> {
  await f.sql(
    `INSERT INTO payee_account (code, name, tenant_id, purpose, channel, account_name, number_tail, bank, state, verify_state)
     VALUES ($1, 'payee', $2, 'payout', 'bank', $3, '8899', '招商银行', 'active', $4)`,
    [`PA${tenant}-${Math.floor(Math.random() * 1e9)}`, tenant, name, state],
  );
}

/** A batch of one statement, authorised; returns the payout. */
async function paying(id: number): Promise<{ batch: string; payout: { id: number; no: string } }> {
  const batch = await f.call(cashier, 'POST', `${WEB}/payoutBatch`, { settlements: [String(id)], note: '' });
  expect(batch).toMatchObject({ http: 200 });
  expect(await act(leader, 'payoutBatch', batch.data.id, 'authorise')).toMatchObject({ http: 200 });
  const [row] = await f.sql<{ id: number; no: string }>(
    `SELECT id, payout_no AS no FROM payout WHERE batch_id = $1`,
    [batch.data.id],
  );
  await sendPayout(f.platform, batches, row!.id);
  return { batch: String(batch.data.id), payout: row! };
}

const owed = (tenant: number) => balanceOf(f.platform.database.db, tenant, 'merchant_payable');
const transit = (tenant: number) => balanceOf(f.platform.database.db, tenant, 'merchant_transit');
const sound = async () => {
  for (const rule of settlementService.invariants!)
    expect((await rule.check(f.platform)).problems).toEqual([]);
};

test('group 13 Must show 3: accrual of −38.92 is settled without payment; the next with 200.00 pays 161.08', async () => {
  const tenant = await f.merchant(800);
  await payee(tenant);
  const sale = await f.sell(tenant, EXAMPLE, { freight: 800, fee: 194 });
  const first = await confirmed(tenant);
  await paying(first);
  answer = () => ({ state: 'success', code: '', message: '' });
  await queryPayout(
    f.platform,
    batches,
    (await f.sql<{ id: number }>('SELECT id FROM payout WHERE statement_id = $1', [first]))[0]!.id,
  );
  await f.refunded(sale, sale.lines[0]!, {
    qty: 1,
    cash: 8_750,
    platformCoupon: 833,
    merchantCoupon: 278,
    points: 139,
  });
  // 54.35 less 8 % leaves 50.00.
  await f.sell(tenant, [{ price: 5_435, qty: 1 }], { completed: '2026-04-05' });
  const second = await confirmed(tenant, APRIL);
  expect(await get(cashier, 'settlement', second)).toMatchObject({
    state: 'settled',
    accrual: '-38.92',
    payAmount: '0.00',
    carryOut: '-38.92',
    noPayment: true,
  });
  expect(await owed(tenant)).toBe(-3_892);
  const me = await f.merchantStaff(tenant);
  const figures = async () => (await f.call(me, 'GET', `${WEB}/settlement/figures`)).data;
  expect(await figures()).toMatchObject({ owedBack: { amount: '38.92', count: 1 }, toPay: { count: 0 } });
  expect((await figures()).held).toBeUndefined();
  expect((await get(cashier, 'settlement', first)).freight).toBe('8.00');
  const accounts = async (who: Caller) => {
    const { bookings } = await get(who, 'settlement', first);
    return [...new Set(bookings.map((one: { account: string }) => one.account))].sort();
  };
  expect(await accounts(cashier)).toEqual([
    'channel_fee_recovered',
    'commission_income',
    'merchant_payable',
    'merchant_transit',
    'settlement_bank',
    'settlement_source',
    'subsidy_expense',
  ]);
  expect(await accounts(me)).toEqual(['merchant_payable', 'merchant_transit']);
  await f.sell(tenant, [{ price: 21_739, qty: 1 }], { completed: '2026-05-05' });
  const third = await confirmed(tenant, MAY);
  expect(await get(cashier, 'settlement', third)).toMatchObject({
    state: 'to_pay',
    carryIn: '-38.92',
    payable: '161.08',
  });
  expect(await figures()).toMatchObject({
    owedBack: { amount: '0.00', count: 0 },
    toPay: { amount: '161.08', count: 1 },
  });
  answer = () => accepted;
  const { payout: last } = await paying(third);
  expect(await f.sql('SELECT amount FROM payout WHERE id = $1', [last.id])).toEqual([{ amount: 16_108 }]);
  await sound();
});

test('group 13 Must show 8: the submitter has no offline pay; a voucher of 327.90 is refused; 327.97 settles, nothing is owed any more', async () => {
  const tenant = await f.merchant(800);
  await f.sell(tenant, EXAMPLE, { freight: 800, fee: 194 });
  const id = await confirmed(tenant);
  expect(await owed(tenant)).toBe(32_797);
  const body = (amount: string) => ({
    amount,
    receiptNo: `BR-000${id}`,
    paidOn: '2026-06-01',
    vouchers: [picture],
  });
  expect((await get(clerk, 'settlement', id)).actions).not.toContain('payOffline');
  expect(await act(clerk, 'settlement', id, 'payOffline', body('327.97'))).toMatchObject({
    http: 409,
    status: 30101,
    message: '制单人不能付款',
  });
  expect(await act(cashier, 'settlement', id, 'payOffline', body('327.90'))).toMatchObject({
    status: 30101,
    message: '凭证金额 327.90 与应付 327.97 不一致',
  });
  const clicks = await Promise.all(
    [1, 2, 3, 4].map(() => act(cashier, 'settlement', id, 'payOffline', body('327.97'))),
  );
  expect(clicks.map((one) => one.http).sort()).toEqual([200, 409, 409, 409]);
  expect(await get(cashier, 'settlement', id)).toMatchObject({ state: 'settled', voucherCount: 1 });
  expect([await owed(tenant), await transit(tenant)]).toEqual([0, 0]);
  await sound();
});

test('group 13 Must show 9: a silent channel leaves the payout unknown and repay refused; the query settles once, a second callback changes nothing', async () => {
  const tenant = await f.merchant(0);
  await payee(tenant);
  await f.sell(tenant, [{ price: 50_000, qty: 1 }]);
  const id = await confirmed(tenant);
  answer = () => {
    throw new ChannelSilent();
  };
  const { payout: out } = await paying(id);
  expect(await get(cashier, 'payout', out.id)).toMatchObject({ state: 'unknown' });
  expect(await get(cashier, 'settlement', id)).toMatchObject({ state: 'paying' });
  expect([await owed(tenant), await transit(tenant)]).toEqual([0, 50_000]);
  expect(await act(cashier, 'settlement', id, 'repay')).toMatchObject({
    status: 30101,
    message: '结果未明，不能重新付款，请先查证',
  });
  expect(
    (await f.call(cashier, 'POST', `${WEB}/payoutBatch`, { settlements: [String(id)], note: '' })).http,
  ).not.toBe(200);
  answer = () => ({ state: 'success', code: '', message: '' });
  await Promise.all([
    queryPayout(f.platform, batches, out.id),
    finishPayout(f.platform, batches, out.no, true, ''),
    finishPayout(f.platform, batches, out.no, true, ''),
  ]);
  expect(await finishPayout(f.platform, batches, out.no, false, 'late')).toBe(false);
  expect(await get(cashier, 'settlement', id)).toMatchObject({ state: 'settled', payWay: 'channel' });
  expect([await owed(tenant), await transit(tenant)]).toEqual([0, 0]);
  // One number for life: it was asked for once and queried after.
  expect(asked.filter((one) => one.startsWith('pay'))).toEqual([`pay ${out.no}`]);
  await sound();
});

test('group 13 Must show 10: the channel refuses; the money is owed again; after the payee is corrected a new number settles it', async () => {
  const tenant = await f.merchant(0);
  await payee(tenant);
  await f.sell(tenant, [{ price: 60_000, qty: 1 }]);
  const id = await confirmed(tenant);
  answer = () => ({ state: 'failure', code: 'NAME', message: '户名与账号不符' });
  const first = await paying(id);
  expect(await get(cashier, 'settlement', id)).toMatchObject({ state: 'failed' });
  expect(await get(cashier, 'payout', first.payout.id)).toMatchObject({
    state: 'failed',
    channelMessage: '户名与账号不符',
  });
  expect([await owed(tenant), await transit(tenant)]).toEqual([60_000, 0]);
  await f.sql(`UPDATE payee_account SET verify_state = 'failed' WHERE tenant_id = $1`, [tenant]);
  expect(await act(cashier, 'settlement', id, 'repay')).toMatchObject({
    status: 30101,
    message: '收款账户未验证或在冷静期',
  });
  await payee(tenant, '商户甲有限公司');
  const again = await act(cashier, 'settlement', id, 'repay');
  expect(again).toMatchObject({ http: 200 });
  const [batch] = await f.sql<{ id: number }>('SELECT id FROM payout_batch WHERE code = $1', [
    again.data.result.batch,
  ]);
  expect(await act(cashier, 'payoutBatch', batch!.id, 'authorise')).toMatchObject({
    status: 30101,
    message: '制单人不能付款',
  });
  expect(await act(clerk, 'payoutBatch', batch!.id, 'authorise')).toMatchObject({
    status: 30101,
    message: '制单人不能付款',
  });
  const authorised = await Promise.all(
    [1, 2, 3].map(() => act(leader, 'payoutBatch', batch!.id, 'authorise')),
  );
  expect(authorised.map((one) => one.http).sort()).toEqual([200, 409, 409]);
  const [second] = await f.sql<{ id: number; no: string; payee: string }>(
    'SELECT id, payout_no AS no, payee_name AS payee FROM payout WHERE batch_id = $1',
    [batch!.id],
  );
  expect(second!.no).not.toBe(first.payout.no);
  expect(second!.payee).toBe('商户甲有限公司');
  answer = () => ({ state: 'success', code: '', message: '' });
  await sendPayout(f.platform, batches, second!.id);
  expect(await get(cashier, 'settlement', id)).toMatchObject({ state: 'settled' });
  expect((await get(cashier, 'payoutBatch', batch!.id)).state).toBe('done');
  await sound();
});

test('a merchant that was frozen, or whose account was stopped, is not paid: neither by a batch made before nor by hand', async () => {
  const tenant = await f.merchant(0);
  await payee(tenant);
  await f.sell(tenant, [{ price: 65_000, qty: 1 }]);
  const id = await confirmed(tenant);
  const batch = await f.call(cashier, 'POST', `${WEB}/payoutBatch`, { settlements: [String(id)], note: '' });
  const authorise = async () => (await act(leader, 'payoutBatch', batch.data.id, 'authorise')).message;
  const { code } = (await get(cashier, 'settlement', id)) as { code: string };
  await f.sql('UPDATE tenant SET settlement_frozen = true WHERE id = $1', [tenant]);
  expect(await authorise()).toBe(`${code} 商户结算冻结`);
  const byHand = await act(cashier, 'settlement', id, 'payOffline', {
    amount: '650.00',
    receiptNo: `BR-F${id}`,
    paidOn: '2026-06-01',
    vouchers: [picture],
  });
  expect(byHand.message).toBe('商户结算冻结');
  await f.sql('UPDATE tenant SET settlement_frozen = false WHERE id = $1', [tenant]);
  await f.sql(`UPDATE payee_account SET state = 'stopped' WHERE tenant_id = $1`, [tenant]);
  expect(await authorise()).toBe(`${code} 收款账户未验证或在冷静期`);
  await f.sql(`UPDATE payee_account SET state = 'active' WHERE tenant_id = $1`, [tenant]);
  expect(await authorise()).toBe('');
  await sound();
});

test('two batches of the same statement at once: one is made', async () => {
  const tenant = await f.merchant(0);
  await payee(tenant);
  await f.sell(tenant, [{ price: 70_000, qty: 1 }]);
  const id = await confirmed(tenant);
  const made = await Promise.all(
    [cashier, leader, cashier].map((by) =>
      f.call(by, 'POST', `${WEB}/payoutBatch`, { settlements: [String(id)], note: '' }),
    ),
  );
  expect(made.filter((one) => one.http === 200)).toHaveLength(1);
  expect(await f.sql('SELECT count(*)::int AS n FROM payout WHERE statement_id = $1', [id])).toEqual([
    { n: 1 },
  ]);
});

test('a confirmed statement is voided by two: the booking is reversed and its lines wait for the next', async () => {
  const tenant = await f.merchant(0);
  await f.sell(tenant, [{ price: 80_000, qty: 1 }]);
  const id = await confirmed(tenant);
  expect(await act(leader, 'settlement', id, 'voidConfirmed')).toMatchObject({
    status: 30101,
    message: '请先申请作废',
  });
  expect(await act(cashier, 'settlement', id, 'askVoid', { reason: '周期有误' })).toMatchObject({
    http: 200,
  });
  expect(await act(cashier, 'settlement', id, 'voidConfirmed')).toMatchObject({
    status: 30101,
    message: '须由另一人作废',
  });
  expect(await act(leader, 'settlement', id, 'voidConfirmed')).toMatchObject({ http: 200 });
  expect(await owed(tenant)).toBe(0);
  const next = await confirmed(tenant);
  expect(await get(cashier, 'settlement', next)).toMatchObject({ state: 'to_pay', payAmount: '800.00' });
  await sound();
});

test('the daily check freezes the payouts of a merchant whose books are wrong, tells it once, and leaves the others alone', async () => {
  const [wrong, right] = [await f.merchant(0), await f.merchant(0)];
  for (const tenant of [wrong, right]) {
    await payee(tenant);
    await f.sell(tenant, [{ price: 40_000, qty: 1 }]);
  }
  const [id] = [await confirmed(wrong), await confirmed(right)];
  const frozen = async () =>
    (
      await f.sql<{ id: number }>(
        'SELECT id FROM tenant WHERE settlement_frozen AND id = ANY($1::bigint[])',
        [[wrong, right]],
      )
    ).map((row) => row.id);
  await checkBooks(f.platform);
  expect(await frozen()).toEqual([]);
  await f.sql('UPDATE ledger_account SET balance = balance + 1 WHERE kind = $1 AND owner = $2', [
    'merchant_payable',
    String(wrong),
  ]);
  await checkBooks(f.platform);
  await checkBooks(f.platform);
  expect(await frozen()).toEqual([wrong]);
  expect(
    await f.sql(`SELECT level FROM system_event WHERE kind = 'doctor' AND text LIKE $1`, [
      `财务校验不平：merchant %`,
    ]),
  ).toEqual([{ level: 'error' }]);
  expect(
    await f.call(cashier, 'POST', `${WEB}/payoutBatch`, { settlements: [String(id)], note: '' }),
  ).toMatchObject({ status: 30101, message: '商户结算冻结' });
  await f.sql('UPDATE ledger_account SET balance = balance - 1 WHERE kind = $1 AND owner = $2', [
    'merchant_payable',
    String(wrong),
  ]);
  await f.sql('UPDATE tenant SET settlement_frozen = false WHERE id = $1', [wrong]);
  await sound();
});

test('group 13 Must show 15: a merchant sees its own statements only; another one and a draft answer 404', async () => {
  const [mine, foreign] = [await f.merchant(0), await f.merchant(0)];
  for (const tenant of [mine, foreign]) await f.sell(tenant, [{ price: 40_000, qty: 1 }]);
  const [own, other] = [await confirmed(mine), await confirmed(foreign)];
  await f.sell(mine, [{ price: 45_000, qty: 1 }], { completed: '2026-04-03' });
  const draft = await transaction(f.platform.database.db, (tx) =>
    draftStatement(tx, { tenantId: mine, ...APRIL, makerId: null }),
  );
  const me = await f.merchantStaff(mine);
  const status = async (id: number) => (await f.call(me, 'GET', `${WEB}/settlement/${id}`)).http;
  expect([await status(own), await status(other), await status(draft!.id)]).toEqual([200, 404, 404]);
  expect((await f.call(me, 'GET', `${WEB}/settlementDraft/${draft!.id}`)).http).not.toBe(200);
  expect((await f.call(me, 'GET', `${WEB}/settlementLine/page?settlement=${other}`)).data.total).toBe(0);
  expect((await f.call(me, 'GET', `${WEB}/settlement/page`)).data.total).toBe(1);
  expect(await act(me, 'settlement', own, 'askVoid', { reason: '不想要了' })).toMatchObject({
    status: 30101,
  });
});

test('what could be settled and stands in no statement is a figure: of the own sales for a merchant, and gone once a draft takes it', async () => {
  const tenant = await f.merchant(800);
  await f.sell(tenant, EXAMPLE, { freight: 800, fee: 194 });
  const me = await f.merchantStaff(tenant);
  const eligible = async (by: Caller) => (await f.call(by, 'GET', `${WEB}/settlement/eligible`)).data;
  expect(await eligible(me)).toEqual({ amount: '327.97', count: 3 });
  const all = await eligible(cashier);
  await f.sql('UPDATE tenant SET settlement_frozen = true WHERE id = $1', [tenant]);
  expect(await eligible(me)).toEqual({ amount: '0.00', count: 0 });
  await f.sql('UPDATE tenant SET settlement_frozen = false WHERE id = $1', [tenant]);
  await submitted(tenant);
  expect(await eligible(me)).toEqual({ amount: '0.00', count: 0 });
  expect((await eligible(cashier)).count).toBe(all.count - 3);
});

test('whom a statement is paid to is masked in detail, payout and print; of statements chosen for a batch those that cannot be paid are left out', async () => {
  const tenant = await f.merchant(800);
  await payee(tenant);
  await f.sell(tenant, EXAMPLE, { freight: 800, fee: 194 });
  const id = await confirmed(tenant);
  const bare = await f.merchant(800);
  await f.sell(bare, EXAMPLE, { freight: 800, fee: 194 });
  const chosen = { settlements: [String(id), String(await confirmed(bare))], note: null };
  const batch = await f.call(cashier, 'POST', `${WEB}/payoutBatch`, chosen);
  expect([batch.message, batch.data.payouts]).toEqual(['', 1]);
  const masked = '商*甲 招商银行 ****8899';
  expect(await get(cashier, 'settlement', id)).toMatchObject({ payee: masked, payeeType: 'bank' });
  const listed = await f.call(cashier, 'GET', `${WEB}/payout/page?settlement=${id}`);
  expect(listed.data.rows[0].payee).toBe(masked);
  const print = await f.call(cashier, 'GET', `${WEB}/settlement/${id}/print`);
  expect([print.http, print.data.bill.payee, print.data.rows.length]).toEqual([200, masked, 3]);
  const reader = { ...cashier, elements: new Set<string>() };
  expect((await f.call(reader, 'GET', `${WEB}/settlement/${id}/print`)).http).toBe(403);
});
