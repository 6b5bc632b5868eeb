import { menuOfElement } from '../../../kernel/contract/resource.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { MENU_SCOPE } from '../../../features/frame/sign-in/application-scopes.rules.ts';
import type { Permissions } from '../../../domain/permission/load-caller.server.ts';

/** The rights of a staff as far as the scopes of a program reach: menus of the allowed groups with their elements. */
export async function narrowToScopes(
  db: Executor,
  permissions: Permissions,
  scopes: readonly string[],
): Promise<Permissions> {
  const groups = scopes
    .filter((scope) => scope.startsWith(MENU_SCOPE))
    .map((scope) => scope.slice(MENU_SCOPE.length));
  const rows = await run<{ code: string }>(db, MENUS_BELOW, [groups]);
  const allowed = new Set(rows.map((row) => row.code));
  return {
    ...permissions,
    menus: new Map([...permissions.menus].filter(([code]) => allowed.has(code))),
    elements: new Set([...permissions.elements].filter((code) => allowed.has(menuOfElement(code)))),
  };
}

const MENUS_BELOW = `
  WITH RECURSIVE below AS (
    SELECT menu_code AS code FROM menu_place WHERE parent_code = ANY($1::text[])
    UNION
    SELECT p.menu_code FROM menu_place p JOIN below b ON p.parent_code = b.code)
  SELECT code FROM below`;
