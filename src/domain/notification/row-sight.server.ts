import type { Caller } from '../../kernel/server/people/caller.ts';
import { run, type Executor } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../kernel/server/people/scope.ts';
import { holderOf } from '../permission/load-caller.server.ts';

/**
 * Who sees rows a message may tell of. The one rule for sending and for reading: declared by the folder that owns the rows,
 * named by the message, and listed under `sights` of a service; messages of one that is not listed are read by nobody.
 */
export interface RowSight {
  /** Name of the rows, kept with the message. */
  readonly entity: string;
  /** Menu the rows are seen under. */
  readonly menu: string;
  /** SQL: whether a holder of the menu sees the row with this id (an expression) now. */
  condition(holder: Caller, id: string, parameters: Parameters): string;
}

/** The rows a message tells of: it is for those who see every one of them. */
export interface ToldRows {
  readonly sight: RowSight;
  readonly ids: readonly number[];
}

declare module '../../kernel/server/registration.ts' {
  interface Registration {
    /** Rows of this group that messages tell of. */
    readonly sights?: readonly RowSight[];
  }
}

/** The sight of rows that stand in a list: those in the data scope under its menu. The table's alias is `t`. */
export function listSight(spec: {
  readonly entity: string;
  readonly menu: string;
  readonly table: string;
  /** Condition every row of the list fulfils. */
  readonly where?: string;
  readonly scope: ScopeColumns;
}): RowSight {
  const { entity, menu } = spec;
  const where = spec.where ? ` AND ${spec.where}` : '';
  return {
    entity,
    menu,
    condition: (holder, id, parameters) =>
      `EXISTS (SELECT FROM ${spec.table} t WHERE t.id = ${id}${where} AND ${scopeCondition(holder, menu, spec.scope, parameters)})`,
  };
}

/** Those of some staff who hold the menu and see every one of the rows now. */
export async function whoSees(
  db: Executor,
  staffIds: readonly number[],
  { sight, ids }: ToldRows,
): Promise<number[]> {
  const found: number[] = [];
  // One after the other: `db` may be a transaction, which is a single connection.
  for (const staffId of staffIds) {
    const holder = await holderOf(db, staffId);
    if (!holder?.menus.has(sight.menu)) continue;
    const parameters = new Parameters();
    const all = everyRow(sight, holder, `${parameters.bind(ids)}::bigint[]`, parameters);
    const rows = await run<{ seen: boolean }>(db, `SELECT ${all} AS seen`, parameters.values);
    if (rows[0]!.seen) found.push(staffId);
  }
  return found;
}

/** The declared sights of rows that stored messages tell of; one that is not declared (any more) is missing. */
export function sightsOf(
  platform: Pick<Platform, 'registrations'>,
  told: readonly Pick<RowSight, 'entity' | 'menu'>[],
): RowSight[] {
  if (told.length === 0) return [];
  return platform.registrations
    .flatMap((service) => service.sights ?? [])
    .filter((sight) => told.some((one) => one.entity === sight.entity && one.menu === sight.menu));
}

/**
 * SQL: the stored messages (`notification n`) a caller may read now: what tells of itself, and what tells of rows as long
 * as it holds the menu and sees every one of them. Messages of rows without a sight among `sights` are not read.
 */
export function readableCondition(
  sights: readonly RowSight[],
  caller: Caller,
  parameters: Parameters,
): string {
  const held = parameters.bind([...caller.menus.keys()]);
  const cases = sights
    .filter((sight) => caller.menus.has(sight.menu))
    .map(
      (sight) =>
        `WHEN n.entity = ${parameters.bind(sight.entity)} AND n.menu = ${parameters.bind(sight.menu)} THEN ${everyRow(sight, caller, 'n.row_ids', parameters)}`,
    );
  // Messages of releases that kept no rows have the menu alone.
  return `(n.about_receiver OR (n.menu = ANY(${held}::text[]) AND CASE WHEN n.entity = '' THEN true ${cases.join(' ')} ELSE false END))`;
}

function everyRow(sight: RowSight, holder: Caller, ids: string, parameters: Parameters): string {
  return `NOT EXISTS (SELECT FROM unnest(${ids}) AS told(id) WHERE (${sight.condition(holder, 'told.id', parameters)}) IS NOT TRUE)`;
}
