import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../kernel/server/database.ts';
import type { Access } from '../../kernel/server/registration.ts';
import { startTestProduct, type TestProduct } from '../../testing/test-product.ts';

const MENUS = [
  'serviceManager',
  'apiManager',
  'gatewayManager',
  'oauthClientDetailsManager',
  'deployServerManager',
];

let product: TestProduct;
beforeAll(async () => {
  product = await startTestProduct({ demo: false });
});
afterAll(() => product?.close());

const db = () => product.platform.database.db;
const isOurs = (code: string) => MENUS.includes(code.split(':')[0]!);
const codesOf = (access: Access): readonly string[] =>
  typeof access === 'string' || 'program' in access ? [] : 'code' in access ? [access.code] : access.anyOf;

test('group 04 Must show 15: a tenant administrator without the menus is refused every call of the group', async () => {
  const tenant = (await runOne<{ id: number }>(
    db(),
    `INSERT INTO tenant (kind, account, name) VALUES (1, 'T0415', '某公司') RETURNING id`,
  ))!;
  const staff = (await runOne<{ id: number }>(
    db(),
    `INSERT INTO staff (tenant_id, account, name, must_change_password) VALUES ($1, 'tenant0415', '公司管理员', false) RETURNING id`,
    [tenant.id],
  ))!;
  const group = (await runOne<{ id: number }>(
    db(),
    `INSERT INTO permission_group (type_id, tenant_id, code, name) SELECT min(id), $1, 'tenant0415', '公司管理员' FROM group_type RETURNING id`,
    [tenant.id],
  ))!;
  // Everything but the five menus of the group: what is refused is refused for want of them.
  await run(
    db(),
    'INSERT INTO menu_grant (group_id, menu_code) SELECT $1, code FROM menu WHERE code <> ALL($2)',
    [group.id, MENUS],
  );
  await run(
    db(),
    `INSERT INTO element_grant (group_id, element_code) SELECT $1, code FROM element WHERE split_part(code, ':', 1) <> ALL($2)`,
    [group.id, MENUS],
  );
  await run(db(), 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [group.id, staff.id]);
  const administrator = await product.signIn('tenant0415');

  const endpoints = product.platform.registrations
    .flatMap((one) => one.endpoints)
    .filter((one) => {
      const codes = codesOf(one.access);
      return codes.length > 0 && codes.every(isOurs);
    });
  const covered = new Set(endpoints.flatMap((one) => codesOf(one.access).map((code) => code.split(':')[0])));
  expect([...covered].sort()).toEqual([...MENUS].sort());
  expect(endpoints.length).toBeGreaterThan(60);
  for (const { method, path } of endpoints) {
    const answer = await product.call(
      administrator,
      method,
      path.replaceAll(/:\w+/g, '1'),
      method === 'GET' || method === 'DELETE' ? undefined : {},
    );
    expect([method, path, answer.http, answer.status, answer.data ?? null]).toEqual([
      method,
      path,
      403,
      403,
      null,
    ]);
  }
});

test('a company that holds rights of the platform by mistake is told nothing of the product and changes nothing of it', async () => {
  const company = await product.signIn('tenant0415');
  const now = Date.now();
  const period = `from=${new Date(now - 60_000).toISOString()}&to=${new Date(now).toISOString()}`;
  for (const [method, path, body] of [
    ['GET', '/admin/monitor/wall'],
    ['GET', `/admin/monitor/series?metrics=cpu&${period}`],
    ['GET', '/admin/monitor/environment'],
    ['GET', '/admin/monitor/report'],
    ['POST', '/admin/monitor/instance/x/level', { logger: 'db', level: 'debug', scope: 'all' }],
    ['GET', `/admin/trace/search?${period}`],
    ['GET', '/admin/trace/held'],
    ['PUT', '/admin/trace/setting', { sampleRate: 0, slowMs: 1_000, days: 7 }],
    ['GET', '/admin/registry/summary'],
    ['PUT', '/admin/outsideConsole/zipkin', { url: '' }],
  ] as const) {
    const answer = await product.call(company, method, path, body);
    // What names an instance says no more than that there is none.
    expect([path, answer.http]).toEqual([path, path.includes('/instance/') ? 404 : 403]);
  }
  await run(
    db(),
    `WITH g AS (SELECT id FROM permission_group WHERE code = 'tenant0415'), m AS (INSERT INTO menu_grant (group_id, menu_code) SELECT g.id, unnest($1::text[]) FROM g)
     INSERT INTO element_grant (group_id, element_code) SELECT g.id, 'gatewayManager:btn_try' FROM g`,
    [MENUS],
  );
  const more = await product.signIn('tenant0415');
  for (const [method, path, body] of [
    ['GET', '/admin/apiCall/summary'],
    ['GET', '/admin/deployServer/summary'],
    ['GET', '/admin/oauthClient/calls'],
    ['GET', '/admin/gatewayRoute/try?path=/api/x'],
    ['POST', '/admin/gatewayRoute/try', { method: 'GET', path: '/api/x' }],
  ] as const) {
    const answer = await product.call(more, method, path, body);
    expect([path, answer.http]).toEqual([path, 403]);
  }
});

