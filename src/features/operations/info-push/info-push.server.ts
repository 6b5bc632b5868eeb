import { sendApproval, type SendMenu } from '../../../domain/message-send/send-approval.server.ts';
import {
  checkAudience,
  checkGrades,
  NO_CHOICE,
  refuseProblems,
  sendBinding,
} from '../../../domain/message-send/send-binding.server.ts';
import { estimateOf } from '../../../domain/message-send/audience.server.ts';
import { capsOf } from '../../../domain/message-send/dispatch.server.ts';
import { estimateBody, estimateDraft } from '../../../domain/message-send/estimate.server.ts';
import { progressOf } from '../../../domain/message-send/progress.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { forbidden, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { holds } from '../../../kernel/server/people/caller.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint, type OptionSource } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { isPost, postTitle, visibleTarget } from '../content-targets.server.ts';
import { infoPush, PUSH_MENU } from './info-push.contract.ts';

const ROOT = '/jinmao/web/push';
const REQUIRED: Label = ['此项必填', 'This field is required'];
const HIDDEN: Label = ['跳转内容不可见', 'The target is not visible to this audience'];

/** What a push opens: the input that names it and its column. */
const JUMPS: Readonly<Record<string, readonly [string, string]>> = {
  family: ['jumpFamilyPost', 'jump_post_id'],
  chamber: ['jumpChamberPost', 'jump_post_id'],
  group_post: ['jumpGroupPost', 'jump_post_id'],
  activity: ['jumpActivity', 'jump_activity_id'],
  topic: ['jumpTopic', 'jump_topic_id'],
  notice: ['jumpNotice', 'jump_notice_id'],
  product: ['jumpProduct', 'jump_product_id'],
};
const JUMP_COLUMNS = [...new Set(Object.values(JUMPS).map(([, column]) => column))];
const named = (table: string, ids: string, title: string) =>
  `(SELECT coalesce(json_agg(json_build_object('id', x.id::text, 'title', x.${title}) ORDER BY x.id), '[]') FROM ${table} x WHERE x.id = ANY(${ids}))`;

const MENU: SendMenu = {
  menu: PUSH_MENU,
  path: '/operService',
  approval: 'ops_push',
  label: ['消息推送', 'Message push'],
  sight: 'push',
  origin: 'ops_push',
};

const { actions: _actions, ...shared } = sendBinding(MENU, () => bound);
const PICK = [
  'projects',
  'identities',
  'phones',
  'excludedPhones',
  'planned',
  'sent',
  'delivered',
  'read',
  'clicked',
  'failed',
  'skipped',
  'readRate',
  'resentOf',
] as const;

