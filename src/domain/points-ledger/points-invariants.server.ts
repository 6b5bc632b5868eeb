import { run } from '../../kernel/server/database.ts';
import type { Invariant } from '../../kernel/server/registration.ts';

/** What must hold in the points and coin ledger at any time. Source: group 22, Invariants. */
export const pointsInvariants: readonly Invariant[] = [
  rule(
    'points.transfer_balanced',
    'SELECT t.id, t.source_type, coalesce(sum(e.amount), 1) AS found, 0 AS expected FROM ledger_transfer t LEFT JOIN ledger_entry e ON e.transfer_id = t.id GROUP BY t.id',
    (row) => `transfer ${row.id} (${row.source_type}) sums to ${row.found}`,
  ),
  rule(
    'points.balance_is_sum_of_entries',
    `SELECT a.id, a.kind || ':' || a.owner AS name, a.balance AS found,
            coalesce((SELECT sum(e.amount) FROM ledger_entry e WHERE e.account_id = a.id), 0)::bigint AS expected
       FROM ledger_account a WHERE a.balance IS NOT NULL`,
    (row) => `account ${row.name}: balance ${row.found}, entries ${row.expected}`,
  ),
  rule(
    'points.lots_are_available',
    `SELECT a.id, a.owner AS name, a.balance AS found,
            coalesce((SELECT sum(l.remaining) FROM points_lot l WHERE l.account_id = a.id), 0)::bigint AS expected
       FROM ledger_account a WHERE a.kind = 'points_available'`,
    (row) => `member ${row.name}: available ${row.found}, left in lots ${row.expected}`,
  ),
  rule(
    'points.lots_are_held',
    `SELECT h.id, h.owner AS name, h.balance AS found,
            coalesce((SELECT sum(l.held) FROM points_lot l JOIN ledger_account a ON a.id = l.account_id
                       WHERE a.kind = 'points_available' AND a.owner = h.owner AND a.unit = h.unit), 0)::bigint AS expected
       FROM ledger_account h WHERE h.kind = 'points_held'`,
    (row) => `member ${row.name}: held ${row.found}, held in lots ${row.expected}`,
  ),
  rule(
    'points.returned_is_refunded',
    `SELECT unit AS name, sum(returned)::bigint AS found, sum(refunded)::bigint AS expected FROM (
       SELECT a.unit, CASE WHEN u.kind IN ('capture', 'spend') THEN u.returned ELSE 0 END AS returned, 0 AS refunded
         FROM points_lot_use u JOIN points_lot l ON l.id = u.lot_id JOIN ledger_account a ON a.id = l.account_id
       UNION ALL
       SELECT a.unit, 0, -e.amount FROM ledger_entry e JOIN ledger_account a ON a.id = e.account_id
        WHERE a.kind = 'points_redeemed' AND e.amount < 0) moved GROUP BY unit`,
    (row) => `${row.name}: returned to spends ${row.found}, taken back from redeemed ${row.expected}`,
  ),
];

interface Compared {
  readonly found: number | string;
  readonly expected: number | string;
  readonly [name: string]: unknown;
}

function rule(name: string, text: string, problem: (row: Compared) => string): Invariant {
  return {
    name,
    check: async (platform) => {
      const rows = await run<Compared>(platform.database.db, text);
      const broken = rows.filter((row) => Number(row.found) !== Number(row.expected));
      return { looked: rows.length, problems: broken.map(problem) };
    },
  };
}
