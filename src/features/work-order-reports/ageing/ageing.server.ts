import {
  AGING_TYPES,
  bucketsOf,
  bucketTitle,
  type AgingType,
} from '../../../domain/work-order-report/ageing.rules.ts';
import { AGING_WHERE, agingMinutes } from '../../../domain/work-order-report/ageing.server.ts';
import {
  presentInstant,
  seenOfAll,
  seenText,
  type Seen,
} from '../../../domain/work-order-report/as-of.server.ts';
import { REPORT_FROM, type ReportTime } from '../../../domain/work-order-report/figures.server.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { workOrderScope } from '../../../domain/work-order/work-order-scope.server.ts';
import { textOf, type Label } from '../../../kernel/contract/label.ts';
import { endOfBusinessDay, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { bindReport, type ReportRequest } from '../../../kernel/server/report/bind.ts';
import { idsOf } from '../order-statistics/report-orders.server.ts';
import { ageing, BUCKET_COLUMNS, WORK_TYPES, type AgingBy } from './ageing.contract.ts';

interface Slice {
  readonly dimension: string;
  readonly name: string | null;
  readonly centre: string | null;
  readonly type: keyof typeof WORK_TYPES;
  readonly week: string;
  /** Which bucket, 0: not reached. */
  readonly bucket: number;
  readonly n: number;
}

/**
 * Upper bounds of the buckets of a measure, as they are set; of a period whose months were all frozen with the same ones, those.
 * Source: group 11, or_agingCount.
 */
export async function boundsOf(
  platform: Platform,
  type: AgingType,
  frozen?: Pick<ReportRequest, 'from' | 'to'>,
): Promise<readonly number[]> {
  const kind = Number(type) <= 2 ? 'short' : 'long';
  if (frozen) {
    const kept = await run<{ bounds: number[] | null }>(
      platform.replica.db,
      `SELECT DISTINCT x.aging_${kind} AS bounds FROM generate_series(date_trunc('month', $1::date), $2::date, interval '1 month') AS m (month)
         LEFT JOIN report_snapshot x ON x.month = m.month::date`,
      [frozen.from, frozen.to],
    );
    if (kept.length === 1 && kept[0]!.bounds) return kept[0]!.bounds;
  }
  return bucketsOf(await platform.settings.list(`report.aging.${kind}`));
}

/** The period, where frozen months are shown as they were frozen; open orders are always those of now. */
const frozenPeriod = (
  type: AgingType,
  parameters: Readonly<Record<string, string>>,
  { from, to }: Pick<ReportRequest, 'from' | 'to'>,
) => (type === 4 || parameters.version === 'current' ? undefined : { from, to });

const typeOf = (parameters: Readonly<Record<string, string>>): AgingType => {
  const asked = parameters.agingType ?? '1';
  return (Object.hasOwn(AGING_TYPES, asked) ? Number(asked) : 1) as AgingType;
};

const DIMENSION: Readonly<Record<AgingBy, { key: string; name: string; filter: string }>> = {
  project: { key: 't.project_id', name: 'p.name', filter: 'project' },
  person: { key: 'coalesce(t.handler_id, 0)', name: 'h.name', filter: 'handlerId' },
  department: { key: 'coalesce(h.department_id, 0)', name: 'd.name', filter: 'departmentId' },
  category: { key: 'coalesce(t.category_id, 0)', name: 'c.name', filter: 'exactCategory' },
};

/** How long people waited. */
export const registration = bindReport(ageing, {
  titles: async (platform, parameters, _caller, period) => {
    const type = typeOf(parameters);
    const bounds = await boundsOf(platform, type, frozenPeriod(type, parameters, period));
    const by = parameters.by ?? 'project';
    return {
      ...Object.fromEntries(
        BUCKET_COLUMNS.map((name, index): [string, Label | null] => [
          name,
          index < bounds.length ? bucketTitle(bounds, index) : null,
        ]),
      ),
      ...(Number(type) === 4 && { notReached: null }),
      ...(by !== 'project' && { centre: null }),
    };
  },
  compute: async ({ caller, platform, language }, request) => {
    const type = typeOf(request.parameters);
    if (request.parameters.project)
      requireProjectsInReach(caller, idsOf('project', request.parameters.project));
    const by = (request.parameters.by ?? 'project') as AgingBy;
    const bounds = await boundsOf(platform, type, frozenPeriod(type, request.parameters, request));
    const token = await presentInstant(platform.replica.db);
    const how: Counted = {
      type,
      by,
      bounds,
      time: request.parameters.time === 'business' ? 'business' : 'clock',
      // Orders that are open are those of now.
      seen: type === 4 || request.parameters.version === 'current' ? { token } : { token, frozen: 'created' },
      at: Number(token.slice(0, 13)),
      language,
    };
    const slices = await slicesOf(platform, caller, request, request.from, request.to, how);
    const before = await slicesOf(platform, caller, request, request.previousFrom, request.previousTo, how);
    const given = {
      createdAt: `${request.from}~${request.to}`,
      ...(request.parameters.project && { project: request.parameters.project }),
      ...(request.parameters.type && { type: request.parameters.type }),
      asOf: seenText(how.seen),
    };
    const measure = `${type}${how.time === 'business' ? 'b' : ''}${type === 4 ? `@${how.at}` : ''}`;
    const bucketFilter = (index: number) =>
      `${measure}:${index === 0 ? 0 : bounds[index - 1]}-${bounds[index]}`;
    const drillOf = (more: Readonly<Record<string, string>>) => ({
      ...Object.fromEntries(
        bounds.map((_, index) => [BUCKET_COLUMNS[index]!, { ...given, ...more, aging: bucketFilter(index) }]),
      ),
      notReached: { ...given, ...more, aging: `${measure}:none` },
      total: { ...given, ...more, aging: `${measure}:all` },
    });
    const none = language === 'en' ? 'None' : '无';
    const groups = new Map<string, Slice[]>();
    for (const slice of slices) {
      const key = `${slice.dimension} ${slice.type}`;
      groups.set(key, [...(groups.get(key) ?? []), slice]);
    }
    const total = countsOf(slices);
    const past = countsOf(before);
    const byProject = new Map<string, Slice[]>();
    for (const slice of slices)
      byProject.set(slice.dimension, [...(byProject.get(slice.dimension) ?? []), slice]);
    const weeks = new Map<string, Slice[]>();
    for (const slice of slices) weeks.set(slice.week, [...(weeks.get(slice.week) ?? []), slice]);
    const nameOf = (slice: Slice) => slice.name ?? none;
    return {
      figures: {
        total: { value: total.total, previous: past.total, spark: [] },
        fast: { value: fastOf(total), previous: fastOf(past), spark: [] },
        waiting: { value: total.notReached, previous: past.notReached, spark: [] },
      },
      charts: {
        buckets: bounds.flatMap((_, index) => {
          const n = total[BUCKET_COLUMNS[index]!];
          return n === 0
            ? []
            : [
                {
                  key: String(index),
                  label: textOf(bucketTitle(bounds, index), language),
                  values: { orders: n },
                },
              ];
        }),
        projects: [...byProject.entries()]
          .map(([key, part]) => {
            const counts = countsOf(part);
            return {
              key,
              label: nameOf(part[0]!),
              values: { total: counts.total, fast: counts.b1 + counts.b2 },
            };
          })
          .sort((a, b) => b.values.total - a.values.total)
          .slice(0, 20),
        weeks: [...weeks.entries()]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([week, part]) => ({
            key: week,
            label: week.slice(5),
            values: { fast: Math.round(10 * (fastOf(countsOf(part)) ?? 0)) / 10 },
          })),
      },
      rows: [...groups.entries()].map(([key, part]) => {
        const [first] = part as [Slice];
        return {
          id: key,
          name: nameOf(first),
          centre: first.centre ?? '',
          type: textOf(WORK_TYPES[first.type].label, language),
          ...countsOf(part),
          drill: drillOf({ [DIMENSION[by].filter]: first.dimension, type: first.type }),
        };
      }),
      sums: { ...total, drill: drillOf({}) },
    };
  },
});

