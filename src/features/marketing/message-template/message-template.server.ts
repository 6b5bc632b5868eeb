import { membersOf } from '../../../domain/message-send/audience.server.ts';
import {
  rendered,
  smsText,
  undefinedVariable,
  valuesFor,
  type Variable,
} from '../../../domain/message-send/message.rules.ts';
import {
  channelColumn,
  channelFilter,
  contentOfTemplate,
  NO_CHOICE,
  refuseProblems,
} from '../../../domain/message-send/send-binding.server.ts';
import { TEST_PURPOSE } from '../../../domain/message/deliver-message.server.ts';
import { queueSms } from '../../../domain/message/queue-message.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters } from '../../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { checkPictures, picturesOf } from '../../property/picture-columns.server.ts';
import { messageTemplate, TEMPLATE_MENU } from './message-template.contract.ts';

const REQUIRED: Label = ['所选渠道须填写', 'The chosen channel needs it'];
const BOUND: Label = [
  '该事件没有其他启用的模板，不能停用',
  'Its event has no other enabled template, so it cannot be disabled',
];

/** Texts of the form with their columns, in which variables may stand. */
const TEXTS = [
  ['inAppTitle', 'in_app_title'],
  ['inAppTitleEn', 'in_app_title_en'],
  ['inAppBody', 'in_app_body'],
  ['inAppBodyEn', 'in_app_body_en'],
  ['smsBody', 'sms_body'],
  ['smsBodyEn', 'sms_body_en'],
  ['pushTitle', 'push_title'],
  ['pushTitleEn', 'push_title_en'],
  ['pushBody', 'push_body'],
  ['pushBodyEn', 'push_body_en'],
  ['wechatFields', 'wechat_fields'],
  ['jumpUrl', 'jump_url'],
] as const;

/** What each channel has to say at least. */
const NEEDS = {
  1: [TEXTS[0], TEXTS[2]],
  2: [TEXTS[4]],
  3: [TEXTS[6], TEXTS[8]],
  4: [
    ['wechatTemplateId', 'wechat_template_id'],
    ['wechatFields', 'wechat_fields'],
  ],
} as const;

/** SQL: a template (alias) is the platform's. */
const PLATFORMS = (o: string) => `${o}.tenant_id IN (SELECT n.id FROM tenant n WHERE n.kind = 3)`;

/** Templates. */
export const registration = bindResource(messageTemplate, {
  table: 'message_template',
  scope: { tenant: 't.tenant_id', project: 'none', owner: 't.created_by' },
  codePrefix: 'MT',
  search: `lower(t.code || ' ' || t.name)`,
  joins: { event: { table: 'message_event', title: 'title_zh' } },
  columns: {
    channels: channelColumn,
    image: `(${picturesOf('CASE WHEN t.image_id IS NULL THEN ARRAY[]::uuid[] ELSE ARRAY[t.image_id] END')}->0)`,
    used30: `(SELECT count(*)::int FROM message_send s WHERE s.template_id = t.id AND s.content IS NOT NULL AND s.created_at > now() - interval '30 days')`,
    variableNames: `(SELECT coalesce(string_agg(v->>'name', ' ' ORDER BY o), '') FROM jsonb_array_elements(t.variables) WITH ORDINALITY AS l(v, o))`,
  },
  writes: { channels: 'channel_codes', image: 'image_id' },
  filters: { channels: channelFilter },
  extra: {
    // Templates of companies speak for no event.
    alone: `(t.event_id IS NOT NULL AND ${PLATFORMS('t')} AND NOT EXISTS (
      SELECT FROM message_template o WHERE o.event_id = t.event_id AND o.id <> t.id AND o.state = 'enabled' AND ${PLATFORMS('o')}))`,
  },
  ruleReads: ['alone'],
  rowRules: { disable: (row) => (row.alone === true ? BOUND : undefined) },
  usedBy: { message_send: ['消息', 'messages'] },
  createDefaults: (_tx, caller) => Promise.resolve({ tenant_id: caller.tenantId }),
  before: [check],
  handlers: {
    update: ({ row }) =>
      Promise.resolve(row.state === 'enabled' ? { set: { version_no: Number(row.version_no) + 1 } } : {}),
    test,
  },
  also: { options: [events(), testMembers()] },
}).registration;

/** Texts are there for the chosen channels and name known variables only. What a change leaves out counts as it stands. */
async function check({ action, row, columns, platform, tx, caller }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return;
  const problems: Record<string, Label> = {};
  const now: Record<string, unknown> = { ...row, ...columns };
  const codes = ((now.channel_codes ?? []) as unknown[]).map(Number);
  if (codes.some((one) => ![1, 2, 3, 4].includes(one)) || new Set(codes).size < codes.length)
    problems.channels = NO_CHOICE;
  const variables = (now.variables ?? []) as Variable[];
  if ('variables' in columns) columns.variables = JSON.stringify(variables);
  const names = variables.map((one) => one.name);
  if (new Set(names).size < names.length) problems.variables = ['变量重复', 'A variable stands twice'];
  for (const code of codes)
    for (const [field, column] of NEEDS[code as keyof typeof NEEDS] ?? [])
      if (
        String(now[column] ?? '')
          .replace(/<[^>]*>/g, '')
          .trim() === ''
      )
        problems[field] = REQUIRED;
  for (const [field, column] of TEXTS) {
    const bad = undefinedVariable(String(now[column] ?? '').replace(/<[^>]*>/g, ''), names);
    if (bad) problems[field] = bad;
  }
  const url = String(now.jump_url ?? '');
  if (url !== '' && !problems.jumpUrl) {
    const hosts = (await platform.settings.list('jump.allowed_hosts')).map(String);
    const target = URL.canParse(url) ? new URL(url) : undefined;
    if (target?.protocol !== 'https:') problems.jumpUrl = ['须为 https 链接', 'It has to be a https address'];
    else if (!hosts.includes(target.hostname))
      problems.jumpUrl = ['域名不在允许跳转的外部域名内', 'The host is not among the allowed ones'];
  }
  refuseProblems(problems);
  if (columns.image_id)
    await checkPictures(
      { tx, caller },
      'image',
      [String(columns.image_id)],
      row.image_id ? [String(row.image_id)] : [],
    );
}

