import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { moveBases } from '../grade/member-grade.server.ts';

/** What a ledger is kept in: points, coins, or money in fen, all on the same tables. */
export type LedgerUnit = 'point' | 'coin' | 'fen';

/** Names the business event of a transfer; unique, so that a repeat books nothing. Source: ground rules section 9. */
export interface LedgerSource {
  readonly type: string;
  readonly id: string;
  readonly purpose: string;
}

/** A member's three locked accounts with their balances in whole points or coins. */
export interface MemberAccounts {
  readonly memberId: number;
  readonly unit: LedgerUnit;
  readonly availableId: number;
  readonly heldId: number;
  readonly debtId: number;
  readonly available: number;
  readonly held: number;
  /** What the member owes, 0 or more. */
  readonly owed: number;
}

/** One side of a transfer: an account (system accounts by kind) and a signed whole amount. */
export interface Posting {
  readonly account: number | SystemAccount;
  readonly amount: number;
}

/** Accounts without owner and without running balance, so that they are no hot lock. Source: group 22, Accounts. */
export type SystemAccount =
  | 'points_issue'
  | 'points_redeemed'
  | 'points_expired'
  | 'points_clawed_back'
  | 'deposit_bank'
  | 'deposit_kept'
  | SettlementAccount;

/** Accounts of the platform that the money of merchants' statements moves between. Source: group 13, rule 6. */
export type SettlementAccount =
  | 'settlement_source'
  | 'subsidy_expense'
  | 'commission_income'
  | 'channel_fee_recovered'
  | 'settlement_adjustment'
  | 'settlement_bank'
  | 'withdrawal_fee';

/** What a line of a member's statement is. Source: group 22, rule 12. */
export const LINE_KINDS = {
  signIn: 1,
  task: 2,
  purchase: 3,
  rebate: 4,
  staff: 5,
  adjustment: 6,
  redemption: 7,
  order: 8,
  refund: 9,
  takeBack: 10,
  expiry: 11,
  recall: 12,
  card: 13,
  debt: 14,
  hold: 15,
} as const;

/** What a transfer may carry besides its postings. */
export interface TransferFacts {
  readonly staffId?: number | undefined;
  readonly note?: string | undefined;
  readonly memberId?: number | undefined;
  /** One of {@link LINE_KINDS}. */
  readonly kind?: number | undefined;
  readonly ruleId?: number | undefined;
  readonly budgetId?: number | undefined;
  /** The transfer it gives back or takes back. */
  readonly reverses?: number | undefined;
  readonly countsForGrade?: boolean | undefined;
  /** When it happens; absent: the database's clock. */
  readonly at?: Date | undefined;
}

/**
 * Locks the accounts of members in ascending member id, making them where they do not exist, and returns them in that
 * order. Call it once and first in a transaction that touches several members. Source: group 22, Accounts.
 */
export async function lockMembers(
  tx: Tx,
  memberIds: readonly number[],
  unit: LedgerUnit = 'point',
): Promise<MemberAccounts[]> {
  const members = [...new Set(memberIds)].sort((a, b) => a - b);
  if (members.length === 0) return [];
  const rows =
    members.length === 1 ? await lockOne(tx, members[0]!, unit) : await lockMany(tx, members, unit);
  if (rows.length !== members.length * 3) throw new Error('members without ledger accounts');
  return members.map((memberId, index) => {
    const [available, debt, held] = rows.slice(index * 3, index * 3 + 3);
    return {
      memberId,
      unit,
      availableId: available!.id,
      heldId: held!.id,
      debtId: debt!.id,
      available: available!.balance,
      held: held!.balance,
      owed: Math.abs(debt!.balance),
    };
  });
}

/** Three accounts a member, by kind: available, debt, held. */
interface AccountRow {
  readonly id: number;
  readonly kind: string;
  readonly balance: number;
}

/** The accounts of one member by one statement, as most transactions need it. */
async function lockOne(tx: Tx, memberId: number, unit: LedgerUnit): Promise<AccountRow[]> {
  const lock = () =>
    run<AccountRow>(
      tx,
      `WITH found AS MATERIALIZED (SELECT id, kind, balance FROM ledger_account
         WHERE owner = $1 AND unit = $2 AND kind IN ('points_available', 'points_debt', 'points_held') ORDER BY kind FOR UPDATE),
       made AS (INSERT INTO ledger_account (kind, owner, unit, balance, may_be_negative)
         SELECT k.kind, $1, $2, 0, k.kind = 'points_debt' FROM unnest(ARRAY['points_available', 'points_held', 'points_debt']) AS k (kind)
          WHERE k.kind NOT IN (SELECT kind FROM found) ON CONFLICT (kind, owner, unit) DO NOTHING RETURNING id, kind, balance)
       SELECT id, kind, balance FROM found UNION ALL SELECT id, kind, balance FROM made ORDER BY kind`,
      [String(memberId), unit],
    );
  const rows = await lock();
  // Fewer: somebody else was just making them, and is done now.
  return rows.length < 3 ? lock() : rows;
}

