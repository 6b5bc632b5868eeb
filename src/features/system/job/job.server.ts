import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { checkInput } from '../../../kernel/contract/input.ts';
import { textOf, type Label } from '../../../kernel/contract/label.ts';
import { cronWords, nextDue, parseCron } from '../../../kernel/contract/cron.rules.ts';
import { runOne, transaction, type Tx } from '../../../kernel/server/database.ts';
import { invalid, Refusal, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { endpoint, type Effect, type Job } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { addManualRun, JOB_RUNNING, PAUSE_JOB } from '../../../kernel/server/tasks/job-run.ts';
import { declaredJobs } from '../../../kernel/server/tasks/kernel-jobs.ts';
import { job, type HandlerChoice } from './job.contract.ts';

const BUILT_IN: Label = ['内置任务不能删除，可暂停', 'Built-in jobs cannot be deleted; they can be paused'];
/** Runs of the last week that succeeded or failed. */
const WEEK = `r.job_id = t.id AND r.due_at > now() - interval '7 days'`;

const pauseEffect: Effect = {
  kind: PAUSE_JOB,
  deliver: async (payload: { jobId: number; failures: number }, platform) => {
    await transaction(platform.database.db, (tx) =>
      bound.actAsSystem(tx, platform, 'autoPause', payload.jobId, {
        reason: `连续失败 ${payload.failures} 次`,
      }),
    ).catch((error: unknown) => {
      // Somebody paused or removed it meanwhile.
      if (!(error instanceof Refusal)) throw error;
    });
    platform.changed('job');
  },
};

const bound: BoundResource = bindResource(job, {
  table: 'job',
  scope: { tenant: 'none', project: 'none', owner: 't.owner_id', platformOnly: true },
  joins: { owner: 'staff' },
  columns: {
    ladder: `array_to_string(t.ladder, ',')`,
    successShare: `(SELECT round(100.0 * count(*) FILTER (WHERE r.state = 'success') / nullif(count(*), 0), 2)::text
      FROM job_run r WHERE ${WEEK} AND r.state IN ('success', 'failed', 'timeout'))`,
    p95Ms: `(SELECT (percentile_cont(0.95) WITHIN GROUP (ORDER BY extract(epoch FROM r.ended_at - r.started_at)) * 1000)::bigint
      FROM job_run r WHERE ${WEEK} AND r.state = 'success')`,
  },
  search: `lower(t.code || ' ' || t.name || ' ' || t.name_en || ' ' || t.handler)`,
  writes: { ladder: false },
  words: {
    cron: (value, { language }) => `${String(value)} ${textOf(cronWords(String(value)), language)}`,
  },
  rowRules: { remove: (row) => (row.builtIn ? BUILT_IN : undefined) },
  ruleReads: ['builtIn'],
  createDefaults: async () => ({ code: `custom.${randomBytes(4).toString('hex')}` }),
  before: [checkJob],
  sets: { pause: { next_due_at: null }, autoPause: { next_due_at: null } },
  checks: { remove: refuseRunning },
  handlers: { runOnce, resume },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/admin/job/handlers',
      title: ['可用处理器', 'Handlers'],
      access: { code: job.menu },
      query: z.strictObject({}),
      handle: async ({ platform, facts }): Promise<readonly HandlerChoice[]> =>
        [...handlersOf(platform).values()].map((one) => ({
          name: one.name,
          title: textOf(one.title, facts.language),
          params: one.params ?? null,
        })),
    }),
  ],
  also: { effects: [pauseEffect] },
});

/** Scheduled jobs. */
export const registration = bound.registration;

/** What a job can be made of: everything the release runs by schedule. */
function handlersOf(platform: Platform): ReadonlyMap<string, Job> {
  return new Map(
    declaredJobs(platform.registrations)
      .filter((one) => one.cron !== undefined)
      .map((one) => [one.name, one]),
  );
}

