import { textOf } from '../../../kernel/contract/label.ts';
import { addDays, endOfBusinessDay, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { ReportRequest, ReportResult } from '../../../kernel/server/report/bind.ts';
import {
  FAMILY_WHERE,
  MARKED,
  REPORT_FROM,
  MINUTES_BY,
  type Family,
} from '../../../domain/work-order-report/figures.server.ts';
import {
  presentInstant,
  seenCondition,
  seenText,
  type Seen,
} from '../../../domain/work-order-report/as-of.server.ts';
import {
  METRICS,
  ratesOf,
  workingOf,
  type FigureSums,
  type Metric,
} from '../../../domain/work-order-report/figures.rules.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { workOrderScope } from '../../../domain/work-order/work-order-scope.server.ts';
import { WORK_SOURCES } from '../../mall/work-order/work-order.contract.ts';
import { COUNT_COLUMNS, type Dimension, type Heat } from './order-statistics.contract.ts';
import {
  HOUR,
  idsOf,
  inCategories,
  inCentre,
  oneOf,
  WEEKDAY,
  withCancelled,
} from './report-orders.server.ts';

const SPARK_DAYS = 7;
const KINDS = { property: ['repair', 'complaint', 'plan'], operations: ['goods', 'service'] } as const;
const KEYS = Object.keys(METRICS) as Metric[];

/** What is added up besides. */
const AMOUNTS = ['responseMinutes', 'solveMinutes', 'scores', 'paid', 'refunded', 'fee', 'feePaid'] as const;

/** Figures of a slice of orders. */
type Sums = Readonly<Record<Metric | (typeof AMOUNTS)[number], number>>;

/** Orders of one day, or of one project and category, or of one row of the table, that count for the same metrics. */
interface Cell extends Readonly<Record<(typeof AMOUNTS)[number], number>> {
  readonly by: number;
  readonly day: string | null;
  readonly project: number | null;
  readonly category: number | null;
  readonly dimension: number | null;
  readonly marks: number;
  readonly total: number;
}

// Masks of grouping(day, project).
const BY_DAY = 0b01;
const BY_PLACE = 0b10;
const BY_DIMENSION = 0b11;

const DIMENSION_KEY: Readonly<Record<Dimension, string>> = {
  project: 't.project_id',
  person: 'coalesce(t.handler_id, 0)',
  department: 'coalesce(h.department_id, 0)',
  merchant: 't.tenant_id',
  category: 'coalesce(t.category_id, 0)',
  source: 't.source::bigint',
  day: 'NULL::bigint',
};

/** Figures, charts and table of a family, all from one pass over the orders of the period inside the caller's scope. */
export async function statisticsOf(
  db: Executor,
  caller: Caller,
  menu: string,
  family: Family,
  request: ReportRequest,
  language: 'zh' | 'en',
): Promise<ReportResult> {
  const { parameters } = request;
  const dimension = (parameters.by ?? 'project') as Dimension;
  if (parameters.project) requireProjectsInReach(caller, idsOf('project', parameters.project));
  const spark = addDays(request.to, 1 - SPARK_DAYS);
  // All that is read and every list behind it sees the orders at one instant.
  const seen = seenBy(request, await presentInstant(db));
  const ask = (from: string, to: string) =>
    cellsOf(db, caller, menu, family, request, seen, from, to, dimension);
  const [cells, before, middles] = await Promise.all([
    ask(request.from, request.to),
    parameters.compare === 'year'
      ? ask(yearBefore(request.from), yearBefore(request.to))
      : ask(request.previousFrom, request.previousTo),
    middlesOf(db, caller, menu, family, request, seen, dimension),
  ]);
  const none: Middles = { medianResponse: null, p90Response: null, medianSolve: null, p90Solve: null };
  const days = foldBy(
    cells.filter((cell) => cell.by === BY_DAY),
    (cell) => cell.day!,
  );
  const places = cells.filter((cell) => cell.by === BY_PLACE);
  const ofProjects = foldBy(places, (cell) => cell.project!);
  const ofCategories = foldBy(places, (cell) => cell.category);
  const ofDimension =
    dimension === 'project'
      ? ofProjects
      : dimension === 'category'
        ? foldBy(places, (cell) => cell.category ?? 0)
        : foldBy(
            cells.filter((cell) => cell.by === BY_DIMENSION),
            (cell) => cell.dimension!,
          );
  const total = fold(places);
  const previous = fold(before.filter((cell) => cell.by === BY_PLACE));
  const projects = await namesOf(db, 'project', [...ofProjects.keys()]);
  const tree = new Map(
    (
      await run<{ id: number; parent_id: number | null; name: string }>(
        db,
        `SELECT id, parent_id, ${language === 'zh' ? 'name' : `coalesce(nullif(name_en, ''), name) AS name`} FROM work_category`,
      )
    ).map((one) => [one.id, one]),
  );
  const named = { person: 'staff', department: 'department', merchant: 'tenant' } as const;
  const people = Object.hasOwn(named, dimension)
    ? await namesOf(db, named[dimension as keyof typeof named], [...ofDimension.keys()])
    : new Map<number, string>();
  const zh = language === 'zh';
  const noCategory = zh ? '未分类' : 'No category';
  const given = filterOf(request, seen);
  const query = (more: Readonly<Record<string, string>>) =>
    new URLSearchParams({ ...given, ...more }).toString();
  const time = parameters.basis === 'finished' ? 'finishedAt' : 'createdAt';
  const drillOf = (more: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      COUNT_COLUMNS[family].map((column) => [column, { ...given, ...more, metric: column }]),
    );
  const nameOf = (key: number) =>
    dimension === 'project'
      ? (projects.get(key) ?? String(key))
      : dimension === 'category'
        ? (tree.get(key)?.name ?? noCategory)
        : dimension === 'source'
          ? textOf(WORK_SOURCES[String(key) as keyof typeof WORK_SOURCES].label, language)
          : (people.get(key) ?? (zh ? '未分派' : 'Unassigned'));
  const filterName = {
    project: 'project',
    person: 'handlerId',
    department: 'departmentId',
    merchant: 'merchantId',
    category: 'exactCategory',
    source: 'source',
    day: time,
  };
  const point = (row: FigureSums) => ({ total: row.total, finished: row.finished, overdue: row.overdue });
  const table =
    dimension === 'day'
      ? [...days].map(([day, row]) => ({ key: day, name: day, row, more: { [time]: `${day}~${day}` } }))
      : [...ofDimension].map(([key, row]) => ({
          key: String(key),
          name: nameOf(key),
          row,
          more: { [filterName[dimension]]: String(key) },
        }));
  const rates = ratesOf(total);
  const past = ratesOf(previous);
  const sparkOf = (value: (row: FigureSums) => number | null) =>
    daysBetween(spark, request.to).map((day) => {
      const row = days.get(day);
      return row ? (value(row) ?? 0) : 0;
    });
  return {
    figures: {
      ...Object.fromEntries(
        (['total', ...KINDS[family]] as const).map((key) => [
          key,
          { value: total[key], previous: previous[key], spark: sparkOf((row) => row[key]) },
        ]),
      ),
      ...Object.fromEntries(
        (
          ['completionRate', 'responseRate', 'solveRate', 'averageResponse', 'averageSolve', 'score'] as const
        ).map((key) => [
          key,
          {
            value: rates[key],
            previous: past[key],
            spark: sparkOf((row) => ratesOf(row)[key]),
            working: workingOf(total)[key],
          },
        ]),
      ),
    },
    charts: {
      kind: KINDS[family]
        .filter((kind) => total[kind] > 0)
        .map((kind) => ({
          key: query({ metric: kind }),
          label: textOf(METRICS[kind].label, language),
          values: { total: total[kind] },
        })),
      category: slicesOf(ofCategories, tree, parameters.category ?? '').map((slice) => ({
        key: query({ metric: 'total', [slice.below ? 'category' : 'exactCategory']: String(slice.id) }),
        label: tree.get(slice.id)?.name ?? noCategory,
        values: { total: slice.total },
      })),
      day: spansBetween(request.from, request.to).map((span) => ({
        key: query({ metric: 'total', [time]: `${span[0]}~${span.at(-1)}` }),
        label: span[0]!.slice(5),
        values: span.reduce(
          (sum, day) => {
            const row = days.get(day);
            if (!row) return sum;
            return {
              total: sum.total + row.total,
              finished: sum.finished + row.finished,
              overdue: sum.overdue + row.overdue,
            };
          },
          { total: 0, finished: 0, overdue: 0 },
        ),
      })),
      project: [...ofProjects]
        .sort(([, a], [, b]) => b.total - a.total)
        .map(([id, row]) => ({
          key: query({ metric: 'total', project: String(id) }),
          label: projects.get(id) ?? String(id),
          values: point(row),
        })),
    },
    rows: table.map(({ key, name, row, more }) => ({
      id: key,
      name,
      ...countsOf(row, family),
      ...ratesOf(row),
      ...(middles.get(key) ?? none),
      ...tradeOf(row, family),
      drill: drillOf(more),
      working: workingOf(row),
    })),
    // From the orders themselves: rates of projects of different size do not weigh the same.
    sums: {
      ...countsOf(total, family),
      ...filled({ ...rates, ...(middles.get('') ?? none) }),
      ...tradeOf(total, family),
      drill: drillOf({}),
      working: workingOf(total),
    },
  };
}

/** What a request sees: frozen months as they were frozen, unless it asks for the current figures. */
export const seenBy = ({ parameters }: ReportRequest, token: string): Seen =>
  parameters.version === 'current'
    ? { token }
    : { token, frozen: parameters.basis === 'finished' ? 'finished' : 'created' };

const tradeOf = (row: Sums, family: Family) =>
  family === 'operations'
    ? { paid: row.paid, refunded: row.refunded }
    : { fee: row.fee, feePaid: row.feePaid };

function countsOf(row: FigureSums, family: Family): Record<string, number> {
  return Object.fromEntries(COUNT_COLUMNS[family].map((column) => [column, row[column]]));
}

function filled(rates: Readonly<Record<string, number | null>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(rates).flatMap(([key, value]) => (value === null ? [] : [[key, value]])),
  );
}

