import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { isStorableText } from '../../contract/input.ts';
import { textOf, type Label } from '../../contract/label.ts';
import { sessionStands } from '../people/acting.ts';
import type { Caller } from '../people/caller.ts';
import { run, runOne, transaction, type Tx } from '../database.ts';
import { notFound, ruleBroken } from '../http/errors.ts';
import { openFileStore } from '../files/file-store.ts';
import { findStoredFile, insertStoredFile } from '../files/files.ts';
import { readImportTable, type ImportTable } from './import-table.ts';
import { findImportTarget, type ImportProblem, type ImportTarget } from './import-target.ts';
import type { Platform } from '../platform.ts';
import { holdsTask, KEEP_DAYS, type TaskRow } from '../tasks/task-centre.ts';
import { TaskCancelled, type TaskWatch } from '../tasks/task-watch.ts';
import { createXlsxWriter } from './xlsx-writer.ts';

/** What an import did, kept in the task's result. */
export interface ImportResult {
  readonly mode: 'dryRun' | 'commit';
  readonly total: number;
  readonly good: number;
  readonly bad: number;
  /** Rows written; 0 for a dry run. */
  readonly written: number;
  /** The first 200 problems by row; all of them are in the file of failed rows. */
  readonly problems: readonly ShownProblem[];
  readonly ignored: readonly string[];
  /** What the target tells of the rows, see `summary` of the target; of a dry run only. */
  readonly notes?: readonly string[];
}

/** A problem as people read it: `value` is what stands in the cell, null for an empty cell and for the row as a whole. */
interface ShownProblem {
  readonly row: number;
  readonly column: string | null;
  readonly value: string | null;
  readonly message: string;
}

const RIGHTS_CHANGED: Label = [
  '您的权限在导入期间发生变更，未导入任何数据，请重新导入',
  'Your rights have changed during the import and nothing was imported, please import again',
];
const SHOWN_PROBLEMS = 200;
const SHOWN_VALUE = 60;

/** Runs an import task. A dry run only checks; a commit checks again and writes rows and its own end in one transaction. */
export async function runImport(
  platform: Platform,
  task: TaskRow,
  caller: Caller,
  watch: TaskWatch,
): Promise<void> {
  const target = findImportTarget(platform, task.source);
  if (!target) throw new Error(`no import target ${task.source}`);
  const isCommit = task.query.mode === 'commit';
  const session = Number(task.result?.session ?? 0);
  if (isCommit && !(await sessionStands(platform.database.db, session))) throw ruleBroken(RIGHTS_CHANGED);
  const input = await findStoredFile(platform.database.db, task.query.fileId ?? '');
  if (!input || input.owner_id !== task.staff_id)
    throw notFound(['导入文件已删除', 'The imported file was removed']);
  const content = await buffer(await openFileStore(platform.config).read(input.storage_key));
  const mapping = JSON.parse(task.query.mapping ?? '{}') as Record<string, string>;
  const table = await readImportTable(content, target, mapping);
  await watch.progress(0, table.rows.length);
  const call = { caller, platform, language: task.language };
  const bad = new Set(table.problems.map((problem) => problem.row));
  const problems = [
    ...table.problems,
    ...(await target.check(
      call,
      table.rows.filter((row) => !bad.has(row.number)),
    )),
  ];
  // Cells are checked before rules that need the whole table; people go through their file from top to bottom.
  problems.sort((a, b) => a.row - b.row);
  for (const problem of problems) bad.add(problem.row);
  const good = table.rows.filter((row) => !bad.has(row.number));
  await watch.progress(Math.floor(table.rows.length / 2), table.rows.length);
  if (isCommit && bad.size > 0 && task.query.skipBad !== 'true')
    throw ruleBroken(['存在错误行，未导入任何数据', 'Some rows are wrong, nothing was imported']);
  const failedRows =
    problems.length > 0 ? await writeFailedRows(platform, task, target, table, problems) : undefined;
  const notes = isCommit ? undefined : await target.summary?.(call, good);
  const shown = shownProblems(task, target, table, problems.slice(0, SHOWN_PROBLEMS));
  await watch.check();
  await transaction(platform.database.db, async (tx) => {
    const written = isCommit && good.length > 0 ? await target.commit(tx, call, good) : 0;
    // Thousands of rows take their time: what was allowed at the start may not be any more.
    const now = await platform.loadCaller(task.staff_id);
    const allowed = now && holdsTask(now, task) && now.epoch === caller.epoch;
    if (isCommit && !(allowed && (await sessionStands(tx, session)))) throw ruleBroken(RIGHTS_CHANGED);
    const result: ImportResult = {
      mode: isCommit ? 'commit' : 'dryRun',
      total: table.rows.length,
      good: good.length,
      bad: bad.size,
      written,
      problems: shown,
      ignored: table.ignored.slice(0, 50),
      ...(notes ? { notes: notes.map((note) => textOf(note, task.language)) } : {}),
    };
    await endTask(tx, task, result, failedRows);
  });
}

