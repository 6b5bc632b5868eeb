import type { Label } from '../../../kernel/contract/label.ts';

/** How far a group lets its members see the rows of a menu. */
export type DataScope = 'all' | 'dept_tree' | 'dept' | 'depts' | 'self';

/** A menu a group gives, with its data scope. `departmentIds` only for `depts`. */
export interface MenuGrant {
  readonly code: string;
  readonly dataScope: DataScope;
  readonly departmentIds: readonly number[];
}

/** Everything a group gives by itself. */
export interface Grants {
  readonly menus: readonly MenuGrant[];
  readonly elements: readonly string[];
}

/** A menu that stays and whose scope changes. `other`: neither contains the other. */
export interface ScopeChange {
  readonly code: string;
  readonly before: MenuGrant;
  readonly after: MenuGrant;
  readonly direction: 'wider' | 'narrower' | 'other';
}

/** What differs between two states of a group's grants. */
export interface GrantDifference {
  readonly addedMenus: readonly MenuGrant[];
  readonly removedMenus: readonly MenuGrant[];
  readonly addedElements: readonly string[];
  readonly removedElements: readonly string[];
  readonly scopes: readonly ScopeChange[];
}

/** Words of the data scopes in the order from wide to narrow. */
export const SCOPE_LABELS: Readonly<Record<DataScope, Label>> = {
  all: ['全部可见', 'All'],
  dept_tree: ['本部门及以下', 'Own department and below'],
  dept: ['本部门', 'Own department'],
  depts: ['指定部门', 'Chosen departments'],
  self: ['仅本人', 'Own only'],
};

/** Data scopes from wide to narrow. */
export const DATA_SCOPES = Object.keys(SCOPE_LABELS) as readonly DataScope[];

/** The difference between two states of grants; lists are sorted by code. */
export function diffGrants(before: Grants, after: Grants): GrantDifference {
  const old = new Map(before.menus.map((menu) => [menu.code, menu]));
  const now = new Map(after.menus.map((menu) => [menu.code, menu]));
  const had = new Set(before.elements);
  const has = new Set(after.elements);
  const scopes: ScopeChange[] = [];
  for (const menu of now.values()) {
    const was = old.get(menu.code);
    if (was && !isSameScope(was, menu))
      scopes.push({ code: menu.code, before: was, after: menu, direction: directionOf(was, menu) });
  }
  return {
    addedMenus: sortedMenus([...now.values()].filter((menu) => !old.has(menu.code))),
    removedMenus: sortedMenus([...old.values()].filter((menu) => !now.has(menu.code))),
    addedElements: [...has].filter((code) => !had.has(code)).sort(),
    removedElements: [...had].filter((code) => !has.has(code)).sort(),
    scopes: scopes.sort((a, b) => (a.code < b.code ? -1 : 1)),
  };
}

/** True when nothing differs. */
export function isUnchanged(difference: GrantDifference): boolean {
  return countOf(difference) === 0;
}

/** True when somebody may gain something; such a change needs a reason. */
export function isWidening(difference: GrantDifference): boolean {
  return (
    difference.addedMenus.length > 0 ||
    difference.addedElements.length > 0 ||
    difference.scopes.some((change) => change.direction !== 'narrower')
  );
}

/** Number of changed rights. */
export function countOf(difference: GrantDifference): number {
  return (
    difference.addedMenus.length +
    difference.removedMenus.length +
    difference.addedElements.length +
    difference.removedElements.length +
    difference.scopes.length
  );
}

/** True when two grants of a menu let see the same rows. */
export function isSameScope(a: MenuGrant, b: MenuGrant): boolean {
  if (a.dataScope !== b.dataScope) return false;
  if (a.dataScope !== 'depts') return true;
  const ids = new Set(a.departmentIds);
  return ids.size === new Set(b.departmentIds).size && b.departmentIds.every((id) => ids.has(id));
}

// Each one contains those before it, for whoever gets it.
const RANK: Readonly<Partial<Record<DataScope, number>>> = { self: 0, dept: 1, dept_tree: 2, all: 3 };

function directionOf(before: MenuGrant, after: MenuGrant): ScopeChange['direction'] {
  if (after.dataScope === 'all') return 'wider';
  if (before.dataScope === 'all') return 'narrower';
  if (before.dataScope === 'depts' && after.dataScope === 'depts') {
    const old = new Set(before.departmentIds);
    const now = new Set(after.departmentIds);
    if (after.departmentIds.every((id) => old.has(id))) return 'narrower';
    return before.departmentIds.every((id) => now.has(id)) ? 'wider' : 'other';
  }
  const from = RANK[before.dataScope];
  const to = RANK[after.dataScope];
  // Named departments against relative ones depend on who gets it.
  if (from === undefined || to === undefined) return 'other';
  return to > from ? 'wider' : 'narrower';
}

function sortedMenus(menus: MenuGrant[]): MenuGrant[] {
  return menus.sort((a, b) => (a.code < b.code ? -1 : 1));
}
