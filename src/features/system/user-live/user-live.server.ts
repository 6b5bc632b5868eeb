import { z } from 'zod';
import {
  activityCounts,
  recordActiveDay,
  rollUpActivity,
  type ActivityCount,
} from '../../../domain/member-activity/member-activity.server.ts';
import { APP_SOURCES, percentOf } from '../../../domain/residents/registration.rules.ts';
import { reportProjects } from '../../../domain/residents/residents.server.ts';
import { textOf } from '../../../kernel/contract/label.ts';
import { addDays, businessDayOf, daysBetween } from '../../../kernel/contract/time.rules.ts';
import { run, transaction, type Executor } from '../../../kernel/server/database.ts';
import { notFound } from '../../../kernel/server/http/errors.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindReport } from '../../../kernel/server/report/bind.ts';
import { userLive } from './user-live.contract.ts';

const NOBODY: ActivityCount = { dau: 0, wau: 0, mau: 0 };
/** Most projects a link names one by one. */
const MOST_NAMED = 60;
const LATER = [1, 7, 30] as const;
const SOURCE_OF_CODE = new Map(
  Object.entries(APP_SOURCES).map(([word, source]) => [
    source.code as number,
    word as keyof typeof APP_SOURCES,
  ]),
);

/** Active members by day, with stickiness and retention. */
export const registration = bindReport(userLive, {
  compute: async ({ caller, platform, language }, request) => {
    const db = platform.replica.db;
    const projects = await reportProjects(db, caller, userLive.menu, request.parameters);
    const ids = projects.map((project) => project.id);
    const source = request.parameters.appSource;
    const today = businessDayOf(new Date());
    // Days to come have no figures.
    const to = request.to < today ? request.to : today;
    const asked = { projects: ids, source };
    const [counts, before, cohorts, cohortsBefore, back, backBefore, sources] = await Promise.all([
      activityCounts(db, { ...asked, from: request.from, to }),
      activityCounts(db, { ...asked, from: request.previousTo, to: request.previousTo }),
      cohortsOf(db, ids, source, request.from, to, today),
      cohortsOf(db, ids, source, request.previousFrom, request.previousTo, today),
      returningOn(db, ids, source, request.from, to),
      returningOn(db, ids, source, request.previousTo, request.previousTo),
      sourcesOf(db, ids, source, request.from, to),
    ]);
    const days = request.from > to ? [] : daysOf(request.from, to);
    // Members without a project count nowhere: the lists behind the figures ask for the projects, too.
    const place: Record<string, string> = request.parameters.project
      ? { project: request.parameters.project }
      : ids.length <= MOST_NAMED
        ? { project: ids.join(',') }
        : {};
    const app = source ? `@${source}` : '';
    const joined = source ? { appSource: source } : {};
    const rows = days.map((day) => {
      const count = counts.get(day) ?? NOBODY;
      const cohort = cohorts.get(day);
      const on = (from: string, until = day) => ({ ...place, activity: `${from}~${until}${app}` });
      const later = Object.fromEntries(
        LATER.map((n) => [
          `day${n}`,
          {
            ...place,
            ...joined,
            registeredAt: `${day}~${day}`,
            activity: `${addDays(day, n)}~${addDays(day, n)}`,
          },
        ]),
      );
      return {
        id: day,
        day,
        ...count,
        stickiness: percentOf(count.dau, count.mau),
        returning: back.get(day) ?? 0,
        fresh: cohort?.members ?? 0,
        day1: keptOf(day, today, 1, cohort),
        day7: keptOf(day, today, 7, cohort),
        day30: keptOf(day, today, 30, cohort),
        drill: {
          dau: on(day),
          wau: on(addDays(day, -6)),
          mau: on(addDays(day, -29)),
          returning: { ...on(day), registeredAt: `~${addDays(day, -1)}` },
          fresh: { ...place, ...joined, registeredAt: `${day}~${day}` },
          ...later,
        },
      };
    });
    const last = counts.get(to) ?? NOBODY;
    const lastBefore = before.get(request.previousTo) ?? NOBODY;
    const spark = (name: keyof ActivityCount) => days.slice(-7).map((day) => counts.get(day)?.[name] ?? 0);
    const figure = (value: number | null, previous: number | null, points: readonly number[] = []) => ({
      value,
      previous,
      spark: points,
    });
    const kept = (n: 1 | 7 | 30) => figure(keptInAll(cohorts, n, today), keptInAll(cohortsBefore, n, today));
    return {
      figures: {
        lastDau: figure(last.dau, lastBefore.dau, spark('dau')),
        lastWau: figure(last.wau, lastBefore.wau, spark('wau')),
        lastMau: figure(last.mau, lastBefore.mau, spark('mau')),
        lastStickiness: figure(percentOf(last.dau, last.mau), percentOf(lastBefore.dau, lastBefore.mau)),
        lastReturning: figure(back.get(to) ?? 0, backBefore.get(request.previousTo) ?? 0),
        kept1: kept(1),
        kept7: kept(7),
        kept30: kept(30),
      },
      charts: {
        trend: days.map((day) => ({
          key: `${day}~${day}`,
          label: day.slice(5),
          values: { ...(counts.get(day) ?? NOBODY) },
        })),
        source: sources.map((one) => ({
          key: one.source,
          label: textOf(APP_SOURCES[one.source].label, language),
          values: { dau: one.members },
        })),
      },
      rows,
      sums: sumsOf(cohorts, today),
    };
  },
  endpoints: [
    endpoint({
      method: 'POST',
      path: '/jinmao/web/userLive/app/open',
      title: ['打开 App', 'App opened'],
      access: { program: 'member_event' },
      body: z.strictObject({
        memberId: z.string().regex(/^\d{1,15}$/),
        appSource: z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4)]),
      }),
      handle: async ({ platform, body }) => {
        const known = await transaction(platform.database.db, (tx) =>
          recordActiveDay(tx, {
            memberId: Number(body.memberId),
            appSource: SOURCE_OF_CODE.get(body.appSource)!,
          }),
        );
        if (!known) throw notFound();
        return true;
      },
    }),
  ],
  also: {
    jobs: [
      {
        name: 'active.rollup',
        title: ['活跃统计汇总', 'Activity of the day before'],
        // 00:15 in business time.
        cron: '15 16 * * *',
        run: async (_payload, platform) => {
          await rollUpActivity(platform.database.db);
        },
      },
    ],
  },
});

