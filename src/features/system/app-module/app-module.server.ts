import { z } from 'zod';
import { fill, type Label } from '../../../kernel/contract/label.ts';
import type { FileValue, RefValue } from '../../../kernel/contract/fields.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { checkAttachable } from '../../../kernel/server/files/files.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import {
  displayOrderOf,
  type DisplayItems,
  type PlacedItem,
} from '../../../domain/display-order/display-order.server.ts';
import {
  filteredProjects,
  projectsInReach,
  requireProjectsInReach,
} from '../../../domain/permission/project-reach.server.ts';
import { appModule } from './app-module.contract.ts';
import { PHONES, urlProblem, VERSION, visibleModules, type ModuleFacts } from './app-module.rules.ts';

const SCOPE = { tenant: 'none', project: 'none', owner: 't.created_by' } as const;
const LOGO = `(SELECT jsonb_build_object('id', f.id, 'name', f.name, 'type', f.type, 'size', f.size, 'url', '/api/file/' || f.id) FROM stored_file f WHERE f.id = t.logo_id)`;

/** Modules of the first level of the owners' app: what its home page shows, in an order of its own per project. */
const HOME: DisplayItems = {
  list: 'home_modules',
  type: 'appModule',
  read: async (db) => {
    const rows = await run<{ id: number; name: string; name_en: string }>(
      db,
      `SELECT id, name, name_en FROM app_module WHERE system = 'owner' AND parent_id IS NULL AND enabled ORDER BY position, id`,
    );
    return rows.map((row) => ({ id: String(row.id), title: [row.name, row.name_en] }));
  },
};

const bound = bindResource(appModule, {
  table: 'app_module',
  joins: {
    parent: { table: 'app_module', titleEn: 'name_en' },
    business: { table: 'business', titleEn: 'name_en' },
  },
  columns: { logo: LOGO },
  links: {
    projects: { table: 'app_module_project', own: 'app_module_id', other: 'project_id', to: 'project' },
  },
  filters: {
    projects: (value, parameters, caller) => {
      const ids = filteredProjects(caller, 'projects', value);
      if (ids.length === 0) return 'FALSE';
      // Modules of all projects are shown in each of them.
      return `(NOT EXISTS (SELECT FROM app_module_project p WHERE p.app_module_id = t.id)
        OR EXISTS (SELECT FROM app_module_project p WHERE p.app_module_id = t.id AND p.project_id = ANY(${parameters.bind(ids)}::bigint[])))`;
    },
  },
  usedBy: { app_module: ['下级模块', 'Modules below'] },
  unique: { app_module_code: ['编码已存在', 'Code exists'] },
  scope: SCOPE,
  search: `lower(t.name || ' ' || t.name_en || ' ' || t.code)`,
  present: async (rows, _db, caller) => {
    for (const row of rows)
      row.projects = projectsInReach(caller, (row.projects ?? []) as readonly RefValue[]);
  },
  before: [nameChildren, checkModule, keepHiddenProjects],
  also: { displayItems: [HOME] },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/appModule/preview',
      title: ['手机预览', 'Phone preview'],
      access: { code: 'sysTreeManager' },
      query: z.strictObject({
        system: z.enum(['owner', 'staff']),
        phone: z.enum(PHONES),
        version: z.string().regex(new RegExp(`^${VERSION.source}$`)),
        project: z
          .string()
          .regex(/^\d{1,15}$/)
          .optional(),
      }),
      handle: async ({ platform, caller, query }) => {
        const projectId = query.project === undefined ? undefined : Number(query.project);
        if (projectId !== undefined) requireProjectsInReach(caller, [projectId]);
        const parameters = new Parameters();
        const modules = await run<PreviewRow>(
          platform.database.db,
          `SELECT t.id, t.parent_id AS "parentId", t.enabled, t.ios_min AS "iosMin", t.android_min AS "androidMin", t.name, t.name_en AS "nameEn",
                  t.show_type AS "showType", t.needs_login AS "needsLogin", ${LOGO} AS logo,
                  CASE WHEN t.badge_until IS NULL OR t.badge_until > now() THEN t.badge ELSE '' END AS badge,
                  ARRAY(SELECT p.project_id FROM app_module_project p WHERE p.app_module_id = t.id) AS "projectIds"
             FROM app_module t WHERE t.system = ${parameters.bind(query.system)} AND ${scopeCondition(caller, appModule.menu, SCOPE, parameters)}
            ORDER BY t.position, t.id`,
          parameters.values,
        );
        const home =
          query.system === 'owner'
            ? await displayOrderOf(platform.database.db, platform, HOME.list, projectId ?? null)
            : [];
        const seen = visibleModules(placed(modules, home), {
          projectId,
          phone: query.phone,
          version: query.version,
        });
        return {
          modules: seen.map(
            ({ enabled: _enabled, iosMin: _ios, androidMin: _android, projectIds: _projects, ...one }) => ({
              ...one,
              id: String(one.id),
              parentId: one.parentId === null ? null : String(one.parentId),
            }),
          ),
        };
      },
    }),
  ],
});

