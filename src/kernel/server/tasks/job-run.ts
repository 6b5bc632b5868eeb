import { run, runOne, transaction, type Executor, type Tx } from '../database.ts';
import { failureFacts } from '../http/failure-facts.ts';
import { withoutPersonal } from '../http/log-value.rules.ts';
import { ruleBroken } from '../http/errors.ts';
import { currentTraceId } from '../http/tracing.ts';
import type { Label } from '../../contract/label.ts';
import type { Platform } from '../platform.ts';
import type { Job } from '../registration.ts';
import { ladderSeconds } from './job-plan.rules.ts';
import { queueRun, type At } from './job-schedule.ts';
import { addEffect } from './outbox.ts';
import { INSTANCE, writeSystemEvent } from './system-event.ts';

/** Said when a job that runs one at a time is asked to run beside itself. */
export const JOB_RUNNING: Label = ['任务正在运行', 'Job is running'];

/** Seconds a run may go on after its time-out, to end in order; then it is taken from it. */
export const LEASE_GRACE_SECONDS = 30;

/** Most bytes of output a run keeps. */
export const OUTPUT_BYTES = 65_536;

/** Effect that pauses a job after too many failures; its payload is `{ jobId, failures }`. The feature of the jobs delivers it. */
export const PAUSE_JOB = 'job.autoPause';

/** Why a run has to end. */
export class JobStopped extends Error {
  constructor(readonly why: 'timeout' | 'stopped' | 'worker' | 'lost') {
    super(STOPPED[why]);
  }
}

const STOPPED = {
  timeout: '运行超时',
  stopped: '已被停止',
  worker: '进程即将结束',
  lost: '租约已被收回',
};

/** What carries out runs in a process. */
export interface JobRunner {
  readonly jobs: ReadonlyMap<string, Job>;
  /** Name of the process in the runs; default host and process number. */
  readonly instance?: string;
  /** Ends when the process is about to. */
  readonly stopping?: AbortSignal;
  /** How often output is written and a wish to stop is seen; default every second. */
  readonly beatMs?: number;
}

interface Claimed {
  readonly id: number;
  readonly job_id: number;
  readonly attempt: number;
  readonly counted_from: number;
  readonly due_at: Date;
  readonly trigger: string;
  readonly params: unknown;
  readonly handler: string;
  readonly timeout_seconds: number;
}

type Ending = 'success' | 'failed' | 'timeout' | 'cancelled';

/**
 * Carries out a run that waits. It is held by a lease of its time-out and 30 seconds: whoever dies loses it by then. Returns how
 * the try ended, `waiting` when another run of the job is in the way, or undefined when there was nothing to do.
 */
export async function carryOutRun(
  platform: Platform,
  runner: JobRunner,
  runId: number,
): Promise<Ending | 'waiting' | undefined> {
  const { db } = platform.database;
  const claimed = await claim(db, runner, runId);
  if (claimed === 'waiting' || claimed === undefined) return claimed;
  const outcome = await carryOut(platform, runner, claimed);
  if (outcome === undefined) return undefined;
  return endTry(platform, claimed, outcome);
}

async function claim(
  db: Executor,
  runner: JobRunner,
  runId: number,
): Promise<Claimed | 'waiting' | undefined> {
  try {
    const row = await runOne<Claimed>(
      db,
      `UPDATE job_run r SET state = 'running', attempt = r.attempt + 1, instance = $2, started_at = clock_timestamp(), ended_at = NULL,
              lease_until = clock_timestamp() + make_interval(secs => j.timeout_seconds + ${LEASE_GRACE_SECONDS}),
              exclusive = NOT j.allow_concurrent, stop_asked_at = NULL, output = '', error = '', trace_id = $4
         FROM job j
        WHERE r.id = $1 AND j.id = r.job_id AND r.state = 'queued' AND r.run_at <= clock_timestamp() AND j.handler = ANY($3::text[])
          AND (j.allow_concurrent OR NOT EXISTS (SELECT FROM job_run o WHERE o.job_id = r.job_id AND o.state = 'running'))
        RETURNING r.id, r.job_id, r.attempt, r.counted_from, r.due_at, r.trigger, coalesce(r.params, j.params) AS params, j.handler, j.timeout_seconds`,
      [runId, runner.instance ?? INSTANCE, [...runner.jobs.keys()], currentTraceId()],
    );
    if (row) return row;
  } catch (error) {
    // Two claimed at once: the index of the one that runs alone decided.
    if ((error as { code?: string }).code !== '23505') throw error;
  }
  const waits = await runOne(db, `SELECT FROM job_run WHERE id = $1 AND state = 'queued'`, [runId]);
  return waits ? 'waiting' : undefined;
}

