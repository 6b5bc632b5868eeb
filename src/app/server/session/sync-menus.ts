import { menuOfElement } from '../../../kernel/contract/resource.ts';
import { run, transaction, type Db, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { MENUS_OF_EVERYBODY } from '../../../domain/permission/effective-permissions.server.ts';
import type { Registration } from '../../../kernel/server/registration.ts';
import { notifyAllChanged } from '../../../kernel/server/people/session-changes.ts';
import { HOME, readCatalogue, type CatalogueMenu } from './menu-catalogue.ts';

/** What a synchronisation did. */
export interface SyncedMenus {
  readonly menus: number;
  readonly built: number;
  readonly elements: number;
  /** Anything visible changed; every open frame loads its menus again. */
  readonly changed: boolean;
}

/** One line of the list of routes. */
export interface RouteLine {
  readonly group: string;
  readonly code: string;
  readonly title: string;
  readonly route: string;
  readonly built: boolean;
}

/**
 * Brings menus, places and elements of this release into the database: new ones are added, vanished ones retired.
 * What staff changed (title, icon, order, hidden) stays. Built is a page that a service declares, a mode of such a
 * page, and a group with such a page. Throws when a service names a menu that the catalogue does not have.
 */
export async function syncMenus(
  db: Db,
  registrations: readonly Registration[],
  catalogue: readonly CatalogueMenu[] = readCatalogue(),
): Promise<SyncedMenus> {
  const built = builtMenus(registrations, catalogue);
  const elements = elementsOf(registrations);
  const known = new Set(catalogue.map((menu) => menu.code));
  for (const element of elements)
    if (!known.has(element.menu))
      throw new Error(`element ${element.code} belongs to no menu of the catalogue`);
  return await transaction(db, async (tx) => {
    // Two starting instances synchronise one after the other; readers are not held up.
    await run(tx, 'LOCK TABLE menu IN SHARE ROW EXCLUSIVE MODE');
    const before = await fingerprint(tx);
    await writeMenus(tx, catalogue, built);
    await writePlaces(tx, catalogue);
    await writeElements(tx, elements);
    const changed = (await fingerprint(tx)) !== before;
    if (changed) await notifyAllChanged(tx);
    return { menus: catalogue.length, built: built.size, elements: elements.length, changed };
  });
}

/** Every route of the menus with whether this release has a screen for it, in menu order. */
export async function routeReport(db: Executor): Promise<RouteLine[]> {
  return await run<RouteLine>(
    db,
    `SELECT coalesce(g.title_zh, '') AS "group", m.code, m.title_zh AS title, p.route, m.built
       FROM menu_place p JOIN menu m ON m.code = p.menu_code LEFT JOIN menu g ON g.code = p.parent_code
      WHERE NOT m.retired AND m.type <> 'dirt' ORDER BY p.sort, p.id`,
  );
}

interface ElementRow {
  readonly code: string;
  readonly menu: string;
  readonly zh: string;
  readonly en: string;
  readonly uri: string;
  readonly method: string;
}

function builtMenus(
  registrations: readonly Registration[],
  catalogue: readonly CatalogueMenu[],
): Set<string> {
  const byCode = new Map(catalogue.map((menu) => [menu.code, menu]));
  const built = new Set<string>([HOME]);
  for (const code of registrations.flatMap((service) => service.menus)) {
    if (!byCode.has(code))
      throw new Error(`a service has a screen for ${code}, which is no menu of the catalogue`);
    built.add(code);
  }
  // A mode comes with its screen; what everybody is let into has a page of its own, which has to be there.
  for (const menu of catalogue)
    if (menu.modeOf !== null && built.has(menu.modeOf) && !MENUS_OF_EVERYBODY.includes(menu.code))
      built.add(menu.code);
  // A set hands out what is added on the way: groups of groups are reached too.
  for (const code of built)
    for (const place of byCode.get(code)?.places ?? []) if (place.parent !== null) built.add(place.parent);
  return built;
}

function elementsOf(registrations: readonly Registration[]): ElementRow[] {
  const endpoints = registrations.flatMap((service) => service.endpoints);
  const rows = new Map<string, ElementRow>();
  for (const [code, label] of registrations.flatMap((service) => Object.entries(service.elements))) {
    const opened = endpoints.find(
      ({ access }) =>
        typeof access === 'object' &&
        ('code' in access ? access.code === code : 'anyOf' in access && access.anyOf.includes(code)),
    );
    rows.set(code, {
      code,
      menu: menuOfElement(code),
      zh: label[0],
      en: label[1],
      uri: opened ? `/api${opened.path}` : '',
      method: opened?.method ?? 'POST',
    });
  }
  return [...rows.values()];
}

async function writeMenus(
  tx: Tx,
  catalogue: readonly CatalogueMenu[],
  built: ReadonlySet<string>,
): Promise<void> {
  const rows = catalogue.map(({ places: _places, ...menu }) => ({ ...menu, built: built.has(menu.code) }));
  // An own menu whose code a release takes opened nothing before: who holds it has not been given the page.
  await run(
    tx,
    'DELETE FROM menu_grant g USING menu m WHERE m.code = g.menu_code AND NOT m.built_in AND m.code = ANY($1::text[])',
    [rows.map((row) => row.code)],
  );
  await run(
    tx,
    `INSERT INTO menu (code, title_zh, title_en, icon, type, no_cache, mode_of, owner_group, built)
     SELECT code, "titleZh", "titleEn", icon, type, "noCache", "modeOf", "ownerGroup", built
       FROM jsonb_to_recordset($1::jsonb) AS r (code text, "titleZh" text, "titleEn" text, icon text, type text,
              "noCache" boolean, "modeOf" text, "ownerGroup" smallint, built boolean)
     ON CONFLICT (code) DO UPDATE SET
       title_zh = CASE WHEN menu.renamed OR menu.updated_by IS NOT NULL THEN menu.title_zh ELSE excluded.title_zh END,
       title_en = CASE WHEN menu.renamed OR menu.updated_by IS NOT NULL THEN menu.title_en ELSE excluded.title_en END,
       icon = CASE WHEN menu.updated_by IS NULL THEN excluded.icon ELSE menu.icon END,
       no_cache = CASE WHEN menu.updated_by IS NULL THEN excluded.no_cache ELSE menu.no_cache END,
       type = excluded.type, mode_of = excluded.mode_of, owner_group = excluded.owner_group, built = excluded.built,
       built_in = true, retired = false`,
    [JSON.stringify(rows)],
  );
  await run(
    tx,
    'UPDATE menu SET retired = true, built = false WHERE built_in AND NOT retired AND code <> ALL($1::text[])',
    [catalogue.map((menu) => menu.code)],
  );
}

async function writePlaces(tx: Tx, catalogue: readonly CatalogueMenu[]): Promise<void> {
  const rows = catalogue.flatMap((menu) => menu.places.map((place) => ({ code: menu.code, ...place })));
  const places = `jsonb_to_recordset($1::jsonb) AS r (code text, parent text, route text, "inMenu" boolean, sort integer)`;
  const values = [JSON.stringify(rows)];
  // The order is written once: afterwards it belongs to the administrators.
  await run(
    tx,
    `INSERT INTO menu_place (menu_code, parent_code, route, in_menu, sort)
     SELECT code, parent, route, "inMenu", sort FROM ${places} ORDER BY sort
     ON CONFLICT (menu_code, coalesce(parent_code, '')) DO UPDATE SET route = excluded.route, in_menu = excluded.in_menu
      WHERE (menu_place.route, menu_place.in_menu) IS DISTINCT FROM (excluded.route, excluded.in_menu)`,
    values,
  );
  await run(
    tx,
    `DELETE FROM menu_place p USING menu m
      WHERE m.code = p.menu_code AND m.built_in
        AND NOT EXISTS (SELECT FROM ${places} WHERE r.code = p.menu_code AND coalesce(r.parent, '') = coalesce(p.parent_code, ''))`,
    values,
  );
}

async function writeElements(tx: Tx, elements: readonly ElementRow[]): Promise<void> {
  // The same for elements: a button somebody made up must not open calls that came later.
  await run(
    tx,
    'DELETE FROM element_grant g USING element e WHERE e.code = g.element_code AND NOT e.built_in AND e.code = ANY($1::text[])',
    [elements.map((element) => element.code)],
  );
  await run(
    tx,
    `INSERT INTO element (code, menu_code, name_zh, name_en, uri, method)
     SELECT code, menu, zh, en, uri, method
       FROM jsonb_to_recordset($1::jsonb) AS r (code text, menu text, zh text, en text, uri text, method text)
     ON CONFLICT (code) DO UPDATE SET
       name_zh = CASE WHEN element.updated_by IS NULL THEN excluded.name_zh ELSE element.name_zh END,
       name_en = CASE WHEN element.updated_by IS NULL THEN excluded.name_en ELSE element.name_en END,
       uri = excluded.uri, method = excluded.method, built_in = true, retired = false`,
    [JSON.stringify(elements)],
  );
  await run(
    tx,
    'UPDATE element SET retired = true WHERE built_in AND NOT retired AND code <> ALL($1::text[])',
    [elements.map((element) => element.code)],
  );
}

async function fingerprint(tx: Tx): Promise<string> {
  const rows = await run<{ hash: string | null }>(
    tx,
    `SELECT md5(string_agg(line, chr(10) ORDER BY line)) AS hash FROM (
       SELECT concat_ws('|', code, title_zh, title_en, icon, no_cache, mode_of, built, retired) AS line FROM menu
       UNION ALL SELECT concat_ws('|', menu_code, parent_code, route, in_menu) FROM menu_place
       UNION ALL SELECT concat_ws('|', code, retired) FROM element) lines`,
  );
  return rows[0]?.hash ?? '';
}
