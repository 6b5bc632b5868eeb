import type { RefValue } from '../../kernel/contract/fields.ts';
import { textOf, type Label } from '../../kernel/contract/label.ts';
import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import { run, runOne, transaction, type Executor, type Tx } from '../../kernel/server/database.ts';
import { invalid, Refusal, ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Caller } from '../../kernel/server/people/caller.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { OptionSource } from '../../kernel/server/registration.ts';
import type { BoundResource } from '../../kernel/server/resource/bind.ts';
import type { Binding, DbRow } from '../../kernel/server/resource/binding.ts';
import { nextCode } from '../../kernel/server/resource/codes.ts';
import type { ActionContext, ActionResult } from '../../kernel/server/resource/run-action.ts';
import { approvable } from '../approval/approvable.server.ts';
import { submitApproval } from '../approval/approve.server.ts';
import {
  filteredProjects,
  projectsInReach,
  requireProjectsInReach,
} from '../permission/project-reach.server.ts';
import { IDENTITIES } from '../residents/registration.rules.ts';
import { estimateOf } from './audience.server.ts';
import { capsOf, openRun, stopRuns, type SendActions } from './dispatch.server.ts';
import { stillFailed } from './failed-recipients.server.ts';
import { CHANNELS, nextTime, type Content, type Repeat } from './message.rules.ts';
import { readPhoneList } from './phones.rules.ts';
import { ENTITY, MESSAGE_SCOPE, type SendMenu } from './send-approval.server.ts';

const REQUIRED: Label = ['此项必填', 'This field is required'];
export const NO_CHOICE: Label = ['没有此选项', 'There is no such choice'];
export const PAST: Label = ['时间不能早于现在', 'The time lies in the past'];
const OUT_OF_REACH: Label = ['包含您无权管理的项目', 'Includes projects outside your scope'];
const NOBODY: Label = ['没有可触达的对象', 'Nobody can be reached'];
const OWN_WORK: Label = [
  '不能审核自己编写或提交的消息',
  'You cannot review a message you wrote or handed in',
];
const NO_FAILED: Label = ['没有失败的接收人', 'There are no failed recipients'];
const NOT_RECURRING: Label = ['尚未开始发送，可直接取消', 'It has not started; cancel it instead'];
const ELSEWHERE: Readonly<Record<string, Label>> = {
  ops_push: ['请在「消息推送」中操作', 'Handle it under “Message push”'],
  event: ['业务触发的消息只能暂停或取消', 'Messages of events can be paused or cancelled only'],
};

/** SQL: ids of a column as references, by the table they point to. */
export const named = (table: string, ids: string, title = 'x.name', joins = '') =>
  `(SELECT coalesce(json_agg(json_build_object('id', x.id::text, 'title', ${title}) ORDER BY x.id), '[]') FROM ${table} x ${joins} WHERE x.id = ANY(${ids}))`;

/** SQL: codes of a column as references with fixed titles, in their order. */
const coded = (column: string, titles: Readonly<Record<number, string>>) =>
  `(SELECT coalesce(jsonb_agg(jsonb_build_object('id', c::text, 'title', CASE c ${Object.entries(titles)
    .map(([value, title]) => `WHEN ${value} THEN '${title}'`)
    .join(' ')} END) ORDER BY o), '[]') FROM unnest(${column}) WITH ORDINALITY AS l(c, o))`;
const WEEK: Readonly<Record<number, Label>> = {
  1: ['周一', 'Mon'],
  2: ['周二', 'Tue'],
  3: ['周三', 'Wed'],
  4: ['周四', 'Thu'],
  5: ['周五', 'Fri'],
  6: ['周六', 'Sat'],
  7: ['周日', 'Sun'],
};
const PEOPLE: Readonly<Record<number, Label>> = Object.fromEntries(
  Object.values(IDENTITIES).map((one) => [one.code, one.label]),
) as Readonly<Record<number, Label>>;
const zh = (labels: Readonly<Record<number, Label>>) =>
  Object.fromEntries(Object.entries(labels).map(([value, label]) => [value, label[0]]));

const count = (states: string, more = '') =>
  `(SELECT count(*)::int FROM message_recipient r WHERE r.send_id = t.id AND r.state IN (${states})${more})`;
