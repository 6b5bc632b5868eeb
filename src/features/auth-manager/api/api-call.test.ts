import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildApp } from '../../../app/server/app.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { diffOf } from './api-call.server.ts';
import { yamlOf } from './yaml.rules.ts';

let product: TestProduct;
let app: FastifyInstance;
let admin: string;
beforeAll(async () => {
  product = await startTestProduct({ demo: false });
  admin = await product.signIn('admin');
  app = await buildApp({
    platform: product.platform,
    authenticator: product.sessions,
    logCalls: true,
    defaultLimit: 40,
  });
  await app.ready();
});
afterAll(async () => {
  await app?.close();
  await product?.close();
});

const ROOT = '/admin/apiCall';
const db = () => product.platform.database.db;
const ask = (method: 'GET' | 'POST', url: string, payload?: object, on = app) =>
  on.inject({
    method,
    url: `/api${url}`,
    headers: { authorization: admin },
    ...(payload ? { payload } : {}),
  });
const rowOf = async (method: string, path: string) =>
  (await runOne<{ id: number; total_calls: number; state: string }>(
    db(),
    'SELECT id, total_calls, state FROM api_call WHERE method = $1 AND path = $2',
    [method, path],
  ))!;
const act = async (method: string, path: string, action: string, input: object = {}) =>
  product.call(admin, 'POST', `${ROOT}/${(await rowOf(method, path)).id}/${action}`, input);
const EXPORT = '/api/admin/station/export';

test('Must show 13: as many calls as the description has for a platform administrator, none without a right that is not public or for all staff; an export switched off answers 503, signing in stays', async () => {
  const second = await product.another();
  try {
    const described = (await ask('GET', '/docs/json')).json<{ paths: Record<string, object> }>();
    const calls = Object.values(described.paths).flatMap((path) => Object.keys(path)).length;
    const summary = (await ask('GET', `${ROOT}/summary`)).json().data;
    const page = (await ask('GET', `${ROOT}/page?tab=live&exact=true`)).json().data;
    expect([summary.total, page.total]).toEqual([calls, calls]);
    expect(
      await run(db(), `SELECT path FROM api_call WHERE level = 'permission' AND cardinality(codes) = 0`),
    ).toEqual([]);
    expect((await act('POST', EXPORT, 'off')).http).toBe(200);
    for (const on of [app, second.app]) {
      const poll = async () => (await ask('POST', '/admin/station/export', {}, on)).statusCode;
      await expect.poll(poll, { timeout: 5_000, interval: 50 }).toBe(503);
    }
    expect((await ask('POST', '/admin/station/export', {})).json()).toMatchObject({
      status: 503,
      message: '接口已停用',
    });
    expect((await act('POST', EXPORT, 'on')).http).toBe(200);
    await expect
      .poll(async () => (await ask('POST', '/admin/station/export', {}, second.app)).statusCode, {
        timeout: 5_000,
        interval: 50,
      })
      .toBe(200);
    for (const [method, path] of [
      ['POST', '/api/auth/oauth/token'],
      ['POST', '/api/auth/oauth/remove/token'],
      ['GET', '/api/admin/user/front/info'],
      ['GET', '/api/admin/apiCall/page'],
      ['POST', '/api/admin/apiCall/{id}/on'],
    ] as const) {
      const refused = await act(method, path, 'off');
      expect([path, refused.http, refused.message]).toEqual([path, 409, '该接口不能停用']);
    }
  } finally {
    await second.close();
  }
});

test('a deprecated call says so in its headers; a sunset in the past is refused', async () => {
  const path = '/api/admin/station/page';
  const past = await act('GET', path, 'deprecate', { sunsetOn: businessDayOf(new Date()) });
  expect([past.http, past.data.fields.sunsetOn]).toEqual([422, '下线日期必须晚于今天']);
  expect(
    (await act('GET', path, 'deprecate', { sunsetOn: '2099-01-31', replacement: '/api/admin/next' })).http,
  ).toBe(200);
  const answer = await ask('GET', '/admin/station/page');
  expect([answer.statusCode, answer.headers.sunset, answer.headers.link]).toEqual([
    200,
    'Fri, 30 Jan 2099 16:00:00 GMT',
    '</api/admin/next>; rel="successor-version"',
  ]);
  expect(answer.headers.deprecation).toMatch(/^@\d+$/);
  expect((await act('GET', path, 'restore')).http).toBe(200);
  expect((await ask('GET', '/admin/station/page')).headers.sunset).toBeUndefined();
});

