import { z } from 'zod';
import { butlerGoodsOptions, requireButlersIn } from '../../../domain/butler/options.server.ts';
import { deliverReminder, remindUnread } from '../../../domain/butler/reminder.server.ts';
import {
  filteredProjects,
  inReach,
  projectsInReach,
  requireProjectsInReach,
} from '../../../domain/permission/project-reach.server.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, transaction, type Executor } from '../../../kernel/server/database.ts';
import { checkAttachable, showFiles } from '../../../kernel/server/files/files.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters } from '../../../kernel/server/people/scope.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { fromInput } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { putFigures, type Figures } from '../figures.server.ts';
import { butlerReminder } from './remind.contract.ts';
import { TODAY } from '../../../kernel/server/today.ts';

const ROOT = '/jinmao/web/butlerReminder';
const APP_SCOPE = 'member_event';
const DAY = 86_400_000;
const NOBODY_UNREAD: Label = ['没有未读的管家', 'Everybody has read it'];
const id = z.string().regex(/^\d{1,15}$/);
const among = (ids: string) =>
  `EXISTS (SELECT FROM butler_reminder_project p WHERE p.reminder_id = t.id AND p.project_id = ANY(${ids}::bigint[]))`;

/** Goods that butlers may share now, in the caller's projects. */
const goods = butlerGoodsOptions({
  target: 'butlerReminderGoods',
  key: 'g.id',
  from: (reach) => `butler_goods g JOIN product p ON p.id = g.product_id WHERE ${reach}`,
  fresh: `g.enabled AND p.status = 'published' AND p.recycled_at IS NULL AND g.valid_from <= ${TODAY} AND (g.valid_to IS NULL OR g.valid_to >= ${TODAY})`,
});

