import { yuanFromFen } from '../../kernel/contract/money.rules.ts';
import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { notFound, ruleBroken } from '../../kernel/server/http/errors.ts';
import { SYSTEM, type Caller, type RequestFacts } from '../../kernel/server/people/caller.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { nextCode } from '../../kernel/server/resource/codes.ts';
import { insertRow } from '../../kernel/server/resource/run-action.ts';
import { submitApproval, withdrawApproval } from '../approval/approve.server.ts';
import { payoutAccountOf } from '../merchant/payee-verification.server.ts';
import { balanceOf, bookMoney } from './merchant-ledger.server.ts';

/** Word of the approval engine, and how timelines and audit records call withdrawals. */
export const WITHDRAWAL = 'withdrawal';

/** Who asks: a staff of the merchant, or an account of the merchants' app in the name of the merchant's administrator. */
export type WithdrawalApplicant =
  { readonly caller: Caller } | { readonly bossAccountId: number; readonly name: string };

/** The fee of a withdrawal in fen, half a fen up. Source: group 13, withdrawals. */
export const withdrawalFee = (amount: number, basisPoints: number): number =>
  Math.floor((amount * basisPoints + 5_000) / 10_000);

/**
 * A merchant asks for money of its wallet, which is frozen at once and reviewed by the platform. Applications of one merchant wait
 * for each other behind its row. Throws 30101 where the money is not there, is stopped, or nobody could receive it.
 */
export async function applyWithdrawal(
  tx: Tx,
  platform: Platform,
  asked: {
    readonly tenantId: number;
    readonly amount: number;
    readonly applicant: WithdrawalApplicant;
    readonly facts: RequestFacts;
  },
): Promise<{ readonly id: number; readonly code: string; readonly fee: number }> {
  const { tenantId, amount, applicant, facts } = asked;
  const merchant = await runOne<{ name: string; kind: string; frozen: boolean; account: string }>(
    tx,
    `SELECT name, merchant_kind AS kind, settlement_frozen AS frozen, account FROM tenant WHERE id = $1 AND kind = 2 FOR NO KEY UPDATE`,
    [tenantId],
  );
  if (!merchant) throw notFound();
  if (merchant.frozen)
    throw ruleBroken(['商户资金已冻结，不能提现', 'The money of the merchant is frozen: no withdrawals']);
  const place = { tenantId };
  const least = await platform.settings.numberIn(tx, 'withdraw.min', place);
  if (amount < least)
    throw ruleBroken([
      `单笔提现不低于 ${yuanFromFen(least)} 元`,
      `A withdrawal is of at least ${yuanFromFen(least)} yuan`,
    ]);
  const most = await platform.settings.numberIn(tx, 'withdraw.per_day', place);
  const today = (await runOne<{ n: number }>(
    tx,
    `SELECT count(*)::int AS n FROM withdrawal WHERE tenant_id = $1
        AND created_at >= (now() AT TIME ZONE 'Asia/Shanghai')::date::timestamp AT TIME ZONE 'Asia/Shanghai'`,
    [tenantId],
  ))!.n;
  if (today >= most) throw ruleBroken([`每日最多提现 ${most} 次`, `At most ${most} withdrawals a day`]);
  const account = await payoutAccountOf(tx, tenantId);
  if (account?.state !== 'verified')
    throw ruleBroken(['收款账户未验证，不能提现', 'The payee account is not verified: no withdrawals']);
  const left = await balanceOf(tx, tenantId, 'merchant_wallet');
  if (amount > left)
    throw ruleBroken([
      `可提现余额仅 ${yuanFromFen(left)} 元`,
      `Only ${yuanFromFen(left)} yuan can be withdrawn`,
    ]);
  const fee = withdrawalFee(amount, await platform.settings.numberIn(tx, 'withdraw.fee_bp', place));
  const starter =
    'caller' in applicant
      ? { id: applicant.caller.staffId, by: { caller: applicant.caller, facts } }
      : { id: await administratorOf(tx, tenantId, merchant.account), by: undefined };
  const code = await nextCode(tx, 'WD');
  const id = await insertRow(tx, 'withdrawal', {
    code,
    tenant_id: tenantId,
    amount,
    fee,
    payee_account_id: account.id,
    payee_name: account.account_name,
    payee_bank: account.bank,
    payee_tail: account.number_tail,
    applicant_id: starter.id,
    boss_account_id: 'caller' in applicant ? null : applicant.bossAccountId,
    via: 'caller' in applicant ? 'staff' : 'app',
    created_by: starter.id,
    updated_by: starter.id,
  });
  await bookMoney(tx, {
    tenantId,
    source: { type: WITHDRAWAL, id, purpose: 'withdraw' },
    postings: { merchant_wallet: -amount, merchant_wallet_frozen: amount },
    staffId: starter.id,
  });
  await writeTimeline(tx, {
    entity: WITHDRAWAL,
    entityId: id,
    ...('caller' in applicant ? { caller: applicant.caller } : {}),
    action: 'create',
    label: ['申请提现', 'Asked for'],
    to: 'reviewing',
    remark: 'caller' in applicant ? '' : '商户端 / merchants’ app',
  });
  const yuan = yuanFromFen(amount);
  await submitApproval(
    tx,
    platform,
    {
      kind: WITHDRAWAL,
      bizId: id,
      tenantId,
      title: [`提现 ${merchant.name} ${yuan} 元`, `Withdrawal of ${yuan} yuan by ${merchant.name}`],
      summary: [
        { label: ['提现金额', 'Amount'], value: [yuan, yuan] },
        { label: ['到账金额', 'Arrives'], value: [yuanFromFen(amount - fee), yuanFromFen(amount - fee)] },
      ],
      starterId: starter.id,
    },
    starter.by,
  );
  return { id, code, fee };
}

