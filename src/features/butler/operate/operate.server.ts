import { z } from 'zod';
import { requireButlersIn } from '../../../domain/butler/options.server.ts';
import { MONEY_METRICS } from '../../../domain/butler/task.rules.ts';
import { behindPace, countTask, enlist, PACE, taskDays } from '../../../domain/butler/task.server.ts';
import { notify } from '../../../domain/notification/notify.server.ts';
import {
  filteredProjects,
  inReach,
  projectsInReach,
  requireProjectsInReach,
} from '../../../domain/permission/project-reach.server.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, transaction, type Executor } from '../../../kernel/server/database.ts';
import { checkAttachable, filesById } from '../../../kernel/server/files/files.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { endpoint, type Job } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { putFigures, type Figures } from '../figures.server.ts';
import { butlerTask, type TaskDays } from './operate.contract.ts';
import { TODAY } from '../../../kernel/server/today.ts';

const ROOT = '/jinmao/web/butlerTask';
const APP_SCOPE = 'member_event';
const FIXED: Label = ['进行中不可修改', 'Fixed while it runs'];
const among = (ids: string) =>
  `EXISTS (SELECT FROM butler_task_project p WHERE p.task_id = t.id AND p.project_id = ANY(${ids}::bigint[]))`;

const bound: BoundResource = bindResource(butlerTask, {
  table: 'butler_task',
  links: { projects: { table: 'butler_task_project', own: 'task_id', other: 'project_id', to: 'project' } },
  columns: {
    count: 't.target_count',
    sum: 't.target_fen',
    goal: `(CASE WHEN t.target_fen IS NOT NULL THEN to_char(t.target_fen / 100.0, 'FM999999999990.00') ELSE t.target_count::text END)`,
    butlers: `(SELECT coalesce(json_agg(json_build_object('id', k.id::text, 'title', s.name) ORDER BY k.id), '[]') FROM butler_task_butler x
       JOIN housekeeper k ON k.id = x.housekeeper_id JOIN staff s ON s.id = k.staff_id WHERE x.task_id = t.id)`,
    reward: 't.reward_fen::bigint',
    body: 't.body_html',
    pictures: 't.image_ids',
    // What a caller sees of them follows from the projects in reach; see `figures`.
    participants: '0',
    reached: '0',
    rate: 'NULL::text',
    stopReason: `nullif(t.stop_reason, '')`,
  },
  writes: {
    count: 'target_count',
    sum: 'target_fen',
    reward: 'reward_fen',
    body: 'body_html',
    pictures: 'image_ids',
    butlers: false,
  },
  filters: {
    projects: (value, parameters, caller) =>
      among(parameters.bind(filteredProjects(caller, 'projects', value))),
  },
  scope: { tenant: 'NULL::bigint', project: among, owner: 't.created_by' },
  search: 'lower(t.title)',
  extra: {
    projectIds: 'ARRAY(SELECT p.project_id FROM butler_task_project p WHERE p.task_id = t.id)',
    over: `(t.to_on < ${TODAY})`,
    behind: `(CASE WHEN t.state = 'running' THEN EXISTS (SELECT FROM butler_task_progress x JOIN housekeeper k ON k.id = x.housekeeper_id AND k.left_at IS NULL
       WHERE x.task_id = t.id AND x.reached_at IS NULL AND x.progress < ${PACE}) ELSE false END)`,
  },
  ruleReads: ['projectIds', 'over', 'behind'],
  rowRules: {
    update: inReach,
    publish: (row, caller) =>
      inReach(row, caller) ?? (row.over ? ['结束日期已过', 'The last day has passed'] : undefined),
    stop: inReach,
    remind: (row, caller) =>
      inReach(row, caller) ?? (row.behind ? undefined : ['没有进度落后的管家', 'No butler is behind']),
  },
  before: [check],
  after: [
    async ({ action, tx, input }, task) => {
      if ((action !== 'create' && action !== 'update') || !('butlers' in input)) return [];
      await run(tx, 'DELETE FROM butler_task_butler WHERE task_id = $1', [task]);
      await run(
        tx,
        'INSERT INTO butler_task_butler (task_id, housekeeper_id) SELECT $1, unnest($2::bigint[])',
        [task, [...new Set(((input.butlers ?? []) as number[]).map(Number))]],
      );
      return [];
    },
  ],
  handlers: {
    publish: async (context) => {
      if (String(dayOf(context.row.from_on)) > businessDayOf(new Date())) return { to: 'waiting' };
      await begin(context);
      return { to: 'running' };
    },
    start: begin,
    end: finish,
    stop: async (context) => {
      const done = context.row.state === 'running' ? await finish(context) : undefined;
      return {
        ...done,
        set: { stop_reason: String(context.input.reason), stopped_at: new Date() },
        remark: String(context.input.reason),
      };
    },
    remind: async ({ tx, id, row }) => {
      const staffIds = await behindPace(tx, id);
      if (staffIds.length === 0) throw ruleBroken(['没有进度落后的管家', 'No butler is behind']);
      await notify(tx, {
        kind: 'butler',
        staffIds,
        title: [`任务进度提醒：${String(row.title)}`, `You are behind: ${String(row.title)}`],
        body: ['进度落后，请抓紧完成', 'Your progress is behind the days that have passed'],
        aboutReceiver: true,
      });
      return { result: { butlers: staffIds.length }, remark: String(staffIds.length) };
    },
  },
  present: async (rows, db, caller) => {
    await figures(rows, db, caller);
    const files = await filesById(
      db,
      rows.flatMap((row) => (row.pictures as string[] | undefined) ?? []),
    );
    for (const row of rows) {
      row.projects = projectsInReach(caller, (row.projects ?? []) as readonly RefValue[]);
      if (row.pictures) row.pictures = (row.pictures as string[]).flatMap((id) => files.get(id) ?? []);
    }
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/days`,
      title: ['任务每日进度', 'Progress of a task by day'],
      access: { code: butlerTask.menu },
      handle: async (call): Promise<TaskDays> => {
        const task = idOf(call.params.id);
        const row = await bound.find(call, task);
        const days = await taskDays(call.platform.database.db, task, call.caller.projectIds);
        const isMoney = MONEY_METRICS.includes(String(row.metric));
        return {
          days: days.map((one) => ({
            day: one.day,
            value: isMoney ? yuanFromFen(one.value) : String(one.value),
          })),
        };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/app/list`,
      title: ['App 管家任务列表', 'Tasks of a butler for the app'],
      access: { program: APP_SCOPE },
      query: z.strictObject({ butlerId: z.string().regex(/^\d{1,15}$/) }),
      handle: async ({ platform, query }) => {
        const rows = await run<{ id: number; title: string }>(
          platform.database.db,
          `SELECT t.id, t.title, t.metric, t.target::text AS target, p.progress::text AS progress, p.rank, p.reached_at AS "reachedAt",
                  t.from_on::text AS "fromOn", t.to_on::text AS "toOn", t.body_html AS "bodyHtml", t.copy_text AS "copyText", t.state
             FROM butler_task_progress p JOIN butler_task t ON t.id = p.task_id WHERE p.housekeeper_id = $1 AND t.state IN ('running', 'ended') ORDER BY t.to_on DESC, t.id DESC LIMIT 50`,
          [Number(query.butlerId)],
        );
        return rows.map((row) => ({ ...row, id: String(row.id) }));
      },
    }),
  ],
  also: {
    jobs: [
      dueJob(() => bound, {
        name: 'butler.task_start',
        title: ['开始管家任务', 'Tasks of butlers begin'],
        cron: '1 16 * * *',
        action: 'start',
        when: `t.from_on <= ${TODAY}`,
      }),
      dueJob(() => bound, {
        name: 'butler.task_end',
        title: ['结束管家任务', 'Tasks of butlers end'],
        cron: '2 16 * * *',
        action: 'end',
        when: `t.to_on < ${TODAY}`,
      }),
      statJob(),
    ],
  },
});

