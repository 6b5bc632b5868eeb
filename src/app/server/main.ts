import { fork, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { openFileStore } from '../../kernel/server/files/file-store.ts';
import type { Log } from '../../kernel/server/platform.ts';
import { S3Failure } from '../../kernel/server/files/s3-client.ts';
import { demos } from '../registry/demos.gen.ts';
import { registrations } from '../registry/registrations.gen.ts';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';
import { createPlatform } from './create-platform.ts';
import { openProductDatabase, type ProductDatabase } from './open-product-database.ts';
import { createLog, platformConfig } from './platform-config.ts';
import { prepare } from './prepare.ts';
import { createSessions } from './session/sessions.ts';

/** Starts the product: database, migrations, data, HTTP, worker. Stops in the order HTTP, worker, pool, database. */
async function main(): Promise<void> {
  const started = performance.now();
  const config = readConfig();
  const log = createLog(config.logLevel);
  const parts = platformConfig(config);
  const database = await openProductDatabase(config, { log: (line) => log.info(line) });
  try {
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
    const app = await buildApp({
      platform,
      authenticator: sessions,
      trustedProxies: proxies,
      metricsToken: config.metricsToken,
      serveClient: process.env.SERVE_CLIENT !== 'off',
    });
    const address = await app.listen({ port: config.port, host: config.host });
    const worker = keepWorker(database, log.error);
    print(address, prepared.firstAdministrator, config.adminPassword !== undefined, started);

    let stopping: Promise<void> | undefined;
    const stop = (code: number, grace = 15_000): void => {
      stopping ??= (async () => {
        // Open calls get their answer, new ones are refused by the closed port.
        await Promise.race([app.close(), new Promise((resolve) => setTimeout(resolve, grace).unref())]);
        await worker.stop(grace);
        await sessions.close();
        await platform.close();
        await database.stop();
        process.exit(code);
      })();
    };
    process.on('SIGINT', () => stop(0));
    process.on('SIGTERM', () => stop(0));
    database.onExit(() => {
      log.error('the embedded database ended by itself; stopping');
      // Nothing can be answered or finished without it.
      stop(1, 1_000);
    });
  } catch (error) {
    await database.stop().catch(() => {});
    throw error;
  }
}

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

/** Runs the worker process and starts it again when it dies, at most once a second. */
function keepWorker(
  database: ProductDatabase,
  report: (message: string) => void,
): { stop(grace: number): Promise<void> } {
  let child: ChildProcess | undefined;
  let stopped = false;
  const start = () => {
    if (stopped) return;
    child = fork(path.join(import.meta.dirname, 'worker.js'), [], {
      // Addresses travel over the channel: they may hold a password and must not be seen in the process list.
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    child.send({ addresses: database.addresses, replica: database.replica });
    child.once('exit', (code) => {
      if (stopped) return;
      report(`the worker ended with code ${code}; starting it again`);
      setTimeout(start, 1_000).unref();
    });
  };
  start();
  return {
    stop: async (grace) => {
      stopped = true;
      const running = child;
      if (!running || running.exitCode !== null) return;
      const gone = new Promise((resolve) => running.once('exit', resolve));
      running.kill('SIGTERM');
      const timer = setTimeout(() => running.kill('SIGKILL'), grace + 3_000);
      await gone;
      clearTimeout(timer);
    },
  };
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  if (process.env.LOG_LEVEL === 'debug' && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
