import type pg from 'pg';
import { createLogLevels } from '../../domain/monitoring/log-levels.server.ts';
import { createLogMemory } from '../../domain/monitoring/log-memory.server.ts';
import { createMonitorAgent } from '../../domain/monitoring/monitor-agent.server.ts';
import { createProcessMeter } from '../../domain/monitoring/process-meter.server.ts';
import { recordSpans } from '../../domain/monitoring/span-recorder.server.ts';
import { createInstanceAgent } from '../../domain/services/instance-agent.server.ts';
import { startWorker } from '../../kernel/server/tasks/jobs.ts';
import { registrations } from '../registry/registrations.gen.ts';
import { readConfig } from './config.ts';
import { createPlatform } from './create-platform.ts';
import type { DatabaseAddresses } from './embedded-database.ts';
import { readMigrations } from './migrate.ts';
import { createLog, platformConfig } from './platform-config.ts';
import { callerLoader } from '../../domain/permission/load-caller.server.ts';

/** The worker process: jobs, effects, exports and imports, away from the process that answers calls. */
async function main(): Promise<void> {
  const { addresses, replica } = await receiveAddresses();
  const config = readConfig();
  const memory = createLogMemory();
  const levels = createLogLevels(config.logLevel);
  const log = createLog(config.logLevel, memory.keep, levels);
  const platform = createPlatform({
    database: addresses.app,
    replica,
    registrations,
    config: platformConfig(config),
    log,
    poolSize: 6,
  });
  await platform.tables();
  const spans = recordSpans(platform, { service: 'backoffice-worker' });
  const worker = await startWorker(platform, registrations, {
    connection: addresses.app,
    concurrency: 4,
    loadCaller: callerLoader(platform.database.db),
    onRun: spans.job,
  });
  const agent = createInstanceAgent(platform, {
    service: 'backoffice-worker',
    role: 'worker',
    zone: process.env.ZONE ?? '',
    migrations: readMigrations().map((file) => file.name),
    // Out of service it finishes the job in hand and takes no new one.
    onStatus: (status) => {
      const done = status === 'OUT_OF_SERVICE' ? worker.hold() : worker.resume();
      done.catch((error: unknown) =>
        log.error({ message: 'the queue did not follow', error: String(error) }),
      );
    },
  });
  await agent
    .register()
    .catch((error: unknown) => log.error({ message: 'not registered', error: String(error) }));
  agent.start();
  const monitor = createMonitorAgent(
    platform,
    createProcessMeter(
      platform,
      () => [{ metric: 'spans_dropped', labels: '', value: spans.dropped() }],
      log.debug,
    ),
    {
      instanceId: agent.instanceId,
      service: 'backoffice-worker',
      lines: memory.lines,
      levels,
    },
  );
  monitor.start();
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    void agent
      .drain()
      .catch(() => {})
      .then(() => worker.stop())
      .then(() => spans.stop())
      .then(() => monitor.stop())
      .then(() => agent.stop().catch(() => {}))
      .then(() => platform.close())
      .then(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  // Ctrl+C reaches every process of the terminal; the server tells when it is this one's turn.
  process.on('SIGINT', () => {});
  // The parent is gone without a word (kill -9): nobody would ever stop this process.
  process.on('disconnect', stop);
  await worker.ended;
}

function receiveAddresses(): Promise<{ addresses: DatabaseAddresses; replica: pg.PoolConfig | undefined }> {
  return new Promise((resolve, reject) => {
    if (!process.send) reject(new Error('the worker is started by the server'));
    process.once('message', (message) =>
      resolve(message as { addresses: DatabaseAddresses; replica: pg.PoolConfig | undefined }),
    );
  });
}

main().catch((error: unknown) => {
  process.stderr.write(`worker: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