const approval = sendApproval(MENU);
const bound: BoundResource = bindResource(infoPush, {
  ...shared,
  where: `t.origin = 'ops_push'`,
  joins: {
    jumpTopic: { table: 'community_topic', title: 'title' },
    jumpNotice: { table: 'notice', title: 'title' },
    jumpProduct: 'product',
    jumpActivity: { table: 'activity', title: 'title' },
  },
  columns: {
    ...Object.fromEntries(PICK.map((name) => [name, shared.columns[name]])),
    jump: 't.jump_type',
    grades: named('grade', 't.grade_ids', 'title'),
    groups: named('interest_group', 't.interest_group_ids', 'name'),
    ...Object.fromEntries(
      (['family', 'chamber', 'group_post'] as const).map((kind) => [
        JUMPS[kind]![0],
        {
          id: `CASE WHEN t.jump_type = '${kind}' THEN t.jump_post_id END`,
          title: `(SELECT ${postTitle('jp')} FROM post jp WHERE jp.id = t.jump_post_id AND t.jump_type = '${kind}')`,
        },
      ]),
    ),
    audienceText: `CASE WHEN t.audience = 'phones' THEN cardinality(t.phones)::text WHEN t.audience = 'failed' THEN '' ELSE
      (SELECT coalesce(string_agg(p.id || ':' || p.name, '|' ORDER BY p.id), '') FROM project p WHERE p.id = ANY(t.project_ids)) END`,
  },
  writes: {
    projects: 'project_ids',
    identities: 'identity_codes',
    phones: false,
    excludedPhones: false,
    jump: 'jump_type',
    grades: 'grade_ids',
    groups: 'interest_group_ids',
    jumpFamilyPost: false,
    jumpChamberPost: false,
    jumpGroupPost: false,
  },
  filters: { projects: shared.filters.projects },
  extra: shared.extra,
  ruleReads: shared.ruleReads,
  rowRules: shared.rowRules,
  handlers: { ...shared.handlers, test },
  before: [check],
  present: async (rows, db, caller) => {
    await shared.present(rows, db, caller);
    const seen = caller.projectIds === null ? undefined : new Set(caller.projectIds);
    for (const row of rows) {
      if (typeof row.audienceText !== 'string') continue;
      row.audienceText = /^\d+$/.test(row.audienceText)
        ? `${row.audienceText} 个手机号 / phones`
        : row.audienceText
            .split('|')
            .filter((one) => !seen || seen.has(Number(one.split(':')[0])))
            .map((one) => one.slice(one.indexOf(':') + 1))
            .join('、');
    }
  },
  endpoints: [
    endpoint({
      method: 'POST',
      path: `${ROOT}/estimate`,
      title: ['推送对象估算', 'Whom a push would reach'],
      access: { anyOf: [`${PUSH_MENU}:btn_add`, `${PUSH_MENU}:btn_edit`] },
      body: estimateBody,
      handle: ({ body, caller, platform }) => estimateDraft(platform, caller, { ...body, template: null }),
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/reach`,
      title: ['推送将触达的会员', 'Whom a push would reach'],
      access: { code: PUSH_MENU },
      handle: async (call) => {
        const id = idOf(call.params.id);
        const seen = await bound.find(call, id);
        const places = seen.placeIds as readonly number[] | null;
        const { projectIds } = call.caller;
        if (projectIds !== null && !places?.every((one) => projectIds.includes(Number(one))))
          throw notFound();
        const found = await estimateOf(call.platform.database.db, { id }, await capsOf(call.platform));
        return {
          total: found.total,
          reachable: found.reachable,
          skipped: found.skipped,
          unknown: found.unknown,
        };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/funnel`,
      title: ['推送漏斗', 'Funnel of a push'],
      access: { code: PUSH_MENU },
      handle: async (call) => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        return progressOf(call.platform.database.db, id, call.caller.projectIds);
      },
    }),
  ],
  also: {
    approvals: [approval],
    sights: [approval.sights.outcome],
    options: [
      targets('pushGroup', {
        from: `interest_group t`,
        title: 't.name',
        where: `t.state = 'published'`,
        project: (ids) =>
          `EXISTS (SELECT FROM interest_group_project p WHERE p.group_id = t.id AND p.project_id = ANY(${ids}::bigint[]))`,
        tenant: 'NULL::bigint',
      }),
      targets('pushNotice', {
        from: `notice t`,
        title: 't.title',
        where: `t.state = 'published'`,
        project: (ids) =>
          `EXISTS (SELECT FROM notice_project p WHERE p.notice_id = t.id AND p.project_id = ANY(${ids}::bigint[]))`,
        tenant: 'NULL::bigint',
      }),
      targets('pushProduct', {
        from: `product t`,
        title: 't.name',
        where: `t.status = 'published' AND t.recycled_at IS NULL`,
        project: (ids) =>
          `EXISTS (SELECT FROM product_project p WHERE p.product_id = t.id AND p.project_id = ANY(${ids}::bigint[]))`,
        tenant: 't.tenant_id',
      }),
    ],
  },
});

/** Pushes of the operators. */
export const registration = bound.registration;

/** Content, audience and jump of a push fit each other; an urgent one needs its own right. What a change leaves out counts as it stands. */
async function check(context: ActionContext): Promise<void> {
  const { action, columns, caller, tx, platform } = context;
  if (action === 'submit') return void (await requireVisible(tx, context.row));
  if (action !== 'create' && action !== 'update') return;
  const problems: Record<string, Label> = {};
  if (action === 'create')
    Object.assign(columns, { origin: 'ops_push', category: 'marketing', channel_codes: [3, 1] });
  const now = await checkAudience(context, problems);
  columns.title = String(now.name ?? '');
  const none = !Array.isArray(now.project_ids) || now.project_ids.length === 0;
  if (now.audience === 'conditions' && none) problems.projects = REQUIRED;
  if (now.urgent === true) {
    if (!holds(caller, `${PUSH_MENU}:btn_urgent`)) throw forbidden();
    if (!now.urgent_reason) problems.urgentReason = REQUIRED;
  }
  const way = String(now.jump_type);
  for (const column of JUMP_COLUMNS) if (JUMPS[way]?.[1] !== column) columns[column] = null;
  if (JUMPS[way]) {
    const [field, column] = JUMPS[way];
    // Three kinds of posts share a column: what was picked for another kind is not taken over.
    if (isPost(way))
      columns[column] = now[column] =
        field in context.input
          ? (context.input[field] ?? null)
          : context.row.jump_type === way
            ? context.row[column]
            : null;
    if (!now[column]) problems[field] = problems[field] ?? REQUIRED;
    else if (!(await isVisible(tx, now))) problems[field] = HIDDEN;
  }
  await checkPeople(context, problems);
  if (now.jump_type === 'url') {
    const url = String(now.jump_url ?? '');
    const hosts = (await platform.settings.list('jump.allowed_hosts')).map(String);
    const target = URL.canParse(url) ? new URL(url) : undefined;
    if (url === '') problems.jumpUrl = REQUIRED;
    else if (target?.protocol !== 'https:')
      problems.jumpUrl = ['须为 https 链接', 'It has to be a https address'];
    else if (!hosts.includes(target.hostname))
      problems.jumpUrl = ['域名不在允许跳转的外部域名内', 'The host is not among the allowed ones'];
  } else columns.jump_url = '';
  if (way !== 'none' && way !== 'url' && !JUMPS[way]) problems.jump = NO_CHOICE;
  refuseProblems(problems);
}

