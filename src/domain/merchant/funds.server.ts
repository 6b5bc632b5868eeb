import { runOne, run, type Executor } from '../../kernel/server/database.ts';
import { DEPOSIT_ASKED, depositSql } from './deposit.server.ts';

const bills = (states: string): string =>
  `(SELECT coalesce(sum(s.payable), 0)::bigint FROM statement s WHERE s.tenant_id = t.id AND s.state IN (${states}))`;

/**
 * SQL: what the merchant `t` is owed, in fen, below zero too: its account in the ledger where it has one with what its bills to
 * confirm add (what they carry in and what a deposit covered stands in the account already), else what its bills say: those to confirm, what is to be paid of
 * those confirmed, and what they carry over until a later bill takes it in.
 */
export const PAYABLE = `coalesce((SELECT l.balance FROM ledger_account l WHERE l.kind = 'merchant_payable' AND l.owner = t.id::text AND l.unit = 'fen')
  + (SELECT coalesce(sum(s.payable - s.carry_in - s.cover), 0)::bigint FROM statement s WHERE s.tenant_id = t.id AND s.state IN ('to_confirm', 'disputed')),
  ${bills(`'to_confirm', 'disputed'`)} + (SELECT coalesce(sum(s.pay_amount), 0) FROM statement s WHERE s.tenant_id = t.id AND s.state IN ('to_pay', 'failed'))
  + (SELECT coalesce(sum(s.carry_out), 0) FROM statement s WHERE s.tenant_id = t.id AND s.state IN ('to_pay', 'paying', 'failed', 'settled') AND s.carry_out <> 0
      AND NOT EXISTS (SELECT FROM statement_line x JOIN statement n ON n.id = x.statement_id AND n.state NOT IN ('draft', 'void')
        WHERE x.source_type = 'statement' AND x.source_id = s.id AND x.active)))::bigint`;

const held = (kind: string): string =>
  `coalesce((SELECT l.balance FROM ledger_account l WHERE l.kind = '${kind}' AND l.owner = t.id::text AND l.unit = 'fen'), 0)::bigint`;

/** SQL: the wallet of the merchant `t` by the ledger, in fen: what it may take out, and what of it is held back. */
export const WALLET = held('merchant_wallet');
export const WALLET_FROZEN = held('merchant_wallet_frozen');

/** SQL over the merchant `t`: what its bills and the ledger of deposits say about its money, in fen. */
export const FUND_COLUMNS = {
  payable: PAYABLE,
  wallet: WALLET,
  walletFrozen: WALLET_FROZEN,
  inTransit: bills(`'paying'`),
  settled: bills(`'settled'`),
  deposit: depositSql('t.id'),
  depositAsked: DEPOSIT_ASKED,
} as const;

/** Accounts of a merchant's money in the ledger. */
export const MONEY_ACCOUNTS = [
  'merchant_payable',
  'merchant_transit',
  'merchant_wallet',
  'merchant_wallet_frozen',
  'merchant_deposit',
] as const;

/** Money of one merchant, in fen, with the last bookings of its accounts. */
export interface MerchantFunds {
  readonly payable: number;
  readonly wallet: number;
  readonly walletFrozen: number;
  readonly inTransit: number;
  readonly settled: number;
  readonly deposit: number;
  readonly depositAsked: number;
  readonly frozen: boolean;
  readonly frozenReason: string;
  readonly lastBill: { readonly code: string; readonly on: string; readonly paid: number } | null;
  readonly entries: readonly {
    readonly id: string;
    readonly at: Date;
    readonly account: (typeof MONEY_ACCOUNTS)[number];
    readonly move: string;
    /** The voucher, statement or payout it was booked for. */
    readonly reference: string;
    readonly statement: string | null;
    readonly amount: number;
    readonly balance: number;
  }[];
}

/** The money of one merchant; `entries` bookings at most, the newest first. */
export async function fundsOf(db: Executor, tenantId: number, entries = 50): Promise<MerchantFunds> {
  const sums = Object.entries(FUND_COLUMNS).map(([name, sql]) => `${sql} AS "${name}"`);
  const now = await runOne<Omit<MerchantFunds, 'entries' | 'lastBill'>>(
    db,
    `SELECT ${sums.join(', ')}, t.settlement_frozen AS frozen, t.freeze_reason AS "frozenReason" FROM tenant t WHERE t.id = $1`,
    [tenantId],
  );
  const lastBill = await runOne<NonNullable<MerchantFunds['lastBill']>>(
    db,
    `SELECT code, coalesce(paid_on, period_to)::text AS "on", coalesce(pay_amount, 0)::bigint AS paid FROM statement
      WHERE tenant_id = $1 AND state = 'settled' ORDER BY period_to DESC, id DESC LIMIT 1`,
    [tenantId],
  );
  const booked = await run<MerchantFunds['entries'][number]>(
    db,
    `SELECT e.id::text AS id, l.at, a.kind AS account, l.purpose AS move, e.amount, e.balance_after AS balance, s.id::text AS statement,
            coalesce(w.code, p.payout_no, s.code, substring(l.source_id FROM position(':' IN l.source_id) + 1)) AS reference
       FROM ledger_account a JOIN ledger_entry e ON e.account_id = a.id JOIN ledger_transfer l ON l.id = e.transfer_id
       LEFT JOIN payout p ON l.source_type = 'payout' AND p.id::text = l.source_id
       LEFT JOIN withdrawal w ON l.source_type = 'withdrawal' AND w.id::text = l.source_id
       LEFT JOIN statement s ON s.id = coalesce(p.statement_id, CASE WHEN l.source_type = 'statement' AND l.source_id ~ '^\\d{1,18}$' THEN l.source_id::bigint END)
      WHERE a.kind = ANY($3::text[]) AND a.owner = $1::text AND a.unit = 'fen' ORDER BY e.id DESC LIMIT $2`,
    [String(tenantId), entries, MONEY_ACCOUNTS],
  );
  return { ...now!, lastBill: lastBill ?? null, entries: booked };
}
