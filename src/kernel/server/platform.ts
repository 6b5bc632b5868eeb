import type { LoadCaller } from './people/caller.ts';
import type { OpenDatabase } from './database.ts';
import type { SettingsReader } from './settings/settings-store.ts';
import type { Registration } from './registration.ts';
import type { DatabaseTables } from './tables-of-database.ts';

/** What handlers reach of the running product; passed, never imported, so that tests and workers make their own. */
export interface Platform {
  readonly database: OpenDatabase;
  /**
   * Reads of reports and exports: a replica at most five seconds behind, else the database itself. It may change from one
   * reading of this property to the next, so a piece of work takes it once.
   */
  readonly replica: OpenDatabase;
  readonly settings: SettingsReader;
  readonly registrations: readonly Registration[];
  readonly config: PlatformConfig;
  /** The tables as the database describes them: read once, before the first call is answered. */
  tables(): Promise<DatabaseTables>;
  /** A staff with the rights of this moment, for work that no call of its own brings them to. */
  readonly loadCaller: LoadCaller;
  /** Tells this and every other instance that rows of a resource changed (count caches). */
  changed(resource: string): void;
  /** Grows by one with every `changed` of the resource, here or elsewhere. */
  changeCount(resource: string): number;
  readonly log: Log;
}

/** The part of the configuration features may read. */
export interface PlatformConfig {
  readonly dataDir: string;
  readonly storageUrl: string | undefined;
  /** 32 random bytes of this installation, made at first start. */
  readonly secretKey: Buffer;
  readonly build: string;
}

export interface Log {
  info(data: object | string, message?: string): void;
  warn(data: object | string, message?: string): void;
  error(data: object | string, message?: string): void;
}
