import { z } from 'zod';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { daysBetween, endOfBusinessDay, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindReport, type ReportRequest } from '../../../kernel/server/report/bind.ts';
import {
  CONTENT_KINDS,
  contentTraffic,
  MOST_DAYS,
  STAT_MENU,
  type Behind,
  type ContentKind,
  type Granularity,
} from './content-stat.contract.ts';
import { PLACED, projectIds } from './stat-queries.server.ts';

const KINDS = Object.keys(CONTENT_KINDS) as ContentKind[];
const idList = z.string().regex(/^\d{1,15}(,\d{1,15})*$/);

interface Bucket {
  /** null: all of them together. */
  readonly kind: ContentKind | null;
  readonly at: Date | null;
  readonly pv: number;
  readonly uv: number;
}

/** Looks at content. */
export const registration = bindReport(contentTraffic, {
  compute: async ({ caller, platform, language }, request) => {
    const granularity = (request.parameters.granularity ?? 'day') as Granularity;
    const days = daysBetween(request.from, request.to);
    if (days > MOST_DAYS[granularity])
      throw invalid({
        range: [
          `按所选粒度时间跨度不能超过${MOST_DAYS[granularity]}天`,
          `At most ${MOST_DAYS[granularity]} days at a time for this width`,
        ],
      });
    const db = platform.replica.db;
    const kinds = request.parameters.kind ? (request.parameters.kind.split(',') as ContentKind[]) : KINDS;
    const now = await bucketsOf(db, caller, request, request.from, request.to, granularity, kinds);
    const before = await bucketsOf(
      db,
      caller,
      request,
      request.previousFrom,
      request.previousTo,
      'month',
      kinds,
    );
    const total = now.find((one) => one.kind === null && one.at === null);
    const past = before.find((one) => one.kind === null && one.at === null);
    const starts = startsOf(request, granularity);
    const byKey = new Map(now.map((one) => [`${one.kind ?? ''} ${one.at?.getTime() ?? ''}`, one]));
    const projects = await projectNames(db, request.parameters.project, language);
    const label = (at: Date) => {
      const local = new Date(at.getTime() + 8 * 3_600_000).toISOString();
      return granularity === 'minute' || granularity === 'hour'
        ? local.slice(5, 16).replace('T', ' ')
        : granularity === 'month'
          ? local.slice(0, 7)
          : local.slice(5, 10);
    };
    return {
      figures: {
        pv: { value: total?.pv ?? 0, previous: past?.pv ?? 0, spark: [] },
        uv: { value: total?.uv ?? 0, previous: past?.uv ?? 0, spark: [] },
      },
      charts: {
        views: starts.map(([from]) => {
          const all = byKey.get(` ${from.getTime()}`);
          return {
            key: from.toISOString(),
            label: label(from),
            values: { pv: all?.pv ?? 0, uv: all?.uv ?? 0 },
          };
        }),
      },
      rows: starts.flatMap(([from, to]) =>
        kinds.map((kind) => {
          const bucket = byKey.get(`${kind} ${from.getTime()}`);
          return {
            id: `${kind} ${from.toISOString()}`,
            kind,
            projects,
            fromAt: from,
            toAt: to,
            pv: bucket?.pv ?? 0,
            uv: bucket?.uv ?? 0,
            drill: {
              kind,
              from: from.toISOString(),
              to: to.toISOString(),
              ...(request.parameters.project && { project: request.parameters.project }),
            },
          };
        }),
      ),
      // People of the whole range are counted over the range: those of its days do not add up.
      sums: { pv: total?.pv ?? 0, uv: total?.uv ?? 0 },
    };
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/contentStat/behind',
      title: ['浏览明细', 'Behind the views'],
      access: { code: STAT_MENU },
      query: z.strictObject({
        what: z.enum(['contents', 'members']),
        kind: z.enum(KINDS as [ContentKind]),
        from: z.iso.datetime(),
        to: z.iso.datetime(),
        project: idList.max(2_000).optional(),
      }),
      handle: async ({ caller, platform, query }): Promise<Behind> => {
        if (query.project) requireProjectsInReach(caller, query.project.split(',').map(Number));
        const values = new Parameters();
        const where = [
          `t.kind = ${values.bind(query.kind)}`,
          `t.at >= ${values.bind(new Date(query.from))} AND t.at < ${values.bind(new Date(query.to))}`,
          scopeCondition(caller, STAT_MENU, PLACED, values),
          ...(query.project
            ? [`t.project_id = ANY(${values.bind(query.project.split(',').map(Number))}::bigint[])`]
            : []),
        ].join(' AND ');
        if (query.what === 'contents') {
          const rows = await run<{ id: string; title: string; note: string; pv: number; n: number }>(
            platform.replica.db,
            `SELECT x.*, count(*) OVER ()::int AS n FROM (
               SELECT coalesce(t.post_id, t.topic_id)::text AS id, coalesce(left(p.content, 60), c.title) AS title, min(j.name) AS note, count(*)::int AS pv
                 FROM content_view t LEFT JOIN post p ON p.id = t.post_id LEFT JOIN community_topic c ON c.id = t.topic_id JOIN project j ON j.id = t.project_id
                WHERE ${where} GROUP BY t.post_id, t.topic_id, p.content, c.title) x ORDER BY x.pv DESC, x.id LIMIT 200`,
            values.values,
          );
          return { total: rows[0]?.n ?? 0, rows: rows.map(({ n: _n, ...row }) => row) };
        }
        const rows = await run<{
          id: string;
          name: string | null;
          phone: string | null;
          pv: number;
          n: number;
        }>(
          platform.replica.db,
          `SELECT x.*, count(*) OVER ()::int AS n FROM (
             SELECT t.viewer AS id, m.name, m.phone, count(*)::int AS pv
               FROM content_view t LEFT JOIN member m ON m.id = t.member_id WHERE ${where} GROUP BY t.viewer, m.name, m.phone) x
            ORDER BY x.pv DESC, x.id LIMIT 200`,
          values.values,
        );
        return {
          total: rows[0]?.n ?? 0,
          rows: rows.map((row) => ({
            id: row.id,
            title: row.name ? String(maskValue('name', row.name)) : '–',
            note: row.phone ? String(maskValue('phone', row.phone)) : '',
            pv: row.pv,
          })),
        };
      },
    }),
  ],
});

