import type { MenuScope } from '../../../kernel/server/people/caller.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { notFound } from '../../../kernel/server/http/errors.ts';
import { loadModel } from '../permission-group/load-model.server.ts';
import {
  heldGroups,
  permissionReader,
  scopesKey,
  type ModelPermissions,
  type PermissionModel,
} from '../permission-group/permission-model.server.ts';

/**
 * What is going to happen to a department: it goes under another parent (null: to the top), or into another one whole,
 * or some of its staff go into another one.
 */
export type Rearrangement =
  { readonly parent: number | null } | { readonly into: number; readonly staff?: readonly number[] };

/** Staff of whatever departments come into one. */
interface Joining {
  readonly joining: readonly number[];
  readonly into: number;
}

/** Staff something happens to: how many, and the first of them by name. */
export interface Touched {
  readonly count: number;
  readonly names: readonly string[];
}

/** A permission group staff come into or out of by a rearrangement. */
export interface GroupChange {
  readonly id: string;
  readonly name: string;
  readonly gain: Touched;
  readonly lose: Touched;
}

/** What a rearrangement does to rights: other data scopes, rows of more or fewer staff, groups gained and lost. */
export interface RightsImpact {
  readonly scopeChanges: number;
  readonly scopeNames: readonly string[];
  readonly seesMore: Touched;
  readonly seesFewer: Touched;
  readonly groupChanges: readonly GroupChange[];
}

/** What a rearrangement takes along, and whose rights it changes, worked out by the rules of permissions. */
export async function impactOf(
  db: Executor,
  id: number,
  tenantId: number,
  change: Rearrangement | undefined,
): Promise<object> {
  const counts = await runOne<object>(
    db,
    `SELECT (SELECT count(*) FROM staff WHERE department_id = $1 AND state <> 'left') AS staff,
            (SELECT count(*) FROM secondary_department m JOIN staff s ON s.id = m.staff_id WHERE m.department_id = $1 AND s.state <> 'left') AS secondary,
            (SELECT count(*) FROM staff s JOIN department d ON d.id = s.department_id WHERE $1 = ANY(d.path) AND s.state <> 'left') AS below,
            (SELECT coalesce(jsonb_agg(name ORDER BY id), '[]') FROM (SELECT id, name FROM staff WHERE department_id = $1 AND state <> 'left' ORDER BY id LIMIT 20) named) AS "staffNames",
            (SELECT count(*) FROM department WHERE parent_id = $1) AS children,
            (SELECT count(*) FROM station_department WHERE department_id = $1) AS stations,
            (SELECT count(*) FROM permission_group WHERE department_id = $1 AND NOT EXISTS (SELECT 1 FROM permission_group o WHERE o.department_id = $2)) AS groups,
            (SELECT name FROM permission_group WHERE department_id = $1 AND EXISTS (SELECT 1 FROM permission_group o WHERE o.department_id = $2)) AS "groupStays",
            (SELECT count(*) FROM approval_instance i JOIN staff s ON s.id = coalesce(i.subject_id, i.starter_id) WHERE i.state = 'running' AND s.department_id = $1) AS approvals`,
    [id, change && 'into' in change ? change.into : null],
  );
  if (!counts) throw notFound();
  return { ...counts, ...(change ? await rightsImpact(db, id, tenantId, change) : NOTHING) };
}

/** Whose rights change when staff, wherever they work, come into a department of the tenant. */
export function joiningImpact(
  db: Executor,
  tenantId: number,
  joining: readonly number[],
  into: number,
): Promise<RightsImpact> {
  return rightsImpact(db, into, tenantId, { joining, into });
}

const LISTED = 20;
const NOBODY: Touched = { count: 0, names: [] };
const NOTHING: RightsImpact = {
  scopeChanges: 0,
  scopeNames: [],
  seesMore: NOBODY,
  seesFewer: NOBODY,
  groupChanges: [],
};

async function rightsImpact(
  db: Executor,
  id: number,
  tenantId: number,
  change: Rearrangement | Joining,
): Promise<RightsImpact> {
  // Rows of those who are disabled or have left are seen too; they themselves see nothing.
  const staff = await run<{ id: number; name: string; working: boolean }>(
    db,
    `SELECT id, name, state = 'normal' AS working FROM staff WHERE tenant_id = $1 ORDER BY id`,
    [tenantId],
  );
  const before = await loadModel(db, { staffIds: staff.map((one) => one.id) });
  const after = rearranged(before, id, change);
  // After a merge the staff of the one are found under the other: who covers exactly one of them sees other rows.
  const counted: Departments = (ids) =>
    'into' in change && !('joining' in change) && !change.staff
      ? [...ids.filter((one) => one !== id), ...(ids.includes(change.into) ? [id] : [])]
      : ids;
  const old = permissionReader(before);
  const now = permissionReader(after);
  const reach = reachCompare(before, after);
  const changed = { scope: [] as string[], more: [] as string[], fewer: [] as string[] };
  const groups = new Map<number, { gain: string[]; lose: string[] }>();
  for (const one of staff) {
    if (!one.working) continue;
    const [was, is] = [old(one.id), now(one.id)];
    const { more, fewer } = reach(was, is);
    if (more) changed.more.push(one.name);
    if (fewer) changed.fewer.push(one.name);
    if (more || fewer || scopesOf(was, is, same) !== scopesOf(is, was, counted)) changed.scope.push(one.name);
    const [had, has] = [groupIds(before, one.id), groupIds(after, one.id)];
    for (const group of new Set([...had, ...has])) {
      if (had.has(group) === has.has(group)) continue;
      const entry = groups.get(group) ?? { gain: [], lose: [] };
      groups.set(group, entry);
      entry[has.has(group) ? 'gain' : 'lose'].push(one.name);
    }
  }
  return {
    scopeChanges: changed.scope.length,
    scopeNames: changed.scope.slice(0, LISTED),
    seesMore: touched(changed.more),
    seesFewer: touched(changed.fewer),
    groupChanges: [...groups]
      .sort(([a], [b]) => a - b)
      .map(([group, { gain, lose }]) => ({
        id: String(group),
        name: before.groups.get(group)?.name ?? '',
        gain: touched(gain),
        lose: touched(lose),
      })),
  };
}

