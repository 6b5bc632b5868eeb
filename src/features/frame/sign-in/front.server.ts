import { run, runOne } from '../../../kernel/server/database.ts';
import { loggedOut } from '../../../kernel/server/http/errors.ts';
import { setFileCookie } from '../../../kernel/server/files/file-ticket.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { defineRegistration, endpoint } from '../../../kernel/server/registration.ts';
import { MENUS_OF_EVERYBODY } from '../../../domain/permission/effective-permissions.server.ts';
import { signInWaysOf } from '../profile/sign-in-ways.server.ts';
import { menuTree, type PlacedMenu } from './menu-tree.rules.ts';
import { hasOneTimePassword } from '../../../domain/staff-account/set-password.server.ts';

/** What the frame loads once after sign-in: who is signed in, the permitted menus, all titles. */
export const registration = defineRegistration({
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/admin/user/front/info',
      title: ['当前用户', 'Who is signed in'],
      access: 'restricted',
      handle: async ({ platform, caller, request, reply }) => {
        const { db } = platform.database;
        const staff = await runOne<OwnRow>(
          db,
          'SELECT s.description, s.photo_id, s.staff_no, n.name AS tenant FROM staff s JOIN tenant n ON n.id = s.tenant_id WHERE s.id = $1',
          [caller.staffId],
        );
        if (!staff) throw loggedOut();
        const menus = await run<MenuRow>(db, HELD_MENUS, [[...caller.menus.keys(), ...MENUS_OF_EVERYBODY]]);
        setFileCookie(platform.config, caller, request, reply);
        return {
          id: String(caller.staffId),
          name: caller.name,
          username: caller.account,
          avatar: staff.photo_id === null ? null : `/api/file/${staff.photo_id}`,
          description: staff.description,
          ...(staff.staff_no === null ? {} : { staffNumber: staff.staff_no }),
          settings: await frameSettings(platform),
          tenantId: String(caller.tenantId),
          tenantType: caller.tenantKind,
          tenantName: staff.tenant,
          mustChangePassword: caller.mustChangePassword,
          ...(caller.mustChangePassword && (await hasOneTimePassword(db, caller.staffId))
            ? { oneTimePassword: true }
            : {}),
          ...(caller.mustChangePassword ? { signInWays: await signInWaysOf(db, caller.staffId) } : {}),
          menus: menus.map((menu) => ({
            code: menu.code,
            menu: menu.title_zh,
            titleEn: menu.title_en,
            method: 'GET',
            name: menu.code,
            type: menu.type,
            uri: menu.uri ?? '',
            meta: { title: menu.title_zh, noCache: menu.no_cache, subCache: menu.sub_cache },
            noCache: menu.no_cache,
            subCache: menu.sub_cache,
            modeOf: menu.mode_of,
          })),
          elements: [...caller.elements].sort().map((code) => ({ code })),
        };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/user/front/menus',
      title: ['有权限的菜单', 'Permitted menus'],
      access: 'staff',
      handle: async ({ platform, caller }) => {
        const rows = await run<PlacedMenu>(platform.database.db, PLACES, [
          [...caller.menus.keys(), ...MENUS_OF_EVERYBODY],
        ]);
        return menuTree(rows);
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/user/front/menu/all',
      title: ['全部菜单', 'All menus'],
      access: 'staff',
      handle: async ({ platform }) =>
        await run(
          platform.database.db,
          `SELECT code, title_zh AS title, title_en AS "titleEn", CASE WHEN hidden THEN 'hidden' ELSE icon END AS icon
             FROM menu WHERE built AND NOT retired ORDER BY code`,
        ),
    }),
  ],
});

/** Settings of the frame the page works with. */
async function frameSettings(platform: Platform): Promise<Readonly<Record<string, string | number>>> {
  return {
    'frame.tabs.live_max': await platform.settings.number('frame.tabs.live_max'),
    'frame.lock.idle_minutes': await platform.settings.number('frame.lock.idle_minutes'),
    'frame.watermark': await platform.settings.text('frame.watermark'),
  };
}

interface OwnRow {
  readonly description: string;
  readonly photo_id: string | null;
  readonly staff_no: string | null;
  readonly tenant: string;
}

interface MenuRow {
  readonly code: string;
  readonly title_zh: string;
  readonly title_en: string;
  readonly type: string;
  readonly no_cache: boolean;
  readonly sub_cache: boolean;
  readonly mode_of: string | null;
  readonly uri: string | null;
}

const HELD_MENUS = `
  SELECT m.code, m.title_zh, m.title_en, m.type, m.no_cache, m.sub_cache, m.mode_of,
         coalesce(nullif(m.url, ''), (SELECT p.route FROM menu_place p WHERE p.menu_code = m.code ORDER BY p.in_menu DESC, p.id LIMIT 1)) AS uri
    FROM menu m WHERE m.code = ANY($1::text[]) AND m.built AND NOT m.retired ORDER BY m.code`;

const PLACES = `
  SELECT m.code, m.title_zh AS title, m.title_en AS "titleEn", m.icon, m.type, m.hidden OR NOT p.in_menu AS hidden,
         m.no_cache AS "noCache", CASE WHEN m.type = 'link' THEN '/link/' || m.code ELSE p.route END AS path, m.url, m.open_in AS "openIn", p.parent_code AS parent
    FROM menu_place p JOIN menu m ON m.code = p.menu_code
   WHERE m.code = ANY($1::text[]) AND m.built AND NOT m.retired
   ORDER BY p.sort, p.id`;
