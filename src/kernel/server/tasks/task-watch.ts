import { runOne } from '../database.ts';
import type { Platform } from '../platform.ts';
import type { TaskRow } from './task-centre.ts';

/** The staff cancelled or removed the task, or another worker took it over. */
export class TaskCancelled extends Error {}

/** The worker is about to end; the task goes back to the queue. */
export class WorkerStopping extends Error {}

// Above this age of the heartbeat a task's worker counts as dead (task-recovery.ts).
const BEAT_MS = 5_000;
const PROGRESS_MS = 1_000;

/** Keeps a running task alive and notices when it shall not go on. Call `progress` between batches. */
export class TaskWatch {
  #rows = 0;
  #percent = 0;
  #writtenAt = Date.now();
  #gone = false;
  readonly #beat: NodeJS.Timeout;

  constructor(
    private readonly platform: Platform,
    private readonly task: TaskRow,
    private readonly stopping?: AbortSignal,
  ) {
    // A single batch may take longer than a dead worker's grace.
    this.#beat = setInterval(() => void this.#write().catch(() => {}), BEAT_MS);
  }

  /** Notes rows done of rows expected, written once a second. Throws TaskCancelled or WorkerStopping. */
  async progress(rows: number, expected: number): Promise<void> {
    this.#rows = rows;
    // 100 is the finished file; until then there is always something left to do.
    this.#percent = Math.min(99, Math.floor((rows / Math.max(1, expected)) * 100));
    if (this.stopping?.aborted) throw new WorkerStopping();
    if (this.#gone) throw new TaskCancelled();
    if (Date.now() - this.#writtenAt >= PROGRESS_MS) await this.check();
  }

  /** Writes the progress now. Throws TaskCancelled when the task is no longer this worker's. */
  async check(): Promise<void> {
    await this.#write();
    if (this.#gone) throw new TaskCancelled();
  }

  /** Stops the heartbeat. */
  end(): void {
    clearInterval(this.#beat);
  }

  async #write(): Promise<void> {
    this.#writtenAt = Date.now();
    const row = await runOne(
      this.platform.database.db,
      `UPDATE task SET progress = greatest(progress, $3), row_count = $4, heartbeat_at = clock_timestamp()
        WHERE id = $1 AND attempts = $2 AND state = 'exporting' RETURNING id`,
      [this.task.id, this.task.attempts, this.#percent, this.#rows],
    );
    if (!row) this.#gone = true;
  }
}