const SENT = `'submitted', 'delivered', 'read'`;
const rate = (part: string, whole: string) =>
  `(SELECT round(100.0 * count(*) FILTER (WHERE r.state IN (${part})) / nullif(count(*) FILTER (WHERE r.state ${whole}), 0), 2)::text FROM message_recipient r WHERE r.send_id = t.id)`;

/** Channel codes as a filter: rows that use any of them. */
const byCodes =
  (column: string): NonNullable<Binding['filters']>[string] =>
  (value, parameters) =>
    /^\d{1,15}(,\d{1,15}){0,499}$/.test(value)
      ? `${column} && ${parameters.bind(value.split(',').map(Number))}::bigint[]`
      : NO_CHOICE;

/** Channels as a filter of templates and sends. */
export const channelFilter = byCodes('t.channel_codes');
/** Channels of a template or send as references. */
export const channelColumn = coded('t.channel_codes', zh(CHANNELS));

/** Whether all projects a send stands in are the caller's. */
const inReach = (row: DbRow, caller: Caller): Label | undefined =>
  caller.projectIds === null ||
  (row.placeIds !== null &&
    (row.placeIds as readonly number[]).every((id) => caller.projectIds!.includes(Number(id))))
    ? undefined
    : OUT_OF_REACH;

/** What menus that show sends have in common: columns, rules and the work of their actions. */
export function sendBinding(of: SendMenu, bound: () => BoundResource) {
  const approval = approvable(of.approval, { waiting: 'reviewing', passed: 'scheduled', refused: 'draft' });
  const mine = (row: DbRow, caller: Caller): Label | undefined =>
    row.from === of.origin ? inReach(row, caller) : ELSEWHERE[String(row.from)];
  /** Messages of events are stopped here as well. */
  const stoppable = (row: DbRow, caller: Caller): Label | undefined =>
    row.from === 'event' && of.origin === 'staff' ? inReach(row, caller) : mine(row, caller);
  const otherEyes = (row: DbRow, caller: Caller): Label | undefined =>
    mine(row, caller) ??
    ((row.authors as readonly number[]).some((id) => Number(id) === caller.staffId) ? OWN_WORK : undefined);

  const submit = async ({ tx, platform, id, row, caller, facts }: ActionContext): Promise<ActionResult> => {
    const content = await contentOf(tx, row);
    const estimate = await estimateOf(tx, { id }, await capsOf(platform));
    if (estimate.reachable === 0) throw ruleBroken(NOBODY);
    const next = dueAt(row);
    const set = {
      content: JSON.stringify(content.content),
      template_version: content.version,
      next_at: next,
      estimated: estimate.total,
      submitted_by: caller.staffId,
      reject_reason: '',
    };
    const limit = await platform.settings.numberIn(tx, 'message.review.audience');
    if (!needsReview(row, estimate.total, limit)) return { to: 'scheduled', set };
    await run(tx, 'UPDATE message_send SET estimated = $2, submitted_by = $3 WHERE id = $1', [
      id,
      estimate.total,
      caller.staffId,
    ]);
    const platformId = (await runOne<{ id: number }>(
      tx,
      'SELECT id FROM tenant WHERE kind = 3 ORDER BY id LIMIT 1',
    ))!.id;
    await submitApproval(
      tx,
      platform,
      {
        kind: of.approval,
        bizId: id,
        tenantId: platformId,
        title: [`${of.label[0]} ${String(row.name)}`, `${of.label[1]}: ${String(row.name)}`],
        summary: [
          { label: ['人数', 'People'], value: [String(estimate.total), String(estimate.total)] },
          {
            label: ['可触达', 'Reachable'],
            value: [String(estimate.reachable), String(estimate.reachable)],
          },
        ],
        starterId: caller.staffId,
      },
      { caller, facts },
    );
    return { to: 'reviewing', set };
  };

  return {
    table: 'message_send',
    entity: ENTITY,
    scope: MESSAGE_SCOPE,
    codePrefix: 'MS',
    search: `lower(t.code || ' ' || t.name)`,
    columns: {
      channels: channelColumn,
      projects: named('project', 't.project_ids'),
      buildings: named(
        'building',
        't.building_ids',
        `y.name || ' ' || x.name`,
        'JOIN project y ON y.id = x.project_id',
      ),
      identities: coded('t.identity_codes', zh(PEOPLE)),
      classes: named('product_class', 't.class_ids'),
      excludedProjects: named('project', 't.excluded_project_ids'),
      excludedIdentities: coded('t.excluded_identity_codes', zh(PEOPLE)),
      weekDays: coded('t.week_days', zh(WEEK)),
      values: 't.variable_values',
      // Numbers of members are written, never read back.
      phones: 'NULL::text',
      excludedPhones: 'NULL::text',
      planned: `(SELECT coalesce(nullif(count(*), 0), t.estimated)::int FROM message_recipient r WHERE r.send_id = t.id)`,
      sent: count(SENT),
      delivered: count(`'delivered', 'read'`),
      read: count(`'read'`),
      clicked: count(SENT, ' AND r.clicked_at IS NOT NULL'),
      failed: count(`'failed'`),
      skipped: count(`'skipped'`),
      deliveryRate: rate(`'delivered', 'read'`, `<> 'skipped'`),
      readRate: rate(`'read'`, `IN ('delivered', 'read')`),
      resentOf: {
        id: 't.resent_of_id',
        title: '(SELECT o.name FROM message_send o WHERE o.id = t.resent_of_id)',
      },
    },
    writes: {
      channels: 'channel_codes',
      projects: 'project_ids',
      buildings: 'building_ids',
      identities: 'identity_codes',
      classes: 'class_ids',
      excludedProjects: 'excluded_project_ids',
      excludedIdentities: 'excluded_identity_codes',
      weekDays: 'week_days',
      values: 'variable_values',
      phones: false,
      excludedPhones: false,
    },
    filters: {
      channels: channelFilter,
      projects: (value, parameters, caller) =>
        `t.project_ids && ${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]`,
    },
    abilities: [approval.ability],
    extra: {
      from: 't.origin',
      placeIds: 't.place_ids',
      authors: 'array_remove(ARRAY[t.created_by, t.submitted_by], NULL)',
      recurring: `(t.schedule = 'recurring')`,
      anyFailed: `EXISTS (SELECT FROM message_recipient r WHERE r.send_id = t.id AND ${stillFailed('r')})`,
    },
    ruleReads: ['from', 'placeIds', 'authors', 'recurring', 'anyFailed'],
    rowRules: {
      update: mine,
      submit: mine,
      test: mine,
      approve: otherEyes,
      reject: otherEyes,
      withdraw: mine,
      pause: (row, caller) =>
        stoppable(row, caller) ??
        (row.state === 'scheduled' && row.recurring !== true ? NOT_RECURRING : undefined),
      resume: stoppable,
      cancel: stoppable,
      resend: (row, caller) => mine(row, caller) ?? (row.anyFailed === true ? undefined : NO_FAILED),
    },
    handlers: {
      submit,
      resume: ({ row }: ActionContext) =>
        Promise.resolve({ to: row.schedule === 'recurring' ? 'scheduled' : 'sending' }),
      cancel: async ({ tx, id }: ActionContext) => {
        await stopRuns(tx, id);
        return { set: { finished_at: new Date() } };
      },
      resend,
      startDue: async ({ tx, id, row }: ActionContext) => {
        await openRun(tx, id, row.next_at as Date);
        return { set: { started_at: row.next_at } };
      },
      runDue: async ({ tx, id, row, input }: ActionContext) => {
        // Who comes second finds the next date: its time has not come.
        const next = row.next_at as Date | null;
        if (next?.getTime() !== new Date(input.due as string).getTime())
          throw ruleBroken(['本期已开始', 'This run has started']);
        await openRun(tx, id, row.next_at as Date);
        return {
          set: {
            started_at: row.started_at ?? row.next_at,
            next_at: nextTime(repeatOf(row), row.next_at as Date) ?? null,
          },
        };
      },
      reopen: ({ row }: ActionContext) =>
        Promise.resolve({
          to: row.schedule === 'recurring' ? 'scheduled' : 'sending',
          set: { finished_at: null },
        }),
      finish,
    },
    present: (rows, _db, caller) => {
      for (const row of rows)
        for (const name of ['projects', 'excludedProjects'])
          if (row[name]) row[name] = projectsInReach(caller, row[name] as readonly RefValue[]);
      return Promise.resolve();
    },
    /** Runs actions of sends as the system, for the dispatcher. */
    actions: (platform: Platform): SendActions => ({
      act: (action, id, input) =>
        transaction(platform.database.db, (tx) => bound().actAsSystem(tx, platform, action, id, input))
          .then(() => true)
          .catch((error: unknown) => {
            // Somebody else was first, or it is not through yet.
            if (error instanceof Refusal) return false;
            throw error;
          }),
    }),
  } satisfies Binding & { actions: unknown };
}

