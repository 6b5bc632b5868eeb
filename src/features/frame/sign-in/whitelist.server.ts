import { isIP } from 'node:net';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';

/** What the whitelist says about a sign-in and the row that decided, if one did. */
export interface WhitelistVerdict {
  readonly allowed: boolean;
  readonly rowId: number | null;
}

/** An account and the address it comes from. */
export interface Visit {
  readonly staffId: number;
  readonly address: string;
}

/** Key of the setting by which address rules bind every account. */
export const ENFORCE = 'login.whitelist.enforce';

/** Whether address rules bind every account, as the database has it now. */
export async function isEnforced(db: Executor): Promise<boolean> {
  return (
    (await runOne<{ value: unknown }>(db, 'SELECT value FROM setting WHERE key = $1', [ENFORCE]))?.value ===
    true
  );
}

/**
 * Says whether an account may sign in from an address. Own live `allow` rows with an address bind the account to them;
 * an own row without address frees it; with `enforce` everybody else must come from an address-only row.
 * Source: group 02, WhiteManage.
 */
export async function whitelistVerdict(
  db: Executor,
  staffId: number,
  address: string,
  enforce: boolean,
): Promise<WhitelistVerdict> {
  return (await whitelistVerdicts(db, [{ staffId, address }], enforce))[0]!;
}

/** `whitelistVerdict` of many visits with one query, in their order. */
export async function whitelistVerdicts(
  db: Executor,
  visits: readonly Visit[],
  enforce: boolean,
): Promise<WhitelistVerdict[]> {
  const rows = await run<DecidingRow & { place: number }>(
    db,
    `WITH visit AS (SELECT * FROM unnest($1::bigint[], $2::inet[]) WITH ORDINALITY AS v (staff_id, address, place)),
          live AS (SELECT id, staff_id, range FROM login_whitelist WHERE purpose = 'allow' AND ${LIVE})
     SELECT v.place, r.id, true AS own, r.range IS NOT NULL AS ranged, coalesce(r.range >>= v.address, false) AS covers
       FROM visit v JOIN live r ON r.staff_id = v.staff_id
     UNION ALL
     SELECT v.place, r.id, false, true, true FROM visit v JOIN live r ON r.staff_id IS NULL AND r.range >>= v.address WHERE $3
      ORDER BY id`,
    [visits.map((visit) => visit.staffId), visits.map((visit) => inetOf(visit.address)), enforce],
  );
  const byVisit = visits.map((): DecidingRow[] => []);
  for (const row of rows) byVisit[row.place - 1]!.push(row);
  return byVisit.map((deciding) => decide(deciding, enforce));
}

interface DecidingRow {
  readonly id: number;
  readonly own: boolean;
  readonly ranged: boolean;
  readonly covers: boolean;
}

function decide(rows: readonly DecidingRow[], enforce: boolean): WhitelistVerdict {
  const bound = rows.filter((row) => row.own && row.ranged);
  if (bound.length > 0) return verdict(bound.find((row) => row.covers));
  const freed = rows.find((row) => row.own);
  if (freed || !enforce) return { allowed: true, rowId: freed?.id ?? null };
  return verdict(rows.find((row) => !row.own));
}

/**
 * The verdict a session may be opened on: until the transaction ends no rule ends sessions that no longer fit, so whoever
 * makes one either counts already or sees the session. The deciding row is locked first, as whoever changes a rule has
 * its row before it stops sign-ins: taken the other way round, the two would wait for each other.
 */
export async function decideSignIn(
  tx: Executor,
  staffId: number,
  address: string,
): Promise<WhitelistVerdict> {
  for (;;) {
    await run(tx, 'SAVEPOINT deciding');
    const expected = await whitelistVerdict(tx, staffId, address, await isEnforced(tx));
    if (expected.rowId !== null)
      await run(tx, 'SELECT 1 FROM login_whitelist WHERE id = $1 FOR NO KEY UPDATE', [expected.rowId]);
    await holdRules(tx);
    const decided = await whitelistVerdict(tx, staffId, address, await isEnforced(tx));
    if (decided.rowId === null || decided.rowId === expected.rowId) {
      await run(tx, 'RELEASE SAVEPOINT deciding');
      return decided;
    }
    // The rules changed in between and another row decides: both locks are given back, and taken in order again.
    await run(tx, 'ROLLBACK TO SAVEPOINT deciding');
  }
}

/**
 * Keeps rules from ending sessions until the transaction ends, beside others who do the same: for whoever opens a session.
 * Taken after the rows of the staff and of rules, before those of sessions, and never while a password is hashed.
 */
export async function holdRules(tx: Executor): Promise<void> {
  await run(tx, `SELECT pg_advisory_xact_lock_shared(${RULES_LOCK})`);
}

/** Waits for sign-ins on their way and keeps new ones out until the transaction ends: for a rule that ends sessions. */
export async function stopSignIns(tx: Executor): Promise<void> {
  await run(tx, `SELECT pg_advisory_xact_lock(${RULES_LOCK})`);
}

const RULES_LOCK = 7203;

/** The live `skip_code` row that saves the verification code for the account (undefined: not known yet), if one does. */
export async function codeExemption(
  db: Executor,
  account: string | undefined,
  address: string,
): Promise<number | undefined> {
  const row = await runOne<{ id: number }>(
    db,
    `SELECT id FROM login_whitelist
      WHERE purpose = 'skip_code' AND ${LIVE} AND (range IS NULL OR range >>= $2::inet)
        AND (staff_id IS NULL OR staff_id = (SELECT id FROM staff WHERE lower(account) = lower($1)))
      ORDER BY id LIMIT 1`,
    [account ?? null, inetOf(address)],
  );
  return row?.id;
}

/** Counts a use of a whitelist row and keeps it for the list of hits; a refusal has no row. */
export async function noteWhitelistHit(
  tx: Executor,
  hit: { readonly rowId: number | null; readonly account: string; readonly address: string },
  result: 'allowed' | 'refused' | 'skip_code',
): Promise<void> {
  if (hit.rowId !== null)
    await run(tx, 'UPDATE login_whitelist SET hits = hits + 1, last_hit_at = now() WHERE id = $1', [
      hit.rowId,
    ]);
  await run(
    tx,
    'INSERT INTO whitelist_hit (whitelist_id, account, address, result) VALUES ($1, $2, $3, $4)',
    [hit.rowId, hit.account, hit.address, result],
  );
}

const LIVE =
  '(enabled AND (starts_at IS NULL OR starts_at <= now()) AND (expires_at IS NULL OR expires_at > now()))';

function verdict(row: { id: number } | undefined): WhitelistVerdict {
  return row ? { allowed: true, rowId: row.id } : { allowed: false, rowId: null };
}

// Something that is no address is covered by nothing: NULL >>= is unknown.
function inetOf(address: string): string | null {
  // A socket that takes both families gives IPv4 addresses in IPv6 form.
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return isIP(plain) === 0 ? null : plain;
}
