import { percentOf } from '../../../domain/residents/registration.rules.ts';
import { reportProjects } from '../../../domain/residents/residents.server.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { bindReport } from '../../../kernel/server/report/bind.ts';
import {
  coverageOf,
  snapshotsBetween,
  takeSnapshot,
  type Coverage,
  type Paying,
  type PlaceCoverage,
} from './coverage-figures.server.ts';
import { coverage } from './coverage.contract.ts';

const MOST_BARS = 8;
const MONTHS = 12;
const NOTHING: Coverage = { delivered: 0, occupied: 0, bound: 0, ownerBound: 0, active: 0 };
const NOT_PAYING: Paying = { billed: 0, paying: 0 };

/** Coverage by project, building or unit. */
export const registration = bindReport(coverage, {
  compute: async ({ caller, platform }, request) => {
    const db = platform.replica.db;
    const projects = await reportProjects(db, caller, coverage.menu, request.parameters);
    const ids = projects.map((project) => project.id);
    const level = (request.parameters.level ?? 'project') as 'project' | 'building' | 'unit';
    const today = businessDayOf(new Date());
    // Twelve month ends, the last one in the month before the period ends or at its end.
    const until = request.to < today ? request.to : today;
    const since = `${Number(until.slice(0, 4)) - 1}${until.slice(4, 8)}01`;
    const [places, snapshots, last] = await Promise.all([
      coverageOf(db, ids, level, request),
      snapshotsBetween(db, ids, since, until),
      snapshotsBetween(db, ids, addDays(`${today.slice(0, 8)}01`, -1), addDays(`${today.slice(0, 8)}01`, -1)),
    ]);
    const perProject = level === 'project' ? places : added(places);
    const names = new Map(projects.map((project) => [project.id, project.name]));
    const before = new Map(last.map((one) => [one.project, one]));
    // Projects whose houses are all to come have a row, too.
    const empty =
      level === 'project'
        ? projects
            .filter((project) => !places.some((place) => place.project === project.id))
            .map((project): PlaceCoverage => ({ ...NO_PLACE, project: project.id }))
        : [];
    const period = `${request.from}~${request.to}`;
    const rows = [...places, ...empty].map((place) => {
      const filter = {
        project: String(place.project),
        ...(place.building === null ? {} : { building: String(place.building) }),
        ...(place.unit === null ? {} : { unit: String(place.unit) }),
      };
      const rate = percentOf(place.bound, place.delivered);
      const past = place.building === null ? before.get(place.project) : undefined;
      return {
        id: place.unit ?? place.building ?? place.project,
        project: { id: String(place.project), title: names.get(place.project)! },
        building: refOf(place.building, place.buildingName),
        unit: refOf(place.unit, place.unitName),
        delivered: place.delivered,
        occupied: place.occupied,
        bound: place.bound,
        rate,
        ownerBound: place.ownerBound,
        ownerRate: percentOf(place.ownerBound, place.delivered),
        active: place.active,
        paying: place.paying,
        payingRate: percentOf(place.paying, place.billed),
        change: changeOf(rate, past),
        drill: {
          delivered: filter,
          occupied: { ...filter, occupied: 'true' },
          bound: { ...filter, registered: 'true' },
          rate: { ...filter, registered: 'true' },
          ownerBound: { ...filter, ownerRegistered: 'true' },
          ownerRate: { ...filter, ownerRegistered: 'true' },
          active: { ...filter, active: 'true' },
          paying: { ...filter, paidOnline: period },
          payingRate: { ...filter, billed: period },
        },
      };
    });
    const total = sumOf(places);
    const rate = percentOf(total.bound, total.delivered);
    const ownerRate = percentOf(total.ownerBound, total.delivered);
    const paid = places.reduce<Paying>(
      (sum, one) => ({ billed: sum.billed + one.billed, paying: sum.paying + one.paying }),
      NOT_PAYING,
    );
    const payingRate = percentOf(paid.paying, paid.billed);
    const lastTotal = last.length === 0 ? undefined : sumOf(last);
    const change = changeOf(rate, lastTotal);
    const months = [...new Set(snapshots.map((one) => one.day))].slice(-MONTHS);
    const ofMonth = (day: string) => sumOf(snapshots.filter((one) => one.day === day));
    const figure = (value: number | null, previous: number | null | undefined, spark: readonly number[]) => ({
      value,
      previous: previous ?? null,
      spark,
    });
    const spark = (read: (sum: Coverage) => number | null) =>
      months.slice(-7).map((day) => read(ofMonth(day)) ?? 0);
    return {
      figures: {
        allDelivered: figure(
          total.delivered,
          lastTotal?.delivered,
          spark((sum) => sum.delivered),
        ),
        allOccupied: figure(
          total.occupied,
          lastTotal?.occupied,
          spark((sum) => sum.occupied),
        ),
        allBound: figure(
          total.bound,
          lastTotal?.bound,
          spark((sum) => sum.bound),
        ),
        allCoverage: figure(
          rate,
          lastTotal && percentOf(lastTotal.bound, lastTotal.delivered),
          spark((sum) => percentOf(sum.bound, sum.delivered)),
        ),
        allOwnerCoverage: figure(
          ownerRate,
          lastTotal && percentOf(lastTotal.ownerBound, lastTotal.delivered),
          spark((sum) => percentOf(sum.ownerBound, sum.delivered)),
        ),
        allActive: figure(
          total.active,
          lastTotal?.active,
          spark((sum) => sum.active),
        ),
      },
      charts: {
        month: months.map((day) => {
          const sum = ofMonth(day);
          return {
            key: day,
            label: day.slice(0, 7),
            values: {
              rate: percentOf(sum.bound, sum.delivered) ?? 0,
              ownerRate: percentOf(sum.ownerBound, sum.delivered) ?? 0,
              active: sum.active,
            },
          };
        }),
        // More bars would be added up as one, and rates cannot be added; the table has them all.
        project: perProject
          .map((one) => ({
            key: String(one.project),
            label: names.get(one.project)!,
            values: {
              rate: percentOf(one.bound, one.delivered) ?? 0,
              ownerRate: percentOf(one.ownerBound, one.delivered) ?? 0,
              bound: one.bound,
            },
          }))
          .sort((a, b) => b.values.rate - a.values.rate || Number(a.key) - Number(b.key))
          .slice(0, MOST_BARS),
      },
      rows,
      sums: {
        ...total,
        paying: paid.paying,
        ...(payingRate === null ? {} : { payingRate }),
        ...(rate === null ? {} : { rate }),
        ...(ownerRate === null ? {} : { ownerRate }),
        ...(change === null ? {} : { change }),
      },
    };
  },
  also: {
    jobs: [
      {
        name: 'coverage.snapshot',
        title: ['月末覆盖率快照', 'Coverage at month end'],
        // 23:50 in business time; the last day of the month is told by the statement.
        cron: '50 15 28-31 * *',
        run: async (_payload, platform) => {
          await takeSnapshot(platform.database.db);
        },
      },
    ],
  },
});

