import { runOne, run, type Executor } from '../../../kernel/server/database.ts';
import { afterFailure, minutesToWait, NEVER_FAILED, type LockState } from './lockout.rules.ts';

/** A staff row as signing in needs it; locked until the transaction ends. */
export interface SigningStaff {
  readonly id: number;
  readonly account: string;
  readonly name: string;
  readonly tenantId: number;
  readonly state: string;
  readonly isTenantEnabled: boolean;
  readonly passwordHash: string | null;
  readonly passwordChangedAt: Date;
  readonly mustChangePassword: boolean;
  readonly lock: LockState;
  /** The database's clock, milliseconds since the epoch. */
  readonly now: number;
}

/** By which unique value a staff is looked up. */
export type StaffKey =
  | { readonly account: string }
  | { readonly id: number }
  | { readonly sso: string }
  | { readonly phone: string };

/** Finds a staff and locks the row, so that tries on one account follow each other. Undefined when there is none. */
export async function lockStaff(tx: Executor, key: StaffKey): Promise<SigningStaff | undefined> {
  const [condition, value] =
    'account' in key
      ? ['lower(s.account) = lower($1)', key.account]
      : 'id' in key
        ? ['s.id = $1', key.id]
        : 'sso' in key
          ? ['s.sso_account = $1', key.sso]
          : [`s.phone = $1 AND s.state <> 'left'`, key.phone];
  const row = await runOne<StaffRow>(
    tx,
    `SELECT s.id, s.account, s.name, s.tenant_id, s.state, n.enabled AS tenant_enabled, s.password_hash,
            s.password_changed_at, s.must_change_password, s.failed_count, s.failed_since, s.locked_until, s.lock_minutes,
            clock_timestamp() AS clock
       FROM staff s JOIN tenant n ON n.id = s.tenant_id WHERE ${condition} FOR NO KEY UPDATE OF s`,
    [value],
  );
  return row && staffOf(row);
}

/** Whole minutes the staff still waits after failures, 0 when free. */
export function staffWait(staff: SigningStaff): number {
  return minutesToWait(staff.lock, staff.now);
}

/** Counts a failed password of a staff. */
export async function countFailure(tx: Executor, staff: SigningStaff): Promise<void> {
  await writeLock(tx, staff.id, afterFailure(staff.lock, staff.now));
}

/** Forgets the failures of a staff after a success. */
export async function clearFailures(tx: Executor, staffId: number): Promise<void> {
  await writeLock(tx, staffId, NEVER_FAILED);
}

/**
 * Minutes an account that does not exist waits: it locks like a real one, so that waiting tells nobody which exist.
 * Kept in this process only, for the accounts tried last.
 */
export function unknownAccountWait(account: string, now: number): number {
  const state = unknown.get(account.toLowerCase());
  return state ? minutesToWait(state, now) : 0;
}

/** Counts a failure of an account that does not exist. */
export function countUnknownFailure(account: string, now: number): void {
  const key = account.toLowerCase();
  const state = afterFailure(unknown.get(key) ?? NEVER_FAILED, now);
  unknown.delete(key);
  unknown.set(key, state);
  const oldest = unknown.keys().next().value;
  if (unknown.size > MOST_UNKNOWN && oldest !== undefined) unknown.delete(oldest);
}

interface StaffRow {
  readonly id: number;
  readonly account: string;
  readonly name: string;
  readonly tenant_id: number;
  readonly state: string;
  readonly tenant_enabled: boolean;
  readonly password_hash: string | null;
  readonly password_changed_at: Date;
  readonly must_change_password: boolean;
  readonly failed_count: number;
  readonly failed_since: Date | null;
  readonly locked_until: Date | null;
  readonly lock_minutes: number;
  readonly clock: Date;
}

const MOST_UNKNOWN = 10_000;
const unknown = new Map<string, LockState>();

function staffOf(row: StaffRow): SigningStaff {
  return {
    id: row.id,
    account: row.account,
    name: row.name,
    tenantId: row.tenant_id,
    state: row.state,
    isTenantEnabled: row.tenant_enabled,
    passwordHash: row.password_hash,
    passwordChangedAt: row.password_changed_at,
    mustChangePassword: row.must_change_password,
    lock: {
      failedCount: row.failed_count,
      failedSince: row.failed_since?.getTime() ?? null,
      lockedUntil: row.locked_until?.getTime() ?? null,
      lockMinutes: row.lock_minutes,
    },
    now: row.clock.getTime(),
  };
}

async function writeLock(tx: Executor, staffId: number, lock: LockState): Promise<void> {
  const instant = (at: number | null): Date | null => (at === null ? null : new Date(at));
  await run(
    tx,
    'UPDATE staff SET failed_count = $2, failed_since = $3, locked_until = $4, lock_minutes = $5 WHERE id = $1',
    [staffId, lock.failedCount, instant(lock.failedSince), instant(lock.lockedUntil), lock.lockMinutes],
  );
}
