import type pg from 'pg';

/** Anything that runs one statement: a connection inside a transaction, or a pool. */
export type Runner = Pick<pg.ClientBase, 'query'>;

/** One row by column name; instants are dates, lists are arrays, absent means the column is null. */
export type SeedRow = Readonly<Record<string, unknown>>;

/** Takes `count` keys of a table from its sequence and returns the first; the others follow it without a gap. */
export async function takeIds(client: Runner, table: string, count: number): Promise<number> {
  if (count === 0) return 0;
  const { rows } = await client.query<{ low: string; high: string }>(
    `SELECT min(id) AS low, max(id) AS high
       FROM (SELECT nextval(pg_get_serial_sequence($1, 'id')) AS id FROM generate_series(1, $2::int)) AS taken`,
    [table, count],
  );
  const low = Number(rows[0]?.low);
  const high = Number(rows[0]?.high);
  if (high - low + 1 !== count) throw new Error(`Another process is writing to ${table}; try again`);
  return low;
}

/** Inserts rows that all name the same columns; generated columns and unnamed ones take their defaults. */
export async function insertRows(
  client: Runner,
  table: string,
  rows: readonly SeedRow[],
  onConflict = '',
): Promise<number> {
  const first = rows[0];
  if (!first) return 0;
  const columns = Object.keys(first).join(', ');
  for (let from = 0; from < rows.length; from += ROWS_A_STATEMENT) {
    await client.query(
      `INSERT INTO ${table} (${columns})
       SELECT ${columns} FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb) ${onConflict}`,
      [JSON.stringify(rows.slice(from, from + ROWS_A_STATEMENT))],
    );
  }
  return rows.length;
}

const ROWS_A_STATEMENT = 2_000;
