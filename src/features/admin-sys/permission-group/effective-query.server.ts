import { textOf, type Label, type Language } from '../../../kernel/contract/label.ts';
import type { Caller, MenuScope } from '../../../kernel/server/people/caller.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { answerOf, type Call } from '../../../kernel/server/registration.ts';
import { MENUS_OF_EVERYBODY } from '../../../domain/permission/effective-permissions.server.ts';
import { menuTree, type MenuTreeNode, type PlacedMenu } from '../../frame/sign-in/menu-tree.rules.ts';
import { wireInstant } from './authority-endpoints.server.ts';
import { SCOPE_LABELS, type MenuGrant } from './grant-diff.rules.ts';
import { loadModel } from './load-model.server.ts';
import {
  givesEverything,
  heldGroups,
  permissionReader,
  permissionsOf,
  type HeldGroup,
  type PermissionModel,
} from './permission-model.server.ts';
import { covers, reachOf } from '../../../kernel/server/people/caller-rights.ts';
import { callerAmong } from './reach-rules.server.ts';
import { callerOfStaff } from './staff-caller.server.ts';

/** Where a right comes from, on the wire. */
export interface WireSource {
  readonly group: string;
  readonly groupId: string;
  /** Own group when the right is inherited from another one. */
  readonly through: string | null;
  readonly inherited: boolean;
  readonly kind: 'manual' | 'department';
  readonly memberKind: 'leader' | 'member';
  readonly until: string | null;
  /** Scope this source gives, in words; null for elements. */
  readonly scope: string | null;
}

type Ask = Pick<Call, 'platform' | 'facts'>;

/** Every menu a staff holds with its scope in words, number of elements and sources; at a past instant when given. */
export async function menusOfStaff(call: Ask, staffId: number, at: Date | undefined): Promise<object[]> {
  const { db } = call.platform.database;
  const model = await loadModel(db, { staffIds: [staffId], at });
  const { menus, elements } = permissionsOf(model, staffId);
  const reader = await sourceReader(db, model, staffId, call.facts.language);
  const rows = await run<{ code: string; title: string; titleEn: string; parent: string | null }>(
    db,
    `SELECT m.code, m.title_zh AS title, m.title_en AS "titleEn",
            (SELECT g.title_zh FROM menu_place p JOIN menu g ON g.code = p.parent_code WHERE p.menu_code = m.code ORDER BY p.id LIMIT 1) AS parent
       FROM menu m WHERE m.code = ANY($1::text[]) AND m.type <> 'dirt' ORDER BY m.owner_group, m.code`,
    [[...menus.keys()]],
  );
  return rows.map((row) => ({
    ...row,
    scope: reader.words(menus.get(row.code)!),
    elements: [...elements].filter((code) => code.startsWith(`${row.code}:`)).length,
    sources: reader.menu(row.code),
  }));
}

/** What a staff may do in one menu: allowed, scope, rows he sees now, elements, and where each comes from. */
export async function menuOfStaff(
  call: Call,
  staffId: number,
  menu: string,
  at: Date | undefined,
): Promise<object> {
  const { db } = call.platform.database;
  const model = await loadModel(db, { staffIds: [staffId], at });
  const { menus, elements } = permissionsOf(model, staffId);
  const reader = await sourceReader(db, model, staffId, call.facts.language);
  const title = await runOne<{ title: string; titleEn: string; modeOf: string | null }>(
    db,
    'SELECT title_zh AS title, title_en AS "titleEn", mode_of AS "modeOf" FROM menu WHERE code = $1',
    [menu],
  );
  const all = await run<{ code: string; name: string; nameEn: string }>(
    db,
    'SELECT code, name_zh AS name, name_en AS "nameEn" FROM element WHERE menu_code = $1 AND NOT retired ORDER BY code',
    [menu],
  );
  const scopes = menus.get(menu);
  const everybody = MENUS_OF_EVERYBODY.includes(menu);
  return {
    menu: { code: menu, title: title?.title ?? menu, titleEn: title?.titleEn ?? menu },
    allowed: scopes !== undefined || everybody,
    scope: scopes ? reader.words(scopes) : null,
    // A past date has past rights over rows of today: a number would mean nothing.
    rows: scopes && at === undefined ? await rowsSeen(call, staffId, menu) : null,
    modeOf: title?.modeOf ?? null,
    sources: reader.menu(menu),
    elements: all.map((element) => ({
      ...element,
      allowed: elements.has(element.code),
      sources: elements.has(element.code) ? reader.element(element.code) : [],
    })),
  };
}

