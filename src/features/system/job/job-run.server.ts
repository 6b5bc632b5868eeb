import { z } from 'zod';
import { run, runOne } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { refuseBeside } from '../../../kernel/server/tasks/job-run.ts';
import { queueRun } from '../../../kernel/server/tasks/job-schedule.ts';
import { jobRun } from './job-run.contract.ts';

const bound = bindResource(jobRun, {
  table: 'job_run',
  from: 'job_run t LEFT JOIN job j ON j.id = t.job_id',
  scope: { tenant: 'none', project: 'none', owner: 't.asked_by', platformOnly: true },
  joins: { job: 'job', askedBy: { table: 'staff', column: 'asked_by' } },
  columns: {
    jobCode: 'j.code',
    jobEn: 'j.name_en',
    ms: "(extract(epoch FROM coalesce(t.ended_at, CASE WHEN t.state = 'running' THEN clock_timestamp() END) - t.started_at) * 1000)::bigint",
    nextTryAt: `CASE WHEN t.state = 'queued' AND t.attempt > 0 THEN t.run_at END`,
  },
  search: 'lower(j.code)',
  handlers: { stop, rerun },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/admin/jobRun/:id/output',
      title: ['运行输出', 'Output of a run'],
      access: { code: jobRun.menu },
      query: z.strictObject({}),
      handle: async (call) => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        const row = (await runOne<{
          state: string;
          output: string;
          stop: boolean;
          tries: readonly unknown[];
        }>(
          call.platform.database.db,
          'SELECT state, output, stop_asked_at IS NOT NULL AS stop, tries FROM job_run WHERE id = $1',
          [id],
        ))!;
        return { state: row.state, output: row.output, stopAsked: row.stop, tries: row.tries };
      },
    }),
  ],
});

/** Runs of jobs. */
export const registration = bound.registration;

/** What waits ends at once; what runs is asked to, and ends as cancelled when its work heeds it. */
async function stop({ tx, id, row }: ActionContext): Promise<ActionResult> {
  if (row.state === 'queued')
    return {
      to: 'cancelled',
      set: { ended_at: new Date() },
      result: { told: '已取消', toldEn: 'Cancelled' },
    };
  await run(
    tx,
    'UPDATE job_run SET stop_asked_at = coalesce(stop_asked_at, clock_timestamp()) WHERE id = $1',
    [id],
  );
  return {
    to: 'running',
    result: {
      told: '已要求停止，处理完当前一批后停下',
      toldEn: 'Asked to stop, it ends after the piece it works at',
    },
  };
}

/** The same due time once more, with all its retries; its earlier try stays in the record. */
async function rerun({ tx, id, row, input, caller }: ActionContext): Promise<ActionResult> {
  const job = (await runOne<{ allow_concurrent: boolean }>(
    tx,
    'SELECT allow_concurrent FROM job WHERE id = $1 FOR NO KEY UPDATE',
    [row.job_id],
  ))!;
  await refuseBeside(tx, { id: Number(row.job_id), allowConcurrent: job.allow_concurrent });
  await run(
    tx,
    `UPDATE job_run SET trigger = 'retry', counted_from = attempt, run_at = clock_timestamp(), ended_at = NULL, stop_asked_at = NULL,
       reason = $2, asked_by = $3, error = '', output = '',
       tries = CASE WHEN attempt = 0 THEN tries ELSE tries || jsonb_build_object('attempt', attempt, 'trigger', trigger, 'instance', instance,
         'startedAt', started_at, 'endedAt', ended_at, 'state', state, 'error', error) END
      WHERE id = $1`,
    [id, String(input.reason), staffIdOf(caller)],
  );
  await queueRun(tx, id);
  return { to: 'queued', remark: String(input.reason) };
}
