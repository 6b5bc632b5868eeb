import type { SettingDeclaration } from '../../contract/setting-declaration.ts';
import { runOne, run, type Executor } from '../database.ts';

/** A setting's default and unit, from the table every group declares its keys in. */
export interface SettingDefault {
  readonly key: string;
  readonly value: unknown;
}

/** Where a setting is asked for: the project's value wins over the tenant's, that over the platform's. */
export interface SettingPlace {
  readonly projectId?: number | null | undefined;
  readonly tenantId?: number | null | undefined;
}

/** Reads settings: the value of the closest place, else the platform's, else the declared default. Cached for a second. */
export interface SettingsReader {
  number(key: string, place?: SettingPlace): Promise<number>;
  flag(key: string, place?: SettingPlace): Promise<boolean>;
  text(key: string, place?: SettingPlace): Promise<string>;
  /** A list; a text is split at commas. A stored null, as an emptied list leaves it, is an empty list. */
  list(key: string, place?: SettingPlace): Promise<readonly unknown[]>;
  /** Reads inside a transaction, without the cache of others: what it has read stands for the rest of it. */
  numberIn(tx: Executor, key: string, place?: SettingPlace): Promise<number>;
  textIn(tx: Executor, key: string, place?: SettingPlace): Promise<string>;
  flagIn(tx: Executor, key: string, place?: SettingPlace): Promise<boolean>;
  listIn(tx: Executor, key: string, place?: SettingPlace): Promise<readonly unknown[]>;
  /** The declared default. Throws for an undeclared key. */
  defaultOf(key: string): unknown;
  /** What is declared of each key that staff may set, in the order of the file. */
  readonly declarations: readonly SettingDeclaration[];
  forget(): void;
}

const CACHE_MS = 1_000;

/** Makes a reader over the setting table. Throws when a key was never declared. */
export function createSettingsReader(
  db: Executor,
  defaults: ReadonlyMap<string, unknown>,
  declarations: readonly SettingDeclaration[] = [],
): SettingsReader {
  let cached: Map<string, unknown> | undefined;
  let readAt = 0;
  let reading: Promise<Map<string, unknown>> | undefined;

  const load = async (): Promise<Map<string, unknown>> => {
    if (cached && Date.now() - readAt < CACHE_MS) return cached;
    reading ??= (async () => {
      try {
        const rows = await run<{ key: string; value: unknown }>(
          db,
          `SELECT key, value FROM setting
           UNION ALL SELECT key || CASE WHEN project_id IS NULL THEN '@t' || tenant_id ELSE '@p' || project_id END, value FROM setting_override`,
        );
        cached = new Map(rows.map((row) => [row.key, row.value]));
        readAt = Date.now();
        return cached;
      } finally {
        reading = undefined;
      }
    })();
    return reading;
  };
  const defaultOf = (key: string): unknown => {
    if (!defaults.has(key)) throw new Error(`setting ${key} is not declared`);
    return defaults.get(key);
  };
  const read = async (key: string, place: SettingPlace = {}): Promise<unknown> => {
    const fallback = defaultOf(key);
    const stored = await load();
    const closest = [
      ...(place.projectId ? [`${key}@p${place.projectId}`] : []),
      ...(place.tenantId ? [`${key}@t${place.tenantId}`] : []),
      key,
    ].find((one) => stored.has(one));
    return closest === undefined ? fallback : stored.get(closest);
  };
  // Keys that transactions ask for: the first that needs one brings them all.
  const askedIn = new Set<string>();
  const readBy = new WeakMap<Executor, Map<string, { readonly value: unknown } | undefined>>();
  const readPlain = async (tx: Executor, key: string): Promise<unknown> => {
    const fallback = defaultOf(key);
    let known = readBy.get(tx);
    if (!known?.has(key)) {
      askedIn.add(key);
      const keys = [...askedIn];
      const rows = await run<{ key: string; value: unknown }>(
        tx,
        'SELECT key, value FROM setting WHERE key = ANY($1::text[])',
        [keys],
      );
      const stored = new Map(rows.map((row) => [row.key, row.value]));
      known = new Map(keys.map((one) => [one, stored.has(one) ? { value: stored.get(one) } : undefined]));
      if (tx !== db) readBy.set(tx, known);
    }
    const found = known.get(key);
    return found ? found.value : fallback;
  };
  const readIn = async (
    tx: Executor,
    key: string,
    { projectId, tenantId }: SettingPlace = {},
  ): Promise<unknown> => {
    if (!projectId && !tenantId) return readPlain(tx, key);
    const fallback = defaultOf(key);
    const row = await runOne<{ value: unknown }>(
      tx,
      `SELECT value FROM (
         SELECT value, CASE WHEN project_id IS NULL THEN 2 ELSE 1 END AS far FROM setting_override
          WHERE key = $1 AND (project_id = $2 OR tenant_id = $3)
         UNION ALL SELECT value, 3 FROM setting WHERE key = $1) x ORDER BY far LIMIT 1`,
      [key, projectId ?? null, tenantId ?? null],
    );
    return row ? row.value : fallback;
  };
  return {
    number: async (key, place) => Number(await read(key, place)),
    flag: async (key, place) => (await read(key, place)) === true,
    text: async (key, place) => String(await read(key, place)),
    list: async (key, place) => listOf(await read(key, place)),
    numberIn: async (tx, key, place) => Number(await readIn(tx, key, place)),
    textIn: async (tx, key, place) => String(await readIn(tx, key, place)),
    flagIn: async (tx, key, place) => (await readIn(tx, key, place)) === true,
    listIn: async (tx, key, place) => listOf(await readIn(tx, key, place)),
    defaultOf,
    declarations,
    forget: () => {
      readAt = 0;
    },
  };
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return String(value ?? '')
    .split(',')
    .filter((one) => one !== '');
}
