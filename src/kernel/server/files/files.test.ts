import fs from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { strToU8, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  makeCaller,
  openTestApp,
  openTestPlatform,
  rowsOf,
  type TestPlatform,
} from '../../../testing/kernel-fixtures.ts';
import type { Caller } from '../people/caller.ts';
import { run } from '../database.ts';
import { registration as files } from './file-endpoints.ts';
import { diskStore } from './disk-store.ts';
import { openFileStore } from './file-store.ts';
import { safeFileName } from './file-type.ts';
import { checkAttachable, fileValue, findStoredFile } from './files.ts';
import { purgeLeftovers } from '../tasks/purges.ts';

let test: TestPlatform;
let app: FastifyInstance;
let staff: Caller;
let other: Caller;

beforeAll(async () => {
  test = await openTestPlatform([files]);
  staff = await makeCaller(test.platform, 'uploader');
  other = await makeCaller(test.platform, 'stranger');
  app = await openTestApp(test.platform, () => [staff, other]);
});
afterAll(async () => {
  await app.close();
  await test.close();
});

const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(50, 1)]);
const office = (...names: string[]) =>
  Buffer.from(
    zipSync(Object.fromEntries(['[Content_Types].xml', ...names].map((name) => [name, strToU8('<x/>')]))),
  );

function form(
  content: Buffer,
  name: string,
  field = 'file',
  extra = '',
): { payload: Buffer; headers: Record<string, string> } {
  const head = `--b\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: text/html\r\n\r\n`;
  return {
    payload: Buffer.concat([Buffer.from(`${extra}${head}`), content, Buffer.from('\r\n--b--\r\n')]),
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  };
}
const upload = (content: Buffer, name: string, who = staff, field?: string) => {
  const { payload, headers } = form(content, name, field);
  return app.inject({
    method: 'POST',
    url: '/api/jinmao/web/file',
    payload,
    headers: { ...headers, authorization: `Bearer ${who.sessionId}` },
  });
};
const cookieOf = (answer: { headers: Record<string, unknown> }) =>
  ([answer.headers['set-cookie'] ?? []].flat() as string[])
    .find((one) => one.includes('Path=/api/file'))!
    .split(';')[0]!;
const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });

