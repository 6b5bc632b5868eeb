import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildApp } from '../../../app/server/app.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { addressClass } from './upstream-address.rules.ts';
import { checkUpstreams, noteCertificate } from './gateway-watch.server.ts';
import { isPlainPath, matchRoute, rewrittenLocation, strippedPath } from './route-match.rules.ts';

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

let product: TestProduct;
let app: FastifyInstance;
let admin: string;
let upstream: http.Server;
let other: http.Server;
let port: number;
let otherPort: number;
const seen: Seen[] = [];
let answer: (request: http.IncomingMessage, response: http.ServerResponse) => void;
let clock = 0;
const names = new Map<string, string[]>();

const listen = async (handler: http.RequestListener) => {
  const server = http.createServer(handler);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return server;
};
const plain = (response: http.ServerResponse, status = 200) => {
  response.writeHead(status, { 'content-type': 'text/plain', 'set-cookie': 'a=1', 'x-upstream': 'yes' });
  response.end('hello');
};
const OPTIONS = {
  now: () => clock,
  resolve: async (host: string) =>
    (names.get(host) ?? ['127.0.0.1']).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
};

beforeAll(async () => {
  product = await startTestProduct({ demo: false });
  admin = await product.signIn('admin');
  app = await buildApp({
    platform: product.platform,
    authenticator: product.sessions,
    logCalls: true,
    gateway: OPTIONS,
  });
  await app.ready();
  upstream = await listen((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      seen.push({
        method: request.method!,
        url: request.url!,
        headers: request.headers,
        body: Buffer.concat(parts).toString(),
      });
      answer(request, response);
    });
  });
  other = await listen((_request, response) => response.end('other'));
  port = (upstream.address() as AddressInfo).port;
  otherPort = (other.address() as AddressInfo).port;
  for (const one of [port, otherPort])
    await product.call(admin, 'POST', '/admin/upstreamHost', {
      scheme: 'http',
      host: '127.0.0.1',
      port: one,
      privateAllowed: true,
    });
});
afterAll(async () => {
  await app?.close();
  upstream?.closeAllConnections();
  upstream?.close();
  other?.close();
  await product?.close();
});

const ROOT = '/admin/gatewayRoute';
const db = () => product.platform.database.db;
let made = 0;
const add = async (input: object = {}) => {
  made += 1;
  return product.call(admin, 'POST', ROOT, {
    code: `route-${made}`,
    name: `测试路由${made}`,
    prefix: `/api/out${made}`,
    targetKind: 'url',
    url: `http://127.0.0.1:${port}`,
    strip: 2,
    timeoutMs: 5000,
    retries: 0,
    ratePerMinute: 6000,
    rateBy: 'caller',
    bodyLimitMb: 1,
    auth: 'permission',
    permissionCode: 'gatewayManager',
    position: 100,
    ...input,
  });
};
const act = (id: string, action: string, input: object = {}) =>
  product.call(admin, 'POST', `${ROOT}/${id}/${action}`, input);
const live = async (input: object = {}) => {
  const route = (await add(input)).data;
  const published = await act(route.id, route.auth === 'public' ? 'publishPublic' : 'publish', {
    reason: '测试发布',
  });
  expect([published.http, published.message]).toEqual([200, '']);
  // Servers learn of it by a notice; whoever brings no token is refused before the upstream is asked.
  await expect
    .poll(async () => (await go(`${route.prefix}/probe`, { token: '' })).statusCode, {
      timeout: 5_000,
      interval: 20,
    })
    .not.toBe(404);
  seen.length = 0;
  answer = (_request, response) => plain(response);
  return route as { id: string; prefix: string; code: string };
};
const go = (
  url: string,
  options: {
    method?: 'GET' | 'POST' | 'PUT' | 'HEAD';
    payload?: string;
    headers?: Record<string, string>;
    on?: FastifyInstance;
    token?: string;
    remoteAddress?: string;
  } = {},
) =>
  (options.on ?? app).inject({
    method: options.method ?? 'GET',
    url,
    ...(options.remoteAddress ? { remoteAddress: options.remoteAddress } : {}),
    headers: { authorization: options.token ?? admin, ...options.headers },
    ...(options.payload === undefined ? {} : { payload: options.payload }),
  });

