import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import {
  type DatabaseExit,
  DatabaseHeldError,
  type EmbeddedDatabase,
  startEmbeddedDatabase,
} from './embedded-database.ts';
import { projectFolder } from './migrate.ts';

const IS_ROOT = process.getuid?.() === 0;
const IS_LINUX = process.platform === 'linux';
const nobody = IS_ROOT ? lookUpNobody() : undefined;

const folders: string[] = [];
const running = new Set<EmbeddedDatabase>();
const children = new Set<ChildProcess>();

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  for (const database of running) await database.stop();
  running.clear();
});
afterAll(async () => {
  for (const folder of folders) {
    // A killed child leaves its server behind; starting and stopping ends it.
    if (fs.existsSync(path.join(folder, 'cluster', 'postmaster.pid'))) await (await start(folder)).stop();
    fs.rmSync(folder, { recursive: true, force: true });
  }
});

describe('a fresh data folder', () => {
  const dataDir = newFolder();

  test('gives a product database with two plain roles, no port and the wanted settings', async () => {
    const database = await start(dataDir);
    for (const [name, address] of Object.entries(database.addresses)) {
      const [state] = await rows(
        address,
        `SELECT current_user AS role, current_database() AS database, current_setting('is_superuser') AS super,
                current_setting('jit') AS jit, current_setting('listen_addresses') AS listen,
                current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit,
                (SELECT datlocprovider::text || ' ' || datlocale FROM pg_database WHERE datname = 'product') AS locale,
                pg_encoding_to_char(encoding) AS encoding
           FROM pg_database WHERE datname = current_database()`,
      );
      expect(state).toEqual({
        role: name === 'app' ? 'app' : 'app_owner',
        database: 'product',
        super: 'off',
        jit: 'off',
        listen: '',
        fsync: 'on',
        commit: 'on',
        locale: 'b C.UTF-8',
        encoding: 'UTF8',
      });
    }
    expect(fs.statSync(String(database.addresses.app.host)).mode & 0o777).toBe(0o700);
  });

  test('finds Chinese by trigrams', async () => {
    const database = await start(dataDir);
    await rows(database.addresses.owner, 'CREATE EXTENSION IF NOT EXISTS pg_trgm');
    const [found] = await rows(
      database.addresses.owner,
      `SELECT cardinality(show_trgm('退款')) AS two, cardinality(show_trgm('退款审核单')) AS five,
              similarity('退款审核', '退款审批') > 0.2 AS similar, lower('ÀÉ') AS lower`,
    );
    expect(found).toEqual({ two: 3, five: 6, similar: true, lower: 'àé' });
  });

  test('keeps the application role away from the system and from the schema', async () => {
    const { app } = (await start(dataDir)).addresses;
    await expect(rows(app, `COPY (SELECT 1) TO PROGRAM 'id'`)).rejects.toThrow(/permission denied/);
    await expect(rows(app, `COPY (SELECT 1) TO '/tmp/never-written'`)).rejects.toThrow(/permission denied/);
    await expect(rows(app, `SELECT pg_read_file('/etc/passwd')`)).rejects.toThrow(/permission denied/);
    await expect(rows(app, 'CREATE TABLE mine (id int)')).rejects.toThrow(/permission denied/);
    await expect(rows(app, 'CREATE DATABASE mine')).rejects.toThrow(/permission denied/);
    await expect(rows(app, 'CREATE ROLE mine')).rejects.toThrow(/permission denied/);
    await expect(rows(app, 'SET ROLE app_owner')).rejects.toThrow(/permission denied/);
  });

  test('takes privileges back that a role gained', async () => {
    const first = await start(dataDir);
    await rows(first.superuser, 'ALTER ROLE app SUPERUSER');
    await first.stop();
    const second = await start(dataDir);
    expect(await rows(second.addresses.app, `SELECT current_setting('is_superuser') AS super`)).toEqual([
      { super: 'off' },
    ]);
  });

  test('keeps rows over a stop; stopping twice is harmless', async () => {
    const first = await start(dataDir);
    await rows(first.addresses.owner, `CREATE TABLE kept AS SELECT '退款'::text AS word`);
    await first.stop();
    await first.stop();
    const second = await start(dataDir);
    expect(await rows(second.addresses.owner, 'SELECT word FROM kept')).toEqual([{ word: '退款' }]);
  });

  test('recreates the library links that npm did not make', async () => {
    await (await start(dataDir)).stop();
    const version = fs.readdirSync(path.join(dataDir, 'postgres'))[0] ?? '';
    const lib = path.join(dataDir, 'postgres', version, 'lib');
    const links = fs.readdirSync(lib).filter((name) => fs.lstatSync(path.join(lib, name)).isSymbolicLink());
    if (IS_LINUX) expect(links).toContain('libpq.so.5');
    for (const link of links) fs.rmSync(path.join(lib, link));
    // A link into a node_modules that has gone must not count as present.
    if (links[0]) fs.symlinkSync('/gone/library', path.join(lib, links[0]));
    await start(dataDir);
    for (const link of links) {
      expect(path.isAbsolute(fs.readlinkSync(path.join(lib, link)))).toBe(false);
      expect(fs.existsSync(path.join(lib, link))).toBe(true);
    }
  });

  test('clears away a creation that was interrupted', async () => {
    const interrupted = newFolder();
    fs.mkdirSync(path.join(interrupted, 'cluster.new-abc'), { recursive: true });
    fs.writeFileSync(path.join(interrupted, 'cluster.new-abc', 'PG_VERSION'), '18\n');
    fs.mkdirSync(path.join(interrupted, 'postgres', '.new-abc'), { recursive: true });
    await start(interrupted, 'test');
    expect(fs.readdirSync(interrupted).filter((name) => name.includes('.new-'))).toEqual([]);
    expect(
      fs.readdirSync(path.join(interrupted, 'postgres')).filter((name) => name.includes('.new-')),
    ).toEqual([]);
  });

  test('refuses a cluster of another major version', async () => {
    const old = newFolder();
    fs.mkdirSync(path.join(old, 'cluster'), { recursive: true });
    fs.writeFileSync(path.join(old, 'cluster', 'PG_VERSION'), '15\n');
    await expect(start(old, 'test')).rejects.toThrow(/PostgreSQL 15.*backup/s);
  });

  test('starts where the path is too long for a socket', async () => {
    const deep = path.join(newFolder(), 'd'.repeat(60), 'e'.repeat(60));
    fs.chmodSync(path.dirname(path.dirname(deep)), 0o755);
    const database = await start(deep, 'test');
    expect(Buffer.byteLength(String(database.addresses.app.host))).toBeLessThan(90);
    expect(await rows(database.addresses.app, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(fs.statSync(String(database.addresses.app.host)).mode & 0o777).toBe(0o700);
    folders.push(String(database.addresses.app.host));
  });
});

describe.runIf(IS_ROOT)('started as root', () => {
  test('runs the server as an ordinary user', async () => {
    const database = await start(newFolder(), 'test');
    expect(fs.statSync(`/proc/${database.pid}`).uid).toBeGreaterThan(0);
  });

  test('goes elsewhere when that user cannot reach the data folder, and finds it again', async () => {
    const closed = newFolder();
    fs.chmodSync(closed, 0o700);
    const dataDir = path.join(closed, 'inner');
    const first = await start(dataDir, 'test');
    const elsewhere = fs.readFileSync(path.join(dataDir, 'postgres-location'), 'utf8').trim();
    folders.push(elsewhere);
    expect(elsewhere.startsWith(closed)).toBe(false);
    await rows(first.addresses.owner, 'CREATE TABLE kept (id int)');
    await first.stop();
    const second = await start(dataDir, 'test');
    expect(await rows(second.addresses.owner, 'SELECT * FROM kept')).toEqual([]);
    await second.stop();
    fs.rmSync(elsewhere, { recursive: true });
    await expect(start(dataDir, 'test')).rejects.toThrow(/postgres-location/);
  });

  test.runIf(nobody)('leaves the folder usable for the ordinary user who owns it', async () => {
    const dataDir = newFolder();
    fs.chownSync(dataDir, nobody!.uid, nobody!.gid);
    const database = await start(dataDir, 'test');
    expect(fs.statSync(`/proc/${database.pid}`).uid).toBe(nobody!.uid);
    await database.stop();
    const child = await startChild(dataDir, { tuning: 'test', as: nobody! });
    expect(fs.statSync(`/proc/${child.databasePid}`).uid).toBe(nobody!.uid);
  });
});

describe.runIf(IS_ROOT && nobody)('started as an ordinary user', () => {
  test('creates, runs and stops its own cluster', async () => {
    const dataDir = newFolder();
    fs.chownSync(dataDir, nobody!.uid, nobody!.gid);
    const child = await startChild(dataDir, { as: nobody! });
    expect(fs.statSync(`/proc/${child.databasePid}`).uid).toBe(nobody!.uid);
    expect(fs.statSync(path.join(dataDir, 'cluster')).uid).toBe(nobody!.uid);
    child.process.stdin?.end();
    await once(child.process, 'exit');
    expect(fs.existsSync(path.join(dataDir, 'cluster', 'postmaster.pid'))).toBe(false);
  });

  test('is told when the folder belongs to someone else', async () => {
    const dataDir = newFolder();
    await (await start(dataDir, 'test')).stop();
    await expect(startChild(dataDir, { as: nobody! })).rejects.toThrow(/belongs to another user/);
  });
});

describe.runIf(IS_LINUX)('two supervisors', () => {
  test('the second is refused and told who holds the folder', async () => {
    const dataDir = newFolder();
    const child = await startChild(dataDir, { tuning: 'test' });
    const refused = start(dataDir, 'test');
    await expect(refused).rejects.toBeInstanceOf(DatabaseHeldError);
    await expect(refused).rejects.toThrow(String(child.process.pid));
    // It must not have disturbed the first.
    expect(isRunning(child.databasePid)).toBe(true);
  });

  test('also within one process', async () => {
    const dataDir = newFolder();
    const starts = await Promise.allSettled([start(dataDir, 'test'), start(dataDir, 'test')]);
    expect(starts.map((result) => result.status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  test('of many starters after a crash exactly one wins', async () => {
    const dataDir = newFolder();
    await (await start(dataDir, 'test')).stop();
    for (let round = 0; round < 2; round += 1) {
      const starts = await Promise.allSettled(
        Array.from({ length: 4 }, () => startChild(dataDir, { tuning: 'test' })),
      );
      const winners = starts.filter((result) => result.status === 'fulfilled');
      const losers = starts.filter((result) => result.status === 'rejected');
      expect(winners).toHaveLength(1);
      for (const loser of losers) expect(String(loser.reason)).toMatch(/already run by process \d+/);
      winners[0]?.value.process.kill('SIGKILL'); // the next round finds a dead holder and an orphaned server
      await delay(50);
    }
  });
});

describe.runIf(IS_LINUX)('faults', () => {
  const dataDir = newFolder();

  test('kill -9 of the supervisor: its server is replaced and every acknowledged row is there', async () => {
    const child = await startChild(dataDir, { writer: true });
    const acknowledged = await writeFor(child, 300);
    child.process.kill('SIGKILL');
    await once(child.process, 'exit');
    expect(isRunning(child.databasePid)).toBe(true);
    const database = await start(dataDir);
    expect(isRunning(child.databasePid)).toBe(false);
    await expectRows(database, acknowledged);
  });

  test('kill -9 of the server: it is noticed, and every acknowledged row is there after a restart', async () => {
    const database = await start(dataDir);
    const exits: DatabaseExit[] = [];
    database.onExit((exit) => exits.push(exit));
    const acknowledged = await writeUntilKilled(database);
    expect(exits).toEqual([{ code: null, signal: 'SIGKILL' }]);
    const second = await start(dataDir);
    await expectRows(second, acknowledged);
    const late: DatabaseExit[] = [];
    database.onExit((exit) => late.push(exit));
    expect(late).toHaveLength(1);
  });

  test('an asked stop is not reported as an exit', async () => {
    const database = await start(dataDir);
    let exits = 0;
    database.onExit(() => (exits += 1));
    await database.stop();
    expect(exits).toBe(0);
  });

  test('kill -9 of both at once', async () => {
    const child = await startChild(dataDir, { writer: true });
    const acknowledged = await writeFor(child, 300);
    child.process.kill('SIGKILL');
    process.kill(child.databasePid, 'SIGKILL');
    await once(child.process, 'exit');
    await expectRows(await start(dataDir), acknowledged);
  });

  test('a backend that computes on after its server was killed is ended before the restart', async () => {
    const database = await start(dataDir);
    const client = new pg.Client(database.addresses.owner);
    client.on('error', () => {});
    await client.connect();
    const [backend] = (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows;
    client.query('DO $$ BEGIN LOOP END LOOP; END $$').catch(() => {});
    await delay(100);
    const gone = new Promise((resolve) => database.onExit(resolve));
    process.kill(database.pid, 'SIGKILL');
    await gone;
    expect(isRunning(backend!.pid)).toBe(true);
    const second = await start(dataDir);
    expect(isRunning(backend!.pid)).toBe(false);
    expect(await rows(second.addresses.owner, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('a stale record of a process that is gone', async () => {
    await crash(dataDir);
    rewritePid(dataDir, await deadPid());
    await start(dataDir);
  });

  test('a stale record whose process id now belongs to someone else, who is left alone', async () => {
    await crash(dataDir);
    const owner = fs.statSync(path.join(dataDir, 'cluster'));
    // Of the server's own user: PostgreSQL itself refuses to start then.
    const stranger = spawn('sleep', ['60'], IS_ROOT ? { uid: owner.uid, gid: owner.gid } : {});
    children.add(stranger);
    rewritePid(dataDir, stranger.pid!);
    await start(dataDir);
    expect(isRunning(stranger.pid!)).toBe(true);
  });

  test('a lock whose process id now belongs to someone else', async () => {
    await (await start(dataDir)).stop();
    const [lock] = fs.readdirSync(dataDir).filter((name) => /^supervisor\.\d+\.lock$/.test(name));
    const file = path.join(dataDir, lock!);
    const record = JSON.parse(fs.readFileSync(file, 'utf8')) as { identity: string };
    const stale = { pid: process.pid, identity: record.identity.replace(/\d+$/, '1'), takenAt: Date.now() };
    fs.writeFileSync(file, JSON.stringify(stale));
    await start(dataDir);
  });

  test('a lock of a living process is honoured, and a torn one is not', async () => {
    await (await start(dataDir)).stop();
    const [lock] = fs.readdirSync(dataDir).filter((name) => /^supervisor\.\d+\.lock$/.test(name));
    const file = path.join(dataDir, lock!);
    const record = JSON.parse(fs.readFileSync(file, 'utf8')) as object;
    fs.writeFileSync(file, JSON.stringify({ ...record, released: false }));
    await expect(start(dataDir)).rejects.toThrow(String(process.pid));
    fs.writeFileSync(file, '{"pid":');
    await start(dataDir);
  });
});

// ---------------------------------------------------------------------------------------------------------------

interface Child {
  process: ChildProcess;
  databasePid: number;
  acknowledged: number[];
}

async function start(
  dataDir: string,
  tuning: 'production' | 'test' = 'production',
): Promise<EmbeddedDatabase> {
  const database = await startEmbeddedDatabase({ dataDir, tuning });
  running.add(database);
  return database;
}

function newFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'embedded-test-'));
  folders.push(folder);
  return folder;
}

async function rows(address: pg.PoolConfig, sql: string): Promise<unknown[]> {
  const client = new pg.Client(address);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<pg.QueryResultRow>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Starts a supervisor in a process of its own; rejects with what it wrote when it cannot start. */
async function startChild(
  dataDir: string,
  options: { tuning?: 'test'; as?: { uid: number; gid: number }; writer?: boolean } = {},
): Promise<Child> {
  const module = pathToFileURL(path.join(import.meta.dirname, 'embedded-database.ts')).href;
  const source = `
    import pg from 'pg';
    import { startEmbeddedDatabase } from ${JSON.stringify(module)};
    const database = await startEmbeddedDatabase(${JSON.stringify({ dataDir, tuning: options.tuning ?? 'production' })});
    console.log('started ' + database.pid);
    process.stdin.resume().once('end', () => database.stop().then(() => process.exit(0)));
    if (${options.writer === true}) {
      const client = new pg.Client(database.addresses.owner);
      await client.connect();
      await client.query('CREATE TABLE IF NOT EXISTS written (id bigint GENERATED ALWAYS AS IDENTITY, word text)');
      for (;;) {
        const { rows } = await client.query("INSERT INTO written (word) VALUES ('退款') RETURNING id");
        console.log('row ' + rows[0].id);
      }
    }`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', source], {
    ...options.as,
    cwd: projectFolder(),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  children.add(child);
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const acknowledged: number[] = [];
  return await new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(errors)));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [word, number] = line.split(' ');
      if (word === 'started') resolve({ process: child, databasePid: Number(number), acknowledged });
      else acknowledged.push(Number(number));
    });
  });
}

async function writeFor(child: Child, milliseconds: number): Promise<number[]> {
  while (child.acknowledged.length === 0) await delay(10);
  await delay(milliseconds);
  return [...child.acknowledged];
}

/** Four writers insert until the server is killed under them; returns what the server had acknowledged. */
async function writeUntilKilled(database: EmbeddedDatabase): Promise<number[]> {
  const acknowledged: number[] = [];
  const gone = new Promise((resolve) => database.onExit(resolve));
  const write = async (): Promise<void> => {
    const client = new pg.Client(database.addresses.owner);
    client.on('error', () => {});
    await client.connect();
    for (;;) {
      const { rows: inserted } = await client.query<{ id: string }>(
        `INSERT INTO written (word) VALUES ('退款') RETURNING id`,
      );
      acknowledged.push(Number(inserted[0]?.id));
    }
  };
  const writers = [write(), write(), write(), write()].map((writer) => writer.catch(() => {}));
  await delay(300);
  process.kill(database.pid, 'SIGKILL');
  await Promise.all([...writers, gone]);
  return acknowledged;
}

async function expectRows(database: EmbeddedDatabase, acknowledged: number[]): Promise<void> {
  expect(acknowledged.length).toBeGreaterThan(10);
  const [found] = await rows(
    database.addresses.owner,
    `SELECT count(*)::int AS count FROM written WHERE id = ANY ('{${acknowledged.join(',')}}') AND word = '退款'`,
  );
  expect(found).toEqual({ count: acknowledged.length });
}

/** Leaves the cluster as a killed server leaves it. */
async function crash(dataDir: string): Promise<void> {
  const database = await start(dataDir);
  const gone = new Promise((resolve) => database.onExit(resolve));
  process.kill(database.pid, 'SIGKILL');
  await gone;
}

function rewritePid(dataDir: string, pid: number): void {
  const file = path.join(dataDir, 'cluster', 'postmaster.pid');
  const [, ...rest] = fs.readFileSync(file, 'utf8').split('\n');
  fs.writeFileSync(file, [String(pid), ...rest].join('\n'));
}

async function deadPid(): Promise<number> {
  const child = spawn('true');
  await once(child, 'exit');
  return child.pid!;
}

function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Undefined also when that user could not read this checkout, where nothing can be tested as him. */
function lookUpNobody(): { uid: number; gid: number } | undefined {
  const id = (flag: string): number => Number(spawnSync('id', [flag, 'nobody']).stdout?.toString() || NaN);
  const account = { uid: id('-u'), gid: id('-g') };
  if (!(account.uid > 0)) return undefined;
  const probe = spawnSync(process.execPath, ['--version'], { ...account, cwd: '/' });
  const reach = spawnSync(
    '/bin/sh',
    ['-c', 'test -r "$1"', 'sh', path.join(import.meta.dirname, 'migrate.ts')],
    {
      ...account,
      cwd: '/',
    },
  );
  return probe.status === 0 && reach.status === 0 ? account : undefined;
}
