import { menuOfElement } from '../../../kernel/contract/resource.ts';
import { run } from '../../../kernel/server/database.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { MENUS_OF_EVERYBODY } from '../../../domain/permission/effective-permissions.server.ts';
import { endpointsByElement } from '../permission-group/authority-view.server.ts';

/** One thing the check found, with the menu to open. */
export interface MenuFinding {
  readonly kind: 'elementWithoutEndpoint' | 'endpointWithoutElement' | 'menuWithoutHolder' | 'titleMissing';
  readonly code: string;
  readonly menu: string | null;
  readonly title: string;
  readonly titleEn: string;
}

/** Looks for elements that open nothing, calls that need an unknown right, menus nobody holds and missing titles. */
export async function checkMenus(platform: Platform): Promise<MenuFinding[]> {
  const { db } = platform.database;
  const opened = endpointsByElement(platform.registrations);
  const menus = await run<{
    code: string;
    zh: string;
    en: string;
    held: boolean;
    mode: boolean;
    type: string;
  }>(
    db,
    `SELECT m.code, m.title_zh AS zh, m.title_en AS en, m.type, m.mode_of IS NOT NULL AS mode,
            EXISTS (SELECT 1 FROM menu_grant g JOIN permission_group p ON p.id = g.group_id AND p.enabled WHERE g.menu_code = m.code) AS held
       FROM menu m WHERE m.built AND NOT m.retired ORDER BY m.owner_group, m.code`,
  );
  const elements = await run<{ code: string; menu: string; zh: string; en: string }>(
    db,
    `SELECT e.code, e.menu_code AS menu, e.name_zh AS zh, e.name_en AS en FROM element e JOIN menu m ON m.code = e.menu_code AND m.built AND NOT m.retired WHERE NOT e.retired ORDER BY e.code`,
  );
  const known = new Set([...menus, ...elements].map((row) => row.code));
  const findings: MenuFinding[] = [];
  const add = (
    kind: MenuFinding['kind'],
    code: string,
    menu: string | null,
    title: string,
    titleEn: string,
  ) => findings.push({ kind, code, menu, title, titleEn });
  for (const element of elements)
    if (!opened.has(element.code))
      add('elementWithoutEndpoint', element.code, element.menu, element.zh, element.en);
  for (const [code, calls] of opened)
    if (!known.has(code))
      for (const call of calls)
        add(
          'endpointWithoutElement',
          code,
          known.has(menuOfElement(code)) ? menuOfElement(code) : null,
          call,
          call,
        );
  for (const menu of menus)
    if (!menu.held && !menu.mode && menu.type !== 'dirt' && !MENUS_OF_EVERYBODY.includes(menu.code))
      add('menuWithoutHolder', menu.code, menu.code, menu.zh, menu.en);
  for (const row of [...menus.map((menu) => ({ ...menu, menu: menu.code })), ...elements])
    if (row.zh.trim() === '' || row.en.trim() === '' || HAN.test(row.en))
      add('titleMissing', row.code, row.menu, row.zh || row.en, row.en || row.zh);
  return findings;
}

const HAN = /[\u4e00-\u9fff]/;
