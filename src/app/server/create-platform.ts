import type pg from 'pg';
import type { LoadCaller } from '../../kernel/server/people/caller.ts';
import { createSettingsReader } from '../../kernel/server/settings/settings-store.ts';
import { openDatabase } from '../../kernel/server/database.ts';
import { sealRowTokensUnder } from '../../kernel/server/resource/row-token.ts';
import type { Log, Platform, PlatformConfig } from '../../kernel/server/platform.ts';
import type { Registration } from '../../kernel/server/registration.ts';
import { readDatabaseTables, type DatabaseTables } from '../../kernel/server/tables-of-database.ts';
import { listenForChanges } from './change-listener.ts';
import { callerLoader } from '../../domain/permission/load-caller.server.ts';
import { watchReplica } from './replica-gate.ts';
import { settingDeclarations, settingDefaults } from './setting-defaults.ts';

/** A platform with the means to close what it opened. */
export interface OpenPlatform extends Platform {
  close(): Promise<void>;
}

/** What a platform is made of. */
export interface PlatformParts {
  readonly database: pg.PoolConfig;
  readonly replica?: pg.PoolConfig | undefined;
  /** How the lag of the replica is measured, for tests. */
  readonly replicaLook?: Pick<Parameters<typeof watchReplica>[0], 'measure' | 'byItself'>;
  readonly registrations: readonly Registration[];
  readonly config: PlatformConfig;
  readonly log: Log;
  readonly poolSize?: number;
  /** Default: by the groups in the database. */
  readonly loadCaller?: LoadCaller;
}

/** Opens the database and makes the platform handlers work with. */
export function createPlatform(parts: PlatformParts): OpenPlatform {
  sealRowTokensUnder(parts.config.secretKey);
  const database = openDatabase(parts.database, parts.poolSize ?? 12);
  const replica = parts.replica ? openDatabase(parts.replica, 6) : undefined;
  const gate = replica && watchReplica({ primary: database, replica, log: parts.log, ...parts.replicaLook });
  const changes = new Map<string, number>();
  const bump = (resource: string) => changes.set(resource, (changes.get(resource) ?? 0) + 1);
  const settings = createSettingsReader(database.db, settingDefaults(), settingDeclarations());
  const listener = listenForChanges(parts.database, (resource) =>
    resource === 'setting' ? settings.forget() : bump(resource),
  );
  let tables: Promise<DatabaseTables> | undefined;
  return {
    database,
    get replica() {
      return gate?.current() ?? database;
    },
    tables: () =>
      (tables ??= readDatabaseTables(database.db).catch((error: unknown) => {
        tables = undefined; // asked again when the database is back
        throw error;
      })),
    settings,
    registrations: parts.registrations,
    config: parts.config,
    loadCaller: parts.loadCaller ?? callerLoader(database.db),
    log: parts.log,
    changed: (resource) => {
      bump(resource);
      // Other instances learn of it by notification; their caches end by themselves within a second if it is lost.
      void database.pool.query('SELECT pg_notify($1, $2)', ['resource_changed', resource]).catch(() => {});
    },
    changeCount: (resource) => changes.get(resource) ?? 0,
    close: async () => {
      await listener.close();
      gate?.close();
      await replica?.close();
      await database.close();
    },
  };
}