/** Grades there are, and groups of the caller's projects. */
async function checkPeople(
  { tx, caller, input }: ActionContext,
  problems: Record<string, Label>,
): Promise<void> {
  await checkGrades({ tx, input }, problems);
  const groups = [...new Set((input.groups ?? []) as readonly number[])].map(Number);
  if (groups.length === 0) return;
  const parameters = new Parameters();
  const place = placeCondition(
    caller,
    {
      tenant: 'NULL::bigint',
      project: (ids) =>
        `EXISTS (SELECT FROM interest_group_project p WHERE p.group_id = t.id AND p.project_id = ANY(${ids}::bigint[]))`,
    },
    parameters,
  );
  const found = await run(
    tx,
    `SELECT t.id FROM interest_group t WHERE ${place} AND t.id = ANY(${parameters.bind(groups)}::bigint[])`,
    parameters.values,
  );
  if (found.length < groups.length) problems.groups = NO_CHOICE;
}

/** What a push opens may have been hidden since it was written. */
async function requireVisible(tx: Tx, row: Readonly<Record<string, unknown>>): Promise<void> {
  if (!(await isVisible(tx, row))) throw ruleBroken(HIDDEN);
}

/** Whether what a push opens is shown in every project it goes to. */
async function isVisible(db: Executor, row: Readonly<Record<string, unknown>>): Promise<boolean> {
  const way = String(row.jump_type);
  if (way === 'topic' || way === 'activity' || isPost(way))
    return (
      (await runOne(
        db,
        `SELECT 1 AS one WHERE ${visibleTarget(way, '$1::bigint')} AND NOT EXISTS (SELECT FROM unnest($2::bigint[]) AS x (id)
           WHERE NOT ${visibleTarget(way, '$1::bigint', 'x.id')})`,
        [row[JUMPS[way]![1]], row.project_ids ?? []],
      )) !== undefined
    );
  const [id, sql] =
    row.jump_type === 'notice'
      ? [
          row.jump_notice_id,
          `SELECT 1 FROM notice t WHERE t.id = $1 AND t.state = 'published' AND NOT EXISTS (SELECT FROM unnest($2::bigint[]) AS x(id)
               WHERE NOT EXISTS (SELECT FROM notice_project p WHERE p.notice_id = t.id AND p.project_id = x.id))`,
        ]
      : row.jump_type === 'product'
        ? [
            row.jump_product_id,
            `SELECT 1 FROM product t WHERE t.id = $1 AND t.status = 'published' AND t.recycled_at IS NULL AND NOT EXISTS (SELECT FROM unnest($2::bigint[]) AS x(id)
                 WHERE NOT EXISTS (SELECT FROM product_project p WHERE p.product_id = t.id AND p.project_id = x.id))`,
          ]
        : [undefined, ''];
  if (sql === '') return true;
  return (await runOne(db, sql, [id, row.project_ids ?? []])) !== undefined;
}

/** Puts the push into the mailbox and on the phone of the member with the staff's own number, marked as a test. */
async function test({ tx, row, caller }: ActionContext): Promise<ActionResult> {
  const own = await runOne<{ id: number }>(
    tx,
    `SELECT m.id FROM staff s JOIN member m ON m.phone = s.phone WHERE s.id = $1 AND s.phone <> ''`,
    [caller.staffId],
  );
  if (!own)
    throw ruleBroken(['您没有关联的会员（手机号相同）', 'No member is linked to you (the same phone)']);
  for (const channel of [3, 1])
    await run(
      tx,
      `INSERT INTO member_notification (member_id, channel, title_zh, title_en, body_zh, body_en) VALUES ($1, $2, $3, $4, $5, $5)`,
      [own.id, channel, `【测试】${String(row.name)}`, `[Test] ${String(row.name)}`, String(row.body)],
    );
  return {};
}

/** Objects of a kind a push may open, in the caller's projects. */
function targets(
  target: string,
  of: {
    readonly from: string;
    readonly title: string;
    readonly where: string;
    readonly tenant: string;
    readonly project: (ids: string) => string;
  },
): OptionSource {
  return {
    target,
    anyOf: [PUSH_MENU],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [placeCondition(caller, of, parameters)];
      if (query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      else parts.push(of.where);
      if (query.searchVal)
        parts.push(`lower(${of.title}) LIKE ${parameters.bind(containing(query.searchVal.toLowerCase()))}`);
      const rows = await run<{ id: number; title: string }>(
        platform.database.db,
        `SELECT t.id, ${of.title} AS title FROM ${of.from} WHERE ${parts.join(' AND ')} ORDER BY t.id DESC
          LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({ id: String(row.id), title: row.title }));
    },
  };
}