/** Tasks of butlers. */
export const registration = bound.registration;

/** Who takes part and who is there, of the butlers with houses in the projects the caller works in: those of the leaderboard. */
async function figures(rows: readonly DbRow[], db: Executor, caller: Caller): Promise<void> {
  putFigures(
    rows,
    await run<Figures>(
      db,
      `SELECT t.id, count(x.id)::int AS participants, count(x.reached_at)::int AS reached,
              CASE WHEN count(x.id) > 0 THEN round(100.0 * count(x.reached_at) / count(x.id), 1)::text END AS rate
         FROM unnest($1::bigint[]) t (id) LEFT JOIN butler_task_progress x ON x.task_id = t.id AND ($2::bigint[] IS NULL OR x.project_ids && $2::bigint[]) GROUP BY t.id`,
      [rows.map((row) => Number(row.id)), caller.projectIds],
    ),
  );
}

const dayOf = (value: unknown) => (value instanceof Date ? businessDayOf(value) : value);

async function begin({ tx, id, platform }: ActionContext): Promise<ActionResult> {
  const butlers = await enlist(tx, id);
  await countTask(tx, id);
  platform.changed('butlerTaskProgress');
  return { remark: String(butlers) };
}

/** The last count; what comes after it changes nothing. */
async function finish({ tx, id, platform }: ActionContext): Promise<ActionResult> {
  await countTask(tx, id);
  platform.changed('butlerTaskProgress');
  return {};
}

