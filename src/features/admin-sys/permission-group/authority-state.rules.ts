import type { Label } from '../../../kernel/contract/label.ts';
import type { DataScope } from './grant-diff.rules.ts';
import type { Authority, AuthorityMenu, WireGrants } from './group-wire.ts';

/** Ticks of the grants dialog before they are saved. */
export interface Ticks {
  readonly menus: ReadonlyMap<
    string,
    { readonly dataScope: DataScope; readonly departmentIds: readonly string[] }
  >;
  readonly elements: ReadonlySet<string>;
  readonly inherit: boolean;
}

/** The ticks a group has now. */
export function ticksOf(grants: WireGrants, inherit: boolean): Ticks {
  return {
    menus: new Map(
      grants.menus.map(({ code, dataScope, departmentIds }) => [code, { dataScope, departmentIds }]),
    ),
    elements: new Set(grants.elements),
    inherit,
  };
}

/** Ticks as a save sends them. */
export function grantsOfTicks(ticks: Ticks): WireGrants & { readonly inherit: boolean } {
  return {
    menus: [...ticks.menus].map(([code, grant]) => ({ code, ...grant })),
    elements: [...ticks.elements],
    inherit: ticks.inherit,
  };
}

/** Number of rights that differ from the group's. */
export function changeCount(before: Ticks, after: Ticks): number {
  let count = before.inherit === after.inherit ? 0 : 1;
  for (const [code, grant] of after.menus) {
    const old = before.menus.get(code);
    if (
      !old ||
      old.dataScope !== grant.dataScope ||
      [...old.departmentIds].sort().join() !== [...grant.departmentIds].sort().join()
    )
      count++;
  }
  for (const code of before.menus.keys()) if (!after.menus.has(code)) count++;
  for (const code of after.elements) if (!before.elements.has(code)) count++;
  for (const code of before.elements) if (!after.elements.has(code)) count++;
  return count;
}

/** Why a menu or an element of it cannot be given. */
export function notGivable(authority: Pick<Authority, 'elsewhere'>, menu: string): Label {
  return authority.elsewhere.includes(menu) ? ELSEWHERE : NOT_HELD;
}

const NOT_HELD: Label = ['您没有此权限，不能授予', 'You do not hold this, so you cannot give it'];
const ELSEWHERE: Label = [
  '您只在本公司拥有此权限；该角色涉及其他公司的员工，请由平台管理员授予',
  'You hold this in your own company only, and staff of another one would get it: a platform administrator has to give it',
];

/** True when the staff may give the menu at all. */
export function isGivable(menu: AuthorityMenu): boolean {
  return menu.may.scopes.length > 0;
}

/**
 * Ticks or unticks a menu. Linked, what is below follows (as far as the staff may give it) and what is above is ticked too.
 * Taking a menu away takes its elements along, as they count only with their menu.
 */
export function toggleMenu(
  authority: Authority,
  ticks: Ticks,
  code: string,
  on: boolean,
  linked: boolean,
): Ticks {
  const byCode = new Map(authority.menus.map((menu) => [menu.code, menu]));
  const touched = new Set([code]);
  if (linked) {
    for (let grew = true; grew;) {
      grew = false;
      for (const menu of authority.menus)
        if (menu.parent !== null && touched.has(menu.parent) && !touched.has(menu.code)) {
          touched.add(menu.code);
          grew = true;
        }
    }
    if (on)
      for (let at = byCode.get(code)?.parent ?? null; at !== null; at = byCode.get(at)?.parent ?? null)
        touched.add(at);
  }
  const menus = new Map(ticks.menus);
  const elements = new Set(ticks.elements);
  const held = new Map(authority.elements.map((element) => [element.code, element.held]));
  for (const one of touched) {
    const menu = byCode.get(one);
    if (!menu || !isGivable(menu)) continue;
    if (on) {
      if (!menus.has(one))
        menus.set(one, {
          dataScope: menu.may.scopes.find((scope) => scope !== 'depts') ?? 'self',
          departmentIds: [],
        });
      continue;
    }
    menus.delete(one);
    for (const element of elements)
      if (element.startsWith(`${one}:`) && held.get(element)) elements.delete(element);
  }
  return { ...ticks, menus, elements };
}

/** Ticks or unticks elements; a ticked element brings its menu. */
export function toggleElements(
  authority: Authority,
  ticks: Ticks,
  menu: string,
  codes: readonly string[],
  on: boolean,
): Ticks {
  const elements = new Set(ticks.elements);
  for (const code of codes) {
    if (on) elements.add(code);
    else elements.delete(code);
  }
  const next = { ...ticks, elements };
  return on && codes.length > 0 && !ticks.menus.has(menu)
    ? { ...toggleMenu(authority, next, menu, true, false), elements }
    : next;
}

/** Takes the rights of another group over, as far as the staff may give them; own ticks stay. */
export function addGrants(authority: Authority, ticks: Ticks, grants: WireGrants): Ticks {
  const known = new Map(authority.menus.map((menu) => [menu.code, menu]));
  const held = new Set(authority.elements.filter((element) => element.held).map((element) => element.code));
  const menus = new Map(ticks.menus);
  for (const grant of grants.menus) {
    const menu = known.get(grant.code);
    const may =
      menu &&
      menu.may.scopes.includes(grant.dataScope) &&
      (grant.dataScope !== 'depts' ||
        menu.may.departments === null ||
        grant.departmentIds.every((id) => menu.may.departments!.includes(id)));
    if (may) menus.set(grant.code, { dataScope: grant.dataScope, departmentIds: grant.departmentIds });
  }
  return {
    ...ticks,
    menus,
    elements: new Set([...ticks.elements, ...grants.elements.filter((code) => held.has(code))]),
  };
}
