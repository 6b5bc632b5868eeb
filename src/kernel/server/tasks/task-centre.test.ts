import fs from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  knowCaller,
  makeCaller,
  openTestApp,
  openTestPlatform,
  rowsOf,
  until,
  type TestPlatform,
} from '../../../testing/kernel-fixtures.ts';
import type { Caller, MenuScope } from '../people/caller.ts';
import { run, transaction } from '../database.ts';
import { kernelJobs } from './kernel-jobs.ts';
import { defineRegistration, type ExportSource } from '../registration.ts';
import { readTable } from '../tables/table-reader.ts';
import { createExportTask, type TaskRow } from './task-centre.ts';
import { registration as tasks } from './task-endpoints.ts';
import { expireTasks, recoverTasks } from './task-recovery.ts';
import { runTask } from './task-run.ts';

let test: TestPlatform;
let app: FastifyInstance;
let staff: Caller;
let other: Caller;
const callers: Caller[] = [];
/** Held batches: a test lets them go one by one. */
let gate: (() => Promise<void>) | undefined;
let rows = 2_500;

const source: ExportSource = {
  source: 'testRows',
  columns: (language) => [
    { title: language === 'zh' ? '编号' : 'No.', kind: 'integer' },
    { title: '金额', kind: 'money' },
    { title: '谁', kind: 'text' },
  ],
  count: async () => rows,
  async *read(call, query) {
    if (query.broken) throw new Error('secret detail');
    for (let from = 0; from < rows; from += 1_000) {
      await gate?.();
      yield Array.from({ length: Math.min(1_000, rows - from) }, (_unused, index) => [
        from + index,
        '1.50',
        call.caller.account,
      ]);
    }
  },
};
const service = defineRegistration({ endpoints: [], exports: [source] });
const RIGHTS = ['mm_test', 'mm_test:btn_export'];

beforeAll(async () => {
  test = await openTestPlatform([service, tasks]);
  staff = await makeCaller(test.platform, 'exporter', RIGHTS);
  other = await makeCaller(test.platform, 'stranger', RIGHTS);
  callers.push(staff, other);
  app = await openTestApp(test.platform, () => callers);
});
afterAll(async () => {
  await app.close();
  await test.close();
});
afterEach(async () => {
  gate = undefined;
  rows = 2_500;
  await run(test.platform.database.db, 'DELETE FROM task');
});

const create = (query: Record<string, string> = {}, who = staff) =>
  transaction(test.platform.database.db, (tx) =>
    createExportTask(tx, who, {
      source: 'testRows',
      menu: 'mm_test',
      name: ['测试/导出', 'Test'],
      query,
      language: 'zh',
    }),
  );
const runIt = (id: string, caller: Caller | undefined = staff, stopping?: AbortSignal) =>
  runTask(test.platform, id, { loadCaller: async () => caller, ...(stopping ? { stopping } : {}) });
const taskOf = async (id: string) =>
  (await rowsOf<TaskRow>(test.platform, 'SELECT * FROM task WHERE id = $1', [id]))[0]!;
const list = async (who: Caller, language = 'zh') => {
  const answer = await app.inject({
    url: '/api/jinmao/web/exportTask/list',
    headers: { authorization: `Bearer ${who.sessionId}`, 'accept-language': language },
  });
  return {
    body: answer.json(),
    cookie: answer.cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
  };
};
const call = (who: Caller, method: 'POST' | 'DELETE', url: string) =>
  app.inject({
    method,
    url: `/api/jinmao/web/exportTask/${url}`,
    headers: { authorization: `Bearer ${who.sessionId}` },
  });
const filesOnDisk = async () => {
  const root = path.join(test.platform.config.dataDir, 'files');
  const found = await fs.readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  return found.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
};

