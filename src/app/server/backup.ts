import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import pg from 'pg';
import { appliedMigrations } from './migrate.ts';

/** What a backup holds; written as manifest.json at the end of the archive. */
export interface BackupManifest {
  format: typeof FORMAT;
  version: 1;
  createdAt: string;
  serverVersion: string;
  migrations: { name: string; checksum: string }[];
  tables: BackupTable[];
  sequences: BackupSequence[];
  partitions: BackupPartition[];
}

/** One table of a backup; `sha256` is of its rows as COPY text, in the order they were read. */
export interface BackupTable {
  schema: string;
  name: string;
  columns: string[];
  rows: number;
  sha256: string;
}

/** State of one sequence. */
export interface BackupSequence {
  schema: string;
  name: string;
  lastValue: string;
  isCalled: boolean;
}

/** A partition the program made while running; `bounds` as in FOR VALUES …. */
export interface BackupPartition {
  schema: string;
  name: string;
  parent: string;
  bounds: string;
}

/**
 * Writes every row and sequence of the database, as of one moment, to one .tar.gz file that appears only when it is
 * complete and was read back. The archive holds each table as COPY text, so that any PostgreSQL tool can load it.
 */
export async function backup(owner: pg.PoolConfig, file: string): Promise<BackupManifest> {
  const client = await connect(owner);
  const draft = `${file}.partial`;
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await useExactText(client);
    let written: BackupManifest | undefined;
    const archive = async function* (): AsyncGenerator<Buffer> {
      const tables: BackupTable[] = [];
      for (const table of await listTables(client)) tables.push(yield* archiveTable(client, table));
      written = await makeManifest(client, tables);
      yield* tarEntry('', 'manifest.json', Buffer.from(`${JSON.stringify(written, null, 2)}\n`));
      yield Buffer.alloc(2 * TAR_BLOCK);
    };
    await pipeline(
      Readable.from(archive(), { objectMode: false }),
      createGzip(),
      fs.createWriteStream(draft, { mode: 0o600, flush: true }),
    );
    await client.query('COMMIT');
    const readBack = await verifyBackup(draft);
    if (!written || JSON.stringify(readBack) !== JSON.stringify(written)) {
      throw new Error(`The backup did not reach the disk as it was written: ${draft}`);
    }
    fs.renameSync(draft, file);
    syncFolder(path.dirname(file));
    return written;
  } catch (error) {
    fs.rmSync(draft, { force: true });
    throw error;
  } finally {
    await client.end();
  }
}

/** Reads a whole backup and throws unless every table has the rows and the checksum of the manifest. */
export async function verifyBackup(file: string): Promise<BackupManifest> {
  const found = new Map<string, { rows: number; hash: Hash }>();
  let manifest: BackupManifest | undefined;
  for await (const entry of readTar(file)) {
    if (entry.name === 'manifest.json') {
      manifest = parseManifest(entry.data, file);
      continue;
    }
    const table = found.get(entry.folder) ?? { rows: 0, hash: createHash('sha256') };
    found.set(entry.folder, table);
    table.rows += countLines(entry.data);
    table.hash.update(entry.data);
  }
  if (!manifest) throw damaged(file, 'its manifest is missing');
  for (const table of manifest.tables) {
    const seen = found.get(tableFolder(table));
    const sha256 = (seen?.hash ?? createHash('sha256')).digest('hex');
    if ((seen?.rows ?? 0) !== table.rows || sha256 !== table.sha256) {
      throw damaged(file, `table ${table.name} is not as it was written`);
    }
    found.delete(tableFolder(table));
  }
  if (found.size > 0) throw damaged(file, `its manifest does not know ${[...found.keys()].join(', ')}`);
  return manifest;
}

/**
 * Loads a backup into a database that was freshly migrated by the same release, in one transaction: afterwards
 * either every row is there, compared with the backup's checksums, or nothing changed. Rows the migrations
 * themselves inserted are replaced. Throws when the database has been used or has other migrations. Triggers do not
 * fire, as the rows already are what the triggers made of them; foreign keys are checked once at the end.
 */
