import type { Caller, MenuScope } from './caller.ts';

/** The rows somebody sees under a menu: scopes, and projects (null: not limited to any). */
export interface Reach {
  readonly scopes: readonly MenuScope[];
  readonly projects: readonly number[] | null;
}

/** What the caller sees under a menu at this moment. */
export function reachOf(caller: Caller, menu: string): Reach {
  return { scopes: caller.menus.get(menu) ?? [], projects: caller.projectIds };
}

/** True while a reach takes in another one of the same person. */
export function covers(now: Reach, made: Reach): boolean {
  const projects = now.projects && new Set(now.projects);
  if (projects && (made.projects === null || made.projects.some((id) => !projects.has(id)))) return false;
  if (now.scopes.some((scope) => scope.kind === 'all')) return true;
  const departments = new Set(now.scopes.flatMap((scope) => (scope.kind === 'departments' ? scope.ids : [])));
  return made.scopes.every((scope) =>
    scope.kind === 'departments'
      ? scope.ids.every((id) => departments.has(id))
      : now.scopes.some((one) => one.kind === scope.kind),
  );
}

/** True when a person holds now all it held before: buttons, menus with their rows, projects, its company. */
export function stillHolds(now: Caller, before: Caller): boolean {
  return (
    now.tenantId === before.tenantId &&
    [...before.elements].every((code) => now.elements.has(code)) &&
    [...before.menus.keys()].every(
      (menu) => now.menus.has(menu) && covers(reachOf(now, menu), reachOf(before, menu)),
    )
  );
}