function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
  return days;
}

/** The days of a period one by one, over 62 of them week by week. */
function spansBetween(from: string, to: string): string[][] {
  const days = daysBetween(from, to);
  if (days.length <= 62) return days.map((day) => [day]);
  const weeks: string[][] = [];
  for (const day of days) {
    if (weeks.length === 0 || new Date(`${day}T00:00:00Z`).getUTCDay() === 1) weeks.push([]);
    weeks.at(-1)!.push(day);
  }
  return weeks;
}

/** The same day a year before; the last of February where it has no such day. */
function yearBefore(day: string): string {
  const same = `${Number(day.slice(0, 4)) - 1}${day.slice(4)}`;
  return day.endsWith('02-29') ? `${same.slice(0, 8)}28` : same;
}

/** Medians and ninetieths in minutes. */
type Middles = Readonly<Record<'medianResponse' | 'p90Response' | 'medianSolve' | 'p90Solve', number | null>>;

/** Medians and ninetieths of each row of the table, and of all orders under ''. */
async function middlesOf(
  db: Executor,
  caller: Caller,
  menu: string,
  family: Family,
  request: ReportRequest,
  seen: Seen,
  dimension: Dimension,
): Promise<Map<string, Middles>> {
  const values = new Parameters();
  const where = [
    ...reportConditions(caller, menu, family, request, request.from, request.to, values),
    seenCondition(seen, family, values),
    't.accepted_at IS NOT NULL OR t.finished_at IS NOT NULL',
  ];
  const column = request.parameters.basis === 'finished' ? 't.finished_at' : 't.created_at';
  const key =
    dimension === 'day' ? `(${column} AT TIME ZONE 'Asia/Shanghai')::date` : DIMENSION_KEY[dimension];
  const minutes = minutesOf(request);
  const middle = (of: string) =>
    `percentile_cont(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY x.${of}) FILTER (WHERE x.${of} IS NOT NULL)`;
  const rows = await run<{
    by: number;
    key: string | null;
    response: number[] | null;
    solve: number[] | null;
  }>(
    db,
    `SELECT grouping(x.key) AS by, x.key::text AS key, ${middle('response')} AS response, ${middle('solve')} AS solve
       FROM (SELECT ${key} AS key, ${minutes.response}::float8 AS response, ${minutes.solve}::float8 AS solve FROM ${REPORT_FROM}
              WHERE ${where.map((one) => `(${one})`).join(' AND ')}) x GROUP BY GROUPING SETS ((x.key), ())`,
    values.values,
  );
  const at = (list: number[] | null, index: number) =>
    list?.[index] === undefined || list[index] === null ? null : Math.round(list[index]);
  return new Map(
    rows.map((row) => [
      row.by === 1 ? '' : (row.key ?? ''),
      {
        medianResponse: at(row.response, 0),
        p90Response: at(row.response, 1),
        medianSolve: at(row.solve, 0),
        p90Solve: at(row.solve, 1),
      },
    ]),
  );
}

