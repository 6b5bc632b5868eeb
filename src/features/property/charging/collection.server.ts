import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import { textOf } from '../../../kernel/contract/label.ts';
import { addDays } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, placeCondition, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { bindReport, type ReportRequest } from '../../../kernel/server/report/bind.ts';
import { TODAY } from '../../../kernel/server/today.ts';
import { AGES, collection, type Dimension } from './collection.contract.ts';
import { ALL_CHANNELS } from './charging-words.rules.ts';
import { CHARGING_MENU } from './fee-item.contract.ts';

const SPARKS = 7;
const SCOPE = { tenant: 't.tenant_id', project: 't.project_id', owner: 't.created_by' };
const SUMS = [
  'receivable',
  'received',
  'historicOwed',
  'recovered',
  'lateCharged',
  'lateReceived',
  'lateWaived',
  'houses',
  'owingHouses',
] as const;
type Sums = Record<(typeof SUMS)[number], number>;
interface Row extends Sums {
  readonly by: number;
  readonly dimension: string | null;
  readonly project: number | null;
  readonly month: string | null;
}
// Masks of grouping(dimension, project, month).
const [BY_DIMENSION, BY_PROJECT, BY_MONTH, ALL] = [0b011, 0b101, 0b110, 0b111];

const DIMENSION: Readonly<Record<Dimension, { readonly sql: string; readonly filter: string }>> = {
  project: { sql: 't.project_id::text', filter: 'project' },
  building: { sql: 'u.building_id::text', filter: 'building' },
  item: { sql: 't.fee_item_id::text', filter: 'item' },
  month: { sql: 'NULL::text', filter: '' },
};

