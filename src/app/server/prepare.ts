import type { Log } from '../../kernel/server/platform.ts';
import { openDatabase, run, runOne } from '../../kernel/server/database.ts';
import type { Registration } from '../../kernel/server/registration.ts';
import type { Config } from './config.ts';
import { migrate } from './migrate.ts';
import type { ProductDatabase } from './open-product-database.ts';
import { seedReference } from './seed-reference.ts';
import { seedDemo } from './seed-demo/seed-demo.ts';
import { ensureFirstAdministrator } from './session/first-administrator.ts';
import { syncMenus } from './session/sync-menus.ts';

/** What the first start made and must be told once. */
export interface Prepared {
  readonly firstAdministrator: { readonly account: string; readonly password: string } | undefined;
  readonly seeded: boolean;
}

/**
 * Makes a database ready to serve: migrations, reference data, menus of this release, first administrator and, on an
 * empty installation, the demonstration set. Safe to run by several starters at once.
 */
export async function prepare(
  config: Config,
  database: ProductDatabase,
  registrations: readonly Registration[],
  log: Log,
): Promise<Prepared> {
  await migrate(database.addresses.owner, { log: (line) => log.info(line) });
  const open = openDatabase(database.addresses.app, 4);
  try {
    await seedReference(open.pool);
    await syncMenus(open.db, registrations);
    const firstAdministrator = await ensureFirstAdministrator(open.db, { password: config.adminPassword });
    const seeded =
      config.demo === 'small' && (await runOne(open.db, 'SELECT 1 FROM project LIMIT 1')) === undefined;
    if (seeded)
      await seedDemo(open.pool, {
        seed: 42,
        dataDir: config.dataDir,
        ...(config.demoPassword ? { demoPassword: config.demoPassword } : {}),
      });
    // Fresh rows without statistics make the first lists slow; the application's own role may not analyse.
    if (seeded) await analyse(database);
    return { firstAdministrator, seeded };
  } finally {
    await open.close();
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