describe('rules', () => {
  test('addresses of every spelling are told apart: public, private, never', () => {
    for (const [address, kind] of [
      ['8.8.8.8', 'public'],
      ['127.0.0.1', 'private'],
      ['10.1.2.3', 'private'],
      ['172.31.255.255', 'private'],
      ['172.32.0.1', 'public'],
      ['169.254.169.254', 'forbidden'],
      ['0.0.0.0', 'forbidden'],
      ['100.100.100.200', 'forbidden'],
      ['::1', 'private'],
      ['::', 'forbidden'],
      ['fe80::1%eth0', 'forbidden'],
      ['fd00:ec2::254', 'forbidden'],
      ['fd12::1', 'private'],
      ['::ffff:127.0.0.1', 'private'],
      ['::ffff:169.254.169.254', 'forbidden'],
      ['::ffff:a9fe:a9fe', 'forbidden'],
      ['64:ff9b::a9fe:a9fe', 'forbidden'],
      ['2002:7f00:1::', 'private'],
      ['2606:4700::1111', 'public'],
      ['not an address', 'forbidden'],
      ['1.2.3.999', 'forbidden'],
      ['1::2::3', 'forbidden'],
    ] as const)
      expect([address, addressClass(address)]).toEqual([address, kind]);
  });

  test('the longest prefix wins, then the order; paths that mean two places are no paths', () => {
    const route = (prefix: string, position = 1, methods: string[] = []) => ({ prefix, position, methods });
    const routes = [route('/api/a'), route('/api/a/b', 9), route('/api/c', 2), route('/api/c', 1, ['GET'])];
    expect(matchRoute(routes, 'GET', '/api/a/b/x')).toBe(routes[1]);
    expect(matchRoute(routes, 'GET', '/api/ab')).toBeUndefined();
    expect([matchRoute(routes, 'GET', '/api/c'), matchRoute(routes, 'POST', '/api/c')]).toEqual([
      routes[3],
      routes[2],
    ]);
    for (const path of [
      '/api/a/../admin',
      '/api/a/%2e%2e/x',
      '/api//a',
      '/api/a%2fb',
      '/api/a\\b',
      '/api/a/.',
      // As many upstreams read them: /api/a/b, behind the back of its own route.
      '/api/a/%62',
      '/api/a/%62/x',
      '/api/a/b;v=1/x',
      '/api/a/b%3bv=1/x',
    ])
      expect([path, isPlainPath(path)]).toEqual([path, false]);
    for (const path of ['/api/a/x%20y', '/api/a/%E5%9B%AD', '/api/a/x:y@z=1,2', '/api/a/x%25y'])
      expect([path, isPlainPath(path)]).toEqual([path, true]);
    expect([matchRoute(routes, 'GET', '/api/a/B/x'), matchRoute(routes, 'GET', '/api/A/x')]).toEqual([
      undefined,
      undefined,
    ]);
    expect([
      strippedPath('/api/parking/lots', 2),
      strippedPath('/api/parking', 2),
      strippedPath('/api/x/y', 0),
    ]).toEqual(['/lots', '/', '/api/x/y']);
    const place = { origin: 'http://u:1', basePath: '/base', prefix: '/api/p', strip: 2 };
    expect([
      rewrittenLocation('/base/in', place),
      rewrittenLocation('http://u:1/base/in?x', place),
      rewrittenLocation('https://elsewhere.cn/', place),
      rewrittenLocation('//elsewhere.cn/', place),
    ]).toEqual(['/api/p/in', '/api/p/in?x', 'https://elsewhere.cn/', '//elsewhere.cn/']);
  });
});