describe('upload', () => {
  it('keeps a picture that signed-in staff can show, and nobody else', async () => {
    const answer = await upload(PNG, '../../evil/..\\照片.html');
    expect(answer.statusCode).toBe(200);
    const { data } = answer.json();
    expect(data).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: '照片.png',
      type: 'image/png',
      size: PNG.length,
      url: `/api/file/${data.id}`,
    });
    const mine = cookieOf(answer);
    const shown = await get(data.url, { cookie: mine });
    expect(shown.statusCode).toBe(200);
    expect(shown.rawPayload.equals(PNG)).toBe(true);
    expect(shown.headers).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'private, max-age=86400, immutable',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(shown.headers['content-disposition']).toMatch(/^inline/);
    expect(
      (await get(data.url, { cookie: mine, 'if-none-match': String(shown.headers.etag) })).statusCode,
    ).toBe(304);
    const part = await get(data.url, { cookie: mine, range: 'bytes=1-3' });
    expect([part.statusCode, part.body, part.headers['content-range']]).toEqual([
      206,
      'PNG',
      `bytes 1-3/${PNG.length}`,
    ]);
    expect((await get(data.url, { cookie: mine, range: 'bytes=9999-' })).statusCode).toBe(200);
    const theirs = cookieOf(await upload(PNG, 'b.png', other));
    expect((await get(data.url, { cookie: theirs })).statusCode).toBe(200);
    expect((await get(data.url)).statusCode).toBe(404);
    const row = await findStoredFile(test.platform.database.db, data.id);
    expect(row!.storage_key).toMatch(/^[0-9a-f]{2}\/[0-9a-f]{32}$/);
    expect(await fs.readdir(path.join(test.platform.config.dataDir, 'files', 'tmp'))).toEqual([]);
  });

  it('keeps documents for their owner and for who was given a ticket', async () => {
    const answer = await upload(Buffer.from('%PDF-1.7 text'), '合同.pdf');
    const { data } = answer.json();
    expect(data.type).toBe('application/pdf');
    expect(data.url).toContain('?ticket=');
    const mine = cookieOf(answer);
    const plain = data.url.split('?')[0];
    const shown = await get(data.url, { cookie: mine });
    expect([shown.statusCode, shown.headers['cache-control']]).toEqual([200, 'private, no-store']);
    expect(shown.headers['content-disposition']).toBe(
      `attachment; filename*=UTF-8''${encodeURIComponent('合同.pdf')}`,
    );
    expect((await get(plain, { cookie: mine })).statusCode).toBe(200);
    const theirs = cookieOf(await upload(PNG, 'b.png', other));
    expect((await get(plain, { cookie: theirs })).statusCode).toBe(404);
    expect((await get(data.url, { cookie: theirs })).statusCode).toBe(404);
    // A row they may see hands them an address of their own.
    const row = (await findStoredFile(test.platform.database.db, data.id))!;
    const given = fileValue(test.platform, other, row).url;
    expect((await get(given, { cookie: theirs })).statusCode).toBe(200);
    expect((await get(given, { cookie: mine })).statusCode).toBe(200);
    expect((await get(given)).statusCode).toBe(404);
  });

  it('gives a file of the task centre to nobody by its number: its task looks at the rights', async () => {
    const answer = await upload(Buffer.from('%PDF-1.7\n'), '导出.pdf');
    const { data } = answer.json();
    const cookie = cookieOf(answer);
    const plain = data.url.split('?')[0];
    expect((await get(plain, { cookie })).statusCode).toBe(200);
    await run(
      test.platform.database.db,
      `INSERT INTO task (id, kind, state, staff_id, name, source, menu, query, file_id)
       VALUES (gen_random_uuid(), 'export', 'ready', $1, '导出', 'test', 'mm_test', '{}', $2)`,
      [staff.staffId, data.id],
    );
    for (const url of [plain, data.url]) expect((await get(url, { cookie })).statusCode).toBe(404);
  });

  it('goes by content, not by name, and refuses what can run', async () => {
    const good: [Buffer, string][] = [
      [Buffer.from('GIF89a....'), 'image/gif'],
      [Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 4]), 'image/jpeg'],
      [Buffer.from('RIFF1234WEBPVP8 '), 'image/webp'],
      [Buffer.from('\0\0\0\x20ftypisom....', 'latin1'), 'video/mp4'],
      [office('xl/workbook.xml'), 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
      [
        office('word/document.xml'),
        'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      ],
    ];
    for (const [content, type] of good) expect((await upload(content, 'x.bin')).json().data?.type).toBe(type);
    const bad: [string, Buffer][] = [
      ['svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
      ['html', Buffer.from('<!doctype html><script>1</script>')],
      ['text', Buffer.from('hello')],
      ['program', Buffer.from('MZ\x90\0')],
      ['archive', Buffer.from(zipSync({ 'a.txt': strToU8('a') }))],
      ['macros', office('xl/workbook.xml', 'xl/vbaProject.bin')],
      ['broken archive', Buffer.from('PK\x03\x04broken')],
      ['empty', Buffer.alloc(0)],
    ];
    const before = (await rowsOf(test.platform, 'SELECT FROM stored_file')).length;
    for (const [what, content] of bad)
      expect((await upload(content, 'picture.png')).statusCode, what).toBe(422);
    expect(await rowsOf(test.platform, 'SELECT FROM stored_file')).toHaveLength(before);
    expect(await fs.readdir(path.join(test.platform.config.dataDir, 'files', 'tmp'))).toEqual([]);
  });

  it('refuses what is too large, no file, another field and no token', async () => {
    const megabytes = (n: number, head: Buffer) => Buffer.concat([head, Buffer.alloc(n * 1024 * 1024)]);
    expect((await upload(megabytes(11, PNG), 'a.png')).json()).toMatchObject({
      status: 422,
      data: { fields: { file: '文件不能超过10MB' } },
    });
    expect((await upload(megabytes(11, Buffer.from('%PDF-')), 'a.pdf')).statusCode).toBe(200);
    expect((await upload(megabytes(20, Buffer.from('%PDF-')), 'a.pdf')).json()).toMatchObject({
      status: 422,
      data: { fields: { file: '文件不能超过20MB' } },
    });
    expect((await upload(PNG, 'a.png', staff, 'other')).statusCode).toBe(422);
    const headers = { authorization: `Bearer ${staff.sessionId}` };
    expect(
      (await app.inject({ method: 'POST', url: '/api/jinmao/web/file', headers, payload: { a: 1 } }))
        .statusCode,
    ).toBe(422);
    const { payload, headers: type } = form(PNG, 'a.png');
    expect(
      (await app.inject({ method: 'POST', url: '/api/jinmao/web/file', headers: type, payload })).statusCode,
    ).toBe(401);
  });

  it('makes harmless names', () => {
    const names = {
      'C:\\a\\b.png': 'b.png',
      '..': 'file.png',
      '': 'file.png',
      'a\u202egnp.exe': 'agnp.png',
      '<img>.svg': 'img.png',
      ['中'.repeat(200)]: `${'中'.repeat(100)}.png`,
    };
    for (const [given, wanted] of Object.entries(names)) expect(safeFileName(given, '.png')).toBe(wanted);
  });
});

