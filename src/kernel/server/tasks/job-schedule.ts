import { inBusinessTime, nextDue, nextDues, parseCron } from '../../contract/cron.rules.ts';
import { run, runOne, transaction, type Db, type Tx } from '../database.ts';
import type { Platform } from '../platform.ts';
import type { Job } from '../registration.ts';
import { queueJob } from './job-queue.ts';
import { planDue, LATE_MS } from './job-plan.rules.ts';
import { writeSystemEvent } from './system-event.ts';

/** Name of the queued work that carries out a run; its payload is `{ runId }`. */
export const RUN_JOB = 'job.run';

/** The moment something is done at; the database's clock where tests say nothing. */
export interface At {
  readonly at?: Date;
}

/**
 * Brings the declared jobs into the table: new ones start with the declared pattern, edited ones keep what was edited. With
 * `retire`, built-in jobs this release does not know are taken out of the schedule.
 */
export async function syncJobs(
  db: Db,
  jobs: readonly Job[],
  options: { readonly retire?: boolean } = {},
): Promise<void> {
  const declared = jobs.filter((job) => job.cron !== undefined);
  await transaction(db, async (tx) => {
    await run(tx, `SELECT pg_advisory_xact_lock(hashtext('job.sync'))`);
    for (const job of declared) {
      const pattern = inBusinessTime(job.cron!);
      const cron = parseCron(pattern)!;
      const [one, two] = nextDues(cron, new Date(), 2);
      // The next due time of a job of every minute is its retry.
      const retries = two!.getTime() - one!.getTime() < 600_000 ? 0 : 5;
      const row = await runOne<{ id: number; cron: string; state: string }>(
        tx,
        `INSERT INTO job (code, name, name_en, handler, cron, declared_cron, timeout_seconds, retries, built_in, next_due_at)
         VALUES ($1, $2, $3, $1, $4, $4, $5, $6, true, $7)
         ON CONFLICT (code) DO UPDATE SET handler = excluded.handler, built_in = true, declared_cron = excluded.declared_cron,
             name = CASE WHEN job.updated_by IS NULL THEN excluded.name ELSE job.name END,
             name_en = CASE WHEN job.updated_by IS NULL THEN excluded.name_en ELSE job.name_en END,
             cron = CASE WHEN job.cron = job.declared_cron THEN excluded.cron ELSE job.cron END,
             state = CASE WHEN job.state = 'retired' THEN 'running' ELSE job.state END,
             next_due_at = CASE WHEN job.state = 'retired' OR (job.state = 'running' AND job.cron = job.declared_cron AND job.cron <> excluded.cron)
                                THEN excluded.next_due_at ELSE job.next_due_at END
           WHERE (job.declared_cron, job.state = 'retired', job.built_in) IS DISTINCT FROM (excluded.declared_cron, false, true)
              OR (job.updated_by IS NULL AND (job.name, job.name_en) <> (excluded.name, excluded.name_en))
         RETURNING id, cron, state`,
        [job.name, job.title[0], job.title[1], pattern, job.timeoutSeconds ?? 300, retries, one],
      );
      if (row && row.state === 'running' && row.cron !== pattern)
        await run(tx, 'UPDATE job SET next_due_at = coalesce(next_due_at, $2) WHERE id = $1', [
          row.id,
          nextDue(parseCron(row.cron)!, new Date()),
        ]);
    }
    if (options.retire)
      await run(
        tx,
        `UPDATE job SET state = 'retired', next_due_at = NULL WHERE built_in AND state <> 'retired' AND code <> ALL($1::text[])`,
        [declared.map((job) => job.name)],
      );
  });
}

interface DueJob {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly name_en: string;
  readonly cron: string;
  readonly next_due_at: Date;
  readonly misfire: 'run_once' | 'skip';
  readonly allow_concurrent: boolean;
  readonly owner_id: number | null;
  readonly now: Date;
}

// Jobs taken at once; others wait for the next look.
const BATCH = 50;

/**
 * Makes a run of every due time that has come; each due time becomes one run however many instances look at once. Due times that
 * passed while all were down become one run or are told as missed, with an alert. Returns how many runs were queued.
 */
export async function scheduleDue(platform: Platform, { at }: At = {}): Promise<number> {
  let queued = 0;
  for (;;) {
    const [jobs, runs] = await transaction(platform.database.db, (tx) => scheduleBatch(tx, at));
    queued += runs;
    if (jobs < BATCH) return queued;
  }
}

async function scheduleBatch(tx: Tx, at: Date | undefined): Promise<readonly [jobs: number, runs: number]> {
  const due = await run<DueJob>(
    tx,
    `SELECT id, code, name, name_en, cron, next_due_at, misfire, allow_concurrent, owner_id, coalesce($1::timestamptz, clock_timestamp()) AS now
       FROM job WHERE state = 'running' AND next_due_at <= coalesce($1::timestamptz, clock_timestamp())
      ORDER BY next_due_at, id LIMIT ${BATCH} FOR NO KEY UPDATE SKIP LOCKED`,
    [at ?? null],
  );
  let runs = 0;
  const missed: { job: DueJob; late: number; made: boolean }[] = [];
  for (const job of due) {
    const cron = parseCron(job.cron);
    if (!cron) throw new Error(`job ${job.code}: ${job.cron} is no cron pattern`);
    const plan = planDue(cron, job.next_due_at, job.now, job.misfire);
    for (const one of plan.runs) runs += await addRun(tx, job, one);
    if (plan.left)
      await run(
        tx,
        `INSERT INTO job_run (job_id, due_at, trigger, state, run_at, ended_at, missed)
         VALUES ($1, $2::timestamptz, 'schedule', 'missed', $2::timestamptz, $3, $4) ON CONFLICT (job_id, due_at) DO NOTHING`,
        [job.id, plan.left.due, job.now, plan.left.missed],
      );
    if (plan.late > 0) missed.push({ job, late: plan.late, made: plan.left === undefined });
    await run(tx, 'UPDATE job SET next_due_at = $2 WHERE id = $1', [job.id, plan.next]);
  }
  if (missed.length > 0) await tellMissed(tx, missed);
  return [due.length, runs];
}

