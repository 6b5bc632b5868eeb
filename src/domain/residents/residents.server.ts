import type { Executor, Tx } from '../../kernel/server/database.ts';
import { run, runOne } from '../../kernel/server/database.ts';
import type { OptionSource } from '../../kernel/server/registration.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { containing } from '../../kernel/server/resource/like-text.ts';
import type { Caller } from '../../kernel/server/people/caller.ts';
import { Parameters, placeCondition, scopeCondition } from '../../kernel/server/people/scope.ts';
import {
  percentOf,
  type APP_SOURCES,
  type CHANNELS,
  type IDENTITIES,
  type LOG_ACTIONS,
} from './registration.rules.ts';

/*
 * One definition of registration for all lists and reports. Source: group 09, Reports and drill.
 * `house` is the SQL of a house's id.
 */

/** Registered house: at least one household with status normal. */
export const isRegistered = (house: string): string =>
  `EXISTS (SELECT 1 FROM household reg WHERE reg.house_id = ${house} AND reg.status = 'normal')`;

/** A house with an owner whose household is normal. */
export const isOwnerRegistered = (house: string): string =>
  `EXISTS (SELECT 1 FROM household reg WHERE reg.house_id = ${house} AND reg.status = 'normal' AND reg.identity = 'owner')`;

/** A house somebody lives in, owner or tenant. */
export const isOccupied = (state: string): string => `${state} IN ('self_use', 'let')`;

/** A house with a normal household whose member opened the app in the 30 days that end today. */
export const isActiveHouse = (house: string): string =>
  `EXISTS (SELECT 1 FROM household reg JOIN member_active_day act ON act.member_id = reg.member_id
     WHERE reg.house_id = ${house} AND reg.status = 'normal' AND act.day > (now() AT TIME ZONE 'Asia/Shanghai')::date - 30)`;

/** Members whose household of the house is normal. */
export const membersOfHouse = (house: string): string =>
  `(SELECT count(*)::integer FROM household reg WHERE reg.house_id = ${house} AND reg.status = 'normal')`;

/** When the first household of the house became normal, whatever became of it since. */
export const firstRegisteredAt = (house: string): string =>
  `(SELECT min(reg.bound_at) FROM household reg WHERE reg.house_id = ${house} AND reg.bound_at IS NOT NULL)`;

/**
 * Residents lie in projects and belong to no tenant: a merchant sees none of them, whatever its menus say. `project` is the
 * SQL of the project's id.
 */
export function residentScope(project: string, owner = 'NULL::bigint') {
  return { tenant: 'NULL::bigint', project, owner } as const;
}

/** A project a report speaks of. */
export interface ReportProject {
  readonly id: number;
  readonly name: string;
}

/**
 * Projects a report is asked for by its parameters `centreCity` and `project`, inside the caller's scope under the menu; those of
 * others are as if they did not exist.
 */
export async function reportProjects(
  db: Executor,
  caller: Caller,
  menu: string,
  asked: Readonly<Record<string, string>>,
): Promise<ReportProject[]> {
  const parameters = new Parameters();
  const parts = [scopeCondition(caller, menu, residentScope('p.id'), parameters)];
  for (const [name, column] of [
    ['centreCity', 'p.centre_id'],
    ['project', 'p.id'],
  ] as const) {
    const ids = asked[name];
    if (ids) parts.push(`${column} = ANY(${parameters.bind(ids.split(',').map(Number))}::bigint[])`);
  }
  return run<ReportProject>(
    db,
    `SELECT p.id, p.name FROM project p WHERE ${parts.join(' AND ')} ORDER BY p.id`,
    parameters.values,
  );
}

/** Houses of one project by registration. */
export interface HouseCount {
  readonly houses: number;
  readonly registered: number;
  /** First normal household in the period. */
  readonly fresh: number;
}

/** Registered and new houses of each project; `from` and `to` (exclusive) bound the period of the new ones. */
export async function houseCounts(
  db: Executor,
  projects: readonly number[],
  from: Date,
  to: Date,
): Promise<ReadonlyMap<number, HouseCount>> {
  const rows = await run<HouseCount & { project_id: number }>(
    db,
    `SELECT h.project_id, count(*) AS houses, count(*) FILTER (WHERE r.normal) AS registered,
            count(*) FILTER (WHERE r.first >= $2 AND r.first < $3) AS fresh
       FROM house h LEFT JOIN (SELECT reg.house_id, bool_or(reg.status = 'normal') AS normal, min(reg.bound_at) AS first
              FROM household reg GROUP BY reg.house_id) r ON r.house_id = h.id
      WHERE h.project_id = ANY($1::bigint[]) AND h.merged_into_id IS NULL GROUP BY h.project_id`,
    [projects, from, to],
  );
  return new Map(
    rows.map(({ project_id, houses, registered, fresh }) => [project_id, { houses, registered, fresh }]),
  );
}