/** Accounts of many members in their order; those that are missing are made before any is locked. */
async function lockMany(tx: Tx, members: readonly number[], unit: LedgerUnit): Promise<AccountRow[]> {
  const find = (lock: '' | 'FOR UPDATE') =>
    run<AccountRow>(
      tx,
      `SELECT id, kind, balance FROM ledger_account
        WHERE owner = ANY($1::text[]) AND unit = $2 AND kind IN ('points_available', 'points_debt', 'points_held')
        ORDER BY member_id, kind ${lock}`,
      [members.map(String), unit],
    );
  if ((await find('')).length < members.length * 3)
    await run(
      tx,
      `INSERT INTO ledger_account (kind, owner, unit, balance, may_be_negative)
       SELECT k.kind, m.id::text, $2, 0, k.kind = 'points_debt'
         FROM unnest($1::bigint[]) AS m(id) CROSS JOIN unnest(ARRAY['points_available', 'points_debt', 'points_held']) AS k(kind)
        ORDER BY m.id, k.kind ON CONFLICT (kind, owner, unit) DO NOTHING`,
      [members, unit],
    );
  return find('FOR UPDATE');
}

/** The transfer booked for a source, or undefined; the amount is what it moved in all (Σ of its positive entries). */
export async function transferOf(
  db: Executor,
  source: LedgerSource,
): Promise<{ id: number; amount: number } | undefined> {
  return runOne<{ id: number; amount: number }>(
    db,
    `SELECT t.id, coalesce((SELECT sum(e.amount) FROM ledger_entry e WHERE e.transfer_id = t.id AND e.amount > 0), 0)::bigint AS amount
       FROM ledger_transfer t WHERE t.source_type = $1 AND t.source_id = $2 AND t.purpose = $3`,
    [source.type, source.id, source.purpose],
  );
}

/**
 * Books one transfer: its postings must sum to 0 (the database refuses it at COMMIT otherwise) and never take a member
 * account below 0 (23514). Member accounts named by id must be locked. Returns the transfer id. Throws 23505 when the
 * source was booked before: callers look with {@link transferOf} behind the lock.
 */
export async function bookTransfer(
  tx: Tx,
  source: LedgerSource,
  unit: LedgerUnit,
  postings: readonly Posting[],
  more: TransferFacts = {},
): Promise<number> {
  const sides: { account: number; amount: number }[] = [];
  for (const { account, amount } of postings) {
    if (amount === 0) continue;
    sides.push({
      account: typeof account === 'number' ? account : await systemAccount(tx, account, unit),
      amount,
    });
  }
  // One statement moves an account once: what comes to it again is written behind.
  const again = sides.filter((side, index) => sides.findIndex((one) => one.account === side.account) < index);
  const once = sides.filter((side) => !again.includes(side));
  const transfer = await runOne<{ id: number }>(
    tx,
    `WITH t AS (INSERT INTO ledger_transfer (source_type, source_id, purpose, staff_id, note, member_id, kind, rule_id, budget_id, reverses, counts_for_grade, at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, coalesce($12::timestamptz, clock_timestamp())) RETURNING id),
     side AS (SELECT * FROM unnest($13::bigint[], $14::bigint[]) WITH ORDINALITY AS s (account, amount, n)),
     touched AS (UPDATE ledger_account a SET balance = a.balance + side.amount FROM side WHERE a.id = side.account AND a.balance IS NOT NULL
       RETURNING a.id, a.balance),
     booked AS (INSERT INTO ledger_entry (transfer_id, account_id, amount, balance_after)
       SELECT t.id, side.account, side.amount, touched.balance FROM t CROSS JOIN side LEFT JOIN touched ON touched.id = side.account ORDER BY side.n)
     SELECT id FROM t`,
    [
      source.type,
      source.id,
      source.purpose,
      more.staffId ?? null,
      more.note ?? '',
      more.memberId ?? null,
      more.kind ?? null,
      more.ruleId ?? null,
      more.budgetId ?? null,
      more.reverses ?? null,
      more.countsForGrade ?? false,
      more.at ?? null,
      once.map((side) => side.account),
      once.map((side) => side.amount),
    ],
  );
  for (const side of again)
    await run(
      tx,
      `WITH touched AS (
         UPDATE ledger_account SET balance = balance + $3 WHERE id = $2 AND balance IS NOT NULL RETURNING balance)
       INSERT INTO ledger_entry (transfer_id, account_id, amount, balance_after)
       VALUES ($1, $2, $3, (SELECT balance FROM touched))`,
      [transfer!.id, side.account, side.amount],
    );
  if (unit === 'point' && more.memberId !== undefined) await followGrade(tx, more.memberId, postings, more);
  return transfer!.id;
}

/** One of many transfers that are booked together: accounts by their ids, each locked. */
export interface ManyTransfer {
  readonly source: LedgerSource;
  readonly memberId: number;
  readonly postings: readonly { readonly account: number; readonly amount: number }[];
  /** The transfer it takes back. */
  readonly reverses?: number;
}

/**
 * Books many transfers of points by one statement for each table, each as {@link bookTransfer} would; returns their ids in the
 * order given. Throws 23505 when one was booked before. Of transfers that take something back the caller moves the grade.
 */
