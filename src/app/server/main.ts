import { createLogLevels } from '../../domain/monitoring/log-levels.server.ts';
import { createLogMemory } from '../../domain/monitoring/log-memory.server.ts';
import { createMonitorAgent } from '../../domain/monitoring/monitor-agent.server.ts';
import { createProcessMeter } from '../../domain/monitoring/process-meter.server.ts';
import { recordSpans, type SpanRecorder } from '../../domain/monitoring/span-recorder.server.ts';
import { createInstanceAgent } from '../../domain/services/instance-agent.server.ts';
import { openFileStore } from '../../kernel/server/files/file-store.ts';
import type { Log } from '../../kernel/server/platform.ts';
import { S3Failure } from '../../kernel/server/files/s3-client.ts';
import { demos } from '../registry/demos.gen.ts';
import { registrations } from '../registry/registrations.gen.ts';
import { DEFAULT_LIMIT } from '../../features/auth-manager/api/api-desk.server.ts';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';
import { countEnds, GAVE_UP } from './count-ends.ts';
import { createPlatform } from './create-platform.ts';
import { keepWorker } from './keep-worker.ts';
import { readMigrations } from './migrate.ts';
import { openProductDatabase, type ProductDatabase } from './open-product-database.ts';
import { createLog, platformConfig } from './platform-config.ts';
import { prepare } from './prepare.ts';
import { writeSystemEvent } from '../../kernel/server/tasks/system-event.ts';
import { watchSchedule } from '../../kernel/server/tasks/worker-timers.ts';
import { createSessions } from './session/sessions.ts';

/**
 * Starts the product: database, migrations, data, HTTP, worker. Stops in the order HTTP, worker, pool, database.
 * A database or worker that ends by itself is started again; calls are answered with 503 while there is no database.
 */