export async function restore(owner: pg.PoolConfig, file: string): Promise<BackupManifest> {
  const manifest = await verifyBackup(file);
  const client = await connect(owner);
  try {
    await client.query('BEGIN');
    await useExactText(client);
    await client.query(`SET LOCAL lock_timeout = '10s'`);
    await refuseOtherMigrations(client, manifest);
    const tables = await listTables(client);
    refuseOtherTables(tables, manifest);
    await holdTables(client, tables);
    const lift = await liftConstraints(client, tables);
    await clearMigrationRows(client, tables);
    for (const partition of manifest.partitions) await createPartition(client, partition);
    await loadTables(client, file, manifest);
    for (const sequence of manifest.sequences) await restoreSequence(client, sequence);
    await lift.putBack();
    await compareTables(client, manifest);
    await releaseJobs(client);
    await refreshViews(client);
    await client.query('COMMIT');
    await client.query('ANALYZE');
    return manifest;
  } finally {
    await client.end(); // without COMMIT everything is undone
  }
}

const FORMAT = 'community-retail-back-office backup';
/** Bytes of rows in one archive entry; entries are held in memory one at a time. */
const ENTRY_SIZE = 4 * 1024 * 1024;

interface Table {
  schema: string;
  name: string;
  columns: string[];
  isPartitioned: boolean;
}

async function connect(owner: pg.PoolConfig): Promise<pg.Client> {
  const client = new pg.Client({
    ...owner,
    query_timeout: 0,
    statement_timeout: 0,
    application_name: 'backup',
  });
  client.on('error', () => {}); // a connection lost here fails the query that is waiting
  await client.connect();
  return client;
}

/** Text of a value must not depend on the server's or the role's settings, on either side. */
async function useExactText(client: pg.Client): Promise<void> {
  await client.query(`
    SET LOCAL search_path = public; SET LOCAL datestyle = 'ISO, YMD'; SET LOCAL intervalstyle = 'postgres';
    SET LOCAL timezone = 'UTC'; SET LOCAL extra_float_digits = 1; SET LOCAL bytea_output = 'hex';
    SET LOCAL client_encoding = 'UTF8'; SET LOCAL row_security = off; SET LOCAL synchronize_seqscans = off;
    SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
  `);
}

// ---------------------------------------------------------------------------------------------------------------
// What there is

/** The product's tables and those of the job queue, so that waiting jobs survive; partitions count as their parent. */
async function listTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `SELECT n.nspname AS schema, c.relname AS name, c.relkind = 'p' AS "isPartitioned",
            array(SELECT a.attname::text FROM pg_attribute a
                   WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
                   ORDER BY a.attnum) AS columns
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname IN ('public', 'graphile_worker') AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND (n.nspname, c.relname) NOT IN (('public', 'schema_migration'), ('graphile_worker', 'migrations'))
        AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
      ORDER BY n.nspname, c.relname`,
  );
  return rows;
}

async function makeManifest(client: pg.Client, tables: BackupTable[]): Promise<BackupManifest> {
  const version = await client.query<{ server_version: string }>('SHOW server_version');
  return {
    format: FORMAT,
    version: 1,
    createdAt: new Date().toISOString(),
    serverVersion: version.rows[0]?.server_version ?? '',
    migrations: await appliedMigrations(client),
    tables,
    sequences: await listSequences(client),
    partitions: await listPartitions(client),
  };
}

/** Sequences stand outside transactions: read last, they are never behind the rows. */
async function listSequences(client: pg.Client): Promise<BackupSequence[]> {
  const { rows } = await client.query<{ schema: string; name: string }>(
    `SELECT n.nspname AS schema, c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind = 'S' AND n.nspname IN ('public', 'graphile_worker') ORDER BY 1, 2`,
  );
  const sequences: BackupSequence[] = [];
  for (const { schema, name } of rows) {
    const state = await client.query<{ lastValue: string; isCalled: boolean }>(
      `SELECT last_value::text AS "lastValue", is_called AS "isCalled" FROM ${quoted(schema, name)}`,
    );
    sequences.push({
      schema,
      name,
      lastValue: state.rows[0]?.lastValue ?? '1',
      isCalled: !!state.rows[0]?.isCalled,
    });
  }
  return sequences;
}

/** Parents before their children, as a partition may itself be partitioned. */
async function listPartitions(client: pg.Client): Promise<BackupPartition[]> {
  const { rows } = await client.query<BackupPartition>(
    `SELECT n.nspname AS schema, c.relname AS name, p.relname AS parent,
            pg_get_expr(c.relpartbound, c.oid) ||
              CASE WHEN c.relkind = 'p' THEN ' PARTITION BY ' || pg_get_partkeydef(c.oid) ELSE '' END AS bounds
       FROM pg_class c
       JOIN pg_inherits i ON i.inhrelid = c.oid
       JOIN pg_class p ON p.oid = i.inhparent
       JOIN pg_namespace n ON n.oid = c.relnamespace AND n.oid = p.relnamespace
      WHERE c.relispartition AND c.relkind IN ('r', 'p') AND n.nspname = 'public'
      ORDER BY (SELECT count(*) FROM pg_partition_ancestors(c.oid)), c.relname`,
  );
  return rows;
}

