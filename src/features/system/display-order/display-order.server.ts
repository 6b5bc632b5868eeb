import { z } from 'zod';
import { textOf, type Label } from '../../../kernel/contract/label.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { forbidden, notFound } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { endpoint, type Call } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { STALE, type ActionContext, type ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { DISPLAY_LISTS, type DisplayListCode } from '../../../domain/display-order/display-lists.rules.ts';
import {
  displayListsOf,
  displayOrderOf,
  type DisplayItems,
} from '../../../domain/display-order/display-order.server.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { displayOrder } from './display-order.contract.ts';

const PLATFORM_ONLY: Label = ['默认顺序由平台维护', 'The default is kept by the platform'];

/** The kinds of notices are words of the product. Source: group 06, cs_pronotice. */
const NOTICE_TYPES: readonly (readonly [code: string, label: Label])[] = [
  ['001', ['停水通知', 'Water off']],
  ['002', ['停电通知', 'Power off']],
  ['003', ['保洁养护', 'Cleaning']],
  ['004', ['社区文化', 'Culture']],
  ['005', ['绿化保养', 'Greening']],
  ['006', ['消防演习', 'Fire drill']],
  ['007', ['高温预警', 'Heat warning']],
];

const noticeTypes: DisplayItems = {
  list: 'notice_types',
  type: 'noticeType',
  read: async () => NOTICE_TYPES.map(([id, title]) => ({ id, title })),
};

const NOT_MERCHANTS: Label = ['商户不能调整列表顺序', 'Merchants do not arrange lists'];

/** Why somebody may not arrange the default (no project) or a project. */
const refusal = (projectId: unknown, caller: Caller): Label | undefined => {
  if (caller.tenantKind === 2) return NOT_MERCHANTS;
  return projectId === null && (caller.tenantKind !== 3 || caller.projectIds !== null)
    ? PLATFORM_ONLY
    : undefined;
};

const bound: BoundResource = bindResource(displayOrder, {
  table: 'display_order',
  columns: { list: 't.list_code' },
  writes: { list: 'list_code' },
  joins: { project: 'project' },
  lines: { items: { table: 'display_order_item', own: 'order_id' } },
  unique: { display_order_place: STALE },
  // Orders belong to projects, not to a tenant: merchants have none, and the default is that of the platform.
  scope: { tenant: 'NULL::bigint', project: 't.project_id', owner: 't.created_by' },
  extra: { projectId: 't.project_id' },
  ruleReads: ['projectId'],
  rowRules: {
    update: (row, caller) => refusal(row.projectId, caller),
    remove: (row) =>
      row.projectId === null ? ['默认顺序不能恢复', 'The default itself cannot be removed'] : undefined,
  },
  before: [tidyItems],
  handlers: { copyTo },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/displayOrder/board',
      title: ['列表排序', 'List order'],
      access: { code: 'listSort' },
      query: z.strictObject({
        list: z.enum(Object.keys(DISPLAY_LISTS) as [DisplayListCode, ...DisplayListCode[]]).optional(),
        project: z
          .string()
          .regex(/^\d{1,15}$/)
          .optional(),
      }),
      handle: board,
    }),
  ],
  also: { displayItems: [noticeTypes] },
});

/** Order of the lists of the owners' app. */
export const registration = bound.registration;

/** One list as the screen shows it: its items in order, the stored row behind them, and which scopes differ. */
async function board(
  call: Call<{ list?: DisplayListCode | undefined; project?: string | undefined }>,
): Promise<unknown> {
  const { platform, caller, facts } = call;
  const { db } = platform.database;
  const lists = displayListsOf(platform);
  const list = call.query.list ?? lists[0]!;
  const projectId = call.query.project === undefined ? null : Number(call.query.project);
  if (projectId !== null) {
    if (caller.tenantKind === 2) throw notFound();
    requireProjectsInReach(caller, [projectId]);
    if (!(await runOne(db, 'SELECT 1 FROM project WHERE id = $1', [projectId]))) throw notFound();
  }
  const items = await displayOrderOf(db, platform, list, projectId);
  const { rows } = await bound.page(call, {
    page: 1,
    limit: 200,
    searchVal: '',
    sort: '-updatedAt',
    filters: { list },
    tab: undefined,
    cursor: undefined,
    exact: false,
  });
  const stored = rows.find(
    (row) => ((row.project as { id: string } | null)?.id ?? null) === (call.query.project ?? null),
  );
  return {
    lists: lists.map((code) => ({ code, title: textOf(DISPLAY_LISTS[code].label, facts.language) })),
    list,
    stored: stored
      ? { id: stored.id, version: stored.version, actions: stored.actions, updatedAt: stored.updatedAt }
      : null,
    mayEdit: refusal(projectId, caller) === undefined,
    customised: rows.flatMap((row) => (row.project ? [row.project] : [])),
    items: items.map((item) => ({ ...item, title: textOf(item.title, facts.language) })),
  };
}

/** Keeps what exists, once each, with its name for the timeline; what somebody has removed meanwhile is left out. */
async function tidyItems(context: ActionContext): Promise<void> {
  const { action, input, row, tx, platform, caller } = context;
  if (action === 'create') {
    const refused = refusal((input.project as number | undefined) ?? null, caller);
    if (refused) throw forbidden(refused);
  }
  if ((action !== 'create' && action !== 'update') || !Array.isArray(input.items)) return;
  const list = (action === 'create' ? input.list : row.list_code) as DisplayListCode;
  const known = new Map(
    (await displayOrderOf(tx, platform, list, null)).map((item) => [`${item.type}:${item.id}`, item]),
  );
  const items = (input.items as { itemType: string; itemId: string; shown?: boolean | null }[]).flatMap(
    (one) => {
      const key = `${one.itemType}:${one.itemId}`;
      const item = known.get(key);
      known.delete(key);
      return item
        ? [{ itemType: item.type, itemId: item.id, title: item.title[0], shown: one.shown ?? true }]
        : [];
    },
  );
  Object.assign(context.input, { items });
}

/** Projects get the same order; those that have one get it replaced, with both in their timelines. */
async function copyTo(context: ActionContext): Promise<ActionResult> {
  const { tx, id, row, input, caller } = context;
  const projects = [...new Set(input.projects as number[])].filter((one) => one !== row.project_id);
  requireProjectsInReach(caller, projects);
  const items = await run(
    tx,
    `SELECT item_type AS "itemType", item_id AS "itemId", shown FROM display_order_item WHERE order_id = $1 ORDER BY position, id`,
    [id],
  );
  for (const project of projects) {
    const own = await runOne<{ id: number }>(
      tx,
      'SELECT id FROM display_order WHERE list_code = $1 AND project_id = $2',
      [row.list_code, project],
    );
    if (own) await bound.actIn(tx, context, 'update', own.id, { items });
    else
      await bound.actIn(tx, context, 'create', undefined, {
        list: row.list_code,
        project: String(project),
        items,
      });
  }
  return { remark: `${projects.length}`, result: { n: projects.length } };
}