/** Grades of an audience have to be there. */
export async function checkGrades(
  { tx, input }: Pick<ActionContext, 'tx' | 'input'>,
  problems: Record<string, Label>,
): Promise<void> {
  const ids = [...new Set((input.grades ?? []) as readonly unknown[])].map(Number);
  if (ids.length === 0) return;
  const found = await run(tx, 'SELECT id FROM grade WHERE id = ANY($1::bigint[])', [ids]);
  if (found.length < ids.length) problems.grades = NO_CHOICE;
}

/** Whether a send has to be reviewed. Source: group 16, states of mm_sendMessage. */
export function needsReview(row: DbRow, people: number, limit: number): boolean {
  const channels = (row.channel_codes as unknown[]).map(Number);
  return people > limit || (row.category === 'marketing' && channels.includes(2));
}

const repeatOf = (row: DbRow): Repeat => ({
  repeats: row.repeats as Repeat['repeats'],
  weekDays: (row.week_days as unknown[]).map(Number),
  monthDay: row.month_day === null ? null : Number(row.month_day),
  atTime: String(row.at_time),
  until: row.until_on === null ? null : String(row.until_on),
});

/** When a send goes out first; a time that passed is refused. */
function dueAt(row: DbRow): Date {
  const now = new Date();
  if (row.schedule === 'at') {
    if ((row.send_at as Date) < now) throw ruleBroken(PAST);
    return row.send_at as Date;
  }
  if (row.schedule === 'now') return now;
  const next = nextTime(repeatOf(row), now);
  if (!next) throw ruleBroken(['截止日期前没有可发送的日期', 'There is no day to send on before it ends']);
  return next;
}

