import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInstanceAgent } from '../../../domain/services/instance-agent.server.ts';
import { judgeLeases } from '../../../domain/services/registry.server.ts';
import { serviceToken } from '../service-token-fixture.ts';
import { run } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { buildApp } from '../../../app/server/app.ts';

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
const web = () =>
  createInstanceAgent(product.platform, { service: 'backoffice-web', role: 'web', port: 8080 });
const clear = () =>
  run(db(), `WITH i AS (DELETE FROM service_instance) UPDATE registry_state SET protected = false`);
/** The time passes for an instance that says nothing any more. */
const silent = (instanceId: string, seconds: number) =>
  run(
    db(),
    `UPDATE service_instance SET last_heartbeat_at = last_heartbeat_at - make_interval(secs => $2),
       started_at = started_at - make_interval(secs => $2) WHERE instance_id = $1`,
    [instanceId, seconds],
  );
const listed = async () =>
  (await call('GET', '/admin/serviceInstance/page')).data.rows as Record<string, any>[];
const stateOf = async (instanceId: string) =>
  (await listed()).find((row) => row.instanceId === instanceId)?.state as string | undefined;
const journal = async (instanceId: string) =>
  (
    await run<{ type: string }>(db(), 'SELECT type FROM instance_event WHERE instance_id = $1 ORDER BY id', [
      instanceId,
    ])
  ).map((row) => row.type);
test('Must show 1 (registry): a started process is UP at once, with its release and machine', async () => {
  await clear();
  const agent = web();
  await agent.register();
  expect(agent.status).toBe('UP');
  const [row] = await listed();
  expect([row!.service, row!.state, row!.release, row!.weight]).toEqual([
    'backoffice-web',
    'UP',
    'test',
    100,
  ]);
  const detail = await call('GET', `/admin/serviceInstance/${row!.id}`);
  expect(detail.data.checks.map((check: { name: string; ok: boolean }) => [check.name, check.ok])).toEqual([
    ['database', true],
    ['migrations', true],
    ['queue', true],
    ['disk', true],
  ]);
  const summary = await call('GET', '/admin/registry/summary');
  expect([summary.data.up, summary.data.expectedPerMinute, summary.data.protected]).toEqual([1, 6, false]);
});

test('Must show 2 (registry): a killed instance is DOWN 心跳超时 after its lease and gone after 300 s, the journal stays', async () => {
  await clear();
  const [first, second] = [web(), web()];
  await first.register();
  await second.register();
  expect((await listed()).filter((row) => row.state === 'UP')).toHaveLength(2);
  await silent(second.instanceId, 29);
  await judgeLeases(product.platform);
  expect(await stateOf(second.instanceId)).toBe('UP');
  await silent(second.instanceId, 6);
  await judgeLeases(product.platform);
  const down = (await listed()).find((row) => row.instanceId === second.instanceId)!;
  expect([down.state, down.downReason]).toEqual(['DOWN', '心跳超时']);
  await silent(second.instanceId, 290);
  await judgeLeases(product.platform);
  expect(await stateOf(second.instanceId)).toBe('DOWN');
  await silent(second.instanceId, 10);
  await judgeLeases(product.platform);
  expect(await stateOf(second.instanceId)).toBeUndefined();
  expect(await journal(second.instanceId)).toEqual([
    'REGISTERED',
    'STATUS_CHANGED',
    'STATUS_CHANGED',
    'EVICTED',
  ]);
  // It was only asleep: its next heartbeat registers it again.
  await second.beat();
  expect(await stateOf(second.instanceId)).toBe('UP');
});

test('Must show 3 (registry): a stopped process leaves by OUT_OF_SERVICE and DEREGISTERED, and answers 503 at /readyz meanwhile', async () => {
  await clear();
  const agent = web();
  await agent.register();
  const app = await buildApp({
    platform: product.platform,
    authenticator: product.sessions,
    outOfService: () => agent.status === 'OUT_OF_SERVICE',
  });
  expect((await app.inject('/readyz')).statusCode).toBe(200);
  await agent.drain();
  expect(await stateOf(agent.instanceId)).toBe('OUT_OF_SERVICE');
  expect((await app.inject('/readyz')).statusCode).toBe(503);
  await agent.stop();
  await app.close();
  expect(await listed()).toEqual([]);
  const events = await run<{ type: string; to_status: string }>(
    db(),
    'SELECT type, to_status FROM instance_event WHERE instance_id = $1 ORDER BY id',
    [agent.instanceId],
  );
  expect(events.slice(-2).map((one) => [one.type, one.to_status])).toEqual([
    ['STATUS_CHANGED', 'OUT_OF_SERVICE'],
    ['DEREGISTERED', ''],
  ]);
});

