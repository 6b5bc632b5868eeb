import { EventEmitter } from 'node:events';
import { Logger, run as runWorker, type Runner, type TaskList } from 'graphile-worker';
import pg from 'pg';
import type { LoadCaller } from '../people/caller.ts';
import { openFileStore } from '../files/file-store.ts';
import { carryOutRun } from './job-run.ts';
import { RUN_JOB, syncJobs } from './job-schedule.ts';
import { kernelJobs } from './kernel-jobs.ts';
import { failureFacts } from '../http/failure-facts.ts';
import type { Platform } from '../platform.ts';
import type { Job, Registration } from '../registration.ts';
import {
  currentRoot,
  currentSpans,
  currentTraceId,
  inTrace,
  newTraceId,
  type Span,
  type TraceRoot,
} from '../http/tracing.ts';
import { startTimers } from './worker-timers.ts';

/** One run of a job, as history and metrics see it. Duration in milliseconds. */
export interface JobRun {
  readonly name: string;
  readonly traceId: string;
  readonly startedAt: Date;
  readonly duration: number;
  readonly error: unknown;
  /** True when it was a run of the job table: by schedule, by hand, or again. */
  readonly scheduled: boolean;
  readonly spans: readonly Span[];
  /** The span of the run itself. */
  readonly root: TraceRoot;
}

/** What a worker needs besides the platform. */
export interface WorkerOptions {
  /** Connection of role `app`; the worker opens a pool of its own for the queue. */
  readonly connection: pg.PoolConfig;
  /** Jobs at the same time; default 4. */
  readonly concurrency?: number;
  /** Loads a staff with today's rights; undefined when gone, disabled or locked. */
  readonly loadCaller: LoadCaller;
  /** Name of this process in the run log; default host and process number. */
  readonly instance?: string;
  /** Told after every run; must not throw. */
  readonly onRun?: (run: JobRun) => void;
}

/** A running worker. `stop` waits for running jobs up to 12 s, then gives them back to the queue. */
export interface Worker {
  /** Resolves when the worker has ended, by `stop` or because it cannot go on; rejects in the second case. */
  readonly ended: Promise<void>;
  /** Names of all jobs it runs. */
  readonly jobs: readonly Job[];
  /** Takes no new job until `resume`; what runs is finished. Resolves when nothing runs any more. */
  hold(): Promise<void>;
  /** Takes jobs again. */
  resume(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Runs the queue in this process until stopped: jobs and effects of all registrations, the kernel's own jobs, schedules and
 * timers. Several workers may run side by side. Declared cron patterns are UTC: 02:00 business time is `0 18 * * *`; what is in
 * force stands in the table `job`. A due time is one run whatever the number of workers.
 */
export async function startWorker(
  platform: Platform,
  registrations: readonly Registration[],
  options: WorkerOptions,
): Promise<Worker> {
  openFileStore(platform.config);
  const stopping = new AbortController();
  const jobs = [
    ...registrations.flatMap((service) => service.jobs ?? []),
    ...kernelJobs(registrations, options.loadCaller, stopping.signal),
  ];
  await syncJobs(platform.database.db, jobs);
  const tasks = taskListOf(jobs, platform, options, stopping.signal);
  const concurrency = options.concurrency ?? 4;
  const pool = new pg.Pool({ max: concurrency + 2, ...options.connection, application_name: 'worker' });
  // Lost connections fail the query that waits on them; graphile-worker asks for both listeners.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const workerIds = new Set<string>();
  const events = new EventEmitter();
  events.on('worker:create', ({ worker }: { worker: { workerId: string } }) =>
    workerIds.add(worker.workerId),
  );
  events.on('worker:release', ({ worker }: { worker: { workerId: string } }) =>
    workerIds.delete(worker.workerId),
  );
  const take = (): Promise<Runner> =>
    runWorker({
      pgPool: pool,
      concurrency,
      noHandleSignals: true,
      pollInterval: 2_000,
      taskList: tasks,
      parsedCronItems: [],
      events: events as never,
      logger: queueLogger(platform),
    });
  let runner: Runner;
  try {
    runner = await take();
  } catch (error) {
    await pool.end();
    throw error;
  }
  const stopTimers = startTimers(platform, workerIds);
  let stopped: Promise<void> | undefined;
  let held: Promise<void> | undefined;
  // While it is held there is no runner that could end by itself; its end then is no end of the worker.
  let over: () => void = () => {};
  let failed: (error: unknown) => void = () => {};
  const endedByItself = new Promise<void>((resolve, reject) => {
    over = resolve;
    failed = reject;
  });
  const watch = (watched: Runner): void => {
    watched.promise.then(
      () => {
        if (!held) over();
      },
      (error: unknown) => failed(error),
    );
  };
  const stop = (): Promise<void> =>
    (stopped ??= stopAll(runner, held, pool, stopping, stopTimers).finally(() => over()));
  watch(runner);
  const ended = endedByItself.finally(stop);
  ended.catch((error: unknown) => platform.log.error({ err: failureFacts(error) }, 'the job queue ended'));
  const hold = (): Promise<void> => {
    if (stopped || held) return held ?? Promise.resolve();
    // Marked before it ends: `watch` looks at it. What runs is not told to hurry.
    held = Promise.resolve();
    return (held = runner.stop().catch(() => {}));
  };
  const resume = async (): Promise<void> => {
    if (stopped || !held) return;
    await held;
    runner = await take();
    held = undefined;
    watch(runner);
  };
  return { ended, jobs, hold, resume, stop };
}

const PATIENCE_MS = 12_000;

async function stopAll(
  runner: Runner,
  held: Promise<void> | undefined,
  pool: pg.Pool,
  stopping: AbortController,
  stopTimers: () => Promise<void>,
): Promise<void> {
  stopping.abort();
  await stopTimers();
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(() => resolve(runner.kill('jobs did not end in time').catch(() => {})), PATIENCE_MS);
  });
  // A runner that ended by itself refuses to be stopped again.
  await Promise.race([Promise.all([runner.stop().catch(() => {}), held]), patience]);
  clearTimeout(timer);
  await pool.end();
}

