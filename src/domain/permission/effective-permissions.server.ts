import { menuOfElement } from '../../kernel/contract/resource.ts';
import type { MenuScope } from '../../kernel/server/people/caller.ts';
import { run, type Executor } from '../../kernel/server/database.ts';
import { notifyStaffChanged } from '../../kernel/server/people/session-changes.ts';

/** Code of the built-in group that holds every built menu and element without grant rows. */
export const PLATFORM_ADMIN_GROUP = 'platform_admin';

/** Where a right comes from: the group that grants it and the group through which the staff holds that one. */
export interface GrantSource {
  readonly groupId: number;
  readonly groupCode: string;
  readonly groupName: string;
  /** Group the staff is a member of; another one than `groupId` when the grant is inherited. */
  readonly throughId: number;
  readonly throughName: string;
  readonly memberKind: 'leader' | 'member';
  readonly source: 'manual' | 'department';
  readonly expiresAt: Date | null;
}

/** One granted menu or element of a staff, with where it comes from. */
export interface EffectiveGrant extends GrantSource {
  readonly kind: 'menu' | 'element';
  readonly code: string;
  /** Stored word of the data scope; null for elements. */
  readonly dataScope: 'all' | 'dept_tree' | 'dept' | 'depts' | 'self' | null;
  readonly departmentIds: readonly number[];
}

/** Menus, elements and scopes of a staff as the permission rings use them. */
export interface EffectivePermissions {
  readonly menus: ReadonlyMap<string, readonly MenuScope[]>;
  readonly elements: ReadonlySet<string>;
  /** When the next membership ends by itself, or null. */
  readonly nextExpiry: Date | null;
}

/** Menus every staff holds; they open no rows by themselves. Source: specification, routes injected for every user. */
export const MENUS_OF_EVERYBODY: readonly string[] = [
  'dashboard',
  'ProOperDetail',
  'operDetail',
  // Being asked to decide opens the page of that approval.
  'pr_approvalProcess',
];

/**
 * What is left to the staff of a suspended merchant: orders, refunds, after-sales and statements. Source: group 03, effects of
 * suspended.
 */
const MENUS_OF_SUSPENDED: ReadonlySet<string> = new Set([
  'mm_businessOrder_wx',
  'mm_groupOrder',
  'mm_businessOrder',
  'mm_reservationOrder',
  'mm_reservationOrder_wx',
  'mm_groupOrderService',
  'mm_orderRefund',
  'am_orderlist',
  'am_orderdetails',
  'am_businessAddress',
  'mm_accountStatement',
]);
const OF_SUSPENDED = `SELECT FROM staff s JOIN tenant t ON t.id = s.tenant_id WHERE s.id = $1 AND t.kind = 2 AND t.merchant_state = 'suspended'`;

/**
 * Every grant a staff holds now, one per group that gives it: enabled groups with a membership that has not ended,
 * the group of the own department, and parents' grants where `inherit` is on. Only built, unretired menus.
 * The platform administrators' group gives every built menu and element with scope all.
 */
export async function effectiveGrants(db: Executor, staffId: number): Promise<EffectiveGrant[]> {
  return await run<EffectiveGrant>(db, GRANTS, [staffId, PLATFORM_ADMIN_GROUP]);
}

const readOnce = new WeakMap<Executor, Map<number, Promise<EffectivePermissions>>>();

/** Runs work on a transaction in which no rights change: what each staff may do now is read once for all of it. */
export async function rightsReadOnce<T>(tx: Executor, work: () => Promise<T>): Promise<T> {
  readOnce.set(tx, new Map());
  try {
    return await work();
  } finally {
    readOnce.delete(tx);
  }
}

/**
 * What a staff may see and do: per menu the union of the scopes of exactly those groups that grant it.
 * Pages that are a mode of another (details, forms) come with their owner; elements count only with their menu.
 * `at`: a coming instant, for what is left when memberships have ended by then and nothing else has changed.
 */
export function effectivePermissions(
  db: Executor,
  staffId: number,
  at?: Date,
): Promise<EffectivePermissions> {
  const known = at ? undefined : readOnce.get(db);
  let rights = known?.get(staffId);
  if (!rights) {
    rights = readPermissions(db, staffId, at);
    known?.set(staffId, rights);
  }
  return rights;
}