test('Must show 6: strip 2, no Authorization and no Cookie, ids anew; the answer streams back; log and trace show it', async () => {
  const route = await live();
  const got = await go(`${route.prefix}/lots?x=1`, {
    headers: {
      cookie: 'session=secret',
      'x-forwarded-for': '6.6.6.6',
      'x-staff-id': '1',
      'x-request-id': 'mine',
      connection: 'x-hop',
      'x-hop': 'no',
      'x-own': 'kept',
    },
  });
  expect([got.statusCode, got.body, got.headers['x-upstream'], got.headers['set-cookie']]).toEqual([
    200,
    'hello',
    'yes',
    undefined,
  ]);
  const [call] = seen;
  expect([call!.url, call!.headers['x-own']]).toEqual(['/lots?x=1', 'kept']);
  for (const name of ['authorization', 'cookie', 'x-hop', 'x-staff-id'])
    expect([name, call!.headers[name]]).toEqual([name, undefined]);
  const trace = got.headers['x-trace-id'] as string;
  expect([call!.headers['x-request-id'], call!.headers['x-forwarded-for'], call!.headers.host]).toEqual([
    trace,
    '127.0.0.1',
    `127.0.0.1:${port}`,
  ]);
  expect(call!.headers.traceparent).toContain(trace);
  const sent = await go(`${route.prefix}/in`, {
    method: 'POST',
    payload: '{"a": 1}',
    headers: { 'content-type': 'application/json' },
  });
  expect([sent.statusCode, seen[1]!.body]).toEqual([200, '{"a": 1}']);
  await expect
    .poll(() => runOne(db(), 'SELECT path FROM gate_log WHERE trace_id = $1', [trace]), { timeout: 10_000 })
    .toEqual({ path: `${route.prefix}/lots` });
  await expect
    .poll(
      () =>
        run(db(), `SELECT FROM span WHERE trace_id = $1 AND kind = 'CLIENT' AND name = $2`, [
          trace,
          `GET ${route.prefix}`,
        ]),
      {
        timeout: 10_000,
      },
    )
    .toHaveLength(1);
  // Own routes win, and what no route names stays unknown.
  expect([(await go('/api/admin/nothing')).statusCode, (await go('/api/none/x')).statusCode]).toEqual([
    404, 404,
  ]);
  answer = (_request, response) => {
    response.writeHead(302, { location: '/next' });
    response.end();
  };
  const moved = await go(`${route.prefix}/old`);
  expect([moved.statusCode, moved.headers.location]).toEqual([302, `${route.prefix}/next`]);
  const upgrade = await go(`${route.prefix}/ws`, { headers: { upgrade: 'websocket' } });
  expect([upgrade.statusCode, upgrade.json().message]).toEqual([426, '不支持协议升级']);
});

test('a public route never leads to what lies below a route with a right of its own, however the path is written', async () => {
  const open = await live({ auth: 'public', permissionCode: '', strip: 2 });
  await live({ prefix: `${open.prefix}/admin`, strip: 2, permissionCode: 'gatewayManager' });
  seen.length = 0;
  answer = (_request, response) => plain(response);
  expect((await go(`${open.prefix}/lots`, { token: '' })).statusCode).toBe(200);
  for (const path of ['/admin/x', '/%61dmin/x', '/admin;a=1/x', '/ADMIN/x', '/adm%69n/x'])
    expect([path, (await go(`${open.prefix}${path}`, { token: '' })).statusCode >= 400]).toEqual([
      path,
      true,
    ]);
  expect(seen.map((one) => one.url)).toEqual(['/lots']);
});

test('nobody tells an upstream who the caller is but the gateway, also not in another spelling of the header', async () => {
  const route = await live({ forwardIdentity: true });
  seen.length = 0;
  answer = (_request, response) => plain(response);
  await go(`${route.prefix}/x`, {
    headers: { x_staff_id: '1', 'x_tenant-id': '1', x_forwarded_for: '1.2.3.4' },
  });
  const names = Object.keys(seen[0]!.headers);
  expect(names.filter((name) => name.includes('_'))).toEqual([]);
  expect(names).toContain('x-staff-id');
});

