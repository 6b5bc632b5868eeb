import { isEmpty } from '../../../kernel/contract/input.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import type { Caller, RequestFacts } from '../../../kernel/server/people/caller.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { forbidden, invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { STALE } from '../../../kernel/server/resource/run-action.ts';
import { notifyAllChanged } from '../../../kernel/server/people/session-changes.ts';
import { menuFields, NEVER_HIDDEN } from './menu.contract.ts';
import { checked, type MenuInput } from './menu-input.server.ts';

/** Who changes menus. */
export interface Doing {
  readonly caller: Caller;
  readonly facts: RequestFacts;
}

export const CODE_EXISTS: Label = ['编码已存在', 'Code exists'];
const NOT_HIDDEN: Label = ['该菜单不能隐藏', 'This menu cannot be hidden'];
const BUILT_IN: Label = ['内置菜单不能删除', 'Built-in menu'];
const COLUMNS: Readonly<Record<string, string>> = {
  titleZh: 'title_zh',
  titleEn: 'title_en',
  icon: 'icon',
  hidden: 'hidden',
  noCache: 'no_cache',
  subCache: 'sub_cache',
  description: 'description',
  url: 'url',
  openIn: 'open_in',
};
const LINK_ONLY = ['url', 'openIn'];

/** Adds a directory or an outside link below a directory (or at the top); pages come with a release. */
export async function createMenu(
  tx: Tx,
  doing: Doing,
  input: MenuInput & { readonly parent?: string | null },
  hosts: readonly string[],
): Promise<string> {
  requirePlatform(doing.caller);
  const { parent: _parent, ...rest } = input;
  const values = checked(menuFields, Object.keys(menuFields), rest, false);
  if (values.type !== 'dirt' && values.type !== 'link')
    throw invalid({
      type: [
        '页面随版本提供，只能新增目录和外链',
        'Pages come with a release; only directories and links can be added',
      ],
    });
  requireUrl(values, String(values.type), hosts);
  const code = String(values.code);
  if (await runOne(tx, 'SELECT 1 FROM menu WHERE lower(code) = lower($1)', [code]))
    throw ruleBroken(CODE_EXISTS);
  const parent = input.parent ?? null;
  if (
    parent !== null &&
    !(await runOne(tx, `SELECT 1 FROM menu WHERE code = $1 AND type = 'dirt' AND built AND NOT retired`, [
      parent,
    ]))
  )
    throw invalid({ parent: ['请选择列表中的值', 'Please choose a value of the list'] });
  if (parent === null && values.type === 'link')
    throw invalid({ parent: ['请选择所在目录', 'Please choose the directory'] });
  const hidden = values.hidden === true || values.icon === 'hidden';
  await run(
    tx,
    `INSERT INTO menu (code, title_zh, title_en, icon, type, url, open_in, description, hidden, no_cache, sub_cache, built_in, built, renamed, updated_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, false, true, true, $12)`,
    [
      code,
      values.titleZh,
      values.titleEn,
      values.icon ?? '',
      values.type,
      values.url ?? '',
      values.openIn ?? 'window',
      values.description ?? '',
      hidden,
      values.noCache ?? false,
      values.subCache ?? false,
      doing.caller.staffId,
    ],
  );
  await run(
    tx,
    `INSERT INTO menu_place (menu_code, parent_code, route, sort)
     VALUES ($1, $2, $3, coalesce($4, (SELECT max(sort) + 10 FROM menu_place WHERE parent_code IS NOT DISTINCT FROM $2), 10))`,
    [code, parent, values.type === 'link' ? String(values.url) : `/${code}`, values.sort ?? null],
  );
  await writeAudit(tx, {
    ...doing,
    menu: 'menuManager',
    action: 'create',
    entity: 'menu',
    entityId: code,
    after: { ...values, parent },
  });
  await notifyAllChanged(tx);
  return code;
}

/** Changes titles, icon, order and switches of a menu; every open side menu follows within a second. */
export async function updateMenu(
  tx: Tx,
  doing: Doing,
  code: string,
  version: number,
  input: MenuInput,
  hosts: readonly string[],
): Promise<void> {
  requirePlatform(doing.caller);
  const menu = await lockMenu(tx, code);
  if (menu.version !== version) throw ruleBroken(STALE, { current: wireMenu(menu) });
  const names = [
    ...Object.keys(COLUMNS).filter((name) => !LINK_ONLY.includes(name) || menu.type === 'link'),
    'sort',
  ];
  const values = checked(menuFields, names, input, true);
  if (values.icon === 'hidden') values.hidden = true;
  if (values.hidden === true && !menu.hidden) await requireHideable(tx, code);
  if ('url' in values) requireUrl(values, menu.type, hosts);
  const set = Object.entries(values).filter(([name]) => name !== 'sort');
  const titles = 'titleZh' in values || 'titleEn' in values;
  await run(
    tx,
    `UPDATE menu SET ${set.map(([name], index) => `${COLUMNS[name]} = $${index + 4}, `).join('')}renamed = renamed OR $3, version = version + 1, updated_at = now(), updated_by = $2 WHERE code = $1`,
    [
      code,
      doing.caller.staffId,
      titles,
      ...set.map(([name, value]) => (isEmpty(value) && typeof value !== 'boolean' ? emptyOf(name) : value)),
    ],
  );
  if (typeof values.url === 'string')
    await run(tx, 'UPDATE menu_place SET route = $2 WHERE menu_code = $1', [code, values.url]);
  if (typeof values.sort === 'number')
    await run(
      tx,
      'UPDATE menu_place SET sort = $2 WHERE id = (SELECT id FROM menu_place WHERE menu_code = $1 ORDER BY in_menu DESC, id LIMIT 1)',
      [code, values.sort],
    );
  await writeAudit(tx, {
    ...doing,
    menu: 'menuManager',
    action: 'update',
    entity: 'menu',
    entityId: code,
    before: wireMenu(menu),
    after: values,
  });
  await notifyAllChanged(tx);
}

/** Deletes an own menu that has no menus below it and that no group holds; its elements go with it. */
export async function removeMenu(tx: Tx, doing: Doing, code: string): Promise<void> {
  requirePlatform(doing.caller);
  const menu = await lockMenu(tx, code);
  if (menu.built_in) throw ruleBroken(BUILT_IN);
  const children = await run<{ zh: string; en: string }>(
    tx,
    'SELECT m.title_zh AS zh, m.title_en AS en FROM menu_place p JOIN menu m ON m.code = p.menu_code WHERE p.parent_code = $1 ORDER BY p.sort',
    [code],
  );
  if (children.length > 0)
    throw ruleBroken(
      [
        `菜单下有子菜单：${children.map((row) => row.zh).join('、')}`,
        `Has menus below: ${children.map((row) => row.en).join(', ')}`,
      ],
      { children },
    );
  await requireUngranted(
    tx,
    [code],
    (await elementsOfMenu(tx, code)).map((row) => row.code),
  );
  await run(tx, 'DELETE FROM element WHERE menu_code = $1', [code]);
  await run(tx, 'DELETE FROM menu_place WHERE menu_code = $1', [code]);
  await run(tx, 'DELETE FROM menu WHERE code = $1', [code]);
  await writeAudit(tx, {
    ...doing,
    menu: 'menuManager',
    action: 'remove',
    entity: 'menu',
    entityId: code,
    before: wireMenu(menu),
  });
  await notifyAllChanged(tx);
}

/** Puts menus below one directory into the given order; the places they stood at are dealt out anew. */
export async function orderMenus(
  tx: Tx,
  doing: Doing,
  parent: string | null,
  codes: readonly string[],
): Promise<void> {
  requirePlatform(doing.caller);
  const places = await run<{ id: number; code: string; sort: number }>(
    tx,
    'SELECT id, menu_code AS code, sort FROM menu_place WHERE parent_code IS NOT DISTINCT FROM $1 ORDER BY sort, id FOR UPDATE',
    [parent],
  );
  const byCode = new Map(places.map((place) => [place.code, place]));
  if (new Set(codes).size !== codes.length || codes.some((code) => !byCode.has(code)))
    throw invalid({ codes: ['只能在同一目录内排序', 'Only menus of one directory can be put in order'] });
  // Menus that are not shown (modes, not built) keep their slots between the others.
  const wanted = new Set(codes);
  let next = 0;
  const order = places.map((place) => (wanted.has(place.code) ? codes[next++]! : place.code));
  const before = places.map((place) => place.code);
  if (order.join() === before.join()) return;
  // Equal numbers would leave the order to chance.
  const slots = places.map((place) => place.sort);
  for (let index = 1; index < slots.length; index++)
    if (slots[index]! <= slots[index - 1]!) slots[index] = slots[index - 1]! + 1;
  for (const [index, code] of order.entries())
    await run(tx, 'UPDATE menu_place SET sort = $2 WHERE id = $1', [byCode.get(code)!.id, slots[index]]);
  await writeAudit(tx, {
    ...doing,
    menu: 'menuManager',
    action: 'order',
    entity: 'menu',
    entityId: parent ?? '',
    before,
    after: order,
  });
  await notifyAllChanged(tx);
}

/** Refuses (30101) when groups hold one of the menus or elements, and names them. */
export async function requireUngranted(
  db: Executor,
  menus: readonly string[],
  elements: readonly string[],
): Promise<void> {
  const groups = await run<{ name: string }>(
    db,
    `SELECT DISTINCT g.name FROM permission_group g
      WHERE EXISTS (SELECT 1 FROM menu_grant mg WHERE mg.group_id = g.id AND mg.menu_code = ANY($1::text[]))
         OR EXISTS (SELECT 1 FROM element_grant eg WHERE eg.group_id = g.id AND eg.element_code = ANY($2::text[])) ORDER BY 1`,
    [menus, elements],
  );
  if (groups.length === 0) return;
  const names = groups.slice(0, 10).map((group) => group.name);
  throw ruleBroken([`已授权给角色：${names.join('、')}`, `Granted to groups: ${names.join(', ')}`], {
    groups: groups.map((group) => group.name),
  });
}

/** Menus belong to every tenant, so only platform staff change them. */
export function requirePlatform(caller: Caller): void {
  if (caller.tenantKind !== 3) throw forbidden();
}

/** Elements of a menu. */
export async function elementsOfMenu(
  db: Executor,
  code: string,
): Promise<{ code: string; built_in: boolean }[]> {
  return run(db, 'SELECT code, built_in FROM element WHERE menu_code = $1 ORDER BY code', [code]);
}

interface MenuRow {
  readonly code: string;
  readonly title_zh: string;
  readonly title_en: string;
  readonly icon: string;
  readonly type: string;
  readonly url: string;
  readonly open_in: string;
  readonly description: string;
  readonly hidden: boolean;
  readonly no_cache: boolean;
  readonly sub_cache: boolean;
  readonly built_in: boolean;
  readonly version: number;
}

async function lockMenu(tx: Tx, code: string): Promise<MenuRow> {
  const row = await runOne<MenuRow>(
    tx,
    'SELECT * FROM menu WHERE code = $1 AND (built OR retired OR NOT built_in) FOR UPDATE',
    [code],
  );
  if (!row) throw notFound();
  return row;
}

function wireMenu(menu: MenuRow) {
  const { code, icon, url, description, hidden, version } = menu;
  return {
    id: code,
    code,
    titleZh: menu.title_zh,
    titleEn: menu.title_en,
    icon,
    url,
    openIn: menu.open_in,
    description,
    hidden,
    noCache: menu.no_cache,
    subCache: menu.sub_cache,
    version,
  };
}

function emptyOf(name: string): unknown {
  if (name === 'openIn') return 'window';
  return name === 'hidden' || name === 'noCache' || name === 'subCache' ? false : '';
}

async function requireHideable(tx: Tx, code: string): Promise<void> {
  const above = await run<{ code: string }>(
    tx,
    `WITH RECURSIVE up AS (
       SELECT unnest($1::text[]) AS code
       UNION SELECT p.parent_code FROM menu_place p JOIN up ON p.menu_code = up.code WHERE p.parent_code IS NOT NULL)
     SELECT code FROM up`,
    [NEVER_HIDDEN],
  );
  if (above.some((row) => row.code === code)) throw ruleBroken(NOT_HIDDEN);
}

function requireUrl(values: Record<string, unknown>, type: string, hosts: readonly string[]): void {
  if (type !== 'link') return;
  const url = typeof values.url === 'string' ? values.url : '';
  if (url === '') throw invalid({ url: ['此项必填', 'This field is required'] });
  let host: string;
  try {
    host = new URL(url).hostname;
  } catch {
    throw invalid({ url: ['地址不正确', 'The address is not valid'] });
  }
  if (hosts.length > 0 && !hosts.includes(host))
    throw invalid({ url: ['该地址不在允许的范围内', 'This host is not allowed'] });
}
