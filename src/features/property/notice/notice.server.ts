import { z } from 'zod';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { textOf, type Label } from '../../../kernel/contract/label.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { forbidden, invalid, notFound } from '../../../kernel/server/http/errors.ts';
import { holds, isSystem, type Caller } from '../../../kernel/server/people/caller.ts';
import { endpoint, type OptionSource, type TodoKind } from '../../../kernel/server/registration.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { inReach as offered } from '../../../kernel/server/resource/abilities/reach.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { filteredProjects, projectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { buildingOptions } from '../../../domain/residents/residents.server.ts';
import { IDENTITIES } from '../../../domain/residents/registration.rules.ts';
import { checkPictures, picturesOf } from '../picture-columns.server.ts';
import {
  appNotices,
  audienceOf,
  deliverNotice,
  markRead,
  remindUnread,
  type AppNotice,
} from './notice-audience.server.ts';
import { notice, NOTICE_TYPES } from './notice.contract.ts';
import { TODAY } from '../../../kernel/server/today.ts';

const ROOT = '/jinmao/web/notice';
/** What the programs behind the owners' app hold. */
const APP_SCOPE = 'member_event';
const idText = z.string().regex(/^\d{1,15}$/);
const OUT_OF_REACH: Label = [
  '该公告含您范围外的小区，不能操作',
  'It is for projects outside your scope, too, and cannot be changed',
];
const OWN_WORK: Label = ['不能审核自己编写或提交的公告', 'You cannot review a notice you wrote or handed in'];
const REMINDED: Label = ['24 小时内已提醒过', 'Reminded within the last 24 hours'];
/** Identities by their code, as they are chosen. */
const BY_CODE = new Map(Object.values(IDENTITIES).map((one) => [one.code as number, one.label as Label]));

/** A notice stands in its projects; merchants see none. */
export const NOTICE_SCOPE = {
  tenant: 'NULL::bigint',
  project: (ids: string) =>
    `EXISTS (SELECT FROM notice_project p WHERE p.notice_id = t.id AND p.project_id = ANY(${ids}::bigint[]))`,
  owner: 't.created_by',
} as const;

const inReach = (row: DbRow, caller: Caller): Label | undefined =>
  caller.projectIds === null ||
  (row.projectIds as readonly number[]).every((id) => caller.projectIds!.includes(Number(id)))
    ? undefined
    : OUT_OF_REACH;
const otherEyes = (row: DbRow, caller: Caller): Label | undefined =>
  inReach(row, caller) ??
  ((row.authors as readonly number[]).some((id) => Number(id) === caller.staffId) ? OWN_WORK : undefined);

const bound: BoundResource = bindResource(notice, {
  table: 'notice',
  joins: { reviewer: { table: 'staff', column: 'reviewer_id' } },
  links: {
    projects: { table: 'notice_project', own: 'notice_id', other: 'project_id', to: 'project' },
    buildings: { table: 'notice_building', own: 'notice_id', other: 'building_id', to: 'building' },
    units: { table: 'notice_unit', own: 'notice_id', other: 'unit_id', to: 'building_unit' },
  },
  columns: {
    body: 'NULL::text',
    images: picturesOf('t.image_ids'),
    identities: `(SELECT coalesce(jsonb_agg(jsonb_build_object('id', c::text, 'title', CASE c WHEN 1 THEN '家属' WHEN 2 THEN '租客' ELSE '业主' END) ORDER BY c DESC), '[]') FROM unnest(t.identity_codes) c)`,
    saveAs: 'NULL::text',
    pinned: `(t.state = 'published' AND coalesce(t.pinned_until > now(), false))`,
    // By project, cut to those of the reader afterwards.
    readers: `(SELECT jsonb_object_agg(x.project_id, jsonb_build_array(x.reached, x.read)) FROM
       (SELECT r.project_id, count(*) AS reached, count(r.read_at) AS read FROM notice_reader r WHERE r.notice_id = t.id GROUP BY r.project_id) x)`,
    readRate: 'NULL::text',
  },
  writes: { body: 'body_html', images: 'image_ids', identities: 'identity_codes', saveAs: false },
  filters: {
    projects: (value, parameters, caller) =>
      `EXISTS (SELECT FROM notice_project p WHERE p.notice_id = t.id AND p.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
  },
  scope: NOTICE_SCOPE,
  search: `lower(t.title || ' ' || t.signature)`,
  extra: {
    projectIds: 'ARRAY(SELECT p.project_id FROM notice_project p WHERE p.notice_id = t.id)',
    authors: `array_remove(ARRAY[t.created_by, t.updated_by, t.submitted_by], NULL)`,
    mayRemind: `(t.reminded_at IS NULL OR t.reminded_at <= now() - interval '24 hours')`,
  },
  ruleReads: ['projectIds', 'authors', 'mayRemind'],
  rowRules: {
    update: inReach,
    publish: inReach,
    approve: otherEyes,
    reject: otherEyes,
    recall: inReach,
    remind: (row, caller) => inReach(row, caller) ?? (row.mayRemind === true ? undefined : REMINDED),
    remove: inReach,
  },
  before: [check],
  handlers: { create, publish, approve, reject, recall, remind, publishDue: published },
  after: [deliver],
  present: async (rows, _db, caller) => {
    for (const row of rows) {
      row.projects = projectsInReach(caller, (row.projects ?? []) as readonly RefValue[]);
      const counts = countsOf(row.readers, caller);
      row.readers = readText(counts);
      row.readRate = rateOf(counts);
    }
  },
  // Up to 20,000 characters a row: only the detail reads them.
  detail: async (db, id) => ({
    body: (await runOne<{ body_html: string }>(db, 'SELECT body_html FROM notice WHERE id = $1', [id]))!
      .body_html,
  }),
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/audience`,
      title: ['公告将送达的住户数', 'How many a notice would reach'],
      access: { anyOf: [`${notice.menu}:btn_publish`, `${notice.menu}:btn_audit`] },
      handle: async (call) => {
        const id = idOf(call.params.id);
        const row = await bound.find(call, id);
        // Numbers of projects somebody does not work in are none of their business.
        if (inReach(row, call.caller)) throw notFound();
        return audienceOf(call.platform.database.db, id);
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/app/list`,
      title: ['App 物业公告列表', 'Notices of the app'],
      access: { program: APP_SCOPE },
      query: z.strictObject({
        memberId: idText,
        page: z.coerce.number().int().min(1).max(1_000).default(1),
        limit: z.coerce.number().int().min(1).max(50).default(10),
      }),
      handle: async ({ platform, query }) =>
        (
          await appNotices(platform.database.db, Number(query.memberId), {
            limit: query.limit,
            offset: (query.page - 1) * query.limit,
          })
        ).map(appWire),
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/app/:id`,
      title: ['App 物业公告详情', 'A notice of the app'],
      access: { program: APP_SCOPE },
      query: z.strictObject({ memberId: idText }),
      handle: async ({ platform, query, params }) => {
        const [row] = await appNotices(platform.database.db, Number(query.memberId), {
          id: idOf(params.id),
          limit: 1,
          offset: 0,
        });
        if (!row) throw notFound();
        return {
          ...appWire(row),
          body: row.body_html,
          images: row.image_ids.map((id) => `/api/file/${id}`),
        };
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/app/read`,
      title: ['App 物业公告阅读与确认', 'A notice read or confirmed'],
      access: { program: APP_SCOPE },
      body: z.strictObject({ id: idText, memberId: idText, confirm: z.boolean().default(false) }),
      handle: async ({ platform, body }) => {
        const marked = await transaction(platform.database.db, (tx) =>
          markRead(tx, { id: Number(body.id), memberId: Number(body.memberId), confirm: body.confirm }),
        );
        if (!marked) throw notFound();
        platform.changed(notice.name);
        platform.changed('noticeReader');
        return { read: true };
      },
    }),
  ],
  also: {
    options: [
      ...buildingOptions([notice.menu]).map((source) => ({
        ...source,
        target: source.target === 'building' ? 'noticeBuilding' : 'noticeUnit',
      })),
      identityOptions(),
    ],
    todos: [toReview()],
    jobs: [
      dueJob(() => bound, {
        name: 'notice.publish',
        title: ['物业公告到时发布', 'Notices whose time has come'],
        cron: '* * * * *',
        action: 'publishDue',
        when: 't.publish_at <= now()',
      }),
      dueJob(() => bound, {
        name: 'notice.expire',
        title: ['物业公告到期', 'Notices whose time is over'],
        cron: '* * * * *',
        action: 'expire',
        when: `t.expires_on < ${TODAY}`,
      }),
    ],
  },
});

/** Property notices. */
export const registration = bound.registration;

type Counts = readonly [reached: number, read: number];

/** Households reached and read, of the projects the caller works in. */
function countsOf(value: unknown, caller: Pick<Caller, 'projectIds'>): Counts {
  const own = projectsInReach(
    caller,
    Object.entries((value ?? {}) as Readonly<Record<string, Counts>>).map(([id, counts]) => ({
      id,
      counts,
    })),
  );
  return own.reduce<Counts>(([reached, read], { counts }) => [reached + counts[0], read + counts[1]], [0, 0]);
}

const readText = ([reached, read]: Counts): string => (reached === 0 ? '' : `${read}/${reached}`);

/** With two decimals, half up in whole numbers. */
const rateOf = ([reached, read]: Counts): string | null =>
  reached === 0 ? null : (Math.floor((read * 20_000 + reached) / (2 * reached)) / 100).toFixed(2);

function appWire(row: AppNotice) {
  return {
    id: String(row.id),
    title: row.title,
    type: row.type,
    typeName: NOTICE_TYPES[row.type].label[0],
    importance: Number(row.importance),
    signature: row.signature,
    publishTime: isoInstant(row.published_at),
    pinned: row.pinned,
    needsConfirmation: row.needs_confirmation,
    read: row.read,
    confirmed: row.confirmed,
  };
}

function identityOptions(): OptionSource {
  return {
    target: 'noticeIdentity',
    anyOf: [notice.menu],
    find: async ({ facts }, query) =>
      [...BY_CODE]
        .map(([code, label]) => ({ id: String(code), title: textOf(label, facts.language) }))
        .filter((one) =>
          query.ids.length > 0
            ? query.ids.includes(one.id)
            : one.title.toLowerCase().includes(query.searchVal.toLowerCase()),
        )
        .slice(query.offset, query.offset + query.limit),
  };
}

/** Notices somebody else wrote that wait for a review. */
function toReview(): TodoKind {
  return {
    kind: 'notice',
    label: ['公告待审核', 'Notices to review'],
    menu: notice.menu,
    route: '/companymanager/cs_pronotice?state=reviewing',
    order: 40,
    count: async ({ caller, platform }) => {
      const parameters = new Parameters();
      const row = await runOne<{ count: number; oldest: Date | null; overdue: number }>(
        platform.database.db,
        `SELECT count(*) AS count, min(t.updated_at) AS oldest, 0 AS overdue FROM notice t
          WHERE t.state = 'reviewing' AND ${scopeCondition(caller, notice.menu, NOTICE_SCOPE, parameters)}`,
        parameters.values,
      );
      return row!;
    },
  };
}

/** Audience, times, pictures and signature fit together. What a change leaves out counts as it stands. */
async function check(context: ActionContext): Promise<void> {
  const { action, input, row, id, tx, columns } = context;
  if (action !== 'create' && action !== 'update') return;
  if (Array.isArray(input.images))
    await checkPictures(context, 'images', input.images as string[], (row.image_ids ?? []) as string[]);
  const linked = async (name: 'projects' | 'buildings' | 'units', table: string, column: string) =>
    Array.isArray(input[name])
      ? (input[name] as number[])
      : id === 0
        ? []
        : (
            await run<{ id: number }>(tx, `SELECT ${column} AS id FROM ${table} WHERE notice_id = $1`, [id])
          ).map((one) => one.id);
  const projects = await linked('projects', 'notice_project', 'project_id');
  const buildings = await linked('buildings', 'notice_building', 'building_id');
  const units = await linked('units', 'notice_unit', 'unit_id');
  const problems: Record<string, Label> = {};
  const outside = await runOne<{ buildings: boolean; units: boolean }>(
    tx,
    `SELECT EXISTS (SELECT FROM building b WHERE b.id = ANY($2::bigint[]) AND b.project_id <> ALL($1::bigint[])) AS buildings,
            EXISTS (SELECT FROM building_unit u WHERE u.id = ANY($3::bigint[]) AND u.building_id <> ALL($2::bigint[])) AS units`,
    [projects, buildings, units],
  );
  if (outside!.buildings) problems.buildings = ['楼栋不在所选项目内', 'Not in the chosen projects'];
  if (outside!.units) problems.units = ['单元不在所选楼栋内', 'Not in the chosen buildings'];
  if ((input.identities as number[] | undefined)?.some((code) => !BY_CODE.has(code)))
    problems.identities = ['没有此选项', 'There is no such choice'];
  const clock = await runOne<{ expires: boolean; early: boolean; pinned: boolean }>(
    tx,
    `SELECT $2::date < ${TODAY} AS expires, $2::date < ($1::timestamptz AT TIME ZONE 'Asia/Shanghai')::date AS early, $3::timestamptz <= now() AS pinned`,
    [
      'publishAt' in input ? (input.publishAt ?? null) : (row.publish_at ?? null),
      'expiresOn' in input ? (input.expiresOn ?? null) : (row.expires_on ?? null),
      input.pinnedUntil ?? null,
    ],
  );
  if (clock!.expires) problems.expiresOn = ['有效期已过', 'The day has passed'];
  else if (clock!.early) problems.expiresOn = ['不能早于发布时间', 'Not before it is published'];
  if (clock!.pinned) problems.pinnedUntil = ['置顶时间已过', 'The time has passed'];
  if (Object.keys(problems).length > 0) throw invalid(problems);
  const signature = input.signature === undefined ? (row.signature ?? '') : (input.signature ?? '');
  if (String(signature).trim() === '') columns.signature = await signatureOf(tx, projects);
}

/** The name of the project, or the names of several as far as they fit. */
async function signatureOf(tx: ActionContext['tx'], projects: readonly number[]): Promise<string> {
  const rows = await run<{ name: string }>(
    tx,
    'SELECT name FROM project WHERE id = ANY($1::bigint[]) ORDER BY id',
    [projects],
  );
  return rows
    .map((one) => one.name)
    .join('、')
    .slice(0, 60);
}

async function create(context: ActionContext): Promise<ActionResult> {
  if (context.input.saveAs !== 'publish') return { to: 'draft' };
  if (!holds(context.caller, `${notice.menu}:btn_publish`)) throw forbidden();
  return handIn(
    context,
    context.input.projects as number[],
    (context.input.publishAt ?? null) as string | null,
  );
}

async function publish(context: ActionContext): Promise<ActionResult> {
  const projects = await run<{ id: number }>(
    context.tx,
    'SELECT project_id AS id FROM notice_project WHERE notice_id = $1',
    [context.id],
  );
  await refuseOver(context);
  return handIn(
    context,
    projects.map((one) => one.id),
    context.row.publish_at as string | null,
  );
}

/** To the reviewer where one of the projects wants a review, else on its way. */
async function handIn(
  context: ActionContext,
  projects: readonly number[],
  publishAt: string | null,
): Promise<ActionResult> {
  const { platform, caller } = context;
  for (const projectId of projects)
    if (await platform.settings.flag('notice.review', { projectId }))
      return {
        to: 'reviewing',
        set: { submitted_by: isSystem(caller) ? null : caller.staffId, reject_reason: '' },
        event: ['提交审核', 'Handed in for review'],
      };
  return goOut(context, publishAt);
}

/** Scheduled for its time, or published now. */
async function goOut(context: ActionContext, publishAt: string | null): Promise<ActionResult> {
  const clock = await runOne<{ later: boolean }>(
    context.tx,
    'SELECT coalesce($1::timestamptz > now(), false) AS later',
    [publishAt],
  );
  if (clock!.later) return { to: 'scheduled', set: { reject_reason: '' }, event: ['定时发布', 'Scheduled'] };
  const now = await published(context);
  // At once: whatever time stood there has passed.
  return { to: 'published', set: { ...now.set, publish_at: now.set!.published_at, reject_reason: '' } };
}

async function published({ tx }: Pick<ActionContext, 'tx'>): Promise<ActionResult> {
  const clock = await runOne<{ now: Date }>(tx, 'SELECT clock_timestamp() AS now');
  return { set: { published_at: clock!.now } };
}

async function refuseOver({ tx, row }: ActionContext): Promise<void> {
  const clock = await runOne<{ over: boolean }>(tx, `SELECT $1::date < ${TODAY} AS over`, [
    row.expires_on ?? null,
  ]);
  if (clock!.over)
    throw invalid({ expiresOn: ['有效期已过，请修改后再发布', 'It has expired, please change it'] });
}

async function approve(context: ActionContext): Promise<ActionResult> {
  await refuseOver(context);
  const out = await goOut(context, context.row.publish_at as string | null);
  return { to: out.to!, set: { ...out.set, ...(await reviewed(context)) }, event: ['审核通过', 'Passed'] };
}

async function reject(context: ActionContext): Promise<ActionResult> {
  const reason = String(context.input.reason);
  return { set: { ...(await reviewed(context)), reject_reason: reason }, remark: reason };
}

async function reviewed({ tx, caller }: ActionContext) {
  const clock = await runOne<{ now: Date }>(tx, 'SELECT clock_timestamp() AS now');
  return { reviewer_id: caller.staffId, reviewed_at: clock!.now };
}

async function recall({ tx, input }: ActionContext): Promise<ActionResult> {
  const clock = await runOne<{ now: Date }>(tx, 'SELECT clock_timestamp() AS now');
  const reason = String(input.reason);
  return { set: { recall_reason: reason, recalled_at: clock!.now }, remark: reason };
}

async function remind({ tx, row, id }: ActionContext): Promise<ActionResult> {
  const n = await remindUnread(tx, {
    id,
    title: String(row.title),
    type: row.type as keyof typeof NOTICE_TYPES,
    signature: String(row.signature),
  });
  await run(
    tx,
    'UPDATE notice SET reminded_at = clock_timestamp(), reminders = reminders + 1 WHERE id = $1',
    [id],
  );
  return { remark: `${n} 位未读住户 / unread`, result: { n } };
}

/** Whatever has just been published goes to its audience. */
async function deliver(context: ActionContext, id: number) {
  const { tx, action, input } = context;
  if (!['create', 'publish', 'approve', 'publishDue'].includes(action)) return [];
  const row = await runOne<{ state: string }>(tx, 'SELECT state FROM notice WHERE id = $1', [id]);
  if (row?.state !== 'published') return [];
  // Whom a new row is for is written after this hook: here it is needed already.
  if (action === 'create')
    for (const [name, table, column] of [
      ['projects', 'notice_project', 'project_id'],
      ['buildings', 'notice_building', 'building_id'],
      ['units', 'notice_unit', 'unit_id'],
    ] as const) {
      const ids = (input[name] ?? []) as readonly number[];
      await offered(context, notice.fields[name], ids);
      await run(
        tx,
        `INSERT INTO ${table} (notice_id, ${column}) SELECT DISTINCT $1::bigint, x FROM unnest($2::bigint[]) x`,
        [id, ids],
      );
    }
  await deliverNotice(tx, id);
  return [];
}
