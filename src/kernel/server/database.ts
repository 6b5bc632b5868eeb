import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { CompiledQuery, Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import { withSpan } from './http/tracing.ts';

// Statements are SQL text, the builder is not used: told of every table, its types cost a third of the type check.
export type Db = Kysely<never>;
export type Tx = Transaction<never>;
/** Either a pool or a transaction. */
export type Executor = Kysely<never>;

/** The open database of a process: query builder and the pool under it. */
export interface OpenDatabase {
  readonly db: Db;
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

// Identifiers and fen are far below 2^53, so bigint columns are numbers in code; on the wire ids are texts.
const toSafeNumber = (text: string): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error('bigint outside the safe range');
  return value;
};
pg.types.setTypeParser(20, toSafeNumber);
const BIGINT_ARRAY = 1016 as Parameters<typeof pg.types.setTypeParser>[0];
pg.types.setTypeParser(
  BIGINT_ARRAY,
  (text: string) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(toSafeNumber)) as never,
);
// Calendar days stay text: a Date would move them across time zones.
pg.types.setTypeParser(1082, (text: string) => text);

/** Opens a pool. `max` is the number of connections. Throws nothing until the first query. */
export function openDatabase(config: pg.PoolConfig, max = 10): OpenDatabase {
  const pool = new pg.Pool({
    max,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    ...config,
    options: `-c timezone=Asia/Shanghai -c statement_timeout=30000 -c idle_in_transaction_session_timeout=60000 ${config.options ?? ''}`,
  });
  // A broken connection is replaced by the pool. Without a listener it would end the process: the pool listens while a
  // connection is idle only, so each gets one of its own for the moments between being handed out and its first query.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = new Kysely<never>({ dialect: new PostgresDialect({ pool }) });
  pools.set(db, pool);
  let closed: Promise<void> | undefined;
  return { db, pool, close: () => (closed ??= pool.end()) };
}

/** The pools under what {@link openDatabase} opened. */
const pools = new WeakMap<object, pg.Pool>();

/** A transaction under way: its statements go straight to their connection, the builder is only for those who ask for it. */
interface OpenTransaction {
  readonly client: pg.PoolClient;
  readonly atEnd: (() => Promise<void>)[];
  isOver: boolean;
}

const openTransactions = new WeakMap<object, OpenTransaction>();
const builders = new WeakMap<pg.PoolClient, Kysely<never>>();

/** A transaction on a connection, told from every other one. */
function transactionOn(client: pg.PoolClient): Tx {
  let builder = builders.get(client);
  if (!builder) {
    const connection = { query: client.query.bind(client), release: () => {} };
    const pool = { connect: async () => connection, end: async () => {} };
    builder = new Kysely<never>({ dialect: new PostgresDialect({ pool: pool as never }) });
    builders.set(client, builder);
  }
  const tx = builder.withoutPlugins() as Tx;
  openTransactions.set(tx, { client, atEnd: [], isOver: false });
  return tx;
}

/** Told of every statement after its end: its text, which never holds values, milliseconds, rows, and whether it failed. */
export type StatementWatch = (text: string, milliseconds: number, rows: number, failed: boolean) => void;

let watch: StatementWatch | undefined;

/** Installs what measures statements of this process; one at a time, undefined takes it away. */
export function watchStatements(next: StatementWatch | undefined): void {
  watch = next;
}

/** Runs SQL text with `$n` parameters and returns the rows. Names and texts come from contracts and code, never from input. */
export async function run<T>(db: Executor, text: string, values: readonly unknown[] = []): Promise<T[]> {
  const started = watch ? performance.now() : 0;
  try {
    const rows = await withSpan('sql', text.slice(0, 80), () => send<T>(db, text, values), {
      statement: text.slice(0, 1_000),
    });
    watch?.(text, performance.now() - started, rows.length, false);
    return rows;
  } catch (error) {
    watch?.(text, performance.now() - started, 0, true);
    throw error;
  }
}

async function send<T>(db: Executor, text: string, values: readonly unknown[]): Promise<T[]> {
  const tx = openTransactions.get(db);
  if (tx?.isOver) throw new Error('the transaction is over');
  const lane = tx?.client ?? pools.get(db);
  if (!lane) return (await db.executeQuery<T>(CompiledQuery.raw(text, values as unknown[]))).rows as T[];
  const name = nameOfRepeated(text);
  // Several statements in one text answer with several results.
  return ((await lane.query({ text, values: values as unknown[], ...(name ? { name } : {}) })).rows ??
    []) as T[];
}