/** When the orders of a report came in, by weekday and hour; each cell with the filters of exactly its orders. */
export async function heatOf(
  db: Executor,
  caller: Caller,
  menu: string,
  family: Family,
  request: ReportRequest,
): Promise<Heat> {
  if (request.parameters.project)
    requireProjectsInReach(caller, idsOf('project', request.parameters.project));
  const seen = seenBy(request, await presentInstant(db));
  const values = new Parameters();
  const where = [
    ...reportConditions(caller, menu, family, request, request.from, request.to, values),
    seenCondition(seen, family, values),
  ];
  const rows = await run<{ weekday: number; hour: number; orders: number }>(
    db,
    `SELECT ${WEEKDAY} AS weekday, ${HOUR} AS hour, count(*)::integer AS orders FROM ${REPORT_FROM} WHERE ${where.join(' AND ')} GROUP BY 1, 2 ORDER BY 1, 2`,
    values.values,
  );
  const given = filterOf(request, seen);
  return {
    cells: rows.map((row) => ({
      ...row,
      query: new URLSearchParams({
        ...given,
        metric: 'total',
        weekday: String(row.weekday),
        hour: String(row.hour),
      }).toString(),
    })),
  };
}

/**
 * Orders by category of the first level, or of the level below those that are asked for; largest first. `below`: with all that
 * hangs under it.
 */
