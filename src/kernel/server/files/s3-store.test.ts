import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  makeCaller,
  openTestApp,
  openTestPlatform,
  type TestPlatform,
} from '../../../testing/kernel-fixtures.ts';
import { startS3Server, type S3Server } from '../../../testing/s3-server.ts';
import type { Caller } from '../people/caller.ts';
import { registration as files } from './file-endpoints.ts';
import type { FileStore } from './disk-store.ts';
import { findStoredFile } from './files.ts';
import { NO_PAYLOAD, readS3Address, s3Call, signedHeaders, type S3Request } from './s3-client.ts';
import { s3Store } from './s3-store.ts';

let server: S3Server;
beforeAll(async () => {
  server = await startS3Server();
});
afterAll(() => server.close());

describe('signature', () => {
  // Source: Amazon S3 API reference, "Signature Calculations for the Authorization Header", examples.
  const who = {
    accessKey: 'AKIAIOSFODNN7EXAMPLE',
    secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    region: 'us-east-1',
  };
  const host = 'examplebucket.s3.amazonaws.com';
  const at = new Date('2013-05-24T00:00:00Z');
  const vectors: [string, S3Request, string][] = [
    [
      'get with a range',
      { method: 'GET', path: '/test.txt', headers: { host, range: 'bytes=0-9' }, payloadHash: NO_PAYLOAD },
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    ],
    [
      'put of a name that must be encoded',
      {
        method: 'PUT',
        path: '/test$file.text',
        headers: {
          host,
          date: 'Fri, 24 May 2013 00:00:00 GMT',
          'x-amz-storage-class': 'REDUCED_REDUNDANCY',
        },
        payloadHash: createHash('sha256').update('Welcome to Amazon S3.').digest('hex'),
      },
      '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    ],
    [
      'query without a value',
      { method: 'GET', path: '/', query: { lifecycle: '' }, headers: { host }, payloadHash: NO_PAYLOAD },
      'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    ],
    [
      'list',
      {
        method: 'GET',
        path: '/',
        query: { prefix: 'J', 'max-keys': '2' },
        headers: { host },
        payloadHash: NO_PAYLOAD,
      },
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    ],
  ];
  it.each(vectors)('equals the published one: %s', (_name, request, signature) => {
    expect(signedHeaders(request, who, at).authorization).toMatch(new RegExp(`Signature=${signature}$`));
  });

  it('is checked by the other side: wrong secret, key and region are refused', async () => {
    const address = readS3Address(server.url);
    await expect(s3Call({ ...address, secretKey: 'x' }, 'HEAD', '')).rejects.toMatchObject({ status: 403 });
    await expect(s3Call({ ...address, secretKey: 'x' }, 'GET', 'a')).rejects.toThrow('SignatureDoesNotMatch');
    await expect(s3Call({ ...address, accessKey: 'x' }, 'GET', 'a')).rejects.toThrow('InvalidAccessKeyId');
    await expect(s3Call({ ...address, region: 'x' }, 'GET', 'a')).rejects.toThrow('HeaderMalformed');
    await expect(s3Call({ ...address, bucket: 'other' }, 'HEAD', '')).rejects.toMatchObject({ status: 404 });
  });
});

describe('address', () => {
  it('is read with its defaults', () => {
    expect(readS3Address('s3://K:a%2Fb%2Bc@minio.local:9000/files?tls=0&region=cn-north-1')).toEqual({
      accessKey: 'K',
      secretKey: 'a/b+c',
      host: 'minio.local',
      port: 9000,
      tls: false,
      bucket: 'files',
      prefix: '',
      region: 'cn-north-1',
    });
    expect(readS3Address('s3://K:s@s3.example.com/files/shop')).toMatchObject({
      port: 443,
      tls: true,
      prefix: 'shop/',
      region: 'us-east-1',
    });
  });
  it.each([
    'https://K:s@host/files',
    's3://host/files',
    's3://K:topsecret@host',
    's3://K:topsecret@host/Files_1',
    's3://K:topsecret@host/files/..%2f',
    's3://K:topsecret@host/files?tls=2',
    's3://K:topsecret@host/files?acl=public',
    'nonsense',
  ])('is refused without telling the secret: %s', (address) => {
    let message = '';
    try {
      readS3Address(address);
    } catch (error) {
      ({ message } = error as Error);
    }
    expect(message).toMatch(/^STORAGE_URL/);
    expect(message).not.toContain('topsecret');
  });
});

describe('store', () => {
  let folder: string;
  let store: FileStore;
  beforeAll(async () => {
    folder = await fs.mkdtemp(path.join(os.tmpdir(), 's3-store-'));
    store = s3Store(server.url, folder);
  });
  afterAll(() => fs.rm(folder, { recursive: true, force: true }));
  beforeEach(() => {
    server.objects.clear();
    server.faults.length = 0;
  });
  const put = async (content: Buffer) => {
    const draft = await store.create(2_000_000);
    await pipeline(Readable.from([content]), draft.stream);
    return draft.commit();
  };

  it('keeps, reads in parts and removes', async () => {
    await store.check();
    const content = randomBytes(1_500_000);
    const { storageKey, size, sha256 } = await put(content);
    expect(storageKey).toMatch(/^[0-9a-f]{2}\/[0-9a-f]{32}$/);
    expect([size, sha256.equals(createHash('sha256').update(content).digest())]).toEqual([1_500_000, true]);
    expect([...server.objects.keys()]).toEqual([`files/shop/${storageKey}`]);
    expect((await buffer(await store.read(storageKey))).equals(content)).toBe(true);
    const part = await buffer(await store.read(storageKey, { start: 1_000_000, end: 1_000_009 }));
    expect(part.equals(content.subarray(1_000_000, 1_000_010))).toBe(true);
    await store.remove(storageKey);
    await store.remove(storageKey);
    expect(server.objects.size).toBe(0);
    await expect(store.read(storageKey)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await fs.readdir(path.join(folder, 'tmp'))).toEqual([]);
  });

  it('knows no other names and keeps nothing of a discarded draft', async () => {
    for (const key of ['../secret', 'aa/../../x', 'aa/zz', ''])
      await expect(store.read(key)).rejects.toThrow('storage key');
    const draft = await store.create();
    draft.stream.write(Buffer.from('12345'));
    await draft.discard();
    expect(server.objects.size).toBe(0);
    expect(await fs.readdir(path.join(folder, 'tmp'))).toEqual([]);
  });

  it('tries again after a fault, and says 503 when it stays', async () => {
    const content = randomBytes(300_000);
    server.faults.push(503, 'cut');
    const { storageKey } = await put(content);
    expect(server.objects.get(`files/shop/${storageKey}`)!.body.equals(content)).toBe(true);
    server.faults.push('cut', 500);
    expect((await buffer(await store.read(storageKey))).equals(content)).toBe(true);
    server.faults.push(500, 'cut', 500);
    await expect(store.read(storageKey)).rejects.toMatchObject({ http: 503, cause: { status: 500 } });
    server.faults.push(500, 500, 500);
    await expect(put(content)).rejects.toMatchObject({ http: 503 });
  });

  it('never passes half a file for a whole one', async () => {
    const { storageKey } = await put(randomBytes(400_000));
    server.faults.push('cutBody');
    await expect(store.read(storageKey).then(buffer)).rejects.toThrow();
  });

  it('reads and removes what lay on the disk before the bucket was there', async () => {
    const name = 'b'.repeat(32);
    await fs.mkdir(path.join(folder, 'bb'), { recursive: true });
    await fs.writeFile(path.join(folder, 'bb', name), 'earlier');
    expect((await buffer(await store.read(`bb/${name}`))).toString()).toBe('earlier');
    await store.remove(`bb/${name}`);
    await expect(store.read(`bb/${name}`)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('removes unknown objects older than a day, over several pages, and no others', async () => {
    const kept = await put(Buffer.from('kept'));
    const young = await put(Buffer.from('young'));
    const orphans = await Promise.all([1, 2, 3].map(() => put(Buffer.from('orphan'))));
    const old = new Date(Date.now() - 2 * 86_400_000);
    for (const { storageKey } of [kept, ...orphans]) server.objects.get(`files/shop/${storageKey}`)!.at = old;
    server.objects.set('files/shop/readme.txt', { body: Buffer.from('of others'), at: old });
    server.objects.set('files/else/aa/x', { body: Buffer.from('of others'), at: old });
    expect(await store.removeLeftovers(async (key) => key === kept.storageKey)).toBe(3);
    expect([...server.objects.keys()].sort()).toEqual(
      [
        'files/else/aa/x',
        'files/shop/readme.txt',
        `files/shop/${kept.storageKey}`,
        `files/shop/${young.storageKey}`,
      ].sort(),
    );
  });
});

describe('uploads of the product', () => {
  let test: TestPlatform;
  let app: FastifyInstance;
  let staff: Caller;
  beforeAll(async () => {
    test = await openTestPlatform([files], { storageUrl: server.url });
    staff = await makeCaller(test.platform, 'uploader');
    app = await openTestApp(test.platform, () => [staff]);
  });
  afterAll(async () => {
    await app.close();
    await test.close();
  });
  const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(5_000, 1)]);
  const upload = () =>
    app.inject({
      method: 'POST',
      url: '/api/jinmao/web/file',
      headers: {
        'content-type': 'multipart/form-data; boundary=b',
        authorization: `Bearer ${staff.sessionId}`,
      },
      payload: Buffer.concat([
        Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n'),
        PNG,
        Buffer.from('\r\n--b--\r\n'),
      ]),
    });

  it('lie in the bucket and are read from it', async () => {
    const answer = await upload();
    expect(answer.statusCode).toBe(200);
    const { id, url } = answer.json().data;
    const row = (await findStoredFile(test.platform.database.db, id))!;
    expect(server.objects.get(`files/shop/${row.storage_key}`)!.body.equals(PNG)).toBe(true);
    const cookie = ([answer.headers['set-cookie']].flat() as string[])
      .find((one) => one.includes('Path=/api/file'))!
      .split(';')[0]!;
    expect((await app.inject({ url, headers: { cookie } })).rawPayload.equals(PNG)).toBe(true);
    const part = await app.inject({ url, headers: { cookie, range: 'bytes=1-3' } });
    expect([part.statusCode, part.body]).toEqual([206, 'PNG']);
    server.faults.push(500, 500, 500);
    expect((await app.inject({ url, headers: { cookie } })).statusCode).toBe(503);
    server.faults.push(500, 500, 500);
    const failed = await upload();
    expect([failed.statusCode, failed.json().status]).toEqual([503, 503]);
    server.objects.clear();
    expect((await app.inject({ url, headers: { cookie } })).statusCode).toBe(404);
  });
});
