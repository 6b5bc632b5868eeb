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
  /** True for a one-time password that nobody used in time. */
  readonly isLapsed: boolean;
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
            coalesce(s.one_time_until <= clock_timestamp(), false) AS is_lapsed, clock_timestamp() AS clock
       FROM staff s JOIN tenant n ON n.id = s.tenant_id WHERE ${condition} FOR NO KEY UPDATE OF s`,
    [value],
  );
  return row && staffOf(row);
}

/** Whole minutes an account, or a name that is none, still waits after failures; 0 when free. */
export function waitOf(account: SigningStaff | UnknownAccount): number {
  return minutesToWait(account.lock, account.now);
}

/** Counts a failed password of a staff. */
export async function countFailure(tx: Executor, staff: SigningStaff): Promise<void> {
  await writeLock(tx, { table: 'staff', key: 'id', value: staff.id }, afterFailure(staff.lock, staff.now));
}

/** Forgets the failures of a staff after a success. */
export async function clearFailures(tx: Executor, staffId: number): Promise<void> {
  await writeLock(tx, { table: 'staff', key: 'id', value: staffId }, NEVER_FAILED);
}

/** A name that is no account, as signing in needs it; locked until the transaction ends. */
export interface UnknownAccount {
  readonly account: string;
  readonly lock: LockState;
  /** The database's clock, milliseconds since the epoch. */
  readonly now: number;
}

/**
 * What a name that is no account has failed so far. It is kept in the database and locked like a staff row, so that it
 * waits as a real account does, on every instance and after a restart: waiting tells nobody which accounts exist.
 */
export async function lockUnknownAccount(tx: Executor, account: string): Promise<UnknownAccount> {
  const row = await runOne<LockRow & { account: string }>(
    tx,
    `INSERT INTO unknown_account (account) VALUES (left(lower($1), 200))
     ON CONFLICT (account) DO UPDATE SET tried_at = excluded.tried_at
     RETURNING account, failed_count, failed_since, locked_until, lock_minutes, clock_timestamp() AS clock`,
    [account],
  );
  return { account: row!.account, lock: lockOf(row!), now: row!.clock.getTime() };
}

/** Counts a failure of a name that is no account. */
export async function countUnknownFailure(tx: Executor, unknown: UnknownAccount): Promise<void> {
  await writeLock(
    tx,
    { table: 'unknown_account', key: 'account', value: unknown.account },
    afterFailure(unknown.lock, unknown.now),
  );
}

interface LockRow {
  readonly failed_count: number;
  readonly failed_since: Date | null;
  readonly locked_until: Date | null;
  readonly lock_minutes: number;
  readonly clock: Date;
}

interface StaffRow extends LockRow {
  readonly id: number;
  readonly account: string;
  readonly name: string;
  readonly tenant_id: number;
  readonly state: string;
  readonly tenant_enabled: boolean;
  readonly password_hash: string | null;
  readonly password_changed_at: Date;
  readonly must_change_password: boolean;
  readonly is_lapsed: boolean;
}

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
    isLapsed: row.is_lapsed,
    lock: lockOf(row),
    now: row.clock.getTime(),
  };
}

function lockOf(row: LockRow): LockState {
  return {
    failedCount: row.failed_count,
    failedSince: row.failed_since?.getTime() ?? null,
    lockedUntil: row.locked_until?.getTime() ?? null,
    lockMinutes: row.lock_minutes,
  };
}

type LockedRow =
  | { readonly table: 'staff'; readonly key: 'id'; readonly value: number }
  | { readonly table: 'unknown_account'; readonly key: 'account'; readonly value: string };

async function writeLock(tx: Executor, row: LockedRow, lock: LockState): Promise<void> {
  const instant = (at: number | null): Date | null => (at === null ? null : new Date(at));
  await run(
    tx,
    `UPDATE ${row.table} SET failed_count = $2, failed_since = $3, locked_until = $4, lock_minutes = $5 WHERE ${row.key} = $1`,
    [row.value, lock.failedCount, instant(lock.failedSince), instant(lock.lockedUntil), lock.lockMinutes],
  );
}
