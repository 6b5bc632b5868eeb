import type { RefValue } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf, type Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, placeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { endpoint, type OptionSource } from '../../../kernel/server/registration.ts';
import { NOW } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { belowTaken, FREE_HOURS, OUT_OF_REACH, OVER } from '../../../domain/activity/activity.rules.ts';
import { cancelAll, codeOf, ticketOf } from '../../../domain/activity/activity.server.ts';
import { phaseSql, promoteWaiting, tellSigned } from '../../../domain/activity/activity-seats.server.ts';
import { activityJob } from './activity-job.server.ts';
import { filteredProjects, projectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { checkPictures, picturesOf } from '../../property/picture-columns.server.ts';
import { activity, type CheckInSheet } from './activity.contract.ts';

const MENU = activity.menu;
const LIVE = ['pending_payment', 'signed', 'waiting'];

/** Refuses what changes an activity that also lies in projects the caller does not work in. */
const inReach = (row: DbRow, caller: Caller): Label | undefined =>
  caller.projectIds === null ||
  (row.projectIds as readonly number[]).every((id) => caller.projectIds!.includes(Number(id)))
    ? undefined
    : OUT_OF_REACH;

const beforeEnd = (row: DbRow, caller: Caller): Label | undefined =>
  inReach(row, caller) ?? (row.phase === 'over' ? OVER : undefined);

/** An activity lies in all its projects. */
const SCOPE: ScopeColumns = {
  tenant: 'NULL::bigint',
  project: (ids) =>
    `EXISTS (SELECT FROM activity_project sp WHERE sp.activity_id = t.id AND sp.project_id = ANY(${ids}::bigint[]))`,
  owner: 't.created_by',
};

const seatsOf = (condition: string): string =>
  `(SELECT coalesce(sum(s.seats), 0)::integer FROM activity_signup s WHERE s.activity_id = t.id AND ${condition})`;
const SIGNED = seatsOf(`s.state = 'signed'`);
const CAME = seatsOf('s.checked_in_at IS NOT NULL');

/** Published groups of projects the caller works in; those of an activity keep their names when they are withdrawn. */
const groups: OptionSource = {
  target: 'groupForActivity',
  anyOf: [MENU],
  find: async ({ caller, platform }, query) => {
    const parameters = new Parameters();
    const parts = [
      placeCondition(
        caller,
        {
          tenant: 'NULL::bigint',
          project: (ids: string) =>
            `EXISTS (SELECT FROM interest_group_project p WHERE p.group_id = g.id AND p.project_id = ANY(${ids}::bigint[]))`,
        },
        parameters,
      ),
      query.ids.length > 0
        ? `g.state <> 'draft' AND g.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`
        : `g.state = 'published'`,
    ];
    if (query.searchVal) parts.push(`g.name ILIKE ${parameters.bind(containing(query.searchVal))}`);
    const rows = await run<{ id: number; title: string }>(
      platform.database.db,
      `SELECT g.id, g.name AS title FROM interest_group g WHERE ${parts.join(' AND ')} ORDER BY g.name, g.id
        LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
      parameters.values,
    );
    return rows.map((row) => ({ id: String(row.id), title: row.title }));
  },
};

const bound: BoundResource = bindResource(activity, {
  table: 'activity',
  links: {
    projects: { table: 'activity_project', own: 'activity_id', other: 'project_id', to: 'project' },
    groups: { table: 'activity_group', own: 'activity_id', other: 'group_id', to: 'interest_group' },
  },
  columns: {
    cover: `(${picturesOf('ARRAY[t.cover_id]')}->0)`,
    content: 'NULL::text',
    free: '(t.cost = 0)',
    cost: 'nullif(t.cost, 0)',
    signed: SIGNED,
    waiting: seatsOf(`s.state = 'waiting'`),
    came: CAME,
    signRate: `round(100.0 * ${SIGNED} / nullif(t.person_limit, 0), 2)`,
    attendance: `round(100.0 * ${CAME} / nullif(${SIGNED}, 0), 2)`,
    income: `(SELECT coalesce(sum(o.payable - o.cash_refunded), 0)::bigint FROM activity_signup s JOIN sales_order o ON o.id = s.order_id
       WHERE s.activity_id = t.id AND o.paid_at IS NOT NULL)`,
    phase: phaseSql('t'),
    withdrawReason: `nullif(t.withdraw_reason, '')`,
  },
  writes: { cover: 'cover_id', content: 'content_html', free: false },
  filters: {
    projects: (value, parameters, caller) =>
      `EXISTS (SELECT FROM activity_project p WHERE p.activity_id = t.id AND p.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
  },
  scope: SCOPE,
  search: 'lower(t.title)',
  extra: {
    projectIds: 'ARRAY(SELECT rp.project_id FROM activity_project rp WHERE rp.activity_id = t.id)',
  },
  ruleReads: ['projectIds', 'phase'],
  rowRules: {
    update: beforeEnd,
    publish: inReach,
    withdraw: beforeEnd,
    remove: inReach,
    copy: inReach,
    notice: inReach,
    qr: (row) => (row.phase === 'over' ? OVER : undefined),
  },
  before: [check],
  after: [afterWrite],
  checks: {
    publish: ({ row }) => {
      if ((row.deadline as Date) <= new Date())
        throw ruleBroken(['报名截止时间已过', 'The sign-up deadline has passed']);
    },
  },
  sets: { publish: { published_at: NOW } },
  handlers: {
    withdraw: async ({ tx, platform, id, input }) => {
      const n = await cancelAll(tx, platform, { activityId: id, reason: String(input.reason) });
      platform.changed('activitySignup');
      return {
        remark: String(input.reason),
        set: { withdraw_reason: input.reason },
        result: { n },
      };
    },
    notice: async ({ tx, id, input }) => {
      const states = input.to === 'all' ? ['signed', 'waiting'] : [String(input.to)];
      const n = await tellSigned(tx, { activityId: id, states }, String(input.body));
      return { remark: `${n} 人 / people：${String(input.body)}`.slice(0, 200), result: { n } };
    },
    remind: async ({ tx, id, row }) => {
      const n = await tellSigned(
        tx,
        { activityId: id, states: ['signed'] },
        `即将开始，地点：${String(row.address)}。请准时参加。`,
      );
      await run(tx, 'UPDATE activity SET reminded = true WHERE id = $1', [id]);
      return { remark: `${n} 人 / people` };
    },
    copy,
  },
  present: (rows, _db, caller) => {
    for (const row of rows)
      row.projects = projectsInReach(caller, (row.projects ?? []) as readonly RefValue[]);
    return Promise.resolve();
  },
  detail: async (db, id) => ({
    content: (await runOne<{ content_html: string }>(db, 'SELECT content_html FROM activity WHERE id = $1', [
      id,
    ]))!.content_html,
  }),
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/activity/:id/checkIn',
      title: ['活动签到码', 'Check-in code of an activity'],
      access: { code: `${MENU}:btn_qr` },
      handle: async (call): Promise<CheckInSheet> => {
        const id = idOf(call.params.id);
        const row = await bound.detail(call, id);
        const before = await call.platform.settings.number('activity.checkin_before');
        return {
          ticket: ticketOf(call.platform.config, id),
          code: codeOf(call.platform.config, id),
          from: new Date(Date.parse(String(row.startsAt)) - before * 60_000).toISOString(),
          until: String(row.endsAt),
        };
      },
    }),
  ],
  also: {
    options: [groups],
    jobs: [activityJob(() => bound)],
    invariants: [
      {
        name: 'activity.seats',
        check: async (platform) => {
          const { db } = platform.database;
          const looked = await runOne<{ n: number }>(db, 'SELECT count(*)::int AS n FROM activity');
          const rows = await run<{ id: number; taken: number; seats: number }>(
            db,
            `SELECT a.id, a.taken, coalesce(s.seats, 0)::int AS seats FROM activity a
               LEFT JOIN (SELECT activity_id, sum(seats) AS seats FROM activity_signup WHERE state IN ('signed', 'pending_payment') GROUP BY 1) s ON s.activity_id = a.id
              WHERE a.taken <> coalesce(s.seats, 0) LIMIT 100`,
          );
          return {
            looked: looked!.n,
            problems: rows.map((row) => `activity ${row.id}: seats ${row.taken} <> sign-ups ${row.seats}`),
          };
        },
      },
    ],
  },
});

