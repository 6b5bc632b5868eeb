import { randomUUID } from 'node:crypto';
import { textOf, type Label, type Language } from '../../contract/label.ts';
import { businessTimeText } from '../../contract/time.rules.ts';
import { covers, reachOf, type Reach } from '../people/caller-rights.ts';
import { holds, type Caller } from '../people/caller.ts';
import { run, runOne, type Executor } from '../database.ts';
import { notFound, ruleBroken } from '../http/errors.ts';
import { removeStoredFile } from '../files/files.ts';
import { queueJob } from './job-queue.ts';
import type { Platform } from '../platform.ts';
import type { ExportSource } from '../registration.ts';

/** Open (queued or running) tasks a staff may have. Source: security list 14. */
export const OPEN_TASKS = 20;
/** Tasks of one staff that run at the same time; further ones wait as queued. */
export const RUNNING_TASKS = 2;
/** Days a finished file is kept. Source: ground rules section 10. */
export const KEEP_DAYS = 7;
/** Job that runs one task; its payload is `{ taskId }`. */
export const TASK_JOB = 'task.run';

/** Words a task can be in. */
export type TaskState = 'queued' | 'exporting' | 'ready' | 'failed' | 'expired' | 'cancelled';

/** A row of the task table. Times come as Date, `row_count` counts data rows without header and foot. */
export interface TaskRow {
  readonly id: string;
  readonly kind: 'export' | 'import' | 'report';
  readonly state: TaskState;
  readonly staff_id: number;
  readonly name: string;
  readonly source: string;
  readonly menu: string;
  readonly query: Readonly<Record<string, string>>;
  readonly language: Language;
  readonly progress: number;
  readonly row_count: number | null;
  readonly result: Readonly<Record<string, unknown>> | null;
  readonly error: string | null;
  readonly file_id: string | null;
  readonly attempts: number;
  readonly created_at: Date;
}

/** Columns of a TaskRow. */
export const TASK_COLUMNS =
  'id, kind, state, staff_id, name, source, menu, query, language, progress, row_count, result, error, file_id, attempts, created_at';

/** What an export is made of. */
export interface ExportRequest {
  /** Name of an ExportSource of some service. */
  readonly source: string;
  /** Menu the staff exports from; looked at again when the task runs. */
  readonly menu: string;
  /** Title of the file, without time and ending. */
  readonly name: Label;
  /** Filters under the names of the list. */
  readonly query: Readonly<Record<string, string>>;
  readonly language: Language;
  /** Element that allows the export, without the menu part; default `btn_export`. */
  readonly element?: string;
}

/**
 * Writes an export task and queues it in the caller's transaction; returns its id. At most two tasks of a staff run at a
 * time, further ones wait. Refuses with 30101 beyond 20 open tasks. The audit record is the caller's part.
 */
export async function createExportTask(
  tx: Executor,
  caller: Pick<Caller, 'staffId'>,
  request: ExportRequest,
): Promise<string> {
  const stamp = businessTimeText(new Date()).replace(/\D/g, '');
  return insertTask(tx, caller.staffId, {
    kind: 'export',
    name: `${fileName(textOf(request.name, request.language))}_${stamp}.xlsx`,
    source: request.source,
    menu: request.menu,
    query: request.query,
    language: request.language,
    result: { element: request.element ?? 'btn_export' },
  });
}

/** What every new task has. */
export interface NewTask {
  readonly kind: 'export' | 'import';
  readonly name: string;
  readonly source: string;
  readonly menu: string;
  readonly query: unknown;
  readonly language: Language;
  readonly result: Readonly<Record<string, unknown>>;
}