export async function bookMany(
  tx: Tx,
  transfers: readonly ManyTransfer[],
  facts: Omit<TransferFacts, 'memberId' | 'reverses'>,
): Promise<number[]> {
  const made = await run<{ id: number; key: string }>(
    tx,
    `INSERT INTO ledger_transfer (source_type, source_id, purpose, member_id, reverses, staff_id, note, kind, budget_id, counts_for_grade, at, rule_id)
     SELECT x.type, x.id, x.purpose, x.member, x.reverses, $6, $7, $8, $9, $10, coalesce($11::timestamptz, clock_timestamp()), $12
       FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[]) WITH ORDINALITY AS x(type, id, purpose, member, reverses, nr) ORDER BY x.nr
     RETURNING id, source_type || ' ' || source_id || ' ' || purpose AS key`,
    [
      transfers.map((one) => one.source.type),
      transfers.map((one) => one.source.id),
      transfers.map((one) => one.source.purpose),
      transfers.map((one) => one.memberId),
      transfers.map((one) => one.reverses ?? null),
      facts.staffId ?? null,
      facts.note ?? '',
      facts.kind ?? null,
      facts.budgetId ?? null,
      facts.countsForGrade ?? false,
      facts.at ?? null,
      facts.ruleId ?? null,
    ],
  );
  const byKey = new Map(made.map((row) => [row.key, row.id]));
  const ids = transfers.map(({ source }) => byKey.get(`${source.type} ${source.id} ${source.purpose}`)!);
  const entries = transfers.flatMap(({ postings }, index) =>
    postings.filter(({ amount }) => amount !== 0).map((one) => ({ ...one, transfer: ids[index]! })),
  );
  const moved = new Map<number, number>();
  for (const { account, amount } of entries) moved.set(account, (moved.get(account) ?? 0) + amount);
  const balances = new Map(
    (
      await run<{ id: number; balance: number }>(
        tx,
        `UPDATE ledger_account a SET balance = a.balance + x.amount FROM unnest($1::bigint[], $2::bigint[]) AS x(id, amount)
          WHERE a.id = x.id AND a.balance IS NOT NULL RETURNING a.id, a.balance`,
        [[...moved.keys()], [...moved.values()]],
      )
    ).map((row) => [row.id, row.balance - moved.get(row.id)!]),
  );
  await run(
    tx,
    `INSERT INTO ledger_entry (transfer_id, account_id, amount, balance_after)
     SELECT x.transfer, x.account, x.amount, x.after
       FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) WITH ORDINALITY AS x(transfer, account, amount, after, nr) ORDER BY x.nr`,
    [
      entries.map((one) => one.transfer),
      entries.map((one) => one.account),
      entries.map((one) => one.amount),
      entries.map(({ account, amount }) => {
        const before = balances.get(account);
        if (before === undefined) return null;
        balances.set(account, before + amount);
        return before + amount;
      }),
    ],
  );
  if (facts.countsForGrade)
    await moveBases(
      tx,
      transfers.map(({ memberId, postings }) => ({
        memberId,
        by: postings.reduce((sum, { amount }) => sum + Math.max(amount, 0), 0),
      })),
    );
  return ids;
}

/** The basis of a member's grade follows grants that count and what takes them back. */
async function followGrade(
  tx: Tx,
  memberId: number,
  postings: readonly Posting[],
  { countsForGrade, reverses }: TransferFacts,
): Promise<void> {
  const moved = postings.reduce((sum, { amount }) => sum + Math.max(amount, 0), 0);
  if (countsForGrade) return moveBases(tx, [{ memberId, by: moved }]);
  if (reverses === undefined) return;
  const counted = await runOne(tx, 'SELECT FROM ledger_transfer WHERE id = $1 AND counts_for_grade', [
    reverses,
  ]);
  if (counted) await moveBases(tx, [{ memberId, by: -moved }]);
}

/** Notes which lots a transfer took from or gave to, in order. */
export async function noteUses(
  tx: Tx,
  transferId: number,
  kind: 'hold' | 'release' | 'capture' | 'spend' | 'refund' | 'clawback' | 'expire' | 'recall',
  parts: readonly { readonly lotId: number; readonly amount: number }[],
): Promise<void> {
  for (const [index, part] of parts.entries())
    await run(
      tx,
      'INSERT INTO points_lot_use (transfer_id, lot_id, seq, amount, kind) VALUES ($1, $2, $3, $4, $5)',
      [transferId, part.lotId, index + 1, part.amount, kind],
    );
}

async function systemAccount(tx: Tx, kind: SystemAccount, unit: LedgerUnit): Promise<number> {
  const find = () =>
    runOne<{ id: number }>(tx, `SELECT id FROM ledger_account WHERE kind = $1 AND owner = '' AND unit = $2`, [
      kind,
      unit,
    ]);
  const found = await find();
  if (found) return found.id;
  await run(
    tx,
    `INSERT INTO ledger_account (kind, owner, unit, may_be_negative) VALUES ($1, '', $2, $3) ON CONFLICT (kind, owner, unit) DO NOTHING`,
    [kind, unit, kind === 'points_issue'],
  );
  return (await find())!.id;
}