/** The texts of a send as they are now: of its template, or its own. */
async function contentOf(
  db: Executor,
  row: DbRow,
): Promise<{ content: Content & { jumpUrl?: string }; version: number | null }> {
  if (row.template_id === null)
    return { content: freeContent(String(row.title), String(row.body)), version: null };
  const found = (await runOne<Record<string, unknown>>(
    db,
    'SELECT * FROM message_template WHERE id = $1 FOR SHARE',
    [row.template_id],
  ))!;
  if (found.state !== 'enabled') throw ruleBroken(['模板未启用', 'The template is not enabled']);
  return { content: contentOfTemplate(found, row.variable_values), version: Number(found.version_no) };
}

/** The texts of a template (columns of its table) with the values of a send. */
export function contentOfTemplate(
  template: Readonly<Record<string, unknown>>,
  values: unknown,
): Content & { jumpUrl: string } {
  const text = (name: string) => String(template[name] ?? '');
  const or = (name: string, other: string) => text(name) || text(other);
  return {
    inAppTitle: text('in_app_title'),
    inAppTitleEn: or('in_app_title_en', 'in_app_title'),
    inAppBody: text('in_app_body'),
    inAppBodyEn: or('in_app_body_en', 'in_app_body'),
    smsSign: text('sms_sign'),
    smsBody: text('sms_body'),
    pushTitle: text('push_title'),
    pushTitleEn: or('push_title_en', 'push_title'),
    pushBody: text('push_body'),
    pushBodyEn: or('push_body_en', 'push_body'),
    jumpUrl: text('jump_url'),
    variables: (template.variables ?? []) as Content['variables'],
    values: Object.fromEntries(
      ((values ?? []) as readonly { name: string; value: string }[]).map((one) => [one.name, one.value]),
    ),
  };
}

/** A text of its own on every channel; nothing in it is a variable. */
export function freeContent(title: string, body: string): Content {
  const html = `<p>${body.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign]!)}</p>`;
  return {
    inAppTitle: title,
    inAppTitleEn: title,
    inAppBody: html,
    inAppBodyEn: html,
    smsSign: '',
    smsBody: body,
    pushTitle: title,
    pushTitleEn: title,
    pushBody: body,
    pushBodyEn: body,
    variables: [],
    values: {},
  };
}