/** Inserts and queues a task. Refuses with 30101 beyond 20 open tasks of the staff, also when asked in parallel. */
export async function insertTask(tx: Executor, staffId: number, task: NewTask): Promise<string> {
  await lockStaffTasks(tx, staffId);
  const open = await runOne<{ count: number }>(
    tx,
    `SELECT count(*) AS count FROM task WHERE staff_id = $1 AND state IN ('queued', 'exporting')`,
    [staffId],
  );
  if (open!.count >= OPEN_TASKS)
    throw ruleBroken([
      '未完成的任务已达20个，请稍后再试',
      'You have 20 unfinished tasks, please wait for some of them',
    ]);
  const id = randomUUID();
  await run(
    tx,
    `INSERT INTO task (id, kind, staff_id, name, source, menu, query, language, result)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      id,
      task.kind,
      staffId,
      task.name,
      task.source,
      task.menu,
      JSON.stringify(task.query),
      task.language,
      JSON.stringify(task.result),
    ],
  );
  await queueTask(tx, id);
  return id;
}

/** True while the staff holds what the task was started by: the rights of this moment decide, not those of the click. */
export function holdsTask(caller: Caller, task: Pick<TaskRow, 'menu' | 'result'>): boolean {
  const element = typeof task.result?.element === 'string' ? task.result.element : 'btn_export';
  return !caller.mustChangePassword && holds(caller, task.menu) && holds(caller, `${task.menu}:${element}`);
}

/** The rows somebody saw under a menu when a file was made of them. */
export interface Sight extends Reach {
  /** What else the rows depend on, see ExportSource.marks. */
  readonly marks?: readonly string[];
}

/** The mark of whoever sees every row there is under the menu. */
export const EVERY_ROW = '*';

/** The sight a file of an export is made by, with the marks of its source. */
export async function sightOfExport(
  platform: Platform,
  caller: Caller,
  task: Pick<TaskRow, 'menu' | 'source'>,
): Promise<Sight> {
  const marks = await findExportSource(platform, task.source)?.marks?.({ platform, caller });
  return { ...reachOf(caller, task.menu), ...(marks ? { marks } : {}) };
}

/**
 * True while the caller holds what the file of an ended export was made by: menu, element, no narrower scopes or projects,
 * the marks of its source. Rows that moved away by themselves stay in the copy that was made of them, see decision 17.
 */
export async function mayRead(
  platform: Platform,
  caller: Caller,
  task: Pick<TaskRow, 'kind' | 'menu' | 'source' | 'result'>,
): Promise<boolean> {
  if (!holdsTask(caller, task)) return false;
  // The failed rows of an import are what the staff itself sent.
  if (task.kind === 'import') return true;
  const made = task.result?.sight as Sight | undefined;
  if (made === undefined || !covers(reachOf(caller, task.menu), made)) return false;
  const now = await sightOfExport(platform, caller, task);
  if (now.marks === undefined || now.marks.includes(EVERY_ROW)) return true;
  const held = new Set(now.marks);
  return made.marks?.every((mark) => held.has(mark)) ?? false;
}

/** The source of an export by its name, or undefined. */
export function findExportSource(
  platform: Pick<Platform, 'registrations'>,
  name: string,
): ExportSource | undefined {
  for (const service of platform.registrations) {
    const found = service.exports?.find((source) => source.source === name);
    if (found) return found;
  }
  return undefined;
}

/** Queues the job of a task; a waiting one is replaced. */
export async function queueTask(tx: Executor, taskId: string): Promise<void> {
  await queueJob(tx, TASK_JOB, { taskId }, { jobKey: `task:${taskId}` });
}

/** Holds the number of open and running tasks of a staff still until the transaction ends. */
export async function lockStaffTasks(tx: Executor, staffId: number): Promise<void> {
  await run(tx, `SELECT pg_advisory_xact_lock(hashtextextended('task', $1))`, [staffId]);
}

/** The newest 20 tasks of the staff, newest first. */
export async function newestTasks(db: Executor, staffId: number): Promise<readonly TaskRow[]> {
  return run<TaskRow>(
    db,
    `SELECT ${TASK_COLUMNS} FROM task WHERE staff_id = $1 ORDER BY created_at DESC, id DESC LIMIT 20`,
    [staffId],
  );
}

/** A task of the staff. Throws 404 when it does not exist or is somebody else's. */
export async function ownTask(tx: Executor, staffId: number, id: string, lock = false): Promise<TaskRow> {
  const task = isUuid(id)
    ? await runOne<TaskRow>(
        tx,
        `SELECT ${TASK_COLUMNS} FROM task WHERE id = $1 AND staff_id = $2${lock ? ' FOR UPDATE' : ''}`,
        [id, staffId],
      )
    : undefined;
  if (!task) throw notFound();
  return task;
}

/** Cancels a queued or running task; a running one notices at its next batch. Throws 404, or 30101 when it has ended. */
export async function cancelTask(tx: Executor, staffId: number, id: string): Promise<void> {
  const task = await ownTask(tx, staffId, id, true);
  if (task.state !== 'queued' && task.state !== 'exporting')
    throw ruleBroken(['任务已结束，无法取消', 'The task has ended and cannot be cancelled']);
  await run(tx, `UPDATE task SET state = 'cancelled', finished_at = clock_timestamp() WHERE id = $1`, [id]);
}

/** Starts an ended export again with the same filters and today's rights; returns the new task's id. */
export async function rerunTask(tx: Executor, staffId: number, id: string): Promise<string> {
  const task = await ownTask(tx, staffId, id, true);
  if (task.kind === 'import')
    throw ruleBroken(['导入请重新上传文件', 'Please upload the file again to import it']);
  if (task.state === 'queued' || task.state === 'exporting')
    throw ruleBroken(['任务尚未结束', 'The task has not ended yet']);
  const stamp = businessTimeText(new Date()).replace(/\D/g, '');
  return insertTask(tx, staffId, {
    kind: 'export',
    name: task.name.replace(/_\d{14}(?=\.xlsx$)/, `_${stamp}`),
    source: task.source,
    menu: task.menu,
    query: task.query,
    language: task.language,
    result: { element: task.result?.element ?? 'btn_export' },
  });
}

/** Removes a task with its files. A running one notices at its next batch. */
export async function removeTask(tx: Executor, staffId: number, id: string): Promise<void> {
  const task = await ownTask(tx, staffId, id, true);
  await run(tx, 'DELETE FROM task WHERE id = $1', [id]);
  if (task.file_id) await removeStoredFile(tx, task.file_id);
  await removeInputFile(tx, task);
}

/** Removes the uploaded table of an import once no other task of it is left. */
export async function removeInputFile(
  tx: Executor,
  task: Pick<TaskRow, 'id' | 'kind' | 'query'>,
): Promise<void> {
  if (task.kind !== 'import' || !isUuid(task.query.fileId ?? '')) return;
  const other = await runOne(
    tx,
    `SELECT FROM task WHERE kind = 'import' AND query ->> 'fileId' = $1 AND id <> $2 AND state <> 'expired' LIMIT 1`,
    [task.query.fileId, task.id],
  );
  if (!other) await removeStoredFile(tx, task.query.fileId!);
}

/** True for the text form of a UUID. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text);
}

/** A title as part of a file name: without what Windows and shells refuse. */
function fileName(title: string): string {
  return (
    title
      .replace(/[\\/:*?"<>|\p{Cc}]/gu, ' ')
      .trim()
      .slice(0, 80) || 'export'
  );
}