test('Must show 7: system prefixes, metadata addresses and names that mean this machine are refused, and nothing leaves', async () => {
  for (const prefix of ['/api/admin/x', '/api/auth', '/api/jinmao/web', '/api/docs']) {
    const refused = await add({ prefix });
    expect([prefix, refused.http, refused.data.fields.prefix]).toEqual([prefix, 422, '前缀与系统接口冲突']);
  }
  expect((await add({ url: 'http://169.254.169.254' })).data.fields.url).toBe('上游地址不在允许列表');
  const host = (input: object) =>
    product.call(admin, 'POST', '/admin/upstreamHost', { scheme: 'http', port: 80, ...input });
  expect((await host({ host: '169.254.169.254', privateAllowed: true })).data.fields.host).toBe(
    '该地址不允许作为上游',
  );
  expect((await host({ host: '10.0.0.8' })).data.fields.host).toBe('内网地址需要勾选“允许内网”');
  await host({ host: 'sneaky.example.com', port });
  const route = await live({ url: `http://sneaky.example.com:${port}` });
  for (const addresses of [
    ['127.0.0.1'],
    ['8.8.8.8', '127.0.0.1'],
    ['::ffff:127.0.0.1'],
    ['169.254.169.254'],
    [],
  ]) {
    names.set('sneaky.example.com', addresses);
    const got = await go(`${route.prefix}/x`);
    expect([addresses, got.statusCode, got.json().message]).toEqual([addresses, 503, '上游服务不可用']);
  }
  expect(seen).toEqual([]);
  // By leave it may mean this machine, link-local never.
  await run(db(), `UPDATE upstream_host SET private_allowed = true WHERE host = 'sneaky.example.com'`);
  product.platform.changed('gatewayRoute');
  expect((await go(`${route.prefix}/x`)).statusCode).toBe(503);
  names.set('sneaky.example.com', ['127.0.0.1']);
  expect((await go(`${route.prefix}/x`)).statusCode).toBe(200);
  const [used] = (await product.call(admin, 'GET', `/admin/upstreamHost/page?searchVal=sneaky`)).data.rows;
  const removal = await product.call(
    admin,
    'DELETE',
    `/admin/upstreamHost/${used.id}?version=${used.version}`,
  );
  expect([removal.http, removal.message]).toEqual([409, '正被 1 条路由使用']);
});

test('Must show 8: an upstream that does not answer in time is 504, POST goes once, GET with one retry twice', async () => {
  const route = await live({ retries: 1, timeoutMs: 100 });
  answer = () => {};
  const started = performance.now();
  const late = await go(`${route.prefix}/slow`);
  expect([late.statusCode, late.json().message]).toEqual([504, '上游服务超时']);
  expect(performance.now() - started).toBeGreaterThanOrEqual(99);
  seen.length = 0;
  answer = (_request, response) => plain(response, 503);
  expect((await go(`${route.prefix}/x`)).statusCode).toBe(503);
  expect(seen).toHaveLength(2);
  await go(`${route.prefix}/x`, {
    method: 'POST',
    payload: 'body',
    headers: { 'content-type': 'text/plain' },
  });
  expect(seen).toHaveLength(3);
  await go(`${route.prefix}/x`, {
    method: 'PUT',
    payload: 'whole',
    headers: { 'content-type': 'text/plain' },
  });
  expect(seen.slice(3).map((one) => one.body)).toEqual(['whole', 'whole']);
});

test('Must show 9: 20 failing calls open the circuit, the next one does not reach the upstream, after 30 s three pass and it closes', async () => {
  clock = 1_000_000;
  const route = await live();
  answer = (_request, response) => plain(response, 500);
  for (let turn = 0; turn < 20; turn++) expect((await go(`${route.prefix}/x`)).statusCode).toBe(500);
  expect([(await go(`${route.prefix}/x`)).statusCode, seen.length]).toEqual([503, 20]);
  const circuit = async () => (await product.call(admin, 'GET', `${ROOT}/${route.id}`)).data.circuit;
  await expect.poll(circuit).toBe('open');
  clock += 29_000;
  expect([(await go(`${route.prefix}/x`)).statusCode, seen.length]).toEqual([503, 20]);
  clock += 1_000;
  answer = (_request, response) => plain(response);
  for (let turn = 0; turn < 3; turn++) expect((await go(`${route.prefix}/x`)).statusCode).toBe(200);
  await expect.poll(circuit).toBe('closed');
  // One failure while it is half open opens it again; a reset closes it at once.
  answer = (_request, response) => plain(response, 500);
  for (let turn = 0; turn < 20; turn++) await go(`${route.prefix}/x`);
  clock += 30_000;
  await go(`${route.prefix}/x`);
  expect((await go(`${route.prefix}/x`)).statusCode).toBe(503);
  await expect.poll(circuit).toBe('open');
  expect((await act(route.id, 'reset')).http).toBe(200);
  answer = (_request, response) => plain(response);
  expect((await go(`${route.prefix}/x`)).statusCode).toBe(200);
});

