import { ONE_TIME_DAYS } from '../../kernel/contract/password.rules.ts';
import { run, runOne, type Executor } from '../../kernel/server/database.ts';
import { notifyStaffChanged } from '../../kernel/server/people/session-changes.ts';
import type { HashSlot } from '../../kernel/server/people/password-hash.ts';

/** True when the password is the present one or one of the last `count` ones. */
export async function isUsedBefore(
  tx: Executor,
  slot: HashSlot,
  staff: { readonly id: number; readonly passwordHash: string | null },
  password: string,
  count: number,
): Promise<boolean> {
  const rows = await run<{ hash: string }>(
    tx,
    'SELECT hash FROM password_history WHERE staff_id = $1 ORDER BY at DESC LIMIT $2',
    [staff.id, count],
  );
  const hashes = new Set(rows.map((row) => row.hash));
  if (staff.passwordHash) hashes.add(staff.passwordHash);
  for (const hash of hashes) if (await slot.verify(hash, password)) return true;
  return false;
}

/** True while the password is one somebody else handed over or had sent: its staff has not chosen an own one yet. */
export async function hasOneTimePassword(db: Executor, staffId: number): Promise<boolean> {
  const row = await runOne(
    db,
    'SELECT 1 FROM staff WHERE id = $1 AND must_change_password AND one_time_until IS NOT NULL',
    [staffId],
  );
  return row !== undefined;
}

/** What a new password means for its staff. */
export interface NewPassword {
  readonly staffId: number;
  /** argon2id hash, see password-hash.ts. */
  readonly hash: string;
  /** Who sets it: the staff itself, somebody else who could then sign in as it, or null for the installation. */
  readonly by: number | null;
  /** True for a password somebody else chose: the staff must change it at the next sign-in. */
  readonly mustChange: boolean;
  /** False for the start password of an installation, which nobody could issue anew; see docs/decisions/0008. */
  readonly lapses?: boolean;
}

/** Stores a password, keeps it in the history and makes every instance look at the staff again. Ends no session. */
export async function storePassword(tx: Executor, password: NewPassword): Promise<void> {
  const { staffId, by, hash, mustChange, lapses = true } = password;
  await run(
    tx,
    `UPDATE staff SET password_hash = $2, must_change_password = $3, password_changed_at = now(),
            one_time_until = CASE WHEN $4 THEN clock_timestamp() + make_interval(days => $5) END,
            failed_count = 0, failed_since = NULL, locked_until = NULL, lock_minutes = 0
      WHERE id = $1`,
    [staffId, hash, mustChange, mustChange && lapses, ONE_TIME_DAYS],
  );
  if (by !== null && by !== staffId)
    await run(
      tx,
      'INSERT INTO account_opener (staff_id, opener_id) VALUES ($1, $2) ON CONFLICT (staff_id, opener_id) DO UPDATE SET last_at = clock_timestamp()',
      [staffId, by],
    );
  await run(tx, 'INSERT INTO password_history (staff_id, hash, at) VALUES ($1, $2, clock_timestamp())', [
    staffId,
    hash,
  ]);
  await run(
    tx,
    `DELETE FROM password_history WHERE staff_id = $1 AND at <
       (SELECT at FROM password_history WHERE staff_id = $1 ORDER BY at DESC OFFSET ${KEPT - 1} LIMIT 1)`,
    [staffId],
  );
  await notifyStaffChanged(tx, staffId);
}

// More than the setting auth.password.history will ever ask for.
const KEPT = 24;
