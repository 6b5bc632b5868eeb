import { holds, type Caller } from '../../../kernel/server/people/caller.ts';
import { runOne, type Executor } from '../../../kernel/server/database.ts';
import { forbidden, notFound } from '../../../kernel/server/http/errors.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { PLATFORM_ADMIN_GROUP } from '../../../domain/permission/effective-permissions.server.ts';
import type { Access } from '../../../kernel/server/registration.ts';

/** Menus that work on groups: all types, or roles of the own tenant as a list. */
export const GROUP_MENUS = ['groupManager', 'roleManager'] as const;
export type GroupMenu = (typeof GROUP_MENUS)[number];

/** What can be done with a group, as element without the menu part. */
export type GroupVerb =
  | 'btn_add'
  | 'btn_edit'
  | 'btn_del'
  | 'btn_copy'
  | 'btn_resourceManager'
  | 'btn_userManager'
  | 'btn_history'
  | 'btn_export';

/** A group with what decides about it. */
export interface GroupRow {
  readonly id: number;
  readonly typeId: number;
  readonly type: string;
  readonly tenantId: number;
  readonly tenantKind: number;
  readonly parentId: number | null;
  readonly departmentId: number | null;
  readonly code: string;
  readonly name: string;
  readonly description: string;
  readonly inherit: boolean;
  readonly enabled: boolean;
  readonly builtIn: boolean;
  readonly version: number;
  /** The caller may do this only as leader of the group or of one above. */
  readonly asLeader: boolean;
  /** Menu under which the caller does it. */
  readonly menu: string;
}

/** Either menu's element; the handler narrows it to the group. */
export function anyOf(verb: GroupVerb): Access {
  return { anyOf: GROUP_MENUS.map((menu) => `${menu}:${verb}`) };
}

/** Reading groups. */
export const READ_GROUPS: Access = { anyOf: [...GROUP_MENUS] };

/** Members: the element, or leadership, which the handler checks. */
export const MEMBERS: Access = {
  anyOf: [...GROUP_MENUS.map((menu) => `${menu}:btn_userManager`), ...GROUP_MENUS],
};

/** True for the group whose grants cannot be changed. */
export function isPlatformAdmins(group: { readonly code: string; readonly builtIn: boolean }): boolean {
  return group.builtIn && group.code === PLATFORM_ADMIN_GROUP;
}

/** Groups a caller may see under a menu, over `g` (permission_group) and `t` (group_type). */
export function groupsInSight(caller: Caller, menu: GroupMenu, parameters: Parameters): string {
  const scope = { tenant: 'g.tenant_id', project: 'none', owner: 'g.created_by' } as const;
  if (menu === 'groupManager') return scopeCondition(caller, menu, scope, parameters);
  const roles = scopeCondition(caller, menu, { ...scope, ownTenant: true }, parameters);
  if (!isOnlyLeader(caller)) return `(${roles} AND t.code = 'role')`;
  // A leader without the administration sees the groups he leads; whoever leads none sees the list as granted.
  const staff = parameters.bind(caller.staffId);
  const leads = `SELECT 1 FROM group_member lm JOIN permission_group lg ON lg.id = lm.group_id
    WHERE lm.staff_id = ${staff} AND lm.kind = 'leader' AND lg.enabled AND (lm.expires_at IS NULL OR lm.expires_at > now())`;
  return `(${roles} AND t.code = 'role' AND (NOT EXISTS (${leads}) OR ${ledBy('g.id', staff)}))`;
}

/** True for a caller who does not administer groups: only leadership lets him change anything. */
export function isOnlyLeader(caller: Caller): boolean {
  return !holds(caller, 'groupManager') && !holds(caller, 'roleManager:btn_resourceManager');
}

/** SQL that is true when the staff leads the group or one above it. */
export function ledBy(groupId: string, staffId: string): string {
  return `EXISTS (
    WITH RECURSIVE up AS (
      SELECT x.id, x.parent_id FROM permission_group x WHERE x.id = ${groupId}
      UNION SELECT p.id, p.parent_id FROM permission_group p JOIN up ON p.id = up.parent_id)
    SELECT 1 FROM up JOIN group_member um ON um.group_id = up.id JOIN permission_group ug ON ug.id = up.id
     WHERE um.staff_id = ${staffId} AND um.kind = 'leader' AND ug.enabled AND (um.expires_at IS NULL OR um.expires_at > now()))`;
}

/**
 * A group the caller may see, with the right to the verb checked. Throws 404 outside the sight, 403 without the right.
 * `lock` takes the row lock; call it inside a transaction.
 */
export async function groupFor(
  db: Executor,
  caller: Caller,
  id: number,
  verb?: GroupVerb,
  lock = false,
): Promise<GroupRow> {
  const parameters = new Parameters();
  const place = parameters.bind(id);
  const manager = groupsInSight(caller, 'groupManager', parameters);
  const roles = groupsInSight(caller, 'roleManager', parameters);
  const leads = ledBy('g.id', parameters.bind(caller.staffId));
  const row = await runOne<
    Omit<GroupRow, 'asLeader' | 'menu'> & { inManager: boolean; inRoles: boolean; leads: boolean }
  >(
    db,
    `SELECT g.id, g.type_id AS "typeId", t.code AS type, g.tenant_id AS "tenantId", n.kind AS "tenantKind", g.parent_id AS "parentId",
            g.department_id AS "departmentId", g.code, g.name, g.description, g.inherit, g.enabled, g.built_in AS "builtIn", g.version,
            coalesce(${manager}, false) AS "inManager", coalesce(${roles}, false) AS "inRoles", ${leads} AS leads
       FROM permission_group g JOIN group_type t ON t.id = g.type_id JOIN tenant n ON n.id = g.tenant_id
      WHERE g.id = ${place}${lock ? ' FOR UPDATE OF g' : ''}`,
    parameters.values,
  );
  if (!row) throw notFound();
  const { inManager, inRoles, leads: isLeader, ...group } = row;
  // A leadership is its person's: no program acts on it.
  const leader = isLeader && !caller.application && GROUP_MENUS.some((menu) => holds(caller, menu));
  if (!inManager && !inRoles && !leader) throw notFound();
  const menu = inManager ? 'groupManager' : 'roleManager';
  if (verb === undefined) return { ...group, asLeader: false, menu };
  if (inManager && holds(caller, `groupManager:${verb}`))
    return { ...group, asLeader: false, menu: 'groupManager' };
  if (inRoles && holds(caller, `roleManager:${verb}`))
    return { ...group, asLeader: false, menu: 'roleManager' };
  if (verb === 'btn_userManager' && leader) return { ...group, asLeader: true, menu };
  throw forbidden();
}

/** Verbs the caller may use on a group, for its buttons. */
export function verbsFor(
  caller: Caller,
  group: {
    readonly inManager: boolean;
    readonly inRoles: boolean;
    readonly leads: boolean;
    readonly builtIn: boolean;
    readonly code: string;
  },
): GroupVerb[] {
  const verbs: GroupVerb[] = [
    'btn_edit',
    'btn_del',
    'btn_copy',
    'btn_resourceManager',
    'btn_userManager',
    'btn_history',
  ];
  return verbs.filter((verb) => {
    if (group.builtIn && (verb === 'btn_del' || verb === 'btn_copy')) return false;
    if (group.inManager && holds(caller, `groupManager:${verb}`)) return true;
    if (group.inRoles && holds(caller, `roleManager:${verb}`)) return true;
    return verb === 'btn_userManager' && group.leads;
  });
}
