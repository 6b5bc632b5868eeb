import { addMonths } from '../../../domain/contract/plan.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { bindReport } from '../../../kernel/server/report/bind.ts';
import { addDays, businessDayOf, daysBetween } from '../../../kernel/contract/time.rules.ts';
import { LIVE, SCOPE } from '../position/position.server.ts';
import { approvalsOf } from './approval-figures.server.ts';
import { endedOf, leasesOf, moneyOf, type Lease, type PositionMoney } from './position-money.server.ts';
import { groupBy } from './position-money.rules.ts';
import { positionStatistics, type StatisticsBy } from './position-statistics.contract.ts';

/** A position with its days in one month of the period. */
interface Slice {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  readonly project: string;
  readonly project_name: string;
  readonly type: string;
  readonly type_name: string;
  readonly list_price: number;
  /** m²; null where nobody measured it. */
  readonly area: number | null;
  readonly month: string;
  readonly base: number;
  readonly leased: number;
  readonly held: number;
  readonly repair: number;
  /** Leases that end within 90 days: days until then, today 0, and what each brings a month. */
  readonly endings: readonly { readonly days: number; readonly rent: number }[];
  /** What it brings a month at the end of the period, where it is let then. */
  readonly rent: number | undefined;
  readonly money: PositionMoney;
}

const NOTHING: PositionMoney = { income: 0, received: 0, due: 0, dueReceived: 0 };

/** 资源统计. */
export const registration = bindReport(positionStatistics, {
  compute: async ({ caller, platform, language }, request) => {
    const { from, to, previousFrom, previousTo, parameters } = request;
    const slices = await slicesOf(platform, caller, parameters, from, to);
    const before = sumOf(await slicesOf(platform, caller, parameters, previousFrom, previousTo));
    const ended = await endedOf(platform.replica.db, [...new Set(slices.map((one) => one.id))], from, to);
    const by = (parameters.by ?? 'project') as StatisticsBy;
    const groups = {
      project: grouped(slices, (one) => one.project),
      type: grouped(slices, (one) => one.type),
      position: grouped(slices, (one) => one.id),
      month: grouped(slices, (one) => one.month),
    };
    const title = {
      project: (one: Slice) => one.project_name,
      type: (one: Slice) => one.type_name,
      position: (one: Slice) => `${one.project_name} ${one.code} ${one.name}`,
    };
    const total = sumOf(slices);
    const figure = (value: number | null, previous: number | null = null) => ({ value, previous, spark: [] });
    // The query of the positions behind a point: the report as it is asked for, with that one thing more.
    const behind = (more: Readonly<Record<string, string>>) =>
      new URLSearchParams({ ...parameters, range: `${from}~${to}`, by: 'position', ...more }).toString();
    const points = (kind: 'project' | 'type') =>
      [...groups[kind]]
        .map(([key, part]) => ({
          key: behind({ [kind]: key }),
          label: title[kind](part[0]!),
          values: shares(part),
        }))
        .sort((a, b) => b.values.occupancy - a.values.occupancy)
        .slice(0, 20);
    return {
      figures: {
        occupancy: figure(total.occupancy, before.occupancy),
        vacancy: figure(total.vacancy, before.vacancy),
        ending30: figure(total.ending30),
        ending60: figure(total.ending60),
        ending90: figure(total.ending90),
        atStake: figure(total.atStake),
        income: figure(total.income, before.income),
        received: figure(total.received, before.received),
        collection: figure(total.collection, before.collection),
        attainment: figure(total.attainment),
        renewal: figure(ended.ended > 0 ? (100 * ended.renewed) / ended.ended : null),
      },
      charts: {
        months: [...groups.month]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([month, part]) => {
            const first = `${month}-01` < from ? from : `${month}-01`;
            const last = addDays(addMonths(`${month}-01`, 1), -1);
            return {
              key: behind({ range: `${first}~${last > to ? to : last}` }),
              label: month,
              values: shares(part),
            };
          }),
        projects: points('project'),
        types: points('type'),
        approvals: await approvalsOf(platform.replica.db, caller, {
          from,
          to,
          projects: parameters.project ? idsOf('project', parameters.project) : undefined,
          language,
        }),
      },
      rows: [...groups[by]].map(([id, part]) => ({
        id,
        name: title[by](part[0]!),
        ...sumOf(part),
        // What shows the positions behind a row with their days.
        drill: by === 'position' ? { position: id } : { [by]: id },
      })),
      sums: { ...total },
    };
  },
});

function grouped(slices: readonly Slice[], key: (one: Slice) => string): Map<string, Slice[]> {
  const groups = new Map<string, Slice[]>();
  for (const one of slices) groups.set(key(one), [...(groups.get(key(one)) ?? []), one]);
  return groups;
}

