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
import { buffer } from 'node:stream/consumers';
import type { Caller } from '../people/caller.ts';
import { run } from '../database.ts';
import { registration as files } from '../files/file-endpoints.ts';
import { registration as imports } from './import-endpoints.ts';
import type { ImportTarget } from './import-target.ts';
import { startWorker, type Worker } from '../tasks/jobs.ts';
import { defineRegistration } from '../registration.ts';
import { readTable } from './table-reader.ts';
import { registration as tasks } from '../tasks/task-endpoints.ts';
import { createXlsxWriter } from './xlsx-writer.ts';

let test: TestPlatform;
let app: FastifyInstance;
let worker: Worker;
let staff: Caller;
let other: Caller;
let weak: Caller;
let duringCommit: (() => unknown) | undefined;
let failCommit = false;

const target: ImportTarget = {
  source: 'regions',
  menu: 'mm_region',
  element: 'btn_import',
  title: ['区域', 'Regions'],
  columns: [
    { name: 'code', title: ['编码', 'Code'], required: true, max: 20, example: 'A01' },
    { name: 'name', title: ['名称', 'Name'], required: true },
    { name: 'note', title: ['备注', 'Note'] },
  ],
  check: async (_call, rows) => {
    const seen = new Set<string>();
    return rows.flatMap((row) => {
      const isDouble = seen.has(row.values.code!);
      seen.add(row.values.code!);
      return isDouble
        ? [{ row: row.number, column: 'code', message: ['编码重复', 'Code is used twice'] as const }]
        : [];
    });
  },
  commit: async (tx, call, rows) => {
    await run(
      tx,
      `INSERT INTO region (code, name, level) SELECT code, name, 1 FROM unnest($1::text[], $2::text[]) AS r(code, name)`,
      [rows.map((row) => row.values.code), rows.map((row) => `${row.values.name}/${call.caller.account}`)],
    );
    if (failCommit) throw new Error('broke');
    await duringCommit?.();
    return rows.length;
  },
};
const RIGHTS = ['mm_region', 'mm_region:btn_import'];

beforeAll(async () => {
  test = await openTestPlatform([
    defineRegistration({ endpoints: [], imports: [target] }),
    tasks,
    files,
    imports,
  ]);
  staff = await makeCaller(test.platform, 'importer', RIGHTS);
  other = await makeCaller(test.platform, 'stranger', RIGHTS);
  weak = await makeCaller(test.platform, 'weak', ['mm_region']);
  const callers = [staff, other, weak];
  app = await openTestApp(test.platform, () => callers);
  worker = await startWorker(test.platform, test.platform.registrations, {
    connection: test.database.app,
    loadCaller: async (id) => callers.find((one) => one.staffId === id),
  });
});
afterAll(async () => {
  await worker.stop();
  await app.close();
  await test.close();
});
afterEach(async () => {
  failCommit = false;
  await run(test.platform.database.db, `DELETE FROM region WHERE code LIKE 'T%'`);
});

const headers = (who: Caller) => ({ authorization: `Bearer ${who.sessionId}` });
async function dryRun(content: Buffer, who = staff, name = 'a.csv', mapping?: string) {
  const field =
    mapping === undefined
      ? ''
      : `--b\r\nContent-Disposition: form-data; name="mapping"\r\n\r\n${mapping}\r\n`;
  const payload = Buffer.concat([
    Buffer.from(`${field}--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`),
    content,
    Buffer.from('\r\n--b--\r\n'),
  ]);
  return app.inject({
    method: 'POST',
    url: '/api/jinmao/web/importTask/regions/dryRun',
    payload,
    headers: { ...headers(who), 'content-type': 'multipart/form-data; boundary=b' },
  });
}
const commit = (taskId: string, skipBad?: boolean, who = staff) =>
  app.inject({
    method: 'POST',
    url: '/api/jinmao/web/importTask/regions/commit',
    payload: { taskId, ...(skipBad === undefined ? {} : { skipBad }) },
    headers: headers(who),
  });
