import type { Caller } from '../../kernel/server/people/caller.ts';
import { run, type Executor } from '../../kernel/server/database.ts';
import {
  Parameters,
  placeCondition,
  scopeCondition,
  type ScopeColumns,
} from '../../kernel/server/people/scope.ts';
import type { OrganisationKind } from './organisation.rules.ts';

/** SQL, true when a project of those in `ids` hangs below node `t`; without `ids` any. */
const holdsProject = (ids?: string): string =>
  `EXISTS (SELECT FROM project sp JOIN organisation su ON su.id = sp.unit_id WHERE su.path @> ARRAY[t.id]${ids ? ` AND sp.id = ANY(${ids}::bigint[])` : ''})`;

/**
 * Organisations as `t`. Platform staff see all; staff of a tenant that has a node see its branch, less what holds only
 * projects they do not work in; everybody else the nodes of their projects. A merchant is no part of the tree.
 */
export const NODE_SCOPE: ScopeColumns = {
  tenant: 't.tenant_id',
  project: (ids, tenant) => {
    const own = tenant();
    return `CASE WHEN EXISTS (SELECT FROM organisation home WHERE home.tenant_id = ${own})
      THEN EXISTS (SELECT FROM organisation home WHERE home.tenant_id = ${own} AND home.id = ANY(t.path)) AND (${holdsProject(ids)} OR NOT ${holdsProject()})
      ELSE ${holdsProject(ids)} END`;
  },
  owner: 't.created_by',
};

/** An organisation as pickers show it. */
export interface PlaceNode {
  readonly id: number;
  readonly kind: OrganisationKind;
  readonly code: string;
  readonly name: string;
  readonly parentId: number | null;
  readonly parentName: string | null;
  readonly tenantId: number | null;
  readonly path: readonly number[];
  readonly enabled: boolean;
  readonly regionCode: string | null;
  readonly regionName: string | null;
}

/** Organisations the caller may name, whatever its menus unless one is given; stopped and merged ones when asked for. */
export async function nodesInScope(
  db: Executor,
  caller: Caller,
  query: {
    readonly kind?: OrganisationKind;
    readonly includeStopped?: boolean;
    readonly merged?: boolean;
    /** As the list under this menu shows them, with the data scope of its grants. */
    readonly menu?: string;
  } = {},
): Promise<PlaceNode[]> {
  const parameters = new Parameters();
  const parts = [
    query.menu
      ? scopeCondition(caller, query.menu, NODE_SCOPE, parameters)
      : nodeCondition(caller, parameters),
  ];
  if (!query.merged) parts.push('t.merged_into IS NULL');
  if (query.kind) parts.push(`t.kind = ${parameters.bind(query.kind)}`);
  if (!query.includeStopped) parts.push('t.enabled');
  return run<PlaceNode>(
    db,
    `SELECT t.id, t.kind, t.code, t.name, t.parent_id AS "parentId", u.name AS "parentName", t.tenant_id AS "tenantId", t.path, t.enabled,
            r.code AS "regionCode", r.name AS "regionName"
       FROM organisation t LEFT JOIN organisation u ON u.id = t.parent_id LEFT JOIN region r ON r.id = t.region_id
      WHERE ${parts.join(' AND ')} ORDER BY cardinality(t.path), t.position, t.id`,
    parameters.values,
  );
}

/** The same condition for pickers: a merchant picks among the places of its agreement. */
function nodeCondition(caller: Caller, parameters: Parameters): string {
  if (caller.tenantKind !== 2) return placeCondition(caller, NODE_SCOPE, parameters);
  const agreed = `ARRAY(SELECT project_id FROM tenant_project WHERE tenant_id = ${parameters.bind(caller.tenantId)}${caller.projectIds ? ` AND project_id = ANY(${parameters.bind(caller.projectIds)}::bigint[])` : ''})`;
  return holdsProject(agreed);
}