describe('export', () => {
  it('stops before it takes the room the database needs, and leaves nothing behind', async () => {
    const before = await filesOnDisk();
    const id = await create();
    await runTask(test.platform, id, {
      loadCaller: async () => staff,
      keepFreeBytes: Number.MAX_SAFE_INTEGER,
    });
    expect(await taskOf(id)).toMatchObject({
      state: 'failed',
      error: expect.stringContaining('磁盘空间不足'),
      file_id: null,
    });
    expect(await filesOnDisk()).toEqual(before);
  });

  it('writes all rows with the watermark and shows up in the list', async () => {
    const id = await create({ keyword: 'a' });
    expect((await list(staff)).body.data).toMatchObject([
      { id, exportState: '排队中', exportUrl: '', progress: 0, state: 'queued', kind: 'export' },
    ]);
    await runIt(id);
    const { body } = await list(staff);
    expect(body).toMatchObject({
      status: 200,
      data: [{ exportState: '下载', progress: 100, rowCount: 2_500, reason: '' }],
    });
    expect(body.data[0].exportName).toMatch(/^测试 导出_\d{14}\.xlsx$/);
    expect(body.data[0].exportDate).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    expect((await list(staff, 'en')).body.data[0].exportState).toBe('Download');
    const [file] = await rowsOf<{ storage_key: string; access: string; size: number; owner_id: number }>(
      test.platform,
      'SELECT * FROM stored_file WHERE id = $1',
      [(await taskOf(id)).file_id],
    );
    expect(file).toMatchObject({ access: 'private', owner_id: staff.staffId });
    const content = await fs.readFile(path.join(test.platform.config.dataDir, 'files', file!.storage_key));
    expect(content).toHaveLength(file!.size);
    const cells: (readonly string[])[] = [];
    for await (const row of readTable(content, { maxRows: 3_000, maxColumns: 5 })) cells.push(row.cells);
    expect(cells).toHaveLength(2_502);
    expect(cells[0]).toEqual(['编号', '金额', '谁']);
    expect(cells[2_500]).toEqual(['2499', '1.5', 'exporter']);
    expect(cells[2_501]![0]).toMatch(/^王小明 1234 \d{4}-\d\d-\d\d \d\d:\d\d$/);
    await runIt(id);
    expect((await taskOf(id)).attempts).toBe(1);
  });

  it('looks at the rights again when it runs', async () => {
    const gone = [
      undefined,
      { ...staff, menus: new Map() },
      { ...staff, elements: new Set<string>() },
      { ...staff, mustChangePassword: true },
    ];
    for (const caller of gone) {
      const id = await create();
      await runTask(test.platform, id, { loadCaller: async () => caller });
      expect(await taskOf(id)).toMatchObject({
        state: 'failed',
        error: '权限已变更，无法导出',
        file_id: null,
      });
    }
  });

  it('keeps a file from whom it does not belong to any more: right, rows or projects were taken away', async () => {
    const wide: Caller = {
      ...staff,
      menus: new Map([['mm_test', [{ kind: 'departments', ids: [1, 2] }, { kind: 'self' }]]]),
      projectIds: [1, 2],
    };
    const id = await create();
    await runIt(id, wide);
    /** What the list says, and what the address answers that was handed out at the start. */
    const seen = async (now: Caller | undefined) => {
      if (now) knowCaller(test.platform, now);
      callers[0] = now ?? staff;
      const [entry] = (await list(staff)).body.data;
      return [
        entry.exportUrl !== '',
        entry.reason,
        (await app.inject({ url: address, headers: { cookie } })).statusCode,
      ];
    };
    callers[0] = wide;
    const first = await list(staff);
    const address = first.body.data[0].exportUrl as string;
    const cookie = first.cookie;
    const menus = (scopes: readonly MenuScope[]) => ({ menus: new Map([['mm_test', scopes]]) });
    const open = [true, '', 200];
    const shut = [false, '权限或数据范围已变更，不能再下载此文件，请重新导出', 403];
    expect(await seen(wide)).toEqual(open);
    expect(await seen({ ...wide, elements: new Set() })).toEqual(shut);
    expect(await seen({ ...wide, projectIds: [1] })).toEqual(shut);
    expect(await seen({ ...wide, ...menus([{ kind: 'self' }]) })).toEqual(shut);
    expect(await seen({ ...wide, ...menus([{ kind: 'departments', ids: [1, 2, 3] }]) })).toEqual(shut);
    expect(await seen({ ...wide, projectIds: [1, 2, 3], ...menus([{ kind: 'all' }]) })).toEqual(open);
    expect(await seen({ ...wide, projectIds: null })).toEqual(open);
    callers[0] = staff;
    knowCaller(test.platform, staff);
  });

  it('fails without telling details, and leaves no file', async () => {
    const before = await filesOnDisk();
    const id = await create({ broken: '1' });
    await runIt(id);
    const task = await taskOf(id);
    expect(task.state).toBe('failed');
    expect(task.error).toMatch(/^处理失败，请重试/);
    expect(task.error).not.toContain('secret');
    expect(await filesOnDisk()).toEqual(before);
    expect(test.logged.some((line) => JSON.stringify(line.data).includes('secret detail'))).toBe(true);
  });

  it('is cancelled between batches and leaves no file', async () => {
    const before = await filesOnDisk();
    const id = await create();
    let batches = 0;
    gate = async () => {
      batches += 1;
      if (batches === 2) {
        expect((await call(staff, 'POST', `${id}/cancel`)).statusCode).toBe(200);
        await new Promise((resolve) => setTimeout(resolve, 1_100));
      }
    };
    await runIt(id);
    // The batch after the cancelled one was being read already, of five.
    expect(batches).toBe(3);
    expect((await list(staff)).body.data[0]).toMatchObject({ exportState: '已取消', exportUrl: '' });
    expect(await filesOnDisk()).toEqual(before);
    expect((await call(staff, 'POST', `${id}/cancel`)).json()).toMatchObject({ status: 30101 });
  });

  it('shows progress about once a second', async () => {
    const id = await create();
    const seen: string[] = [];
    gate = async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_050));
      seen.push((await list(staff)).body.data[0].exportState);
    };
    await runIt(id);
    expect(seen).toEqual(['导出中 0%', '导出中 40%', '导出中 80%']);
  });

  it('runs two of a staff at a time and starts the next when one ends', async () => {
    const ids = await Promise.all([create(), create(), create()]);
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    gate = () => held;
    const running = [runIt(ids[0]!), runIt(ids[1]!)];
    await until(
      async () => (await rowsOf(test.platform, `SELECT FROM task WHERE state = 'exporting'`)).length === 2,
    );
    await runIt(ids[2]!);
    expect((await taskOf(ids[2]!)).state).toBe('queued');
    await run(test.platform.database.db, `DELETE FROM graphile_worker._private_jobs`);
    release();
    await Promise.all(running);
    expect(
      await rowsOf(test.platform, `SELECT FROM graphile_worker._private_jobs WHERE key = $1`, [
        `task:${ids[2]}`,
      ]),
    ).toHaveLength(1);
    await runIt(ids[2]!);
    expect((await taskOf(ids[2]!)).state).toBe('ready');
  });

  it('refuses the 21st open task, also when asked in parallel', async () => {
    const results = await Promise.allSettled(Array.from({ length: 25 }, () => create()));
    expect(results.filter((one) => one.status === 'fulfilled')).toHaveLength(20);
    for (const one of results)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ http: 409, status: 30101 });
    await create({}, other);
    expect((await list(staff)).body.data).toHaveLength(20);
  });

  it('goes back to the queue when the worker stops, and is recovered when it dies', async () => {
    const id = await create();
    const stopping = new AbortController();
    gate = async () => stopping.abort();
    await runIt(id, staff, stopping.signal);
    expect(await taskOf(id)).toMatchObject({ state: 'queued', attempts: 0 });
    gate = undefined;
    for (let attempt = 1; attempt <= 3; attempt++) {
      await run(
        test.platform.database.db,
        `UPDATE task SET state = 'exporting', attempts = $2, heartbeat_at = now() - interval '61 seconds', created_at = now() - interval '1 hour' WHERE id = $1`,
        [id, attempt],
      );
      await run(test.platform.database.db, `DELETE FROM graphile_worker._private_jobs`);
      expect(await recoverTasks(test.platform)).toBe(1);
      expect((await taskOf(id)).state).toBe(attempt < 3 ? 'queued' : 'failed');
    }
    const alive = await create();
    await run(
      test.platform.database.db,
      `UPDATE task SET state = 'exporting', attempts = 1, heartbeat_at = now() - interval '50 seconds' WHERE id = $1`,
      [alive],
    );
    expect(await recoverTasks(test.platform)).toBe(0);
  });

  it('is given up by a worker that was thought dead', async () => {
    const id = await create();
    gate = async () => {
      await run(test.platform.database.db, `UPDATE task SET attempts = attempts + 1 WHERE id = $1`, [id]);
    };
    await runIt(id);
    expect(await taskOf(id)).toMatchObject({ state: 'exporting', file_id: null });
  });

  it('expires after seven days with its file, and runs again with the same filters', async () => {
    const id = await create({ keyword: 'again' });
    await runIt(id);
    expect(await expireTasks(test.platform)).toBe(0);
    await run(
      test.platform.database.db,
      `UPDATE task SET expires_at = now() - interval '1 second' WHERE id = $1`,
      [id],
    );
    const before = await filesOnDisk();
    expect(await expireTasks(test.platform)).toBe(1);
    expect((await list(staff)).body.data[0]).toMatchObject({
      exportState: '已过期',
      exportUrl: '',
      rowCount: 2_500,
    });
    const remove = await rowsOf<{ payload: { storageKey: string } }>(
      test.platform,
      `SELECT payload FROM outbox WHERE kind = 'file.remove' AND state = 'pending'`,
    );
    const deliver = kernelJobs([], async () => undefined, new AbortController().signal).find(
      (job) => job.name === 'outbox.deliver',
    )!;
    for (const { id: outboxId } of await rowsOf<{ id: number }>(
      test.platform,
      `SELECT id FROM outbox WHERE kind = 'file.remove' AND state = 'pending'`,
    ))
      await deliver.run({ outboxId }, test.platform);
    expect(remove.length).toBeGreaterThan(0);
    expect((await filesOnDisk()).length).toBeLessThan(before.length);
    const again = (await call(staff, 'POST', `${id}/rerun`)).json().data.taskId as string;
    expect(again).not.toBe(id);
    expect(await taskOf(again)).toMatchObject({
      query: { keyword: 'again' },
      state: 'queued',
      result: { element: 'btn_export' },
    });
    expect((await call(staff, 'POST', `${again}/rerun`)).json().status).toBe(30101);
    expect((await call(staff, 'DELETE', again)).statusCode).toBe(200);
    expect(await taskOf(again)).toBeUndefined();
    const audit = await rowsOf<{ action: string }>(
      test.platform,
      `SELECT action FROM audit_record WHERE entity = 'task' ORDER BY id`,
    );
    expect(audit.map((one) => one.action)).toEqual(expect.arrayContaining(['cancel', 'rerun', 'remove']));
  });

  it("answers 404 for somebody else's tasks in every verb", async () => {
    const id = await create();
    for (const [method, url] of [
      ['POST', `${id}/cancel`],
      ['POST', `${id}/rerun`],
      ['DELETE', id],
      ['DELETE', 'nonsense'],
    ] as const)
      expect((await call(other, method, url)).statusCode, url).toBe(404);
    expect((await list(other)).body.data).toEqual([]);
    expect((await taskOf(id)).state).toBe('queued');
  });
});
