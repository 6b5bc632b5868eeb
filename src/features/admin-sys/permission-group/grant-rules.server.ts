import { menuOfElement } from '../../../kernel/contract/resource.ts';
import type { Caller, MenuScope } from '../../../kernel/server/people/caller.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { ruleBroken, type Refusal } from '../../../kernel/server/http/errors.ts';
import { PLATFORM_ADMIN_GROUP } from '../../../domain/permission/effective-permissions.server.ts';
import { DATA_SCOPES, type DataScope, type Grants, type MenuGrant } from './grant-diff.rules.ts';
import { writeHistory } from './grant-history.server.ts';

/** A right somebody lacks: titles in both languages and the code. */
export type MissingRight = readonly [zh: string, en: string, code: string];

/** Grants of a group as stored, by code. */
export async function grantsOf(db: Executor, groupId: number): Promise<Grants> {
  const menus = await run<{ code: string; dataScope: DataScope; departmentIds: number[] }>(
    db,
    'SELECT menu_code AS code, data_scope AS "dataScope", department_ids AS "departmentIds" FROM menu_grant WHERE group_id = $1 ORDER BY menu_code',
    [groupId],
  );
  const elements = await run<{ code: string }>(
    db,
    'SELECT element_code AS code FROM element_grant WHERE group_id = $1 ORDER BY element_code',
    [groupId],
  );
  return { menus, elements: elements.map((row) => row.code) };
}

/** Nothing granted. */
export const NO_GRANTS: Grants = { menus: [], elements: [] };

/** What a group and those it inherits from give to whoever inherits from it: each menu with its widest scope. */
export async function inheritedGrants(db: Executor, parentId: number): Promise<Grants> {
  const chain = await run<{ id: number }>(
    db,
    `WITH RECURSIVE up AS (
       SELECT id, parent_id, inherit, enabled FROM permission_group WHERE id = $1
       UNION SELECT p.id, p.parent_id, p.inherit, p.enabled FROM permission_group p JOIN up ON p.id = up.parent_id AND up.inherit AND up.enabled)
     SELECT id FROM up WHERE enabled`,
    [parentId],
  );
  const all = await Promise.all(chain.map((group) => grantsOf(db, group.id)));
  const menus = new Map<string, MenuGrant>();
  for (const menu of all.flatMap((grants) => grants.menus)) {
    const known = menus.get(menu.code);
    if (!known || DATA_SCOPES.indexOf(menu.dataScope) < DATA_SCOPES.indexOf(known.dataScope))
      menus.set(menu.code, menu);
  }
  return { menus: [...menus.values()], elements: [...new Set(all.flatMap((grants) => grants.elements))] };
}

/** Grants of the groups that inherit from a group, directly or through others. */
export async function heirGrants(db: Executor, groupId: number): Promise<Grants[]> {
  const heirs = await run<{ id: number }>(
    db,
    `WITH RECURSIVE heir AS (
       SELECT id FROM permission_group WHERE parent_id = $1 AND inherit
       UNION SELECT g.id FROM permission_group g JOIN heir h ON g.parent_id = h.id AND g.inherit)
     SELECT id FROM heir WHERE id <> $1 ORDER BY id`,
    [groupId],
  );
  const grants: Grants[] = [];
  for (const { id } of heirs) grants.push(await grantsOf(db, id));
  return grants;
}

/**
 * A button works on the rows of its menu: a new button counts with the rows the group has there, a new or wider menu with
 * the buttons it has there. Else somebody who edits own rows could let others edit all of them.
 */
export function withCounterparts(news: Grants, all: readonly Grants[]): Grants {
  const worked = new Set(news.elements.map(menuOfElement));
  const opened = new Set(news.menus.map((menu) => menu.code));
  return {
    menus: [...news.menus, ...all.flatMap((grants) => grants.menus).filter((menu) => worked.has(menu.code))],
    elements: [
      ...news.elements,
      ...all.flatMap((grants) => grants.elements).filter((code) => opened.has(menuOfElement(code))),
    ],
  };
}

/**
 * Rights of the groups (with what they inherit) that the caller does not hold, scope included: a caller who sees own rows
 * of a menu cannot give all rows of it. The platform administrators' group can only be given by its members,
 * and not by a program in their name.
 * `department`: they are given to somebody who works there, so that "own department" says which one is meant.
 */
