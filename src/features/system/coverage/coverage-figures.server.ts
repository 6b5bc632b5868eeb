import {
  isActiveHouse,
  isOccupied,
  isOwnerRegistered,
  isRegistered,
} from '../../../domain/residents/residents.server.ts';
import { isBilled, isPaidOnline } from './paying.server.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';

/** Houses of a place by how far the app reaches them. */
export interface Coverage {
  readonly delivered: number;
  readonly occupied: number;
  readonly bound: number;
  readonly ownerBound: number;
  readonly active: number;
}

/** Houses that were billed for a period, and those that paid through the app. */
export interface Paying {
  readonly billed: number;
  readonly paying: number;
}

/** A project, building or unit with its houses. */
export interface PlaceCoverage extends Coverage, Paying {
  readonly project: number;
  readonly building: number | null;
  readonly buildingName: string | null;
  readonly unit: number | null;
  readonly unitName: string | null;
}

const FIGURES = `count(*)::int AS delivered, count(*) FILTER (WHERE ${isOccupied('h.state')})::int AS occupied,
  count(*) FILTER (WHERE ${isRegistered('h.id')})::int AS bound, count(*) FILTER (WHERE ${isOwnerRegistered('h.id')})::int AS "ownerBound",
  count(*) FILTER (WHERE ${isActiveHouse('h.id')})::int AS active`;

/** Coverage of some projects as it is now, project by project or opened to buildings or units. */
export async function coverageOf(
  db: Executor,
  projects: readonly number[],
  level: 'project' | 'building' | 'unit',
  period: { readonly from: string; readonly to: string },
): Promise<PlaceCoverage[]> {
  const building = level === 'project' ? 'NULL::bigint' : 'u.building_id';
  const unit = level === 'unit' ? 'u.id' : 'NULL::bigint';
  return run<PlaceCoverage>(
    db,
    `SELECT x.*, b.name AS "buildingName", n.name AS "unitName" FROM (
       SELECT h.project_id AS project, ${building} AS building, ${unit} AS unit, ${FIGURES},
              count(*) FILTER (WHERE ${isBilled('h.id', '$2', '$3')})::int AS billed,
              count(*) FILTER (WHERE ${isPaidOnline('h.id', '$2', '$3')})::int AS paying
         FROM house h JOIN building_unit u ON u.id = h.unit_id WHERE h.project_id = ANY($1::bigint[]) AND h.merged_into_id IS NULL
        GROUP BY 1, 2, 3) x
       LEFT JOIN building b ON b.id = x.building LEFT JOIN building_unit n ON n.id = x.unit
      ORDER BY x.project, b.name, n.name`,
    [projects, period.from, period.to],
  );
}

/** Figures of month ends behind a day, by day and project. */
export function snapshotsBetween(
  db: Executor,
  projects: readonly number[],
  from: string,
  to: string,
): Promise<(Coverage & { readonly day: string; readonly project: number })[]> {
  return run(
    db,
    `SELECT day::text AS day, project_id AS project, delivered, occupied, bound, owner_bound AS "ownerBound", active
       FROM coverage_snapshot WHERE project_id = ANY($1::bigint[]) AND day BETWEEN $2::date AND $3::date ORDER BY day, project_id`,
    [projects, from, to],
  );
}

/**
 * Writes the figures of every project down when a day is the last of its month; what is written stays. `day` is today in business
 * time by the clock of the database unless told. Returns how many projects were new.
 */
export async function takeSnapshot(db: Executor, day?: string): Promise<number> {
  const row = await runOne<{ n: number }>(
    db,
    `WITH today AS (SELECT coalesce($1::date, (now() AT TIME ZONE 'Asia/Shanghai')::date) AS day), taken AS (
       INSERT INTO coverage_snapshot (day, project_id, delivered, occupied, bound, owner_bound, active)
       SELECT today.day, p.id, x.delivered, x.occupied, x.bound, x."ownerBound", x.active
         FROM today, project p, LATERAL (SELECT ${FIGURES} FROM house h WHERE h.project_id = p.id AND h.merged_into_id IS NULL) x
        WHERE extract(day FROM today.day + 1) = 1
       ON CONFLICT DO NOTHING RETURNING 1)
     SELECT count(*)::int AS n FROM taken`,
    [day ?? null],
  );
  return row!.n;
}