test('Must show 10: two servers together let 60 calls of a caller through, another caller still passes', async () => {
  const second = await product.another();
  const twin = await buildApp({
    platform: second.platform,
    authenticator: second.sessions,
    gateway: OPTIONS,
  });
  try {
    const route = await live({ ratePerMinute: 60 });
    const answers = [];
    for (let turn = 0; turn < 66; turn++)
      answers.push(await go(`${route.prefix}/x`, { on: turn % 2 ? twin : app }));
    expect(answers.filter((one) => one.statusCode === 200)).toHaveLength(60);
    const refused = answers.filter((one) => one.statusCode === 429);
    expect([refused.length, Number(refused[0]!.headers['retry-after']) > 0]).toEqual([6, true]);
    await run(
      db(),
      `WITH made AS (INSERT INTO staff (tenant_id, account, name, must_change_password) SELECT id, 'second1', '第二人', false FROM tenant WHERE kind = 3 LIMIT 1 RETURNING id)
       INSERT INTO group_member (group_id, staff_id) SELECT g.id, m.id FROM made m, permission_group g WHERE g.code = 'platform_admin'`,
    );
    const token = await product.signIn('second1');
    expect((await go(`${route.prefix}/x`, { token })).statusCode).toBe(200);
  } finally {
    await twin.close();
    await second.close();
  }
});

test('Must show 11: an edit changes the draft only until it is published; a rollback restores an older version as a new one and the history says who and why', async () => {
  const route = await live();
  const update = async (input: object) => {
    const { version } = (await product.call(admin, 'GET', `${ROOT}/${route.id}`)).data;
    return product.call(admin, 'PUT', `${ROOT}/${route.id}`, { version, ...input });
  };
  expect((await update({ url: `http://127.0.0.1:${otherPort}` })).data.dirty).toBe(true);
  expect((await go(`${route.prefix}/x`)).body).toBe('hello');
  expect((await act(route.id, 'publish', { reason: '换新主机' })).data.publishedVersion).toBe(2);
  expect((await go(`${route.prefix}/x`)).body).toBe('other');
  for (const [strip, reason] of [
    [1, '第三版'],
    [2, '第四版'],
  ] as const) {
    await update({ strip, url: `http://127.0.0.1:${strip === 1 ? port : otherPort}` });
    await act(route.id, 'publish', { reason });
  }
  expect((await act(route.id, 'rollback', { no: 9, reason: '没有的版本' })).http).toBe(404);
  const back = await act(route.id, 'rollback', { no: 3, reason: '新主机有误' });
  expect([back.data.publishedVersion, back.data.strip, back.data.dirty]).toEqual([5, 1, false]);
  seen.length = 0;
  expect((await go(`${route.prefix}/x`)).body).toBe('hello');
  expect(seen[0]!.url).toBe(`${route.prefix.slice(4)}/x`);
  const versions = (await product.call(admin, 'GET', `${ROOT}/${route.id}/versions`)).data as {
    no: number;
    reason: string;
    author: string;
    rolledBackFrom: number | null;
    current: boolean;
  }[];
  expect(versions.map((one) => [one.no, one.reason, one.rolledBackFrom, one.current])).toEqual([
    [5, '新主机有误', 3, true],
    [4, '第四版', null, false],
    [3, '第三版', null, false],
    [2, '换新主机', null, false],
    [1, '测试发布', null, false],
  ]);
  expect(versions.every((one) => one.author !== '')).toBe(true);
  const twin = await add({ prefix: route.prefix });
  const taken = await act(twin.data.id, 'publish', { reason: '同一前缀' });
  expect([taken.http, taken.message]).toEqual([409, `前缀已被路由 ${route.code} 使用`]);
  await expect(
    run(db(), 'UPDATE gateway_route_version SET reason = $2 WHERE route_id = $1', [route.id, 'x']),
  ).rejects.toThrow();
  expect((await act(route.id, 'disable')).http).toBe(200);
  expect((await go(`${route.prefix}/x`)).statusCode).toBe(404);
});

