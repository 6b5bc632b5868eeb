import { run, type Executor } from './database.ts';

/** A foreign key that points to a table. */
export interface ForeignKey {
  readonly name: string;
  /** The table that refers, with its columns in the order of `to`. */
  readonly table: string;
  readonly columns: readonly string[];
  readonly target: string;
  readonly to: readonly string[];
  /** What happens to the referring row: refused, removed with it, or emptied. */
  readonly onDelete: 'restrict' | 'cascade' | 'set null' | 'set default';
}

/** A unique constraint or unique index; `columns` are empty where it is over an expression. */
export interface UniqueIndex {
  readonly name: string;
  readonly table: string;
  readonly columns: readonly string[];
  /** True when it holds for some rows only (a partial index). */
  readonly partial: boolean;
}

/** What the database itself says of its tables; read once at start, as the schema only changes between starts. */
export interface DatabaseTables {
  /** True when a column of a table can never be null; false for what does not exist. */
  isNotNull(table: string, column: string): boolean;
  /** True when a row that says nothing of the column gets a value all the same. */
  hasDefault(table: string, column: string): boolean;
  /** False only where the table is known and has no such column. */
  mayHaveColumn(table: string, column: string): boolean;
  /** Columns of a unique constraint or index by the name an error (23505) gives; undefined when there is none. */
  uniqueColumnsOf(constraint: string): readonly string[] | undefined;
  /** Unique constraints and indexes of a table, the primary key among them. */
  uniqueIndexesOf(table: string): readonly UniqueIndex[];
  /** Foreign keys of all tables that point to a table. */
  referencesTo(table: string): readonly ForeignKey[];
}

/** Reads the catalogue: one round trip, a few milliseconds. Partitions speak through their parent. */
export async function readDatabaseTables(db: Executor): Promise<DatabaseTables> {
  const [row] = await run<{
    columns: { table: string; columns: string[]; not_null: string[]; defaults: string[] }[];
    uniques: UniqueIndex[];
    keys: ForeignKey[];
  }>(db, CATALOGUE);
  const tables = new Map(
    row!.columns.map((one) => [
      one.table,
      { all: new Set(one.columns), notNull: new Set(one.not_null), defaults: new Set(one.defaults) },
    ]),
  );
  const uniques = new Map(row!.uniques.map((one) => [one.name, one]));
  return {
    isNotNull: (table, column) => tables.get(table)?.notNull.has(column) ?? false,
    hasDefault: (table, column) => tables.get(table)?.defaults.has(column) ?? false,
    mayHaveColumn: (table, column) => tables.get(table)?.all.has(column) ?? true,
    uniqueColumnsOf: (constraint) => uniques.get(constraint)?.columns,
    uniqueIndexesOf: (table) => row!.uniques.filter((one) => one.table === table),
    referencesTo: (table) => row!.keys.filter((one) => one.target === table),
  };
}

const OWN_TABLE = `c.relnamespace = 'public'::regnamespace AND NOT c.relispartition`;

/** The columns with the given numbers, in their order. */
const names = (relation: string, numbers: string) =>
  `array(SELECT a.attname::text FROM unnest(${numbers}) WITH ORDINALITY AS listed (number, place)
          JOIN pg_attribute a ON a.attrelid = ${relation} AND a.attnum = listed.number ORDER BY listed.place)`;

const CATALOGUE = `
  SELECT
    (SELECT coalesce(json_agg(json_build_object('table', t.name, 'columns', t.columns, 'not_null', t.not_null, 'defaults', t.defaults)), '[]') FROM (
       SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attname) AS columns,
              coalesce(array_agg(a.attname::text ORDER BY a.attname) FILTER (WHERE a.attnotnull OR y.typnotnull), '{}') AS not_null,
              coalesce(array_agg(a.attname::text ORDER BY a.attname) FILTER (WHERE a.atthasdef OR a.attidentity <> '' OR y.typdefault IS NOT NULL), '{}') AS defaults
         FROM pg_class c
         JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
         JOIN pg_type y ON y.oid = a.atttypid
        WHERE ${OWN_TABLE} AND c.relkind IN ('r', 'p')
        GROUP BY c.relname) AS t) AS columns,
    (SELECT coalesce(json_agg(json_build_object('name', i.relname, 'table', c.relname,
              'columns', CASE WHEN x.indexprs IS NULL THEN ${names('c.oid', '(x.indkey::int2[])[0:x.indnkeyatts - 1]')} ELSE '{}' END,
              'partial', x.indpred IS NOT NULL) ORDER BY c.relname, i.relname), '[]')
       FROM pg_index x JOIN pg_class c ON c.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid
      WHERE ${OWN_TABLE} AND x.indisunique) AS uniques,
    (SELECT coalesce(json_agg(json_build_object('name', k.conname, 'table', c.relname, 'columns', ${names('k.conrelid', 'k.conkey')},
              'target', f.relname, 'to', ${names('k.confrelid', 'k.confkey')},
              'onDelete', CASE k.confdeltype WHEN 'c' THEN 'cascade' WHEN 'n' THEN 'set null' WHEN 'd' THEN 'set default' ELSE 'restrict' END)
              ORDER BY c.relname, k.conname), '[]')
       FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class f ON f.oid = k.confrelid
      WHERE ${OWN_TABLE} AND k.contype = 'f' AND k.conparentid = 0) AS keys`;
