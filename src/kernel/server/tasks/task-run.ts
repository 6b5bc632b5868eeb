import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { textOf, type Label, type Language } from '../../contract/label.ts';
import { businessTimeText } from '../../contract/time.rules.ts';
import type { Caller, LoadCaller } from '../people/caller.ts';
import { run, runOne, transaction, type Executor } from '../database.ts';
import { Refusal } from '../http/errors.ts';
import type { FileDraft } from '../files/disk-store.ts';
import { openFileStore } from '../files/file-store.ts';
import { insertStoredFile } from '../files/files.ts';
import { runImport } from '../tables/import-run.ts';
import { failureFacts } from '../http/failure-facts.ts';
import type { Platform } from '../platform.ts';
import type { ExportSource } from '../registration.ts';
import {
  holdsTask,
  KEEP_DAYS,
  lockStaffTasks,
  queueTask,
  RUNNING_TASKS,
  findExportSource,
  sightOfExport,
  TASK_COLUMNS,
  type Sight,
  type TaskRow,
} from './task-centre.ts';
import { TaskWatch, TaskCancelled, WorkerStopping } from './task-watch.ts';
import { currentTraceId } from '../http/tracing.ts';
import { createXlsxWriter } from '../tables/xlsx-writer.ts';

/** What running a task needs beside the platform. */
export interface TaskDependencies {
  readonly loadCaller: LoadCaller;
  /** The worker is about to end: a running task goes back to the queue at its next batch. */
  readonly stopping?: AbortSignal;
  /** Bytes an export leaves free on its disk; default {@link KEEP_FREE_BYTES}. */
  readonly keepFreeBytes?: number;
}

/** The database may lie on the disk of the files: an export stops before it takes the room the database needs to write. */
export const KEEP_FREE_BYTES = 512 * 1024 * 1024;

/** Runs a task that is its staff's turn. Ended, running and unknown ones are left alone, so a repeat does nothing. */
export async function runTask(
  platform: Platform,
  taskId: string,
  dependencies: TaskDependencies,
): Promise<void> {
  const task = await claimTask(platform, taskId);
  if (!task) return;
  const watch = new TaskWatch(platform, task, dependencies.stopping);
  try {
    const caller = await dependencies.loadCaller(task.staff_id);
    if (!caller || !holdsTask(caller, task)) throw new Refusal(403, 403, RIGHT_GONE);
    await (task.kind === 'import'
      ? runImport(platform, task, caller, watch)
      : runExport(platform, task, caller, watch, dependencies.keepFreeBytes ?? KEEP_FREE_BYTES));
  } catch (error) {
    if (error instanceof WorkerStopping) await putBack(platform, task);
    else if (!(error instanceof TaskCancelled)) await fail(platform, task, error);
  } finally {
    watch.end();
    await startNext(platform, task.staff_id);
  }
}

/** XLSX as content type. */
export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** The line that names who took the rows out: name, last four of the staff number, time. Source: 00-frame, watermark. */
export async function watermarkLine(db: Executor, caller: Pick<Caller, 'staffId' | 'name'>): Promise<string> {
  const row = await runOne<{ staff_no: string | null; account: string }>(
    db,
    'SELECT staff_no, account FROM staff WHERE id = $1',
    [caller.staffId],
  );
  const number = row?.staff_no ? row.staff_no.slice(-4) : (row?.account ?? '');
  return `${caller.name} ${number} ${businessTimeText(new Date()).slice(0, 16)}`;
}

const RIGHT_GONE: Label = ['权限已变更，无法导出', 'The right for this was taken away'];
const NO_ROOM: Label = [
  '服务器磁盘空间不足，导出已停止；请缩小筛选范围，并联系管理员',
  'The disk of the server is nearly full and the export was stopped; narrow the filters and tell the administrator',
];
const BROKEN: Label = ['处理失败，请重试', 'It failed, please try again'];

/** Throws a refusal when a folder's disk has less room than that; looks once a second. */
function roomOf(folder: string, keepFree: number): () => Promise<void> {
  let lookedAt = -Infinity;
  return async () => {
    if (performance.now() - lookedAt < 1_000) return;
    lookedAt = performance.now();
    const disk = await statfs(folder);
    if (disk.bavail * disk.bsize < keepFree) throw new Refusal(503, 503, NO_ROOM);
  };
}

async function runExport(
  platform: Platform,
  task: TaskRow,
  caller: Caller,
  watch: TaskWatch,
  keepFree: number,
): Promise<void> {
  const source = exportSource(platform, task.source);
  const call = { caller, platform, language: task.language };
  const parts = (await source.once?.(call, task.query)) ?? source;
  const expected = await parts.count(call, task.query);
  const writer = createXlsxWriter({
    title: task.name.replace(/_\d{14}\.xlsx$/, ''),
    columns: (await source.columnsOf?.(call, task.query)) ?? source.columns(task.language),
    foot: await watermarkLine(platform.database.db, caller),
  });
  const draft = await openFileStore(platform.config).create();
  // Watched from the start: a failure of the disk must stop the writing, not wait for its end.
  const written = pipeline(writer.output, draft.stream);
  let diskFailure: unknown;
  written.catch((error: unknown) => (diskFailure = error));
  const checkRoom = roomOf(path.dirname(draft.path), keepFree);
  let rows = 0;
  try {
    await checkRoom();
    for await (const batch of ahead(parts.read(call, task.query))) {
      await checkRoom();
      await writer.write(batch);
      rows += batch.length;
      await watch.progress(rows, expected);
    }
    for (const sheet of (await parts.sheets?.(call, task.query)) ?? []) {
      await writer.next(sheet);
      await writer.write(sheet.rows);
    }
    await writer.finish();
    await written;
    await watch.check();
    await finishTask(platform, task, draft, {
      rows,
      type: XLSX_TYPE,
      sight: await sightOfExport(platform, caller, task),
    });
  } catch (error) {
    // The writer only knows that its reader is gone; the disk knows why.
    const cause = diskFailure ?? error;
    writer.abort(cause instanceof Error ? cause : new Error(String(cause)));
    await draft.discard();
    throw cause;
  }
}