test('Must show 4: two of four silent: protection comes within five minutes, none is evicted; two new ones end it', async () => {
  await clear();
  const agents = [web(), web(), web(), web()];
  for (const agent of agents) await agent.register();
  await run(db(), `UPDATE service_instance SET started_at = started_at - interval '1 hour'`);
  const gone = agents.slice(2).map((agent) => agent.instanceId);
  for (const id of gone) await silent(id, 299);
  await judgeLeases(product.platform);
  expect((await call('GET', '/admin/registry/summary')).data.protected).toBe(true);
  for (const id of gone) await silent(id, 600);
  await judgeLeases(product.platform);
  expect(await listed()).toHaveLength(4);
  await web().register();
  await web().register();
  await judgeLeases(product.platform);
  expect((await call('GET', '/admin/registry/summary')).data.protected).toBe(false);
  const types = await run<{ type: string }>(
    db(),
    `SELECT type FROM instance_event WHERE type LIKE 'PROTECTION%' ORDER BY id`,
  );
  expect(types.map((row) => row.type)).toEqual(['PROTECTION_ON', 'PROTECTION_OFF']);
  // With protection over, those that were replaced go.
  await judgeLeases(product.platform);
  expect((await listed()).filter((row) => row.state === 'UP')).toHaveLength(4);
});

test('Must show 5: the only web instance is not taken out; of two one is, and never both at once', async () => {
  await clear();
  const first = web();
  await first.register();
  const [row] = await listed();
  const out = (id: string) => call('POST', `/admin/serviceInstance/${id}/out`, { reason: '升级' });
  const refused = await out(row!.id);
  expect([refused.status, refused.message]).toEqual([30101, '至少保留一个可用实例']);
  const second = web();
  await second.register();
  const both = await Promise.all((await listed()).map((one) => out(one.id)));
  expect(both.map((one) => one.http).sort()).toEqual([200, 409]);
  const taken = (await listed()).find((one) => one.state === 'OUT_OF_SERVICE')!;
  const agent = [first, second].find((one) => one.instanceId === taken.instanceId)!;
  await agent.beat();
  expect(agent.status).toBe('OUT_OF_SERVICE');
  expect((await call('POST', `/admin/serviceInstance/${taken.id}/in`, {})).data.state).toBe('UP');
  await agent.beat();
  expect(agent.status).toBe('UP');
});

test('taking out ends by its time, weight and metadata are kept, only DOWN instances are removed', async () => {
  await clear();
  const [agent, other] = [web(), web()];
  await agent.register();
  await other.register();
  const { id } = (await listed()).find((row) => row.instanceId === agent.instanceId)!;
  const until = new Date(Date.now() + 3_600_000).toISOString();
  expect((await call('POST', `/admin/serviceInstance/${id}/out`, { reason: '维护', until })).http).toBe(200);
  await run(db(), `UPDATE service_instance SET override_until = now() - interval '1 second' WHERE id = $1`, [
    id,
  ]);
  await judgeLeases(product.platform);
  expect(await stateOf(agent.instanceId)).toBe('UP');
  expect((await call('POST', `/admin/serviceInstance/${id}/weight`, { weight: 101 })).http).toBe(422);
  expect((await call('POST', `/admin/serviceInstance/${id}/weight`, { weight: 20 })).data.weight).toBe(20);
  expect((await call('POST', `/admin/serviceInstance/${id}/metadata`, { metadata: '[1]' })).http).toBe(422);
  const kept = await call('POST', `/admin/serviceInstance/${id}/metadata`, { metadata: '{"rack":"A1"}' });
  expect(kept.data.metadata).toEqual({ rack: 'A1' });
  expect((await call('DELETE', `/admin/serviceInstance/${id}`)).status).toBe(30101);
  await silent(agent.instanceId, 40);
  await judgeLeases(product.platform);
  expect((await call('DELETE', `/admin/serviceInstance/${id}`)).http).toBe(200);
  expect((await journal(agent.instanceId)).at(-1)).toBe('DEREGISTERED');
});

test('outside programs register, renew and leave with the token of their service, and only their own', async () => {
  await clear();
  const [gate, lift] = [await serviceToken(product, 'gate-hub'), await serviceToken(product, 'lift-hub')];
  const instance = { service: 'gate-hub', host: '10.1.2.3', port: 9000, release: '2.1', zone: 'bj' };
  const made = await call('POST', '/admin/registry/instance', instance, gate);
  expect([made.http, made.data.leaseSeconds]).toEqual([200, 30]);
  expect((await call('POST', '/admin/registry/instance', instance, lift)).http).toBe(403);
  expect((await call('POST', '/admin/registry/instance', instance)).http).toBe(403);
  const path = `/admin/registry/instance/${made.data.instanceId}`;
  const beat = (token: string) =>
    call('PUT', `${path}/heartbeat`, { status: 'UP', checks: [{ name: 'db', ok: true }] }, token);
  expect((await beat(gate)).data.status).toBe('UP');
  expect((await beat(lift)).http).toBe(404);
  const found = await call('GET', '/admin/registry/service/gate-hub', undefined, lift);
  expect(found.data.map((one: any) => [one.host, one.port, one.weight])).toEqual([['10.1.2.3', 9000, 100]]);
  expect((await call('DELETE', path, undefined, gate)).http).toBe(200);
  expect((await beat(gate)).http).toBe(404);
});
