import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Registration } from '../../../kernel/server/registration.ts';
import type { GrantDifference, Grants, MenuGrant } from './grant-diff.rules.ts';
import { DATA_SCOPES } from './grant-diff.rules.ts';
import type { CheckedGrants } from './authority-commands.server.ts';
import { offeredCodes, onlyOffered } from './authority-commands.server.ts';
import { coversScope, grantsOf, heldDepartments, inheritedGrants, NO_GRANTS } from './grant-rules.server.ts';
import { isPlatformAdmins, type GroupRow } from './group-access.server.ts';
import { rightTitles } from './own-right.server.ts';
import { granterOf } from './reach-rules.server.ts';
import { loadModel } from './load-model.server.ts';
import { permissionReader, scopesKey, withGroup, type PermissionModel } from './permission-model.server.ts';
import { staffOfGroups } from '../../../domain/permission/effective-permissions.server.ts';

/** What the dialog shows of a group: every right that can be given, what the caller may give, what the group has. */
export async function authorityOf(platform: Platform, caller: Caller, group: GroupRow): Promise<object> {
  const { db } = platform.database;
  const [granter, nodes, elements, departments, grants, inherited, offered] = await Promise.all([
    granterOf(db, { platform, caller }, { groupIds: [group.id] }),
    menuNodes(db),
    elementRows(db),
    run<{ id: number; title: string; parentId: number | null }>(
      db,
      'SELECT id, name AS title, parent_id AS "parentId" FROM department WHERE tenant_id = $1 ORDER BY sort, id',
      [group.tenantId],
    ),
    grantsOf(db, group.id),
    group.parentId === null ? NO_GRANTS : inheritedGrants(db, group.parentId),
    offeredCodes(db),
  ]);
  const opened = endpointsByElement(platform.registrations);
  const own = onlyOffered(grants, offered);
  return {
    group: {
      id: String(group.id),
      name: group.name,
      version: group.version,
      inherit: group.inherit,
      hasParent: group.parentId !== null,
      readOnly: isPlatformAdmins(group),
    },
    menus: nodes.map((node) => ({ ...node, may: mayGive(granter, node.code) })),
    elements: elements.map((element) => ({
      ...element,
      held: granter.elements.has(element.code),
      endpoints: opened.get(element.code) ?? [],
    })),
    departments: departments.map((one) => ({
      id: String(one.id),
      title: one.title,
      parentId: one.parentId === null ? null : String(one.parentId),
    })),
    // Held, but not to be given to staff of another company.
    elsewhere: nodes
      .map((node) => node.code)
      .filter((code) => caller.menus.has(code) && !granter.menus.has(code)),
    granted: wireGrants(own),
    inherited: wireGrants(onlyOffered(inherited, offered)),
  };
}

/** Grants on the wire: ids are texts. */
export function wireGrants(grants: Grants) {
  return { menus: grants.menus.map(wireMenu), elements: grants.elements };
}

/** What a wish would change, in words, with the number of staff who gain or lose each right. */
export async function previewOf(db: Executor, group: GroupRow, checked: CheckedGrants): Promise<object> {
  const { difference, inherit } = checked;
  const staffIds = await staffOfGroups(db, [group.id]);
  const before = await loadModel(db, { staffIds });
  const after = withGroup(before, group.id, {
    grants: mergeHidden(before.grants.get(group.id), checked),
    ...(inherit === undefined ? {} : { inherit }),
  });
  const codes = codesOf(difference);
  const counts = countStaff(before, after, staffIds);
  const titles = await rightTitles(db, [...new Set([...codes, ...counts.keys()])]);
  const name = (code: string) => ({
    code,
    title: titles.get(code)?.[0] ?? code,
    titleEn: titles.get(code)?.[1] ?? code,
    gain: counts.get(code)?.gain ?? 0,
    lose: counts.get(code)?.lose ?? 0,
    changed: counts.get(code)?.changed ?? 0,
  });
  const scopes = (direction: string) =>
    difference.scopes
      .filter((change) => change.direction === direction)
      .map((change) => ({
        ...name(change.code),
        before: wireMenu(change.before),
        after: wireMenu(change.after),
      }));
  const listed = new Set(codes);
  return {
    version: group.version,
    staff: staffIds.length,
    added: [
      ...difference.addedMenus.map((menu) => ({ ...name(menu.code), kind: 'menu', after: wireMenu(menu) })),
      ...difference.addedElements.map((code) => ({ ...name(code), kind: 'element' })),
    ],
    removed: [
      ...difference.removedMenus.map((menu) => ({
        ...name(menu.code),
        kind: 'menu',
        before: wireMenu(menu),
      })),
      ...difference.removedElements.map((code) => ({ ...name(code), kind: 'element' })),
    ],
    widened: scopes('wider'),
    narrowed: scopes('narrower'),
    rescoped: scopes('other'),
    inherit: inherit ?? null,
    // Rights that come or go with a menu, or by the switch, without being listed themselves.
    followed: [...counts.keys()]
      .filter((code) => !listed.has(code) && !(counts.get(code)!.gain === 0 && counts.get(code)!.lose === 0))
      .sort()
      .map(name),
    missing: checked.missing.map(([title, titleEn, code]) => ({ code, title, titleEn })),
    reasonRequired: checked.needsReason,
  };
}

