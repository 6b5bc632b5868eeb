import type { Caller, MenuScope } from '../../../kernel/server/caller.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { PLATFORM_ADMIN_GROUP } from '../../shared/permission/effective-permissions.server.ts';

/** A right as it stands in a group: the scope is part of a menu's grant. */
export interface GroupGrants {
  readonly menus: readonly { readonly code: string; readonly dataScope: string; readonly departmentIds: readonly number[] }[];
  readonly elements: readonly string[];
}

/** A right somebody lacks: titles in both languages and the code. */
export type MissingRight = readonly [zh: string, en: string, code: string];

/** Grants of a group as stored. */
export async function grantsOf(db: Executor, groupId: number): Promise<GroupGrants> {
  const menus = await run<{ code: string; dataScope: string; departmentIds: number[] }>(
    db,
    'SELECT menu_code AS code, data_scope AS "dataScope", department_ids AS "departmentIds" FROM menu_grant WHERE group_id = $1 ORDER BY menu_code',
    [groupId],
  );
  const elements = await run<{ code: string }>(db, 'SELECT element_code AS code FROM element_grant WHERE group_id = $1 ORDER BY element_code', [groupId]);
  return { menus, elements: elements.map((row) => row.code) };
}

/**
 * Rights of the groups (with what they inherit) that the caller does not hold, scope included: a caller who sees own rows
 * of a menu cannot give all rows of it. The platform administrators' group can only be given by its members.
 */
export async function missingRights(tx: Tx, caller: Caller, groupIds: readonly number[]): Promise<MissingRight[]> {
  if (groupIds.length === 0) return [];
  const groups = await run<{ id: number; code: string; name: string }>(
    tx,
    `WITH RECURSIVE source AS (
       SELECT id, parent_id, inherit, code, name FROM permission_group WHERE id = ANY($1::bigint[])
       UNION SELECT p.id, p.parent_id, p.inherit, p.code, p.name FROM permission_group p JOIN source s ON p.id = s.parent_id AND s.inherit
     ) SELECT id, code, name FROM source`,
    [groupIds],
  );
  const missing: MissingRight[] = [];
  for (const group of groups) {
    if (group.code === PLATFORM_ADMIN_GROUP) {
      const own = await runOne(tx, 'SELECT 1 FROM group_member WHERE group_id = $1 AND staff_id = $2', [group.id, caller.staffId]);
      if (!own) missing.push([group.name, group.code, group.code]);
      continue;
    }
    missing.push(...(await missingOf(tx, caller, await grantsOf(tx, group.id))));
  }
  return missing;
}

/** The part of the grants that the caller does not hold. */
export async function missingOf(db: Executor, caller: Caller, grants: GroupGrants): Promise<MissingRight[]> {
  const menus = grants.menus.filter((menu) => !coversScope(caller, caller.menus.get(menu.code), menu)).map((menu) => menu.code);
  const elements = grants.elements.filter((code) => !caller.elements.has(code));
  if (menus.length === 0 && elements.length === 0) return [];
  const titles = await run<{ code: string; zh: string; en: string }>(
    db,
    `SELECT code, title_zh AS zh, title_en AS en FROM menu WHERE code = ANY($1::text[])
     UNION ALL SELECT e.code, m.title_zh || ' · ' || e.name_zh, m.title_en || ' · ' || e.name_en FROM element e JOIN menu m ON m.code = e.menu_code WHERE e.code = ANY($2::text[])`,
    [menus, elements],
  );
  const byCode = new Map(titles.map((title) => [title.code, title]));
  return [...menus, ...elements].map((code) => [byCode.get(code)?.zh ?? code, byCode.get(code)?.en ?? code, code] as const);
}

/** Keeps the members of a group after a change, for "who could do X at that time". */
export async function writeMemberHistory(tx: Tx, caller: Pick<Caller, 'staffId' | 'name'>, groupId: number, reason: string): Promise<void> {
  const members = await run(tx, 'SELECT staff_id AS "staffId", kind, source, expires_at AS "expiresAt" FROM group_member WHERE group_id = $1 ORDER BY staff_id', [groupId]);
  await run(tx, `INSERT INTO grant_history (group_id, staff_id, who, kind, reason, state) VALUES ($1, $2, $3, 'member', $4, $5)`, [groupId, caller.staffId, caller.name, reason, JSON.stringify({ members })]);
}

function coversScope(caller: Caller, held: readonly MenuScope[] | undefined, menu: GroupGrants['menus'][number]): boolean {
  if (!held || held.length === 0) return false;
  if (held.some((scope) => scope.kind === 'all')) return true;
  const departments = new Set(held.flatMap((scope) => (scope.kind === 'departments' ? scope.ids : [])));
  switch (menu.dataScope) {
    case 'self':
      return true;
    case 'depts':
      return menu.departmentIds.every((id) => departments.has(id));
    case 'dept':
    case 'dept_tree':
      // Relative to whoever gets it, so it can reach departments the caller does not see.
      return caller.departmentId !== null && departments.has(caller.departmentId);
    default:
      return false;
  }
}