async function main(): Promise<void> {
  const started = performance.now();
  const config = readConfig();
  const memory = createLogMemory();
  const levels = createLogLevels(config.logLevel);
  const log = createLog(config.logLevel, memory.keep, levels);
  const parts = platformConfig(config);
  let opening: Promise<ProductDatabase> | undefined;
  let stopping: Promise<void> | undefined;
  // Signals may come while the start is still going on: what has been opened so far is closed.
  let close = async (_grace: number): Promise<void> => await (await opening?.catch(() => undefined))?.stop();
  const stop = (code: number, grace = 15_000): void => {
    stopping ??= close(grace)
      .catch((error: unknown) => log.error({ message: 'stopping failed', error: String(error) }))
      .then(() => process.exit(code));
  };
  process.on('SIGINT', () => stop(0));
  process.on('SIGTERM', () => stop(0));
  // The process that keeps us was killed: nobody would ever stop this one.
  process.on('disconnect', () => stop(0));
  try {
    opening = openProductDatabase(config, {
      log: (line) => log.info(line),
      restarts: { ends: countEnds(), tell: (message) => log.error(message) },
    });
    const database = await opening;
    const prepared = await prepare(config, database, registrations, demos, log);
    await checkFileStore(parts, log);
    const platform = createPlatform({
      database: database.addresses.app,
      replica: database.replica,
      registrations,
      config: parts,
      log,
    });
    const sessions = createSessions(platform);
    const proxies = (await platform.settings.list('server.trusted_proxies')).map(String);
    const agent = createInstanceAgent(platform, {
      service: 'backoffice-web',
      role: 'web',
      port: config.port,
      zone: process.env.ZONE ?? '',
      migrations: readMigrations().map((file) => file.name),
      applied: prepared.applied,
      startMs: performance.now() - started,
    });
    // Switched off by the benchmark of what observing costs, and by nothing else.
    const observes = process.env.UNOBSERVED_BENCH !== 'on';
    const spans = observes
      ? recordSpans(platform, { service: 'backoffice-web', instance: agent.instanceId })
      : NO_SPANS;
    const meter = createProcessMeter(
      platform,
      () => [{ metric: 'spans_dropped', labels: '', value: spans.dropped() }],
      log.debug,
    );
    const monitor = createMonitorAgent(platform, meter, {
      instanceId: agent.instanceId,
      service: 'backoffice-web',
      lines: memory.lines,
      levels,
    });
    const app = await buildApp({
      ...(observes ? { meter } : {}),
      spans,
      platform,
      authenticator: sessions,
      outOfService: () => agent.status === 'OUT_OF_SERVICE',
      trustedProxies: proxies,
      metricsToken: config.metricsToken,
      serveClient: process.env.SERVE_CLIENT !== 'off',
      logCalls: observes,
      defaultLimit: Number(process.env.CALLS_A_MINUTE) || DEFAULT_LIMIT,
    });
    const address = await app.listen({ port: config.port, host: config.host });
    // A registry that cannot be reached is no reason not to answer: the next heartbeat registers.
    await agent
      .register()
      .catch((error: unknown) => log.error({ message: 'not registered', error: String(error) }));
    agent.start();
    if (observes) monitor.start();
    const giveUp = (reason: string): void => {
      process.stderr.write(`${reason}. Giving up.\n`);
      stop(GAVE_UP, 1_000);
    };
    await writeSystemEvent(platform.database.db, {
      kind: 'start',
      text: [`系统启动，版本 ${parts.build}`, `The product started, release ${parts.build}`],
      detail: { build: parts.build, node: process.version },
    });
    const stopWatching = watchSchedule(platform);
    const worker = keepWorker({ database, pool: platform.database.pool, report: log.error, giveUp });
    close = async (grace) => {
      // Whoever spreads calls learns it first.
      await agent.drain().catch(() => {});
      // Open calls get their answer, new ones are refused by the closed port.
      await Promise.race([app.close(), new Promise((resolve) => setTimeout(resolve, grace).unref())]);
      await worker.stop(grace);
      await monitor.stop();
      await agent.stop().catch(() => {});
      await stopWatching();
      await writeSystemEvent(platform.database.db, {
        kind: 'stop',
        text: ['系统正常停止', 'The product was stopped in order'],
        detail: { build: parts.build },
      }).catch((error: unknown) => log.warn({ message: 'the stop was not noted', error: String(error) }));
      await sessions.close();
      await platform.close();
      await database.stop();
    };
    database.onExit(({ reason }) => giveUp(reason ?? 'the embedded database ended'));
    print(address, prepared.firstAdministrator, config.adminPassword !== undefined, started);
    process.send?.('ready');
  } catch (error) {
    await stopping;
    await opening?.then((database) => database.stop()).catch(() => {});
    throw error;
  }
}

const NO_SPANS: SpanRecorder = {
  finish: () => {},
  job: () => {},
  dropped: () => 0,
  flush: async () => {},
  stop: async () => {},
};

/** An address that is not usable and a store that refuses us stop the start; one that cannot be reached may come back and is told in the log. */
async function checkFileStore(parts: Parameters<typeof openFileStore>[0], log: Log): Promise<void> {
  const store = openFileStore(parts);
  try {
    await store.check();
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    if (!parts.storageUrl) throw cause;
    if (cause instanceof S3Failure && cause.status < 500) throw new Error(`STORAGE_URL: ${cause.message}`);
    log.error({ message: 'the file store cannot be reached', error: String(cause) });
  }
}

function print(
  address: string,
  first: { account: string; password: string } | undefined,
  given: boolean,
  started: number,
): void {
  const lines = [`社区零售系统 / Community retail system: ${address}`];
  if (first) {
    lines.push(`第一个账号 / first account: ${first.account}`);
    lines.push(
      given
        ? '密码为 ADMIN_PASSWORD 的值 / its password is the value of ADMIN_PASSWORD'
        : `初始密码（仅显示一次）/ first password (shown once): ${first.password}`,
    );
  }
  lines.push(`Ready in ${((performance.now() - started) / 1000).toFixed(1)} s. Stop with Ctrl+C.`);
  process.stdout.write(`${lines.join('\n')}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  if (process.env.LOG_LEVEL === 'debug' && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
