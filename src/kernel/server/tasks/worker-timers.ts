import { sealAudit } from '../audit/audit-seal.ts';
import { run } from '../database.ts';
import { recoverRuns } from './job-run.ts';
import { LATE_MS } from './job-plan.rules.ts';
import { scheduleDue, watchLate } from './job-schedule.ts';
import { sweepOutbox } from './outbox.ts';
import { failureFacts } from '../http/failure-facts.ts';
import type { Platform } from '../platform.ts';
import { recoverTasks } from './task-recovery.ts';

/**
 * Starts what runs more often than a schedule's minute: the schedule itself, audit sealing, and the recovery of effects, tasks and
 * jobs whose worker died. Every piece may run in several workers at once. The returned function stops all and waits for them.
 */
export function startTimers(platform: Platform, workerIds: ReadonlySet<string>): () => Promise<void> {
  const timers = [
    every(2, 'job.schedule', () => scheduleDue(platform), platform),
    every(15, 'job.recoverRuns', () => recoverRuns(platform), platform),
    every(3, 'audit.seal', () => sealAll(platform), platform),
    every(10, 'job.heartbeat', () => keepJobs(platform, workerIds), platform),
    every(15, 'outbox.sweep', () => sweepOutbox(platform), platform),
    every(15, 'task.recover', () => recoverTasks(platform), platform),
    every(20, 'job.recover', () => recoverJobs(platform), platform),
  ];
  return async () => {
    await Promise.all(timers.map((stop) => stop()));
  };
}

/** Looks for due times nobody took up, in a process that lives on without the worker; not before one could have done so. */
export function watchSchedule(platform: Platform): () => Promise<void> {
  const from = Date.now() + LATE_MS;
  return every(30, 'job.watch', async () => (Date.now() < from ? [] : watchLate(platform)), platform);
}

/**
 * Gives jobs of dead workers back to the queue and returns how many workers were dead. The queue itself would wait four
 * hours: it cannot tell a dead worker from a slow one. A living worker renews the locks of its jobs every 10 seconds.
 */
export async function recoverJobs(platform: Platform): Promise<number> {
  const rows = await run<{ worker: string }>(
    platform.database.db,
    `WITH dead AS (
       SELECT locked_by FROM graphile_worker._private_jobs WHERE locked_at < now() - interval '60 seconds'
       UNION
       SELECT locked_by FROM graphile_worker._private_job_queues WHERE locked_at < now() - interval '60 seconds')
     SELECT locked_by AS worker, graphile_worker.force_unlock_workers(ARRAY[locked_by]) FROM dead`,
  );
  if (rows.length > 0)
    platform.log.warn({ workers: rows.map((row) => row.worker) }, 'jobs of dead workers were freed');
  return rows.length;
}

async function keepJobs(platform: Platform, workerIds: ReadonlySet<string>): Promise<void> {
  if (workerIds.size === 0) return;
  const ids = [...workerIds];
  for (const table of ['_private_jobs', '_private_job_queues'])
    await run(
      platform.database.db,
      `UPDATE graphile_worker.${table} SET locked_at = now() WHERE locked_by = ANY($1) AND locked_at IS NOT NULL`,
      [ids],
    );
}

async function sealAll(platform: Platform): Promise<void> {
  while ((await sealAudit(platform.database.db, 1000, { dataDir: platform.config.dataDir })) === 1000);
}

/** Repeats `work` with pauses of the given seconds, the first time at once; failures are logged and do not end it. */
function every(
  seconds: number,
  name: string,
  work: () => Promise<unknown>,
  platform: Platform,
): () => Promise<void> {
  let stopped = false;
  let wake = () => {};
  const loop = async () => {
    while (!stopped) {
      await work().catch((error: unknown) =>
        platform.log.error({ err: failureFacts(error), timer: name }, 'timer failed'),
      );
      if (stopped) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, seconds * 1000);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };
  const ended = loop();
  return () => {
    stopped = true;
    wake();
    return ended;
  };
}
