import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Logger, runMigrations } from 'graphile-worker';
import pg from 'pg';

/** Where the migrations lie and who is told about each of them. */
export interface MigrateOptions {
  /** Folder of migration files; those of the project, see {@link projectMigrations}, when absent. */
  folder?: string;
  log?: (line: string) => void;
  /** How long another runner is waited for, in milliseconds. */
  patience?: number;
}

/** One migration file; `checksum` is the SHA-256 of its text with line ends made LF. */
export interface MigrationFile {
  name: string;
  checksum: string;
  sql: string;
}

/**
 * Brings the database to the newest schema: every file not yet applied runs in its own transaction, in order, then
 * the job queue's schema is installed. Only one runner works at a time; a second waits and finds nothing to do.
 * Throws when an applied file was changed, is missing, or when a new numbered file sorts before an applied one. Files
 * with a time come from features written side by side: one older than what is applied runs all the same.
 */
export async function migrate(
  owner: pg.PoolConfig,
  options: MigrateOptions = {},
): Promise<{ applied: string[] }> {
  const log = options.log ?? (() => {});
  const files = readMigrations(options.folder);
  const client = new pg.Client({ ...owner, application_name: 'migrate' });
  client.on('error', () => {}); // a connection lost here fails the query that is waiting
  await client.connect();
  try {
    await takeTurn(client, options.patience ?? 120_000);
    const appRole = await findAppRole(client);
    await prepareSchema(client, appRole);
    const pending = pendingMigrations(files, await appliedMigrations(client));
    for (const file of pending) {
      await applyMigration(client, file);
      log(`Applied migration ${file.name}`);
    }
    await installJobQueue(owner);
    if (appRole) await openJobQueue(client, appRole);
    return { applied: pending.map((file) => file.name) };
  } finally {
    await client.end(); // also gives the turn to the next runner
  }
}

/** Reads the migration files in order; throws on a misnamed file, a number used twice or a name used twice. */
export function readMigrations(folder?: string): MigrationFile[] {
  const paths = folder === undefined ? projectMigrations() : sqlFiles(folder);
  const files = paths.map((file) => ({ file, name: path.basename(file) }));
  // Numbers stand before times, and times have one length: sorting by name is sorting by number, time and name.
  files.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  let previous = '';
  return files.map(({ file, name }) => {
    if (!NUMBERED.test(name) && !TIMED.test(name)) {
      throw new Error(
        `Migration ${name} must be named like 202611221530_what_it_adds.sql (year to minute), or 0001_what_it_adds.sql`,
      );
    }
    // What is applied is remembered by name alone, so that a feature's folder may move.
    if (name === previous) throw new Error(`Two migrations are named ${name}; give one of them another name`);
    if (NUMBERED.test(name) && name.slice(0, 5) === previous.slice(0, 5))
      throw new Error(`Two migrations have the number ${name.slice(0, 4)}; give ${name} the next free one`);
    previous = name;
    const sql = fs.readFileSync(file, 'utf8').replaceAll('\r\n', '\n');
    return { name, checksum: createHash('sha256').update(sql).digest('hex'), sql };
  });
}

/**
 * The migration files of the project: the numbered ones of database/migrations and those with a time in a folder
 * `migrations` beside a feature or a subject of the domain. Where only the build is installed, it brought copies.
 */
export function projectMigrations(root = projectFolder()): string[] {
  const source = path.join(root, 'src');
  if (!fs.existsSync(source)) return sqlFiles(path.join(root, 'dist', 'migrations'));
  const beside = ['features', 'domain'].flatMap((floor) => besideMigrations(path.join(source, floor)));
  for (const file of beside)
    if (!TIMED.test(path.basename(file)))
      throw new Error(
        `Migration ${path.relative(root, file)} must be named like 202611221530_what_it_adds.sql (year to minute)`,
      );
  return [...sqlFiles(path.join(root, 'database', 'migrations')), ...beside];
}

const NUMBERED = /^\d{4}_[a-z0-9_]+\.sql$/;
const TIMED = /^20\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])([01]\d|2[0-3])[0-5]\d_[a-z0-9_]+\.sql$/;

function sqlFiles(folder: string): string[] {
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .map((name) => path.join(folder, name));
}

function besideMigrations(folder: string): string[] {
  if (!fs.existsSync(folder)) return [];
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory()) return [];
    const inner = path.join(folder, entry.name);
    return entry.name === 'migrations' ? sqlFiles(inner) : besideMigrations(inner);
  });
}

/** Migrations already in the database, by name; empty for a database that was never migrated. */
export async function appliedMigrations(
  client: pg.ClientBase,
): Promise<{ name: string; checksum: string }[]> {
  const table = await client.query<{ found: boolean }>(
    `SELECT to_regclass('public.schema_migration') IS NOT NULL AS found`,
  );
  if (!table.rows[0]?.found) return [];
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'SELECT name, checksum FROM public.schema_migration ORDER BY name COLLATE "C"',
  );
  return rows;
}

/** The folder of package.json above this module, which runs from src/ in tests and from dist/ when built. */
export function projectFolder(): string {
  let folder = import.meta.dirname;
  while (!fs.existsSync(path.join(folder, 'package.json'))) {
    const parent = path.dirname(folder);
    if (parent === folder) throw new Error(`No package.json lies above ${import.meta.dirname}`);
    folder = parent;
  }
  return folder;
}

/** Any number will do as long as nothing else in the product uses it. */
const MIGRATION_LOCK = 7_204_615_318;
/** A migration waiting longer for a table holds up every request that queues behind it. */
const LOCK_TIMEOUT = '10s';