/** Asks for the next batch before the present one is worked on: the database reads while this process writes. */
async function* ahead<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  const batches = source[Symbol.asyncIterator]();
  let next = batches.next();
  try {
    for (;;) {
      const batch = await next;
      if (batch.done) return;
      next = batches.next();
      // Looked at by the next turn; when the reader stops before that, nobody asks how it went.
      next.catch(() => {});
      yield batch.value;
    }
  } finally {
    await next.catch(() => {});
    await batches.return?.();
  }
}

/** Ends a task with its file in one transaction; a task that was cancelled meanwhile keeps no file. */
export async function finishTask(
  platform: Platform,
  task: TaskRow,
  draft: FileDraft,
  done: { readonly rows: number; readonly type: string; readonly sight: Sight },
): Promise<void> {
  const file = await draft.commit();
  try {
    await transaction(platform.database.db, async (tx) => {
      const fileId = await insertStoredFile(tx, {
        ...file,
        name: task.name,
        type: done.type,
        access: 'private',
        owner_id: task.staff_id,
      });
      const row = await runOne(
        tx,
        `UPDATE task SET state = 'ready', progress = 100, row_count = $3, file_id = $4, error = NULL,
                result = coalesce(result, '{}') || jsonb_build_object('sight', $6::jsonb),
                finished_at = clock_timestamp(), expires_at = clock_timestamp() + make_interval(days => $5)
          WHERE id = $1 AND attempts = $2 AND state = 'exporting' RETURNING id`,
        [task.id, task.attempts, done.rows, fileId, KEEP_DAYS, JSON.stringify(done.sight)],
      );
      if (!row) throw new TaskCancelled();
    });
  } catch (error) {
    // After a lost connection the COMMIT may have happened; a file without a row is removed by file.purge a day later.
    if (error instanceof TaskCancelled) await openFileStore(platform.config).remove(file.storageKey);
    throw error;
  }
}

function exportSource(platform: Platform, name: string): ExportSource {
  const found = findExportSource(platform, name);
  if (!found) throw new Error(`no export source ${name}`);
  return found;
}

async function claimTask(platform: Platform, taskId: string): Promise<TaskRow | undefined> {
  return transaction(platform.database.db, async (tx) => {
    const found = await runOne<{ staff_id: number; state: string }>(
      tx,
      'SELECT staff_id, state FROM task WHERE id = $1',
      [taskId],
    );
    if (found?.state !== 'queued') return undefined;
    await lockStaffTasks(tx, found.staff_id);
    return runOne<TaskRow>(
      tx,
      `UPDATE task SET state = 'exporting', attempts = attempts + 1, progress = 0, row_count = NULL,
              started_at = clock_timestamp(), heartbeat_at = clock_timestamp()
        WHERE id = $1 AND state = 'queued'
          AND (SELECT count(*) FROM task r WHERE r.staff_id = $2 AND r.state = 'exporting') < $3
        RETURNING ${TASK_COLUMNS}`,
      [taskId, found.staff_id, RUNNING_TASKS],
    );
  });
}

async function putBack(platform: Platform, task: TaskRow): Promise<void> {
  await transaction(platform.database.db, async (tx) => {
    const row = await runOne(
      tx,
      `UPDATE task SET state = 'queued', attempts = attempts - 1, progress = 0 WHERE id = $1 AND attempts = $2 AND state = 'exporting' RETURNING id`,
      [task.id, task.attempts],
    );
    if (row) await queueTask(tx, task.id);
  });
}

async function fail(platform: Platform, task: TaskRow, error: unknown): Promise<void> {
  if (!(error instanceof Refusal))
    platform.log.error(
      { err: failureFacts(error), taskId: task.id, traceId: currentTraceId() },
      'task failed',
    );
  await run(
    platform.database.db,
    `UPDATE task SET state = 'failed', error = $3, finished_at = clock_timestamp(),
            expires_at = clock_timestamp() + make_interval(days => $4)
      WHERE id = $1 AND attempts = $2 AND state = 'exporting'`,
    [task.id, task.attempts, reasonOf(error, task.language), KEEP_DAYS],
  );
}

/** Only reasons the staff may know; everything else is in the log under the trace id. */
function reasonOf(error: unknown, language: Language): string {
  if (error instanceof Refusal) return textOf(error.label, language);
  return `${textOf(BROKEN, language)} (${currentTraceId().slice(0, 8)})`;
}

async function startNext(platform: Platform, staffId: number): Promise<void> {
  const next = await runOne<{ id: string }>(
    platform.database.db,
    `SELECT id FROM task WHERE staff_id = $1 AND state = 'queued' ORDER BY created_at LIMIT 1`,
    [staffId],
  );
  if (next) await queueTask(platform.database.db, next.id);
}
