import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';

/** Condition of the projects `p` a caller is told of. */
export function projectsSeen(caller: Caller, parameters: Parameters): string {
  const place = placeCondition(caller, { tenant: 'none', project: 'p.id' }, parameters);
  return caller.tenantKind === 2
    ? `${place} AND EXISTS (SELECT 1 FROM tenant_project tp WHERE tp.project_id = p.id AND tp.tenant_id = ${parameters.bind(caller.tenantId)})`
    : place;
}

/** Merchants `a.tenant_id` a caller is told of: all, the own one, or those of the own projects. */
function merchantsSeen(caller: Caller, parameters: Parameters): string {
  if (caller.tenantKind === 2) return `a.tenant_id = ${parameters.bind(caller.tenantId)}`;
  if (caller.projectIds === null) return 'TRUE';
  return `EXISTS (SELECT 1 FROM tenant_project tp WHERE tp.tenant_id = a.tenant_id AND tp.project_id = ANY(${parameters.bind(caller.projectIds)}::bigint[]))`;
}

/**
 * Puts projects (with those of the regions below), merchants that do not deliver (also to a region above) and the number of
 * regions below into rows, for all of them in one statement. A project without a district lies in the city of its centre.
 */
export async function showFigures(rows: DbRow[], db: Executor, caller: Caller): Promise<void> {
  if (rows.length === 0) return;
  const parameters = new Parameters();
  const ids = parameters.bind(rows.map((row) => row.id));
  const figures = await run<{ id: number; below: number; projects: number; no_delivery: number }>(
    db,
    `WITH RECURSIVE below AS (
       SELECT id AS root, id FROM region WHERE id = ANY(${ids}::bigint[])
       UNION ALL SELECT b.root, r.id FROM below b JOIN region r ON r.parent_id = b.id),
     up AS (
       SELECT id AS root, id, parent_id FROM region WHERE id = ANY(${ids}::bigint[])
       UNION ALL SELECT u.root, r.id, r.parent_id FROM up u JOIN region r ON r.id = u.parent_id),
     lying AS (
       SELECT b.root, count(*)::int AS n FROM project p JOIN organisation c ON c.id = p.centre_id
         JOIN below b ON b.id = coalesce(p.region_id, c.region_id) WHERE ${projectsSeen(caller, parameters)} GROUP BY 1),
     blocked AS (
       SELECT u.root, count(DISTINCT a.tenant_id)::int AS n FROM no_delivery_area a JOIN up u ON u.id = a.region_id
        WHERE a.product_id IS NULL AND ${merchantsSeen(caller, parameters)} GROUP BY 1)
     SELECT b.root AS id, count(*)::int - 1 AS below, coalesce(max(l.n), 0) AS projects, coalesce(max(x.n), 0) AS no_delivery
       FROM below b LEFT JOIN lying l ON l.root = b.root LEFT JOIN blocked x ON x.root = b.root GROUP BY b.root`,
    parameters.values,
  );
  const byId = new Map(figures.map((one) => [one.id, one]));
  for (const row of rows) {
    const own = byId.get(Number(row.id));
    row.below = own?.below ?? 0;
    row.projects = own?.projects ?? 0;
    row.hasProjects = row.projects !== 0;
    row.noDelivery = own?.no_delivery ?? 0;
  }
}

/** Refuses to stop a region in which an enabled project lies. */
export async function requireNoProjects(tx: Tx, id: number): Promise<void> {
  const found = await runOne(
    tx,
    `WITH RECURSIVE below AS (SELECT $1::bigint AS id UNION ALL SELECT r.id FROM below b JOIN region r ON r.parent_id = b.id)
     SELECT 1 FROM project p JOIN organisation c ON c.id = p.centre_id JOIN below b ON b.id = coalesce(p.region_id, c.region_id)
      WHERE p.enabled LIMIT 1`,
    [id],
  );
  if (found) throw ruleBroken(['区域内有启用的项目', 'Enabled projects in this region']);
}
