import { z } from 'zod';
import { estimateOf } from '../../../domain/message-send/audience.server.ts';
import { capsOf, dispatchMessages } from '../../../domain/message-send/dispatch.server.ts';
import { isVariableName, variablesIn } from '../../../domain/message-send/message.rules.ts';
import { estimateBody, estimateDraft, estimateWords } from '../../../domain/message-send/estimate.server.ts';
import { appMessages, receipt } from '../../../domain/message-send/mailbox.server.ts';
import { progressOf } from '../../../domain/message-send/progress.server.ts';
import { sendApproval, type SendMenu } from '../../../domain/message-send/send-approval.server.ts';
import {
  checkAudience,
  checkGrades,
  codePickers,
  named,
  NO_CHOICE,
  refuseProblems,
  sendBinding,
} from '../../../domain/message-send/send-binding.server.ts';
import { buildingOptions } from '../../../domain/residents/residents.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { notFound } from '../../../kernel/server/http/errors.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { endpoint, type OptionSource } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import type { SendEstimate } from '../../../domain/message-send/message.rules.ts';
import { messageSend, SEND_MENU } from './message-send.contract.ts';

const ROOT = '/jinmao/web/messageSend';
/** What the programs behind the owners' app hold. */
const APP_SCOPE = 'member_event';

const MENU: SendMenu = {
  menu: SEND_MENU,
  path: '/marketing',
  approval: 'message_send',
  label: ['群发消息', 'Message sending'],
  sight: 'messageSend',
  origin: 'staff',
};

const shared = sendBinding(MENU, () => bound);
const { actions: actionsFor, ...binding } = shared;

const approval = sendApproval(MENU);
const bound: BoundResource = bindResource(messageSend, {
  ...binding,
  columns: { ...binding.columns, grades: named('grade', 't.grade_ids', 'title') },
  writes: { ...binding.writes, grades: 'grade_ids' },
  joins: { template: 'message_template', coupon: 'coupon' },
  before: [check],
  detail: (db, id) =>
    Promise.resolve(
      runOne<{ content: unknown }>(db, 'SELECT content FROM message_send WHERE id = $1', [id]),
    ).then((row) => ({ content: row?.content ?? null })),
  endpoints: [
    endpoint({
      method: 'POST',
      path: `${ROOT}/estimate`,
      title: ['消息对象估算', 'Whom a message would reach'],
      access: { anyOf: [`${SEND_MENU}:btn_add`, `${SEND_MENU}:btn_edit`] },
      body: estimateBody,
      handle: async ({ body, caller, platform }) => estimateDraft(platform, caller, body),
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/estimate`,
      title: ['已保存消息的对象估算', 'Whom a saved message would reach'],
      access: { code: SEND_MENU },
      handle: async (call): Promise<SendEstimate> => {
        const id = idOf(call.params.id);
        const seen = await bound.find(call, id);
        const { caller } = call;
        const places = seen.placeIds as readonly number[] | null;
        if (caller.projectIds !== null && !places?.every((one) => caller.projectIds!.includes(Number(one))))
          throw notFound();
        const { db } = call.platform.database;
        const row = (await runOne<Record<string, unknown>>(db, 'SELECT * FROM message_send WHERE id = $1', [
          id,
        ]))!;
        return estimateWords(call.platform, await estimateOf(db, { id }, await capsOf(call.platform)), row);
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/progress`,
      title: ['消息发送进度', 'Progress of a message'],
      access: { code: SEND_MENU },
      handle: async (call) => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        return progressOf(call.platform.database.db, id, call.caller.projectIds);
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/app/list`,
      title: ['App 会员消息列表', 'Messages of a member for the app'],
      access: { program: APP_SCOPE },
      query: z.strictObject({
        memberId: z.string().regex(/^\d{1,15}$/),
        channel: z.enum(['1', '3']).default('1'),
        page: z.coerce.number().int().min(1).max(1_000).default(1),
        limit: z.coerce.number().int().min(1).max(50).default(20),
      }),
      handle: ({ platform, query }) =>
        appMessages(platform.database.db, Number(query.memberId), {
          channel: Number(query.channel),
          limit: query.limit,
          offset: (query.page - 1) * query.limit,
        }),
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/app/receipt`,
      title: ['App 与短信回执', 'Receipts of messages'],
      access: { program: APP_SCOPE },
      body: z.strictObject({
        no: z.string().regex(/^MS[0-9A-Z]{1,30}-\d{1,15}$/),
        state: z.enum(['delivered', 'read', 'clicked', 'failed']),
      }),
      handle: async ({ platform, body }) => {
        const known = await transaction(platform.database.db, (tx) => receipt(tx, body.no, body.state));
        if (!known) throw notFound();
        platform.changed(messageSend.name);
        platform.changed('messageRecipient');
        return { taken: true };
      },
    }),
  ],
  also: {
    approvals: [approval],
    sights: [approval.sights.outcome],
    jobs: [
      {
        name: 'message.dispatch',
        title: ['发送会员消息', 'Messages to members'],
        cron: '* * * * *',
        run: async (_payload, platform, context) => {
          const sent = await dispatchMessages(platform, actionsFor(platform), context ? { context } : {});
          if (sent > 0) context?.print(`${sent} 条 / messages`);
        },
      },
    ],
    options: [
      ...codePickers([SEND_MENU, 'mm_messageTemplate', 'os_infoPush']),
      ...buildingOptions([SEND_MENU])
        .filter((source) => source.target === 'building')
        .map((source) => ({ ...source, target: 'sendBuilding' })),
      templates(),
      coupons(),
      classes(),
    ],
  },
});