/** The collection report. */
export const registration = bindReport(collection, {
  compute: async ({ caller, platform, language }, request) => {
    const { db } = platform.replica;
    const { parameters, from, to } = request;
    if (parameters.project) requireProjectsInReach(caller, parameters.project.split(',').map(Number));
    const ask = (first: string, last: string) => sumsOf(db, caller, request, first, last);
    const rows = await ask(from, to);
    const before = await ask(request.previousFrom, request.previousTo);
    const lastYear = await ask(yearBefore(from), yearBefore(to));
    const total = rows.find((row) => row.by === ALL)!;
    const previous = before.find((row) => row.by === ALL)!;
    const months = monthsOf(from, to);
    const ofMonth = (all: readonly Row[], month: string) =>
      all.find((row) => row.by === BY_MONTH && row.month === month);
    const projects = rows.filter((row) => row.by === BY_PROJECT);
    const names = await namesOf(
      db,
      'project',
      projects.map((row) => row.project!),
    );
    const dimension = (parameters.by ?? 'project') as Dimension;
    const table = rows.filter((row) => row.by === (dimension === 'month' ? BY_MONTH : BY_DIMENSION));
    const named =
      dimension === 'building' || dimension === 'item'
        ? await namesOf(
            db,
            dimension === 'item' ? 'fee_item' : 'building',
            table.map((row) => Number(row.dimension)),
          )
        : names;
    const day = parameters.basis === 'due' ? 'dueDate' : 'periodFrom';
    const { basis: _basis, by: _by, ...given } = parameters;
    /** The very bills of a figure. */
    const drillOf = (more: Readonly<Record<string, string>>, span = `${from}~${to}`) => {
      const bills = { ...given, [day]: span, state: 'unpaid,part,paid', ...more };
      return {
        receivable: bills,
        received: { ...bills, state: 'part,paid' },
        owed: { ...bills, state: 'unpaid,part' },
        historicOwed: { ...bills, [day]: `1990-01-01~${addDays(from, -1)}`, state: 'unpaid,part' },
      };
    };
    const points = months.slice(-SPARKS).map((month) => ofMonth(rows, month) ?? nothing());
    const spark = (of: (sums: Sums) => number | null, scale = 1) => [
      ...Array.from({ length: SPARKS - points.length }, () => 0),
      ...points.map((one) => (of(one) ?? 0) / scale),
    ];
    const figure = (of: (sums: Sums) => number | null, scale = 1) => ({
      value: of(total),
      previous: of(previous),
      spark: spark(of, scale),
    });
    const prepaid = await prepaidOf(db, caller, parameters.project);
    return {
      figures: {
        receivable: figure((one) => one.receivable, 100),
        received: figure((one) => one.received, 100),
        owed: figure((one) => one.receivable - one.received, 100),
        collectionRate: {
          ...figure((one) => ratesOf(one).collectionRate),
          working: `${yuan(total.received)} ÷ ${yuan(total.receivable)}`,
        },
        clearanceRate: {
          ...figure((one) => ratesOf(one).clearanceRate),
          working: `${yuan(total.recovered)} ÷ (${yuan(total.recovered)} + ${yuan(total.historicOwed)})`,
        },
        houseRate: {
          ...figure((one) => ratesOf(one).houseRate),
          working: `${total.houses - total.owingHouses} ÷ ${total.houses}`,
        },
        prepaid: { value: prepaid, previous: null, spark: spark(() => 0) },
      },
      charts: {
        project: projects
          .sort((a, b) => b.receivable - a.receivable)
          .map((row) => ({
            key: new URLSearchParams(drillOf({ project: String(row.project) }).receivable).toString(),
            label: names.get(row.project!) ?? String(row.project),
            values: {
              collectionRate: rounded(ratesOf(row).collectionRate),
              owed: (row.receivable - row.received) / 100,
            },
          })),
        month: months.map((month) => ({
          key: month,
          label: month,
          values: {
            collectionRate: rounded(ratesOf(ofMonth(rows, month) ?? nothing()).collectionRate),
            lastYear: rounded(
              ratesOf(ofMonth(lastYear, yearBefore(`${month}-01`).slice(0, 7)) ?? nothing()).collectionRate,
            ),
          },
        })),
        age: (await agesOf(db, caller, request)).map(([age, owed]) => ({
          key: new URLSearchParams({ ...given, overdueDays: age }).toString(),
          label: age === '181~99999' ? '>180' : age.replace('~', '–'),
          values: { owed: owed / 100 },
        })),
        channel: (await channelsOf(db, caller, request)).map((row) => ({
          key: new URLSearchParams({
            ...(parameters.project && { project: parameters.project }),
            channel: row.channel,
            valueDate: `${from}~${to}`,
            state: 'valid',
          }).toString(),
          label: textOf(ALL_CHANNELS[row.channel as keyof typeof ALL_CHANNELS], language),
          values: { received: row.received / 100 },
        })),
      },
      rows: table.flatMap((row) => {
        if (dimension === 'month' && !months.includes(row.month!)) return [];
        const key = dimension === 'month' ? row.month! : row.dimension!;
        return [
          {
            id: key,
            name: dimension === 'month' ? key : (named.get(Number(key)) ?? key),
            ...columnsOf(row),
            drill:
              dimension === 'month'
                ? drillOf({}, spanOfMonth(key, from, to))
                : drillOf({ [DIMENSION[dimension].filter]: key }),
          },
        ];
      }),
      sums: { ...columnsOf(total), drill: drillOf({}) },
    };
  },
});

const nothing = (): Sums => Object.fromEntries(SUMS.map((name) => [name, 0])) as Sums;
const yuan = (fen: number) => (fen / 100).toFixed(2);
const rounded = (rate: number | null) => Math.round((rate ?? 0) * 10) / 10;

/** Rates in percent, always from the sums themselves; null without a base. */
function ratesOf(sums: Sums) {
  const rate = (part: number, whole: number) => (whole === 0 ? null : (100 * part) / whole);
  return {
    collectionRate: rate(sums.received, sums.receivable),
    clearanceRate: rate(sums.recovered, sums.recovered + sums.historicOwed),
    houseRate: rate(sums.houses - sums.owingHouses, sums.houses),
  };
}

const columnsOf = (row: Sums) => ({
  ...Object.fromEntries(SUMS.map((name) => [name, row[name]])),
  owed: row.receivable - row.received,
  ...ratesOf(row),
});