function taskListOf(
  jobs: readonly Job[],
  platform: Platform,
  options: WorkerOptions,
  stopping: AbortSignal,
): TaskList {
  const tasks: TaskList = {};
  const known = new Map<string, Job>();
  for (const job of jobs) {
    if (known.has(job.name)) throw new Error(`two jobs are called ${job.name}`);
    known.set(job.name, job);
    tasks[job.name] = async (payload) => {
      // What a request caused goes on in its trace.
      const cause = (payload as { _trace?: { id: string; parent: string } } | null)?._trace;
      await inTrace(
        cause?.id ?? newTraceId(),
        () => told(job, false, platform, options, () => job.run(payload, platform)),
        cause?.parent,
      );
    };
  }
  // Each job as the run log sees it, with its place in history and metrics.
  const inRuns = new Map(
    [...known].map(([name, job]): [string, Job] => [
      name,
      {
        ...job,
        run: (payload, on, context) => told(job, true, on, options, () => job.run(payload, on, context)),
      },
    ]),
  );
  const runner = { jobs: inRuns, stopping, ...(options.instance ? { instance: options.instance } : {}) };
  tasks[RUN_JOB] = async (payload) => {
    await inTrace(newTraceId(), () => carryOutRun(platform, runner, (payload as { runId: number }).runId));
  };
  return tasks;
}

/** Does the work of a job and tells how it went. */
async function told(
  job: Job,
  scheduled: boolean,
  platform: Platform,
  options: WorkerOptions,
  work: () => Promise<void>,
): Promise<void> {
  const startedAt = new Date();
  const started = performance.now();
  const traceId = currentTraceId();
  let error: unknown;
  try {
    await work();
  } catch (thrown) {
    error = thrown ?? new Error('job failed');
    // Runs of the log tell their failures themselves.
    if (!scheduled) platform.log.error({ err: failureFacts(error), job: job.name, traceId }, 'job failed');
    throw thrown;
  } finally {
    const duration = performance.now() - started;
    options.onRun?.({
      name: job.name,
      traceId,
      startedAt,
      duration,
      error,
      scheduled,
      spans: currentSpans(),
      root: currentRoot()!,
    });
  }
}

function queueLogger(platform: Platform): Logger {
  return new Logger(() => (level, message) => {
    if (level === 'error') platform.log.error(message);
    else if (level === 'warning') platform.log.warn(message);
  });
}
