import { GLOBAL_EPOCH_KEY, noteChangeOfRights } from './acting.ts';
import { run, type Executor } from '../database.ts';

/** Channel on which instances tell each other that sessions or permissions changed. */
export const SESSION_CHANNEL = 'session_changed';

/** Client id of sessions that the single sign-on server vouched for. */
export const SSO_CLIENT = 'cas';

/** Why a session ended. Logout and expiry answer 40101 afterwards, everything else 40001. */
export type EndReason =
  'logout' | 'expired' | 'disabled' | 'locked' | 'kicked' | 'whitelist' | 'reset' | 'password' | 'unlock';

/** Which sessions end; the given conditions must all hold, at least one is needed. */
export interface SessionChoice {
  readonly staffId?: number | readonly number[];
  readonly sessionId?: number | readonly number[];
  readonly tokenHash?: Buffer;
  readonly clientId?: string;
  readonly exceptSessionId?: number;
}

// Beyond this many notices one for everybody is cheaper: it only makes caches look again.
const MOST_NOTICES = 100;

/**
 * Makes every instance reload the permissions of the staff within a second of the commit.
 * To be called in the transaction that changes groups, grants, projects, department or state of the staff.
 */
export async function notifyStaffChanged(tx: Executor, staffId: number | readonly number[]): Promise<void> {
  const ids = [staffId].flat();
  if (ids.length === 0) return;
  // Rows are locked in one order, so that two such changes wait for each other instead of deadlocking.
  await run(
    tx,
    `UPDATE staff SET permission_epoch = permission_epoch + 1
      WHERE id IN (SELECT id FROM staff WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE)`,
    [ids],
  );
  noteChangeOfRights(tx, ids);
  await notify(tx, ids.length > MOST_NOTICES ? ['all'] : ids.map((id) => `staff:${id}`));
}

/** Makes every instance reload the permissions of every staff within a second of the commit (menus, titles, elements). */
export async function notifyAllChanged(tx: Executor): Promise<void> {
  await run(
    tx,
    `INSERT INTO setting (key, value) VALUES ($1, '1')
     ON CONFLICT (key) DO UPDATE SET value = to_jsonb((setting.value #>> '{}')::bigint + 1), updated_at = now()`,
    [GLOBAL_EPOCH_KEY],
  );
  noteChangeOfRights(tx, 'all');
  await notify(tx, ['all']);
}

/** Makes every instance look again at one session (lock screen). */
export async function notifySessionChanged(tx: Executor, sessionId: number): Promise<void> {
  await notify(tx, [`session:${sessionId}`]);
}

/**
 * Ends live sessions; the next call of each answers by the reason, on every instance within a second of the commit. Tokens of
 * programs that were allowed in one of them, be it over already, end too, unless its own person left it or time did.
 * Returns the number of ended sessions.
 */
export async function endSessions(tx: Executor, which: SessionChoice, reason: EndReason): Promise<number> {
  const values: unknown[] = [reason];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const conditions: string[] = [];
  if (which.staffId !== undefined)
    conditions.push(`staff_id = ANY(${bind([which.staffId].flat())}::bigint[])`);
  if (which.sessionId !== undefined) conditions.push(`id = ANY(${bind([which.sessionId].flat())}::bigint[])`);
  if (which.tokenHash !== undefined) conditions.push(`token_hash = ${bind(which.tokenHash)}`);
  if (which.clientId !== undefined) conditions.push(`client_id = ${bind(which.clientId)}`);
  if (conditions.length === 0) throw new Error('endSessions needs to know which sessions');
  if (which.exceptSessionId !== undefined) conditions.push(`id <> ${bind(which.exceptSessionId)}`);
  const chosen = conditions.join(' AND ');
  const programs = ['logout', 'expired'].includes(reason)
    ? 'false'
    : `allowed_in IN (SELECT id FROM session WHERE ${chosen})`;
  const ended = await run<{ id: number }>(
    tx,
    `UPDATE session SET ended_at = now(), end_reason = $1
      WHERE ended_at IS NULL AND ((${chosen}) OR ${programs}) RETURNING id`,
    values,
  );
  // What can be made new with a refresh token ends with it, unless only its time was over.
  if (reason !== 'expired')
    await run(
      tx,
      `UPDATE token_family SET ended_at = now() WHERE ended_at IS NULL AND $1::text <> 'expired'
          AND id IN (SELECT family_id FROM session WHERE family_id IS NOT NULL AND ((${chosen}) OR ${programs}))`,
      values,
    );
  await notify(tx, ended.length > MOST_NOTICES ? ['all'] : ended.map((session) => `session:${session.id}`));
  return ended.length;
}

/** Ends tokens that programs hold in their own right, on every instance within a second of the commit; returns how many. */
export async function endClientTokens(
  tx: Executor,
  which: { readonly clientId: string; readonly tokenId?: number },
): Promise<number> {
  const ended = await run(
    tx,
    `UPDATE client_token SET revoked_at = now() WHERE client_id = $1 AND ($2::bigint IS NULL OR id = $2)
        AND revoked_at IS NULL AND expires_at > now() RETURNING id`,
    [which.clientId, which.tokenId ?? null],
  );
  await notify(tx, [`client:${which.clientId}`]);
  return ended.length;
}

/** Ends everything one consent, or all consents of a program, opened: refresh tokens and sessions. Returns how many sessions. */
export async function endFamilies(
  tx: Executor,
  which: { readonly clientId: string; readonly familyId?: number; readonly staffId?: number },
): Promise<number> {
  const values = [which.clientId, which.familyId ?? null, which.staffId ?? null];
  const families = await run<{ id: number }>(
    tx,
    `UPDATE token_family SET ended_at = now() WHERE client_id = $1 AND ended_at IS NULL
        AND ($2::bigint IS NULL OR id = $2) AND ($3::bigint IS NULL OR staff_id = $3) RETURNING id`,
    values,
  );
  const ended = await run<{ id: number }>(
    tx,
    `UPDATE session SET ended_at = now(), end_reason = 'kicked' WHERE ended_at IS NULL AND family_id = ANY($1::bigint[]) RETURNING id`,
    [families.map((one) => one.id)],
  );
  await notify(tx, ended.length > MOST_NOTICES ? ['all'] : ended.map((session) => `session:${session.id}`));
  return ended.length;
}

async function notify(tx: Executor, payloads: readonly string[]): Promise<void> {
  if (payloads.length === 0) return;
  await run(tx, `SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload`, [
    SESSION_CHANNEL,
    payloads,
  ]);
}