interface Outcome {
  readonly ending: Ending | 'again';
  readonly error: string;
  readonly output: string;
}

async function carryOut(
  platform: Platform,
  runner: JobRunner,
  claimed: Claimed,
): Promise<Outcome | undefined> {
  const job = runner.jobs.get(claimed.handler)!;
  const control = new AbortController();
  const output = collectOutput();
  const stop = (why: JobStopped['why']) => control.abort(new JobStopped(why));
  const worker = () => stop('worker');
  runner.stopping?.addEventListener('abort', worker, { once: true });
  if (runner.stopping?.aborted) worker();
  const deadline = setTimeout(() => stop('timeout'), claimed.timeout_seconds * 1_000);
  let end: NodeJS.Timeout | undefined;
  const leaseEnd = new Promise<never>((_resolve, reject) => {
    end = setTimeout(
      () => reject(control.signal.aborted ? (control.signal.reason as Error) : new JobStopped('timeout')),
      (claimed.timeout_seconds + LEASE_GRACE_SECONDS) * 1_000,
    );
  });
  let beating = Promise.resolve();
  const beat = setInterval(() => {
    beating = beatOnce(platform, claimed, output.text()).then((answer) => {
      if (answer !== 'go') stop(answer);
    });
  }, runner.beatMs ?? 1_000);
  let thrown: unknown;
  let failed = false;
  try {
    const work = job.run(claimed.params ?? {}, platform, {
      runId: claimed.id,
      signal: control.signal,
      print: output.print,
    });
    // One that ends after its lease has nobody left to tell.
    work.catch(() => {});
    await Promise.race([work, leaseEnd]);
  } catch (error) {
    failed = true;
    thrown = error;
  } finally {
    clearTimeout(deadline);
    clearTimeout(end);
    clearInterval(beat);
    runner.stopping?.removeEventListener('abort', worker);
  }
  await beating;
  if (!failed) return { ending: 'success', error: '', output: output.text() };
  const why = control.signal.aborted ? (control.signal.reason as JobStopped).why : undefined;
  if (why === 'lost') return undefined;
  const ending =
    why === 'worker' ? 'again' : why === 'stopped' ? 'cancelled' : why === 'timeout' ? 'timeout' : 'failed';
  if (ending === 'failed')
    platform.log.error(
      { err: failureFacts(thrown), job: claimed.handler, traceId: currentTraceId() },
      'job failed',
    );
  return {
    ending,
    error: ending === 'failed' ? errorText(thrown) : STOPPED[why ?? 'timeout'],
    output: output.text(),
  };
}

/** Lines of a run, the first 64 KB of them. */
function collectOutput() {
  let text = '';
  let bytes = 0;
  let full = false;
  return {
    text: () => text,
    print: (line: string) => {
      if (full) return;
      const piece = `${withoutPersonal(line.replaceAll('\u0000', '').toWellFormed())}\n`;
      const size = Buffer.byteLength(piece);
      if (bytes + size > OUTPUT_BYTES - 16) {
        full = true;
        text += '…\n';
        return;
      }
      text += piece;
      bytes += size;
    },
  };
}

async function beatOnce(
  platform: Platform,
  claimed: Claimed,
  output: string,
): Promise<'go' | 'stopped' | 'lost'> {
  try {
    const row = await runOne<{ stop: boolean }>(
      platform.database.db,
      `UPDATE job_run SET output = $3 WHERE id = $1 AND attempt = $2 AND state = 'running' RETURNING stop_asked_at IS NOT NULL AS stop`,
      [claimed.id, claimed.attempt, output],
    );
    return row ? (row.stop ? 'stopped' : 'go') : 'lost';
  } catch {
    // No database for a moment: the lease decides.
    return 'go';
  }
}

function errorText(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return withoutPersonal(text.replaceAll('\u0000', '').toWellFormed()).slice(0, 1_000);
}