function slicesOf(
  rows: ReadonlyMap<number | null, { readonly total: number }>,
  tree: ReadonlyMap<number, { readonly parent_id: number | null }>,
  asked: string,
): { readonly id: number; readonly total: number; readonly below: boolean }[] {
  const chosen = new Set(asked.split(',').filter(Boolean).map(Number));
  const totals = new Map<number, number>();
  for (const [category, row] of rows) {
    let at = category ?? 0;
    for (;;) {
      const parent = tree.get(at)?.parent_id ?? null;
      if (chosen.has(at) || parent === null || chosen.has(parent)) break;
      at = parent;
    }
    totals.set(at, (totals.get(at) ?? 0) + row.total);
  }
  return [...totals]
    .map(([id, total]) => ({ id, total, below: id !== 0 && !chosen.has(id) }))
    .sort((a, b) => b.total - a.total);
}

/** How a report counts minutes: on the wall unless it is asked for business time. */
const minutesOf = ({ parameters }: ReportRequest) =>
  MINUTES_BY[parameters.time === 'business' ? 'business' : 'clock'];

/** The filters of the list for the whole report. */
function filterOf(request: ReportRequest, seen: Seen): Record<string, string> {
  const {
    basis,
    by: _by,
    compare: _compare,
    range: _range,
    version: _version,
    time: _time,
    ...rest
  } = request.parameters;
  return {
    ...rest,
    [basis === 'finished' ? 'finishedAt' : 'createdAt']: `${request.from}~${request.to}`,
    asOf: seenText(seen),
  };
}

/** Conditions of a report over its orders besides which version of them is seen. */
export function reportConditions(
  caller: Caller,
  menu: string,
  family: Family,
  { parameters }: ReportRequest,
  from: string,
  to: string,
  values: Parameters,
): string[] {
  const column = parameters.basis === 'finished' ? 't.finished_at' : 't.created_at';
  const where = [
    FAMILY_WHERE[family],
    scopeCondition(caller, menu, workOrderScope(menu), values),
    `${column} >= ${values.bind(startOfBusinessDay(from))} AND ${column} < ${values.bind(endOfBusinessDay(to))}`,
  ];
  if (parameters.project)
    where.push(`t.project_id = ANY(${values.bind(idsOf('project', parameters.project))}::bigint[])`);
  if (parameters.centre) where.push(inCentre(parameters.centre, values));
  if (parameters.class)
    where.push(
      `(t.type = 'complaint_repair' AND t.class = ANY(${values.bind(parameters.class.split(','))}::text[]))`,
    );
  for (const [name, column_] of [
    ['businessId', 't.business_id'],
    ['handlerId', 't.handler_id'],
    ['departmentId', 'h.department_id'],
  ] as const)
    if (parameters[name]) where.push(oneOf(name, column_, parameters[name], values));
  if (parameters.category) where.push(inCategories(parameters.category, values));
  if (parameters.source)
    where.push(`t.source = ANY(${values.bind(parameters.source.split(',').map(Number))}::smallint[])`);
  if (parameters.urgency)
    where.push(`t.urgency = ANY(${values.bind(parameters.urgency.split(','))}::text[])`);
  if (parameters.cancelled) where.push(withCancelled(parameters.cancelled));
  return where;
}