async function endTask(
  tx: Tx,
  task: TaskRow,
  result: ImportResult,
  failedRows: WrittenFile | undefined,
): Promise<void> {
  const fileId = failedRows
    ? await insertStoredFile(tx, { ...failedRows, access: 'private', owner_id: task.staff_id })
    : null;
  const row = await runOne(
    tx,
    `UPDATE task SET state = 'ready', progress = 100, row_count = $3, file_id = $4, result = result || $5::jsonb, error = NULL,
            finished_at = clock_timestamp(), expires_at = clock_timestamp() + make_interval(days => $6)
      WHERE id = $1 AND attempts = $2 AND state = 'exporting' RETURNING id`,
    [task.id, task.attempts, result.total, fileId, JSON.stringify(result), KEEP_DAYS],
  );
  // Cancelled or taken over: nothing of this attempt may stay.
  if (!row) throw new TaskCancelled();
  // Kept with the dry run: the entry of the import may be removed from the list, its rows were written all the same.
  if (result.mode === 'commit')
    await run(tx, `UPDATE task SET result = result || '{"imported": true}' WHERE id::text = $1`, [
      task.query.dryRunId ?? '',
    ]);
}

interface WrittenFile {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly sha256: Buffer;
  readonly storageKey: string;
}

/** A table of the rows that failed, as uploaded, with row number and reasons in front. */
async function writeFailedRows(
  platform: Platform,
  task: TaskRow,
  target: ImportTarget,
  table: ImportTable,
  problems: readonly ImportProblem[],
): Promise<WrittenFile> {
  const { language } = task;
  const reasons = new Map<number, string[]>();
  for (const problem of problems) {
    const title = titleOf(target, problem, language);
    const reason = `${title ? `${title}: ` : ''}${textOf(problem.message, language)}`;
    const list = reasons.get(problem.row);
    if (list) list.push(reason);
    else reasons.set(problem.row, [reason]);
  }
  const writer = createXlsxWriter({
    title: textOf(['失败明细', 'Failed rows'], language),
    columns: [
      { title: textOf(['行号', 'Row'], language), kind: 'integer' },
      { title: textOf(['失败原因', 'Reasons'], language), kind: 'text' },
      ...target.columns.map((column) => ({ title: textOf(column.title, language), kind: 'text' as const })),
    ],
  });
  const draft = await openFileStore(platform.config).create();
  try {
    const written = pipeline(writer.output, draft.stream);
    written.catch(() => {});
    const failed = table.rows.filter((row) => reasons.has(row.number));
    for (let from = 0; from < failed.length; from += 500)
      await writer.write(
        failed
          .slice(from, from + 500)
          .map((row) => [
            row.number,
            reasons.get(row.number)!.join('; '),
            ...target.columns.map((column) => row.values[column.name] ?? ''),
          ]),
      );
    await writer.finish();
    await written;
    const name = `${textOf(target.title, language)}_${textOf(['失败明细', 'failed rows'], language)}.xlsx`;
    return {
      ...(await draft.commit()),
      name,
      type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    };
  } catch (error) {
    writer.abort(error as Error);
    await draft.discard();
    throw error;
  }
}

function shownProblems(
  task: TaskRow,
  target: ImportTarget,
  table: ImportTable,
  problems: readonly ImportProblem[],
): ShownProblem[] {
  const values = new Map(table.rows.map((row) => [row.number, row.values]));
  return problems.map((problem) => {
    const value = problem.column ? values.get(problem.row)?.[problem.column] : undefined;
    return {
      row: problem.row,
      column: titleOf(target, problem, task.language),
      value: value && isStorableText(value) ? shortened(value) : null,
      message: textOf(problem.message, task.language),
    };
  });
}

/** Cut between characters: half of a pair could not be stored. */
function shortened(value: string): string {
  const characters = [...value];
  return characters.length > SHOWN_VALUE ? `${characters.slice(0, SHOWN_VALUE).join('')}…` : value;
}

function titleOf(target: ImportTarget, problem: ImportProblem, language: TaskRow['language']): string | null {
  const column = target.columns.find((one) => one.name === problem.column);
  return column ? textOf(column.title, language) : null;
}
