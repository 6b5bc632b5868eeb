import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';

export const FROZEN: Label = ['商户结算冻结', 'Settlement frozen'];
/** Source: group 13, withdrawals: three people. */
export const REVIEWED: Label = ['审核人不能打款', 'The reviewer cannot pay'];
export const IN_BATCH: Label = ['已在付款批次中', 'In a batch already'];
const PAYEE: Label = ['收款账户未验证或在冷静期', 'Payee not verified or cooling'];

/** SQL: how the agreement in force of a merchant (an expression) has its statements paid. */
export const PAYOUT_MODE = (tenant: string): string =>
  `(SELECT f.payout_mode FROM merchant_agreement f WHERE f.tenant_id = ${tenant} AND f.state IN ('active', 'superseded', 'expired')
      AND f.effective_from <= now() AND (f.effective_to IS NULL OR f.effective_to > now()) LIMIT 1)`;

/** SQL: the account `y` a merchant (an expression) can be paid to now. */
const usablePayee = (tenant: string): string =>
  `LEFT JOIN LATERAL (SELECT * FROM payee_account a WHERE a.tenant_id = ${tenant} AND a.purpose = 'payout' AND a.state = 'active' AND a.verify_state = 'verified'
         AND (a.usable_from IS NULL OR a.usable_from <= now()) ORDER BY a.id DESC LIMIT 1) y ON true`;
const PAYEE_OF = `y.id AS account_id, coalesce(y.account_name, '') AS account_name, coalesce(y.bank, '') AS bank, coalesce(y.number_tail, '') AS tail`;

/** What stands in the way of a payout of a statement. */
interface Payable {
  readonly id: number;
  readonly kind: 'statement' | 'withdrawal';
  readonly code: string;
  readonly tenant_id: number;
  readonly pay_amount: number;
  readonly state: string;
  /** Who let a withdrawal pass. */
  readonly reviewer_id: number | null;
  readonly frozen: boolean;
  readonly live: boolean;
  /** Statements of the merchant go to its wallet. */
  readonly wallet: boolean;
  readonly account_id: number | null;
  readonly account_name: string;
  readonly bank: string;
  readonly tail: string;
}

/** Statements that are locked, each with the account its merchant is paid to now. */
async function payables(tx: Tx, ids: readonly number[]): Promise<Payable[]> {
  await run(tx, 'SELECT 1 FROM statement WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE', [ids]);
  return run<Payable>(
    tx,
    `SELECT s.id, 'statement' AS kind, s.code, s.tenant_id, coalesce(s.pay_amount, 0)::bigint AS pay_amount, s.state, NULL::bigint AS reviewer_id, t.settlement_frozen AS frozen,
            coalesce(${PAYOUT_MODE('s.tenant_id')} = 'wallet', false) AS wallet,
            EXISTS (SELECT FROM payout p WHERE p.statement_id = s.id AND p.state NOT IN ('failed', 'cancelled')) AS live,
            ${PAYEE_OF}
       FROM statement s JOIN tenant t ON t.id = s.tenant_id ${usablePayee('s.tenant_id')}
      WHERE s.id = ANY($1::bigint[]) ORDER BY s.id`,
    [ids],
  );
}

/** Withdrawals that are locked, the same way. */
async function drawn(tx: Tx, ids: readonly number[]): Promise<Payable[]> {
  await run(tx, 'SELECT 1 FROM withdrawal WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE', [ids]);
  return run<Payable>(
    tx,
    `SELECT w.id, 'withdrawal' AS kind, w.code, w.tenant_id, w.net AS pay_amount, w.state, w.reviewer_id, t.settlement_frozen AS frozen, false AS wallet,
            EXISTS (SELECT FROM payout p WHERE p.withdrawal_id = w.id AND p.state NOT IN ('failed', 'cancelled')) AS live, ${PAYEE_OF}
       FROM withdrawal w JOIN tenant t ON t.id = w.tenant_id ${usablePayee('w.tenant_id')}
      WHERE w.id = ANY($1::bigint[]) ORDER BY w.id`,
    [ids],
  );
}