/** Writes how a try ended; a failed one waits for its next try as long as the job allows. */
async function endTry(platform: Platform, claimed: Claimed, outcome: Outcome): Promise<Ending | undefined> {
  return transaction(platform.database.db, async (tx) => {
    const row = await lockTry(tx, claimed.id, claimed.attempt);
    // The lease was taken from it; whoever has it now tells how it ends.
    if (!row) return undefined;
    if (outcome.ending === 'again') {
      await setTry(tx, row, { ...outcome, ending: 'cancelled', again: 0, keepsCount: true });
      return 'cancelled';
    }
    const { ending } = outcome;
    const failed = ending === 'failed' || ending === 'timeout';
    const tries = row.attempt - row.counted_from;
    const again = failed && tries <= row.retries ? ladderSeconds(row.ladder, tries) : undefined;
    await setTry(tx, row, { ...outcome, ending, again });
    await countTry(tx, row, ending, outcome.error, again === undefined);
    await wakeWaiting(tx, row.job_id);
    return ending;
  });
}

interface Try {
  readonly id: number;
  readonly job_id: number;
  readonly attempt: number;
  readonly counted_from: number;
  readonly trigger: string;
  readonly instance: string;
  readonly started_at: Date;
  readonly retries: number;
  readonly ladder: readonly number[];
  readonly code: string;
}

async function lockTry(tx: Tx, id: number, attempt?: number): Promise<Try | undefined> {
  return runOne<Try>(
    tx,
    `SELECT r.id, r.job_id, r.attempt, r.counted_from, r.trigger, r.instance, r.started_at, j.retries, j.ladder, j.code
       FROM job_run r JOIN job j ON j.id = r.job_id
      WHERE r.id = $1 AND r.state = 'running' AND ($2::integer IS NULL OR r.attempt = $2) FOR NO KEY UPDATE OF r`,
    [id, attempt ?? null],
  );
}

/** Ends the running try of a run, or queues the run again; earlier tries stay with it. */
async function setTry(
  tx: Tx,
  row: Try,
  to: {
    readonly ending: Ending;
    readonly error: string;
    readonly output?: string;
    /** Seconds until the next try; undefined: this was the last. */
    readonly again: number | undefined;
    readonly keepsCount?: boolean;
  },
): Promise<void> {
  const next = await runOne<{ run_at: Date }>(
    tx,
    `UPDATE job_run SET
       state = CASE WHEN $5::numeric IS NULL THEN $2 ELSE 'queued' END,
       trigger = CASE WHEN $5::numeric IS NULL OR $7 THEN trigger ELSE 'retry' END,
       run_at = CASE WHEN $5::numeric IS NULL THEN run_at ELSE clock_timestamp() + make_interval(secs => $5::double precision) END,
       counted_from = counted_from + CASE WHEN $7 THEN 1 ELSE 0 END,
       ended_at = clock_timestamp(), lease_until = NULL, exclusive = false, error = $3, output = coalesce($4, output),
       tries = CASE WHEN $5::numeric IS NULL THEN tries ELSE tries || ($6::jsonb || jsonb_build_object('endedAt', clock_timestamp())) END
     WHERE id = $1 RETURNING run_at`,
    [
      row.id,
      to.ending,
      to.error,
      to.output ?? null,
      to.again ?? null,
      JSON.stringify(tryFacts(row, to.ending, to.error)),
      to.keepsCount === true,
    ],
  );
  if (to.again !== undefined) await queueRun(tx, row.id, to.again > 0 ? next!.run_at : undefined);
}

function tryFacts(row: Try, state: string, error: string): object {
  return {
    attempt: row.attempt,
    trigger: row.trigger,
    instance: row.instance,
    startedAt: row.started_at.toISOString(),
    state,
    error,
  };
}

/** Counts failed tries since the last success; tells and pauses where the job says so. */
async function countTry(tx: Tx, row: Try, ending: Ending, error: string, last: boolean): Promise<void> {
  const failed = ending === 'failed' || ending === 'timeout';
  const job = await runOne<{
    name: string;
    name_en: string;
    failures: number;
    alert_after: number;
    pause_after: number;
    owner_id: number | null;
    state: string;
  }>(
    tx,
    `UPDATE job SET failures = CASE WHEN $2 THEN failures + 1 WHEN $3 = 'success' THEN 0 ELSE failures END,
       last_state = $3, last_started_at = $4, last_ms = extract(epoch FROM clock_timestamp() - $4::timestamptz) * 1000
      WHERE id = $1 RETURNING name, name_en, failures, alert_after, pause_after, owner_id, state`,
    [row.job_id, failed, ending, row.started_at],
  );
  if (!job || !failed) return;
  const detail = { code: row.code, runId: row.id, failures: job.failures };
  const staffIds = job.owner_id === null ? [] : [job.owner_id];
  const english = job.name_en || job.name;
  if (job.failures === job.alert_after)
    await writeSystemEvent(tx, {
      kind: 'job_dead',
      level: 'error',
      text: [
        `任务「${job.name}」连续失败 ${job.failures} 次：${error}`,
        `The job "${english}" failed ${job.failures} times in a row: ${error}`,
      ],
      detail,
      alert: { staffIds },
    });
  else if (last && row.retries > 0)
    await writeSystemEvent(tx, {
      kind: 'job_dead',
      level: 'error',
      text: [
        `任务「${job.name}」重试 ${row.retries} 次后仍失败：${error}`,
        `The job "${english}" failed after ${row.retries} retries: ${error}`,
      ],
      detail,
    });
  if (job.pause_after > 0 && job.failures === job.pause_after && job.state === 'running')
    await addEffect(tx, PAUSE_JOB, { jobId: row.job_id, failures: job.failures });
}