const touched = (names: readonly string[]): Touched => ({
  count: names.length,
  names: names.slice(0, LISTED),
});

function groupIds(model: PermissionModel, staffId: number): ReadonlySet<number> {
  return new Set(heldGroups(model, staffId).map((held) => held.group.id));
}

function rearranged(model: PermissionModel, id: number, change: Rearrangement | Joining): PermissionModel {
  if ('joining' in change) return withStaffIn(model, new Set(change.joining), change.into);
  if (!('into' in change))
    return { ...model, departments: new Map(model.departments).set(id, change.parent) };
  if (change.staff) {
    const members = change.staff.filter((one) => model.staff.get(one)?.departmentId === id);
    return withStaffIn(model, new Set(members), change.into);
  }
  return merged(model, id, change.into);
}

function withStaffIn(model: PermissionModel, ids: ReadonlySet<number>, into: number): PermissionModel {
  return {
    ...model,
    staff: new Map(
      [...model.staff].map(([id, one]) => [id, ids.has(id) ? { ...one, departmentId: into } : one]),
    ),
  };
}

function merged(model: PermissionModel, from: number, into: number): PermissionModel {
  const instead = (id: number) => (id === from ? into : id);
  // A department has one group: where the target has its own, the other one stays behind without members.
  const hasGroup = [...model.groups.values()].some((group) => group.departmentId === into);
  const moving = [...model.staff.values()].filter((one) => one.departmentId === from).map((one) => one.id);
  return {
    ...withStaffIn(model, new Set(moving), into),
    departments: new Map(
      [...model.departments].map(([id, parent]) => [id, parent === null ? null : instead(parent)]),
    ),
    groups: new Map(
      [...model.groups].map(([id, group]) => [
        id,
        group.departmentId === from && !hasGroup ? { ...group, departmentId: into } : group,
      ]),
    ),
    grants: new Map(
      [...model.grants].map(([id, grants]) => [
        id,
        {
          ...grants,
          menus: grants.menus.map((menu) => ({
            ...menu,
            departmentIds: [...new Set(menu.departmentIds.map(instead))].sort((a, b) => a - b),
          })),
        },
      ]),
    ),
  };
}

type Departments = (ids: readonly number[]) => readonly number[];

const same: Departments = (ids) => ids;

/** Data scopes of the menus held before and after; menus that come and go are told by their groups. */
function scopesOf(rights: ModelPermissions, other: ModelPermissions, departments: Departments): string {
  const menus = [...rights.menus]
    .filter(([code]) => other.menus.has(code))
    .map(([code, scopes]) => {
      const counted = scopes.map((scope) =>
        scope.kind === 'departments'
          ? { ...scope, ids: [...departments(scope.ids)].sort((a, b) => a - b) }
          : scope,
      );
      return `${code}=${scopesKey(counted)}`;
    });
  return menus.sort().join('|');
}

/** Tells whether rights reach rows of staff they did not reach before, or no longer reach some; per menu held both times. */
function reachCompare(before: PermissionModel, after: PermissionModel) {
  const [old, now] = [staffReader(before), staffReader(after)];
  // Staff with the same groups and department share their rights, and are compared once.
  const known = new Map<ModelPermissions, Map<ModelPermissions, { more: boolean; fewer: boolean }>>();
  return (was: ModelPermissions, is: ModelPermissions) => {
    const found = known.get(was)?.get(is);
    if (found) return found;
    const result = { more: false, fewer: false };
    for (const [code, scopes] of was.menus) {
      const next = is.menus.get(code);
      if (!next) continue;
      const [a, b] = [old(scopes), now(next)];
      result.more ||= reachesBeyond(b, a);
      result.fewer ||= reachesBeyond(a, b);
    }
    const list = known.get(was) ?? new Map<ModelPermissions, typeof result>();
    known.set(was, list.set(is, result));
    return result;
  };
}

type Reach = ReadonlySet<number> | 'all';

/** True when the one reach holds somebody the other does not. */
function reachesBeyond(one: Reach, other: Reach): boolean {
  if (other === 'all') return false;
  return one === 'all' || [...one].some((id) => !other.has(id));
}

/** Staff whose rows scopes reach by their departments; the own rows are no part of it. */
function staffReader(model: PermissionModel) {
  const inDepartment = new Map<number, number[]>();
  for (const one of model.staff.values()) {
    if (one.departmentId === null) continue;
    const list = inDepartment.get(one.departmentId);
    if (list) list.push(one.id);
    else inDepartment.set(one.departmentId, [one.id]);
  }
  const known = new Map<string, ReadonlySet<number>>();
  return (scopes: readonly MenuScope[]): Reach => {
    if (scopes.some((scope) => scope.kind === 'all')) return 'all';
    const key = scopesKey(scopes);
    const found =
      known.get(key) ??
      new Set(
        scopes
          .flatMap((scope) => (scope.kind === 'departments' ? scope.ids : []))
          .flatMap((id) => inDepartment.get(id) ?? []),
      );
    known.set(key, found);
    return found;
  };
}
