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
  const teller = changeTeller(database.pool);
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
      teller.tell(resource);
    },
    changeCount: (resource) => changes.get(resource) ?? 0,
    close: async () => {
      teller.close();
      await listener.close();
      gate?.close();
      await replica?.close();
      await database.close();
    },
  };
}

/** How long changes wait for each other, in milliseconds, while others are told of. */
const TELL_MS = 25;

/**
 * Tells other instances what changed: the first at once, those that follow closely together. Hundreds of writes a second would
 * otherwise each take a connection for it. Caches of others end by themselves within a second if a notification is lost.
 */
function changeTeller(pool: Pick<OpenPlatform['database']['pool'], 'query'>) {
  const waiting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const send = () => {
    timer = undefined;
    if (waiting.size === 0) return;
    const names = [...waiting];
    waiting.clear();
    timer = setTimeout(send, TELL_MS);
    void pool
      .query(`SELECT pg_notify('resource_changed', name) FROM unnest($1::text[]) AS name`, [names])
      .catch(() => {});
  };
  return {
    tell: (resource: string) => {
      waiting.add(resource);
      if (!timer) send();
    },
    /** Sends what still waits; the pool waits for it. */
    close: () => {
      clearTimeout(timer);
      send();
      clearTimeout(timer);
    },
  };
}