/** Registered ÷ all houses of the scope, from sums. */
export function registrationRate(counts: Pick<HouseCount, 'houses' | 'registered'>): number | null {
  return percentOf(counts.registered, counts.houses);
}

/** Picker of houses inside the caller's projects, for staff who hold one of the menus; `within` is the project. */
export function houseOptions(target: string, menus: readonly string[]): OptionSource {
  return placeOptions(
    target,
    menus,
    `SELECT h.id, h.project_id, b.name || u.name || h.number AS title, p.name AS note FROM house h JOIN building_unit u ON u.id = h.unit_id
       JOIN building b ON b.id = u.building_id JOIN project p ON p.id = h.project_id WHERE h.merged_into_id IS NULL`,
    'project_id',
  );
}

/** Pickers of buildings and units inside the caller's projects, for staff who hold one of the menus. */
export function buildingOptions(menus: readonly string[]): readonly OptionSource[] {
  return [
    placeOptions(
      'building',
      menus,
      'SELECT b.id, b.project_id, b.name AS title, p.name AS note FROM building b JOIN project p ON p.id = b.project_id',
      'project_id',
    ),
    placeOptions(
      'buildingUnit',
      menus,
      `SELECT u.id, b.project_id, u.building_id, u.name AS title, p.name || ' ' || b.name AS note
         FROM building_unit u JOIN building b ON b.id = u.building_id JOIN project p ON p.id = b.project_id`,
      'building_id',
    ),
  ];
}

/** Rows of the form (id, project_id, title, note) inside the caller's projects as a picker; `within` is a column of theirs. */
function placeOptions(target: string, menus: readonly string[], rows: string, within: string): OptionSource {
  return {
    target,
    anyOf: menus,
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [placeCondition(caller, residentScope('x.project_id'), parameters)];
      if (query.ids.length > 0) parts.push(`x.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      else {
        if (query.within && query.within.length > 0)
          parts.push(`x.${within} = ANY(${parameters.bind(query.within.map(Number))}::bigint[])`);
        if (query.searchVal) parts.push(`x.title ILIKE ${parameters.bind(containing(query.searchVal))}`);
      }
      const found = await run<{ id: number; title: string; note: string }>(
        platform.database.db,
        `SELECT x.id, x.title, x.note FROM (${rows}) x WHERE ${parts.join(' AND ')} ORDER BY x.note, x.title, x.id
          LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return found.map((one) => ({ ...one, id: String(one.id) }));
    },
  };
}

/** One attempt to register, to be bound or to leave. */
export interface RegistrationAttempt {
  readonly phone: string;
  readonly memberId?: number;
  readonly action: keyof typeof LOG_ACTIONS;
  readonly projectId?: number;
  readonly houseId?: number;
  readonly identity?: keyof typeof IDENTITIES;
  readonly channel?: keyof typeof CHANNELS;
  readonly appSource?: keyof typeof APP_SOURCES;
  readonly device?: string;
  readonly ip?: string;
  /** Staff who did it; absent: the member in the app. */
  readonly staffId?: number;
  /** Why it failed; absent: it succeeded. */
  readonly reason?: string;
}

/**
 * Adds a line to the registration log. Marks it when its address made more attempts to register within an hour than
 * `register.ip_limit`; attempts of one address are counted one after the other.
 */
export async function logRegistration(
  tx: Tx,
  platform: Pick<Platform, 'settings'>,
  attempt: RegistrationAttempt,
): Promise<number> {
  const counts = attempt.action === 'register' && Boolean(attempt.ip);
  if (counts) await run(tx, 'SELECT pg_advisory_xact_lock(7041, hashtext($1))', [attempt.ip]);
  const limit = await platform.settings.numberIn(tx, 'register.ip_limit');
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO registration_log (at, phone, member_id, action, project_id, house_id, identity, channel, app_source, device, ip,
       result, reason, created_by, crowded)
     VALUES (clock_timestamp(), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14 AND (SELECT count(*) >= $15 FROM registration_log l
       WHERE l.ip = $10 AND l.ip <> '' AND l.action = 'register' AND l.at > clock_timestamp() - interval '1 hour')) RETURNING id`,
    [
      attempt.phone,
      attempt.memberId ?? null,
      attempt.action,
      attempt.projectId ?? null,
      attempt.houseId ?? null,
      attempt.identity ?? null,
      attempt.channel ?? null,
      attempt.appSource ?? null,
      attempt.device ?? '',
      attempt.ip ?? '',
      attempt.reason === undefined ? 'succeeded' : 'failed',
      attempt.reason ?? '',
      attempt.staffId ?? null,
      counts,
      limit,
    ],
  );
  return row!.id;
}