test('a given limit is counted by all servers together, the default by each; both say when to come again', async () => {
  const second = await product.another();
  try {
    const path = '/api/admin/department/page';
    expect((await act('GET', path, 'limit', { limitPerMinute: 0 })).http).toBe(422);
    expect((await act('GET', path, 'limit', { limitPerMinute: 6 })).http).toBe(200);
    // Both servers know of it before anything is counted.
    await expect
      .poll(() => second.platform.changeCount('apiCall'), { timeout: 5_000, interval: 20 })
      .toBeGreaterThan(0);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        ask('GET', '/admin/department/page', undefined, index % 2 ? app : second.app),
      ),
    );
    const refused = answers.filter((one) => one.statusCode === 429);
    expect([answers.filter((one) => one.statusCode === 200).length, refused.length]).toEqual([6, 4]);
    expect(Number(refused[0]!.headers['retry-after'])).toBeGreaterThan(0);
    expect((await act('GET', path, 'limit', {})).http).toBe(200);
    const statuses = [];
    for (let turn = 0; turn < 42; turn++)
      statuses.push((await ask('GET', '/admin/station/counts')).statusCode);
    expect([statuses.slice(0, 40).every((one) => one === 200), statuses.slice(40)]).toEqual([
      true,
      [429, 429],
    ]);
  } finally {
    await second.close();
  }
});

test('calls are counted by pattern, never by value, with errors, average and p95', async () => {
  const before = await rowOf('GET', '/api/admin/station/{id}');
  for (let turn = 0; turn < 3; turn++) await ask('GET', '/admin/station/999999999');
  await app.apiDesk.flush();
  const after = await rowOf('GET', '/api/admin/station/{id}');
  expect(after.total_calls - before.total_calls).toBe(3);
  const detail = (await ask('GET', `${ROOT}/${after.id}`)).json().data;
  expect([detail.calls, detail.errors, detail.errorRate, typeof detail.p95]).toEqual([
    3,
    3,
    '100.00',
    'number',
  ]);
  const traffic = (await ask('GET', `${ROOT}/${after.id}/traffic`)).json().data as { calls: number }[];
  expect(traffic.reduce((sum, hour) => sum + hour.calls, 0)).toBe(3);
  await expect
    .poll(async () => (await ask('GET', `${ROOT}/${after.id}/failures`)).json().data.length, {
      timeout: 10_000,
      interval: 500,
    })
    .toBe(3);
  const top = (await ask('GET', `${ROOT}/top?days=7`)).json().data as { path: string }[];
  expect(top.map((one) => one.path)).toContain('/api/admin/station/{id}');
  expect(await run(db(), `SELECT path FROM api_call WHERE path ~ '[0-9]{5,}'`)).toEqual([]);
  const filtered = (await ask('GET', `${ROOT}/page?hasErrors=true&method=GET`)).json().data.rows as {
    path: string;
  }[];
  expect(filtered.map((one) => one.path)).toContain('/api/admin/station/{id}');
});

test('two servers that count the same minute add up, and a day of counting too many is dropped', async () => {
  const other = await product.another();
  const logging = await buildApp({
    platform: other.platform,
    authenticator: other.sessions,
    logCalls: true,
  });
  try {
    const before = await rowOf('GET', '/api/docs');
    await Promise.all(
      [...Array(8)].map((_, index) => ask('GET', '/docs', undefined, index % 2 ? app : logging)),
    );
    await Promise.all([app.apiDesk.flush(), logging.apiDesk.flush()]);
    expect((await rowOf('GET', '/api/docs')).total_calls - before.total_calls).toBe(8);
    const minutes = await runOne<{ calls: number; counted: number }>(
      db(),
      `SELECT sum(calls)::int AS calls, sum((SELECT sum(b) FROM unnest(buckets) b))::int AS counted FROM api_minute WHERE api_id = $1`,
      [before.id],
    );
    expect(minutes).toEqual({ calls: 8, counted: 8 });
  } finally {
    await logging.close();
    await other.close();
  }
});