function monthsOf(from: string, to: string): string[] {
  const months: string[] = [];
  for (
    let day = `${from.slice(0, 7)}-01`;
    day <= to;
    day = addDays(`${day.slice(0, 7)}-28`, 4).slice(0, 8) + '01'
  )
    months.push(day.slice(0, 7));
  return months;
}

/** Days of a month inside the period. */
function spanOfMonth(month: string, from: string, to: string): string {
  const last = addDays(`${addDays(`${month}-28`, 4).slice(0, 7)}-01`, -1);
  return `${from > `${month}-01` ? from : `${month}-01`}~${to < last ? to : last}`;
}

/** The same day a year before; the last of February where it has no such day. */
function yearBefore(day: string): string {
  const same = `${Number(day.slice(0, 4)) - 1}${day.slice(4)}`;
  return day.endsWith('02-29') ? `${same.slice(0, 8)}28` : same;
}

/** Conditions on bills `t` of house `h` in unit `u` besides their days. */
function billConditions(caller: Caller, { parameters }: ReportRequest, values: Parameters): string {
  const where = [`t.state <> 'void'`, scopeCondition(caller, CHARGING_MENU, SCOPE, values)];
  for (const [name, column] of [
    ['project', 't.project_id'],
    ['building', 'u.building_id'],
    ['item', 't.fee_item_id'],
  ] as const)
    if (parameters[name])
      where.push(`${column} = ANY(${values.bind(parameters[name].split(',').map(Number))}::bigint[])`);
  return where.join(' AND ');
}

const FROM = `bill t JOIN house h ON h.id = t.house_id JOIN building_unit u ON u.id = h.unit_id`;

async function sumsOf(
  db: Executor,
  caller: Caller,
  request: ReportRequest,
  from: string,
  to: string,
): Promise<Row[]> {
  const values = new Parameters();
  const where = billConditions(caller, request, values);
  const column = request.parameters.basis === 'due' ? 't.due_date' : 't.period_from';
  const [a, b] = [`${values.bind(from)}::date`, `${values.bind(to)}::date`];
  const dimension = DIMENSION[(request.parameters.by ?? 'project') as Dimension].sql;
  return run<Row>(
    db,
    `WITH bills AS (
       SELECT t.id, t.house_id, t.project_id AS project, to_char(${column}, 'YYYY-MM') AS month, ${dimension} AS dimension,
              ${column} >= ${a} AS inside, t.principal - t.discount + t.adjustment AS due
         FROM ${FROM} WHERE ${where} AND ${column} <= ${b}),
     paid AS (
       SELECT bill_id, coalesce(sum(amount) FILTER (WHERE kind = 'principal' AND value_date <= ${b}), 0) AS paid,
              coalesce(sum(amount) FILTER (WHERE kind = 'principal' AND value_date BETWEEN ${a} AND ${b}), 0) AS paid_now,
              coalesce(sum(amount) FILTER (WHERE kind = 'late_fee' AND value_date BETWEEN ${a} AND ${b}), 0) AS late
         FROM bill_allocation WHERE bill_id IN (SELECT id FROM bills) GROUP BY 1),
     late AS (
       SELECT bill_id, coalesce(sum(amount) FILTER (WHERE kind = 'late_fee'), 0) AS charged, coalesce(sum(amount) FILTER (WHERE kind = 'late_fee_waiver'), 0) AS waived
         FROM bill_line WHERE bill_id IN (SELECT id FROM bills) AND on_day BETWEEN ${a} AND ${b} GROUP BY 1),
     x AS (
       SELECT s.*, coalesce(p.paid, 0) AS paid, coalesce(p.paid_now, 0) AS paid_now, coalesce(p.late, 0) AS late, coalesce(l.charged, 0) AS charged, coalesce(l.waived, 0) AS waived
         FROM bills s LEFT JOIN paid p ON p.bill_id = s.id LEFT JOIN late l ON l.bill_id = s.id)
     SELECT grouping(x.dimension, x.project, x.month) AS by, x.dimension, x.project, x.month,
            coalesce(sum(x.due) FILTER (WHERE x.inside), 0)::bigint AS receivable,
            coalesce(sum(x.paid) FILTER (WHERE x.inside), 0)::bigint AS received,
            coalesce(sum(x.due - x.paid) FILTER (WHERE NOT x.inside), 0)::bigint AS "historicOwed",
            coalesce(sum(x.paid_now) FILTER (WHERE NOT x.inside), 0)::bigint AS recovered,
            coalesce(sum(x.charged), 0)::bigint AS "lateCharged", coalesce(sum(x.late), 0)::bigint AS "lateReceived", coalesce(sum(x.waived), 0)::bigint AS "lateWaived",
            count(DISTINCT x.house_id) FILTER (WHERE x.inside AND x.due > 0)::integer AS houses,
            count(DISTINCT x.house_id) FILTER (WHERE x.inside AND x.due > x.paid)::integer AS "owingHouses"
       FROM x GROUP BY GROUPING SETS ((x.dimension), (x.project), (x.month), ())`,
    values.values,
  );
}