/** Members registered on a day, and how many of them were active so many days later. */
interface Cohort {
  readonly members: number;
  readonly on1: number;
  readonly on7: number;
  readonly on30: number;
}

async function cohortsOf(
  db: Executor,
  projects: readonly number[],
  source: string | undefined,
  from: string,
  to: string,
  today: string,
): Promise<ReadonlyMap<string, Cohort>> {
  const active = (n: number) =>
    `count(*) FILTER (WHERE x.day + ${n} < $5::date AND EXISTS (SELECT FROM member_active_day a
       WHERE a.member_id = x.id AND a.day = x.day + ${n} AND a.project_id IS NOT NULL))::int AS on${n}`;
  const rows = await run<Cohort & { day: string }>(
    db,
    `SELECT x.day::text AS day, count(*)::int AS members, ${LATER.map(active).join(', ')}
       FROM (SELECT m.id, (m.registered_at AT TIME ZONE 'Asia/Shanghai')::date AS day FROM member m
              WHERE m.project_id = ANY($1::bigint[]) AND ($2::text IS NULL OR m.app_source = $2)
                AND m.registered_at >= ($3::date)::timestamp AT TIME ZONE 'Asia/Shanghai'
                AND m.registered_at < ($4::date + 1)::timestamp AT TIME ZONE 'Asia/Shanghai') x
      GROUP BY x.day`,
    [projects, source ?? null, from, to, today],
  );
  return new Map(rows.map(({ day, ...cohort }) => [day, cohort]));
}

/** A day that is not over says nothing yet. */
const isOver = (day: string, n: number, today: string) => addDays(day, n) < today;

function keptOf(day: string, today: string, n: 1 | 7 | 30, cohort: Cohort | undefined): number | null {
  return cohort && isOver(day, n, today) ? percentOf(cohort[`on${n}`], cohort.members) : null;
}

/** From sums: days of many and of few new members do not weigh the same. */
function keptInAll(cohorts: ReadonlyMap<string, Cohort>, n: 1 | 7 | 30, today: string): number | null {
  let [members, active] = [0, 0];
  for (const [day, cohort] of cohorts)
    if (isOver(day, n, today)) {
      members += cohort.members;
      active += cohort[`on${n}`];
    }
  return percentOf(active, members);
}

function sumsOf(cohorts: ReadonlyMap<string, Cohort>, today: string): Record<string, number> {
  const sums: Record<string, number> = {
    fresh: [...cohorts.values()].reduce((sum, cohort) => sum + cohort.members, 0),
  };
  for (const n of LATER) {
    const rate = keptInAll(cohorts, n, today);
    if (rate !== null) sums[`day${n}`] = rate;
  }
  return sums;
}

/** Active on a day and registered before it. */
async function returningOn(
  db: Executor,
  projects: readonly number[],
  source: string | undefined,
  from: string,
  to: string,
): Promise<ReadonlyMap<string, number>> {
  const rows = await run<{ day: string; members: number }>(
    db,
    `SELECT a.day::text AS day, count(*)::int AS members FROM member_active_day a JOIN member m ON m.id = a.member_id
      WHERE a.project_id = ANY($1::bigint[]) AND ($2::text IS NULL OR a.app_source = $2) AND a.day BETWEEN $3::date AND $4::date
        AND (m.registered_at AT TIME ZONE 'Asia/Shanghai')::date < a.day GROUP BY a.day`,
    [projects, source ?? null, from, to],
  );
  return new Map(rows.map((row) => [row.day, row.members]));
}

/** Distinct members of the period by the app they came with. */
async function sourcesOf(
  db: Executor,
  projects: readonly number[],
  source: string | undefined,
  from: string,
  to: string,
) {
  return run<{ source: keyof typeof APP_SOURCES; members: number }>(
    db,
    `SELECT app_source AS source, count(DISTINCT member_id)::int AS members FROM member_active_day
      WHERE project_id = ANY($1::bigint[]) AND ($2::text IS NULL OR app_source = $2) AND day BETWEEN $3::date AND $4::date
      GROUP BY app_source ORDER BY members DESC, app_source`,
    [projects, source ?? null, from, to],
  );
}

function daysOf(from: string, to: string): string[] {
  return Array.from({ length: daysBetween(from, to) }, (_none, index) => addDays(from, index));
}
