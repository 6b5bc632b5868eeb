import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createLog } from '../../../app/server/platform-config.ts';
import { createLogLevels } from '../../../domain/monitoring/log-levels.server.ts';
import { createLogMemory } from '../../../domain/monitoring/log-memory.server.ts';
import { createMonitorAgent } from '../../../domain/monitoring/monitor-agent.server.ts';
import { createProcessMeter } from '../../../domain/monitoring/process-meter.server.ts';
import { createInstanceAgent } from '../../../domain/services/instance-agent.server.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
let admin: string;

beforeAll(async () => {
  product = await startTestProduct({ demo: false });
  admin = await product.signIn('admin');
  // Debug lines are written to stderr too.
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterAll(async () => {
  vi.restoreAllMocks();
  await product.close();
});

const db = () => product.platform.database.db;
const call = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) =>
  product.call(admin, method, path, body);

/** A running process: its registration, its log and what follows the levels. One of them measures statements. */
async function startInstance(role: 'web' | 'worker', measures = false) {
  const service = `backoffice-${role}` as const;
  const agent = createInstanceAgent(product.platform, { service, role, port: 8080 });
  await agent.register();
  const memory = createLogMemory();
  const levels = createLogLevels('silent');
  const log = createLog('silent', memory.keep, levels);
  const meter = createProcessMeter(product.platform, () => [], measures ? log.debug : undefined);
  const monitor = createMonitorAgent(product.platform, meter, {
    instanceId: agent.instanceId,
    service,
    lines: memory.lines,
    levels,
  });
  return {
    id: agent.instanceId,
    log,
    meter,
    tick: () => monitor.tick(),
    debugLines: () => memory.lines().filter((line) => line.level === 'debug').length,
    level: () => levels.of('db'),
  };
}

test('Must show 10: a level set for a minute shows debug lines on every instance, ends by itself, and both are in the audit', async () => {
  const worker = await startInstance('worker');
  // What measures statements is one per process, and this process is one.
  const web = await startInstance('web', true);
  try {
    await web.tick();
    await run(db(), 'SELECT 1');
    expect(web.debugLines()).toBe(0);
    const set = await call('POST', `/admin/monitor/instance/${web.id}/level`, {
      logger: 'db',
      level: 'debug',
      scope: 'all',
      minutes: 1,
    });
    expect(set.http).toBe(200);
    await web.tick();
    await worker.tick();
    expect([web.level(), worker.level()]).toEqual(['debug', 'debug']);
    const before = web.debugLines();
    await run(db(), 'SELECT $1::text AS phone', ['13800138000']);
    expect(web.debugLines()).toBe(before + 1);
    worker.log.debug('db', () => ({ message: 'SELECT 1' }));
    expect(worker.debugLines()).toBe(1);
    const listed = await call('GET', `/admin/monitor/instance/${worker.id}/level`);
    expect(listed.data.find((one: { logger: string }) => one.logger === 'db').changes).toMatchObject([
      { scope: 'all', level: 'debug' },
    ]);
    // What other processes can read of the lines holds no values.
    await web.tick();
    const detail = await call('GET', `/admin/monitor/instance/${web.id}`);
    expect(detail.text).toContain('SELECT $1::text AS phone');
    expect(detail.text).not.toContain('13800138000');

    await run(
      db(),
      `UPDATE log_level_override SET created_at = created_at - interval '2 minutes', until = until - interval '2 minutes'`,
    );
    await worker.tick();
    await web.tick();
    expect([web.level(), worker.level()]).toEqual(['silent', 'silent']);
    const after = web.debugLines();
    await run(db(), 'SELECT 2');
    expect(web.debugLines()).toBe(after);
    const audit = await run<{ action: string; staff_id: number | null }>(
      db(),
      `SELECT action, staff_id FROM audit_record WHERE entity = 'log_level_override' ORDER BY id`,
    );
    expect(audit).toEqual([
      { action: 'level', staff_id: expect.any(Number) },
      { action: 'level_end', staff_id: null },
    ]);
  } finally {
    web.meter.stop();
    worker.meter.stop();
  }
});

test('a level ends at its minute even where nobody can be asked, the nearest change wins, a new one takes its place', async () => {
  const levels = createLogLevels('info');
  const now = Date.now();
  const override = { logger: 'db', until: new Date(now + 1_000) } as const;
  levels.follow(
    [
      { ...override, scope: 'all', target: '', level: 'debug' },
      { ...override, scope: 'instance', target: 'i', level: 'error' },
    ],
    0,
  );
  expect([levels.of('db', now), levels.of('http', now), levels.of('db', now + 2_000)]).toEqual([
    'error',
    'info',
    'info',
  ]);
  const { instance_id: id } = (await runOne<{ instance_id: string }>(
    db(),
    'SELECT instance_id FROM service_instance LIMIT 1',
  ))!;
  for (const level of ['warn', 'debug'])
    await call('POST', `/admin/monitor/instance/${id}/level`, { logger: 'http', level, scope: 'service' });
  const live = await run<{ id: number; level: string }>(
    db(),
    `SELECT id, level FROM log_level_override WHERE ended_at IS NULL AND logger = 'http'`,
  );
  expect(live.map((one) => one.level)).toEqual(['debug']);
  expect((await call('DELETE', `/admin/monitor/level/${live[0]!.id}`)).http).toBe(200);
  expect((await call('DELETE', `/admin/monitor/level/${live[0]!.id}`)).http).toBe(404);
  for (const [body, http] of [
    [{ logger: 'http', level: 'debug', scope: 'all', minutes: 1_441 }, 422],
    [{ logger: 'nothing', level: 'debug', scope: 'all' }, 422],
    [{ logger: 'http', level: 'silent', scope: 'all' }, 422],
  ] as const)
    expect((await call('POST', `/admin/monitor/instance/${id}/level`, body)).http).toBe(http);
  expect(
    (await call('POST', '/admin/monitor/instance/none/level', { logger: 'db', level: 'debug', scope: 'all' }))
      .http,
  ).toBe(404);
});