/** Runs SQL text and returns the first row, or undefined. */
export async function runOne<T>(
  db: Executor,
  text: string,
  values: readonly unknown[] = [],
): Promise<T | undefined> {
  return (await run<T>(db, text, values))[0];
}

const RETRIED = new Set(['40001', '40P01']);

/** What the running request does at the end of each of its transactions. */
export interface RequestEnd {
  /** First: refuses what its caller may not do any more. */
  readonly look?: (tx: Tx) => Promise<void>;
  /** Last: writes that its idempotency key was carried out. */
  readonly mark?: (tx: Tx) => Promise<void>;
  /** After the commit. */
  readonly committed?: (tx: Tx) => void;
}

/** The end of the running request's transactions; nothing outside of requests. */
export const requestEnd = new AsyncLocalStorage<RequestEnd | undefined>();

/**
 * Runs `work` in one transaction and commits, or rolls back and rethrows.
 * Serialisation failures and deadlocks are tried again, at most five times: `work` must not have effects outside the database.
 * A returned error is a refusal whose counters stay: it commits, but carries out nothing of the request.
 */
export async function transaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  const end = requestEnd.getStore();
  for (let attempt = 1; ; attempt++) {
    let own: Tx | undefined;
    try {
      const done = await begin(db, async (tx) => {
        own = tx;
        const result = await work(tx);
        if (!(result instanceof Error)) {
          for (const last of openTransactions.get(tx)!.atEnd) await last();
          await end?.look?.(tx);
          // Last, so that the key's row is locked for as short as can be.
          await end?.mark?.(tx);
        }
        return result;
      });
      end?.committed?.(own!);
      return done;
    } catch (error) {
      if (attempt >= 5 || !RETRIED.has((error as { code?: string }).code ?? '')) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5 * attempt * (1 + Math.random())));
    }
  }
}

async function begin<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  const pool = pools.get(db);
  if (!pool) throw new Error('a transaction begins on an open database');
  const client = await pool.connect();
  const tx = transactionOn(client);
  let broken = false;
  try {
    await client.query('BEGIN');
    const result = await work(tx);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => (broken = true));
    throw error;
  } finally {
    openTransactions.get(tx)!.isOver = true;
    client.release(broken);
  }
}

/**
 * Runs `work` at the end of the transaction, when all else is written: for rows everybody wants, so that each holds them for as
 * short as can be. Not run for a refusal that commits; what was undone up to a savepoint is for `work` to see.
 */
export async function beforeCommit(tx: Tx, work: () => Promise<void>): Promise<void> {
  const open = openTransactions.get(tx);
  if (open) open.atEnd.push(work);
  else await work();
}

/** Thrown inside of a transaction that has to begin anew: something moved that was looked at without a lock. */
export function beginAnew(what: string): Error {
  return Object.assign(new Error(`${what} moved meanwhile`), { code: '40001' });
}

/** As {@link transaction}, for what is counted or noted beside the work of a request, whether that succeeds or not. */
export function transactionBeside<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return requestEnd.run(undefined, () => transaction(db, work));
}

/** Runs after which connections keep a text prepared: what is asked once, such as an odd filter, takes no room there. */
const REPEATED = 10;
const repeats = new Map<string, number>();

/** A name for a text that is run again and again: then it is neither parsed nor planned anew; undefined for others. */
function nameOfRepeated(text: string): string | undefined {
  const name = statementNames.get(text);
  if (name) return name;
  const times = (repeats.get(text) ?? 0) + 1;
  if (repeats.size >= 5_000) repeats.clear();
  repeats.set(text, times);
  if (times < REPEATED || !PREPARED.test(text)) return undefined;
  repeats.delete(text);
  return statementName(text) || undefined;
}

/** One statement of rows, not one that steers the session; a star may mean other columns after a migration. */
const PREPARED = /^(?!.*;)(?!.*(?:SELECT|RETURNING|\.)\s*\*)\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b/s;

const statementNames = new Map<string, string>();

/** A stable name for a statement text, so that hot queries are parsed once per connection. */
export function statementName(text: string): string {
  let name = statementNames.get(text);
  if (!name) {
    name = `q${createHash('sha1').update(text).digest('hex').slice(0, 20)}`;
    // Filter combinations are many but finite; the bound keeps a hostile caller from growing the map.
    if (statementNames.size < 2_000) statementNames.set(text, name);
    else return '';
  }
  return name;
}