async function readPermissions(
  db: Executor,
  staffId: number,
  at: Date | undefined,
): Promise<EffectivePermissions> {
  // One after the other: `db` may be a transaction, which is a single connection.
  const grants = at
    ? await run<HeldRight>(db, RIGHTS_THEN, [staffId, PLATFORM_ADMIN_GROUP, at])
    : await run<HeldRight>(db, RIGHTS, [staffId, PLATFORM_ADMIN_GROUP]);
  const tree = await run<{ code: string; modeOf: string | null; parents: string[] }>(db, BUILT_MENUS);
  const departments = await run<{ id: number; own: boolean }>(db, OWN_DEPARTMENTS, [staffId]);
  const [merchant] = await run(db, OF_SUSPENDED, [staffId]);
  const menus = new Map<string, MenuScope[]>();
  for (const grant of grants) {
    if (grant.kind !== 'menu') continue;
    if (merchant && !MENUS_OF_SUSPENDED.has(grant.code) && !MENUS_OF_EVERYBODY.includes(grant.code)) continue;
    const scopes = menus.get(grant.code);
    if (scopes) scopes.push(scopeOf(grant, departments));
    else menus.set(grant.code, [scopeOf(grant, departments)]);
  }
  for (const [code, scopes] of menus) menus.set(code, mergeScopes(scopes));
  addModes(menus, tree);
  for (const { code, parents } of tree)
    if (menus.has(code))
      for (const parent of parents) if (!menus.has(parent)) menus.set(parent, [{ kind: 'all' }]);
  const elements = new Set<string>();
  for (const grant of grants)
    if (grant.kind === 'element' && menus.has(menuOfElement(grant.code))) elements.add(grant.code);
  const expiries = await run<{ at: Date | null }>(
    db,
    'SELECT min(expires_at) AS at FROM group_member WHERE staff_id = $1 AND expires_at > now()',
    [staffId],
  );
  return { menus, elements, nextExpiry: expiries[0]?.at ?? null };
}

/** Staff whose permissions depend on the groups: members, staff of their departments, and those who inherit from them. */
export async function staffOfGroups(db: Executor, groupIds: readonly number[]): Promise<number[]> {
  const rows = await run<{ id: number }>(
    db,
    `WITH RECURSIVE affected AS (
       SELECT id, department_id FROM permission_group WHERE id = ANY($1::bigint[])
       UNION
       SELECT g.id, g.department_id FROM permission_group g JOIN affected a ON g.parent_id = a.id
     )
     SELECT m.staff_id AS id FROM group_member m JOIN affected a ON a.id = m.group_id
     UNION
     SELECT s.id FROM staff s JOIN affected a ON a.department_id = s.department_id`,
    [groupIds],
  );
  return rows.map((row) => row.id);
}

/** Makes every instance reload the permissions of everybody in the groups within a second of the commit. */
export async function notifyGroupsChanged(tx: Executor, groupIds: readonly number[]): Promise<void> {
  await notifyStaffChanged(tx, await staffOfGroups(tx, groupIds));
}

/**
 * SQL, true when the staff belongs to the group now: put into it by hand and not ended, or working in the main
 * department a department group is bound to. `group` and `staff` are expressions for their ids.
 */
export const belongsToGroup = (group: string, staff: string): string => `EXISTS (
  SELECT FROM permission_group held_group
    JOIN group_type held_type ON held_type.id = held_group.type_id
    JOIN staff held_staff ON held_staff.id = ${staff}
   WHERE held_group.id = ${group} AND held_group.enabled
     AND ((held_type.code = 'depart' AND held_group.department_id = held_staff.department_id)
          OR EXISTS (SELECT FROM group_member m WHERE m.group_id = held_group.id AND m.staff_id = held_staff.id
                        AND (m.expires_at IS NULL OR m.expires_at > now())
                        AND (m.source = 'manual' OR held_group.department_id = held_staff.department_id))))`;

const heldGroups = (instant: string): string => `
  WITH RECURSIVE held AS (
    SELECT g.id, g.parent_id, g.inherit, g.id AS through_id, m.kind, m.source, m.expires_at
      FROM group_member m
      JOIN permission_group g ON g.id = m.group_id
      JOIN staff s ON s.id = m.staff_id
     WHERE m.staff_id = $1 AND g.enabled AND (m.expires_at IS NULL OR m.expires_at > ${instant})
       AND (m.source = 'manual' OR g.department_id = s.department_id)
    UNION
    SELECT g.id, g.parent_id, g.inherit, g.id, 'member', 'department', NULL
      FROM staff s
      JOIN permission_group g ON g.department_id = s.department_id
      JOIN group_type t ON t.id = g.type_id AND t.code = 'depart'
     WHERE s.id = $1 AND g.enabled
    UNION
    SELECT p.id, p.parent_id, p.inherit, h.through_id, h.kind, h.source, h.expires_at
      FROM held h
      JOIN permission_group p ON p.id = h.parent_id
     WHERE h.inherit AND p.enabled
  )`;