/** Calls each element opens, `METHOD /api/path`, out of the server's own list. */
export function endpointsByElement(
  registrations: readonly Registration[],
): ReadonlyMap<string, readonly string[]> {
  const known = opens.get(registrations);
  if (known) return known;
  const found = new Map<string, string[]>();
  const add = (code: string, call: string): void => {
    const list = found.get(code) ?? [];
    list.push(call);
    found.set(code, list);
  };
  for (const { access, method, path } of registrations.flatMap((service) => service.endpoints)) {
    if (typeof access === 'string' || 'program' in access) continue;
    for (const code of 'code' in access ? [access.code] : access.anyOf) add(code, `${method} /api${path}`);
  }
  // Reveal and import have one path for everything and check the element themselves.
  for (const service of registrations) {
    if (service.reveal) add(service.reveal.element, 'GET /api/jinmao/dataDecryption');
    for (const target of service.imports ?? [])
      add(`${target.menu}:${target.element}`, `POST /api/jinmao/web/importTask/${target.source}/commit`);
  }
  opens.set(registrations, found);
  return found;
}

/** A menu of the tree with the one above it; pages that are a mode of another hang below it. */
export interface MenuNodeRow {
  readonly code: string;
  readonly parent: string | null;
  readonly title: string;
  readonly titleEn: string;
  readonly type: string;
  readonly modeOf: string | null;
}

/** Every menu that can be given, in menu order, each at its first place. */
export async function menuNodes(db: Executor): Promise<MenuNodeRow[]> {
  return run<MenuNodeRow>(
    db,
    `SELECT m.code, coalesce(o.code, p.parent_code) AS parent, m.title_zh AS title, m.title_en AS "titleEn", m.type, m.mode_of AS "modeOf"
       FROM menu m
       LEFT JOIN menu o ON o.code = m.mode_of AND o.built AND NOT o.retired
       LEFT JOIN LATERAL (SELECT * FROM menu_place WHERE menu_code = m.code ORDER BY in_menu DESC, id LIMIT 1) p ON true
      WHERE m.built AND NOT m.retired AND m.code <> 'dashboard'
      ORDER BY p.sort NULLS LAST, m.code`,
  );
}

const opens = new WeakMap<readonly Registration[], ReadonlyMap<string, readonly string[]>>();

async function elementRows(db: Executor) {
  return run<{
    code: string;
    menu: string;
    name: string;
    nameEn: string;
    type: string;
    method: string;
    uri: string;
  }>(
    db,
    `SELECT e.code, e.menu_code AS menu, e.name_zh AS name, e.name_en AS "nameEn", e.type, e.method, e.uri
       FROM element e JOIN menu m ON m.code = e.menu_code AND m.built AND NOT m.retired AND m.code <> 'dashboard'
      WHERE NOT e.retired ORDER BY e.menu_code, e.code`,
  );
}

/** Scopes of a menu the caller can give: words, and the departments when only some of them can be named. */
function mayGive(
  caller: Caller,
  code: string,
): { scopes: readonly string[]; departments: readonly string[] | null } {
  const held = caller.menus.get(code);
  if (!held) return { scopes: [], departments: [] };
  const all = held.some((scope) => scope.kind === 'all');
  const departments = heldDepartments(held);
  const scopes = DATA_SCOPES.filter((dataScope) =>
    dataScope === 'depts'
      ? all || departments.size > 0
      : coversScope(caller, { code, dataScope, departmentIds: [] }),
  );
  return { scopes, departments: all ? null : [...departments].map(String) };
}

function wireMenu(menu: MenuGrant) {
  return { code: menu.code, dataScope: menu.dataScope, departmentIds: menu.departmentIds.map(String) };
}

function codesOf(difference: GrantDifference): string[] {
  return [
    ...[...difference.addedMenus, ...difference.removedMenus].map((menu) => menu.code),
    ...difference.scopes.map((change) => change.code),
    ...difference.addedElements,
    ...difference.removedElements,
  ];
}

// Rights that are not offered stay in the group whatever is saved.
function mergeHidden(stored: Grants | undefined, checked: CheckedGrants): Grants {
  const shown = new Set([...checked.before.menus.map((menu) => menu.code), ...checked.before.elements]);
  return {
    menus: [...checked.after.menus, ...(stored?.menus ?? []).filter((menu) => !shown.has(menu.code))],
    elements: [...checked.after.elements, ...(stored?.elements ?? []).filter((code) => !shown.has(code))],
  };
}

interface StaffCount {
  gain: number;
  lose: number;
  /** Still held, with other rows. */
  changed: number;
}

function countStaff(
  before: PermissionModel,
  after: PermissionModel,
  staffIds: readonly number[],
): Map<string, StaffCount> {
  const counts = new Map<string, StaffCount>();
  const of = (code: string): StaffCount => {
    const known = counts.get(code) ?? { gain: 0, lose: 0, changed: 0 };
    counts.set(code, known);
    return known;
  };
  const readBefore = permissionReader(before);
  const readAfter = permissionReader(after);
  for (const staffId of staffIds) {
    const old = readBefore(staffId);
    const now = readAfter(staffId);
    for (const code of old.menus.keys()) if (!now.menus.has(code)) of(code).lose++;
    for (const [code, scopes] of now.menus) {
      if (!old.menus.has(code)) of(code).gain++;
      else if (scopesKey(scopes) !== scopesKey(old.menus.get(code))) of(code).changed++;
    }
    for (const code of old.elements) if (!now.elements.has(code)) of(code).lose++;
    for (const code of now.elements) if (!old.elements.has(code)) of(code).gain++;
  }
  return counts;
}