/** Sends the template with its samples to the own phone, or to members named for it; marked as a test. */
async function test({ tx, row, input, caller }: ActionContext): Promise<ActionResult> {
  const content = contentOfTemplate(row, []);
  const samples = Object.fromEntries(content.variables.map((one) => [one.name, one.sample]));
  const codes = (row.channel_codes as unknown[]).map(Number);
  const ids = (input.members ?? []) as readonly number[];
  const mark = (text: string) => `【测试】${text}`;
  let n = 0;
  const sms = (phone: string, values: Record<string, string>) => {
    n++;
    const body = smsText(rendered(content.smsBody, values), content.smsSign, String(row.category));
    return queueSms(tx, { phone, purpose: TEST_PURPOSE, body: mark(body), params: values });
  };
  if (ids.length === 0) {
    const own = await runOne<{ phone: string; name: string }>(
      tx,
      'SELECT phone, name FROM staff WHERE id = $1',
      [caller.staffId],
    );
    if (!codes.includes(2))
      throw ruleBroken(['模板没有短信渠道，请选择测试会员', 'It has no SMS; name members for the test']);
    if (!own?.phone) throw ruleBroken(['您没有登记手机号', 'You have no phone on record']);
    await sms(own.phone, valuesFor({ ...content, values: samples }, { nickname: own.name, project: '' }));
    return { result: { n } };
  }
  const parameters = new Parameters();
  const reach = reachSql(caller, parameters);
  const known = await run<{ id: number }>(
    tx,
    `SELECT m.id FROM member m WHERE ${reach} AND m.id = ANY(${parameters.bind(ids)}::bigint[])`,
    parameters.values,
  );
  if (known.length < new Set(ids.map(Number)).size) throw invalid({ members: NO_CHOICE });
  for (const member of await membersOf(tx, ids)) {
    const values = valuesFor(
      { ...content, values: samples },
      { nickname: member.nickname, project: member.project },
    );
    if (codes.includes(2) && member.phone) await sms(member.phone, values);
    for (const channel of [1, 3] as const) {
      if (!codes.includes(channel)) continue;
      n++;
      const isPush = channel === 3;
      await run(
        tx,
        `INSERT INTO member_notification (member_id, channel, title_zh, title_en, body_zh, body_en) VALUES ($1, $2, $3, $4, $5, $6)`,
        [
          member.id,
          channel,
          mark(rendered(isPush ? content.pushTitle : content.inAppTitle, values)),
          `[Test] ${rendered(isPush ? content.pushTitleEn : content.inAppTitleEn, values)}`,
          rendered(isPush ? content.pushBody : content.inAppBody, values, { html: !isPush }),
          rendered(isPush ? content.pushBodyEn : content.inAppBodyEn, values, { html: !isPush }),
        ],
      );
    }
  }
  return { result: { n } };
}

/** Notices the product knows. */
function events(): OptionSource {
  return {
    target: 'messageEvent',
    anyOf: [TEMPLATE_MENU],
    find: async ({ platform, facts }, query) => {
      const rows = await run<{ id: number; title_zh: string; title_en: string; code: string }>(
        platform.database.db,
        `SELECT id, title_zh, title_en, code FROM message_event
          WHERE (cardinality($1::bigint[]) = 0 OR id = ANY($1)) AND lower(title_zh || ' ' || title_en) LIKE $2 ORDER BY id LIMIT $3 OFFSET $4`,
        [query.ids.map(Number), containing(query.searchVal.toLowerCase()), query.limit, query.offset],
      );
      return rows.map((row) => ({
        id: String(row.id),
        title: facts.language === 'en' ? row.title_en : row.title_zh,
      }));
    },
  };
}

/** SQL: the member `m` lives in the caller's projects; a merchant knows its own customers only. */
function reachSql(caller: Caller, parameters: Parameters): string {
  const places =
    caller.projectIds === null
      ? 'TRUE'
      : `m.project_id = ANY(${parameters.bind(caller.projectIds)}::bigint[])`;
  return caller.tenantKind === 2
    ? `${places} AND EXISTS (SELECT FROM sales_order s WHERE s.member_id = m.id AND s.tenant_id = ${parameters.bind(caller.tenantId)})`
    : places;
}

/** Members somebody may name for a test: those of the own projects, found by their whole phone or a part of their name. */
function testMembers(): OptionSource {
  return {
    target: 'messageTestMember',
    anyOf: [`${TEMPLATE_MENU}:btn_test`],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [reachSql(caller, parameters)];
      if (query.ids.length > 0) parts.push(`m.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      else if (query.searchVal)
        parts.push(
          `(m.phone = ${parameters.bind(query.searchVal)} OR m.nickname LIKE ${parameters.bind(containing(query.searchVal))})`,
        );
      const rows = await run<{ id: number; nickname: string; phone: string }>(
        platform.database.db,
        `SELECT m.id, coalesce(nullif(m.nickname, ''), m.name) AS nickname, m.phone FROM member m WHERE ${parts.join(' AND ')}
          ORDER BY m.id DESC LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({
        id: String(row.id),
        title: row.nickname.replace(/^(.).*$/, '$1**'),
        note: row.phone.replace(/^(.{3}).*(.{4})$/, '$1****$2'),
      }));
    },
  };
}
