import { Readable } from 'node:stream';
import v8 from 'node:v8';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { endLostDiagnoses, runDiagnosis } from '../../../domain/monitoring/diagnosis.server.ts';
import { createMonitorAgent } from '../../../domain/monitoring/monitor-agent.server.ts';
import { createProcessMeter } from '../../../domain/monitoring/process-meter.server.ts';
import { createInstanceAgent } from '../../../domain/services/instance-agent.server.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { runTask } from '../../../kernel/server/tasks/task-run.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import type { DiagnosisRow } from './monitor.contract.ts';

let product: TestProduct;
let admin: string;
let id: string;

beforeAll(async () => {
  product = await startTestProduct({ demo: false });
  admin = await product.signIn('admin');
  const agent = createInstanceAgent(product.platform, {
    service: 'backoffice-web',
    role: 'web',
    port: 8080,
  });
  await agent.register();
  id = agent.instanceId;
});
afterAll(() => product.close());
beforeEach(() => run(db(), `DELETE FROM diagnosis`));

const db = () => product.platform.database.db;
const root = () => `/admin/monitor/instance/${id}`;
const profile = (seconds = 10, token = admin) =>
  product.call(token, 'POST', `${root()}/profile`, { seconds });
const listed = async (token = admin) =>
  (await product.call(token, 'GET', `${root()}/diagnosis`)).data as DiagnosisRow[];
const noWait = () => Promise.resolve();
const work = () => runDiagnosis(product.platform, id, undefined, noWait);

/** A staff of the platform with the menu and some elements. */
async function staff(account: string, elements: readonly string[]): Promise<string> {
  await run(
    db(),
    `WITH s AS (INSERT INTO staff (tenant_id, account, name, all_projects) SELECT id, $1, $1, true FROM tenant WHERE kind = 3 ORDER BY id LIMIT 1 RETURNING id, tenant_id),
          g AS (INSERT INTO permission_group (type_id, tenant_id, code, name) SELECT (SELECT min(id) FROM group_type), tenant_id, $1, $1 FROM s RETURNING id),
          m AS (INSERT INTO menu_grant (group_id, menu_code) SELECT id, 'serviceMonitorManager' FROM g),
          e AS (INSERT INTO element_grant (group_id, element_code) SELECT g.id, 'serviceMonitorManager:' || x FROM g, unnest($2::text[]) x)
     INSERT INTO group_member (group_id, staff_id) SELECT g.id, s.id FROM g, s`,
    [account, elements],
  );
  return product.signIn(account);
}

test('a CPU profile lies in the download centre of who asked for it, with what it was asked for in the audit; nobody else fetches it', async () => {
  expect((await profile(20)).http).toBe(200);
  expect((await listed())[0]).toMatchObject({ kind: 'cpu', seconds: 20, state: 'requested', url: '' });
  expect(await work()).toBe('ready');
  const [row] = await listed();
  expect(row).toMatchObject({ state: 'ready', by: '平台管理员' });
  expect(row!.size).toBeGreaterThan(1_000);
  const centre = (await product.call(admin, 'GET', '/jinmao/web/exportTask/list')).data as {
    exportName: string;
    exportUrl: string;
  }[];
  expect(centre[0]!.exportName).toMatch(/^CPU分析_backoffice-web_\d{14}\.cpuprofile$/);
  // Fetched as a new window does it: by cookie and ticket.
  const list = await product.app.inject({
    method: 'GET',
    url: `/api${root()}/diagnosis`,
    headers: { authorization: admin },
  });
  const cookie = [list.headers['set-cookie']].flat()[0]!.split(';')[0]!;
  const file = await product.app.inject({ method: 'GET', url: row!.url, headers: { cookie } });
  expect(file.statusCode).toBe(200);
  expect(JSON.parse(file.body).nodes.length).toBeGreaterThan(0);
  const other = await staff('profiler', ['btn_profile', 'btn_heap']);
  expect((await listed(other))[0]).toMatchObject({ state: 'ready', url: '' });
  expect((await product.call(other, 'GET', '/jinmao/web/exportTask/list')).data).toEqual([]);
  const theirs = await product.app.inject({
    method: 'GET',
    url: '/api/jinmao/web/exportTask/list',
    headers: { authorization: other },
  });
  const foreign = [theirs.headers['set-cookie']].flat()[0]!.split(';')[0]!;
  expect(
    (await product.app.inject({ method: 'GET', url: row!.url, headers: { cookie: foreign } })).statusCode,
  ).toBe(404);
  expect(
    await run(
      db(),
      `SELECT action, staff_name, after ->> 'seconds' AS seconds, after ->> 'state' AS state FROM audit_record WHERE entity = 'diagnosis' ORDER BY id`,
    ),
  ).toEqual([
    { action: 'profile', staff_name: '平台管理员', seconds: '20', state: null },
    { action: 'profile', staff_name: '系统', seconds: null, state: 'ready' },
  ]);
});

