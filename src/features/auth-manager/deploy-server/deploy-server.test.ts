import os from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildApp } from '../../../app/server/app.ts';
import { createInstanceAgent } from '../../../domain/services/instance-agent.server.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { startWorker } from '../../../kernel/server/tasks/jobs.ts';
import type { Job, Registration } from '../../../kernel/server/registration.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
let admin: string;
beforeAll(async () => {
  product = await startTestProduct({ demo: false });
  admin = await product.signIn('admin');
});
afterAll(() => product?.close());

const db = () => product.platform.database.db;
const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
  product.call(admin, method, path, body);
const servers = async () =>
  (await call('GET', '/admin/deployServer/page?sort=host')).data.rows as Record<string, any>[];
const serverOf = async (host: string) => (await servers()).find((row) => row.host === host)!;

test('Must show 14: a second machine with a newer release shows with its banner and deploy record; drained it answers 503 and its worker takes no new job', async () => {
  const old = createInstanceAgent(product.platform, { service: 'backoffice-web', role: 'web', port: 8080 });
  await old.register();
  const here = await serverOf(os.hostname());
  expect([here.standing, here.services]).toEqual(['online', ['backoffice-web test']]);
  const refused = await call('POST', `/admin/deployServer/${here.id}/drain`, { reason: '升级内核' });
  expect(refused.message).toBe('至少保留一个可用实例');
  // The other machine registers with a newer release.
  await run(
    db(),
    `WITH s AS (INSERT INTO deploy_server (host, started_at, last_heartbeat_at) VALUES ('node-2', now(), now()) RETURNING id),
          i AS (INSERT INTO service_instance (instance_id, service, role, host, server_id, release, status, reported)
                SELECT 'node-2-instance', 'backoffice-web', 'web', 'node-2', id, '2.0', 'UP', 'UP' FROM s)
     INSERT INTO deploy_record (server_id, service, instance_id, from_version, to_version, migrations)
     SELECT id, 'backoffice-web', 'node-2-instance', 'test', '2.0', '{202611222041_registry.sql}' FROM s`,
  );
  const summary = await call('GET', '/admin/deployServer/summary');
  expect([summary.data.online, summary.data.up, summary.data.versions]).toEqual([2, 2, ['2.0', 'test']]);
  expect(summary.data.mixed).toEqual([{ service: 'backoffice-web', versions: ['2.0', 'test'] }]);
  const records = await call('GET', `/admin/deployRecord/page?server=${(await serverOf('node-2')).id}`);
  expect(records.data.rows[0]).toMatchObject({ fromVersion: 'test', toVersion: '2.0', result: 'ok' });
  const ownRecords = await call('GET', `/admin/deployRecord/page?server=${here.id}`);
  expect(ownRecords.data.rows).toMatchObject([{ fromVersion: '', toVersion: 'test' }]);

  const drained = await call('POST', `/admin/deployServer/${here.id}/drain`, { reason: '升级内核' });
  expect([drained.http, drained.data.standing]).toEqual([200, 'maintenance']);
  const app = await buildApp({
    platform: product.platform,
    authenticator: product.sessions,
    outOfService: () => old.status === 'OUT_OF_SERVICE',
  });
  await old.beat();
  expect((await app.inject('/readyz')).statusCode).toBe(503);
  expect((await call('POST', `/admin/deployServer/${here.id}/drain`, { reason: '再次' })).status).toBe(30101);
  expect((await call('DELETE', `/admin/deployServer/${here.id}`)).status).toBe(30101);
  // Its instances cannot be put back one by one while it is in maintenance.
  const { id } = (await runOne<{ id: number }>(
    db(),
    'SELECT id FROM service_instance WHERE instance_id = $1',
    [old.instanceId],
  ))!;
  expect((await call('POST', `/admin/serviceInstance/${id}/in`, {})).message).toBe('所在服务器正在维护');
  expect((await call('POST', `/admin/deployServer/${here.id}/resume`, {})).data.standing).toBe('online');
  await old.beat();
  expect((await app.inject('/readyz')).statusCode).toBe(200);
  await app.close();
  const other = await serverOf('node-2');
  await run(db(), `UPDATE service_instance SET status = 'OUT_OF_SERVICE' WHERE instance_id = $1`, [
    old.instanceId,
  ]);
  expect(
    (await call('POST', `/admin/deployServer/${other.id}/force`, { host: 'node', reason: '断电' })).http,
  ).toBe(422);
  const forced = await call('POST', `/admin/deployServer/${other.id}/force`, {
    host: 'node-2',
    reason: '断电',
  });
  expect(forced.data.standing).toBe('maintenance');
  await old.stop();
});

