import { run, type Executor } from '../../../kernel/server/database.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { PLATFORM_ADMIN_GROUP } from '../../../domain/permission/effective-permissions.server.ts';
import { Parameters } from '../../../kernel/server/people/scope.ts';
import { groupsInSight, isOnlyLeader, ledBy, verbsFor, type GroupMenu } from './group-access.server.ts';
import { holds, type Caller } from '../../../kernel/server/people/caller.ts';

/** A group on the wire, with counts and the verbs the caller may use on it. */
export interface WireGroup {
  readonly id: string;
  readonly parentId: string | null;
  readonly type: string;
  readonly code: string;
  readonly name: string;
  readonly actions: readonly string[];
  readonly [field: string]: unknown;
}

// The platform administrators hold everything without grant rows.
const EVERYTHING = `(g.built_in AND g.code = '${PLATFORM_ADMIN_GROUP}')`;

/** Columns of members, menus and elements of group `g`, as counts of what counts now. */
export const GROUP_COUNTS = {
  members: `(SELECT count(*) FROM staff s WHERE s.state <> 'left' AND (
      s.id IN (SELECT gm.staff_id FROM group_member gm WHERE gm.group_id = g.id AND (gm.expires_at IS NULL OR gm.expires_at > now()))
      OR (t.code = 'depart' AND s.department_id = g.department_id)))`,
  menus: `(SELECT count(*) FROM menu mm WHERE mm.built AND NOT mm.retired AND mm.type <> 'dirt'
             AND (${EVERYTHING} OR mm.code IN (SELECT mg.menu_code FROM menu_grant mg WHERE mg.group_id = g.id)))`,
  elements: `(SELECT count(*) FROM element ee JOIN menu em ON em.code = ee.menu_code AND em.built AND NOT em.retired WHERE NOT ee.retired
                AND (${EVERYTHING} OR ee.code IN (SELECT eg.element_code FROM element_grant eg WHERE eg.group_id = g.id)))`,
} as const;

/** Groups the caller may see, parents first; `id` for one of them, `under` for those in the data scope of one menu. */
export async function groupsOf(
  db: Executor,
  caller: Caller,
  { id, under }: { readonly id?: number; readonly under?: GroupMenu } = {},
): Promise<WireGroup[]> {
  const parameters = new Parameters();
  const manager = groupsInSight(caller, 'groupManager', parameters);
  const roles = groupsInSight(caller, 'roleManager', parameters);
  const leads = ledBy('g.id', parameters.bind(caller.staffId));
  const only = id === undefined ? 'TRUE' : `g.id = ${parameters.bind(id)}`;
  const led = isOnlyLeader(caller) && holds(caller, 'roleManager');
  const seen = under
    ? { groupManager: '"inManager"', roleManager: '"inRoles"' }[under]
    : `("inManager" OR "inRoles" OR (leads AND ${parameters.bind(led)}))`;
  const rows = await run<
    Record<string, unknown> & { id: number; inManager: boolean; inRoles: boolean; leads: boolean }
  >(
    db,
    `SELECT * FROM (
       SELECT g.id, g.parent_id AS "parentId", t.code AS type, g.code, g.name, g.description, g.inherit, g.enabled, g.built_in AS "builtIn", g.version,
              g.department_id AS "departmentId", d.name AS "departmentName", g.tenant_id AS "tenantId", n.name AS "tenantName", g.tenant_id <> ${parameters.bind(caller.tenantId)} AS elsewhere,
              g.updated_at AS "updatedAt", u.name AS updater,
              ${GROUP_COUNTS.members} AS members, ${GROUP_COUNTS.menus} AS menus, ${GROUP_COUNTS.elements} AS elements,
              coalesce(${manager}, false) AS "inManager", coalesce(${roles}, false) AS "inRoles", ${leads} AS leads
         FROM permission_group g JOIN group_type t ON t.id = g.type_id JOIN tenant n ON n.id = g.tenant_id
         LEFT JOIN department d ON d.id = g.department_id LEFT JOIN staff u ON u.id = g.updated_by
        WHERE ${only}) seen
      WHERE ${seen}
      ORDER BY elsewhere, "builtIn" DESC, "tenantId", name, id`,
    parameters.values,
  );
  return rows.map((row) => {
    const {
      inManager,
      inRoles,
      leads: isLeader,
      elsewhere,
      tenantName,
      departmentId,
      departmentName,
      updatedAt,
      parentId,
      tenantId: _tenant,
      ...group
    } = row;
    return {
      ...group,
      id: String(row.id),
      type: String(row.type),
      code: String(row.code),
      name: String(row.name),
      parentId: parentId === null ? null : String(parentId as number),
      department:
        departmentId === null
          ? null
          : { id: String(departmentId as number), title: String(departmentName as string) },
      tenant: elsewhere ? tenantName : null,
      updatedAt: isoInstant(updatedAt as Date),
      actions: verbsFor(caller, {
        inManager,
        inRoles,
        leads: isLeader,
        builtIn: row.builtIn === true,
        code: String(row.code),
      }),
    };
  });
}
