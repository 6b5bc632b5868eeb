import { addDays } from '../../../kernel/contract/time.rules.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { bindReport, type ReportRequest, type ReportResult } from '../../../kernel/server/report/bind.ts';
import { orderCount } from './order-count.contract.ts';
import { countOrders, type CountRow } from './order-count-queries.server.ts';
import { grainOf, type Grain } from './order-count.rules.ts';

const TOP = 10;
const SPARK_DAYS = 7;
const MEASURES = ['created', 'paid', 'closed', 'refunds', 'completed', 'received'] as const;
type Counts = Record<(typeof MEASURES)[number], number>;

/** Report of order counts per merchant and project. */
export const registration = bindReport(orderCount, {
  compute: async ({ caller, platform }, request) => {
    const { db } = platform.replica;
    const { parameters } = request;
    const spark = addDays(request.to, 1 - SPARK_DAYS);
    const all = await countOrders(db, caller, {
      from: request.previousFrom < spark ? request.previousFrom : spark,
      to: request.to,
      projects: ids(parameters.project),
      merchants: ids(parameters.merchant),
      kinds: parameters.kind?.split(','),
    });
    const inside = all.filter((row) => row.day >= request.from);
    const places = sumBy(inside, (row) => `${row.tenant} ${row.project}`);
    const merchants = sumBy(inside, (row) => String(row.tenant));
    const projects = sumBy(inside, (row) => String(row.project));
    const [merchantNames, projectNames] = await Promise.all([
      namesOf(db, 'tenant', [...merchants.keys()]),
      namesOf(db, 'project', [...projects.keys()]),
    ]);
    const grain = (parameters.grain ?? 'day') as Grain;
    const times = sumBy(inside, (row) => grainOf(row.day, grain));
    for (let day = request.from; day <= request.to; day = addDays(day, 1))
      if (!times.has(grainOf(day, grain))) times.set(grainOf(day, grain), nothing());
    const total = sumBy(inside, () => '').get('') ?? nothing();
    // What a clicked figure lists: the orders it counts.
    const drillOf = (of: Readonly<Record<string, unknown>>) =>
      Object.fromEntries(
        MEASURES.map((name) => [
          name,
          {
            ...of,
            createdAt: `${request.from}~${request.to}`,
            ...(parameters.kind ? { kind: parameters.kind } : {}),
            figure: name === 'received' ? 'paid' : name,
          },
        ]),
      );
    return {
      figures: figuresOf(request, all),
      charts: {
        time: [...times].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, sums]) => point(key, key, sums)),
        merchant: topOf(merchants, merchantNames),
        project: topOf(projects, projectNames),
      },
      rows: [...places].map(([key, sums]) => {
        const [tenant = '', project = ''] = key.split(' ');
        return {
          id: key.replace(' ', '-'),
          merchant: { id: tenant, title: merchantNames.get(tenant) ?? tenant },
          project: { id: project, title: projectNames.get(project) ?? project },
          ...sums,
          rate: rateOf(sums),
          drill: drillOf({ id: tenant, project }),
        };
      }),
      sums: {
        ...total,
        rate: rateOf(total) ?? 0,
        drill: drillOf({
          ...(parameters.merchant ? { merchant: parameters.merchant } : {}),
          ...(parameters.project ? { project: parameters.project } : {}),
        }),
      },
    };
  },
});

function figuresOf(request: ReportRequest, all: readonly CountRow[]): ReportResult['figures'] {
  const between = (from: string, to: string) =>
    sumBy(
      all.filter((row) => row.day >= from && row.day <= to),
      () => '',
    ).get('') ?? nothing();
  const now = between(request.from, request.to);
  const before = between(request.previousFrom, request.previousTo);
  const days = Array.from({ length: SPARK_DAYS }, (_, n) => addDays(request.to, n + 1 - SPARK_DAYS)).map(
    (day) => between(day, day),
  );
  const figure = (of: (sums: Counts) => number | null, scale = 1) => ({
    value: of(now),
    previous: of(before),
    spark: days.map((day) => (of(day) ?? 0) / scale),
  });
  return {
    placed: figure((sums) => sums.created),
    settled: figure((sums) => sums.paid),
    rate: figure(rateOf),
    income: figure((sums) => sums.received, 100),
  };
}

function nothing(): Counts {
  return { created: 0, paid: 0, closed: 0, refunds: 0, completed: 0, received: 0 };
}

function sumBy(rows: readonly CountRow[], keyOf: (row: CountRow) => string): Map<string, Counts> {
  const sums = new Map<string, Counts>();
  for (const row of rows) {
    const key = keyOf(row);
    const sum = sums.get(key) ?? nothing();
    for (const name of MEASURES) sum[name] += row[name];
    sums.set(key, sum);
  }
  return sums;
}

/** Paid of the placed in percent with two decimals; null where nothing was placed. */
function rateOf({ created, paid }: Counts): number | null {
  return created === 0 ? null : Math.round((10_000 * paid) / created) / 100;
}

function topOf(sums: ReadonlyMap<string, Counts>, names: ReadonlyMap<string, string>) {
  return [...sums]
    .sort(([a, one], [b, other]) => other.created - one.created || Number(a) - Number(b))
    .slice(0, TOP)
    .map(([key, one]) => point(key, names.get(key) ?? key, one));
}

function point(key: string, label: string, sums: Counts) {
  return { key, label, values: { ...sums, received: sums.received / 100 } };
}

function ids(text: string | undefined): number[] | undefined {
  return text === undefined ? undefined : text.split(',').map(Number);
}

async function namesOf(
  db: Executor,
  table: 'tenant' | 'project',
  wanted: readonly string[],
): Promise<Map<string, string>> {
  const rows = await run<{ id: number; name: string }>(
    db,
    `SELECT id, name FROM ${table} WHERE id = ANY($1::bigint[])`,
    [wanted],
  );
  return new Map(rows.map((row) => [String(row.id), row.name]));
}