/** Messages to members. */
export const registration = bound.registration;

/** Sends, for the commands of other menus. */
export const sends: BoundResource = bound;

/** Sends what is due as it is at an instant; for the job and for tests that hold the clock. */
export const dispatchAt = (platform: Platform, at?: Date) =>
  dispatchMessages(platform, actionsFor(platform), at ? { at } : {});

/** The audience, the template and its variables fit each other. What a change leaves out counts as it stands. */
async function check(context: ActionContext): Promise<void> {
  const { action, input, columns, tx } = context;
  if (action !== 'create' && action !== 'update') return;
  const problems: Record<string, Label> = {};
  const now = await checkAudience(context, problems);
  await checkGrades(context, problems);
  if ('variable_values' in columns) columns.variable_values = JSON.stringify(columns.variable_values ?? []);
  const template = await runOne<{ category: string; channel_codes: number[]; variables: { name: string }[] }>(
    tx,
    'SELECT category, channel_codes, variables FROM message_template WHERE id = $1',
    [now.template_id],
  );
  if (template) {
    columns.category = template.category;
    const offered = template.channel_codes.map(Number);
    const lacking = ((now.channel_codes ?? []) as unknown[])
      .map(Number)
      .filter((one) => !offered.includes(one));
    if (lacking.length > 0 && !problems.channels)
      problems.channels = ['模板没有所选渠道', 'The template lacks a chosen channel'];
    const known = template.variables.map((one) => one.name);
    const values = (input.values ?? []) as readonly { name: string }[];
    const unknown = values.find((one) => !isVariableName(one.name) || !known.includes(one.name));
    if (unknown)
      problems.values = [`变量 {{${unknown.name}}} 未定义`, `Variable {{${unknown.name}}} is not defined`];
    else if (new Set(values.map((one) => one.name)).size < values.length)
      problems.values = ['变量重复', 'A variable stands twice'];
  } else if (!problems.template && now.template_id) problems.template = NO_CHOICE;
  refuseProblems(problems);
}

/** Enabled templates of the own company and of the platform. */
function templates(): OptionSource {
  return {
    target: 'sendTemplate',
    anyOf: [SEND_MENU],
    find: async ({ caller, platform, facts }, query) => {
      const parameters = new Parameters();
      const parts = [
        caller.tenantKind === 3
          ? 'TRUE'
          : `(t.tenant_id = ${parameters.bind(caller.tenantId)} OR t.tenant_id IN (SELECT id FROM tenant WHERE kind = 3))`,
      ];
      if (query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      else parts.push(`t.state = 'enabled'`);
      if (query.searchVal)
        parts.push(
          `lower(t.code || ' ' || t.name) LIKE ${parameters.bind(containing(query.searchVal.toLowerCase()))}`,
        );
      const rows = await run<{ id: number; name: string; text: string }>(
        platform.database.db,
        `SELECT t.id, t.name, concat_ws(' ', t.sms_body, t.push_body, t.in_app_title, t.in_app_body) AS text FROM message_template t
          WHERE ${parts.join(' AND ')} ORDER BY t.updated_at DESC, t.id DESC LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => {
        const names = [...new Set(variablesIn(row.text).names)].join(facts.language === 'en' ? ', ' : '、');
        return { id: String(row.id), title: row.name, ...(names ? { note: names } : {}) };
      });
    },
  };
}

/** Coupons whose holders may be written to. */
function coupons(): OptionSource {
  return {
    target: 'sendCoupon',
    anyOf: [SEND_MENU],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [
        placeCondition(
          caller,
          {
            tenant: 't.tenant_id',
            project: (ids) =>
              `(t.project_ids && ${ids}::bigint[] OR (t.project_ids = '{}' AND cardinality(${ids}::bigint[]) > 0))`,
          },
          parameters,
        ),
      ];
      if (query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      if (query.searchVal)
        parts.push(
          `lower(t.code || ' ' || t.name) LIKE ${parameters.bind(containing(query.searchVal.toLowerCase()))}`,
        );
      const rows = await run<{ id: number; title: string; note: string }>(
        platform.database.db,
        `SELECT t.id, t.name AS title, t.code AS note FROM coupon t WHERE ${parts.join(' AND ')}
          ORDER BY t.created_at DESC, t.id DESC LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}

/** Classes of products with the business they belong to. */
function classes(): OptionSource {
  return {
    target: 'sendClass',
    anyOf: [SEND_MENU],
    find: async ({ platform }, query) => {
      const rows = await run<{ id: number; title: string; note: string }>(
        platform.database.db,
        `SELECT c.id, c.name AS title, b.name AS note FROM product_class c JOIN business b ON b.id = c.business_id
          WHERE (cardinality($1::bigint[]) = 0 OR c.id = ANY($1)) AND lower(c.name) LIKE $2 ORDER BY b.name, c.sort, c.id LIMIT $3 OFFSET $4`,
        [query.ids.map(Number), containing(query.searchVal.toLowerCase()), query.limit, query.offset],
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}