describe('rows pointing to files', () => {
  it('take pictures and own files only', async () => {
    const { db } = test.platform.database;
    const mine = (await upload(Buffer.from('%PDF-1'), 'a.pdf')).json().data.id as string;
    const picture = (await upload(PNG, 'a.png')).json().data.id as string;
    await checkAttachable(db, staff, 'contract', [mine, picture]);
    await checkAttachable(db, other, 'photo', [picture]);
    await expect(checkAttachable(db, other, 'contract', [mine])).rejects.toMatchObject({ http: 422 });
    await expect(
      checkAttachable(db, staff, 'contract', ['00000000-0000-4000-8000-000000000000']),
    ).rejects.toMatchObject({ http: 422 });
    await checkAttachable(db, other, 'contract', [mine], [mine]);
  });
});

describe('store', () => {
  it('knows no path outside of itself and forgets what was not committed', async () => {
    const folder = path.join(test.platform.config.dataDir, 'other');
    const store = diskStore(folder);
    for (const key of ['../secret', '/etc/passwd', 'aa/../../x', 'aa/zz', ''])
      expect(() => store.remove(key)).toThrow('storage key');
    const draft = await store.create(10);
    draft.stream.write(Buffer.from('12345'));
    await draft.discard();
    const small = await store.create(10);
    await expect(
      new Promise((resolve, reject) =>
        small.stream.on('error', reject).write(Buffer.alloc(11), (error) => (error ? undefined : resolve(1))),
      ),
    ).rejects.toThrow('too large');
    await small.discard();
    expect(await fs.readdir(path.join(folder, 'tmp'))).toEqual([]);
  });

  it('an idempotency key stands for the uploaded content, whatever the boundary', async () => {
    const send = (content: Buffer, name: string, boundary = 'b') => {
      const { payload } = form(content, name);
      return app.inject({
        method: 'POST',
        url: '/api/jinmao/web/file',
        payload: Buffer.from(payload.toString('latin1').replaceAll('--b', `--${boundary}`), 'latin1'),
        headers: {
          'content-type': `multipart/form-data; boundary=${boundary}`,
          authorization: `Bearer ${staff.sessionId}`,
          'idempotency-key': 'upload-0001',
        },
      });
    };
    const count = async () =>
      (await rowsOf<{ n: number }>(test.platform, 'SELECT count(*) AS n FROM stored_file'))[0]!.n;
    const drafts = () => fs.readdir(path.join(test.platform.config.dataDir, 'files', 'tmp'));
    const before = await count();
    const first = await send(PNG, 'one.png');
    expect(first.statusCode).toBe(200);
    const again = await send(PNG, 'one.png', 'another');
    expect(again.json().data.id).toBe(first.json().data.id);
    for (const [content, name] of [
      [Buffer.concat([PNG, Buffer.from('x')]), 'one.png'],
      [PNG, 'two.png'],
    ] as const) {
      const other = await send(content, name);
      expect([other.statusCode, other.json().message]).toEqual([422, '重复提交标识已用于其他请求']);
    }
    expect(await count()).toBe(before + 1);
    expect(await drafts()).toEqual([]);
    // Ten submits at once, five of each content: one upload, everybody else gets it, is told to wait or is refused.
    const key = 'upload-0002';
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_one, index) =>
        app.inject({
          method: 'POST',
          url: '/api/jinmao/web/file',
          ...(() => {
            const { payload, headers } = form(index % 2 ? PNG : Buffer.concat([PNG, PNG]), 'race.png');
            const all = { ...headers, authorization: `Bearer ${staff.sessionId}`, 'idempotency-key': key };
            return { payload, headers: all };
          })(),
        }),
      ),
    );
    const ids = new Set(answers.filter((one) => one.statusCode === 200).map((one) => one.json().data.id));
    expect(ids.size).toBe(1);
    expect(answers.filter((one) => one.statusCode === 422)).toHaveLength(5);
    expect(await count()).toBe(before + 2);
    expect(await drafts()).toEqual([]);
  });

  it('a staff uploads 500 files an hour and no more', async () => {
    await run(
      test.platform.database.db,
      `INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access, owner_id, created_at)
       SELECT gen_random_uuid(), 'x.png', 'image/png', 1, '\\x00', 'busy' || n, 'picture', $1, now() - interval '59 minutes'
         FROM generate_series(1, 500) AS n`,
      [other.staffId],
    );
    const refused = await upload(PNG, 'one.png', other);
    expect([refused.statusCode, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
    await run(
      test.platform.database.db,
      `UPDATE stored_file SET created_at = now() - interval '2 hours' WHERE storage_key LIKE 'busy%'`,
    );
    expect((await upload(PNG, 'one.png', other)).statusCode).toBe(200);
    await run(test.platform.database.db, `DELETE FROM stored_file WHERE storage_key LIKE 'busy%'`);
  });

  it('removes leftovers older than a day only', async () => {
    const { id } = (await upload(PNG, 'kept.png')).json().data;
    const kept = (await findStoredFile(test.platform.database.db, id))!.storage_key;
    const root = path.join(test.platform.config.dataDir, 'files');
    const orphan = path.join(root, 'aa', 'a'.repeat(32));
    await fs.mkdir(path.dirname(orphan), { recursive: true });
    await fs.writeFile(orphan, 'x');
    await fs.writeFile(path.join(root, 'tmp', 'half'), 'x');
    expect(await purgeLeftovers(test.platform)).toBe(0);
    const old = new Date(Date.now() - 2 * 86_400_000);
    for (const file of [orphan, path.join(root, 'tmp', 'half'), path.join(root, kept)])
      await fs.utimes(file, old, old);
    expect(await purgeLeftovers(test.platform)).toBe(2);
    expect((await get(`/api/file/${id}`, { cookie: cookieOf(await upload(PNG, 'x.png')) })).statusCode).toBe(
      200,
    );
    await fs.rm(path.join(root, kept));
    expect((await get(`/api/file/${id}`, { cookie: cookieOf(await upload(PNG, 'x.png')) })).statusCode).toBe(
      404,
    );
    await run(test.platform.database.db, 'DELETE FROM stored_file WHERE id = $1', [id]);
  });

  it('says at start that the address of a store is not usable', () => {
    expect(() => openFileStore({ ...test.platform.config, storageUrl: 's3://bucket' })).toThrow(
      /STORAGE_URL must look like s3/,
    );
  });
});