const bound: BoundResource = bindResource(butlerReminder, {
  table: 'butler_reminder',
  links: {
    projects: { table: 'butler_reminder_project', own: 'reminder_id', other: 'project_id', to: 'project' },
  },
  columns: {
    body: 't.body',
    poster: 't.poster_id',
    goods: `(SELECT coalesce(json_agg(json_build_object('id', g.id::text, 'title', p.name) ORDER BY g.id), '[]') FROM butler_reminder_goods x
       JOIN butler_goods g ON g.id = x.goods_id JOIN product p ON p.id = g.product_id WHERE x.reminder_id = t.id)`,
    butlers: `(SELECT coalesce(json_agg(json_build_object('id', k.id::text, 'title', s.name) ORDER BY k.id), '[]') FROM butler_reminder_butler x
       JOIN housekeeper k ON k.id = x.housekeeper_id JOIN staff s ON s.id = k.staff_id WHERE x.reminder_id = t.id)`,
    // What a caller sees of them follows from the projects in reach; see `figures`.
    delivered: '0',
    read: '0',
    shares: '0',
    visitors: '0',
    orders: '0',
    amount: '0::bigint',
    withdrawReason: `nullif(t.withdraw_reason, '')`,
  },
  writes: { poster: 'poster_id', goods: false, butlers: false },
  filters: {
    projects: (value, parameters, caller) =>
      among(parameters.bind(filteredProjects(caller, 'projects', value))),
  },
  scope: { tenant: 'NULL::bigint', project: among, owner: 't.created_by' },
  search: 'lower(t.title)',
  extra: {
    projectIds: 'ARRAY(SELECT p.project_id FROM butler_reminder_project p WHERE p.reminder_id = t.id)',
    sentTime: 't.sent_at',
    remindedTime: 't.reminded_at',
    unread: `EXISTS (SELECT FROM butler_reminder_recipient r JOIN housekeeper k ON k.id = r.housekeeper_id AND k.left_at IS NULL
       WHERE r.reminder_id = t.id AND r.read_at IS NULL)`,
  },
  ruleReads: ['projectIds', 'sentTime', 'remindedTime', 'unread'],
  rowRules: {
    update: inReach,
    send: inReach,
    schedule: inReach,
    cancel: inReach,
    withdraw: (row, caller) =>
      inReach(row, caller) ??
      (row.sentTime && Date.now() - new Date(row.sentTime as string).getTime() > DAY
        ? ['发送已超过 24 小时', 'It was sent more than 24 hours ago']
        : undefined),
    remindUnread: (row, caller) =>
      inReach(row, caller) ??
      (row.remindedTime && Date.now() - new Date(row.remindedTime as string).getTime() < DAY
        ? ['24 小时内已提醒过', 'They were reminded in the last 24 hours']
        : row.unread
          ? undefined
          : NOBODY_UNREAD),
  },
  before: [check],
  after: [
    async ({ action, tx, input }, reminder) => {
      if (action !== 'create' && action !== 'update') return [];
      for (const [name, table, column] of [
        ['goods', 'butler_reminder_goods', 'goods_id'],
        ['butlers', 'butler_reminder_butler', 'housekeeper_id'],
      ] as const) {
        if (!(name in input)) continue;
        await run(tx, `DELETE FROM ${table} WHERE reminder_id = $1`, [reminder]);
        await run(tx, `INSERT INTO ${table} (reminder_id, ${column}) SELECT $1, unnest($2::bigint[])`, [
          reminder,
          [...new Set((input[name] ?? []) as number[])],
        ]);
      }
      return [];
    },
  ],
  sets: { cancel: { send_at: null }, withdraw: { withdraw_reason: fromInput('reason') } },
  handlers: {
    send,
    deliver: send,
    schedule: ({ input }) => {
      const at = new Date(String(input.at));
      if (at.getTime() <= Date.now())
        throw invalid({ at: ['计划时间不能早于现在', 'The time lies in the past'] });
      if (at.getTime() > Date.now() + 30 * DAY)
        throw invalid({ at: ['最多提前 30 天', 'At most 30 days ahead'] });
      return Promise.resolve({ set: { send_at: at } });
    },
    remindUnread: async ({ tx, id: reminder }) => {
      const butlers = await remindUnread(tx, reminder);
      if (butlers === 0) throw ruleBroken(NOBODY_UNREAD);
      return { set: { reminded_at: new Date() }, result: { butlers }, remark: String(butlers) };
    },
  },
  present: async (rows, db, caller) => {
    await showFiles(rows, db, 'poster');
    await figures(rows, db, caller);
    for (const row of rows)
      row.projects = projectsInReach(caller, (row.projects ?? []) as readonly RefValue[]);
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/app/list`,
      title: ['App 管家提醒列表', 'Reminders of a butler for the app'],
      access: { program: APP_SCOPE },
      query: z.strictObject({ butlerId: id }),
      handle: async ({ platform, query }) => {
        const rows = await run<{
          id: number;
          kind: string;
          title: string;
          body: string;
          readAt: Date | null;
        }>(
          platform.database.db,
          `SELECT t.id, t.kind, t.title, t.body, r.read_at AS "readAt" FROM butler_reminder_recipient r JOIN butler_reminder t ON t.id = r.reminder_id
            WHERE r.housekeeper_id = $1 AND t.state = 'sent' ORDER BY t.sent_at DESC LIMIT 100`,
          [Number(query.butlerId)],
        );
        return rows.map((row) => ({ ...row, id: String(row.id) }));
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/app/read`,
      title: ['App 提醒已读', 'A reminder was read, told by the app'],
      access: { program: APP_SCOPE },
      body: z.strictObject({ reminderId: id, butlerId: id }),
      handle: async ({ platform, body }) => {
        await transaction(platform.database.db, async (tx) => {
          const row = await runOne(
            tx,
            `UPDATE butler_reminder_recipient SET read_at = coalesce(read_at, now()) WHERE reminder_id = $1 AND housekeeper_id = $2 RETURNING id`,
            [Number(body.reminderId), Number(body.butlerId)],
          );
          if (!row) throw notFound();
        });
        platform.changed(butlerReminder.name);
        platform.changed('butlerReminderShare');
        return { taken: true };
      },
    }),
  ],
  also: {
    options: [goods],
    jobs: [
      dueJob(() => bound, {
        name: 'butler.reminder',
        title: ['发送管家提醒', 'Reminders to butlers'],
        cron: '* * * * *',
        action: 'deliver',
        when: 't.send_at <= now()',
      }),
    ],
  },
});

/** Reminders to butlers. */
export const registration = bound.registration;

