import { runOne, type Executor } from '../../../kernel/server/database.ts';

/** Points a member can spend now; 0 without an account. */
export async function pointsBalance(db: Executor, memberId: number): Promise<number> {
  const row = await runOne<{ balance: number }>(
    db,
    `SELECT balance FROM ledger_account WHERE kind = 'points_available' AND owner = $1 AND unit = 'point'`,
    [String(memberId)],
  );
  return row?.balance ?? 0;
}