/** Looks by kind and bucket inside the caller's scope, with those of all kinds and of the whole range; operation users left out. */
async function bucketsOf(
  db: Executor,
  caller: Caller,
  request: ReportRequest,
  from: string,
  to: string,
  granularity: Granularity,
  kinds: readonly ContentKind[],
): Promise<Bucket[]> {
  const values = new Parameters();
  const projects = projectIds(request.parameters.project);
  const where = [
    `t.at >= ${values.bind(startOfBusinessDay(from))} AND t.at < ${values.bind(endOfBusinessDay(to))}`,
    `t.kind = ANY(${values.bind(kinds)}::text[])`,
    scopeCondition(caller, STAT_MENU, PLACED, values),
    `(m.id IS NULL OR NOT m.official)`,
    ...(projects ? [`t.project_id = ANY(${values.bind(projects)}::bigint[])`] : []),
  ];
  return run<Bucket>(
    db,
    `SELECT x.kind, x.at, count(*)::int AS pv, count(DISTINCT x.viewer)::int AS uv FROM (
       SELECT t.kind, t.viewer, date_trunc('${granularity}', t.at AT TIME ZONE 'Asia/Shanghai') AT TIME ZONE 'Asia/Shanghai' AS at
         FROM content_view t LEFT JOIN member m ON m.id = t.member_id WHERE ${where.join(' AND ')}) x
      GROUP BY GROUPING SETS ((x.kind, x.at), (x.at), ())`,
    values.values,
  );
}

/** Begin and end of each bucket of a request; months and weeks begin with the first day of theirs. */
function startsOf(request: ReportRequest, granularity: Granularity): (readonly [Date, Date])[] {
  const HOUR = 3_600_000;
  const EAST = 8 * HOUR;
  const end = new Date(endOfBusinessDay(request.to)).getTime();
  const step = { minute: 60_000, hour: HOUR, day: 24 * HOUR, week: 7 * 24 * HOUR, month: 0 }[granularity];
  let at = new Date(startOfBusinessDay(request.from)).getTime();
  const local = new Date(at + EAST);
  if (granularity === 'week') at -= ((local.getUTCDay() + 6) % 7) * 24 * HOUR;
  if (granularity === 'month') at = Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), 1) - EAST;
  const buckets: (readonly [Date, Date])[] = [];
  while (at < end) {
    const day = new Date(at + EAST);
    const next =
      granularity === 'month' ? Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1) - EAST : at + step;
    buckets.push([new Date(at), new Date(next)]);
    at = next;
  }
  return buckets;
}

async function projectNames(db: Executor, value: string | undefined, language: 'zh' | 'en'): Promise<string> {
  const ids = projectIds(value);
  if (!ids) return language === 'en' ? 'All' : '全部';
  const rows = await run<{ name: string }>(
    db,
    'SELECT name FROM project WHERE id = ANY($1::bigint[]) ORDER BY id',
    [ids],
  );
  return rows.map((row) => row.name).join(language === 'en' ? ', ' : '、');
}
