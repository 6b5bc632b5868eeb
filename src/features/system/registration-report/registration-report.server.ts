import { CHANNELS } from '../../../domain/residents/registration.rules.ts';
import {
  houseCounts,
  registrationRate,
  reportProjects,
  type HouseCount,
  type ReportProject,
} from '../../../domain/residents/residents.server.ts';
import { textOf } from '../../../kernel/contract/label.ts';
import { endOfBusinessDay, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { bindReport, type ReportRequest } from '../../../kernel/server/report/bind.ts';
import { registrationReport } from './registration-report.contract.ts';
import { stepsOf } from './registration-steps.rules.ts';

const MOST_BARS = 8;
const NO_HOUSES: HouseCount = { houses: 0, registered: 0, fresh: 0 };
const NO_MEMBERS: MemberCount = { members: 0, fresh: 0, before: 0, owners: 0, families: 0, tenants: 0 };

/** Registration by project: houses, members, who came in the period. */
export const registration = bindReport(registrationReport, {
  compute: async ({ caller, platform, language }, request) => {
    const db = platform.replica.db;
    const projects = await reportProjects(db, caller, registrationReport.menu, request.parameters);
    const ids = projects.map((project) => project.id);
    const [from, to] = [startOfBusinessDay(request.from), endOfBusinessDay(request.to)];
    const previous = [
      startOfBusinessDay(request.previousFrom),
      endOfBusinessDay(request.previousTo),
    ] as const;
    const [homes, homesBefore, people, channels, days] = await Promise.all([
      houseCounts(db, ids, from, to),
      houseCounts(db, ids, ...previous),
      memberCounts(db, ids, from, to, previous[0]),
      channelCounts(db, ids, from, to),
      dayCounts(db, ids, from, to),
    ]);
    const rows = projects.map((project) =>
      rowOf(project, homes.get(project.id) ?? NO_HOUSES, people.get(project.id) ?? NO_MEMBERS, request),
    );
    const sum = (name: Exclude<keyof (typeof rows)[number], 'project' | 'drill' | 'rate'>) =>
      rows.reduce((total, row) => total + row[name], 0);
    const total = {
      houses: sum('houses'),
      registered: sum('registered'),
      unregistered: sum('unregistered'),
      members: sum('members'),
      newMembers: sum('newMembers'),
      newHouses: sum('newHouses'),
      owners: sum('owners'),
      families: sum('families'),
      tenants: sum('tenants'),
    };
    // From the sums: projects of different size do not weigh the same.
    const rate = registrationRate(total);
    const now = (value: number | null) => ({ value, previous: null, spark: [] });
    const before = (values: Iterable<number>) => [...values].reduce((all, one) => all + one, 0);
    const week = [...stepsOf(request.from, request.to, 'day')].slice(-7);
    return {
      figures: {
        allHouses: now(total.houses),
        allRegistered: now(total.registered),
        allRate: now(rate),
        allMembers: now(total.members),
        allNewMembers: {
          value: total.newMembers,
          previous: before([...people.values()].map((one) => one.before)),
          spark: week.map((step) => days.get(step.from)?.newMembers ?? 0),
        },
        allNewHouses: {
          value: total.newHouses,
          previous: before([...homesBefore.values()].map((one) => one.fresh)),
          spark: week.map((step) => days.get(step.from)?.newHouses ?? 0),
        },
      },
      charts: {
        trend: stepsOf(request.from, request.to, request.parameters.step ?? 'day').map((step) => {
          const values = { newMembers: 0, newHouses: 0 };
          for (const [day, one] of days)
            if (day >= step.from && day <= step.to) {
              values.newMembers += one.newMembers;
              values.newHouses += one.newHouses;
            }
          return { key: `${step.from}~${step.to}`, label: step.label, values };
        }),
        // More bars would be added up as one, and rates cannot be added; the table has them all.
        project: [...rows]
          .sort((a, b) => (b.rate ?? 0) - (a.rate ?? 0) || a.id - b.id)
          .slice(0, MOST_BARS)
          .map((row) => ({
            key: String(row.id),
            label: row.project.title,
            values: { rate: row.rate ?? 0, registered: row.registered },
          })),
        channel: channels.map(({ channel, members, fresh }) => ({
          key: channel,
          label: textOf(CHANNELS[channel].label, language),
          values: { members, newMembers: fresh },
        })),
      },
      rows,
      sums: { ...total, ...(rate === null ? {} : { rate }) },
    };
  },
});

interface MemberCount {
  readonly members: number;
  readonly fresh: number;
  /** New in the period before. */
  readonly before: number;
  readonly owners: number;
  readonly families: number;
  readonly tenants: number;
}

function rowOf(project: ReportProject, homes: HouseCount, people: MemberCount, request: ReportRequest) {
  const range = `${request.from}~${request.to}`;
  const place = { project: String(project.id) };
  const identity = (word: string) => ({ ...place, identity: word, status: 'normal' });
  return {
    id: project.id,
    project: { id: String(project.id), title: project.name },
    houses: homes.houses,
    registered: homes.registered,
    rate: registrationRate(homes),
    unregistered: homes.houses - homes.registered,
    members: people.members,
    newMembers: people.fresh,
    newHouses: homes.fresh,
    owners: people.owners,
    families: people.families,
    tenants: people.tenants,
    drill: {
      houses: place,
      registered: { ...place, registered: 'true' },
      unregistered: { ...place, registered: 'false' },
      newHouses: { ...place, firstRegisteredAt: range },
      members: place,
      newMembers: { ...place, registeredAt: range },
      owners: identity('owner'),
      families: identity('family'),
      tenants: identity('tenant'),
    },
  };
}

async function memberCounts(
  db: Executor,
  projects: readonly number[],
  from: Date,
  to: Date,
  previous: Date,
): Promise<ReadonlyMap<number, MemberCount>> {
  const rows = await run<MemberCount & { project_id: number }>(
    db,
    `SELECT m.project_id, count(*) AS members, count(*) FILTER (WHERE m.registered_at >= $2 AND m.registered_at < $3) AS fresh,
            count(*) FILTER (WHERE m.registered_at >= $4 AND m.registered_at < $2) AS before,
            count(*) FILTER (WHERE h.identity = 'owner') AS owners, count(*) FILTER (WHERE h.identity = 'family') AS families,
            count(*) FILTER (WHERE h.identity = 'tenant') AS tenants
       FROM member m LEFT JOIN household h ON h.id = m.household_id AND h.status = 'normal'
      WHERE m.project_id = ANY($1::bigint[]) GROUP BY m.project_id`,
    [projects, from, to, previous],
  );
  return new Map(rows.map((row) => [row.project_id, row]));
}

async function channelCounts(db: Executor, projects: readonly number[], from: Date, to: Date) {
  return run<{ channel: keyof typeof CHANNELS; members: number; fresh: number }>(
    db,
    `SELECT m.channel, count(*) AS members, count(*) FILTER (WHERE m.registered_at >= $2 AND m.registered_at < $3) AS fresh
       FROM member m WHERE m.project_id = ANY($1::bigint[]) GROUP BY m.channel ORDER BY members DESC, m.channel`,
    [projects, from, to],
  );
}

interface DayCount {
  newMembers: number;
  newHouses: number;
}

async function dayCounts(
  db: Executor,
  projects: readonly number[],
  from: Date,
  to: Date,
): Promise<ReadonlyMap<string, DayCount>> {
  const rows = await run<{ day: string; members: number; houses: number }>(
    db,
    `SELECT (x.at AT TIME ZONE 'Asia/Shanghai')::date::text AS day, sum(x.member)::bigint AS members, sum(x.house)::bigint AS houses
       FROM (SELECT m.registered_at AS at, 1 AS member, 0 AS house FROM member m
              WHERE m.project_id = ANY($1::bigint[]) AND m.registered_at >= $2 AND m.registered_at < $3
             UNION ALL
             SELECT min(reg.bound_at), 0, 1 FROM household reg JOIN house h ON h.id = reg.house_id
              WHERE h.project_id = ANY($1::bigint[]) AND reg.bound_at IS NOT NULL
              GROUP BY reg.house_id HAVING min(reg.bound_at) >= $2 AND min(reg.bound_at) < $3) x
      GROUP BY 1`,
    [projects, from, to],
  );
  return new Map(rows.map((row) => [row.day, { newMembers: row.members, newHouses: row.houses }]));
}