test('the selection is exported as OpenAPI 3.1 with what calls take and answer, and releases are compared', async () => {
  const exported = async (format: string) =>
    (
      await ask('POST', `${ROOT}/openapi`, { format, query: { searchVal: '/admin/station', tab: 'live' } })
    ).json().data as { name: string; text: string };
  const document = JSON.parse((await exported('json')).text) as {
    openapi: string;
    paths: Record<string, Record<string, Record<string, never>>>;
  };
  expect(document.openapi).toBe('3.1.0');
  expect(Object.keys(document.paths).every((path) => path.startsWith('/api/admin/station'))).toBe(true);
  const create = document.paths['/api/admin/station']!.post! as unknown as {
    requestBody: { content: { 'application/json': { schema: { required: string[]; properties: object } } } };
  };
  const { schema } = create.requestBody.content['application/json'];
  expect(schema.required).toContain('name');
  expect(Object.keys(schema.properties)).toContain('type');
  const list = document.paths['/api/admin/station/page']!.get! as unknown as {
    parameters: { name: string }[];
    responses: {
      200: { content: { 'application/json': { schema: { properties: { data: { required: string[] } } } } } };
    };
  };
  expect(list.parameters.map((one) => one.name)).toContain('searchVal');
  expect(list.responses[200].content['application/json'].schema.properties.data.required).toEqual([
    'total',
    'rows',
  ]);
  expect((await exported('yaml')).text).toContain('"openapi": "3.1.0"');
  expect(yamlOf({ a: [{ b: 'no', c: [] }, 'x'], d: {} })).toBe(
    '"a":\n  - "b": "no"\n    "c": []\n  - "x"\n"d": {}\n',
  );
  const [present] = (await ask('GET', `${ROOT}/releases`)).json().data as { release: string }[];
  await run(
    db(),
    `INSERT INTO api_release (release, calls) SELECT 'older', (calls - 'GET /api/docs') || '{"GET /api/gone": "x", "GET /api/docs/json": "y"}' FROM api_release WHERE release = $1`,
    [present!.release],
  );
  const diff = (await ask('GET', `${ROOT}/diff?from=older&to=${present!.release}`)).json().data;
  expect(diff).toEqual({
    added: ['GET /api/docs'],
    removed: ['GET /api/gone'],
    changed: ['GET /api/docs/json'],
  });
  expect(diffOf({}, {})).toEqual({ added: [], removed: [], changed: [] });
});

test('what a release does not have any more is removed, comes back with its rules, and new public calls are told', async () => {
  await run(db(), `UPDATE api_call SET limit_per_minute = 50 WHERE method = 'GET' AND path = '/api/docs'`);
  await run(
    db(),
    `INSERT INTO api_call (method, path, title_zh, title_en, level) VALUES ('GET', '/api/gone', '旧', 'Old', 'token')`,
  );
  await run(db(), `DELETE FROM api_call WHERE path = '/api/auth/authLogin/publicKey'`);
  const other = await product.another();
  try {
    expect((await rowOf('GET', '/api/gone')).state).toBe('removed');
    const kept = await runOne<{ limit: number }>(
      db(),
      `SELECT limit_per_minute AS limit FROM api_call WHERE method = 'GET' AND path = '/api/docs'`,
    );
    expect(kept!.limit).toBe(50);
    const told = await run(db(), `SELECT 1 FROM notification WHERE kind = 'alertApi'`);
    expect(told.length).toBeGreaterThan(0);
  } finally {
    await other.close();
  }
});

test('who may call is told by group, and staff without the menu read none of it', async () => {
  const row = await rowOf('POST', EXPORT);
  const callers = (await ask('GET', `${ROOT}/${row.id}/callers`)).json().data as { staff: number }[];
  expect(callers.length).toBeGreaterThan(0);
  await run(
    db(),
    `INSERT INTO staff (tenant_id, account, name, must_change_password) SELECT id, 'nobody1', '无权', false FROM tenant WHERE kind = 3 LIMIT 1`,
  );
  const nobody = await product.signIn('nobody1');
  for (const path of ['page', 'summary', 'top', 'releases', `${row.id}/callers`])
    expect([path, (await product.call(nobody, 'GET', `${ROOT}/${path}`)).http]).toEqual([path, 403]);
});