// ---------------------------------------------------------------------------------------------------------------
// Writing

async function* archiveTable(client: pg.Client, table: Table): AsyncGenerator<Buffer, BackupTable> {
  const folder = tableFolder(table);
  const hash = createHash('sha256');
  let rows = 0;
  let part = 0;
  for await (const chunk of readRows(client, table)) {
    hash.update(chunk);
    rows += countLines(chunk);
    part += 1;
    yield* tarEntry(folder, `${String(part).padStart(6, '0')}.copy`, chunk);
  }
  const { schema, name, columns } = table;
  return { schema, name, columns, rows, sha256: hash.digest('hex') };
}

/** All rows as COPY text, in pieces of about ENTRY_SIZE that end at the end of a row. */
function readRows(
  client: pg.Client,
  table: Pick<Table, 'schema' | 'name' | 'columns'>,
): AsyncGenerator<Buffer> {
  const columns = table.columns.map((column) => quoted(column)).join(', ');
  // A query rather than the bare table: COPY refuses to read a partitioned table by its name.
  return copyOut(client, `COPY (SELECT ${columns} FROM ${quoted(table.schema, table.name)}) TO STDOUT`);
}

/** COPY text escapes line ends inside values, so every row is one line. */
function countLines(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) count += 1;
  return count;
}

function tableFolder(table: { schema: string; name: string }): string {
  return `tables/${table.schema}.${table.name}`;
}

function syncFolder(folder: string): void {
  if (process.platform === 'win32') return; // Windows cannot open folders
  const handle = fs.openSync(folder, 'r');
  fs.fsyncSync(handle);
  fs.closeSync(handle);
}

// ---------------------------------------------------------------------------------------------------------------
// Restoring

async function refuseOtherMigrations(client: pg.Client, manifest: BackupManifest): Promise<void> {
  const here = await appliedMigrations(client);
  const describe = (list: { name: string; checksum: string }[]): string[] =>
    list.map(({ name, checksum }) => `${name} ${checksum}`);
  if (JSON.stringify(describe(here)) === JSON.stringify(describe(manifest.migrations))) return;
  const last = (list: { name: string }[]): string => list.at(-1)?.name ?? 'none';
  throw new Error(
    `The backup was made with other migrations (last: ${last(manifest.migrations)}) than this database has (last: ` +
      `${last(here)}). Restore with the release that made the backup, then migrate.`,
  );
}

function refuseOtherTables(tables: Table[], manifest: BackupManifest): void {
  const describe = (list: { schema: string; name: string; columns: string[] }[]): string[] =>
    // Sorted: two databases may have got a table's columns from several features in another order.
    list.map(({ schema, name, columns }) => `${schema}.${name}(${columns.toSorted().join(', ')})`);
  const here = new Set(describe(tables));
  const there = new Set(describe(manifest.tables));
  const differing = [...here]
    .filter((text) => !there.has(text))
    .concat([...there].filter((text) => !here.has(text)));
  if (differing.length > 0) {
    throw new Error(`The backup and this database differ in their tables: ${differing.join('; ')}`);
  }
}

/** A server that is still running must not write between the look at a table and its loading. */
async function holdTables(client: pg.Client, tables: Table[]): Promise<void> {
  const names = tables.map((table) => quoted(table.schema, table.name));
  if (names.length > 0) await client.query(`LOCK TABLE ${names.join(', ')} IN ACCESS EXCLUSIVE MODE`);
}