test('group 04 Must show 15: what is secret stands in no list, export, timeline or description of the group', async () => {
  const admin = await product.signIn('admin');
  const header = 'Sup3r-Secret-Of-The-Upstream';
  const host = await product.call(admin, 'POST', '/admin/upstreamHost', {
    scheme: 'http',
    host: '127.0.0.1',
    port: 9,
    privateAllowed: true,
  });
  expect([host.http, host.message]).toEqual([200, '']);
  const route = await product.call(admin, 'POST', '/admin/gatewayRoute', {
    code: 'route-0415',
    name: '测试路由',
    prefix: '/api/out0415',
    targetKind: 'url',
    url: 'http://127.0.0.1:9',
    strip: 2,
    timeoutMs: 5000,
    retries: 0,
    ratePerMinute: 600,
    rateBy: 'caller',
    bodyLimitMb: 1,
    auth: 'permission',
    permissionCode: 'gatewayManager',
    position: 100,
    headers: `X-Api-Key: ${header}`,
  });
  expect([route.http, route.message]).toEqual([200, '']);
  const client = await product.call(admin, 'POST', '/admin/oauthClient', {
    code: 'client-0415',
    name: '测试客户端',
    type: 'confidential',
    grantTypes: ['client_credentials'],
    scopes: ['gate'],
    accessSeconds: 7200,
    refreshSeconds: 604800,
    ratePerMinute: 600,
  });
  const added = await product.call(admin, 'POST', `/admin/oauthClient/${client.data.id}/addSecret`, {
    oldEnds: 'overlap',
  });
  const secret = added.data.result.clientSecret as string;
  expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
  const clean = (where: string, text: string) =>
    expect([where, text.includes(header), text.includes(secret)]).toEqual([where, false, false]);

  const ours = product.platform.registrations
    .flatMap((one) => one.endpoints)
    .filter((one) => one.method === 'GET' && codesOf(one.access).some(isOurs));
  const ids: Readonly<Record<string, string>> = { gatewayRoute: route.data.id, oauthClient: client.data.id };
  let told = 0;
  for (const { path } of ours) {
    const id = ids[path.split('/')[2]!];
    if (path.includes(':') && id === undefined) continue;
    const answer = await product.call(admin, 'GET', path.replace(':id', id ?? ''));
    clean(path, answer.text);
    if (answer.text.includes('route-0415') || answer.text.includes('client-0415')) told += 1;
  }
  // Lists and details of both rows were among what was looked at.
  expect(told).toBeGreaterThanOrEqual(4);

  const call = { caller: await product.caller('admin'), platform: product.platform, language: 'zh' as const };
  const sources = product.platform.registrations
    .flatMap((one) => one.exports ?? [])
    .filter((one) => ['gatewayRoute', 'oauthClient', 'serviceClient', 'apiCall'].includes(one.source));
  expect(sources).toHaveLength(4);
  for (const source of sources) {
    const rows: unknown[] = [];
    for await (const batch of source.read(call, {})) rows.push(...batch);
    expect([source.source, rows.length > 0]).toEqual([source.source, true]);
    clean(source.source, JSON.stringify(rows));
  }
  for (const { name } of await run<{ name: string }>(
    db(),
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
  )) {
    const found = await runOne<{ n: number }>(
      db(),
      `SELECT count(*)::int AS n FROM "${name}" x WHERE x::text LIKE ANY($1)`,
      [[`%${header}%`, `%${secret}%`]],
    );
    expect([name, found!.n]).toEqual([name, 0]);
  }
});