type Counts = Record<(typeof BUCKET_COLUMNS)[number] | 'notReached' | 'total', number>;

function countsOf(slices: readonly Slice[]): Counts {
  const counts: Counts = { b1: 0, b2: 0, b3: 0, b4: 0, b5: 0, b6: 0, notReached: 0, total: 0 };
  for (const slice of slices) {
    const name = slice.bucket === 0 ? 'notReached' : BUCKET_COLUMNS[slice.bucket - 1]!;
    counts[name] += slice.n;
    counts.total += slice.n;
  }
  return counts;
}

/** Share of the first two buckets of those that got there. */
function fastOf(counts: Counts): number | null {
  const reached = counts.total - counts.notReached;
  return reached === 0 ? null : (100 * (counts.b1 + counts.b2)) / reached;
}

/** What is counted, and how. */
interface Counted {
  readonly type: AgingType;
  readonly by: AgingBy;
  readonly bounds: readonly number[];
  readonly time: ReportTime;
  readonly seen: Seen;
  /** Milliseconds of the instant the page works on. */
  readonly at: number;
  readonly language: 'zh' | 'en';
}

async function slicesOf(
  platform: Platform,
  caller: Caller,
  { parameters }: ReportRequest,
  from: string,
  to: string,
  { type, by, bounds, time, seen, at, language }: Counted,
): Promise<Slice[]> {
  const values = new Parameters();
  const until = type === 4 ? `${values.bind(new Date(at))}::timestamptz` : 'now()';
  const where = [
    seenOfAll(seen, values),
    AGING_WHERE[type],
    scopeCondition(caller, ageing.menu, workOrderScope(ageing.menu), values),
    `t.created_at >= ${values.bind(startOfBusinessDay(from))} AND t.created_at < ${values.bind(endOfBusinessDay(to))}`,
  ];
  if (parameters.project)
    where.push(`t.project_id = ANY(${values.bind(idsOf('project', parameters.project))}::bigint[])`);
  if (parameters.type) where.push(`t.type = ANY(${values.bind(parameters.type.split(','))}::text[])`);
  const upper = bounds
    .slice(0, -1)
    .map((bound, index) => `WHEN x.minutes <= ${values.bind(bound)} THEN ${index + 1}`);
  const dimension = DIMENSION[by];
  const name =
    by === 'category' && language === 'en' ? `coalesce(nullif(c.name_en, ''), c.name)` : dimension.name;
  return run<Slice>(
    platform.replica.db,
    `SELECT x.dimension, x.name, x.centre, x.type, x.week::text AS week,
            CASE WHEN x.minutes IS NULL THEN 0 ${upper.join(' ')} ELSE ${bounds.length} END AS bucket, count(*)::int AS n
       FROM (SELECT ${dimension.key}::text AS dimension, ${name} AS name, z.name AS centre, t.type,
                    date_trunc('week', t.created_at AT TIME ZONE 'Asia/Shanghai')::date AS week, ${agingMinutes(type, time, until)} AS minutes
               FROM ${REPORT_FROM} LEFT JOIN project p ON p.id = t.project_id LEFT JOIN organisation z ON z.id = p.centre_id
               LEFT JOIN department d ON d.id = h.department_id LEFT JOIN work_category c ON c.id = t.category_id
              WHERE ${where.join(' AND ')}) x
      GROUP BY 1, 2, 3, 4, 5, 6`,
    values.values,
  );
}
