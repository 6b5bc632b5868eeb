import { afterAll, beforeAll, expect, test } from 'vitest';
import { depositOf } from '../../../domain/merchant/deposit.server.ts';
import { PAYABLE } from '../../../domain/merchant/funds.server.ts';
import { balanceOf } from '../../../domain/settlement/merchant-ledger.server.ts';
import { draftStatement } from '../../../domain/statement/draft-statement.server.ts';
import { transaction } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { statement, statementLine } from '../../mall/account-statement/statement.contract.ts';
import { registration as lineService } from '../../mall/account-statement/statement-line.server.ts';
import { registration as statementService } from '../../mall/account-statement/statement.server.ts';
import { openFinance, type Finance } from '../finance-fixture.ts';
import { settlementDraft } from '../initiate/initiate.contract.ts';
import { registration as draftService } from '../initiate/draft.server.ts';
import { settlement } from '../settlement/settlement.contract.ts';
import { registration as settlementService } from '../settlement/settlement.server.ts';
import { registration as accountService } from './deposit-account.server.ts';
import { depositAccount, depositRecord } from './deposit.contract.ts';
import { registration as recordService } from './deposit-record.server.ts';

const WEB = '/jinmao/web';
let f: Finance;
let clerk: Caller;
let leader: Caller;
let picture: string;

beforeAll(async () => {
  f = await openFinance(
    [statementService, lineService, draftService, settlementService, accountService, recordService],
    [statement, statementLine, settlementDraft, settlement, depositAccount, depositRecord],
  );
  clerk = await f.clerk('clerk');
  leader = await f.clerk('leader');
  picture = await f.picture();
});
afterAll(() => f.close());

let receipt = 0;
const held = (tenant: number) => depositOf(f.platform.database.db, tenant);
const owed = (tenant: number) => balanceOf(f.platform.database.db, tenant, 'merchant_payable');
const enter = (tenant: number, action: string, amount: string, more: Record<string, unknown> = {}) =>
  f.call(clerk, 'POST', `${WEB}/depositAccount/${tenant}/${action}`, {
    amount,
    ...(action === 'receive' || action === 'giveBack' ? { receiptNo: `HD-${(receipt += 1)}` } : {}),
    ...(action === 'receive' || action === 'deduct' ? { evidence: [picture] } : {}),
    ...(action === 'receive' ? {} : { reason: '按协议处理' }),
    ...more,
  });
const idOf = async (code: string) =>
  (await f.sql<{ id: number }>('SELECT id FROM deposit_entry WHERE code = $1', [code]))[0]!.id;
const decide = async (by: Caller, code: string, action = 'check', body: Record<string, unknown> = {}) =>
  f.call(by, 'POST', `${WEB}/depositRecord/${await idOf(code)}/${action}`, body);
/** Entered by the clerk and checked by the leader. */
async function booked(tenant: number, action: string, amount: string): Promise<void> {
  const made = await enter(tenant, action, amount);
  expect(made).toMatchObject({ http: 200 });
  expect(await decide(leader, made.data.result.code)).toMatchObject({ http: 200 });
}
const sound = async () => {
  for (const rule of [...settlementService.invariants!, ...recordService.invariants!])
    expect((await rule.check(f.platform)).problems).toEqual([]);
};
/** A month that ended below zero by this much, confirmed by its merchant. */
async function below(tenant: number, month: string, last: string, amount: number): Promise<number> {
  await f.sql(
    `INSERT INTO statement_adjustment (code, tenant_id, type, direction, amount, reason, state, maker_id) VALUES ($1, $2, 'penalty', 'minus', $3, '违约扣款', 'approved', $4)`,
    [`SA-${tenant}-${month}`, tenant, amount, clerk.staffId],
  );
  return confirmed(tenant, month, last);
}
async function confirmed(
  tenant: number,
  month: string,
  last: string,
  meanwhile: () => Promise<void> = () => Promise.resolve(),
): Promise<number> {
  const { id } = (await transaction(f.platform.database.db, (tx) =>
    draftStatement(tx, {
      tenantId: tenant,
      cycle: 'month',
      from: `${month}-01`,
      to: `${month}-${last}`,
      makerId: clerk.staffId,
    }),
  ))!;
  expect(await f.call(clerk, 'POST', `${WEB}/settlementDraft/${id}/submit`, {})).toMatchObject({ http: 200 });
  await meanwhile();
  const me = await f.merchantStaff(tenant);
  const { rowsHash } = (await f.call(me, 'GET', `${WEB}/statement/${id}`)).data;
  expect(await f.call(me, 'POST', `${WEB}/statement/${id}/confirm`, { rowsHash })).toMatchObject({
    http: 200,
  });
  return id;
}

test('1,000.00 are received by one; more waits for a second person, who is never its maker; a receipt is entered once', async () => {
  const tenant = await f.merchant(0);
  expect((await enter(tenant, 'receive', '1000.00')).data.result.booked).toBe(true);
  expect(await held(tenant)).toBe(100_000);
  const more = await enter(tenant, 'receive', '1000.01', { receiptNo: 'HD-MORE' });
  expect(more.data.result.booked).toBe(false);
  expect(await held(tenant)).toBe(100_000);
  expect(await enter(tenant, 'receive', '5.00', { receiptNo: 'HD-MORE' })).toMatchObject({
    http: 409,
    status: 30101,
    message: '该回单号已录入',
  });
  const { code } = more.data.result as { code: string };
  expect(await decide(clerk, code)).toMatchObject({
    http: 409,
    status: 30101,
    message: '不能复核自己的录入',
  });
  const checks = await Promise.all([1, 2, 3, 4].map(() => decide(leader, code)));
  expect(checks.map((one) => one.http).sort()).toEqual([200, 409, 409, 409]);
  expect(await held(tenant)).toBe(200_001);
  // What came in later is a top-up.
  const { rows } = (await f.call(clerk, 'GET', `${WEB}/depositRecord/page?merchant=${tenant}&sort=code`))
    .data;
  expect(rows.map((row: { type: string }) => row.type)).toEqual(['receive', 'top_up']);
  // The database itself books nothing large without a second person.
  await expect(f.sql(`UPDATE deposit_entry SET checker_id = NULL WHERE code = $1`, [code])).rejects.toThrow(
    'deposit_entry_checked',
  );
  await sound();
});

