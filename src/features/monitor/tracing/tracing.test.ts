import { afterAll, beforeAll, expect, test } from 'vitest';
import { otlpOf, exportSpans, zipkinOf } from '../../../domain/monitoring/span-export.server.ts';
import { recordSpans, writeSpans, type StoredSpan } from '../../../domain/monitoring/span-recorder.server.ts';
import { run } from '../../../kernel/server/database.ts';
import { addEffect } from '../../../kernel/server/tasks/outbox.ts';
import { startWorker } from '../../../kernel/server/tasks/jobs.ts';
import { defineRegistration, endpoint } from '../../../kernel/server/registration.ts';
import { transaction } from '../../../kernel/server/database.ts';
import { buildApp } from '../../../app/server/app.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { serviceToken } from '../service-token-fixture.ts';
import { keepSpans } from './tracing.server.ts';

let product: TestProduct;
let admin: string;
beforeAll(async () => {
  product = await startTestProduct({ demo: false });
  admin = await product.signIn('admin');
});
afterAll(() => product?.close());

const db = () => product.platform.database.db;
const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object, token = admin) =>
  product.call(token, method, path, body);
const hour = () => {
  const to = new Date(Date.now() + 60_000).toISOString();
  const from = new Date(Date.now() - 3_600_000).toISOString();
  return `from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`;
};
const stored = (traceId: string, more: Partial<StoredSpan> = {}): StoredSpan => ({
  traceId,
  spanId: traceId.slice(0, 16),
  parentId: '',
  entry: true,
  service: 'backoffice-web',
  instance: '',
  peer: '',
  name: 'GET /api/admin/staff/page',
  kind: 'SERVER',
  startedAt: Date.now() - 1_000,
  durationUs: 20_000,
  status: 200,
  failed: false,
  staffId: null,
  attributes: { 'http.status': '200' },
  ...more,
});
const id = (index: number) => index.toString(16).padStart(32, 'a');

test('Must show 11: a call with a traceparent goes on in that trace, through its statements, its effect and the job that delivers it', async () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const parent = '00f067aa0ba902b7';
  let delivered = () => {};
  const done = new Promise<void>((resolve) => (delivered = resolve));
  const own = defineRegistration({
    endpoints: [
      endpoint({
        method: 'POST',
        path: '/jinmao/web/traceTest',
        title: ['测试', 'Test'],
        access: 'staff',
        handle: async ({ platform }) => {
          await transaction(platform.database.db, (tx) => addEffect(tx, 'channel.pay', {}));
          return true;
        },
      }),
    ],
    effects: [
      {
        kind: 'channel.pay',
        deliver: () => {
          delivered();
          return Promise.resolve();
        },
      },
    ],
  });
  const platform = { ...product.platform, registrations: [...product.platform.registrations, own] };
  const web = recordSpans(product.platform, { service: 'backoffice-web' });
  const jobs = recordSpans(product.platform, { service: 'backoffice-worker' });
  const app = await buildApp({ platform, authenticator: product.sessions, spans: web });
  const answer = await app.inject({
    method: 'POST',
    url: '/api/jinmao/web/traceTest',
    headers: { authorization: admin, traceparent: `00-${traceId}-${parent}-01` },
  });
  expect([answer.statusCode, answer.headers['x-trace-id']]).toEqual([200, traceId]);
  const worker = await startWorker(product.platform, [own], {
    connection: product.database.app,
    loadCaller: () => Promise.resolve(undefined),
    onRun: jobs.job,
  });
  await done;
  await worker.stop();
  await app.close();
  await jobs.stop();
  const trace = await call('GET', `/admin/trace/one/${traceId}`);
  const spans = trace.data.spans as Record<string, any>[];
  const request = spans.find((span) => span.kind === 'SERVER')!;
  expect([request.name, request.parentId, request.service]).toEqual([
    'POST /api/jinmao/web/traceTest',
    parent,
    'backoffice-web',
  ]);
  expect(
    spans.some((span) => span.peer === 'database' && /INSERT INTO outbox/.test(span.tags.statement)),
  ).toBe(true);
  const job = spans.find((span) => span.kind === 'CONSUMER')!;
  expect([job.name, job.parentId, job.service]).toEqual(['outbox.deliver', request.id, 'backoffice-worker']);
  const channel = spans.find((span) => span.name === 'channel.pay')!;
  expect([channel.kind, channel.peer, channel.parentId]).toEqual(['CLIENT', 'channel', job.id]);
  const edges = (await call('GET', `/admin/trace/dependencies?${hour()}`)).data as Record<string, any>[];
  for (const [from, to] of [
    ['backoffice-web', 'database'],
    ['backoffice-web', 'backoffice-worker'],
    ['backoffice-worker', 'channel'],
  ])
    expect(edges.some((edge) => edge.from === from && edge.to === to)).toBe(true);
});