/** Ends a send of which nothing waits; refused while something does. */
async function finish({ tx, id, row }: ActionContext): Promise<ActionResult> {
  const left = (await runOne<{ open: boolean; reached: boolean }>(
    tx,
    `SELECT EXISTS (SELECT FROM message_run r WHERE r.send_id = $1 AND r.finished_at IS NULL) AS open,
            EXISTS (SELECT FROM message_recipient r WHERE r.send_id = $1 AND r.state IN (${SENT})) AS reached`,
    [id],
  ))!;
  if (left.open || (row.schedule === 'recurring' && row.next_at !== null))
    throw ruleBroken(['仍在发送', 'It is still being sent']);
  return { to: left.reached ? 'done' : 'failed', set: { finished_at: new Date() } };
}

/** Makes a linked send to the failed recipients only; what was reviewed once is not reviewed again. */
async function resend({ tx, id, row, caller }: ActionContext): Promise<ActionResult> {
  // The send is locked: whoever pressed twice at once is told so.
  const open = await runOne<{ code: string }>(
    tx,
    `SELECT code FROM message_send WHERE resent_of_id = $1 AND state IN ('scheduled', 'sending', 'paused')`,
    [id],
  );
  if (open) throw ruleBroken([`补发消息 ${open.code} 尚未发完`, `${open.code} is still sent to them`]);
  const code = await nextCode(tx, 'MS');
  const name = `${String(row.name).slice(0, 50)}（补发）`;
  const made = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO message_send (code, name, origin, tenant_id, category, template_id, template_version, content, title, body, variable_values,
        channel_codes, channel_mode, audience, project_ids, place_ids, reach_ids, merchant_id, schedule, next_at, jump_type, jump_topic_id, jump_notice_id,
        jump_product_id, jump_post_id, jump_activity_id, jump_url, urgent, urgent_reason, estimated, submitted_by, resent_of_id, state, created_by, updated_by)
     SELECT $2, $3, origin, tenant_id, category, template_id, template_version, content, title, body, variable_values,
        channel_codes, 'all', 'failed', project_ids, place_ids, reach_ids, merchant_id, 'now', clock_timestamp(), jump_type, jump_topic_id, jump_notice_id,
        jump_product_id, jump_post_id, jump_activity_id, jump_url, urgent, urgent_reason,
        (SELECT count(*)::int FROM message_recipient r WHERE r.send_id = t.id AND ${stillFailed('r')}), $4, id, 'scheduled', $4, $4
       FROM message_send t WHERE id = $1 RETURNING id`,
    [id, code, name, caller.staffId],
  ))!;
  await writeTimeline(tx, {
    entity: ENTITY,
    entityId: made.id,
    caller,
    action: 'create',
    label: ['补发失败的接收人', 'Sent once more to failed recipients'],
    to: 'scheduled',
    remark: String(row.code),
  });
  return { remark: code, result: { code, id: String(made.id) } };
}

/** Ids that are not among some; told at the field. */
const outside = (value: unknown, known: readonly number[]) =>
  Array.isArray(value) && value.some((one) => !known.includes(Number(one)));

/**
 * Looks at the audience of a create or update, takes over lists of phones, and writes where the send stands. Problems are told at
 * their fields; projects the caller does not work in answer 404.
 */
export async function checkAudience(context: ActionContext, problems: Record<string, Label>): Promise<DbRow> {
  const { input, row, columns, tx, caller, action } = context;
  for (const [name, column, doubles] of [
    ['phones', 'phones', 'phone_doubles'],
    ['excludedPhones', 'excluded_phones', undefined],
  ] as const) {
    const given = input[name];
    if (typeof given !== 'string' || given.trim() === '') continue;
    const read = readPhoneList(given);
    if ('problem' in read) problems[name] = read.problem;
    else {
      columns[column] = read.phones;
      if (doubles) columns[doubles] = read.doubles;
    }
  }
  for (const name of ['projects', 'excludedProjects'])
    if (Array.isArray(input[name])) requireProjectsInReach(caller, input[name] as number[]);
  if (Array.isArray(input.buildings) && input.buildings.length > 0) {
    const found = await run<{ id: number; project_id: number }>(
      tx,
      'SELECT id, project_id FROM building WHERE id = ANY($1::bigint[])',
      [input.buildings],
    );
    requireProjectsInReach(
      caller,
      found.map((one) => one.project_id),
    );
    if (found.length < new Set(input.buildings as number[]).size) problems.buildings = NO_CHOICE;
  }
  if (outside(input.channels, [1, 2, 3, 4])) problems.channels = NO_CHOICE;
  if (outside(input.identities, [1, 2, 3])) problems.identities = NO_CHOICE;
  if (outside(input.excludedIdentities, [1, 2, 3])) problems.excludedIdentities = NO_CHOICE;
  if (outside(input.weekDays, [1, 2, 3, 4, 5, 6, 7])) problems.weekDays = NO_CHOICE;
  if (Array.isArray(input.classes) && input.classes.length > 0) {
    const found = await run(tx, 'SELECT 1 FROM product_class WHERE id = ANY($1::bigint[])', [input.classes]);
    if (found.length < new Set(input.classes as number[]).size) problems.classes = NO_CHOICE;
  }
  const now: DbRow = { ...row, ...columns };
  const none = (value: unknown) => !Array.isArray(value) || value.length === 0;
  if (now.audience === 'phones' && !problems.phones && none(now.phones)) problems.phones = REQUIRED;
  for (const [from, to, field] of [
    ['registered_from', 'registered_to', 'registeredTo'],
    ['active_from', 'active_to', 'activeTo'],
  ] as const)
    if (now[from] && now[to] && String(now[to]) < String(now[from]))
      problems[field] = ['结束不能早于开始', 'The end lies before the start'];
  if (now.schedule === 'at') {
    if (!now.send_at) problems.sendAt = REQUIRED;
    else if ('sendAt' in input && new Date(now.send_at as string | Date) < new Date()) problems.sendAt = PAST;
  }
  if (now.schedule === 'recurring') {
    if (!now.repeats) problems.repeats = REQUIRED;
    if (!now.at_time) problems.atTime = REQUIRED;
    if (now.repeats === 'weekly' && none(now.week_days)) problems.weekDays = REQUIRED;
    if (now.repeats === 'monthly' && !now.month_day) problems.monthDay = REQUIRED;
  }
  if (action === 'create') {
    columns.tenant_id = caller.tenantId;
    columns.merchant_id = caller.tenantKind === 2 ? caller.tenantId : null;
  }
  columns.reach_ids = caller.projectIds;
  const chosen = (now.project_ids ?? []) as readonly number[];
  const narrows = now.audience === 'conditions' && now.join_by !== 'any' && chosen.length > 0;
  columns.place_ids = narrows ? chosen : caller.projectIds;
  return { ...now, ...columns };
}

/** Throws what was found wrong, if anything. */
export function refuseProblems(problems: Readonly<Record<string, Label>>): void {
  if (Object.keys(problems).length > 0) throw invalid(problems);
}

/** Choices of fixed codes as pickers. */
export function codeOptions(
  target: string,
  menus: readonly string[],
  labels: Readonly<Record<number, Label>>,
): OptionSource {
  return {
    target,
    anyOf: menus,
    find: ({ facts }, query) =>
      Promise.resolve(
        Object.entries(labels)
          .map(([id, label]) => ({ id, title: textOf(label, facts.language) }))
          .filter((one) =>
            query.ids.length > 0
              ? query.ids.includes(one.id)
              : one.title.toLowerCase().includes(query.searchVal.toLowerCase()),
          )
          .slice(query.offset, query.offset + query.limit),
      ),
  };
}

/** Pickers of channels, identities and days of the week. */
export const codePickers = (menus: readonly string[]): readonly OptionSource[] => [
  codeOptions('messageChannel', menus, CHANNELS),
  codeOptions('messageIdentity', menus, PEOPLE),
  codeOptions('messageWeekDay', menus, WEEK),
];

/** A recipient of a send gets another try: its run goes on, and so does the send. */
export async function retryRecipient(
  tx: Tx,
  platform: Platform,
  bound: BoundResource,
  recipient: { readonly sendId: number; readonly runId: number },
): Promise<void> {
  await run(tx, 'UPDATE message_run SET finished_at = NULL WHERE id = $1', [recipient.runId]);
  const send = (await runOne<{ state: string }>(
    tx,
    'SELECT state FROM message_send WHERE id = $1 FOR UPDATE',
    [recipient.sendId],
  ))!;
  if (send.state === 'done' || send.state === 'failed')
    await bound.actAsSystem(tx, platform, 'reopen', recipient.sendId);
}