export async function missingRights(
  tx: Executor,
  caller: Caller,
  groupIds: readonly number[],
  department?: number,
): Promise<MissingRight[]> {
  if (groupIds.length === 0) return [];
  const meant = department === undefined ? undefined : await scopesIn(tx, department);
  const groups = await run<{ id: number; code: string; name: string }>(
    tx,
    `WITH RECURSIVE source AS (
       SELECT id, parent_id, inherit, code, name FROM permission_group WHERE id = ANY($1::bigint[])
       UNION SELECT p.id, p.parent_id, p.inherit, p.code, p.name FROM permission_group p JOIN source s ON p.id = s.parent_id AND s.inherit
     ) SELECT id, code, name FROM source`,
    [groupIds],
  );
  const missing = new Map<string, MissingRight>();
  for (const group of groups) {
    if (group.code === PLATFORM_ADMIN_GROUP) {
      const own = await runOne(
        tx,
        'SELECT 1 FROM group_member WHERE group_id = $1 AND staff_id = $2 AND (expires_at IS NULL OR expires_at > now())',
        [group.id, caller.staffId],
      );
      if (!own || caller.application) missing.set(group.code, [group.name, group.code, group.code]);
      continue;
    }
    const grants = await grantsOf(tx, group.id);
    const given = meant ? { ...grants, menus: grants.menus.map(meant) } : grants;
    for (const one of await missingOf(tx, caller, given)) missing.set(one[2], one);
  }
  return [...missing.values()];
}

/** Turns grants relative to the department of their holder into those of one who works in the given department. */
async function scopesIn(db: Executor, department: number): Promise<(menu: MenuGrant) => MenuGrant> {
  const below = await run<{ id: number }>(db, 'SELECT id FROM department WHERE $1 = ANY(path) ORDER BY id', [
    department,
  ]);
  const ids = { dept: [department], dept_tree: [...new Set([department, ...below.map((row) => row.id)])] };
  return (menu) =>
    menu.dataScope === 'dept' || menu.dataScope === 'dept_tree'
      ? { ...menu, dataScope: 'depts', departmentIds: ids[menu.dataScope] }
      : menu;
}

/**
 * The groups and every group below them: whoever leads one may put people into all of these, so a leadership is worth
 * what they all give.
 */
export async function branchesOf(db: Executor, groupIds: readonly number[]): Promise<number[]> {
  const rows = await run<{ id: number }>(
    db,
    `WITH RECURSIVE below AS (
       SELECT id FROM permission_group WHERE id = ANY($1::bigint[])
       UNION SELECT g.id FROM permission_group g JOIN below b ON g.parent_id = b.id
     ) SELECT id FROM below ORDER BY id`,
    [groupIds],
  );
  return rows.map((row) => row.id);
}

/** Those of the groups (with what they inherit) of which the caller holds every right: what a picker may offer. */
export async function grantableGroups(
  db: Executor,
  caller: Caller,
  groupIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const sources = await run<{ root: number; ids: number[]; admins: number | null }>(
    db,
    `WITH RECURSIVE source AS (
       SELECT id AS root, id, parent_id, inherit, code FROM permission_group WHERE id = ANY($1::bigint[])
       UNION SELECT s.root, p.id, p.parent_id, p.inherit, p.code FROM permission_group p JOIN source s ON p.id = s.parent_id AND s.inherit
     ) SELECT root, array_agg(id) AS ids, max(id) FILTER (WHERE code = $2) AS admins FROM source GROUP BY root`,
    [groupIds, PLATFORM_ADMIN_GROUP],
  );
  const all = [...new Set(sources.flatMap((source) => source.ids))];
  const menus = await run<MenuGrant & { groupId: number }>(
    db,
    `SELECT g.group_id AS "groupId", g.menu_code AS code, g.data_scope AS "dataScope", g.department_ids AS "departmentIds"
       FROM menu_grant g JOIN menu m ON m.code = g.menu_code AND m.built AND NOT m.retired WHERE g.group_id = ANY($1::bigint[])`,
    [all],
  );
  const elements = await run<{ groupId: number; code: string }>(
    db,
    `SELECT g.group_id AS "groupId", g.element_code AS code FROM element_grant g
       JOIN element e ON e.code = g.element_code AND NOT e.retired JOIN menu m ON m.code = e.menu_code AND m.built AND NOT m.retired
      WHERE g.group_id = ANY($1::bigint[])`,
    [all],
  );
  const beyond = new Set([
    ...menus.filter((menu) => !coversScope(caller, menu)).map((menu) => menu.groupId),
    ...elements.filter((element) => !caller.elements.has(element.code)).map((element) => element.groupId),
  ]);
  const own = await run<{ id: number }>(
    db,
    'SELECT group_id AS id FROM group_member WHERE staff_id = $1 AND (expires_at IS NULL OR expires_at > now())',
    [caller.staffId],
  );
  const mine = new Set(own.map((row) => row.id));
  return new Set(
    sources
      .filter(
        ({ ids, admins }) =>
          (admins === null || (mine.has(admins) && !caller.application)) && !ids.some((id) => beyond.has(id)),
      )
      .map((source) => source.root),
  );
}

