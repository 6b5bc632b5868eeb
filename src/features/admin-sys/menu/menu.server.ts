import { z } from 'zod';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { run, transaction, type Tx } from '../../../kernel/server/database.ts';
import { forbidden } from '../../../kernel/server/http/errors.ts';
import { defineRegistration, endpoint, type Call } from '../../../kernel/server/registration.ts';
import { createExportTask } from '../../../kernel/server/tasks/task-centre.ts';
import { endpointsByElement } from '../permission-group/authority-view.server.ts';
import {
  createElement,
  groupsWith,
  GROUPS_IN_SIGHT,
  listElements,
  removeElement,
  sightOf,
  updateElement,
} from './element-commands.server.ts';
import { menuManager } from './menu.contract.ts';
import { checkMenus } from './menu-check.server.ts';
import { createMenu, orderMenus, removeMenu, updateMenu } from './menu-commands.server.ts';
import type { MenuInput } from './menu-input.server.ts';
import { menuExport, menuImport } from './menu-transfer.server.ts';

const ROOT = '/admin/menu';
const READ = { code: 'menuManager' };
const of = (element: string) => ({ code: `menuManager:${element}` });
const version = z.number().int();

export const registration = defineRegistration({
  contract: menuManager,
  menus: ['menuManager'],
  elements: Object.fromEntries(
    Object.entries(menuManager.elements!).map(([element, label]) => [`menuManager:${element}`, label]),
  ),
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/tree`,
      title: ['菜单树', 'Tree of menus'],
      access: READ,
      handle: (call) => menusOf(call),
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/item`,
      title: ['新增菜单', 'Add a menu'],
      access: of('btn_add'),
      body: z.strictObject({
        parent: z.string().max(60).nullish(),
        ...loose([
          'code',
          'titleZh',
          'titleEn',
          'type',
          'url',
          'openIn',
          'icon',
          'sort',
          'hidden',
          'noCache',
          'subCache',
          'description',
        ]),
      }),
      handle: async (call) => {
        const hosts = await allowedHosts(call);
        const { parent, ...input } = call.body;
        const code = await changing(call, (tx) =>
          createMenu(tx, call, { ...given(input), parent: parent ?? null }, hosts),
        );
        return menuOf(call, code);
      },
    }),
    endpoint({
      method: 'PUT',
      path: `${ROOT}/item/:code`,
      title: ['编辑菜单', 'Edit a menu'],
      access: of('btn_edit'),
      body: z.strictObject({
        version,
        ...loose([
          'titleZh',
          'titleEn',
          'url',
          'openIn',
          'icon',
          'sort',
          'hidden',
          'noCache',
          'subCache',
          'description',
        ]),
      }),
      handle: async (call) => {
        const hosts = await allowedHosts(call);
        const { version: seen, ...input } = call.body;
        await changing(call, (tx) => updateMenu(tx, call, call.params.code!, seen, given(input), hosts));
        return menuOf(call, call.params.code!);
      },
    }),
    endpoint({
      method: 'DELETE',
      path: `${ROOT}/item/:code`,
      title: ['删除菜单', 'Delete a menu'],
      access: of('btn_del'),
      handle: async (call) => {
        await changing(call, (tx) => removeMenu(tx, call, call.params.code!));
        return true;
      },
    }),
    endpoint({
      method: 'PUT',
      path: `${ROOT}/order`,
      title: ['菜单排序', 'Order menus'],
      access: of('btn_edit'),
      body: z.strictObject({
        parent: z.string().max(60).nullable(),
        codes: z.array(z.string().max(60)).min(1).max(500),
      }),
      handle: async (call) => {
        await changing(call, (tx) => orderMenus(tx, call, call.body.parent, call.body.codes));
        return true;
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/item/:code/elements`,
      title: ['菜单的按钮', 'Elements of a menu'],
      access: READ,
      handle: ({ platform, caller, params }) =>
        listElements(platform.database.db, caller, params.code!, endpointsByElement(platform.registrations)),
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/item/:code/elements`,
      title: ['新增按钮', 'Add an element'],
      access: of('btn_element_add'),
      body: z.strictObject(loose(['code', 'type', 'name', 'nameEn', 'uri', 'method', 'description'])),
      handle: async (call) => {
        await changing(call, (tx) => createElement(tx, call, call.params.code!, given(call.body)));
        return true;
      },
    }),
    endpoint({
      method: 'PUT',
      path: `${ROOT}/element/:code`,
      title: ['编辑按钮', 'Edit an element'],
      access: of('btn_element_edit'),
      body: z.strictObject({ version, ...loose(['type', 'name', 'nameEn', 'uri', 'method', 'description']) }),
      handle: async (call) => {
        const { version: seen, ...input } = call.body;
        await changing(call, (tx) => updateElement(tx, call, call.params.code!, seen, given(input)));
        return true;
      },
    }),
    endpoint({
      method: 'DELETE',
      path: `${ROOT}/element/:code`,
      title: ['删除按钮', 'Delete an element'],
      access: of('btn_element_del'),
      handle: async (call) => {
        await changing(call, (tx) => removeElement(tx, call, call.params.code!));
        return true;
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/element/:code/groups`,
      title: ['持有按钮的角色', 'Groups with an element'],
      access: of('btn_element'),
      handle: ({ platform, caller, params }) => groupsWith(platform.database.db, caller, params.code!),
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/check`,
      title: ['自检', 'Check'],
      access: of('btn_check'),
      handle: ({ platform }) => checkMenus(platform),
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/export`,
      title: ['导出', 'Export'],
      access: of('btn_export'),
      handle: async ({ platform, caller, facts }) => {
        if (caller.tenantKind !== 3) throw forbidden();
        const taskId = await transaction(platform.database.db, async (tx) => {
          const id = await createExportTask(tx, caller, {
            source: 'menu',
            menu: 'menuManager',
            name: menuManager.title,
            query: {},
            language: facts.language,
          });
          await writeAudit(tx, {
            caller,
            facts,
            menu: 'menuManager',
            action: 'export',
            entity: 'menu',
            entityId: id,
          });
          return id;
        });
        return { taskId };
      },
    }),
  ],
  exports: [menuExport],
  imports: [menuImport],
});

/** Every menu of the release, own ones and retired ones, with its places in the tree. */
async function menusOf(
  { platform, caller }: Pick<Call, 'platform' | 'caller'>,
  code?: string,
): Promise<object[]> {
  const rows = await run<{ code: string; updatedAt: Date } & Record<string, unknown>>(
    platform.database.db,
    `SELECT m.code, m.title_zh AS "titleZh", m.title_en AS "titleEn", m.icon, m.type, m.url, m.open_in AS "openIn", m.description, m.hidden, m.no_cache AS "noCache", m.sub_cache AS "subCache",
            m.built_in AS "builtIn", m.retired, m.mode_of AS "modeOf", m.version, m.updated_at AS "updatedAt", u.name AS updater,
            (SELECT count(*) FROM element e WHERE e.menu_code = m.code AND NOT e.retired) AS elements,
            (SELECT count(*) FROM menu_grant x JOIN permission_group g ON g.id = x.group_id WHERE x.menu_code = m.code AND ${GROUPS_IN_SIGHT}) AS groups,
            coalesce((SELECT jsonb_agg(jsonb_build_object('parent', p.parent_code, 'route', p.route, 'inMenu', p.in_menu, 'sort', p.sort) ORDER BY p.in_menu DESC, p.id) FROM menu_place p WHERE p.menu_code = m.code), '[]') AS places
       FROM menu m LEFT JOIN staff u ON u.id = m.updated_by
      WHERE (m.built OR m.retired OR NOT m.built_in) AND ($1::text IS NULL OR m.code = $1)
      ORDER BY (SELECT min(p.sort) FROM menu_place p WHERE p.menu_code = m.code), m.code`,
    [code ?? null, ...sightOf(caller)],
  );
  const screens = new Map(
    platform.registrations.flatMap(({ contract }) =>
      contract ? [[contract.menu, `${contract.archetype}:${contract.name}`] as const] : [],
    ),
  );
  return rows.map((row) => ({
    id: row.code,
    ...row,
    component: screens.get(row.code) ?? '',
    updatedAt: isoInstant(row.updatedAt),
  }));
}

async function menuOf(call: Pick<Call, 'platform' | 'caller'>, code: string) {
  return (await menusOf(call, code))[0];
}

/** Runs a change of menus: here it counts with the next call, on other instances within a second. */
async function changing<T>(call: Pick<Call, 'platform'>, work: (tx: Tx) => Promise<T>): Promise<T> {
  const done = await transaction(call.platform.database.db, work);
  call.platform.changed('session');
  return done;
}

async function allowedHosts(call: Pick<Call, 'platform'>): Promise<string[]> {
  return (await call.platform.settings.list('jump.allowed_hosts')).map(String).filter(Boolean);
}

/** The rules of the form judge the values; here only the names are fixed. */
function loose(names: readonly string[]): Record<string, z.ZodOptional<z.ZodUnknown>> {
  return Object.fromEntries(names.map((name) => [name, z.unknown().optional()]));
}

function given(body: object): MenuInput {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}