/** Staff who hold an element or menu, among those the caller may look at. */
export async function staffWhoCan(
  call: Ask,
  code: string,
  only: ReadonlySet<number>,
  at: Date | undefined,
): Promise<object[]> {
  const { db } = call.platform.database;
  const model = await loadModel(db, { at });
  const read = permissionReader(model);
  const isElement = code.includes(':');
  const found: number[] = [];
  for (const id of model.staff.keys()) {
    if (!only.has(id)) continue;
    const { menus, elements } = read(id);
    if (isElement ? elements.has(code) : menus.has(code)) found.push(id);
  }
  const departments = await run<{ id: number; department: string | null; state: string }>(
    db,
    'SELECT s.id, d.name AS department, s.state FROM staff s LEFT JOIN department d ON d.id = s.department_id WHERE s.id = ANY($1::bigint[])',
    [found],
  );
  const facts = new Map(departments.map((row) => [row.id, row]));
  const names = await departmentNames(db, model);
  return found
    .map((id) => {
      const reader = readSources(model, id, call.facts.language, names);
      const staff = model.staff.get(id)!;
      return {
        id: String(id),
        name: staff.name,
        account: staff.account,
        department: facts.get(id)?.department ?? null,
        state: facts.get(id)?.state ?? 'normal',
        sources: isElement ? reader.element(code) : reader.menu(code),
      };
    })
    .sort((a, b) => a.name.localeCompare(b.name, 'zh'));
}

/** The side menu and the element list of a staff as he has them, without any data. */
export async function previewAs(
  db: Executor,
  staffId: number,
): Promise<{ menus: readonly MenuTreeNode[]; elements: object[] }> {
  const model = await loadModel(db, { staffIds: [staffId] });
  const { menus, elements } = permissionsOf(model, staffId);
  const places = await run<PlacedMenu>(
    db,
    `SELECT m.code, m.title_zh AS title, m.title_en AS "titleEn", m.icon, m.type, m.hidden OR NOT p.in_menu AS hidden,
            m.no_cache AS "noCache", CASE WHEN m.type = 'link' THEN '/link/' || m.code ELSE p.route END AS path, m.url, m.open_in AS "openIn", p.parent_code AS parent
       FROM menu_place p JOIN menu m ON m.code = p.menu_code
      WHERE m.code = ANY($1::text[]) AND m.built AND NOT m.retired ORDER BY p.sort, p.id`,
    [[...menus.keys(), ...MENUS_OF_EVERYBODY]],
  );
  const rows = await run<{ code: string; menu: string; name: string; nameEn: string }>(
    db,
    'SELECT code, menu_code AS menu, name_zh AS name, name_en AS "nameEn" FROM element WHERE code = ANY($1::text[]) ORDER BY code',
    [[...elements]],
  );
  return { menus: menuTree(places), elements: rows };
}

interface SourceReader {
  words(scopes: readonly MenuScope[]): string;
  menu(code: string): WireSource[];
  element(code: string): WireSource[];
}

async function sourceReader(
  db: Executor,
  model: PermissionModel,
  staffId: number,
  language: Language,
): Promise<SourceReader> {
  return readSources(model, staffId, language, await departmentNames(db, model));
}

