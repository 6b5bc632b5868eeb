import { containing } from '../../../kernel/server/resource/like-text.ts';
import { z } from 'zod';
import { filteredProjects, projectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { BUTLER_MENUS } from '../../../domain/butler/options.server.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { isBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { setFileCookie } from '../../../kernel/server/files/file-ticket.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { WireRow } from '../../../kernel/server/resource/read-rows.ts';
import { mayRead, TASK_COLUMNS, type TaskRow } from '../../../kernel/server/tasks/task-centre.ts';
import { taskEntry } from '../../../kernel/server/tasks/task-endpoints.ts';
import { putFigures, type Figures } from '../figures.server.ts';
import { butlerReminderShare, REMIND_MENU } from './remind.contract.ts';

const SHARES =
  's.reminder_id = t.reminder_id AND s.housekeeper_id = t.housekeeper_id AND s.product_id = t.product_id';
/** Links of projects in reach; null reaches all. */
const within = (ids: string) => `(${ids}::bigint[] IS NULL OR s.project_id = ANY(${ids}::bigint[]))`;
const FIRST = `(SELECT min(s.shared_at) FROM butler_share s WHERE ${SHARES})`;

const bound: BoundResource = bindResource(butlerReminderShare, {
  table: 'butler_reminder_item',
  from: 'butler_reminder_item t LEFT JOIN butler_reminder m ON m.id = t.reminder_id LEFT JOIN butler_reminder_recipient r ON r.id = t.recipient_id LEFT JOIN housekeeper k ON k.id = t.housekeeper_id LEFT JOIN staff f ON f.id = k.staff_id LEFT JOIN product g ON g.id = t.product_id',
  extra: { version: '1' },
  columns: {
    reminder: { id: 't.reminder_id', title: 'm.title' },
    title: 'm.title',
    kind: 'm.kind',
    butler: { id: 't.housekeeper_id', title: 'f.name' },
    staffNo: 'f.staff_no',
    projects: `(SELECT coalesce(jsonb_agg(jsonb_build_object('id', j.id::text, 'title', j.name) ORDER BY j.id), '[]') FROM project j WHERE j.id = ANY(r.project_ids))`,
    product: { id: 't.product_id', title: 'g.name' },
    readAt: 'r.read_at',
    wasRead: '(r.read_at IS NOT NULL)',
    at: `coalesce(${FIRST}, t.sent_at)`,
    // What a caller sees of them follows from the projects in reach; see `figures`.
    sharedAt: 'NULL::timestamptz',
    wasShared: 'false',
    channel: 'NULL::text',
    shares: '0',
    visits: '0',
    visitors: '0',
    orders: '0',
    amount: '0::bigint',
    incentive: '0::bigint',
  },
  filters: {
    wasShared: (value, parameters, caller) =>
      `${value === 'true' ? '' : 'NOT '}EXISTS (SELECT FROM butler_share s WHERE ${SHARES} AND ${within(parameters.bind(caller.projectIds))})`,
    projects: (value, parameters, caller) =>
      `(SELECT x.project_ids FROM butler_reminder_recipient x WHERE x.id = t.recipient_id) && ${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]`,
  },
  scope: {
    tenant: 'NULL::bigint',
    project: (ids) =>
      `(SELECT x.project_ids FROM butler_reminder_recipient x WHERE x.id = t.recipient_id) && ${ids}::bigint[]`,
    owner: '(SELECT x.staff_id FROM housekeeper x WHERE x.id = t.housekeeper_id)',
  },
  keyword: (value, parameters) => {
    const like = parameters.bind(containing(value));
    return `(m.title ILIKE ${like} OR f.name ILIKE ${like} OR f.staff_no ILIKE ${like} OR g.name ILIKE ${like})`;
  },
  present: async (rows, db, caller) => {
    await figures(rows, db, caller);
    for (const row of rows)
      row.projects = projectsInReach(caller, (row.projects ?? []) as readonly RefValue[]);
  },
  endpoints: [
    endpoint({
      method: 'POST',
      path: '/jinmao/web/bizButlerRemind/getButlerRemindShareList',
      title: ['分享提醒统计', 'What was shared of reminders'],
      access: { code: REMIND_MENU },
      body: listBody(),
      handle: async (call) => {
        const { body } = call;
        const { total, rows } = await bound.page(call, {
          page: body.page,
          limit: body.limit,
          searchVal: body.searchVal.trim(),
          sort: '-sentAt',
          tab: undefined,
          cursor: undefined,
          exact: true,
          filters: filtersOf(body),
        });
        return { total, rows: rows.map(shareRow) };
      },
    }),
    endpoint({
      method: 'POST',
      path: '/jinmao/web/bizButlerRemind/exportButlerRemindShareListExcel',
      title: ['导出分享提醒统计', 'Export what was shared'],
      access: { code: `${REMIND_MENU}:btn_export` },
      body: listBody(),
      handle: async (call) => {
        const searchVal = call.body.searchVal.trim();
        const taskId = await bound.export(call, {
          ...filtersOf(call.body),
          ...(searchVal ? { searchVal } : {}),
        });
        const entry = (await entriesOf(call)).find((one) => one.id === taskId)!;
        return { taskId, exportName: entry.exportName, exportState: entry.exportState };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/bizButlerRemind/queryExportList',
      title: ['管家导出记录', 'Exports of the butler menus'],
      access: { code: REMIND_MENU },
      handle: (call) => entriesOf(call),
    }),
  ],
});

/** What butlers did with reminders. */
export const registration = bound.registration;

/** What came of the links a butler gave out for a reminder, in the projects the caller works in. */
async function figures(rows: readonly DbRow[], db: Executor, caller: Caller): Promise<void> {
  const inside = `${SHARES} AND ${within('$2')}`;
  const visits = (what: string) =>
    `(SELECT count(${what})::int FROM butler_share_visit v JOIN butler_share s ON s.id = v.share_id WHERE ${inside} AND v.counted)`;
  const sold = `FROM butler_performance p JOIN butler_share s ON s.id = p.share_id WHERE ${inside} AND p.way = 1 AND p.housekeeper_id IS NOT NULL`;
  putFigures(
    rows,
    await run<Figures>(
      db,
      `SELECT t.id, x."sharedAt", x.shares > 0 AS "wasShared", x.shares, (SELECT s.channel FROM butler_share s WHERE ${inside} ORDER BY s.shared_at LIMIT 1) AS channel,
              ${visits('*')} AS visits, ${visits('DISTINCT v.visitor_key')} AS visitors,
              (SELECT count(DISTINCT p.order_id)::int ${sold}) AS orders, (SELECT coalesce(sum(p.cash), 0)::bigint ${sold}) AS amount,
              (SELECT coalesce(sum(i.amount), 0)::bigint FROM incentive i WHERE i.state <> 'cancelled' AND i.performance_id IN (SELECT p.id ${sold})) AS incentive
         FROM butler_reminder_item t CROSS JOIN LATERAL (SELECT min(s.shared_at) AS "sharedAt", count(*)::int AS shares FROM butler_share s WHERE ${inside}) x
        WHERE t.id = ANY($1::bigint[])`,
      [rows.map((row) => Number(row.id)), caller.projectIds],
    ),
  );
}

function listBody() {
  const ids = z
    .array(z.string().regex(/^\d{1,15}$/))
    .max(500)
    .default([]);
  const one = z
    .string()
    .regex(/^\d{1,15}$/)
    .or(z.literal(''))
    .nullish();
  const choice = z.union([z.enum(['', '0', '1', '3']), z.literal(0), z.literal(1), z.literal(3)]).nullish();
  return z.strictObject({
    remindId: one,
    butlerId: one,
    projectId: ids,
    productId: one,
    /** 3: both. */
    readState: choice,
    shared: choice,
    startTime: z.string().default(''),
    endTime: z.string().default(''),
    searchVal: z.string().max(60).default(''),
    page: z.number().int().min(1).default(1),
    limit: z.number().int().min(1).max(200).default(10),
  });
}
type Body = z.output<ReturnType<typeof listBody>>;

function filtersOf(body: Body): Record<string, string> {
  for (const name of ['startTime', 'endTime'] as const)
    if (body[name] && !isBusinessDay(body[name]))
      throw invalid({ [name]: ['日期不正确', 'The date is not valid'] });
  const flag = (value: Body['readState']) =>
    String(value) === '1' ? 'true' : String(value) === '0' ? 'false' : undefined;
  const [read, shared] = [flag(body.readState), flag(body.shared)];
  return {
    ...(body.remindId ? { reminder: body.remindId } : {}),
    ...(body.butlerId ? { butler: body.butlerId } : {}),
    ...(body.projectId.length > 0 ? { projects: body.projectId.join(',') } : {}),
    ...(body.productId ? { product: body.productId } : {}),
    ...(read ? { wasRead: read } : {}),
    ...(shared ? { wasShared: shared } : {}),
    ...(body.startTime || body.endTime ? { at: `${body.startTime}~${body.endTime}` } : {}),
  };
}

function shareRow(row: WireRow) {
  const ref = (name: string) => row[name] as { id: string; title: string } | null;
  return {
    id: row.id,
    remindId: ref('reminder')?.id ?? null,
    remindTitle: row.title,
    remindKind: row.kind,
    butlerId: ref('butler')?.id ?? null,
    butlerName: ref('butler')?.title ?? null,
    staffNo: row.staffNo,
    projectNames: ((row.projects ?? []) as readonly { title: string }[]).map((one) => one.title).join('、'),
    productId: ref('product')?.id ?? null,
    productName: ref('product')?.title ?? null,
    sendTime: row.sentAt,
    readTime: row.readAt,
    readState: row.wasRead ? 1 : 0,
    shareTime: row.sharedAt,
    shareChannel: row.channel,
    shareCount: row.shares,
    visitCount: row.visits,
    visitorCount: row.visitors,
    orderCount: row.orders,
    orderAmount: row.amount,
    incentiveAmount: row.incentive,
  };
}

/** The caller's newest exports of the group's menus, as the download centre tells of them. */
async function entriesOf(call: Parameters<Parameters<typeof endpoint>[0]['handle']>[0]) {
  const tasks = await run<TaskRow>(
    call.platform.database.db,
    `SELECT ${TASK_COLUMNS} FROM task WHERE staff_id = $1 AND kind = 'export' AND menu = ANY($2::text[]) ORDER BY created_at DESC, id DESC LIMIT 50`,
    [call.caller.staffId, BUTLER_MENUS],
  );
  setFileCookie(call.platform.config, call.caller, call.request, call.reply);
  return Promise.all(
    tasks.map(async (task) => {
      const gone = task.state === 'ready' && !(await mayRead(call.platform, call.caller, task));
      const entry = taskEntry(
        call.platform,
        call.caller.sessionId,
        gone ? { ...task, state: 'failed' } : task,
        call.facts.language,
      );
      const { id, exportDate, exportName, exportState, exportUrl } = entry;
      return { id, exportDate, exportName, exportState, exportUrl };
    }),
  );
}
