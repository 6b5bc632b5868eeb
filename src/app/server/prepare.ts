import type { Log } from '../../kernel/server/platform.ts';
import { openDatabase, run, runOne } from '../../kernel/server/database.ts';
import type { Demo } from '../../kernel/server/demo.ts';
import type { Registration } from '../../kernel/server/registration.ts';
import type { Config } from './config.ts';
import { declaredJobs } from '../../kernel/server/tasks/kernel-jobs.ts';
import { syncJobs } from '../../kernel/server/tasks/job-schedule.ts';
import { migrate } from './migrate.ts';
import { noteMigrations } from './note-migrations.ts';
import type { ProductDatabase } from './open-product-database.ts';
import { createPlatform } from './create-platform.ts';
import { platformConfig } from './platform-config.ts';
import { pendingDemos, runDemos } from './run-demos.ts';
import { seedReference } from './seed-reference.ts';
import { seedDemo } from './seed-demo/seed-demo.ts';
import { ensureFirstAdministrator } from './session/first-administrator.ts';
import { syncMenus } from './session/sync-menus.ts';

/** What the first start made and must be told once. */
export interface Prepared {
  readonly firstAdministrator: { readonly account: string; readonly password: string } | undefined;
  readonly seeded: boolean;
  /** Migrations this start applied. */
  readonly applied: readonly string[];
}

/**
 * Makes a database ready to serve: migrations, reference data, menus of this release, first administrator and, on an
 * empty installation, the demonstration set; one that has it gets the rows of screens that are new in this release. Safe to run by several starters at once.
 */
export async function prepare(
  config: Config,
  database: ProductDatabase,
  registrations: readonly Registration[],
  demos: readonly Demo[],
  log: Log,
): Promise<Prepared> {
  const { applied } = await migrate(database.addresses.owner, { log: (line) => log.info(line) });
  const open = openDatabase(database.addresses.app, 4);
  try {
    await seedReference(open.pool);
    await syncMenus(open.db, registrations);
    await syncJobs(open.db, declaredJobs(registrations), { retire: true });
    await noteMigrations(open.db, applied);
    const firstAdministrator = await ensureFirstAdministrator(open.db, { password: config.adminPassword });
    const seeded =
      config.demo === 'small' && (await runOne(open.db, 'SELECT 1 FROM project LIMIT 1')) === undefined;
    if (seeded)
      await seedDemo(open.pool, {
        seed: 42,
        dataDir: config.dataDir,
        ...(config.demoPassword ? { demoPassword: config.demoPassword } : {}),
      });
    const added = config.demo === 'small' && (await addDemos(config, database, registrations, demos, log));
    // Fresh rows without statistics make the first lists slow; the application's own role may not analyse.
    if (seeded || added) await analyse(database);
    return { firstAdministrator, seeded, applied };
  } finally {
    await open.close();
  }
}

/** True when rows were added. Rows for show are no reason not to start: what fails is told and left out. */
async function addDemos(
  config: Config,
  database: ProductDatabase,
  registrations: readonly Registration[],
  demos: readonly Demo[],
  log: Log,
): Promise<boolean> {
  const platform = createPlatform({
    database: database.addresses.app,
    registrations,
    config: platformConfig(config),
    log,
    poolSize: 2,
  });
  try {
    if ((await pendingDemos(platform.database.db, demos)).length === 0) return false;
    const keys = await runDemos(platform, demos);
    if (keys.length > 0) log.info(`Added demonstration rows: ${keys.join(', ')}`);
    return keys.length > 0;
  } catch (error) {
    log.error({ message: 'demonstration rows of a screen could not be added', error: String(error) });
    return false;
  } finally {
    await platform.close();
  }
}

async function analyse(database: ProductDatabase): Promise<void> {
  const owner = openDatabase(database.addresses.owner, 1);
  try {
    await run(owner.db, 'ANALYZE');
  } finally {
    await owner.close();
  }
}
