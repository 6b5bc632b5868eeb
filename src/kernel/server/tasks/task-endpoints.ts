import { z } from 'zod';
import { fill, textOf, type Label, type Language } from '../../contract/label.ts';
import { businessTimeText } from '../../contract/time.rules.ts';
import { writeAudit } from '../audit/audit.ts';
import { transaction } from '../database.ts';
import { forbidden } from '../http/errors.ts';
import { sendFile } from '../files/file-endpoints.ts';
import { fileNotFound, fileReader, isTicketGood, setFileCookie, ticketQuery } from '../files/file-ticket.ts';
import { findStoredFile } from '../files/files.ts';
import type { ImportResult } from '../tables/import-run.ts';
import type { Platform } from '../platform.ts';
import { defineRegistration, endpoint, type Call } from '../registration.ts';
import {
  cancelTask,
  mayRead,
  isUuid,
  newestTasks,
  ownTask,
  removeTask,
  rerunTask,
  type TaskRow,
  type TaskState,
} from './task-centre.ts';

/** A task on the wire, under the names of the specification. `exportDate` is business time. */
export interface TaskEntry {
  readonly id: string;
  readonly exportDate: string;
  readonly exportName: string;
  /** Text to show, in the caller's language. */
  readonly exportState: string;
  /** Empty unless the file is there. Good for ten minutes, in this session only. */
  readonly exportUrl: string;
  /** 0 to 100. */
  readonly progress: number;
  /** Why it failed. */
  readonly reason: string;
  readonly state: TaskState;
  readonly kind: 'export' | 'import';
  readonly rowCount: number | null;
  /** Imports: good and refused rows, and the file with the refused ones. */
  readonly succeeded?: number;
  readonly failed?: number;
  readonly failedUrl?: string;
}

const ROOT = '/jinmao/web/exportTask';

const STATES: Readonly<Record<TaskState, Label>> = {
  queued: ['排队中', 'Queued'],
  exporting: ['导出中 {n}%', 'Exporting {n}%'],
  ready: ['下载', 'Download'],
  failed: ['失败', 'Failed'],
  expired: ['已过期', 'Expired'],
  cancelled: ['已取消', 'Cancelled'],
};

const IMPORT_STATES: Readonly<Record<string, Label>> = {
  ...STATES,
  exporting: ['导入中 {n}%', 'Importing {n}%'],
  ready: ['已完成', 'Done'],
};

/** The download centre. Every call sees the caller's own tasks only. */
export const registration = defineRegistration({
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/list`,
      title: ['下载中心', 'Download centre'],
      access: 'staff',
      handle: async (call) => {
        const tasks = await newestTasks(call.platform.database.db, call.caller.staffId);
        setFileCookie(call.platform.config, call.caller, call.request, call.reply);
        const entry = (task: TaskRow) =>
          taskEntry(call.platform, call.caller.sessionId, task, call.facts.language);
        const listed = async (task: TaskRow) => {
          if (task.state !== 'ready' || (await mayRead(call.platform, call.caller, task))) return entry(task);
          // A file whose rows the staff may not take out any more has no address; what was imported stays so.
          return task.kind === 'import'
            ? entry({ ...task, file_id: null })
            : { ...entry({ ...task, state: 'failed' }), reason: textOf(RIGHT_GONE, call.facts.language) };
        };
        return Promise.all(tasks.map(listed));
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/:id/cancel`,
      title: ['取消导出', 'Cancel an export'],
      access: 'staff',
      handle: (call) =>
        change(call, 'cancel', async (tx, id) => {
          await cancelTask(tx, call.caller.staffId, id);
          return true;
        }),
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/:id/rerun`,
      title: ['重新导出', 'Run an export again'],
      access: 'staff',
      handle: (call) =>
        change(call, 'rerun', async (tx, id) => ({ taskId: await rerunTask(tx, call.caller.staffId, id) })),
    }),
    endpoint({
      method: 'DELETE',
      path: `${ROOT}/:id`,
      title: ['删除导出', 'Delete an export'],
      access: 'staff',
      handle: (call) =>
        change(call, 'remove', async (tx, id) => {
          await removeTask(tx, call.caller.staffId, id);
          return true;
        }),
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/file`,
      title: ['下载文件', 'Download a file'],
      // Opened in a new window without an Authorization header: cookie and ticket decide, see file-ticket.ts.
      access: 'public',
      query: z.strictObject({ ticket: z.string().max(100).optional() }),
      rawReply: true,
      handle: download,
    }),
  ],
});

/** A task as the page shows it. */
export function taskEntry(
  platform: Platform,
  sessionId: number,
  task: TaskRow,
  language: Language,
): TaskEntry {
  const isImport = task.kind === 'import';
  const url = task.state === 'ready' && task.file_id ? taskFileUrl(platform, sessionId, task.id) : '';
  const entry: TaskEntry = {
    id: task.id,
    exportDate: businessTimeText(task.created_at),
    exportName: task.name,
    exportState: textOf(
      fill((isImport ? IMPORT_STATES : STATES)[task.state]!, { n: task.progress }),
      language,
    ),
    exportUrl: isImport ? '' : url,
    progress: task.progress,
    reason: task.error ?? '',
    state: task.state,
    kind: isImport ? 'import' : 'export',
    rowCount: task.row_count,
  };
  if (!isImport || task.state !== 'ready') return entry;
  const { good, bad } = task.result as unknown as ImportResult;
  return { ...entry, succeeded: good, failed: bad, failedUrl: url };
}

const RIGHT_GONE: Label = [
  '权限或数据范围已变更，不能再下载此文件，请重新导出',
  'Your rights or data scope have changed; the file cannot be downloaded any more, please export again',
];

/** Address of a task's file for this session, good for ten minutes. */
export function taskFileUrl(platform: Platform, sessionId: number, taskId: string): string {
  return `/api${ROOT}/${taskId}/file?${ticketQuery(platform.config, sessionId, `task:${taskId}`)}`;
}

async function change<T>(
  call: Call,
  action: string,
  work: (tx: Parameters<Parameters<typeof transaction>[1]>[0], id: string) => Promise<T>,
): Promise<T> {
  const id = call.params.id ?? '';
  return transaction(call.platform.database.db, async (tx) => {
    const task = await ownTask(tx, call.caller.staffId, id);
    const result = await work(tx, id);
    await writeAudit(tx, {
      caller: call.caller,
      facts: call.facts,
      menu: task.menu,
      action,
      entity: 'task',
      entityId: id,
      after: { name: task.name, source: task.source, ...(action === 'rerun' ? { query: task.query } : {}) },
    });
    return result;
  });
}

async function download(call: Call<{ ticket?: string | undefined }>): Promise<unknown> {
  const { platform, request } = call;
  const id = call.params.id ?? '';
  const reader = await fileReader(platform, request);
  if (!reader || !isUuid(id)) throw fileNotFound();
  if (!isTicketGood(platform.config, reader.sessionId, `task:${id}`, call.query.ticket)) throw fileNotFound();
  const { db } = platform.database;
  const task = await ownTask(db, reader.staffId, id);
  // The address may be older than the rights of this moment.
  const caller = await platform.loadCaller(reader.staffId);
  if (!caller || !(await mayRead(platform, caller, task))) throw forbidden(RIGHT_GONE);
  const file = task.state === 'ready' && task.file_id ? await findStoredFile(db, task.file_id) : undefined;
  if (!file) throw fileNotFound();
  return sendFile(platform, request, call.reply, file);
}