/** What waited for the end of a run of the same job goes on. */
async function wakeWaiting(tx: Tx, jobId: number): Promise<void> {
  const waiting = await run<{ id: number }>(
    tx,
    `SELECT id FROM job_run WHERE job_id = $1 AND state = 'queued' AND run_at <= clock_timestamp() ORDER BY due_at LIMIT 10`,
    [jobId],
  );
  for (const { id } of waiting) await queueRun(tx, id);
}

/**
 * Takes runs from processes whose lease has ended and queues them again, also those of jobs without retries: a death is no
 * failure of the job. One that killed its process four times is given up. Queues waiting runs whose queue entry was lost.
 * Returns how many leases were taken.
 */
export async function recoverRuns(platform: Platform, { at }: At = {}): Promise<number> {
  const { db } = platform.database;
  const over = await run<{ id: number; attempt: number }>(
    db,
    `SELECT id, attempt FROM job_run WHERE state = 'running' AND lease_until < coalesce($1::timestamptz, clock_timestamp()) ORDER BY id LIMIT 500`,
    [at ?? null],
  );
  let taken = 0;
  for (const { id, attempt } of over)
    await transaction(db, async (tx) => {
      const row = await lockTry(tx, id, attempt);
      if (!row) return;
      taken += 1;
      const again = row.attempt - row.counted_from <= Math.max(row.retries, 3) ? 0 : undefined;
      const error = `实例 ${row.instance} 未在租约内完成`;
      await setTry(tx, row, { ending: 'failed', error, again });
      await countTry(tx, row, 'failed', error, again === undefined);
      if (again === undefined) await wakeWaiting(tx, row.job_id);
    });
  await transaction(db, async (tx) => {
    const lost = await run<{ id: number }>(
      tx,
      `SELECT r.id FROM job_run r
        WHERE r.state = 'queued' AND r.run_at < clock_timestamp() - interval '10 seconds'
          AND NOT EXISTS (SELECT FROM job_run o WHERE o.job_id = r.job_id AND o.state = 'running' AND o.exclusive)
          AND NOT EXISTS (SELECT FROM graphile_worker._private_jobs q WHERE q.key = 'job.run:' || r.id AND q.attempts < q.max_attempts)
        ORDER BY r.run_at LIMIT 200 FOR UPDATE SKIP LOCKED`,
    );
    for (const { id } of lost) await queueRun(tx, id);
  });
  return taken;
}

/** Queues a run somebody asked for. The caller holds the job's row. Refuses beside another run unless the job allows it. */
export async function addManualRun(
  tx: Tx,
  job: { readonly id: number; readonly allowConcurrent: boolean },
  asked: { readonly params?: unknown; readonly reason: string; readonly staffId: number | null },
): Promise<number> {
  await refuseBeside(tx, job);
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO job_run (job_id, due_at, trigger, state, run_at, params, reason, asked_by)
     VALUES ($1, clock_timestamp(), 'manual', 'queued', clock_timestamp(), $2::jsonb, $3, $4) RETURNING id`,
    [job.id, asked.params === undefined ? null : JSON.stringify(asked.params), asked.reason, asked.staffId],
  );
  await queueRun(tx, row!.id);
  return row!.id;
}

/** Throws 30101 while a job that runs one at a time runs, or is about to. */
export async function refuseBeside(
  tx: Tx,
  job: { readonly id: number; readonly allowConcurrent: boolean },
): Promise<void> {
  if (job.allowConcurrent) return;
  const busy = await runOne(
    tx,
    `SELECT FROM job_run WHERE job_id = $1 AND (state = 'running' OR (state = 'queued' AND run_at <= clock_timestamp())) LIMIT 1`,
    [job.id],
  );
  if (busy) throw ruleBroken(JOB_RUNNING);
}