/** What is overdue today, by how long. */
async function agesOf(
  db: Executor,
  caller: Caller,
  request: ReportRequest,
): Promise<(readonly [string, number])[]> {
  const values = new Parameters();
  const where = billConditions(caller, request, values);
  const row = await runOne<Record<string, number>>(
    db,
    `SELECT ${AGES.map((age) => {
      const [least, most] = age.split('~');
      return `coalesce(sum(t.owed_principal + t.owed_late_fee) FILTER (WHERE ${TODAY} - t.due_date BETWEEN ${least} AND ${most}), 0)::bigint AS "${age}"`;
    }).join(', ')} FROM ${FROM} WHERE ${where} AND t.state IN ('unpaid', 'part') AND t.due_date < ${TODAY}`,
    values.values,
  );
  return AGES.map((age) => [age, row![age]!]);
}

/** Money of the period by channel, refunds taken off; what prepaid accounts paid came in before. */
function channelsOf(
  db: Executor,
  caller: Caller,
  { parameters, from, to }: ReportRequest,
): Promise<{ channel: string; received: number }[]> {
  const values = new Parameters();
  const where = [
    `t.state = 'valid'`,
    scopeCondition(caller, CHARGING_MENU, SCOPE, values),
    `t.value_date BETWEEN ${values.bind(from)}::date AND ${values.bind(to)}::date`,
    ...(parameters.project
      ? [`t.project_id = ANY(${values.bind(parameters.project.split(',').map(Number))}::bigint[])`]
      : []),
  ];
  return run(
    db,
    `SELECT t.channel, sum(t.amount)::bigint AS received FROM bill_payment t WHERE ${where.join(' AND ')} GROUP BY 1 HAVING sum(t.amount) > 0 ORDER BY 2 DESC`,
    values.values,
  );
}

/** Prepaid money of the houses the caller sees, now. */
async function prepaidOf(db: Executor, caller: Caller, project: string | undefined): Promise<number> {
  const values = new Parameters();
  const seen = placeCondition(caller, residentScope('h.project_id'), values);
  const of = project
    ? ` AND h.project_id = ANY(${values.bind(project.split(',').map(Number))}::bigint[])`
    : '';
  const row = await runOne<{ sum: number }>(
    db,
    `SELECT coalesce(sum(l.balance), 0)::bigint AS sum FROM ledger_account l JOIN house h ON h.id::text = l.owner
      WHERE l.kind LIKE 'prepaid\\_%' AND l.unit = 'fen' AND ${seen}${of}`,
    values.values,
  );
  return row!.sum;
}

async function namesOf(
  db: Executor,
  table: 'project' | 'building' | 'fee_item',
  ids: readonly number[],
): Promise<Map<number, string>> {
  const rows = await run<{ id: number; name: string }>(
    db,
    `SELECT id, name FROM ${table} WHERE id = ANY($1::bigint[])`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row.name]));
}
