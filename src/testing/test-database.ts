import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { CLONE_TABLESPACE, TEMPLATE_DATABASE } from './global-setup.ts';

/** A database of one test file's own; `drop` ends its connections and removes it. */
export interface TestDatabase {
  app: pg.PoolConfig;
  owner: pg.PoolConfig;
  drop(): Promise<void>;
}

/** A copy of the migrated and seeded template. Call it once in a test file and drop it at the end. */
export async function cloneDatabase(): Promise<TestDatabase> {
  return await createDatabase(TEMPLATE_DATABASE);
}

/** A database with nothing in it, owned by `app_owner`, for tests of migrations and backups. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return await createDatabase('template1');
}

/**
 * A copy of a template that is made by whichever test file asks first, and kept for later runs while nothing it is made from
 * changes; `prepare` fills it and must leave no connection open.
 */
export async function clonePrepared(
  name: string,
  prepare: (database: TestDatabase) => Promise<void>,
): Promise<TestDatabase> {
  const server = inject('testSuperuser');
  const client = new pg.Client({ ...server, user: 'postgres', database: 'postgres' });
  await client.connect();
  try {
    // The second file waits here until the first has filled it.
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
    const { rows } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rows.length === 0) {
      const draft = await createDatabase(TEMPLATE_DATABASE, { kept: true });
      await prepare(draft);
      await client.query(`ALTER DATABASE ${String(draft.app.database)} RENAME TO ${name}`);
      await client.query(`COMMENT ON DATABASE ${name} IS '${inject('templateKeys').filled}'`);
    }
    return await createDatabase(name);
  } finally {
    await client.end();
  }
}

async function createDatabase(template: string, { kept = false } = {}): Promise<TestDatabase> {
  const server = inject('testSuperuser');
  const database = `test_${randomBytes(6).toString('hex')}`;
  const place = inject('clonesInMemory') && !kept ? `TABLESPACE ${CLONE_TABLESPACE}` : '';
  await asSuperuser([
    `CREATE DATABASE ${database} OWNER app_owner TEMPLATE ${template} STRATEGY ${CLONE_STRATEGY} ${place}`,
    // Privileges on the database itself are not copied from a template.
    `REVOKE ALL ON DATABASE ${database} FROM PUBLIC`,
    `GRANT CONNECT ON DATABASE ${database} TO app`,
  ]);
  return {
    app: { ...server, database, user: 'app' },
    owner: { ...server, database, user: 'app_owner' },
    drop: () => dropDatabase(database),
  };
}

/** Copying files beats writing every page to the log when nothing is synced. */
const CLONE_STRATEGY = 'FILE_COPY';

/**
 * A pool says it has ended before the server has seen its connections go; ended by force then, they report an error that
 * nobody listens for any more. What is still there after a second was left open on purpose.
 */
function dropDatabase(database: string): Promise<void> {
  return withSuperuser(async (client) => {
    for (let tries = 0; tries < 40; tries++) {
      const { rowCount } = await client.query('SELECT FROM pg_stat_activity WHERE datname = $1', [database]);
      if (rowCount === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    await client.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
  });
}

function asSuperuser(statements: string[]): Promise<void> {
  return withSuperuser(async (client) => {
    for (const statement of statements) await client.query(statement);
  });
}

async function withSuperuser(work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ ...inject('testSuperuser'), user: 'postgres', database: 'postgres' });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
