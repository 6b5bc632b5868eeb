import { pipeline } from 'node:stream/promises';
import { PassThrough } from 'node:stream';
import { z } from 'zod';
import { textOf, type Label } from '../../contract/label.ts';
import { writeAudit } from '../audit/audit.ts';
import { holds, type Caller } from '../people/caller.ts';
import { runOne, transaction } from '../database.ts';
import { forbidden, invalid, notFound, ruleBroken } from '../http/errors.ts';
import { sendFile } from '../files/file-endpoints.ts';
import { setFileCookie } from '../files/file-ticket.ts';
import { safeFileName } from '../files/file-type.ts';
import { findStoredFile, insertStoredFile } from '../files/files.ts';
import { findImportTarget, IMPORT_BYTES, type ImportTarget } from './import-target.ts';
import type { ImportResult } from './import-run.ts';
import { defineRegistration, endpoint, type Call } from '../registration.ts';
import { insertTask, mayRead, ownTask, type TaskRow } from '../tasks/task-centre.ts';
import { taskEntry } from '../tasks/task-endpoints.ts';
import { receiveFile } from '../files/upload.ts';
import { createXlsxWriter } from './xlsx-writer.ts';

const ROOT = '/jinmao/web/importTask';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Imports: template, dry run, commit, failed rows. The target's menu and element are checked at every call. */
export const registration = defineRegistration({
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id`,
      title: ['导入任务', 'Import'],
      access: 'staff',
      handle: find,
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:source/template`,
      title: ['导入模板', 'Import template'],
      access: 'staff',
      rawReply: true,
      handle: template,
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/:source/dryRun`,
      title: ['试导入', 'Try an import'],
      access: 'staff',
      upload: true,
      handle: dryRun,
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/:source/commit`,
      title: ['导入', 'Import'],
      access: 'staff',
      body: z.strictObject({ taskId: z.string().max(36), skipBad: z.boolean().default(false) }),
      handle: commit,
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/failedRows`,
      title: ['失败明细', 'Failed rows'],
      access: 'staff',
      rawReply: true,
      handle: failedRows,
    }),
  ],
});

/** One import with its result: `problems` are the first 200. The page asks again while it is queued or running. */
async function find(call: Call): Promise<unknown> {
  const { platform, caller } = call;
  const task = await ownImport(call);
  setFileCookie(platform.config, caller, call.request, call.reply);
  return {
    ...taskEntry(platform, caller.sessionId, task, call.facts.language),
    source: task.source,
    mode: task.query.mode,
    result: task.state === 'ready' ? task.result : null,
  };
}

async function template(call: Call): Promise<unknown> {
  const target = targetOf(call);
  const { language } = call.facts;
  const writer = createXlsxWriter({
    title: textOf(target.title, language),
    columns: target.columns.map((column) => ({
      title: `${textOf(column.title, language)}${column.required ? '*' : ''}`,
      kind: 'text',
    })),
  });
  const body = new PassThrough();
  pipeline(writer.output, body).catch(() => {});
  const example = target.columns.map(
    (column) => column.example ?? (column.note ? textOf(column.note, language) : ''),
  );
  const written = (async () => {
    if (example.some((value) => value !== '')) await writer.write([example]);
    await writer.finish();
  })();
  written.catch((error: Error) => writer.abort(error));
  const name = encodeURIComponent(
    `${textOf(target.title, language)}_${textOf(['模板', 'template'], language)}.xlsx`,
  );
  return call.reply
    .header('Content-Type', XLSX)
    .header('Content-Disposition', `attachment; filename*=UTF-8''${name}`)
    .send(body);
}

async function dryRun(call: Call): Promise<unknown> {
  const { platform, caller } = call;
  const target = targetOf(call);
  const received = await receiveFile(platform, call.request, IMPORT_BYTES);
  const field = received.fields.mapping;
  const mapping = field && !Array.isArray(field) && field.type === 'field' ? String(field.value) : '{}';
  try {
    checkMapping(mapping, target);
    // Refused here already: a picture would only fail in the worker a moment later.
    const ending = /\.(xlsx|csv|txt)$/i.exec(received.name)?.[0].toLowerCase();
    if (!ending) throw invalid({ file: ['请上传xlsx或csv文件', 'Please upload an xlsx or csv file'] });
    const file = {
      ...(await received.draft.commit()),
      name: safeFileName(received.name, ending),
      type: ending === '.xlsx' ? XLSX : 'text/csv',
      access: 'private' as const,
      owner_id: caller.staffId,
    };
    return await transaction(platform.database.db, async (tx) => {
      const fileId = await insertStoredFile(tx, file);
      const taskId = await insertTask(tx, caller.staffId, {
        ...taskOf(target, call),
        name: file.name,
        query: { mode: 'dryRun', fileId, mapping },
      });
      await audit(call, tx, target, 'importDryRun', taskId, { file: file.name });
      return { taskId };
    });
  } catch (error) {
    await received.draft.discard();
    throw error;
  }
}

async function commit(call: Call<unknown, { taskId: string; skipBad: boolean }>): Promise<unknown> {
  const target = targetOf(call);
  const { taskId: dryRunId, skipBad } = call.body;
  return transaction(call.platform.database.db, async (tx) => {
    // The lock makes two commits of one dry run stand in line.
    const dry = await ownTask(tx, call.caller.staffId, dryRunId, true);
    if (dry.kind !== 'import' || dry.source !== target.source || dry.query.mode !== 'dryRun')
      throw notFound();
    if (dry.state !== 'ready') throw ruleBroken(['请先完成试导入', 'Please finish the dry run first']);
    const result = dry.result as unknown as ImportResult;
    if (result.bad > 0 && !skipBad)
      throw ruleBroken([
        '存在错误行，请修改后重新上传或选择跳过',
        'Some rows are wrong: correct them and upload again, or skip them',
      ]);
    if (result.good === 0) throw ruleBroken(['没有可导入的行', 'There is no row to import']);
    const earlier = await runOne(
      tx,
      `SELECT FROM task WHERE kind = 'import' AND query ->> 'dryRunId' = $1 AND state IN ('queued', 'exporting', 'ready') LIMIT 1`,
      [dryRunId],
    );
    if (earlier || dry.result?.imported === true)
      throw ruleBroken(['该文件已导入', 'This file was imported already']);
    const taskId = await insertTask(tx, call.caller.staffId, {
      ...taskOf(target, call),
      name: dry.name,
      query: { ...dry.query, mode: 'commit', dryRunId, skipBad: String(skipBad) },
    });
    await audit(call, tx, target, 'import', taskId, { file: dry.name, good: result.good, bad: result.bad });
    return { taskId };
  });
}

async function failedRows(call: Call): Promise<unknown> {
  const { db } = call.platform.database;
  const task = await ownImport(call);
  const file = task.file_id ? await findStoredFile(db, task.file_id) : undefined;
  if (!file) throw notFound();
  return sendFile(call.platform, call.request, call.reply, file);
}

/** An import of the caller's own. Throws 404; 403 when it is done and the caller does not hold the right for it any more. */
async function ownImport({ platform, caller, params }: Call): Promise<TaskRow> {
  const task = await ownTask(platform.database.db, caller.staffId, params.id ?? '');
  if (task.kind !== 'import') throw notFound();
  if (task.state === 'ready' && !(await mayRead(platform, caller, task))) throw forbidden();
  return task;
}

function targetOf(call: Call<never, never> | Call): ImportTarget {
  const target = findImportTarget(call.platform, call.params.source ?? '');
  if (!target) throw notFound();
  if (!mayImport(call.caller, target)) throw forbidden();
  return target;
}

function mayImport(caller: Caller, target: ImportTarget): boolean {
  return holds(caller, target.menu) && holds(caller, `${target.menu}:${target.element}`);
}

function taskOf(target: ImportTarget, call: Call<never, never> | Call) {
  return {
    kind: 'import' as const,
    source: target.source,
    menu: target.menu,
    language: call.facts.language,
    // Who ends the session takes back what it asked for, see import-run.ts.
    result: { element: target.element, session: call.caller.sessionId },
  };
}

function checkMapping(text: string, target: ImportTarget): void {
  const wrong: Label = ['列对应关系不正确', 'The mapping of columns is not valid'];
  const names = new Set(target.columns.map((column) => column.name));
  const schema = z
    .record(z.string().max(80), z.string().max(200))
    .refine((value) => Object.keys(value).every((name) => names.has(name)));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid({ mapping: wrong });
  }
  if (!schema.safeParse(value).success) throw invalid({ mapping: wrong });
}

async function audit(
  call: Call<never, never> | Call,
  tx: Parameters<Parameters<typeof transaction>[1]>[0],
  target: ImportTarget,
  action: string,
  taskId: string,
  after: object,
): Promise<void> {
  await writeAudit(tx, {
    caller: call.caller,
    facts: call.facts,
    menu: target.menu,
    action,
    entity: target.source,
    entityId: taskId,
    after,
  });
}
