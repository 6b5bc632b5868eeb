import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import type { APP_SOURCES } from '../residents/registration.rules.ts';
import { TODAY } from '../../kernel/server/today.ts';

/** Days the longest window of a figure reaches back. */
const WINDOW = 30;
/** Most days one run of the roll-up makes up for. */
const MOST_DAYS = 400;

/** Distinct members active on a day, and in the 7 and 30 days that end with it. */
export interface ActivityCount {
  readonly dau: number;
  readonly wau: number;
  readonly mau: number;
}

/** Notes that a member opened an app today, by the clock of the database; false when there is no such member. */
export async function recordActiveDay(
  tx: Tx,
  seen: { readonly memberId: number; readonly appSource: keyof typeof APP_SOURCES },
): Promise<boolean> {
  const row = await runOne(
    tx,
    `INSERT INTO member_active_day AS a (member_id, day, project_id, app_source) SELECT m.id, ${TODAY}, m.project_id, $2 FROM member m WHERE m.id = $1
     ON CONFLICT (member_id, day) DO UPDATE SET opens = a.opens + 1 RETURNING member_id`,
    [seen.memberId, seen.appSource],
  );
  if (!row) return false;
  await run(
    tx,
    `UPDATE member SET last_active_on = ${TODAY} WHERE id = $1 AND last_active_on IS DISTINCT FROM ${TODAY}`,
    [seen.memberId],
  );
  return true;
}

/**
 * Activity of some projects on each day of a time, of one app or all of them. Days that were rolled up are read, today and
 * whatever was not are counted live: both count the same.
 */
export async function activityCounts(
  db: Executor,
  asked: {
    readonly projects: readonly number[];
    readonly source: string | undefined;
    readonly from: string;
    readonly to: string;
  },
): Promise<ReadonlyMap<string, ActivityCount>> {
  const found = new Map<string, ActivityCount>();
  const key = await rolledUpAs(db, asked.projects);
  if (key !== undefined)
    for (const { day, ...count } of await run<ActivityCount & { day: string }>(
      db,
      // A day on which nobody was active has the row of all projects alone.
      `SELECT d.day::text AS day, coalesce(c.dau, 0) AS dau, coalesce(c.wau, 0) AS wau, coalesce(c.mau, 0) AS mau
         FROM member_active_count d LEFT JOIN member_active_count c ON c.day = d.day AND c.project_id = $3 AND c.app_source = $4
        WHERE d.day BETWEEN $1 AND $2 AND d.project_id = 0 AND d.app_source = ''`,
      [asked.from, asked.to, key, asked.source ?? ''],
    ))
      found.set(day, count);
  const rows = await run<ActivityCount & { day: string }>(
    db,
    `SELECT d.day::date::text AS day, count(DISTINCT a.member_id) FILTER (WHERE a.day = d.day)::int AS dau,
            count(DISTINCT a.member_id) FILTER (WHERE a.day > d.day::date - 7)::int AS wau, count(DISTINCT a.member_id)::int AS mau
       FROM generate_series($1::date, least($2::date, ${TODAY}), interval '1 day') d(day)
       LEFT JOIN member_active_day a ON a.day > d.day::date - ${WINDOW} AND a.day <= d.day::date AND a.project_id = ANY($3::bigint[])
        AND ($4::text IS NULL OR a.app_source = $4)
      WHERE d.day::date <> ALL($5::date[]) GROUP BY d.day`,
    [asked.from, asked.to, asked.projects, asked.source ?? null, [...found.keys()]],
  );
  for (const { day, ...count } of rows) found.set(day, count);
  return found;
}

/** The key of the rolled-up rows for these projects: the one project, or 0 when they are all there are. */
async function rolledUpAs(db: Executor, projects: readonly number[]): Promise<number | undefined> {
  if (projects.length === 1) return projects[0];
  const all = await runOne<{ same: boolean }>(
    db,
    'SELECT NOT EXISTS (SELECT FROM project WHERE id <> ALL($1::bigint[])) AS same',
    [projects],
  );
  return all!.same ? 0 : undefined;
}

/** Counts the days that are over and were not counted yet, the latest first. A repeat adds nothing. Returns how many. */
export async function rollUpActivity(db: Executor): Promise<number> {
  const days = await run<{ day: string }>(
    db,
    `SELECT d.day::date::text AS day FROM generate_series((SELECT min(day) FROM member_active_day), ${TODAY} - 1, interval '1 day') d(day)
      WHERE NOT EXISTS (SELECT FROM member_active_count c WHERE c.day = d.day AND c.project_id = 0 AND c.app_source = '')
      ORDER BY d.day DESC LIMIT ${MOST_DAYS}`,
  );
  for (const { day } of days)
    await run(
      db,
      `INSERT INTO member_active_count (day, project_id, app_source, dau, wau, mau)
       SELECT $1::date, coalesce(a.project_id, 0), coalesce(a.app_source, ''), count(DISTINCT a.member_id) FILTER (WHERE a.day = $1::date),
              count(DISTINCT a.member_id) FILTER (WHERE a.day > $1::date - 7), count(DISTINCT a.member_id)
         FROM member_active_day a WHERE a.day > $1::date - ${WINDOW} AND a.day <= $1::date AND a.project_id IS NOT NULL
        GROUP BY GROUPING SETS ((a.project_id, a.app_source), (a.project_id), (a.app_source), ())
       ON CONFLICT DO NOTHING`,
      [day],
    );
  return days.length;
}
