import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
let admin: string;
let owner: string;
beforeAll(async () => {
  product = await startTestProduct({ demo: false });
  admin = await product.signIn('admin');
  owner = String((await runOne<{ id: number }>(db(), `SELECT id FROM staff WHERE account = 'admin'`))!.id);
});
afterAll(() => product?.close());

const ROOT = '/admin/serviceClient';
const db = () => product.platform.database.db;
const add = (code: string, input: object = {}) =>
  product.call(admin, 'POST', ROOT, { code, name: '测试服务', owner, ...input });
const act = (id: string, action: string, input: object = {}) =>
  product.call(admin, 'POST', `${ROOT}/${id}/${action}`, input);
const token = (code: string, secret: string) =>
  product.app.inject({
    method: 'POST',
    url: '/api/auth/oauth/token',
    payload: 'grant_type=client_credentials',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from(`${code}:${secret}`).toString('base64')}`,
    },
  });

test('a service comes with a credential of its id, whose secret is told once and kept nowhere', async () => {
  const answer = await product.app.inject({
    method: 'POST',
    url: `/api${ROOT}`,
    headers: { authorization: admin, 'idempotency-key': 'once-and-again-1' },
    payload: { code: 'lift-adapter', name: '电梯适配服务', owner },
  });
  const made = answer.json().data;
  const secret = made.result.clientSecret as string;
  expect([made.secret, secret.length]).toEqual([`••••${secret.slice(-4)}`, 43]);
  const body = (await token('lift-adapter', secret)).json();
  expect([body.scope, body.expires_in]).toEqual(['service', 7200]);
  const tables = await run<{ name: string }>(
    db(),
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
  );
  const kept = await runOne<{ n: number }>(
    db(),
    `SELECT sum(n)::int AS n FROM (${tables.map(({ name }) => `SELECT count(*) AS n FROM "${name}" x WHERE x::text LIKE $1`).join(' UNION ALL ')}) found`,
    [`%${secret}%`],
  );
  expect(kept!.n).toBe(0);
  expect((await add('lift-adapter')).message).toBe('已有同名的服务或客户端');
  expect((await add('web')).http).toBe(409);
  expect((await add('Bad_Code')).http).toBe(422);
  const renamed = await product.call(admin, 'PUT', `${ROOT}/${made.id}`, {
    version: made.version,
    code: 'other',
  });
  expect(renamed.http).toBe(422);
});

test('a service that is switched off gets no token and its tokens end; the built-in ones stay', async () => {
  const made = (await add('short-lived')).data;
  const secret = made.result.clientSecret as string;
  const live = (await token('short-lived', secret)).json().access_token as string;
  expect((await act(made.id, 'disable')).http).toBe(200);
  expect((await token('short-lived', secret)).statusCode).toBe(401);
  const reach = () =>
    product.app
      .inject({ url: `/api${ROOT}/page`, headers: { authorization: `Bearer ${live}` } })
      .then((answer) => answer.statusCode);
  await expect.poll(reach, { timeout: 1_000, interval: 50 }).toBe(401);
  expect((await act(made.id, 'enable')).http).toBe(200);
  expect((await token('short-lived', secret)).statusCode).toBe(200);
  const [web] = (await product.call(admin, 'GET', `${ROOT}/page?searchVal=backoffice-web`)).data.rows;
  expect((await act(web.id, 'disable')).message).toBe('内置服务不能操作');
  expect((await act(web.id, 'addSecret', { oldEnds: 'now' })).message).toBe('内置服务没有密钥');
  expect((await product.call(admin, 'DELETE', `${ROOT}/${web.id}?version=${web.version}`)).http).toBe(409);
});

test('secrets are rotated as those of clients are', async () => {
  const made = (await add('rotating')).data;
  const fresh = (await act(made.id, 'addSecret', { oldEnds: 'overlap' })).data.result.clientSecret as string;
  expect((await act(made.id, 'addSecret', { oldEnds: 'overlap' })).message).toBe('最多两个有效密钥');
  const list = (await product.call(admin, 'GET', `${ROOT}/${made.id}`)).data.secretList as { id: string }[];
  expect((await act(made.id, 'removeSecret', { secret: list[0]!.id })).http).toBe(200);
  expect((await act(made.id, 'removeSecret', { secret: list[1]!.id })).message).toBe('至少保留一个有效密钥');
  expect((await token('rotating', fresh)).statusCode).toBe(200);
});

test('allowed services are chosen from the list, never the service itself, and drawn as a map', async () => {
  const caller = (await add('map-caller')).data;
  const target = (await add('map-target')).data;
  expect((await act(caller.id, 'allow', { targets: [caller.id] })).message).toBe('不能授权自身');
  await expect(
    run(db(), 'INSERT INTO service_client_allowed (service_id, target_id) VALUES ($1, $1)', [caller.id]),
  ).rejects.toThrow();
  expect((await act(caller.id, 'allow', { targets: ['99999999'] })).http).toBe(422);
  expect((await act(caller.id, 'allow', { targets: [target.id] })).data.allowedCount).toBe(1);
  const map = async (id: string) => (await product.call(admin, 'GET', `${ROOT}/${id}/map`)).data;
  expect((await map(caller.id)).callees.map((one: { code: string }) => one.code)).toEqual(['map-target']);
  expect((await map(target.id)).callers.map((one: { code: string }) => one.code)).toEqual(['map-caller']);
  expect((await act(caller.id, 'allow', { targets: [] })).data.allowedCount).toBe(0);
});

test('maintenance has an end that lies ahead; a service with live instances is not deleted', async () => {
  const made = (await add('busy-one')).data;
  const behind = await act(made.id, 'maintain', { text: '升级中', until: '2020-01-01T00:00:00+08:00' });
  expect(behind.data.fields.until).toBe('维护结束时间必须晚于现在');
  const until = new Date(Date.now() + 3_600_000).toISOString();
  expect((await act(made.id, 'maintain', { text: '升级中', until })).data.maintenance).toBe(true);
  expect((await act(made.id, 'maintain', { text: '升级中', until })).http).toBe(409);
  expect((await act(made.id, 'resume')).data.maintenance).toBe(false);
  await run(
    db(),
    `INSERT INTO service_instance (instance_id, service, host, status) VALUES ('instance-0001', 'busy-one', 'h1', 'UP')`,
  );
  const row = (await product.call(admin, 'GET', `${ROOT}/${made.id}`)).data;
  expect(row.instances).toBe('1/1');
  const remove = async () => product.call(admin, 'DELETE', `${ROOT}/${made.id}?version=${row.version}`);
  const refused = await remove();
  expect([refused.http, refused.message]).toEqual([409, '服务仍有 1 个实例/路由']);
  await run(
    db(),
    `UPDATE service_instance SET status = 'DOWN', down_at = now() WHERE instance_id = 'instance-0001'`,
  );
  expect((await remove()).http).toBe(200);
  expect(await run(db(), `SELECT FROM oauth_client WHERE client_id = 'busy-one'`)).toEqual([]);
});

test('a service that routes lead to, as drafts or as they run, is not deleted', async () => {
  const made = (await add('routed-one')).data;
  const route = (
    await product.call(admin, 'POST', '/admin/gatewayRoute', {
      code: 'to-routed',
      name: '到服务',
      prefix: '/api/routed',
      targetKind: 'service',
      service: made.id,
      strip: 2,
      timeoutMs: 1000,
      retries: 0,
      ratePerMinute: 600,
      rateBy: 'caller',
      bodyLimitMb: 1,
      auth: 'service',
      position: 100,
    })
  ).data;
  const remove = async () => product.call(admin, 'DELETE', `${ROOT}/${made.id}?version=${made.version}`);
  expect((await remove()).message).toBe('服务仍有 1 个实例/路由');
  await product.call(admin, 'DELETE', `/admin/gatewayRoute/${route.id}?version=${route.version}`);
  expect((await remove()).http).toBe(200);
});