const GRANTS = `${heldGroups('now()')}, source AS (
    SELECT h.*, g.code AS group_code, g.name AS group_name, t.name AS through_name,
           g.built_in AND g.code = $2 AND n.kind = 3 AS everything
      FROM held h
      JOIN permission_group g ON g.id = h.id
      JOIN permission_group t ON t.id = h.through_id
      JOIN staff s ON s.id = $1
      JOIN tenant n ON n.id = s.tenant_id
  ), given AS (
    SELECT s.*, 'menu' AS what, m.code, coalesce(mg.data_scope, 'all') AS data_scope, coalesce(mg.department_ids, '{}') AS department_ids
      FROM source s
      JOIN menu m ON m.built AND NOT m.retired
      LEFT JOIN menu_grant mg ON mg.group_id = s.id AND mg.menu_code = m.code AND NOT s.everything
     WHERE s.everything OR mg.group_id IS NOT NULL
    UNION ALL
    SELECT s.*, 'element', e.code, NULL, '{}'
      FROM source s
      JOIN element e ON NOT e.retired
      JOIN menu m ON m.code = e.menu_code AND m.built AND NOT m.retired
      LEFT JOIN element_grant eg ON eg.group_id = s.id AND eg.element_code = e.code
     WHERE s.everything OR eg.group_id IS NOT NULL
  )
  SELECT what AS kind, code, data_scope AS "dataScope", department_ids AS "departmentIds",
         id AS "groupId", group_code AS "groupCode", group_name AS "groupName",
         through_id AS "throughId", through_name AS "throughName",
         kind AS "memberKind", source, expires_at AS "expiresAt"
    FROM given ORDER BY what DESC, code, id`;

/** A right as sessions need it: whatever number of groups give it with the same scope, it is one row. */
type HeldRight = Pick<EffectiveGrant, 'kind' | 'code' | 'dataScope' | 'departmentIds'>;

const rightsAt = (instant: string): string => `${heldGroups(instant)}, source AS (
    SELECT DISTINCT g.id, g.built_in AND g.code = $2 AND n.kind = 3 AS everything
      FROM held h
      JOIN permission_group g ON g.id = h.id
      JOIN staff s ON s.id = $1
      JOIN tenant n ON n.id = s.tenant_id
  )
  SELECT DISTINCT 'menu' AS kind, mg.menu_code AS code, mg.data_scope AS "dataScope", mg.department_ids AS "departmentIds"
    FROM source s
    JOIN menu_grant mg ON mg.group_id = s.id AND NOT s.everything
    JOIN menu m ON m.code = mg.menu_code AND m.built AND NOT m.retired
  UNION ALL
  SELECT DISTINCT 'element', eg.element_code, NULL, '{}'::bigint[]
    FROM source s
    JOIN element_grant eg ON eg.group_id = s.id AND NOT s.everything
    JOIN element e ON e.code = eg.element_code AND NOT e.retired
    JOIN menu m ON m.code = e.menu_code AND m.built AND NOT m.retired
  UNION ALL
  SELECT 'menu', m.code, 'all', '{}'::bigint[]
    FROM menu m WHERE m.built AND NOT m.retired AND EXISTS (SELECT FROM source WHERE everything)
  UNION ALL
  SELECT 'element', e.code, NULL, '{}'::bigint[]
    FROM element e JOIN menu m ON m.code = e.menu_code AND m.built AND NOT m.retired
   WHERE NOT e.retired AND EXISTS (SELECT FROM source WHERE everything)`;

const RIGHTS = rightsAt('now()');
const RIGHTS_THEN = rightsAt('$3::timestamptz');

const BUILT_MENUS = `
  SELECT m.code, m.mode_of AS "modeOf",
         array(SELECT p.parent_code FROM menu_place p WHERE p.menu_code = m.code AND p.parent_code IS NOT NULL) AS parents
    FROM menu m WHERE m.built AND NOT m.retired`;

const OWN_DEPARTMENTS = `
  WITH RECURSIVE below AS (
    SELECT d.id, true AS own FROM department d JOIN staff s ON s.department_id = d.id WHERE s.id = $1
    UNION
    SELECT d.id, false FROM department d JOIN below b ON d.parent_id = b.id
  )
  SELECT id, bool_or(own) AS own FROM below GROUP BY id ORDER BY id`;

function scopeOf(grant: HeldRight, departments: readonly { id: number; own: boolean }[]): MenuScope {
  switch (grant.dataScope) {
    case 'self':
      return { kind: 'self' };
    case 'dept':
      return { kind: 'departments', ids: departments.filter((one) => one.own).map((one) => one.id) };
    case 'dept_tree':
      return { kind: 'departments', ids: departments.map((one) => one.id) };
    case 'depts':
      return { kind: 'departments', ids: grant.departmentIds };
    default:
      return { kind: 'all' };
  }
}

function mergeScopes(scopes: readonly MenuScope[]): MenuScope[] {
  if (scopes.some((scope) => scope.kind === 'all')) return [{ kind: 'all' }];
  const merged: MenuScope[] = [];
  const departments = scopes.filter((scope) => scope.kind === 'departments');
  if (departments.length > 0)
    merged.push({
      kind: 'departments',
      ids: [...new Set(departments.flatMap((scope) => scope.ids))].sort((a, b) => a - b),
    });
  if (scopes.some((scope) => scope.kind === 'self')) merged.push({ kind: 'self' });
  return merged;
}

function addModes(
  menus: Map<string, MenuScope[]>,
  tree: readonly { code: string; modeOf: string | null }[],
): void {
  for (let added = true; added;) {
    added = false;
    for (const { code, modeOf } of tree) {
      const owner = modeOf === null ? undefined : menus.get(modeOf);
      if (!owner || menus.has(code)) continue;
      menus.set(code, owner);
      added = true;
    }
  }
}
