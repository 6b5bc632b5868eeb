import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Logger, run } from 'graphile-worker';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEmptyDatabase, type TestDatabase } from '../../testing/test-database.ts';
import { migrate, projectMigrations, readMigrations } from './migrate.ts';

const FIRST = {
  '0001_word.sql': `CREATE TABLE word (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text text NOT NULL);`,
  '0002_ledger.sql': `
    CREATE TABLE ledger (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, amount numeric NOT NULL);
    REVOKE UPDATE, DELETE ON ledger FROM app;
    INSERT INTO word (text) VALUES ('退款');`,
};

let database: TestDatabase;
const folders: string[] = [];

beforeEach(async () => {
  database = await createEmptyDatabase();
});
afterEach(() => database.drop());
afterAll(() => {
  for (const folder of folders) fs.rmSync(folder, { recursive: true });
});

describe('migrate', () => {
  test('applies each file once, in order, and records its checksum', async () => {
    const folder = folderOf(FIRST);
    const told: string[] = [];
    const first = await migrate(database.owner, { folder, log: (line) => told.push(line) });
    expect(first.applied).toEqual(['0001_word.sql', '0002_ledger.sql']);
    expect(told).toHaveLength(2);
    expect(await migrate(database.owner, { folder })).toEqual({ applied: [] });
    expect(await query(database.owner, 'SELECT name, checksum FROM schema_migration ORDER BY name')).toEqual(
      readMigrations(folder).map(({ name, checksum }) => ({ name, checksum })),
    );
    fs.writeFileSync(path.join(folder, '0003_more.sql'), 'ALTER TABLE word ADD COLUMN more int');
    expect(await migrate(database.owner, { folder })).toEqual({ applied: ['0003_more.sql'] });
    expect(await query(database.owner, 'SELECT text, more FROM word')).toEqual([
      { text: '退款', more: null },
    ]);
  });

  test('lets two starters run at once: one works, the other finds nothing to do', async () => {
    const folder = folderOf({ ...FIRST, '0003_slow.sql': 'SELECT pg_sleep(0.3)' });
    const results = await Promise.all([1, 2, 3].map(() => migrate(database.owner, { folder })));
    expect(results.map(({ applied }) => applied.length).toSorted()).toEqual([0, 0, 3]);
  });

  test('tells when another runner does not finish', async () => {
    const slow = migrate(database.owner, { folder: folderOf({ '0001_slow.sql': 'SELECT pg_sleep(1)' }) });
    await query(database.owner, 'SELECT pg_sleep(0.3)');
    await expect(migrate(database.owner, { folder: folderOf({}), patience: 100 })).rejects.toThrow(
      /Another process/,
    );
    await slow;
  });

  test('gives the application role rows but no tables, and keeps what a file revoked', async () => {
    await migrate(database.owner, { folder: folderOf(FIRST) });
    await query(database.app, `INSERT INTO word (text) VALUES ('审核')`);
    await query(database.app, `UPDATE word SET text = text || '单'`);
    await query(database.app, `DELETE FROM word WHERE text = '退款单'`);
    await query(database.app, `INSERT INTO ledger (amount) VALUES (1.5)`);
    for (const refused of [
      'UPDATE ledger SET amount = 2',
      'DELETE FROM ledger',
      'TRUNCATE word',
      'DROP TABLE word',
      'CREATE TABLE mine (id int)',
      'DELETE FROM schema_migration',
      'CREATE TABLE graphile_worker.mine (id int)',
    ]) {
      await expect(query(database.app, refused), refused).rejects.toThrow(/permission denied|must be owner/);
    }
    // A later run must not give back what was revoked.
    await migrate(database.owner, { folder: folderOf(FIRST) });
    await expect(query(database.app, 'DELETE FROM ledger')).rejects.toThrow(/permission denied/);
  });

  test('refuses a file changed after it was applied, but not other line ends', async () => {
    await migrate(database.owner, { folder: folderOf(FIRST) });
    const windows = Object.fromEntries(
      Object.entries(FIRST).map(([name, sql]) => [name, sql.replaceAll('\n', '\r\n')]),
    );
    await migrate(database.owner, { folder: folderOf(windows) });
    const changed = { ...FIRST, '0001_word.sql': `${FIRST['0001_word.sql']} -- harmless` };
    await expect(migrate(database.owner, { folder: folderOf(changed) })).rejects.toThrow(
      /0001_word.sql was changed/,
    );
  });

  test('refuses a missing file, a file out of order and a doubtful name', async () => {
    await migrate(database.owner, { folder: folderOf({ ...FIRST, '0004_later.sql': 'SELECT 1' }) });
    await expect(migrate(database.owner, { folder: folderOf(FIRST) })).rejects.toThrow(
      /0004_later.sql.*missing/,
    );
    const late = { ...FIRST, '0003_late.sql': 'SELECT 1', '0004_later.sql': 'SELECT 1' };
    await expect(migrate(database.owner, { folder: folderOf(late) })).rejects.toThrow(
      /0003_late.sql sorts before/,
    );
    expect(() => readMigrations(folderOf({ 'add-column.sql': '' }))).toThrow(/named like/);
    expect(() => readMigrations(folderOf({ '202613010000_month.sql': '' }))).toThrow(/named like/);
    expect(() => readMigrations(folderOf({ '0001_a.sql': '', '0001_b.sql': '' }))).toThrow(/number 0001/);
  });

  test('runs what a feature brings whenever it comes: by time, then name, after the numbered files', async () => {
    const timed = {
      '202611221530_second.sql': 'CREATE TABLE second (id int)',
      '202611221530_first.sql': 'CREATE TABLE first (id int)',
      '202610010900_early.sql': 'ALTER TABLE word ADD COLUMN early int',
    };
    const later = { '202612010900_later.sql': 'ALTER TABLE word ADD COLUMN later int' };
    expect((await migrate(database.owner, { folder: folderOf({ ...FIRST, ...later }) })).applied).toEqual([
      ...Object.keys(FIRST),
      '202612010900_later.sql',
    ]);
    // Older and equal times than the newest applied one, and a numbered file after the last number.
    const all = { ...FIRST, ...later, ...timed, '0003_numbered.sql': 'SELECT 1' };
    expect((await migrate(database.owner, { folder: folderOf(all) })).applied).toEqual([
      '0003_numbered.sql',
      '202610010900_early.sql',
      '202611221530_first.sql',
      '202611221530_second.sql',
    ]);
    expect((await migrate(database.owner, { folder: folderOf(all) })).applied).toEqual([]);
    const same = { ...all, '202612010900_equal.sql': 'SELECT 1' };
    expect((await migrate(database.owner, { folder: folderOf(same) })).applied).toEqual([
      '202612010900_equal.sql',
    ]);
    const changed = { ...same, '202610010900_early.sql': 'SELECT 2' };
    await expect(migrate(database.owner, { folder: folderOf(changed) })).rejects.toThrow(
      /202610010900_early.sql was changed/,
    );
  });

  test('finds the files of the project: numbered ones, those beside features, copies of the build', () => {
    const root = folderOf({});
    const put = (file: string) => {
      fs.mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
      fs.writeFileSync(path.join(root, file), 'SELECT 1');
    };
    put('database/migrations/0001_word.sql');
    put('src/features/mall/stall/migrations/202611221530_stall.sql');
    put('src/domain/stock/migrations/202611221529_stock.sql');
    put('src/features/mall/stall/other.sql');
    const found = () => projectMigrations(root).map((file) => path.basename(file));
    expect(found()).toEqual(['0001_word.sql', '202611221530_stall.sql', '202611221529_stock.sql']);
    put('src/features/mall/stall/migrations/0002_numbered.sql');
    expect(found).toThrow(/stall.migrations.0002_numbered.sql must be named like 2026/);
    fs.rmSync(path.join(root, 'src'), { recursive: true });
    put('dist/migrations/0001_word.sql');
    put('dist/migrations/202611221530_stall.sql');
    expect(found().toSorted()).toEqual(['0001_word.sql', '202611221530_stall.sql']);
  });

  test('undoes a file that fails and goes on from there once it is mended', async () => {
    const broken = { ...FIRST, '0003_broken.sql': 'CREATE TABLE half (id int);\nSELECT nonsense;' };
    await expect(migrate(database.owner, { folder: folderOf(broken) })).rejects.toThrow(
      /0003_broken.sql failed: column "nonsense" does not exist \(line 2\)/,
    );
    expect(await query(database.owner, `SELECT to_regclass('half') AS half`)).toEqual([{ half: null }]);
    const mended = { ...broken, '0003_broken.sql': 'CREATE TABLE half (id int)' };
    expect((await migrate(database.owner, { folder: folderOf(mended) })).applied).toEqual([
      '0003_broken.sql',
    ]);
  });

  test('refuses a file that ends its own transaction', async () => {
    const folder = folderOf({
      '0001_word.sql': 'CREATE TABLE word (id int); COMMIT; CREATE TABLE other (id int);',
    });
    await expect(migrate(database.owner, { folder })).rejects.toThrow(/ends the transaction/);
  });

  test('installs a job queue that the application role can fill and work off', async () => {
    await migrate(database.owner, { folder: folderOf({}) });
    const pool = new pg.Pool({ ...database.app, max: 4 });
    pool.on('error', () => {});
    pool.on('connect', (connection) => connection.on('error', () => {}));
    const done: unknown[] = [];
    const runner = await run({
      pgPool: pool,
      noHandleSignals: true,
      logger: new Logger(() => () => {}),
      crontab: '* * * * * nightly ?id=nightly',
      taskList: {
        greet: (payload) => void done.push(payload),
        nightly: () => {},
      },
    });
    try {
      await query(
        database.app,
        `SELECT graphile_worker.add_job('greet', '{"word":"退款"}', queue_name := 'one', job_key := 'only')`,
      );
      await expect.poll(() => done, { timeout: 5_000 }).toEqual([{ word: '退款' }]);
      await expect
        .poll(() => query(database.app, 'SELECT FROM graphile_worker.jobs'), { timeout: 5_000 })
        .toEqual([]);
      expect(
        await query(database.app, 'SELECT identifier FROM graphile_worker._private_known_crontabs'),
      ).toEqual([{ identifier: 'nightly' }]);
    } finally {
      await runner.stop();
      await pool.end();
    }
  });

  test('serves an outside server, whose only role is the owner', async () => {
    // Any role but app_owner stands for a server on which our roles do not exist.
    const outside = { ...database.owner, user: 'postgres' };
    expect(
      (await migrate(outside, { folder: folderOf({ '0001_word.sql': FIRST['0001_word.sql'] }) })).applied,
    ).toHaveLength(1);
    await expect(query(database.app, 'SELECT * FROM word')).rejects.toThrow(/permission denied/);
  });
});

function folderOf(files: Record<string, string>): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'migrations-'));
  folders.push(folder);
  for (const [name, sql] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), sql);
  return folder;
}

async function query(address: pg.PoolConfig, sql: string): Promise<unknown[]> {
  const client = new pg.Client(address);
  await client.connect();
  try {
    return (await client.query<pg.QueryResultRow>(sql)).rows;
  } finally {
    await client.end();
  }
}