/** Counts what runs, every ten minutes. */
function statJob(): Job {
  return {
    name: 'butler.stat',
    title: ['统计管家任务进度', 'Count the progress of butlers’ tasks'],
    cron: '*/10 * * * *',
    run: async (_payload, platform) => {
      const tasks = await run<{ id: number }>(
        platform.database.db,
        `SELECT id FROM butler_task WHERE state = 'running' ORDER BY id`,
      );
      for (const { id } of tasks) await transaction(platform.database.db, (tx) => countTask(tx, id));
      if (tasks.length > 0) {
        platform.changed(butlerTask.name);
        platform.changed('butlerTaskProgress');
      }
    },
  };
}

/** A target of the metric's kind, days in order, projects and butlers in reach; what runs keeps what it asks for. */
async function check({ tx, action, input, row, caller }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return;
  const now = (name: string, column: string) => (name in input ? input[name] : row[column]) ?? null;
  if (row.state === 'running')
    for (const [name, column] of [
      ['metric', 'metric'],
      ['count', 'target_count'],
      ['sum', 'target_fen'],
      ['fromOn', 'from_on'],
      ['reward', 'reward_fen'],
    ] as const)
      if (name in input && String(input[name] ?? '') !== String(dayOf(row[column]) ?? ''))
        throw invalid({ [name]: FIXED });
  const isMoney = MONEY_METRICS.includes(String(now('metric', 'metric')));
  const [wanted, other] = isMoney
    ? ([
        ['sum', 'target_fen'],
        ['count', 'target_count'],
      ] as const)
    : ([
        ['count', 'target_count'],
        ['sum', 'target_fen'],
      ] as const);
  if (now(wanted[0], wanted[1]) === null) throw invalid({ [wanted[0]]: ['请填写目标', 'Give the target'] });
  if (now(other[0], other[1]) !== null)
    throw invalid({ [other[0]]: ['与指标不符，请留空', 'Not of this metric, leave it empty'] });
  const [from, to] = [String(dayOf(now('fromOn', 'from_on'))), String(dayOf(now('toOn', 'to_on')))];
  if (to < from) throw invalid({ toOn: ['不能早于开始日期', 'Not before the first day'] });
  if (to > addDays(from, 91)) throw invalid({ toOn: ['最长 92 天', 'At most 92 days'] });
  if ('toOn' in input && to < businessDayOf(new Date()))
    throw invalid({ toOn: ['不能早于今天', 'Not before today'] });
  if (Array.isArray(input.projects)) requireProjectsInReach(caller, (input.projects as number[]).map(Number));
  const before = await run<{ id: number }>(
    tx,
    'SELECT project_id AS id FROM butler_task_project WHERE task_id = $1 ORDER BY 1',
    [row.id ?? 0],
  );
  const projects = Array.isArray(input.projects)
    ? (input.projects as number[]).map(Number)
    : before.map((one) => one.id);
  if (
    row.state === 'running' &&
    [...projects].sort((a, b) => a - b).join() !== before.map((one) => Number(one.id)).join()
  )
    throw invalid({ projects: FIXED });
  await requireButlersIn(tx, input.butlers, projects);
  if (Array.isArray(input.pictures))
    await checkAttachable(
      tx,
      caller,
      'pictures',
      (input.pictures as unknown[]).map(String),
      ((row.image_ids ?? []) as string[]).map(String),
    );
}