const NO_PLACE: PlaceCoverage = {
  ...NOTHING,
  ...NOT_PAYING,
  project: 0,
  building: null,
  buildingName: null,
  unit: null,
  unitName: null,
};

function refOf(id: number | null, name: string | null) {
  return id === null ? null : { id: String(id), title: name ?? '' };
}

function sumOf(list: readonly Coverage[]): Coverage {
  return list.reduce(
    (sum, one) => ({
      delivered: sum.delivered + one.delivered,
      occupied: sum.occupied + one.occupied,
      bound: sum.bound + one.bound,
      ownerBound: sum.ownerBound + one.ownerBound,
      active: sum.active + one.active,
    }),
    NOTHING,
  );
}

/** Buildings and units of a project as one. */
function added(places: readonly PlaceCoverage[]): PlaceCoverage[] {
  return [...new Set(places.map((place) => place.project))].map((project) => ({
    ...NO_PLACE,
    ...sumOf(places.filter((place) => place.project === project)),
    project,
  }));
}

/** Percentage points between a rate and that of a month end; nothing where there is no such figure. */
function changeOf(rate: number | null, past: Coverage | undefined): number | null {
  const before = past && percentOf(past.bound, past.delivered);
  return rate === null || before === undefined || before === null
    ? null
    : Math.round((rate - before) * 100) / 100;
}
