import type { MenuScope } from '../../../kernel/server/people/caller.ts';
import { PLATFORM_ADMIN_GROUP } from '../../../domain/permission/effective-permissions.server.ts';
import type { Grants, MenuGrant } from './grant-diff.rules.ts';

/** A group as the rules see it. */
export interface ModelGroup {
  readonly id: number;
  readonly parentId: number | null;
  readonly inherit: boolean;
  readonly enabled: boolean;
  readonly departmentId: number | null;
  readonly type: string;
  readonly code: string;
  readonly name: string;
  readonly builtIn: boolean;
}

/** A membership; `expiresAt` in milliseconds. */
export interface ModelMember {
  readonly groupId: number;
  readonly staffId: number;
  readonly kind: 'leader' | 'member';
  readonly source: 'manual' | 'department';
  readonly expiresAt: number | null;
}

/** A staff as the rules see it. */
export interface ModelStaff {
  readonly id: number;
  readonly name: string;
  readonly account: string;
  readonly departmentId: number | null;
  /** Works for the platform itself. */
  readonly isPlatform: boolean;
}

/** Everything that decides who may do what at one instant. The second telling of the rules of effective-permissions. */
export interface PermissionModel {
  /** Milliseconds. */
  readonly at: number;
  readonly groups: ReadonlyMap<number, ModelGroup>;
  /** By staff. */
  readonly memberships: ReadonlyMap<number, readonly ModelMember[]>;
  /** By group. */
  readonly grants: ReadonlyMap<number, Grants>;
  readonly staff: ReadonlyMap<number, ModelStaff>;
  /** Built menus with the page they are a mode of and the menus above them. */
  readonly menus: readonly {
    readonly code: string;
    readonly modeOf: string | null;
    readonly parents: readonly string[];
  }[];
  /** Elements of these menus. */
  readonly elements: readonly { readonly code: string; readonly menu: string }[];
  /** Department above each department. */
  readonly departments: ReadonlyMap<number, number | null>;
}

/** A group a staff holds, and through which membership. */
export interface HeldGroup {
  readonly group: ModelGroup;
  readonly through: ModelGroup;
  readonly memberKind: 'leader' | 'member';
  readonly source: 'manual' | 'department';
  readonly expiresAt: number | null;
}

/** Menus with scopes and elements of a staff. */
export interface ModelPermissions {
  readonly menus: ReadonlyMap<string, readonly MenuScope[]>;
  readonly elements: ReadonlySet<string>;
}

/** Groups a staff holds: memberships that have not ended, the group of the department, and parents by inheritance. */
export function heldGroups(model: PermissionModel, staffId: number): HeldGroup[] {
  const staff = model.staff.get(staffId);
  if (!staff) return [];
  const held: HeldGroup[] = [];
  const seen = new Set<string>();
  const add = (one: HeldGroup): void => {
    const key = `${one.group.id}/${one.through.id}/${one.memberKind}/${one.source}/${one.expiresAt}`;
    if (!one.group.enabled || seen.has(key)) return;
    seen.add(key);
    held.push(one);
    const parent =
      one.group.inherit && one.group.parentId !== null ? model.groups.get(one.group.parentId) : undefined;
    if (parent) add({ ...one, group: parent });
  };
  for (const member of model.memberships.get(staffId) ?? []) {
    const group = model.groups.get(member.groupId);
    if (!group || (member.expiresAt !== null && member.expiresAt <= model.at)) continue;
    if (member.source === 'department' && group.departmentId !== staff.departmentId) continue;
    add({
      group,
      through: group,
      memberKind: member.kind,
      source: member.source,
      expiresAt: member.expiresAt,
    });
  }
  if (staff.departmentId !== null)
    for (const group of model.groups.values())
      if (group.type === 'depart' && group.departmentId === staff.departmentId)
        add({ group, through: group, memberKind: 'member', source: 'department', expiresAt: null });
  return held;
}

/** True for the platform administrators' group in the hands of platform staff: it gives everything. */
export function givesEverything(group: ModelGroup, staff: ModelStaff): boolean {
  return group.builtIn && group.code === PLATFORM_ADMIN_GROUP && staff.isPlatform;
}

/** What a staff may see and do by the model. */
export function permissionsOf(model: PermissionModel, staffId: number): ModelPermissions {
  return permissionReader(model)(staffId);
}