test('Must show 12: staff without the right, services without leave and public routes without their own right are refused', async () => {
  const route = await live({ permissionCode: 'gatewayManager:btn_reset' });
  await run(
    db(),
    `INSERT INTO staff (tenant_id, account, name, must_change_password) SELECT id, 'nobody2', '无权', false FROM tenant WHERE kind = 3 LIMIT 1`,
  );
  const nobody = await product.signIn('nobody2');
  expect((await go(`${route.prefix}/x`, { token: nobody })).statusCode).toBe(403);
  expect((await go(`${route.prefix}/x`, { token: '' })).statusCode).toBe(401);
  expect(seen).toEqual([]);
  const owner = String(
    (await runOne<{ id: number }>(db(), `SELECT id FROM staff WHERE account = 'admin'`))!.id,
  );
  const service = async (code: string) =>
    (await product.call(admin, 'POST', '/admin/serviceClient', { code, name: '测试服务', owner })).data;
  const [target, caller] = [await service('gw-target'), await service('gw-caller')];
  const inner = await live({ targetKind: 'service', service: target.id, url: '', auth: 'service' });
  const asked = await app.inject({
    method: 'POST',
    url: '/api/auth/oauth/token',
    payload: 'grant_type=client_credentials',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from(`gw-caller:${caller.result.clientSecret}`).toString('base64')}`,
    },
  });
  const token = `Bearer ${asked.json().access_token as string}`;
  const call = () => go(`${inner.prefix}/x`, { token });
  expect((await call()).statusCode).toBe(403);
  await product.call(admin, 'POST', `/admin/serviceClient/${caller.id}/allow`, { targets: [target.id] });
  await expect.poll(async () => (await call()).statusCode, { timeout: 1_500, interval: 100 }).toBe(503);
  await run(
    db(),
    `INSERT INTO service_instance (instance_id, service, host, port, status) VALUES ('gateway-0001', 'gw-target', '127.0.0.1', $1, 'UP')`,
    [port],
  );
  await expect.poll(async () => (await call()).statusCode, { timeout: 1_500, interval: 100 }).toBe(200);
  expect((await go(`${inner.prefix}/x`)).statusCode).toBe(403);
  await product.call(admin, 'POST', `/admin/serviceClient/${target.id}/maintain`, {
    text: '升级中',
    until: new Date(Date.now() + 600_000).toISOString(),
  });
  await expect
    .poll(async () => (await call()).json().message, { timeout: 1_500, interval: 100 })
    .toBe('服务维护中：升级中');
  expect(Number((await call()).headers['retry-after'])).toBeGreaterThan(500);
  const open = (await add({ auth: 'public', permissionCode: '' })).data;
  const plainPublish = await act(open.id, 'publish', { reason: '公开' });
  expect([plainPublish.http, plainPublish.message]).toEqual([409, '公开路由请用“公开发布”']);
  expect((await act(open.id, 'publishPublic', { reason: '公开' })).http).toBe(200);
  expect((await app.inject({ url: `${open.prefix}/x` })).statusCode).toBe(200);
});

test('bodies beyond the limit are 413 whatever length was told, extra headers are sealed and shown nowhere, addresses are kept out', async () => {
  const value = 'Sup3r-Secret-Upstream-Key';
  const route = await live({ headers: `X-Api-Key: ${value}`, denyAddresses: ['10.9.0.0/16'] });
  await go(`${route.prefix}/x`);
  expect(seen[0]!.headers['x-api-key']).toBe(value);
  const large = await go(`${route.prefix}/x`, {
    method: 'POST',
    payload: 'x'.repeat(1_048_577),
    headers: { 'content-type': 'text/plain' },
  });
  expect([large.statusCode, large.json().message]).toEqual([413, '内容过大']);
  expect((await go(`${route.prefix}/x`, { remoteAddress: '10.9.1.1' })).statusCode).toBe(403);
  const detail = await product.call(admin, 'GET', `${ROOT}/${route.id}`);
  expect(detail.data.headerNames).toEqual(['x-api-key']);
  const versions = await product.call(admin, 'GET', `${ROOT}/${route.id}/versions`);
  const timeline = await product.call(admin, 'GET', `${ROOT}/${route.id}/timeline`);
  for (const text of [detail.text, versions.text, timeline.text]) expect(text).not.toContain(value);
  for (const { name } of await run<{ name: string }>(
    db(),
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
  )) {
    const found = await runOne<{ n: number }>(
      db(),
      `SELECT count(*)::int AS n FROM "${name}" x WHERE x::text LIKE $1`,
      [`%${value}%`],
    );
    expect([name, found!.n]).toEqual([name, 0]);
  }
  for (const headers of ['Host: x', 'Cookie: a=b', 'no colon', 'X-Staff-Id: 1'])
    expect([headers, (await add({ headers })).http]).toEqual([headers, 422]);
  const tried = await product.call(
    admin,
    'GET',
    `${ROOT}/try?path=${encodeURIComponent(`${route.prefix}/a?b=1`)}`,
  );
  expect([tried.data.matched.code, tried.data.outgoing]).toEqual([
    route.code,
    `http://127.0.0.1:${port}/a?b=1`,
  ]);
});