/** Days, shares and endings of some positions. What ends is told once a position, whatever months the period has. */
function sumOf(slices: readonly Slice[]) {
  const sum = (name: 'base' | 'leased' | 'held' | 'repair') =>
    slices.reduce((all, one) => all + one[name], 0);
  const [base, leased, held, repair] = [sum('base'), sum('leased'), sum('held'), sum('repair')];
  const usable = base - repair;
  const percent = (part: number) => (usable > 0 ? (100 * part) / usable : null);
  const vacant = usable - leased - held;
  const positions = [...new Map(slices.map((one) => [one.id, one])).values()];
  const ending = (within: number) =>
    positions.reduce((all, one) => all + one.endings.filter(({ days }) => days <= within).length, 0);
  const total = (of: (one: Slice) => number) => positions.reduce((all, one) => all + of(one), 0);
  const income = total((one) => one.money.income);
  const due = total((one) => one.money.due);
  const isLet = positions.filter((one) => one.rent !== undefined);
  const listed = isLet.reduce((all, one) => all + one.list_price, 0);
  const measured = positions.filter((one) => (one.area ?? 0) > 0);
  const area = measured.reduce((all, one) => all + one.area!, 0);
  return {
    positions: positions.length,
    base,
    leased,
    held,
    repair,
    vacant,
    occupancy: percent(leased),
    heldShare: percent(held),
    vacancy: percent(vacant),
    ending30: ending(30),
    ending60: ending(60),
    ending90: ending(90),
    atStake: total((one) => one.endings.reduce((all, { rent }) => all + rent, 0)),
    income,
    received: total((one) => one.money.received),
    collection: due > 0 ? (100 * total((one) => one.money.dueReceived)) / due : null,
    attainment: listed > 0 ? (100 * isLet.reduce((all, one) => all + one.rent!, 0)) / listed : null,
    perArea: area > 0 ? Math.round(measured.reduce((all, one) => all + one.money.income, 0) / area) : null,
  };
}

const tenth = (value: number | null) => Math.round(10 * (value ?? 0)) / 10;

function shares(slices: readonly Slice[]) {
  const { occupancy, heldShare, vacancy, leased, income, received, attainment } = sumOf(slices);
  return {
    occupancy: tenth(occupancy),
    heldShare: tenth(heldShare),
    vacancy: tenth(vacancy),
    leased,
    income: income / 100,
    received: received / 100,
    attainment: tenth(attainment),
  };
}

/**
 * Enabled positions of the caller with their days month by month. A position counts from the day it was entered, or from the first
 * day somebody had it where that is earlier, so that it is never let for more days than it stood there.
 */
async function slicesOf(
  platform: Platform,
  caller: Caller,
  parameters: Readonly<Record<string, string>>,
  from: string,
  to: string,
): Promise<Slice[]> {
  const values = new Parameters();
  const where = ['t.enabled', scopeCondition(caller, positionStatistics.menu, SCOPE, values)];
  for (const [name, column] of [
    ['project', 't.project_id'],
    ['type', 't.type_id'],
  ] as const)
    if (parameters[name])
      where.push(`${column} = ANY(${values.bind(idsOf(name, parameters[name]))}::bigint[])`);
  const [low, high] = [values.bind(from), values.bind(to)];
  const days = (kind: string) =>
    `coalesce(sum(upper(x.days) - lower(x.days)) FILTER (WHERE x.kind = '${kind}'), 0)::int`;
  const { db } = platform.replica;
  const slices = await run<Omit<Slice, 'endings' | 'rent' | 'money'>>(
    db,
    `SELECT t.id::text, t.code, t.name, t.project_id::text AS project, p.name AS project_name, t.type_id::text AS type, k.name AS type_name,
            t.list_price::float8 AS list_price, t.area::float8 AS area, to_char(lower(m.days), 'YYYY-MM') AS month,
            (upper(m.days) - lower(m.days))::int AS base, y.leased, y.held, y.repair
       FROM position t JOIN project p ON p.id = t.project_id JOIN biz_dict k ON k.id = t.type_id
       CROSS JOIN LATERAL (SELECT least((t.created_at AT TIME ZONE 'Asia/Shanghai')::date,
            (SELECT min(o.from_on) FROM position_occupancy o WHERE o.position_id = t.id AND o.kind <> 'hold' AND o.released_at IS NULL)) AS on_day) s
       CROSS JOIN LATERAL (SELECT daterange(greatest(g.day::date, ${low}::date, s.on_day), least((g.day + interval '1 month')::date, ${high}::date + 1)) AS days
            FROM generate_series(date_trunc('month', ${low}::date::timestamp), ${high}::date::timestamp, interval '1 month') AS g (day)
           WHERE greatest(g.day::date, ${low}::date, s.on_day) < least((g.day + interval '1 month')::date, ${high}::date + 1)) m
       CROSS JOIN LATERAL (SELECT ${days('lease')} AS leased, ${days('hold')} AS held, ${days('repair')} AS repair
            FROM (SELECT o.kind, o.period * m.days AS days FROM position_occupancy o WHERE o.position_id = t.id AND ${LIVE} AND o.period && m.days) x) y
      WHERE ${where.join(' AND ')} ORDER BY t.code, t.id`,
    values.values,
  );
  const ids = [...new Set(slices.map((one) => one.id))];
  const today = businessDayOf(new Date());
  const day = to < today ? to : today;
  const [money, leases] = [await moneyOf(db, ids, from, to), await leasesOf(db, ids, day)];
  const of = groupBy(leases, (lease) => lease.position);
  return slices.map((one) => {
    const own = of.get(one.id) ?? [];
    // Leases no contract made are held at the list price.
    const rentOf = (lease: Lease, on: string) => lease.rent(on) ?? one.list_price;
    const now = own.find((lease) => lease.from <= day && lease.to >= day);
    return {
      ...one,
      money: money.get(one.id) ?? NOTHING,
      rent: now && rentOf(now, day),
      endings: own
        .filter((lease) => lease.to >= today && lease.to <= addDays(today, 90))
        .map((lease) => ({ days: daysBetween(today, lease.to) - 1, rent: rentOf(lease, lease.to) })),
    };
  });
}

function idsOf(field: string, text: string): number[] {
  const ids = text.split(',');
  if (!ids.every((id) => /^\d{1,15}$/.test(id))) throw invalid({ [field]: ['编号不正确', 'Not an id'] });
  return ids.map(Number);
}