test('Must show 12 (search): http.status=500 finds failed calls only, filters narrow, a slow call is kept when sampling is 1 %', async () => {
  await writeSpans(product.platform, [
    stored(id(1), { status: 500, failed: true, attributes: { 'http.status': '500' } }),
    stored(id(2), { durationUs: 2_000_000, name: 'GET /api/slow' }),
    stored(id(3), { staffId: 7 }),
    stored(id(3), {
      spanId: 'b'.repeat(16),
      entry: false,
      parentId: id(3).slice(0, 16),
      kind: 'CLIENT',
      peer: 'database',
    }),
  ]);
  const found = async (query: string) =>
    ((await call('GET', `/admin/trace/search?${hour()}&${query}`)).data as { traceId: string }[]).map(
      (one) => one.traceId,
    );
  expect(await found('tag=http.status%3D500')).toEqual([id(1)]);
  expect(await found('status=error')).toEqual([id(1)]);
  expect(await found('minMs=1500')).toEqual([id(2)]);
  expect(await found('staff=7')).toEqual([id(3)]);
  expect(await found(`name=${encodeURIComponent('GET /api/slow')}`)).toEqual([id(2)]);
  expect((await found('sort=longest&limit=10'))[0]).toBe(id(2));
  expect((await call('GET', `/admin/trace/search?${hour()}&tag=oops`)).http).toBe(422);
  expect((await call('GET', `/admin/trace/one/${'0'.repeat(32)}`)).message).toBe(
    '未找到该链路，可能未被采样或已过期',
  );
  const long = `from=${encodeURIComponent(new Date(Date.now() - 9 * 86_400_000).toISOString())}&to=${encodeURIComponent(new Date().toISOString())}`;
  expect((await call('GET', `/admin/trace/search?${long}`)).message).toBe('仅保留最近 7 天');

  expect((await call('PUT', '/admin/trace/setting', { sampleRate: 0.01, slowMs: 1_000, days: 7 })).http).toBe(
    200,
  );
  const recorder = recordSpans(product.platform, { service: 'backoffice-worker', random: () => 0.5 });
  await recorder.flush();
  const job = (index: number, duration: number) =>
    recorder.job({
      name: `sampled.${duration}`,
      traceId: id(index),
      startedAt: new Date(),
      duration,
      error: undefined,
      scheduled: false,
      spans: [],
      root: { traceId: id(index), rootId: id(index).slice(-16), parentId: undefined },
    });
  for (let index = 0; index < 300; index++) job(1_000 + index, 5);
  job(5_000, 1_200);
  await recorder.stop();
  const kept = await run<{ name: string; n: number }>(
    db(),
    `SELECT name, count(*) AS n FROM span WHERE name LIKE 'sampled.%' GROUP BY 1 ORDER BY 1`,
  );
  expect(kept).toEqual([
    { name: 'sampled.1200', n: 1 },
    { name: 'sampled.5', n: 200 },
  ]);
});