/** Switches triggers and foreign keys off inside the transaction, so that tables load in any order. */
async function liftConstraints(client: pg.Client, tables: Table[]): Promise<{ putBack(): Promise<void> }> {
  const schemas = [...new Set(tables.map((table) => table.schema))];
  const keys = await client.query<{ table: string; name: string; definition: string }>(
    `SELECT c.conrelid::regclass::text AS table, quote_ident(c.conname) AS name,
            pg_get_constraintdef(c.oid) AS definition
       FROM pg_constraint c JOIN pg_namespace n ON n.oid = c.connamespace
      WHERE c.contype = 'f' AND c.conparentid = 0 AND n.nspname = ANY ($1) ORDER BY 1, 2`,
    [schemas],
  );
  const triggers = await client.query<{ table: string; name: string; state: 'O' | 'A' | 'R' }>(
    `SELECT t.tgrelid::regclass::text AS table, quote_ident(t.tgname) AS name, t.tgenabled AS state
       FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE NOT t.tgisinternal AND t.tgparentid = 0 AND t.tgenabled <> 'D' AND n.nspname = ANY ($1) ORDER BY 1, 2`,
    [schemas],
  );
  for (const { table, name } of triggers.rows)
    await client.query(`ALTER TABLE ${table} DISABLE TRIGGER ${name}`);
  for (const { table, name } of keys.rows) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  const enable = { O: 'ENABLE', A: 'ENABLE ALWAYS', R: 'ENABLE REPLICA' };
  return {
    async putBack() {
      for (const { table, name, definition } of keys.rows) {
        await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`);
      }
      for (const { table, name, state } of triggers.rows) {
        await client.query(`ALTER TABLE ${table} ${enable[state]} TRIGGER ${name}`);
      }
    },
  };
}

/** Rows a migration inserted carry the transaction that also recorded the migration; any other row is someone's work. */
async function clearMigrationRows(client: pg.Client, tables: Table[]): Promise<void> {
  for (const table of tables) {
    const name = quoted(table.schema, table.name);
    const { rows } = await client.query<{ used: boolean; filled: boolean }>(
      `SELECT EXISTS (SELECT FROM ${name} WHERE xmin::text NOT IN (SELECT xmin::text FROM public.schema_migration)) AS used,
              EXISTS (SELECT FROM ${name}) AS filled`,
    );
    if (rows[0]?.used) {
      throw new Error(
        `Table ${table.name} already holds rows. Restore only into a database that was just created and migrated.`,
      );
    }
    if (rows[0]?.filled) await client.query(`TRUNCATE ${name}`);
  }
}

async function createPartition(client: pg.Client, partition: BackupPartition): Promise<void> {
  await client.query(
    `CREATE TABLE IF NOT EXISTS ${quoted(partition.schema, partition.name)}
       PARTITION OF ${quoted(partition.schema, partition.parent)} ${partition.bounds}`,
  );
}

async function loadTables(client: pg.Client, file: string, manifest: BackupManifest): Promise<void> {
  const tables = new Map(manifest.tables.map((table) => [tableFolder(table), table]));
  const entries = readTar(file);
  let entry = await entries.next();
  while (!entry.done) {
    const { folder } = entry.value;
    const table = tables.get(folder);
    if (!table) {
      entry = await entries.next();
      continue;
    }
    const parts = async function* (): AsyncGenerator<Buffer> {
      while (!entry.done && entry.value.folder === folder) {
        yield entry.value.data;
        entry = await entries.next();
      }
    };
    const columns = table.columns.map((column) => quoted(column)).join(', ');
    const loaded = await copyIn(
      client,
      `COPY ${quoted(table.schema, table.name)} (${columns}) FROM STDIN`,
      parts(),
    );
    if (loaded !== table.rows) {
      throw new Error(`Table ${table.name} took ${loaded} rows of ${table.rows}; nothing was restored`);
    }
  }
}

async function restoreSequence(client: pg.Client, sequence: BackupSequence): Promise<void> {
  await client.query('SELECT setval($1::regclass, $2::bigint, $3)', [
    quoted(sequence.schema, sequence.name),
    sequence.lastValue,
    sequence.isCalled,
  ]);
}

/** Reads everything again: what counts is what the tables hold now, not what was sent to them. */
async function compareTables(client: pg.Client, manifest: BackupManifest): Promise<void> {
  for (const table of manifest.tables) {
    const hash = createHash('sha256');
    for await (const chunk of readRows(client, table)) hash.update(chunk);
    if (hash.digest('hex') !== table.sha256) {
      throw new Error(`Table ${table.name} does not hold the rows of the backup; nothing was restored`);
    }
  }
}

/** The workers that held these jobs are not there any more. */
async function releaseJobs(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ found: boolean }>(
    `SELECT to_regclass('graphile_worker._private_jobs') IS NOT NULL AS found`,
  );
  if (!rows[0]?.found) return;
  for (const table of ['_private_jobs', '_private_job_queues']) {
    await client.query(
      `UPDATE graphile_worker.${table} SET locked_at = NULL, locked_by = NULL WHERE locked_at IS NOT NULL`,
    );
  }
}

async function refreshViews(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT oid::regclass::text AS name FROM pg_class
      WHERE relkind = 'm' AND relispopulated AND relnamespace = 'public'::regnamespace ORDER BY oid`,
  );
  for (const { name } of rows) await client.query(`REFRESH MATERIALIZED VIEW ${name}`);
}

function quoted(...parts: string[]): string {
  return parts.map((part) => pg.escapeIdentifier(part)).join('.');
}

// ---------------------------------------------------------------------------------------------------------------
// Archive: plain tar, so that a backup can be read without this program

const TAR_BLOCK = 512;

interface TarEntry {
  folder: string;
  name: string;
  data: Buffer;
}

function* tarEntry(folder: string, name: string, data: Buffer): Generator<Buffer> {
  const header = Buffer.alloc(TAR_BLOCK);
  const octal = (value: number, length: number): string => value.toString(8).padStart(length, '0');
  if (Buffer.byteLength(folder) > 155)
    throw new Error(`The table name in ${folder} is too long for the archive`);
  header.write(name, 0, 100);
  header.write(`${octal(0o600, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100);
  // Eleven octal digits end at 8 GiB; one entry is one piece of a table.
  header.write(`${octal(data.length, 11)}\0${octal(Math.floor(Date.now() / 1000), 11)}\0`, 124);
  header.write('        0', 148);
  header.write('ustar\x0000', 257);
  header.write(folder, 345, 155);
  header.write(`${octal(tarChecksum(header), 6)}\0 `, 148);
  yield header;
  yield data;
  const rest = data.length % TAR_BLOCK;
  if (rest > 0) yield Buffer.alloc(TAR_BLOCK - rest);
}

/** Sum of the header's bytes, its own field counted as blanks. */
function tarChecksum(header: Buffer): number {
  let sum = 0;
  for (let at = 0; at < TAR_BLOCK; at += 1) sum += at >= 148 && at < 156 ? 32 : (header[at] ?? 0);
  return sum;
}

async function* readTar(file: string): AsyncGenerator<TarEntry> {
  const source = fs.createReadStream(file);
  const unpacked = createGunzip();
  source.once('error', (error) => unpacked.destroy(error));
  source.pipe(unpacked);
  try {
    const read = exactReader(unpacked);
    for (;;) {
      const header = await read(TAR_BLOCK);
      if (header.every((byte) => byte === 0)) {
        await read(TAR_BLOCK);
        if ((await read(1, true)).length > 0) throw damaged(file, 'something follows its end');
        return;
      }
      const text = (from: number, length: number): string =>
        header.toString('utf8', from, from + length).replace(/\0.*$/s, '');
      if (Number.parseInt(text(148, 8), 8) !== tarChecksum(header))
        throw damaged(file, 'an entry has a wrong header');
      const size = Number.parseInt(text(124, 12), 8);
      const data = await read(size);
      await read((TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK);
      yield { folder: text(345, 155), name: text(0, 100), data };
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code.startsWith('Z_') || error instanceof EarlyEnd)
      throw damaged(file, 'it ends early or is not a backup', error);
    throw error;
  } finally {
    source.destroy();
    unpacked.destroy();
  }
}

class EarlyEnd extends Error {}

/** Gives exactly as many bytes as asked; at the end of the stream fewer, where that is allowed. */
function exactReader(stream: AsyncIterable<Buffer>): (length: number, mayEnd?: boolean) => Promise<Buffer> {
  const chunks = stream[Symbol.asyncIterator]();
  let pending: Buffer[] = [];
  let available = 0;
  return async (length, mayEnd = false) => {
    while (available < length) {
      const next = await chunks.next();
      if (next.done) {
        if (mayEnd) return Buffer.concat(pending);
        throw new EarlyEnd('unexpected end');
      }
      pending.push(next.value);
      available += next.value.length;
    }
    const all = pending.length === 1 && pending[0] ? pending[0] : Buffer.concat(pending);
    pending = [all.subarray(length)];
    available -= length;
    return all.subarray(0, length);
  };
}

function parseManifest(data: Buffer, file: string): BackupManifest {
  let value: unknown;
  try {
    value = JSON.parse(data.toString('utf8'));
  } catch (cause) {
    throw damaged(file, 'its manifest cannot be read', cause);
  }
  const manifest = value as BackupManifest;
  if (manifest.format !== FORMAT) throw damaged(file, 'it was not made by this program');
  if (manifest.version !== 1)
    throw new Error(`The backup ${file} was made by a newer release; restore it with that one`);
  return manifest;
}

function damaged(file: string, reason: string, cause?: unknown): Error {
  return new Error(`The backup ${file} is damaged: ${reason}. Use another one.`, { cause });
}

// ---------------------------------------------------------------------------------------------------------------
// COPY through the driver, which knows the messages but offers no way to call them

/** The part of the driver's connection that its type declarations leave out. */
interface CopyConnection extends pg.Connection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(reason: string): void;
}

/** Bytes read ahead of the consumer before the socket is paused. */
const READ_AHEAD = 2 * ENTRY_SIZE;

async function* copyOut(client: pg.Client, sql: string): AsyncGenerator<Buffer> {
  const query = new CopyOut(sql);
  client.query(query);
  try {
    for (;;) {
      const chunk = await query.next();
      if (!chunk) return;
      yield chunk;
    }
  } finally {
    query.abandon();
  }
}

class CopyOut implements pg.Submittable {
  private connection: pg.Connection | undefined;
  private rows: Buffer[] = [];
  private size = 0;
  private isDone = false;
  private isAbandoned = false;
  private failure: Error | undefined;
  private wake: () => void = () => {};

  constructor(private readonly sql: string) {}

  /** Resolves with the next piece, or undefined after the last. */
  async next(): Promise<Buffer | undefined> {
    while (this.size < ENTRY_SIZE && !this.isDone && !this.failure) {
      this.connection?.stream.resume();
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
    if (this.failure) throw this.failure;
    if (this.rows.length === 0) return undefined;
    const chunk = Buffer.concat(this.rows);
    this.rows = [];
    this.size = 0;
    return chunk;
  }

  /** Lets the rest of the answer run into the void, so that the connection stays usable. */
  abandon(): void {
    this.isAbandoned = true;
    this.rows = [];
    this.connection?.stream.resume();
  }

  submit(connection: pg.Connection): void {
    this.connection = connection;
    connection.query(this.sql);
  }

  handleCopyData(message: { chunk: Buffer }): void {
    if (this.isAbandoned) return;
    this.rows.push(Buffer.from(message.chunk)); // the driver reuses the memory of its messages
    this.size += message.chunk.length;
    if (this.size >= READ_AHEAD) this.connection?.stream.pause();
    if (this.size >= ENTRY_SIZE) this.wake();
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.isDone = true;
    this.wake();
  }

  handleError(error: Error): void {
    this.failure = error;
    this.wake();
  }
}

/** Sends the chunks and resolves with the number of rows the server took. */
async function copyIn(client: pg.Client, sql: string, chunks: AsyncIterable<Buffer>): Promise<number> {
  const query = new CopyIn(sql);
  client.query(query);
  const connection = await query.opened;
  try {
    for await (const chunk of chunks) {
      if (query.hasFailed) break;
      connection.sendCopyFromChunk(chunk);
      if (connection.stream.writableNeedDrain) {
        await Promise.race([once(connection.stream, 'drain'), query.finished.catch(() => {})]);
      }
    }
    connection.endCopyFrom();
  } catch (error) {
    connection.sendCopyFail('the backup cannot be read on');
    await query.finished.catch(() => {});
    throw error;
  }
  return await query.finished;
}

class CopyIn implements pg.Submittable {
  readonly opened: Promise<CopyConnection>;
  readonly finished: Promise<number>;
  hasFailed = false;
  private rows = 0;
  private open!: (connection: CopyConnection) => void;
  private finish!: (rows: number) => void;
  private fail!: (error: Error) => void;

  constructor(private readonly sql: string) {
    let failOpening: (error: Error) => void = () => {};
    this.opened = new Promise((resolve, reject) => {
      this.open = resolve;
      failOpening = reject;
    });
    this.finished = new Promise((resolve, reject) => {
      this.finish = resolve;
      this.fail = (error) => {
        failOpening(error);
        reject(error);
      };
    });
    this.finished.catch(() => {}); // awaited only after the last chunk was sent
  }

  submit(connection: pg.Connection): void {
    connection.query(this.sql);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    this.open(connection);
  }

  handleCommandComplete(message: { text: string }): void {
    this.rows = Number(message.text.split(' ').at(-1));
  }

  handleReadyForQuery(): void {
    this.finish(this.rows);
  }

  handleError(error: Error): void {
    this.hasFailed = true;
    this.fail(error);
  }
}