function readSources(
  model: PermissionModel,
  staffId: number,
  language: Language,
  names: ReadonlyMap<number, string>,
): SourceReader {
  const staff = model.staff.get(staffId);
  const held = heldGroups(model, staffId);
  const modes = new Map(model.menus.map((menu) => [menu.code, menu]));
  const comma = textOf(['、', ', '], language);
  const listed = (ids: readonly number[]) => ids.map((id) => names.get(id) ?? String(id)).join(comma);
  const grantWords = (grant: MenuGrant): string => {
    const word = textOf(SCOPE_LABELS[grant.dataScope], language);
    return grant.dataScope === 'depts'
      ? `${word}${textOf(['：', ': '], language)}${listed(grant.departmentIds)}`
      : word;
  };
  const wire = (one: HeldGroup, scope: string | null): WireSource => ({
    group: one.group.name,
    groupId: String(one.group.id),
    through: one.through.id === one.group.id ? null : one.through.name,
    inherited: one.through.id !== one.group.id,
    kind: one.source,
    memberKind: one.memberKind,
    until: wireInstant(one.expiresAt),
    scope,
  });
  const everything = (one: HeldGroup) => staff !== undefined && givesEverything(one.group, staff);
  const menu = (code: string): WireSource[] => {
    const direct = held.flatMap((one) => {
      if (everything(one)) return [wire(one, textOf(SCOPE_LABELS.all, language))];
      const grant = model.grants.get(one.group.id)?.menus.find((entry) => entry.code === code);
      return grant ? [wire(one, grantWords(grant))] : [];
    });
    const owner = modes.get(code)?.modeOf;
    return direct.length === 0 && owner ? menu(owner) : direct;
  };
  return {
    menu,
    element: (code) =>
      held
        .filter((one) => everything(one) || model.grants.get(one.group.id)?.elements.includes(code))
        .map((one) => wire(one, null)),
    words: (scopes) =>
      scopes
        .map((scope) =>
          scope.kind === 'all'
            ? textOf(SCOPE_LABELS.all, language)
            : scope.kind === 'self'
              ? textOf(SCOPE_LABELS.self, language)
              : textOf(departmentWords(listed(scope.ids)), language),
        )
        .join(textOf(['；', '; '], language)),
  };
}

function departmentWords(names: string): Label {
  return names === '' ? ['无部门', 'No department'] : [`部门：${names}`, `Departments: ${names}`];
}

async function departmentNames(db: Executor, model: PermissionModel): Promise<ReadonlyMap<number, string>> {
  const rows = await run<{ id: number; name: string }>(
    db,
    'SELECT id, name FROM department WHERE id = ANY($1::bigint[])',
    [[...model.departments.keys()]],
  );
  return new Map(rows.map((row) => [row.id, row.name]));
}

/**
 * Asks the menu's own list, as that staff, how many rows there are; null where the menu is no list, and where the reader does
 * not see all of these rows itself: a number tells of them too.
 */
async function rowsSeen(
  call: Call,
  staffId: number,
  menu: string,
): Promise<{ total: number; capped: boolean } | null> {
  const service = call.platform.registrations.find(
    (one) => one.contract?.archetype === 'resource' && one.contract.menu === menu,
  );
  if (service?.contract?.archetype !== 'resource') return null;
  const root = `${service.contract.base ?? '/jinmao/web'}/${service.contract.name}`;
  const list = service.endpoints.find((one) => one.method === 'GET' && one.path === `${root}/page`);
  const caller: Caller | undefined = await callerOfStaff(call.platform.database.db, staffId);
  if (!list || !caller || !(await seesRowsOf(call, caller, menu))) return null;
  const answer = answerOf(
    await list.handle({
      ...call,
      caller,
      params: {},
      query: { page: '1', limit: '1' },
      body: undefined,
    } as Call<never, never>),
  ) as { total: number; totalCapped?: boolean };
  return { total: answer.total, capped: answer.totalCapped === true };
}

async function seesRowsOf(call: Call, other: Caller, menu: string): Promise<boolean> {
  const { caller, platform } = call;
  const among = await callerAmong(platform.database.db, { platform, caller }, [other.tenantId]);
  const theirs = reachOf(other, menu);
  // "Own rows" are others' for each person.
  const own = theirs.scopes.some((scope) => scope.kind === 'self') && other.staffId !== caller.staffId;
  const mine = reachOf(among, menu);
  const seesAll = mine.scopes.some((scope) => scope.kind === 'all');
  return mine.scopes.length > 0 && (!own || seesAll) && covers(mine, theirs);
}