/** Who got and read it, and what came of it, in the projects the caller works in: a reminder may reach further. */
async function figures(rows: readonly DbRow[], db: Executor, caller: Caller): Promise<void> {
  const told = `FROM butler_reminder_recipient r WHERE r.reminder_id = t.id AND ($2::bigint[] IS NULL OR r.project_ids && $2::bigint[])`;
  const inside = '($2::bigint[] IS NULL OR s.project_id = ANY($2::bigint[]))';
  const sold = `FROM butler_performance p JOIN butler_share s ON s.id = p.share_id WHERE s.reminder_id = t.id AND ${inside} AND p.way = 1 AND p.housekeeper_id IS NOT NULL`;
  putFigures(
    rows,
    await run<Figures>(
      db,
      `SELECT t.id, (SELECT count(r.delivered_at)::int ${told}) AS delivered, (SELECT count(r.read_at)::int ${told}) AS read,
              (SELECT count(*)::int FROM butler_share s WHERE s.reminder_id = t.id AND ${inside}) AS shares,
              (SELECT count(DISTINCT v.visitor_key)::int FROM butler_share_visit v JOIN butler_share s ON s.id = v.share_id WHERE s.reminder_id = t.id AND v.counted AND ${inside}) AS visitors,
              (SELECT count(DISTINCT p.order_id)::int ${sold}) AS orders, (SELECT coalesce(sum(p.cash), 0)::bigint ${sold}) AS amount
         FROM unnest($1::bigint[]) t (id)`,
      [rows.map((row) => Number(row.id)), caller.projectIds],
    ),
  );
}

async function send({ tx, id: reminder, platform }: ActionContext): Promise<ActionResult> {
  const open = await runOne<{ kind: string; shut: string | null }>(
    tx,
    `SELECT t.kind, (SELECT p.name FROM butler_reminder_goods x JOIN butler_goods g ON g.id = x.goods_id JOIN product p ON p.id = g.product_id
        WHERE x.reminder_id = t.id AND NOT (g.enabled AND p.status = 'published' AND p.recycled_at IS NULL) ORDER BY g.id LIMIT 1) AS shut
       FROM butler_reminder t WHERE t.id = $1`,
    [reminder],
  );
  if (open!.shut) throw ruleBroken([`“${open!.shut}”当前不可分享`, `${open!.shut} cannot be shared now`]);
  const butlers = await deliverReminder(tx, reminder);
  platform.changed('butlerReminderShare');
  return { set: { sent_at: new Date() }, result: { butlers }, remark: String(butlers) };
}

/** Projects and butlers in reach, goods that may be shared in them, a poster of one's own. */
async function check({ tx, action, input, row, caller }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return;
  if (Array.isArray(input.projects)) requireProjectsInReach(caller, (input.projects as number[]).map(Number));
  const projects = Array.isArray(input.projects)
    ? (input.projects as number[]).map(Number)
    : (
        await run<{ id: number }>(
          tx,
          'SELECT project_id AS id FROM butler_reminder_project WHERE reminder_id = $1',
          [row.id],
        )
      ).map((one) => one.id);
  const kind = String(input.kind ?? row.kind ?? 'share_goods');
  const chosen =
    'goods' in input
      ? [...new Set(((input.goods ?? []) as number[]).map(Number))]
      : (
          await run<{ id: number }>(
            tx,
            'SELECT goods_id AS id FROM butler_reminder_goods WHERE reminder_id = $1',
            [row.id ?? 0],
          )
        ).map((one) => one.id);
  if (kind === 'share_goods' && chosen.length === 0)
    throw invalid({ goods: ['请选择 1–10 个商品', 'Choose 1 to 10 goods'] });
  if (kind !== 'share_goods' && chosen.length > 0)
    throw invalid({ goods: ['仅商品分享可选商品', 'Only a reminder to share has goods'] });
  const parameters = new Parameters();
  const known = await run(
    tx,
    `SELECT g.id FROM butler_goods g WHERE g.id = ANY(${parameters.bind(chosen)}::bigint[]) AND g.enabled
        AND EXISTS (SELECT FROM butler_goods_project x WHERE x.goods_id = g.id AND x.project_id = ANY(${parameters.bind(projects)}::bigint[]))`,
    parameters.values,
  );
  if (known.length < chosen.length)
    throw invalid({
      goods: ['商品在所选项目不可分享', 'The goods are not shared in these projects'],
    });
  await requireButlersIn(tx, input.butlers, projects);
  if (input.poster)
    await checkAttachable(
      tx,
      caller,
      'poster',
      [String(input.poster)],
      row.poster_id ? [String(row.poster_id)] : [],
    );
}