/** Patterns come due, handlers exist, parameters fit them; a new pattern has its next time from now. */
async function checkJob({ action, input, columns, row, tx, platform }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return;
  const problems: Record<string, Label> = {};
  const handlers = handlersOf(platform);
  const handler = String(input.handler ?? row.handler);
  if (input.handler !== undefined) {
    if (row.built_in && handler !== row.handler)
      problems.handler = ['内置任务不能更换处理器', 'The handler of a built-in job is fixed'];
    else if (!handlers.has(handler))
      problems.handler = ['请选择已注册的处理器', 'Please choose a registered handler'];
  }
  if (input.params !== undefined || input.handler !== undefined) {
    const params = input.params === undefined ? row.params : input.params;
    const problem = paramsProblem(handlers.get(handler), params ?? {});
    if (problem) problems.params = problem;
  }
  if ('params' in columns) columns.params = JSON.stringify(input.params ?? {});
  if (input.ladder !== undefined) {
    const ladder = String(input.ladder)
      .split(',')
      .map((one) => Number(one.trim()));
    if (ladder.some((one) => one > 86_400))
      problems.ladder = ['每个间隔最多 86400 秒', 'A wait is at most 86400 seconds'];
    columns.ladder = ladder;
  }
  if (input.cron !== undefined) {
    const pattern = String(input.cron).split(/\s+/).join(' ');
    const next = await nextOf(tx, pattern);
    if (!next)
      problems.cron = [
        '表达式无效：须为五段（分 时 日 月 周）且有下次执行时间',
        'Not a valid pattern: five fields (minute, hour, day, month, weekday) with a next time',
      ];
    columns.cron = pattern;
    if (action === 'create' || (row.state === 'running' && pattern !== row.cron)) columns.next_due_at = next;
  }
  if (Object.keys(problems).length > 0) throw invalid(problems);
}

/** Why these parameters are none of the handler's. */
function paramsProblem(handler: Job | undefined, params: unknown): Label | undefined {
  const fields = handler?.params ?? {};
  const { problems } = checkInput(fields, Object.keys(fields), params);
  const [first] = Object.entries(problems);
  if (!first) return undefined;
  const label = fields[first[0]]?.label;
  return label
    ? [`${label[0]}：${first[1][0]}`, `${label[1]}: ${first[1][1]}`]
    : [`${first[0]}：${first[1][0]}`, `${first[0]}: ${first[1][1]}`];
}

async function nextOf(tx: Tx, pattern: string): Promise<Date | undefined> {
  const cron = parseCron(pattern);
  const now = await runOne<{ at: Date }>(tx, 'SELECT clock_timestamp() AS at');
  return cron && nextDue(cron, now!.at);
}

async function runOnce({ tx, id, row, input, caller, platform }: ActionContext): Promise<ActionResult> {
  const handler = handlersOf(platform).get(String(row.handler));
  if (!handler) throw ruleBroken(['当前版本没有此处理器', 'This release does not have the handler']);
  const problem = input.params ? paramsProblem(handler, input.params) : undefined;
  if (problem) throw invalid({ params: problem });
  const runId = await addManualRun(
    tx,
    { id, allowConcurrent: row.allow_concurrent === true },
    {
      ...(input.params ? { params: input.params } : {}),
      reason: String(input.reason),
      staffId: staffIdOf(caller),
    },
  );
  return { remark: String(input.reason), result: { runId: String(runId) } };
}

async function resume({ tx, row }: ActionContext): Promise<ActionResult> {
  const next = await nextOf(tx, String(row.cron));
  return { set: { next_due_at: next ?? null, failures: 0, late_told_for: null } };
}

async function refuseRunning({ tx, id }: ActionContext): Promise<void> {
  const busy = await runOne(tx, `SELECT FROM job_run WHERE job_id = $1 AND state = 'running' LIMIT 1`, [id]);
  if (busy) throw ruleBroken(JOB_RUNNING);
}
