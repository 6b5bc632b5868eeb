import fs from 'node:fs';
import path from 'node:path';
import type pg from 'pg';
import type { Config } from './config.ts';
import {
  DatabaseHeldError,
  startEmbeddedDatabase,
  type DatabaseAddresses,
  type DatabaseExit,
  type DatabaseRestarts,
} from './embedded-database.ts';

/** The database of a run: embedded or somebody else's. */
export interface ProductDatabase {
  readonly addresses: DatabaseAddresses;
  readonly replica: pg.PoolConfig | undefined;
  onExit(callback: (exit: DatabaseExit) => void): void;
  stop(): Promise<void>;
}

/**
 * Starts the embedded database, or uses `DATABASE_URL`. Migrations then run under `DATABASE_OWNER_URL` when it is given,
 * so that the role of the application needs no right to change tables. With `join`, the embedded database of a running
 * product is used instead of refused (commands beside a running server). With `restarts`, an embedded database that ends by
 * itself is started again.
 */
export async function openProductDatabase(
  config: Config,
  options: {
    readonly log?: (line: string) => void;
    readonly join?: boolean;
    readonly restarts?: DatabaseRestarts;
  } = {},
): Promise<ProductDatabase> {
  const replica = config.replicaUrl ? { connectionString: config.replicaUrl } : undefined;
  if (config.databaseUrl) {
    const app = { connectionString: config.databaseUrl };
    return {
      ...borrowed({ app, owner: { connectionString: config.databaseOwnerUrl ?? config.databaseUrl } }),
      replica,
    };
  }
  const note = path.join(config.dataDir, 'addresses.json');
  try {
    const database = await startEmbeddedDatabase({
      dataDir: config.dataDir,
      log: options.log ?? (() => {}),
      ...(options.restarts ? { restarts: options.restarts } : {}),
    });
    fs.writeFileSync(note, JSON.stringify(database.addresses), { mode: 0o600 });
    return {
      addresses: database.addresses,
      replica,
      onExit: (callback) => database.onExit(callback),
      stop: async () => {
        fs.rmSync(note, { force: true });
        await database.stop();
      },
    };
  } catch (error) {
    if (!options.join || !(error instanceof DatabaseHeldError) || !fs.existsSync(note)) throw error;
    return { ...borrowed(JSON.parse(fs.readFileSync(note, 'utf8')) as DatabaseAddresses), replica };
  }
}

function borrowed(addresses: DatabaseAddresses): Omit<ProductDatabase, 'replica'> {
  return { addresses, onExit: () => {}, stop: async () => {} };
}
