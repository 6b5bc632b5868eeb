import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import type { FileValue } from '../../../kernel/contract/fields.ts';
import {
  ADVICE_MENU,
  ADVICE_ROUTE,
  ADVICE_SCOPE,
  adviceSight,
  appendReply,
  climbLadder,
  newAdviceColumns,
  replyTimes,
  tellHandler,
  worksIn,
} from '../../../domain/advice/advice.server.ts';
import { CLOSE_DAYS, type AdviceType } from '../../../domain/advice/advice.rules.ts';
import { dictionaryOptions } from '../../../domain/dictionary/dictionary.server.ts';
import { createWorkOrder } from '../../../domain/work-order/create-work-order.server.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { checkAttachable, filesById } from '../../../kernel/server/files/files.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { Parameters, placeCondition, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { OptionSource, TodoKind } from '../../../kernel/server/registration.ts';
import { NOW } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { nameOrder } from '../../../kernel/server/resource/name-order.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { advice } from './advice.contract.ts';

const OVERDUE = `(t.state = 'unreplied' AND t.reply_due_at < now())`;

/** Advice without a reply: the very rows of the tab it opens. */
const toReply: TodoKind = {
  kind: 'advice_reply',
  label: ['投诉建议待回复', 'Advice to reply to'],
  menu: ADVICE_MENU,
  route: `${ADVICE_ROUTE}?tab=unreplied`,
  order: 42,
  count: async ({ caller, platform }) => {
    const parameters = new Parameters();
    return (await runOne<{ count: number; oldest: Date | null; overdue: number }>(
      platform.database.db,
      `SELECT count(*) AS count, min(t.created_at) AS oldest, count(*) FILTER (WHERE ${OVERDUE}) AS overdue
         FROM advice t WHERE t.state = 'unreplied' AND ${scopeCondition(caller, ADVICE_MENU, ADVICE_SCOPE, parameters)}`,
      parameters.values,
    ))!;
  },
};

/** Customer service that works where the caller does. */
const handlers: OptionSource = {
  target: 'adviceHandler',
  anyOf: [ADVICE_MENU],
  find: async ({ caller, platform }, query) => {
    const parameters = new Parameters();
    const parts = [
      `(${placeCondition(caller, { tenant: 's.tenant_id', project: 'none' }, parameters)} OR ${
        caller.projectIds === null || caller.tenantKind === 2
          ? 'false'
          : `EXISTS (SELECT FROM unnest(${parameters.bind(caller.projectIds)}::bigint[]) AS x (id) WHERE ${worksIn('x.id')})`
      })`,
    ];
    if (query.ids.length > 0) parts.push(`s.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
    else parts.push(`c.enabled AND s.is_customer_service AND s.state = 'normal'`);
    if (query.searchVal) parts.push(`s.name ILIKE ${parameters.bind(containing(query.searchVal))}`);
    const rows = await run<{ id: number; title: string; note: string }>(
      platform.database.db,
      `SELECT s.id, s.name AS title, s.account AS note FROM customer_staff c JOIN staff s ON s.id = c.staff_id
        WHERE ${parts.join(' AND ')} ORDER BY ${nameOrder('s.name')}, s.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
      parameters.values,
    );
    return rows.map((row) => ({ ...row, id: String(row.id) }));
  },
};

const bound: BoundResource = bindResource(advice, {
  table: 'advice',
  from: `advice t LEFT JOIN project p ON p.id = t.project_id LEFT JOIN staff h ON h.id = t.handler_id
    LEFT JOIN work_order w ON w.id = t.work_order_id`,
  columns: {
    project: { id: 't.project_id', title: 'p.name' },
    handler: { id: 't.handler_id', title: 'h.name' },
    images: 't.image_ids',
    overdue: OVERDUE,
    workOrder: 'w.code',
  },
  writes: { project: 'project_id', images: 'image_ids' },
  scope: ADVICE_SCOPE,
  search: `lower(t.code || ' ' || t.content)`,
  searchExact: ['t.phone'],
  unique: { advice_work_order: ['该投诉建议已转工单', 'A work order was made of it already'] },
  ruleReads: ['workOrder'],
  rowRules: {
    toWorkOrder: (row) =>
      row.workOrder ? ['该投诉建议已转工单', 'A work order was made of it already'] : undefined,
  },
  before: [takeIn],
  after: [
    async ({ action, tx, columns }, id) => {
      if (action === 'create')
        await tellHandler(tx, id, String(columns.code), columns.handler_id as number | null);
      return [];
    },
  ],
  sets: { expire: { closed_at: NOW } },
  handlers: {
    reply,
    assign,
    toWorkOrder,
    askAgain,
    close,
  },
  present: async (rows, db) => {
    const files = await filesById(db, [...new Set(rows.flatMap((row) => (row.images as string[]) ?? []))]);
    for (const row of rows)
      row.images = ((row.images as string[]) ?? []).flatMap((id): FileValue[] => {
        const file = files.get(id);
        return file ? [file] : [];
      });
  },
  also: {
    todos: [toReply],
    sights: [adviceSight],
    options: [handlers, dictionaryOptions({ catalogue: 'platform', dictionary: 'advice_template' })],
    jobs: [
      dueJob(() => bound, {
        name: 'advice.close',
        title: ['投诉建议自动关闭', 'Advice closed after a reply'],
        cron: '*/10 * * * *',
        action: 'expire',
        when: `t.replied_at <= now() - interval '${CLOSE_DAYS} days'`,
      }),
      {
        name: 'advice.ladder',
        title: ['投诉建议超时提醒', 'Advice without a reply'],
        cron: '* * * * *',
        run: async (_payload, platform) => {
          const told = await transaction(platform.database.db, (tx) => climbLadder(tx));
          if (told > 0) platform.changed(advice.name);
        },
      },
    ],
  },
});

/** Complaints, suggestions, enquiries and praise. */
export const registration = bound.registration;

/** What staff enter for a resident: the same number, handler and times as what comes from the app. */
async function takeIn({ action, tx, input, caller, columns }: ActionContext): Promise<void> {
  if (action !== 'create') return;
  requireProjectsInReach(caller, [Number(input.project)]);
  await checkAttachable(tx, caller, 'images', (input.images as string[] | undefined) ?? [], []);
  Object.assign(
    columns,
    { source: 'phone' },
    await newAdviceColumns(tx, {
      projectId: input.project as number,
      type: input.type as AdviceType,
    }),
  );
}

async function reply({ tx, id, row, input, caller, facts }: ActionContext): Promise<ActionResult> {
  let content = String(input.content ?? '').trim();
  if (!content && input.template) {
    const template = await runOne<{ name: string; name_en: string }>(
      tx,
      `SELECT v.name, v.name_en FROM dictionary_value v JOIN dictionary_type d ON d.id = v.type_id WHERE v.id = $1 AND d.code = 'advice_template'`,
      [input.template],
    );
    content = (facts.language === 'zh' ? template?.name : template?.name_en) ?? '';
  }
  if (!content) throw invalid({ content: ['请填写回复或选择模板', 'Write a reply or choose a template'] });
  await appendReply(tx, id, { who: 'staff', name: caller.name, staffId: caller.staffId, content });
  const now = new Date();
  return {
    set: {
      replied_at: now,
      ...(row.first_replied_at ? {} : { first_replied_at: now }),
      // Who answers first takes it on where nobody had it.
      ...(row.handler_id ? {} : { handler_id: caller.staffId, assigned_at: now }),
    },
    remark: content.slice(0, 200),
  };
}

async function assign({ tx, id, row, input }: ActionContext): Promise<ActionResult> {
  const staff = await runOne<{ name: string }>(
    tx,
    `SELECT s.name FROM customer_staff c JOIN staff s ON s.id = c.staff_id
      WHERE s.id = $1 AND c.enabled AND s.is_customer_service AND s.state = 'normal' AND ${worksIn('$2::bigint')}`,
    [input.handler, row.project_id],
  );
  if (!staff)
    throw invalid({
      handler: ['该客服不在此项目工作或已停用', 'Not working in the project, or disabled'],
    });
  if (row.handler_id === input.handler)
    throw ruleBroken(['已由该客服处理', 'That person handles it already']);
  await tellHandler(tx, id, String(row.code), input.handler as number);
  const note = String(input.note ?? '').trim();
  return {
    set: { handler_id: input.handler, assigned_at: new Date() },
    remark: note ? `${staff.name}：${note}` : staff.name,
  };
}

/** Hands the matter to the work orders, once; finishing that order replies here. */
async function toWorkOrder({ tx, row, input, caller }: ActionContext): Promise<ActionResult> {
  const order = await createWorkOrder(
    tx,
    {
      projectId: row.project_id as number,
      memberId: row.member_id as number | null,
      source: 4,
      class: row.type === 'complaint' ? 'complaint' : 'repair',
      onBehalf: true,
      title: String(input.title),
      description: `${String(row.code)} ${String(row.content)}`.slice(0, 500),
      imageIds: row.image_ids as string[],
      contactName: String(row.name),
      contactPhone: String(row.phone),
      address: String(row.address),
    },
    caller,
  );
  return { set: { work_order_id: order.id }, remark: order.code, result: { code: order.code } };
}

/** A question asked again begins a new round with its own times. */
async function askAgain({ tx, id, row, input }: ActionContext): Promise<ActionResult> {
  const content = String(input.content);
  await appendReply(tx, id, { who: 'member', name: String(row.name), content });
  await tellHandler(tx, id, String(row.code), row.handler_id as number | null);
  return {
    set: { round: Number(row.round) + 1, ...(await replyTimes(tx, new Date())) },
    remark: content.slice(0, 200),
  };
}

async function close({ input }: ActionContext): Promise<ActionResult> {
  return {
    set: { closed_at: new Date(), ...(input.satisfaction ? { satisfaction: input.satisfaction } : {}) },
    remark: String(input.note ?? ''),
  };
}