/** Activities of the neighbourhood. */
export const registration = bound.registration;

/** Times, cost, groups and what stays as it is once somebody has signed up. */
async function check(context: ActionContext): Promise<void> {
  const { tx, action, id, input, columns, row } = context;
  if (action !== 'create' && action !== 'update') return;
  if (typeof input.cover === 'string')
    await checkPictures(context, 'cover', [input.cover], row.cover_id ? [String(row.cover_id)] : []);
  if ('questions' in columns) columns.questions = JSON.stringify(columns.questions ?? []);
  const time = (column: string) =>
    columns[column] === undefined ? (row[column] as Date) : new Date(columns[column] as string | Date);
  const [from, to, until] = [time('starts_at'), time('ends_at'), time('deadline')];
  if (from >= to) throw invalid({ endsAt: ['须晚于开始时间', 'Must be after the start'] });
  if (until > from) throw invalid({ deadline: ['不能晚于开始时间', 'Not after the start'] });
  checkCost(context);
  if (
    ((columns.longitude ?? row.longitude ?? null) === null) !==
    ((columns.latitude ?? row.latitude ?? null) === null)
  )
    throw invalid({ latitude: ['经纬度须同时填写', 'Both longitude and latitude, or none'] });
  await checkAudience(context);
  if (action === 'create') return;
  const limit = Number(columns.person_limit ?? row.person_limit);
  if (limit > 0 && limit < Number(row.taken)) throw invalid({ personLimit: belowTaken(Number(row.taken)) });
  const any = await runOne(tx, 'SELECT 1 AS one FROM activity_signup WHERE activity_id = $1 LIMIT 1', [id]);
  if (!any) return;
  const locked: Label = ['已有报名，不能修改', 'Somebody has signed up: it stays'];
  if (columns.cost !== undefined && Number(columns.cost) !== Number(row.cost))
    throw invalid({ [input.free === undefined ? 'cost' : 'free']: locked });
  if (columns.audience !== undefined && columns.audience !== row.audience)
    throw invalid({ audience: locked });
  for (const [field, table, other] of [
    ['projects', 'activity_project', 'project_id'],
    ['groups', 'activity_group', 'group_id'],
  ] as const) {
    if (!Array.isArray(input[field])) continue;
    const gone = await runOne(
      tx,
      `SELECT 1 AS one FROM ${table} WHERE activity_id = $1 AND NOT ${other} = ANY($2::bigint[]) LIMIT 1`,
      [id, input[field].map(Number)],
    );
    if (gone)
      throw invalid({ [field]: ['已有报名，只能增加', 'Somebody has signed up: only more can be added'] });
  }
}