/**
 * The orders of a period in few cells: those that count for the same metrics are counted and added up together, each order once by
 * day, once by project and category, and once by the table's rows where these are something else.
 */
async function cellsOf(
  db: Executor,
  caller: Caller,
  menu: string,
  family: Family,
  request: ReportRequest,
  seen: Seen,
  from: string,
  to: string,
  dimension: Dimension,
): Promise<Cell[]> {
  const values = new Parameters();
  const column = request.parameters.basis === 'finished' ? 't.finished_at' : 't.created_at';
  const where = [
    ...reportConditions(caller, menu, family, request, from, to, values),
    seenCondition(seen, family, values),
  ];
  const minutes = minutesOf(request);
  const sets = ['(x.day, x.marks)', '(x.project, x.category, x.marks)'];
  if (dimension !== 'day' && dimension !== 'project' && dimension !== 'category')
    sets.push('(x.dimension, x.marks)');
  // Held apart by OFFSET, the cells are taken for the few they are and gathered without sorting every order.
  return run<Cell>(
    db,
    `SELECT grouping(x.day, x.project) AS by, x.day::text AS day, x.project, x.category, ${sets.length === 2 ? 'NULL::bigint' : 'x.dimension'} AS dimension, x.marks, count(*)::integer AS total,
            coalesce(sum(x.response), 0)::float8 AS "responseMinutes", coalesce(sum(x.solve), 0)::float8 AS "solveMinutes", coalesce(sum(x.score), 0)::integer AS scores,
            coalesce(sum(x.paid), 0)::bigint AS paid, coalesce(sum(x.refunded), 0)::bigint AS refunded,
            coalesce(sum(x.fee), 0)::bigint AS fee, coalesce(sum(x.fee_paid), 0)::bigint AS "feePaid"
       FROM (SELECT (${column} AT TIME ZONE 'Asia/Shanghai')::date AS day, t.project_id AS project, t.category_id AS category,
                    ${DIMENSION_KEY[dimension]} AS dimension, ${minutes.response}::float8 AS response, ${minutes.solve}::float8 AS solve,
                    t.score_overall AS score, t.paid, t.refunded, t.fee, t.fee_paid, t.marks
               FROM ${REPORT_FROM} WHERE ${where.join(' AND ')} OFFSET 0) x
      GROUP BY GROUPING SETS (${sets.join(', ')})`,
    values.values,
  );
}

/** The figures of cells together. */
function fold(cells: readonly Cell[]): Sums {
  const sums = Object.fromEntries([...KEYS, ...AMOUNTS].map((key) => [key, 0])) as Record<keyof Sums, number>;
  for (const cell of cells) {
    sums.total += cell.total;
    for (const [bit, key] of MARKED.entries()) if (cell.marks & (1 << bit)) sums[key] += cell.total;
    for (const key of AMOUNTS) sums[key] += cell[key];
  }
  return sums;
}

/** The figures of the cells of each key, in the order of the keys. */
function foldBy<Key extends string | number | null>(
  cells: readonly Cell[],
  keyOf: (cell: Cell) => Key,
): Map<Key, Sums> {
  const parts = new Map<Key, Cell[]>();
  for (const cell of cells) {
    const key = keyOf(cell);
    const own = parts.get(key);
    if (own) own.push(cell);
    else parts.set(key, [cell]);
  }
  return new Map([...parts].map(([key, own]) => [key, fold(own)]));
}

async function namesOf(
  db: Executor,
  table: 'project' | 'work_category' | 'staff' | 'department' | 'tenant',
  ids: readonly number[],
): Promise<Map<number, string>> {
  const rows = await run<{ id: number; name: string }>(
    db,
    `SELECT id, name FROM ${table} WHERE id = ANY($1::bigint[])`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row.name]));
}
