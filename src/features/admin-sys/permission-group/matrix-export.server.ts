import { AsyncLocalStorage } from 'node:async_hooks';
import { textOf, type Label, type Language } from '../../../kernel/contract/label.ts';
import { holds, type Caller } from '../../../kernel/server/people/caller.ts';
import { run } from '../../../kernel/server/database.ts';
import type { ExportSource } from '../../../kernel/server/registration.ts';
import { EVERY_ROW } from '../../../kernel/server/tasks/task-centre.ts';
import { isOnlyLeader, isPlatformAdmins, type GroupMenu } from './group-access.server.ts';
import { menuNodes } from './authority-view.server.ts';
import { SCOPE_LABELS, type DataScope } from './grant-diff.rules.ts';
import { groupsOf, type WireGroup } from './group-tree.server.ts';

/**
 * The permission matrix: a row per menu and element, a column per group, a cell says the data scope.
 * The columns depend on the caller; the kernel asks for them after `count` of the same export, in the same asynchronous
 * context, which carries the groups from there.
 */
export function matrixExport(source: string, menu: GroupMenu): ExportSource {
  return {
    source,
    columns: (language) => [
      { title: textOf(MENU, language), kind: 'text' },
      { title: textOf(ELEMENT, language), kind: 'text' },
      { title: textOf(CODE, language), kind: 'text' },
      ...(columns.getStore()?.groups ?? []).map((group) => ({ title: group.name, kind: 'text' as const })),
    ],
    count: (call, query) => {
      const store: Store = { groups: [] };
      columns.enterWith(store);
      return (async () => {
        store.groups = await groupsShown(call, menu, query);
        const rows = await run<{ n: number }>(
          call.platform.database.db,
          `SELECT (SELECT count(*) FROM menu m WHERE m.built AND NOT m.retired AND m.code <> 'dashboard')
                + (SELECT count(*) FROM element e JOIN menu m ON m.code = e.menu_code AND m.built AND NOT m.retired AND m.code <> 'dashboard' WHERE NOT e.retired) AS n`,
        );
        return rows[0]!.n;
      })();
    },
    // Whoever only leads sees the groups led at the moment; see groupsInSight.
    marks: async (call) => {
      if (!isOnlyLeader(call.caller)) return [EVERY_ROW];
      const groups = await groupsOf(call.platform.database.db, call.caller, { under: menu });
      return groups.map((group) => group.id);
    },
    async *read(call, query) {
      const groups = columns.getStore()?.groups ?? (await groupsShown(call, menu, query));
      const { db } = call.platform.replica;
      const ids = groups.map((group) => Number(group.id));
      const scopes = await run<{ id: number; code: string; scope: DataScope }>(
        db,
        'SELECT group_id AS id, menu_code AS code, data_scope AS scope FROM menu_grant WHERE group_id = ANY($1::bigint[])',
        [ids],
      );
      const given = await run<{ id: number; code: string }>(
        db,
        'SELECT group_id AS id, element_code AS code FROM element_grant WHERE group_id = ANY($1::bigint[])',
        [ids],
      );
      const scopeOf = new Map(scopes.map((one) => [`${one.id} ${one.code}`, one.scope]));
      const has = new Set(given.map((one) => `${one.id} ${one.code}`));
      const elements = await run<{ code: string; menu: string; zh: string; en: string }>(
        db,
        `SELECT code, menu_code AS menu, name_zh AS zh, name_en AS en FROM element WHERE NOT retired ORDER BY menu_code, code`,
      );
      const cell = (group: WireGroup, code: string, isMenu: boolean): string => {
        if (isPlatformAdmins({ code: group.code, builtIn: group.builtIn === true }))
          return textOf(isMenu ? SCOPE_LABELS.all : YES, call.language);
        if (!isMenu) return has.has(`${group.id} ${code}`) ? textOf(YES, call.language) : '';
        const scope = scopeOf.get(`${group.id} ${code}`);
        return scope ? textOf(SCOPE_LABELS[scope], call.language) : '';
      };
      for (const node of await menuNodes(db)) {
        const title = nameIn(call.language, node.title, node.titleEn);
        yield [
          [title, '', node.code, ...groups.map((group) => cell(group, node.code, true))],
          ...elements
            .filter((element) => element.menu === node.code)
            .map((element) => [
              title,
              nameIn(call.language, element.zh, element.en),
              element.code,
              ...groups.map((group) => cell(group, element.code, false)),
            ]),
        ];
      }
    },
  };
}

interface Store {
  groups: readonly WireGroup[];
}

const columns = new AsyncLocalStorage<Store>();
const MENU: Label = ['菜单', 'Menu'];
const ELEMENT: Label = ['按钮', 'Element'];
const CODE: Label = ['编码', 'Code'];
const YES: Label = ['有', 'Yes'];

/** Groups the menu shows to who holds the button there; of the worker's caller too, who may have lost it meanwhile. */
async function groupsShown(
  call: {
    caller: Parameters<typeof groupsOf>[1];
    platform: { database: { db: Parameters<typeof groupsOf>[0] } };
  },
  menu: GroupMenu,
  query: Readonly<Record<string, string>>,
): Promise<WireGroup[]> {
  if (!mayExportMatrix(call.caller, menu)) return [];
  const all = await groupsOf(call.platform.database.db, call.caller, { under: menu });
  return all.filter((group) => !query.type || group.type === query.type);
}

/** The right to export the groups of a menu. */
export function mayExportMatrix(caller: Caller, menu: GroupMenu): boolean {
  return holds(caller, `${menu}:btn_export`);
}

function nameIn(language: Language, zh: string, en: string): string {
  return textOf([zh, en], language);
}
