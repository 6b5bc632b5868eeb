import { run, type Executor } from '../../kernel/server/database.ts';
import type { Invariant } from '../../kernel/server/registration.ts';

/** One thing that is off in the accounts of members: what was looked at, what stands there and what should. */
export interface Difference {
  readonly rule: string;
  readonly memberId: number | null;
  readonly subject: string;
  readonly found: number;
  readonly expected: number;
}

/** Sums of what came to a member and left, from the other sides of the member's transfers; `a` is the available account. */
const MOVED = `(SELECT coalesce(-sum(CASE WHEN o.kind IN ('points_issue', 'points_budget', 'points_budget_hold', 'points_redeemed', 'points_expired', 'points_clawed_back')
    THEN e.amount ELSE 0 END), 0)::bigint FROM ledger_transfer t JOIN ledger_entry e ON e.transfer_id = t.id JOIN ledger_account o ON o.id = e.account_id
   WHERE t.member_id = a.member_id AND o.unit = a.unit)`;

/** Rules over single accounts, with what is found and expected; `a` is an account of a member. */
const RULES: Readonly<Record<string, (only: string) => string>> = {
  balance: (only) =>
    `SELECT a.member_id, a.kind || ':' || a.owner AS subject, a.balance AS found,
            coalesce((SELECT sum(e.amount) FROM ledger_entry e WHERE e.account_id = a.id), 0)::bigint AS expected
       FROM ledger_account a WHERE a.member_id IS NOT NULL ${only}`,
  lots: (only) =>
    `SELECT a.member_id, a.kind || ':' || a.owner AS subject, a.balance AS found,
            coalesce((SELECT sum(l.remaining) FROM points_lot l WHERE l.account_id = a.id), 0)::bigint AS expected
       FROM ledger_account a WHERE a.kind = 'points_available' ${only}`,
  held: (only) =>
    `SELECT a.member_id, h.kind || ':' || h.owner AS subject, h.balance AS found,
            coalesce((SELECT sum(l.held) FROM points_lot l WHERE l.account_id = a.id), 0)::bigint AS expected
       FROM ledger_account a JOIN ledger_account h ON h.kind = 'points_held' AND h.owner = a.owner AND h.unit = a.unit
      WHERE a.kind = 'points_available' ${only}`,
  identity: (only) =>
    `SELECT a.member_id, 'member:' || a.owner AS subject,
            (SELECT sum(b.balance)::bigint FROM ledger_account b WHERE b.member_id = a.member_id AND b.unit = a.unit) AS found, ${MOVED} AS expected
       FROM ledger_account a WHERE a.kind = 'points_available' ${only}`,
  last_line: (only) =>
    `SELECT a.member_id, a.kind || ':' || a.owner AS subject,
            (SELECT e.balance_after FROM ledger_entry e WHERE e.account_id = a.id ORDER BY e.id DESC LIMIT 1) AS found, a.balance AS expected
       FROM ledger_account a WHERE a.member_id IS NOT NULL AND EXISTS (SELECT FROM ledger_entry e WHERE e.account_id = a.id) ${only}`,
};

/** Rules over the whole ledger. */
const WHOLE: Readonly<Record<string, string>> = {
  'points.sums_to_zero': `SELECT NULL::bigint AS member_id, 'all accounts in ' || a.unit AS subject, sum(e.amount)::bigint AS found, 0::bigint AS expected
     FROM ledger_entry e JOIN ledger_account a ON a.id = e.account_id GROUP BY a.unit`,
  'points.budget_balance': `SELECT NULL::bigint AS member_id, a.kind || ':' || a.owner AS subject, a.balance AS found,
            coalesce((SELECT sum(e.amount) FROM ledger_entry e WHERE e.account_id = a.id), 0)::bigint AS expected
     FROM ledger_account a WHERE a.kind IN ('points_budget', 'points_budget_hold')`,
  'points.refunds_within_spend': `SELECT t.member_id, 'transfer:' || t.id AS subject,
            greatest((SELECT coalesce(sum(abs(e.amount)), 0) FROM ledger_transfer r JOIN ledger_entry e ON e.transfer_id = r.id JOIN ledger_account a ON a.id = e.account_id
               WHERE r.reverses = t.id AND a.kind IN ('points_redeemed', 'points_clawed_back')),
              (SELECT sum(e.amount) FROM ledger_entry e WHERE e.transfer_id = t.id AND e.amount > 0))::bigint AS found,
            (SELECT sum(e.amount) FROM ledger_entry e WHERE e.transfer_id = t.id AND e.amount > 0)::bigint AS expected
     FROM ledger_transfer t WHERE EXISTS (SELECT FROM ledger_transfer r WHERE r.reverses = t.id)`,
};

/** What is off in the accounts of some members, or of all; changes nothing. Source: group 22, reconcile. */
export async function differencesOf(
  db: Executor,
  memberIds?: readonly number[],
): Promise<{ readonly looked: number; readonly differences: readonly Difference[] }> {
  const differences: Difference[] = [];
  let looked = 0;
  for (const [rule, sql] of Object.entries(RULES)) {
    const rows = await compared(
      db,
      sql(memberIds ? 'AND a.member_id = ANY($1::bigint[])' : ''),
      memberIds ? [memberIds] : [],
    );
    looked += rows.length;
    differences.push(...rows.filter((row) => row.found !== row.expected).map((row) => ({ ...row, rule })));
  }
  return { looked, differences };
}

/** What must hold in the accounts of members, beside the rules over lots. Source: group 22, Invariants. */
export const pointsAccountInvariants: readonly Invariant[] = [
  ...['identity', 'last_line'].map((rule) => ({
    name: `points.member_${rule}`,
    check: (platform: { database: { db: Executor } }) => check(platform.database.db, RULES[rule]!('')),
  })),
  ...Object.entries(WHOLE).map(([name, sql]) => ({
    name,
    check: (platform: { database: { db: Executor } }) => check(platform.database.db, sql),
  })),
];

async function compared(db: Executor, sql: string, values: readonly unknown[]) {
  const rows = await run<{
    member_id: number | null;
    subject: string;
    found: number | null;
    expected: number;
  }>(db, sql, values);
  return rows.map((row) => ({
    memberId: row.member_id,
    subject: row.subject,
    found: Number(row.found ?? 0),
    expected: Number(row.expected),
  }));
}

async function check(db: Executor, sql: string) {
  const rows = await compared(db, sql, []);
  return {
    looked: rows.length,
    problems: rows
      .filter((row) => row.found !== row.expected)
      .map((row) => `${row.subject}: found ${row.found}, expected ${row.expected}`),
  };
}
