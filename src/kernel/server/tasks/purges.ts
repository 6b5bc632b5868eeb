import { run, runOne } from '../database.ts';
import { openFileStore } from '../files/file-store.ts';
import { PROGRAM_REQUEST_KEEP_DAYS } from '../http/program-request.ts';
import type { Platform } from '../platform.ts';

/** Days traces of calls are kept; the days of the table itself go by `trace.keep_days`. */
export const SPAN_KEEP_DAYS = 7;
/** Days error reports are kept. Source: 00-frame, jobs. */
export const ERROR_REPORT_KEEP_DAYS = 30;
/** Days effects and runs of jobs are kept. Source: group 09, log.retention. */
export const OUTBOX_KEEP_DAYS = 90;
export const JOB_RUN_KEEP_DAYS = 90;

/** Removes idempotency keys older than a day: a repeat later than that is a new request. */
export async function purgeIdempotencyKeys(platform: Platform): Promise<number> {
  return purge(platform, 'idempotency_key', `created_at < now() - interval '24 hours'`);
}

/** Removes what programs asked for a month ago: a repeat later than that is a new request. */
export async function purgeProgramRequests(platform: Platform): Promise<number> {
  return purge(platform, 'program_request', 'created_at < now() - make_interval(days => $2)', [
    PROGRAM_REQUEST_KEEP_DAYS,
  ]);
}

/**
 * Removes verification images an hour and SMS codes a day after they ended (the code's row also carries the 60 s pause).
 * Messages that carry codes or one-time passwords, and those of tests, go after a day too: in clear they must
 * not stay, in backups least of all.
 */
export async function purgeVerifications(platform: Platform): Promise<number> {
  return (
    (await purge(platform, 'captcha', `expires_at < now() - interval '1 hour'`)) +
    (await purge(platform, 'phone_verification', `expires_at < now() - interval '24 hours'`)) +
    (await purge(
      platform,
      'sms_message',
      `created_at < now() - interval '24 hours' AND purpose IN ('password', 'phone', 'initialPassword', 'test')`,
    )) +
    (await purge(platform, 'email_message', `created_at < now() - interval '24 hours' AND purpose = 'test'`))
  );
}

/** Removes notifications older than `notification.keep_days`, and the SMS and e-mails that carried them. */
export async function purgeNotifications(platform: Platform): Promise<number> {
  const days = await platform.settings.number('notification.keep_days');
  const old = 'created_at < now() - make_interval(days => $2)';
  for (const table of ['sms_message', 'email_message'])
    await purge(
      platform,
      table,
      `${old} AND purpose IN ('notification', 'phoneChanged', 'ssoChanged', 'emailChanged')`,
      [days],
    );
  return purge(platform, 'notification', old, [days]);
}

/** Removes hashes of values and keys that were counted longer ago than any limit looks back. */
export async function purgeCallValues(platform: Platform): Promise<number> {
  return (
    (await purge(platform, 'call_value', `at < now() - interval '24 hours'`)) +
    (await purge(platform, 'key_call_window', `started_at < now() - interval '25 hours'`))
  );
}

/** Removes spans older than a week. */
export async function purgeSpans(platform: Platform): Promise<number> {
  return purge(platform, 'span', 'started_at < now() - make_interval(days => $2)', [SPAN_KEEP_DAYS]);
}

/** Removes error reports after 30 days. */
export async function purgeErrorReports(platform: Platform): Promise<number> {
  return purge(platform, 'error_report', 'created_at < now() - make_interval(days => $2)', [
    ERROR_REPORT_KEEP_DAYS,
  ]);
}

/** Removes counts of visited menus after 180 days. Source: 00-frame, jobs. */
export async function purgeMenuVisits(platform: Platform): Promise<number> {
  return purge(platform, 'menu_visit', `day < current_date - 180`);
}

/** Removes given-up entries of the queue after 30 days. */
export async function purgeQueue(platform: Platform): Promise<number> {
  return purge(
    platform,
    'graphile_worker._private_jobs',
    `locked_at IS NULL AND attempts >= max_attempts AND updated_at < now() - interval '30 days'`,
  );
}

/**
 * Removes effects that were delivered or dropped more than 90 days ago. Effects with a key stay: the key keeps them from being
 * written again. Dead ones wait for somebody.
 */
export async function purgeOutbox(platform: Platform): Promise<number> {
  return purge(
    platform,
    'outbox',
    `state IN ('done', 'dropped') AND key IS NULL AND coalesce(done_at, created_at) < now() - make_interval(days => $2)`,
    [OUTBOX_KEEP_DAYS],
  );
}

/** Removes runs of jobs that ended more than 90 days ago. */
export async function purgeJobRuns(platform: Platform): Promise<number> {
  return purge(
    platform,
    'job_run',
    `state NOT IN ('queued', 'running') AND due_at < now() - make_interval(days => $2)`,
    [JOB_RUN_KEEP_DAYS],
  );
}

/** Removes half-written files older than a day and disk files no row knows (their transaction never committed). */
export async function purgeLeftovers(platform: Platform): Promise<number> {
  return openFileStore(platform.config).removeLeftovers(async (key) => {
    const row = await runOne(platform.database.db, 'SELECT FROM stored_file WHERE storage_key = $1', [key]);
    return row !== undefined;
  });
}

// In pieces, so that no purge holds locks for long.
const PIECE = 5_000;

async function purge(
  platform: Platform,
  table: string,
  where: string,
  values: readonly unknown[] = [],
): Promise<number> {
  let total = 0;
  for (;;) {
    const [row] = await run<{ count: number }>(
      platform.database.db,
      `WITH gone AS (
         DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${where} LIMIT $1)) RETURNING 1)
       SELECT count(*) AS count FROM gone`,
      [PIECE, ...values],
    );
    total += row!.count;
    if (row!.count < PIECE) return total;
  }
}