async function takeTurn(client: pg.Client, patience: number): Promise<void> {
  await client.query(`SELECT set_config('lock_timeout', $1, false)`, [`${patience}ms`]);
  try {
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
  } catch (cause) {
    if (!isLockTimeout(cause)) throw cause;
    throw new Error(
      `Another process has been migrating this database for ${patience} ms; look for it and try again`,
      {
        cause,
      },
    );
  }
  await client.query(`SELECT set_config('lock_timeout', $1, false)`, [LOCK_TIMEOUT]);
}

/** On an outside server the owner is the only role we know, and a role that happens to be called app is not ours. */
async function findAppRole(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query(
    `SELECT FROM pg_roles WHERE rolname = 'app' AND current_user = 'app_owner'`,
  );
  return rows.length > 0 ? 'app' : undefined;
}

async function prepareSchema(client: pg.Client, appRole: string | undefined): Promise<void> {
  await client.query(
    `CREATE TABLE IF NOT EXISTS public.schema_migration (
       name text PRIMARY KEY,
       checksum text NOT NULL,
       applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
     )`,
  );
  if (!appRole) return;
  // As defaults, before the first table exists: a REVOKE inside a migration then keeps its effect.
  await client.query(`
    GRANT USAGE ON SCHEMA public TO ${appRole};
    GRANT SELECT ON public.schema_migration TO ${appRole};
    ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${appRole};
    ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT ON SEQUENCES TO ${appRole};
  `);
}

function pendingMigrations(
  files: MigrationFile[],
  applied: { name: string; checksum: string }[],
): MigrationFile[] {
  const byName = new Map(files.map((file) => [file.name, file]));
  for (const done of applied) {
    const file = byName.get(done.name);
    if (!file) {
      throw new Error(
        `Migration ${done.name} was applied to this database but its file is missing: this program is older than the ` +
          'database, or the file was removed. Run the newer program or put the file back.',
      );
    }
    if (file.checksum !== done.checksum) {
      throw new Error(
        `Migration ${done.name} was changed after it was applied. Put its text back and add a new migration instead.`,
      );
    }
  }
  const last = applied.findLast((done) => NUMBERED.test(done.name))?.name ?? '';
  const names = new Set(applied.map((done) => done.name));
  const pending = files.filter((file) => !names.has(file.name));
  const late = pending.find((file) => NUMBERED.test(file.name) && file.name < last);
  if (late) {
    throw new Error(
      `Migration ${late.name} sorts before ${last}, which is applied already. Give it the next free number.`,
    );
  }
  return pending;
}

async function applyMigration(client: pg.Client, file: MigrationFile): Promise<void> {
  await client.query('BEGIN');
  try {
    const before = await currentTransaction(client);
    await client.query(file.sql);
    if ((await currentTransaction(client)) !== before) {
      throw new Error('it ends the transaction it runs in; remove its COMMIT or ROLLBACK');
    }
    await client.query('INSERT INTO public.schema_migration (name, checksum) VALUES ($1, $2)', [
      file.name,
      file.checksum,
    ]);
    await client.query('COMMIT');
  } catch (cause) {
    await client.query('ROLLBACK').catch(() => {}); // the connection itself may be gone
    throw new Error(`Migration ${file.name} failed: ${describeFailure(cause, file.sql)}`, { cause });
  } finally {
    // A file may set its own limits or search path; the next one begins afresh.
    await client.query(`RESET ALL; SET lock_timeout = '${LOCK_TIMEOUT}'`).catch(() => {});
  }
}

async function currentTransaction(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>('SELECT pg_current_xact_id()::text AS id');
  return rows[0]?.id;
}

function describeFailure(cause: unknown, sql: string): string {
  if (!(cause instanceof Error)) return String(cause);
  if (isLockTimeout(cause)) {
    return `a table it changes was in use for ${LOCK_TIMEOUT}; nothing was changed, try again at a quieter time`;
  }
  if (!(cause instanceof pg.DatabaseError)) return cause.message;
  const line = cause.position ? ` (line ${sql.slice(0, Number(cause.position)).split('\n').length})` : '';
  const detail = cause.detail ? `: ${cause.detail}` : '';
  return `${cause.message}${detail}${line}`;
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03';
}

async function installJobQueue(owner: pg.PoolConfig): Promise<void> {
  const pool = new pg.Pool({ ...owner, max: 2, application_name: 'migrate' });
  // graphile-worker warns about pools without these listeners; a lost connection fails the query waiting on it.
  pool.on('error', () => {});
  pool.on('connect', (connection) => connection.on('error', () => {}));
  try {
    await runMigrations({ pgPool: pool, logger: new Logger(() => () => {}) });
  } finally {
    await pool.end();
  }
}

/**
 * The queue's tables have row-level security without policies, so that a grant alone would show `app` empty tables.
 * Repeated at every start, since a newer release of the queue may bring new tables.
 */
async function openJobQueue(client: pg.Client, appRole: string): Promise<void> {
  const { rows } = await client.query<{ table: string }>(
    `SELECT quote_ident(c.relname) AS table FROM pg_class c
      WHERE c.relnamespace = 'graphile_worker'::regnamespace AND c.relkind = 'r' AND c.relrowsecurity
        AND NOT EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = $1)`,
    [`${appRole}_runs_jobs`],
  );
  const policies = rows.map(
    ({ table }) =>
      `CREATE POLICY ${appRole}_runs_jobs ON graphile_worker.${table} TO ${appRole} USING (true) WITH CHECK (true);`,
  );
  await client.query(`
    GRANT USAGE ON SCHEMA graphile_worker TO ${appRole};
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA graphile_worker TO ${appRole};
    REVOKE INSERT, UPDATE, DELETE ON graphile_worker.migrations FROM ${appRole};
    GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA graphile_worker TO ${appRole};
    ${policies.join('\n')}
  `);
}
