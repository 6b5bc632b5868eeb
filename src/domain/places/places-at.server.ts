import { run, type Executor } from '../../kernel/server/database.ts';

/**
 * SQL of a table of projects with the tree they hung in at an instant (an expression): project_id, unit_id, centre_id, company_id.
 * Reports of closed months join it instead of reading the places of today from the project.
 */
export function placesAt(instant: string): string {
  const parent = (alias: string, of: string) =>
    `LEFT JOIN organisation_parent_period ${alias} ON ${alias}.organisation_id = ${of} AND ${alias}.started_at <= ${instant} AND (${alias}.ended_at IS NULL OR ${alias}.ended_at > ${instant})`;
  return `(SELECT past.project_id, past.unit_id, past_unit.parent_id AS centre_id, past_centre.parent_id AS company_id
     FROM project_unit_period past ${parent('past_unit', 'past.unit_id')} ${parent('past_centre', 'past_unit.parent_id')}
    WHERE past.started_at <= ${instant} AND (past.ended_at IS NULL OR past.ended_at > ${instant}))`;
}

/** The tree of an instant: parents of organisations and units of projects. */
export interface TreeAt {
  readonly parentOf: ReadonlyMap<number, number | null>;
  readonly unitOf: ReadonlyMap<number, number>;
}

/** Reads the tree as it stood at an instant; without one as it stands. */
export async function treeAt(db: Executor, instant?: Date): Promise<TreeAt> {
  const during = 'started_at <= $1 AND (ended_at IS NULL OR ended_at > $1)';
  const parents = instant
    ? await run<{ id: number; parent: number | null }>(
        db,
        `SELECT organisation_id AS id, parent_id AS parent FROM organisation_parent_period WHERE ${during}`,
        [instant],
      )
    : await run<{ id: number; parent: number | null }>(
        db,
        'SELECT id, parent_id AS parent FROM organisation',
      );
  const units = instant
    ? await run<{ id: number; unit: number }>(
        db,
        `SELECT project_id AS id, unit_id AS unit FROM project_unit_period WHERE ${during}`,
        [instant],
      )
    : await run<{ id: number; unit: number }>(db, 'SELECT id, unit_id AS unit FROM project');
  return {
    parentOf: new Map(parents.map((row) => [row.id, row.parent])),
    unitOf: new Map(units.map((row) => [row.id, row.unit])),
  };
}

/** The nodes from one up to its root, itself first. */
export function chainOf(tree: Pick<TreeAt, 'parentOf'>, node: number | null | undefined): number[] {
  const chain: number[] = [];
  for (let at = node; at !== null && at !== undefined && chain.length < 20; at = tree.parentOf.get(at))
    chain.push(at);
  return chain;
}