test('a deduction is told first and booked three working days later; more than is there is refused; a refused entry books nothing', async () => {
  const tenant = await f.merchant(0);
  expect(await enter(tenant, 'deduct', '1.00')).toMatchObject({ status: 30101, message: '保证金不足' });
  await booked(tenant, 'receive', '2000.00');
  const made = await enter(tenant, 'deduct', '1500.00');
  expect(made).toMatchObject({ http: 200 });
  // What waits for its check is spoken for.
  expect(await enter(tenant, 'deduct', '500.01')).toMatchObject({ status: 30101, message: '保证金不足' });
  const { code } = made.data.result as { code: string };
  expect(await decide(leader, code)).toMatchObject({
    status: 30101,
    message: '须在告知商户 3 个工作日后入账',
  });
  await f.sql(`UPDATE deposit_entry SET not_before = now() - interval '1 minute' WHERE code = $1`, [code]);
  expect(await decide(leader, code)).toMatchObject({ http: 200 });
  expect(await held(tenant)).toBe(50_000);
  const other = await enter(tenant, 'deduct', '100.00');
  expect(await decide(leader, other.data.result.code, 'refuse', { reason: '商户异议成立' })).toMatchObject({
    http: 200,
  });
  expect(await held(tenant)).toBe(50_000);
  await sound();
});

test('a deposit is given back when the merchant closes or less is required, not before what is open has ended', async () => {
  const tenant = await f.merchant(0, { deposit: 100_000 });
  await booked(tenant, 'receive', '1500.00');
  expect(await enter(tenant, 'giveBack', '500.01')).toMatchObject({
    status: 30101,
    message: '商户清退或应缴降低后才能退还',
  });
  // More is there than is required.
  await booked(tenant, 'giveBack', '500.00');
  expect(await held(tenant)).toBe(100_000);
  await f.sql(`UPDATE tenant SET merchant_state = 'closing' WHERE id = $1`, [tenant]);
  const sale = await f.sell(tenant, [{ price: 1_000, qty: 1 }], {
    completed: new Date(Date.now() - 10 * 86_400_000).toISOString().slice(0, 10),
  });
  expect(await enter(tenant, 'giveBack', '1000.00')).toMatchObject({
    status: 30101,
    message: '最后一笔订单完成未满 30 天，不能退还',
  });
  await f.sql(`UPDATE sales_order SET completed_at = NULL, state = 'to_ship' WHERE id = $1`, [sale.order]);
  expect(await enter(tenant, 'giveBack', '1000.00')).toMatchObject({
    status: 30101,
    message: '还有 1 笔未完成订单或售后，不能退还',
  });
  await f.sql(
    `UPDATE sales_order SET completed_at = now() - interval '40 days', state = 'completed' WHERE id = $1`,
    [sale.order],
  );
  await booked(tenant, 'giveBack', '1000.00');
  expect(await held(tenant)).toBe(0);
  await sound();
});

test('after two statements below zero the deposit covers what is owed, at once in the ledger and as a row of the next statement', async () => {
  const tenant = await f.merchant(0);
  await booked(tenant, 'receive', '3000.00');
  await below(tenant, '2026-03', '31', 5_000);
  expect(await enter(tenant, 'cover', '50.00')).toMatchObject({
    status: 30101,
    message: '连续 2 张结算单为负后才能抵欠',
  });
  await below(tenant, '2026-04', '30', 1_000);
  expect(await owed(tenant)).toBe(-6_000);
  const row = async () => (await f.call(clerk, 'GET', `${WEB}/depositAccount/${tenant}`)).data;
  expect(await row()).toMatchObject({ owed: '60.00', negatives: 2, held: '3000.00' });
  expect(await enter(tenant, 'cover', '60.01')).toMatchObject({
    status: 30101,
    message: '最多可抵 60.00 元',
  });
  // Two at once: one claim.
  const tries = await Promise.all(['60.00', '60.00'].map((amount) => enter(tenant, 'cover', amount)));
  expect(tries.map((one) => one.http).sort()).toEqual([200, 409]);
  const { code } = tries.find((one) => one.http === 200)!.data.result as { code: string };
  expect(await decide(leader, code)).toMatchObject({ http: 200 });
  expect([await held(tenant), await owed(tenant)]).toEqual([294_000, 0]);
  expect(await row()).toMatchObject({ owed: '0.00' });
  await sound();
  await f.sell(tenant, [{ price: 20_000, qty: 1 }], { completed: '2026-05-05' });
  // While the merchant looks at it: 200.00 of sales, and nothing else that would be owed.
  const next = await confirmed(tenant, '2026-05', '31', async () => {
    expect(await f.sql(`SELECT ${PAYABLE} AS payable FROM tenant t WHERE t.id = $1`, [tenant])).toEqual([
      { payable: 20_000 },
    ]);
  });
  expect((await f.call(clerk, 'GET', `${WEB}/settlement/${next}`)).data).toMatchObject({
    carryIn: '-60.00',
    cover: '60.00',
    payable: '200.00',
    state: 'to_pay',
  });
  await sound();
});