/** The merchants' app takes an application back that waits for its review. */
export async function cancelWithdrawal(
  tx: Tx,
  platform: Platform,
  asked: { readonly id: number; readonly tenantId: number; readonly facts: RequestFacts },
): Promise<void> {
  const row = await runOne<{ state: string; applicant_id: number }>(
    tx,
    `SELECT state, applicant_id FROM withdrawal WHERE id = $1 AND tenant_id = $2 AND via = 'app' FOR UPDATE`,
    [asked.id, asked.tenantId],
  );
  if (!row) throw notFound();
  if (row.state !== 'reviewing')
    throw ruleBroken(['审核中的提现才能撤销', 'Only withdrawals in review can be cancelled']);
  await withdrawApproval(tx, platform, {
    kind: WITHDRAWAL,
    bizId: asked.id,
    caller: { ...SYSTEM, staffId: row.applicant_id, tenantId: asked.tenantId },
    facts: asked.facts,
  });
}

/** A withdrawal as its bookings need it. */
interface Drawn {
  readonly id: number;
  readonly tenantId: number;
  readonly amount: number;
  readonly fee: number;
}

/** It was refused, cancelled or given up: the money stands in the wallet again. */
export const bookWithdrawalBack = (tx: Tx, one: Drawn): Promise<boolean> =>
  bookMoney(tx, {
    tenantId: one.tenantId,
    source: { type: WITHDRAWAL, id: one.id, purpose: 'withdrawBack' },
    postings: { merchant_wallet_frozen: -one.amount, merchant_wallet: one.amount },
  });

/** It arrived: the money has left, the fee stays with the platform. */
export const bookWithdrawn = (tx: Tx, one: Drawn): Promise<boolean> =>
  bookMoney(tx, {
    tenantId: one.tenantId,
    source: { type: WITHDRAWAL, id: one.id, purpose: 'withdrawn' },
    postings: {
      merchant_wallet_frozen: -one.amount,
      settlement_bank: one.amount - one.fee,
      withdrawal_fee: one.fee,
    },
  });

/** The withdrawal with this id, for its bookings. */
export async function withdrawalOf(tx: Tx, id: number): Promise<Drawn> {
  const [row] = await run<Drawn>(
    tx,
    `SELECT id, tenant_id AS "tenantId", amount, fee FROM withdrawal WHERE id = $1`,
    [id],
  );
  return row!;
}

async function administratorOf(tx: Tx, tenantId: number, account: string): Promise<number> {
  const row = await runOne<{ id: number }>(
    tx,
    `SELECT id FROM staff WHERE tenant_id = $1 ORDER BY account = $2 DESC, id LIMIT 1`,
    [tenantId, account],
  );
  if (!row)
    throw ruleBroken(['商户还没有员工账号，请联系平台', 'The merchant has no staff yet: ask the platform']);
  return row.id;
}