/** Free activities cost nothing, others something. */
function checkCost({ action, input, columns, row }: ActionContext): void {
  const free = input.free ?? (action === 'create' ? true : Number(row.cost) === 0);
  const cost = columns.cost === undefined ? Number(row.cost ?? 0) : Number(columns.cost ?? 0);
  if (!free && cost === 0) throw invalid({ cost: ['请填写费用', 'Please say the cost'] });
  if (free) columns.cost = 0;
}

/** Groups for the audience groups only, each in one of the projects. */
async function checkAudience({ tx, action, id, input, columns, row }: ActionContext): Promise<void> {
  const audience = columns.audience ?? row.audience;
  const kept = async (table: string, column: string) =>
    action === 'create'
      ? []
      : (
          await run<{ id: number }>(tx, `SELECT ${column} AS id FROM ${table} WHERE activity_id = $1`, [id])
        ).map((one) => one.id);
  const groupIds = Array.isArray(input.groups)
    ? input.groups.map(Number)
    : await kept('activity_group', 'group_id');
  if (audience === 'property') {
    if (groupIds.length > 0)
      throw invalid({ groups: ['对象为物业时不选小组', 'None for the audience property'] });
    return;
  }
  if (groupIds.length === 0) throw invalid({ groups: ['请选择小组', 'Please choose groups'] });
  const projectIds = Array.isArray(input.projects)
    ? input.projects.map(Number)
    : await kept('activity_project', 'project_id');
  const strange = await runOne<{ name: string }>(
    tx,
    `SELECT g.name FROM interest_group g WHERE g.id = ANY($1::bigint[]) AND NOT EXISTS (
       SELECT FROM interest_group_project p WHERE p.group_id = g.id AND p.project_id = ANY($2::bigint[])) LIMIT 1`,
    [groupIds, projectIds],
  );
  if (strange)
    throw invalid({
      groups: [
        `小组「${strange.name}」不在所选项目`,
        `The group “${strange.name}” lies in none of the projects`,
      ],
    });
}

/** A raised limit lets who waits in; a new time or place is told to everybody, who may then cancel free for a while. */
async function afterWrite({ tx, platform, action, columns, row }: ActionContext, id: number) {
  if (action !== 'update') return [];
  const moved = (['starts_at', 'ends_at'] as const).some(
    (column) =>
      columns[column] !== undefined &&
      new Date(columns[column] as string | Date).getTime() !== (row[column] as Date).getTime(),
  );
  if (moved || (columns.address !== undefined && columns.address !== row.address)) {
    await run(
      tx,
      `UPDATE activity_signup SET free_until = clock_timestamp() + make_interval(hours => $2) WHERE activity_id = $1 AND state = ANY($3::text[])`,
      [id, FREE_HOURS, LIVE],
    );
    await tellSigned(
      tx,
      { activityId: id, states: LIVE },
      `时间或地点有变更，请打开 App 查看；${FREE_HOURS}小时内可免费取消。`,
    );
    // The reminder comes again before the new start.
    if (moved) await run(tx, 'UPDATE activity SET reminded = false WHERE id = $1', [id]);
  }
  if ((await promoteWaiting(tx, platform, id)) > 0) platform.changed('activitySignup');
  return [];
}

/** A new draft with everything but the sign-ups. */
async function copy({ tx, id, row, caller }: ActionContext): Promise<ActionResult> {
  const name = `${String(row.title).slice(0, 37)} 副本`;
  const made = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO activity (title, cover_id, content_html, audience, address, longitude, latitude, starts_at, ends_at, deadline, cost, cancellable,
       cancel_hours, contact, phone, person_limit, most_seats, waiting_list, gives_points, questions, created_by, updated_by)
     SELECT $2, cover_id, content_html, audience, address, longitude, latitude, starts_at, ends_at, deadline, cost, cancellable,
       cancel_hours, contact, phone, person_limit, most_seats, waiting_list, gives_points, questions, $3, $3 FROM activity WHERE id = $1 RETURNING id`,
    [id, name, staffIdOf(caller)],
  ))!;
  for (const [table, other] of [
    ['activity_project', 'project_id'],
    ['activity_group', 'group_id'],
  ])
    await run(tx, `INSERT INTO ${table} SELECT $2, ${other} FROM ${table} WHERE activity_id = $1`, [
      id,
      made.id,
    ]);
  return { result: { name } };
}
