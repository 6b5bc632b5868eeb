import { run, type Executor } from '../database.ts';
import { currentRoot } from '../http/tracing.ts';

/** When and under which key a job is queued. */
export interface QueueOptions {
  /** Not before this instant; default at once. */
  readonly runAt?: Date;
  /** A waiting job with the same key is replaced, a running one gets a successor. */
  readonly jobKey?: string;
  /** Tries before the queue gives up; default 25 with growing pauses (seconds at first, hours at last). */
  readonly maxAttempts?: number;
}

/**
 * Queues a job in the caller's transaction: it runs after COMMIT, in the worker process. A job may run more than once
 * (crash, restart), so its repeat must have one effect. Queued by a request it goes on in the request's trace.
 */
export async function queueJob(
  tx: Executor,
  name: string,
  payload: unknown,
  options: QueueOptions = {},
): Promise<void> {
  const root = currentRoot();
  await run(
    tx,
    `SELECT FROM graphile_worker.add_job($1, $2::json, run_at := $3::timestamptz, max_attempts := $4::integer, job_key := $5)`,
    [
      name,
      JSON.stringify(
        root
          ? { ...(payload as object | null), _trace: { id: root.traceId, parent: root.rootId } }
          : (payload ?? {}),
      ),
      options.runAt ?? null,
      options.maxAttempts ?? null,
      options.jobKey ?? null,
    ],
  );
}