test('samples go out before a route is published: a red one is told and needs a second confirm; they lie below the prefix', async () => {
  const outside = await add({ samples: [{ method: 'GET', path: '/api/other/x' }] });
  expect([outside.http, outside.data.fields.samples]).toEqual([422, '样例路径须在前缀之下：/api/other/x']);
  made += 1;
  const prefix = `/api/out${made}`;
  made -= 1;
  const route = (
    await add({
      samples: [
        { method: 'GET', path: `${prefix}/ok?x=1` },
        { method: 'HEAD', path: `${prefix}/gone`, expect: 404 },
        { method: 'GET', path: `${prefix}/bad` },
      ],
    })
  ).data;
  expect(route).toMatchObject({ prefix });
  answer = (request, response) =>
    plain(response, request.url === '/bad' ? 500 : request.url === '/gone' ? 404 : 200);
  seen.length = 0;
  const red = await act(route.id, 'publish', { reason: '带样例' });
  expect([red.http, red.message]).toEqual([
    409,
    `样例请求失败：GET ${prefix}/bad → 500；确认后可勾选“样例失败仍发布”`,
  ]);
  expect(seen.map((one) => `${one.method} ${one.url}`).sort()).toEqual([
    'GET /bad',
    'GET /ok?x=1',
    'HEAD /gone',
  ]);
  expect(seen.every((one) => one.headers.authorization === undefined)).toBe(true);
  expect((await act(route.id, 'publish', { reason: '带样例', anyway: true })).data.publishedVersion).toBe(1);
  answer = (request, response) => plain(response, request.url === '/gone' ? 404 : 200);
  expect((await act(route.id, 'publish', { reason: '全部通过' })).data.publishedVersion).toBe(2);
});