function problemOf(row: Payable, caller: Caller): Label | undefined {
  if (!['to_pay', 'failed'].includes(row.state) || row.pay_amount <= 0)
    return ['当前状态不能付款', 'Not to be paid now'];
  if (row.live) return IN_BATCH;
  if (row.wallet) return ['该商户结算到钱包', 'The statements of the merchant go to its wallet'];
  if (row.frozen) return FROZEN;
  if (row.reviewer_id === caller.staffId) return REVIEWED;
  return row.account_id === null ? PAYEE : undefined;
}

/**
 * Makes a batch of the statements and withdrawals that can be paid; what cannot is named with its reason. Refused when none can. What
 * is paid takes over the account it is paid to.
 */
export async function makeBatch(
  tx: Tx,
  caller: Caller,
  asked: { readonly statements?: readonly number[]; readonly withdrawals?: readonly number[] },
  note: string,
): Promise<{ readonly id: number; readonly code: string; readonly left: readonly Label[] }> {
  const rows = [
    ...(await payables(tx, asked.statements ?? [])),
    ...(await drawn(tx, asked.withdrawals ?? [])),
  ];
  const good = rows.filter((row) => problemOf(row, caller) === undefined);
  const left = rows.flatMap((row): Label[] => {
    const problem = problemOf(row, caller);
    return problem ? [[`${row.code} ${problem[0]}`, `${row.code} ${problem[1]}`]] : [];
  });
  if (rows.length === 0)
    throw ruleBroken(['没有可付款的结算单或提现', 'There is no statement or withdrawal to pay']);
  if (good.length === 0)
    throw ruleBroken(
      rows.length === 1
        ? problemOf(rows[0]!, caller)!
        : [left.map((one) => one[0]).join('；'), left.map((one) => one[1]).join('; ')],
    );
  const code = await nextCode(tx, 'PB');
  const batch = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO payout_batch (code, maker_id, payouts, total, note, created_by, updated_by) VALUES ($1, $2, $3, $4, $5, $2, $2) RETURNING id`,
    [code, caller.staffId, good.length, good.reduce((sum, row) => sum + row.pay_amount, 0), note],
  ))!;
  for (const row of good) {
    await run(
      tx,
      `INSERT INTO payout (payout_no, batch_id, ${row.kind}_id, tenant_id, payee_account_id, payee_name, payee_bank, payee_tail, amount, created_by, updated_by)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)`,
      [
        await nextCode(tx, 'PO'),
        batch.id,
        row.id,
        row.tenant_id,
        row.account_id,
        row.account_name,
        row.bank,
        row.tail,
        row.pay_amount,
        caller.staffId,
      ],
    );
    await run(
      tx,
      `UPDATE ${row.kind} SET payee_account_id = $2, payee_name = $3, payee_bank = $4, payee_tail = $5 WHERE id = $1`,
      [row.id, row.account_id, row.account_name, row.bank, row.tail],
    );
  }
  return { id: batch.id, code, left };
}

/**
 * What became of a batch since it was made: throws 30101 where a merchant was frozen or the account it is paid to is no longer good.
 * Holds the merchants, so that none is frozen until the money has gone.
 */
export async function requireStillGood(tx: Tx, batchId: number): Promise<void> {
  const rows = await run<{ code: string; frozen: boolean; good: boolean }>(
    tx,
    `SELECT coalesce(s.code, w.code) AS code, t.settlement_frozen AS frozen, y.tenant_id = p.tenant_id AND y.purpose = 'payout' AND y.state = 'active' AND y.verify_state = 'verified'
              AND coalesce(y.usable_from <= now(), true) AS good
       FROM payout p LEFT JOIN statement s ON s.id = p.statement_id LEFT JOIN withdrawal w ON w.id = p.withdrawal_id JOIN tenant t ON t.id = p.tenant_id JOIN payee_account y ON y.id = p.payee_account_id
      WHERE p.batch_id = $1 AND p.state = 'waiting' ORDER BY t.id, y.id FOR SHARE OF t, y`,
    [batchId],
  );
  const bad = rows.find((row) => row.frozen || !row.good);
  if (!bad) return;
  const [zh, en] = bad.frozen ? FROZEN : PAYEE;
  throw ruleBroken([`${bad.code} ${zh}`, `${bad.code} ${en}`]);
}