/** Queues the run of a due time; of a job that runs one at a time, none beside one that runs and one that waits. */
async function addRun(
  tx: Tx,
  job: DueJob,
  due: { readonly due: Date; readonly trigger: string; readonly missed: number },
): Promise<number> {
  const row = await runOne<{ id: number; state: string }>(
    tx,
    `INSERT INTO job_run (job_id, due_at, trigger, state, run_at, missed, created_at, ended_at, error)
     SELECT $1, $2::timestamptz, $3, CASE WHEN busy THEN 'skipped' ELSE 'queued' END, $2::timestamptz, $4, $6::timestamptz,
            CASE WHEN busy THEN $6::timestamptz END, CASE WHEN busy THEN '上一次运行未结束' ELSE '' END
       FROM (SELECT NOT $5 AND EXISTS (SELECT FROM job_run r WHERE r.job_id = $1 AND r.state = 'running')
                    AND EXISTS (SELECT FROM job_run r WHERE r.job_id = $1 AND r.state = 'queued' AND r.attempt = 0) AS busy) AS x
     ON CONFLICT (job_id, due_at) DO NOTHING RETURNING id, state`,
    [job.id, due.due, due.trigger, due.missed, job.allow_concurrent, job.now],
  );
  if (row?.state !== 'queued') return 0;
  await queueRun(tx, row.id);
  return 1;
}

/** Queues a run that waits, not before the given instant. */
export async function queueRun(tx: Tx, runId: number, runAt?: Date): Promise<void> {
  await queueJob(tx, RUN_JOB, { runId }, { jobKey: `${RUN_JOB}:${runId}`, ...(runAt ? { runAt } : {}) });
}

/** One event for all jobs an outage hit: a restart must not bury people under alerts. */
async function tellMissed(
  tx: Tx,
  missed: readonly { readonly job: DueJob; readonly late: number; readonly made: boolean }[],
): Promise<void> {
  const names = (language: 'name' | 'name_en') =>
    missed
      .slice(0, 5)
      .map(({ job }) => job[language] || job.name)
      .join(language === 'name' ? '、' : ', ');
  const made = missed.filter((one) => one.made).length;
  await writeSystemEvent(tx, {
    kind: 'job_dead',
    level: 'warning',
    text: [
      `停机期间错过 ${missed.length} 个任务的执行时间（补跑 ${made}，漏跑 ${missed.length - made}）：${names('name')}`,
      `${missed.length} jobs were due while nothing ran (${made} made up for, ${missed.length - made} missed): ${names('name_en')}`,
    ],
    detail: { jobs: missed.map(({ job, late, made: run }) => ({ code: job.code, late, made: run })) },
    alert: { staffIds: missed.flatMap(({ job }) => job.owner_id ?? []) },
  });
}

/**
 * Alerts of due times nobody took up in two minutes: no instance schedules, or none has a free place. Once an hour for a job.
 * Runs in the server too, which lives on when the worker does not. Returns the codes told.
 */
export async function watchLate(platform: Platform, { at }: At = {}): Promise<readonly string[]> {
  return transaction(platform.database.db, async (tx) => {
    const late = await run<{ code: string; name: string; name_en: string; owner_id: number | null }>(
      tx,
      `WITH late AS (
         SELECT j.id, least(j.next_due_at, (SELECT min(greatest(r.due_at, r.created_at)) FROM job_run r
                  WHERE r.job_id = j.id AND r.state = 'queued' AND r.attempt = 0 AND r.trigger IN ('schedule', 'makeup'))) AS due
           FROM job j WHERE j.state = 'running')
       UPDATE job SET late_told_for = late.due FROM late
        WHERE job.id = late.id AND late.due < coalesce($1::timestamptz, clock_timestamp()) - make_interval(secs => $2)
          AND (job.late_told_for IS NULL OR job.late_told_for < late.due - interval '1 hour')
        RETURNING job.code, job.name, job.name_en, job.owner_id`,
      [at ?? null, LATE_MS / 1000],
    );
    if (late.length === 0) return [];
    const names = (language: 'name' | 'name_en') =>
      late
        .slice(0, 5)
        .map((job) => job[language] || job.name)
        .join(language === 'name' ? '、' : ', ');
    await writeSystemEvent(tx, {
      kind: 'job_dead',
      level: 'error',
      text: [
        `${late.length} 个任务到期 2 分钟仍未执行：${names('name')}`,
        `${late.length} jobs were not taken up within 2 minutes: ${names('name_en')}`,
      ],
      detail: { jobs: late.map((job) => job.code) },
      alert: { staffIds: late.flatMap((job) => job.owner_id ?? []) },
    });
    return late.map((job) => job.code);
  });
}