test('a worker that is held finishes what runs and takes nothing new until it goes on', async () => {
  const ran: string[] = [];
  let finish = () => {};
  const gate = new Promise<void>((resolve) => (finish = resolve));
  let begun = () => {};
  const started = new Promise<void>((resolve) => (begun = resolve));
  let second = () => {};
  const resumed = new Promise<void>((resolve) => (second = resolve));
  const job = (name: string, work: () => Promise<void>): Job => ({ name, title: [name, name], run: work });
  const own: Registration = {
    menus: [],
    elements: {},
    endpoints: [],
    jobs: [
      job('test.long', async () => {
        begun();
        await gate;
        ran.push('long');
      }),
      job('test.next', () => {
        ran.push('next');
        second();
        return Promise.resolve();
      }),
    ],
  };
  const worker = await startWorker(product.platform, [own], {
    connection: product.database.app,
    concurrency: 2,
    loadCaller: () => Promise.resolve(undefined),
  });
  const queue = (name: string) => run(db(), 'SELECT graphile_worker.add_job($1)', [name]);
  await queue('test.long');
  await started;
  const held = worker.hold();
  await queue('test.next');
  finish();
  await held;
  expect(ran).toEqual(['long']);
  await worker.resume();
  await resumed;
  expect(ran).toEqual(['long', 'next']);
  await worker.stop();
});

test('an expected server that never came is missing, one that is silent is offline and goes after a day', async () => {
  const made = await call('POST', '/admin/deployServer', {
    host: 'node-9',
    environment: 'prod',
    label: '备机',
  });
  expect([made.http, made.data.standing, made.data.expected]).toEqual([200, 'missing', true]);
  expect((await call('POST', '/admin/deployServer', { host: 'node-9', environment: 'prod' })).message).toBe(
    '服务器已存在',
  );
  await run(
    db(),
    `UPDATE deploy_server SET last_heartbeat_at = now() - interval '31 seconds' WHERE host = 'node-9'`,
  );
  expect((await serverOf('node-9')).standing).toBe('offline');
  const remove = () => call('DELETE', `/admin/deployServer/${made.data.id}`);
  expect((await remove()).message).toBe('离线满24小时才能删除');
  await run(
    db(),
    `UPDATE deploy_server SET last_heartbeat_at = now() - interval '25 hours' WHERE host = 'node-9'`,
  );
  expect((await remove()).http).toBe(200);
});

test('a server tells what runs on it, its journal and its load hour by hour, of instances that are gone too', async () => {
  const { id } = (await runOne<{ id: number }>(
    db(),
    `WITH s AS (INSERT INTO deploy_server (host, started_at, last_heartbeat_at) VALUES ('node-7', now(), now()) RETURNING id),
          i AS (INSERT INTO service_instance (instance_id, service, role, host, server_id, release, status, reported)
                SELECT 'instance-07b', 'backoffice-web', 'web', 'node-7', id, '2.0.0', 'UP', 'UP' FROM s)
     SELECT id FROM s`,
  ))!;
  await run(
    db(),
    `INSERT INTO instance_event (type, service, instance_id, host, from_status, to_status) VALUES
       ('REGISTERED', 'backoffice-web', 'instance-07a', 'node-7', '', 'STARTING'), ('EVICTED', 'backoffice-web', 'instance-07a', 'node-7', 'DOWN', '')`,
  );
  await run(
    db(),
    `INSERT INTO metric_sample (instance, metric, labels, minute, min, avg, max, last, count)
     SELECT i, m, '', date_trunc('minute', now()), v, v, v, v, 6
       FROM (VALUES ('instance-07a', 'cpu', 30), ('instance-07b', 'cpu', 20), ('instance-07a', 'rss', 200), ('instance-07b', 'rss', 100), ('instance-07b', 'disk_free_share', 41.5), ('elsewhere', 'cpu', 90)) x (i, m, v)`,
  );
  const { data } = await call('GET', `/admin/deployServer/${id}/running`);
  expect(
    data.instances.map((one: { instanceId: string; status: string }) => [one.instanceId, one.status]),
  ).toEqual([['instance-07b', 'UP']]);
  expect(data.events.map((one: { type: string }) => one.type)).toEqual(['EVICTED', 'REGISTERED']);
  expect(data.load).toHaveLength(1);
  expect(data.load[0]).toMatchObject({ cpu: 50, memoryMb: 300, diskFree: 41.5 });
});