test('the file goes with its entry in the download centre, and a repeat there says where a new one is taken', async () => {
  await profile();
  await work();
  const task = (await runOne<{ task_id: string }>(db(), 'SELECT task_id FROM diagnosis'))!.task_id;
  const files = () =>
    run(db(), `SELECT 1 FROM stored_file WHERE name LIKE '%.cpuprofile'`).then((rows) => rows.length);
  const before = await files();
  const again = await product.call(admin, 'POST', `/jinmao/web/exportTask/${task}/rerun`);
  await runTask(product.platform, again.data.taskId as string, { loadCaller: product.platform.loadCaller });
  expect(await runOne(db(), 'SELECT state, error FROM task WHERE id = $1', [again.data.taskId])).toEqual({
    state: 'failed',
    error: '请在实例的诊断中重新采集',
  });
  expect((await product.call(admin, 'DELETE', `/jinmao/web/exportTask/${task}`)).http).toBe(200);
  expect((await listed())[0]).toMatchObject({ state: 'ready', url: '' });
  expect(await files()).toBe(before - 1);
});

test('of five who ask at once one is served, the others hear that the instance is being profiled', async () => {
  const answers = await Promise.all(Array.from({ length: 5 }, () => profile()));
  expect(answers.map((one) => one.http).sort()).toEqual([200, 409, 409, 409, 409]);
  expect(new Set(answers.flatMap((one) => (one.http === 409 ? [one.message] : [])))).toEqual(
    new Set(['该实例正在采集']),
  );
  // Two processes that look at once do it once.
  expect((await Promise.all([work(), work()])).filter((one) => one === 'ready')).toHaveLength(1);
  expect((await profile()).http).toBe(200);
});

test('limits and rights: 10 to 60 seconds, the heap needs its own element, gone, lost and outside instances are refused', async () => {
  for (const seconds of [9, 61, 10.5]) expect((await profile(seconds)).http).toBe(422);
  const looker = await staff('looker', []);
  expect((await profile(10, looker)).http).toBe(403);
  const cpu = await staff('cpuonly', ['btn_profile']);
  expect((await product.call(cpu, 'POST', `${root()}/heapSnapshot`)).http).toBe(403);
  expect((await profile(10, cpu)).http).toBe(200);
  expect(
    (await product.call(admin, 'POST', '/admin/monitor/instance/none/profile', { seconds: 10 })).http,
  ).toBe(404);
  await run(db(), `DELETE FROM diagnosis`);
  for (const [set, back, said] of [
    [`role = 'external'`, `role = 'web'`, '外部实例不能采集'],
    [`status = 'DOWN', down_at = now()`, `status = 'UP', down_at = NULL`, '实例已失联'],
  ]) {
    await run(db(), `UPDATE service_instance SET ${set} WHERE instance_id = $1`, [id]);
    expect((await profile()).message).toBe(said);
    await run(db(), `UPDATE service_instance SET ${back} WHERE instance_id = $1`, [id]);
  }
  // The right is looked at again when the file is made.
  await profile(10, cpu);
  await run(db(), `DELETE FROM element_grant WHERE element_code = 'serviceMonitorManager:btn_profile'`);
  expect(await work()).toBe('failed');
  expect((await listed())[0]).toMatchObject({ state: 'failed', reason: '权限已变更' });
});

test('a heap snapshot is written as it comes', async () => {
  const heap = vi.spyOn(v8, 'getHeapSnapshot').mockReturnValue(Readable.from(['{"snapshot":', '{}}']));
  try {
    expect((await product.call(admin, 'POST', `${root()}/heapSnapshot`)).http).toBe(200);
    expect(await work()).toBe('ready');
    expect((await listed())[0]).toMatchObject({ kind: 'heap', seconds: null, state: 'ready', size: 15 });
    expect(await run(db(), `SELECT 1 FROM stored_file WHERE name LIKE '%.heapsnapshot'`)).toHaveLength(1);
  } finally {
    heap.mockRestore();
  }
});

test('an instance that ends or never answers blocks nobody: its request fails, the next one is taken', async () => {
  const meter = createProcessMeter(product.platform);
  const monitor = createMonitorAgent(product.platform, meter, { instanceId: id, service: 'backoffice-web' });
  monitor.start();
  await profile(60);
  await vi.waitFor(async () => expect((await listed())[0]!.state).toBe('running'), { timeout: 10_000 });
  await monitor.stop();
  const reason = '实例未完成采集就已离线';
  expect((await listed())[0]).toMatchObject({ state: 'failed', reason });
  await profile(10);
  await run(db(), `UPDATE diagnosis SET requested_at = requested_at - interval '311 seconds'`);
  await transaction(db(), endLostDiagnoses);
  expect((await listed())[0]).toMatchObject({ state: 'failed', reason });
  expect((await profile(10)).http).toBe(200);
}, 30_000);