test('Must show 13: neither values nor personal data reach spans: a phone and an ID number that were searched for are in none', async () => {
  const secret = ['13812345678', '110101199003078515'];
  const recorder = recordSpans(product.platform, { service: 'backoffice-web' });
  const app = await buildApp({
    platform: product.platform,
    authenticator: product.sessions,
    spans: recorder,
  });
  for (const one of secret)
    await app.inject({
      url: `/api/admin/staff/page?searchVal=${one}`,
      headers: { authorization: admin },
    });
  await app.close();
  const rows = await run<{ text: string }>(db(), 'SELECT s::text AS text FROM span s');
  expect(rows.some((row) => row.text.includes('/api/admin/staff/page'))).toBe(true);
  for (const one of secret) expect(rows.some((row) => row.text.includes(one))).toBe(false);
});

test('Must show 14 (tracing): with the database away spans are dropped and counted, and nothing throws', async () => {
  const away = {
    ...product.platform,
    database: {
      ...product.platform.database,
      pool: { query: () => Promise.reject(new Error('away')) } as never,
    },
  };
  const recorder = recordSpans(away, { service: 'backoffice-worker' });
  recorder.job({
    name: 'lost',
    traceId: id(9_000),
    startedAt: new Date(),
    duration: 5,
    error: undefined,
    scheduled: false,
    spans: [],
    root: { traceId: id(9_000), rootId: 'c'.repeat(16), parentId: undefined },
  });
  await recorder.flush();
  expect(recorder.dropped()).toBe(1);
  await recorder.stop();
});

test('Must show 15 (spans): the token of one service that sends spans as another is stored as its own', async () => {
  const token = await serviceToken(product, 'gate-cam');
  const span = (more: object = {}) => ({
    traceId: 'd'.repeat(32),
    id: 'e'.repeat(16),
    name: 'open 13812345678',
    kind: 'SERVER',
    timestamp: Date.now() * 1_000,
    duration: 1_500,
    localEndpoint: { serviceName: 'backoffice-web' },
    tags: { phone: '13812345678' },
    ...more,
  });
  const taken = await call('POST', '/admin/trace/span', [span()], token);
  expect(taken.data).toEqual({ taken: 1 });
  const trace = await call('GET', `/admin/trace/one/${'d'.repeat(32)}`);
  expect(trace.data.spans[0].service).toBe('gate-cam');
  expect(JSON.stringify(trace.data)).not.toContain('13812345678');
  expect((await call('POST', '/admin/trace/span', [span()])).http).toBe(403);
  const many = Array.from({ length: 1_001 }, (_unused, index) =>
    span({ id: index.toString(16).padStart(16, '0') }),
  );
  expect((await call('POST', '/admin/trace/span', many, token)).http).toBe(422);
  expect((await call('POST', '/admin/trace/span', many.slice(1), token)).data.taken).toBe(1_000);
});

test('days that are too old go, and so do the oldest while there are too many spans', async () => {
  await writeSpans(product.platform, [stored(id(77), { startedAt: Date.now() - 9 * 86_400_000 })]);
  await keepSpans(product.platform);
  expect(await run(db(), 'SELECT 1 FROM span WHERE trace_id = $1', [id(77)])).toEqual([]);
});

test('spans leave for the outside collector as Zipkin or OTLP, only when that is on', async () => {
  const sent: [string, any][] = [];
  const send = ((url: string, init: { body: string }) => {
    sent.push([url, JSON.parse(init.body)]);
    return Promise.resolve(new Response(''));
  }) as unknown as typeof fetch;
  const settings = (on: boolean, url: string) =>
    ({ settings: { flag: () => Promise.resolve(on), text: () => Promise.resolve(url) } }) as never;
  const spans = [stored(id(5), { failed: true })];
  await exportSpans(settings(false, 'https://collector.example'), spans, send);
  await exportSpans(settings(true, 'https://collector.example/'), spans, send);
  await exportSpans(settings(true, 'https://collector.example/v1/traces'), spans, send);
  expect(sent.map(([url]) => url)).toEqual([
    'https://collector.example/api/v2/spans',
    'https://collector.example/v1/traces',
  ]);
  expect(zipkinOf(spans)[0]).toMatchObject({ traceId: id(5), kind: 'SERVER', tags: { error: 'true' } });
  expect(JSON.stringify(otlpOf(spans))).toContain('"service.name"');
});