/** App modules and what residents see of them. */
export const registration = bound.registration;

/** Modules of the first level in the order of the home page; what it hides counts as stopped, with all below it. */
function placed(modules: readonly PreviewRow[], home: readonly PlacedItem[]): readonly PreviewRow[] {
  const index = new Map(home.map((item, place) => [Number(item.id), place]));
  const hidden = new Set(home.flatMap((item) => (item.shown ? [] : [Number(item.id)])));
  const top = modules
    .filter((one) => one.parentId === null)
    .sort((a, b) => (index.get(a.id) ?? 0) - (index.get(b.id) ?? 0))
    .values();
  return modules.map((own) => {
    const one = own.parentId === null ? top.next().value! : own;
    return hidden.has(one.id) ? { ...one, enabled: false } : one;
  });
}

interface PreviewRow extends ModuleFacts {
  readonly name: string;
  readonly nameEn: string;
  readonly logo: FileValue | null;
  readonly badge: string;
  readonly showType: string;
  readonly needsLogin: boolean;
}

/** What stands below a module is named when it is to go. */
async function nameChildren({ action, tx, id }: ActionContext): Promise<void> {
  if (action !== 'remove') return;
  const children = await run<{ name: string; name_en: string }>(
    tx,
    'SELECT name, name_en FROM app_module WHERE parent_id = $1 ORDER BY position, id',
    [id],
  );
  if (children.length === 0) return;
  throw ruleBroken(
    fill(['有下级模块：{zh}，不能删除', 'There are modules below it: {en}. It cannot be deleted'], {
      zh: children.map((one) => one.name).join('、'),
      en: children.map((one) => one.name_en).join(', '),
    }),
  );
}

/** Address, icon and badge fit; a module stands below modules of its own app only. */
async function checkModule({ action, input, row, tx, caller }: ActionContext): Promise<void> {
  if (action === 'move') return sameSystem(tx, String(row.system), input.parent);
  if (action !== 'create' && action !== 'update') return;
  const kept = (name: string, column: string): string =>
    String((name in input ? input[name] : row[column]) ?? '');
  const problems: Record<string, Label> = {};
  const problem = urlProblem(kept('showType', 'show_type'), kept('url', 'url'));
  if (problem) problems.url = problem;
  if (kept('badgeUntil', 'badge_until') !== '' && kept('badge', 'badge') === '')
    problems.badge = ['请填写角标文字', 'Please enter the text of the badge'];
  if (Object.keys(problems).length > 0) throw invalid(problems);
  if (input.logo)
    await checkAttachable(tx, caller, 'logo', [String(input.logo)], [String(row.logo_id ?? '')]);
  await sameSystem(tx, String(action === 'create' ? input.system : row.system), input.parent);
}

async function sameSystem(tx: ActionContext['tx'], system: string, parent: unknown): Promise<void> {
  if (typeof parent !== 'number') return;
  const above = await runOne<{ system: string }>(tx, 'SELECT system FROM app_module WHERE id = $1', [parent]);
  // What does not exist is answered by the tree itself.
  if (above && above.system !== system)
    throw invalid({
      parent: ['上级模块属于另一个系统', 'The parent belongs to the other app'],
    });
}

/** Whoever works in some projects only changes these; the others of a module stay. */
async function keepHiddenProjects({ action, input, id, tx, caller }: ActionContext): Promise<void> {
  if (action !== 'update' || input.projects === undefined || caller.projectIds === null) return;
  const held = await run<{ id: number }>(
    tx,
    'SELECT project_id AS id FROM app_module_project WHERE app_module_id = $1',
    [id],
  );
  const shown = new Set(projectsInReach(caller, held).map((one) => one.id));
  (input as Record<string, unknown>).projects = [
    ...((input.projects ?? []) as readonly number[]),
    ...held.map((one) => one.id).filter((one) => !shown.has(one)),
  ];
}
