import { run, type Tx } from '../../kernel/server/database.ts';

/** A member demonstration rows are made for. */
export interface DemoMember {
  readonly id: number;
  readonly project_id: number;
  readonly name: string;
  readonly phone: string;
}

/**
 * The first members whose statements end before an instant, so that lines booked for it and later follow in time and the
 * balances of each statement are those of its order.
 */
export async function membersQuietSince(
  tx: Tx,
  since: Date,
  count: number,
  withPoints = false,
): Promise<DemoMember[]> {
  return run<DemoMember>(
    tx,
    `SELECT m.id, m.project_id, m.name, m.phone FROM member m
      WHERE m.project_id IS NOT NULL AND NOT m.official AND m.registered_at < $1
        AND NOT EXISTS (SELECT FROM points_line l WHERE l.member_id = m.id AND l.at >= $1)
        AND (NOT $3 OR EXISTS (SELECT FROM ledger_account a WHERE a.member_id = m.id AND a.kind = 'points_available' AND a.unit = 'point' AND a.balance > 0))
      ORDER BY m.id LIMIT $2`,
    [since, count, withPoints],
  );
}