test('a try names route, address, headers and rights of the draft or of what runs, and sends for real on demand', async () => {
  const route = await live({ headers: 'X-Key: very-secret-value' });
  const { version } = (await product.call(admin, 'GET', `${ROOT}/${route.id}`)).data;
  await product.call(admin, 'PUT', `${ROOT}/${route.id}`, {
    version,
    url: `http://127.0.0.1:${otherPort}`,
    auth: 'service',
    permissionCode: '',
  });
  const ask = async (more: string) =>
    product.call(admin, 'GET', `${ROOT}/try?path=${encodeURIComponent(`${route.prefix}/a?b=1`)}${more}`);
  const running = (await ask('')).data;
  expect([running.matched.version, running.outgoing, running.allowed]).toEqual([
    1,
    `http://127.0.0.1:${port}/a?b=1`,
    true,
  ]);
  expect(running.headers['x-key']).toBe('••••');
  expect(JSON.stringify(running)).not.toContain('very-secret-value');
  expect((await ask('&as=nobody')).data.refused[0]).toBe('需要登录（401）');
  const draft = (await ask(`&route=${route.id}`)).data;
  expect([draft.matched.version, draft.outgoing, draft.allowed]).toEqual([
    0,
    `http://127.0.0.1:${otherPort}/a?b=1`,
    false,
  ]);
  seen.length = 0;
  answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.end('x'.repeat(5_000));
  };
  const send = (input: object) =>
    product.call(admin, 'POST', `${ROOT}/try`, { method: 'GET', path: `${route.prefix}/a`, ...input });
  const sent = (await send({})).data;
  expect([sent.status, sent.body.length, sent.problem]).toEqual([200, 2_048, null]);
  expect(seen[0]!.headers['x-key']).toBe('very-secret-value');
  // Rights count for what is sent, too.
  expect((await send({ route: route.id })).http).toBe(422);
  expect((await send({ method: 'POST' })).http).toBe(422);
});

test('an upstream that cannot be connected to twice is marked; a listed host stays what it is while routes lead to it', async () => {
  const route = await live();
  const row = async () => (await product.call(admin, 'GET', `${ROOT}/${route.id}`)).data;
  await checkUpstreams(product.platform);
  expect((await row()).upstream).toBe('up');
  const closed = await listen((_request, response) => response.end());
  const closedPort = (closed.address() as AddressInfo).port;
  const host = (
    await product.call(admin, 'POST', '/admin/upstreamHost', {
      scheme: 'http',
      host: '127.0.0.1',
      port: closedPort,
      privateAllowed: true,
    })
  ).data;
  const other = await live({ url: `http://127.0.0.1:${closedPort}` });
  const moved = async (input: object) =>
    product.call(admin, 'PUT', `/admin/upstreamHost/${host.id}`, { version: host.version, ...input });
  const refused = await moved({ port: 1 });
  expect([refused.http, refused.message]).toEqual([409, '正被 1 条路由使用']);
  expect((await moved({ note: '备注可以改' })).http).toBe(200);
  closed.close();
  const state = async () => (await product.call(admin, 'GET', `${ROOT}/${other.id}`)).data.upstream;
  await checkUpstreams(product.platform);
  expect(await state()).toBe('up');
  await checkUpstreams(product.platform);
  expect(await state()).toBe('down');
  const list = (await product.call(admin, 'GET', `${ROOT}/page?upstream=down`)).data;
  // The one of the names that mean this machine is refused before it is connected to.
  expect(list.rows.map((one: { id: string }) => one.id)).toContain(other.id);
  expect(
    (await runOne<{ value: number }>(
      db(),
      `SELECT value FROM monitor_fact WHERE metric = 'gateway_upstream_down'`,
    ))!.value,
  ).toBe(list.total);
  // The end of a certificate is told once.
  const soon = new Date(Date.now() + 10 * 86_400_000 + 60_000);
  for (let turn = 0; turn < 2; turn++)
    await noteCertificate(product.platform, { id: Number(route.id), code: route.code }, soon);
  expect((await row()).certificateDays).toBe(10);
  expect(
    await run(db(), `SELECT text FROM system_event WHERE kind = 'cert' AND detail->>'route' = $1`, [
      route.code,
    ]),
  ).toEqual([{ text: `网关路由 ${route.code} 的上游证书剩余 10 天` }]);
});

test('calls of a route are told minute by minute', async () => {
  const route = await live();
  await run(
    db(),
    `INSERT INTO api_minute (api_id, minute, calls, refused, failed, total_ms, buckets)
     SELECT api_id, date_trunc('minute', now()), 10, 1, 2, 200, array_fill(0, ARRAY[32]) FROM gateway_route WHERE id = $1`,
    [route.id],
  );
  const rows = (await product.call(admin, 'GET', `${ROOT}/${route.id}/traffic`)).data;
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({ calls: 10, errors: 3, averageMs: 20 });
});
