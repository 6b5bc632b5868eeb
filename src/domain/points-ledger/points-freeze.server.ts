import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';

/** SQL: the freeze `f` is in force now. */
export const FREEZE_OPEN = '(f.lifted_at IS NULL AND (f.until_at IS NULL OR f.until_at > now()))';

/** Whether a member may not hold or spend now. */
export async function isFrozen(db: Executor, memberId: number, at?: Date): Promise<boolean> {
  return Boolean(
    await runOne(
      db,
      `SELECT FROM points_account_freeze WHERE member_id = $1 AND lifted_at IS NULL AND from_at <= greatest($2::timestamptz, clock_timestamp())
          AND (until_at IS NULL OR until_at > coalesce($2::timestamptz, clock_timestamp()))`,
      [memberId, at ?? null],
    ),
  );
}

/** Refuses (30101) what a frozen account may not do. Source: group 22, rule 10. */
export async function requireUsable(tx: Tx, memberId: number, at?: Date): Promise<void> {
  if (await isFrozen(tx, memberId, at)) throw ruleBroken(['积分账户已冻结', 'Points account is frozen']);
}

/** Freezes an account whose lock the caller holds. Throws 30101 when it is frozen already. */
export async function freezeAccount(
  tx: Tx,
  freeze: {
    readonly memberId: number;
    readonly reason: string;
    readonly until: Date | null;
    readonly staffId: number;
  },
): Promise<void> {
  // What ran out lifted itself then.
  await run(
    tx,
    'UPDATE points_account_freeze SET lifted_at = until_at WHERE member_id = $1 AND lifted_at IS NULL AND until_at <= clock_timestamp()',
    [freeze.memberId],
  );
  const made = await run(
    tx,
    `INSERT INTO points_account_freeze (member_id, reason, until_at, created_by) VALUES ($1, $2, $3, $4)
     ON CONFLICT (member_id) WHERE lifted_at IS NULL DO NOTHING RETURNING id`,
    [freeze.memberId, freeze.reason, freeze.until, freeze.staffId],
  );
  if (made.length === 0) throw ruleBroken(['积分账户已冻结', 'Points account is frozen']);
}

/** Lifts the open freeze. Throws 30101 when there is none. */
export async function unfreezeAccount(
  tx: Tx,
  lift: { readonly memberId: number; readonly reason: string; readonly staffId: number },
): Promise<void> {
  const lifted = await run(
    tx,
    `UPDATE points_account_freeze SET lifted_at = clock_timestamp(), lifted_by = $2, lift_reason = $3
      WHERE member_id = $1 AND lifted_at IS NULL AND (until_at IS NULL OR until_at > clock_timestamp()) RETURNING id`,
    [lift.memberId, lift.staffId, lift.reason],
  );
  if (lifted.length === 0) throw ruleBroken(['积分账户未冻结', 'Points account is not frozen']);
}