const find = async (id: string, who = staff) =>
  (await app.inject({ url: `/api/jinmao/web/importTask/${id}`, headers: headers(who) })).json().data;
const ended = (id: string) =>
  until(async () => {
    const task = await find(id);
    return ['queued', 'exporting'].includes(task.state) ? undefined : task;
  });
const tried = async (content: Buffer, ...more: [Caller?, string?, string?]) =>
  ended((await dryRun(content, ...more)).json().data.taskId);
const regions = () =>
  rowsOf<{ code: string; name: string }>(
    test.platform,
    `SELECT code, name FROM region WHERE code LIKE 'T%' ORDER BY code`,
  );
const csv = (...lines: string[]) => Buffer.from(['编码*,名称,多余', ...lines].join('\n'));

describe('import', () => {
  it('hands out a template that can be filled in and read back', async () => {
    const answer = await app.inject({
      url: '/api/jinmao/web/importTask/regions/template',
      headers: headers(staff),
    });
    expect(answer.statusCode).toBe(200);
    const rows: (readonly string[])[] = [];
    for await (const row of readTable(answer.rawPayload, { maxRows: 9, maxColumns: 9 })) rows.push(row.cells);
    expect(rows).toEqual([['编码*', '名称*', '备注'], ['A01']]);
  });

  it('names every bad row and column without writing, then writes the good ones once', async () => {
    const task = await tried(csv('T1,一,x', ',二', `T3,${'长'.repeat(10)},`, 'T1,四', `${'T'.repeat(30)},`));
    expect(task).toMatchObject({
      state: 'ready',
      kind: 'import',
      exportState: '已完成',
      succeeded: 2,
      failed: 3,
      mode: 'dryRun',
      exportUrl: '',
    });
    expect(task.result).toMatchObject({ total: 5, good: 2, bad: 3, written: 0, ignored: ['多余'] });
    expect(task.result.problems).toEqual([
      { row: 3, column: '编码', value: null, message: '必填' },
      { row: 5, column: '编码', value: 'T1', message: '编码重复' },
      { row: 6, column: '编码', value: 'T'.repeat(30), message: '最多20个字' },
      { row: 6, column: '名称', value: null, message: '必填' },
    ]);
    expect(await regions()).toEqual([]);
    const failed = await app.inject({
      url: `/api/jinmao/web/importTask/${task.id}/failedRows`,
      headers: headers(staff),
    });
    const rows: (readonly string[])[] = [];
    for await (const row of readTable(failed.rawPayload, { maxRows: 9, maxColumns: 9 })) rows.push(row.cells);
    expect(rows[0]).toEqual(['行号', '失败原因', '编码', '名称', '备注']);
    expect(rows.slice(1)).toEqual([
      ['3', '编码: 必填', '', '二'],
      ['5', '编码: 编码重复', 'T1', '四'],
      ['6', '编码: 最多20个字; 名称: 必填', 'T'.repeat(30)],
    ]);
    expect(task.failedUrl).toContain('ticket=');

    expect((await commit(task.id)).json().status).toBe(30101);
    const both = await Promise.all([commit(task.id, true), commit(task.id, true)]);
    expect(new Set(both.map((one) => one.json().status))).toEqual(new Set([200, 30101]));
    const done = await ended(both.find((one) => one.statusCode === 200)!.json().data.taskId);
    expect(done.result).toMatchObject({ mode: 'commit', written: 2 });
    expect(await regions()).toEqual([
      { code: 'T1', name: '一/importer' },
      { code: 'T3', name: `${'长'.repeat(10)}/importer` },
    ]);
    expect((await commit(task.id, true)).json()).toMatchObject({ status: 30101, message: '该文件已导入' });
    const audit = await rowsOf<{ action: string }>(
      test.platform,
      `SELECT action FROM audit_record WHERE entity = 'regions' ORDER BY id`,
    );
    expect(audit.map((one) => one.action)).toEqual(['importDryRun', 'import']);
  });

  it('shows what stands in a wrong cell: cut between characters, nothing of what cannot be stored', async () => {
    const task = await tried(csv(`${'😀'.repeat(70)},一,`, 'A\0B,二,'));
    expect(task.result.problems).toMatchObject([
      { row: 2, column: '编码', value: `${'😀'.repeat(60)}…` },
      { row: 3, column: '编码', value: null, message: '包含无法保存的字符' },
    ]);
  });

  it('writes nothing when the commit breaks, and may be tried again', async () => {
    const task = await tried(csv('T7,七'));
    failCommit = true;
    const first = await ended((await commit(task.id)).json().data.taskId);
    expect([first.state, first.reason]).toEqual(['failed', expect.stringMatching(/^处理失败/)]);
    expect(await regions()).toEqual([]);
    failCommit = false;
    const second = await ended((await commit(task.id)).json().data.taskId);
    expect(second.state).toBe('ready');
    expect(await regions()).toHaveLength(1);
  });

  it('writes nothing when the rights of whoever imports change meanwhile', async () => {
    const task = await tried(csv('T9,九'));
    for (const now of [
      { ...staff, epoch: '2' },
      { ...staff, elements: new Set<string>() },
    ]) {
      duringCommit = () => knowCaller(test.platform, now);
      const done = await ended((await commit(task.id)).json().data.taskId);
      knowCaller(test.platform, staff);
      expect([done.state, done.reason]).toEqual([
        'failed',
        '您的权限在导入期间发生变更，未导入任何数据，请重新导入',
      ]);
      expect(await regions()).toEqual([]);
    }
    duringCommit = undefined;
    expect((await ended((await commit(task.id)).json().data.taskId)).state).toBe('ready');
  });

  it('writes nothing once somebody ended the session it was asked in; leaving takes nothing back', async () => {
    const { db } = test.platform.database;
    const task = await tried(csv('T11,十一'));
    const end = (reason: string) =>
      run(db, 'UPDATE session SET ended_at = now(), end_reason = $2 WHERE id = $1', [
        staff.sessionId,
        reason,
      ]);
    duringCommit = () => end('reset');
    const done = await ended((await commit(task.id)).json().data.taskId);
    expect([done.state, done.reason]).toEqual(['failed', expect.stringMatching(/未导入任何数据/)]);
    expect(await regions()).toEqual([]);
    const again = () =>
      run(db, 'UPDATE session SET ended_at = NULL, end_reason = NULL WHERE id = $1', [staff.sessionId]);
    await again();
    duringCommit = () => end('logout');
    expect((await ended((await commit(task.id)).json().data.taskId)).state).toBe('ready');
    duringCommit = undefined;
    await again();
  });

  it('writes a file once, also when the entry of its import was removed from the list', async () => {
    const task = await tried(csv('T8,八'));
    const done = await ended((await commit(task.id)).json().data.taskId);
    expect(done.state).toBe('ready');
    await run(test.platform.database.db, `UPDATE region SET code = 'TX' WHERE code = 'T8'`);
    const removed = await app.inject({
      method: 'DELETE',
      url: `/api/jinmao/web/exportTask/${done.id}`,
      headers: headers(staff),
    });
    expect(removed.statusCode).toBe(200);
    expect((await commit(task.id)).json()).toMatchObject({ status: 30101, message: '该文件已导入' });
    expect(await regions()).toHaveLength(1);
  });

  it('maps columns that are called something else', async () => {
    const task = await tried(
      Buffer.from('Region key\tName\nT9\t九'),
      staff,
      'b.csv',
      '{"code":"Region key"}',
    );
    expect(task.result).toMatchObject({ total: 1, good: 1 });
    expect((await dryRun(csv('T1,a'), staff, 'a.csv', '{"secret":"x"}')).statusCode).toBe(422);
    expect((await dryRun(csv('T1,a'), staff, 'a.csv', 'nonsense')).statusCode).toBe(422);
  });

  it('says what is wrong with a table it cannot use', async () => {
    expect((await dryRun(Buffer.from('x'), staff, 'a.png')).statusCode).toBe(422);
    expect((await tried(Buffer.from('名称\n一'))).reason).toBe('缺少列：编码');
    expect((await tried(Buffer.from('PK\x03\x04damaged'), staff, 'a.xlsx')).reason).toBe(
      '文件已损坏或不是表格',
    );
    expect((await tried(csv())).reason).toBe('表格没有数据');
    expect((await tried(csv(...Array.from({ length: 50_001 }, (_unused, n) => `T${n},x`)))).reason).toBe(
      '不能超过50000行',
    );
  });

  it('shows its rows no more when the right for it was taken away', async () => {
    const task = await tried(csv('T1,a', ',b'));
    const rights = staff.elements as Set<string>;
    const asked = async () => {
      const paths = [task.id, `${task.id}/failedRows`].map((path) => `/api/jinmao/web/importTask/${path}`);
      const answers = await Promise.all(paths.map((url) => app.inject({ url, headers: headers(staff) })));
      return answers.map((answer) => answer.statusCode);
    };
    rights.delete('mm_region:btn_import');
    try {
      expect(await asked()).toEqual([403, 403]);
    } finally {
      rights.add('mm_region:btn_import');
    }
    expect(await asked()).toEqual([200, 200]);
  });

  it('is for who holds menu and element, and for the owner only', async () => {
    expect((await dryRun(csv('T1,a'), weak)).statusCode).toBe(403);
    expect(
      (await app.inject({ url: '/api/jinmao/web/importTask/regions/template', headers: headers(weak) }))
        .statusCode,
    ).toBe(403);
    expect(
      (await app.inject({ url: '/api/jinmao/web/importTask/nothing/template', headers: headers(staff) }))
        .statusCode,
    ).toBe(404);
    const task = await tried(csv('T1,a', ',b'));
    expect(await find(task.id, other)).toBeNull();
    expect((await commit(task.id, true, other)).statusCode).toBe(404);
    expect(
      (await app.inject({ url: `/api/jinmao/web/importTask/${task.id}/failedRows`, headers: headers(other) }))
        .statusCode,
    ).toBe(404);
    expect(
      (
        await app.inject({
          method: 'POST',
          url: `/api/jinmao/web/exportTask/${task.id}/rerun`,
          headers: headers(staff),
        })
      ).json().status,
    ).toBe(30101);
    expect(
      (
        await app.inject({
          method: 'DELETE',
          url: `/api/jinmao/web/exportTask/${task.id}`,
          headers: headers(staff),
        })
      ).statusCode,
    ).toBe(200);
    expect(
      await rowsOf(
        test.platform,
        `SELECT FROM stored_file WHERE owner_id = $1 AND id::text = (SELECT query ->> 'fileId' FROM task WHERE id = $2)`,
        [staff.staffId, task.id],
      ),
    ).toEqual([]);
  });

  it('imports 50,000 rows of a spreadsheet in seconds', async () => {
    const writer = createXlsxWriter({
      title: 't',
      columns: ['编码', '名称', '备注'].map((title) => ({ title, kind: 'text' as const })),
    });
    const reading = buffer(writer.output);
    for (let from = 0; from < 50_000; from += 1_000)
      await writer.write(
        Array.from({ length: 1_000 }, (_unused, n) => [`T${from + n}`, `名称${from + n}`, '备注'.repeat(10)]),
      );
    await writer.finish();
    const content = await reading;
    const started = performance.now();
    const task = await tried(content, staff, 'big.xlsx');
    const done = await ended((await commit(task.id)).json().data.taskId);
    expect(done.result).toMatchObject({ written: 50_000, bad: 0 });
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