/** Reads permissions of many staff: those with the same groups and department are worked out once. */
export function permissionReader(model: PermissionModel): (staffId: number) => ModelPermissions {
  const known = new Map<string, ModelPermissions>();
  return (staffId) => {
    const staff = model.staff.get(staffId);
    if (!staff) return NOTHING;
    const groupIds = [...new Set(heldGroups(model, staffId).map((held) => held.group.id))].sort(
      (a, b) => a - b,
    );
    const key = `${groupIds.join()}/${staff.departmentId}/${staff.isPlatform}`;
    const found = known.get(key) ?? permissionsBy(model, staff, groupIds);
    known.set(key, found);
    return found;
  };
}

const NOTHING: ModelPermissions = { menus: new Map(), elements: new Set() };

function permissionsBy(
  model: PermissionModel,
  staff: ModelStaff,
  groupIds: readonly number[],
): ModelPermissions {
  const known = new Map(model.menus.map((menu) => [menu.code, menu]));
  const scopes = new Map<string, MenuScope[]>();
  const given = new Set<string>();
  for (const groupId of groupIds) {
    if (givesEverything(model.groups.get(groupId)!, staff)) {
      for (const menu of model.menus) push(scopes, menu.code, { kind: 'all' });
      for (const element of model.elements) given.add(element.code);
      continue;
    }
    const grants = model.grants.get(groupId);
    for (const menu of grants?.menus ?? [])
      if (known.has(menu.code)) push(scopes, menu.code, scopeOf(model, staff, menu));
    for (const code of grants?.elements ?? []) given.add(code);
  }
  const menus = new Map<string, readonly MenuScope[]>();
  for (const [code, all] of scopes) menus.set(code, merge(all));
  for (let added = true; added;) {
    added = false;
    for (const menu of model.menus) {
      const owner = menu.modeOf === null ? undefined : menus.get(menu.modeOf);
      if (!owner || menus.has(menu.code)) continue;
      menus.set(menu.code, owner);
      added = true;
    }
  }
  for (const menu of model.menus)
    if (menus.has(menu.code))
      for (const parent of menu.parents) if (!menus.has(parent)) menus.set(parent, [{ kind: 'all' }]);
  const elements = new Set(
    model.elements
      .filter((element) => given.has(element.code) && menus.has(element.menu))
      .map((element) => element.code),
  );
  return { menus, elements };
}

/** The model with other grants or another switch of one group: what would be after a save. */
export function withGroup(
  model: PermissionModel,
  groupId: number,
  change: { readonly grants?: Grants; readonly inherit?: boolean },
): PermissionModel {
  const groups = new Map(model.groups);
  const grants = new Map(model.grants);
  const group = groups.get(groupId);
  if (group && change.inherit !== undefined) groups.set(groupId, { ...group, inherit: change.inherit });
  if (change.grants) grants.set(groupId, change.grants);
  return { ...model, groups, grants };
}

/** A text that is equal for equal scopes. */
export function scopesKey(scopes: readonly MenuScope[] | undefined): string {
  return scopes === undefined ? '' : JSON.stringify(scopes);
}

function push(map: Map<string, MenuScope[]>, code: string, scope: MenuScope): void {
  const list = map.get(code);
  if (list) list.push(scope);
  else map.set(code, [scope]);
}

function scopeOf(model: PermissionModel, staff: ModelStaff, grant: MenuGrant): MenuScope {
  switch (grant.dataScope) {
    case 'self':
      return { kind: 'self' };
    case 'dept':
      return { kind: 'departments', ids: staff.departmentId === null ? [] : [staff.departmentId] };
    case 'dept_tree':
      return { kind: 'departments', ids: below(model.departments, staff.departmentId) };
    case 'depts':
      return { kind: 'departments', ids: grant.departmentIds };
    default:
      return { kind: 'all' };
  }
}

function below(departments: ReadonlyMap<number, number | null>, top: number | null): number[] {
  if (top === null) return [];
  const found = new Set([top]);
  for (let grew = true; grew;) {
    grew = false;
    for (const [id, parent] of departments)
      if (parent !== null && found.has(parent) && !found.has(id)) {
        found.add(id);
        grew = true;
      }
  }
  return [...found];
}

function merge(scopes: readonly MenuScope[]): MenuScope[] {
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