/** The part of the grants that the caller does not hold; what the release does not have (any more) is left out. */
export async function missingOf(db: Executor, caller: Caller, grants: Grants): Promise<MissingRight[]> {
  const beyond = grants.menus.filter((menu) => !coversScope(caller, menu));
  const menus = [...new Set(beyond.map((menu) => menu.code))];
  const elements = [...new Set(grants.elements.filter((code) => !caller.elements.has(code)))];
  if (menus.length === 0 && elements.length === 0) return [];
  const titles = await run<{ code: string; zh: string; en: string }>(
    db,
    `SELECT code, title_zh AS zh, title_en AS en FROM menu WHERE code = ANY($1::text[]) AND built AND NOT retired
     UNION ALL
     SELECT e.code, m.title_zh || ' · ' || e.name_zh, m.title_en || ' · ' || e.name_en
       FROM element e JOIN menu m ON m.code = e.menu_code
      WHERE e.code = ANY($2::text[]) AND NOT e.retired AND m.built AND NOT m.retired`,
    [menus, elements],
  );
  const byCode = new Map(titles.map((title) => [title.code, title]));
  return [...menus, ...elements].flatMap((code) => {
    const title = byCode.get(code);
    return title ? [[title.zh, title.en, code] as const] : [];
  });
}

/**
 * The refusal (30101) that names rights the caller lacks; `data.missing` holds all codes. What it lacks although it holds
 * all of it are rights in another company.
 */
export function cannotGrant(missing: readonly MissingRight[], caller?: Caller): Refusal {
  const shown = missing.slice(0, 10);
  const more = missing.length > shown.length;
  const elsewhere = missing.some(
    ([, , code]) =>
      caller?.elements.has(code) || caller?.menus.get(code)?.some((scope) => scope.kind === 'all'),
  );
  return ruleBroken(
    [
      `不能授予自己没有的权限：${shown.map((one) => one[0]).join('、')}${more ? `等${missing.length}项` : ''}${elsewhere ? '。涉及其他公司的员工，请由平台管理员操作' : ''}`,
      `You cannot grant what you do not hold: ${shown.map((one) => one[1]).join(', ')}${more ? ` and ${missing.length - shown.length} more` : ''}${elsewhere ? '. Staff of another company would get them: a platform administrator has to do this' : ''}`,
    ],
    { missing: missing.map((one) => one[2]) },
  );
}

/** Keeps the members of a group after a change, for "who could do X at that time". */
export async function writeMemberHistory(
  tx: Tx,
  caller: Pick<Caller, 'staffId' | 'name'>,
  groupId: number,
  reason: string,
): Promise<void> {
  // The later of two changes waits here and then keeps both.
  await run(tx, 'SELECT 1 FROM permission_group WHERE id = $1 FOR NO KEY UPDATE', [groupId]);
  await writeHistory(tx, caller, { groupId, kind: 'member', reason });
}

/** True when the caller holds the menu at least as far as the grant would give it. */
export function coversScope(caller: Caller, menu: MenuGrant): boolean {
  const held: readonly MenuScope[] | undefined = caller.menus.get(menu.code);
  if (!held || held.length === 0) return false;
  if (held.some((scope) => scope.kind === 'all')) return true;
  const departments = heldDepartments(held);
  switch (menu.dataScope) {
    case 'self':
      return true;
    case 'depts':
      return menu.departmentIds.length > 0 && menu.departmentIds.every((id) => departments.has(id));
    default:
      // `dept` and `dept_tree` are relative to whoever gets them and can reach departments the caller does not see.
      return false;
  }
}

/** Departments whose rows the scopes let see. */
export function heldDepartments(held: readonly MenuScope[]): ReadonlySet<number> {
  return new Set(held.flatMap((scope) => (scope.kind === 'departments' ? scope.ids : [])));
}
