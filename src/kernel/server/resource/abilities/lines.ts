import type { Field, Fields } from '../../../contract/fields.ts';
import type { Resource } from '../../../contract/resource.ts';
import type { FieldChange } from '../../audit/audit.ts';
import { run, type Executor } from '../../database.ts';
import { notFound } from '../../http/errors.ts';
import type { Binding, DbRow, LineTable } from '../binding.ts';
import { joinedRef, refJson, snakeCase } from '../list-query.ts';
import { emptyOf } from '../field-columns.ts';
import { insertRow, isWrite, quoted, type ActionContext } from '../run-action.ts';
import { inReach } from './reach.ts';

/** Fields of kind lines whose rows stand in a table of their own, in order; a change is told as the rows before and after. */
export function lines(resource: Resource, binding: Binding): Binding {
  if (!binding.lines) return binding;
  const columns: Record<string, string> = {};
  const writes: Record<string, false> = {};
  for (const [name, table] of Object.entries(binding.lines)) {
    columns[name] = linesSql(resource.fields[name]!.lines!, table);
    writes[name] = false;
  }
  return {
    ...binding,
    columns: { ...columns, ...binding.columns },
    writes: { ...writes, ...binding.writes },
    after: [
      ...(binding.after ?? []),
      async (context, id) => {
        const changes: FieldChange[] = [];
        if (!isWrite(context.action)) return changes;
        for (const [name, table] of Object.entries(binding.lines!)) {
          const field = resource.fields[name]!;
          const rows = context.input[name];
          if (rows === undefined) continue;
          const change = await setLines(context, id, name, field, table, (rows ?? []) as readonly DbRow[]);
          if (change) changes.push({ field: name, ...change });
        }
        return changes;
      },
    ],
  };
}

/** The rows of one parent as a JSON list in wire form: money in yuan, references with title. */
function linesSql(fields: Fields, { table, own, joins = {} }: LineTable): string {
  let from = `${table} l`;
  const pairs = [`'id', l.id::text`];
  for (const [name, field] of Object.entries(fields)) {
    const column = `l.${snakeCase(name)}`;
    const join = joins[name];
    if (join) {
      const on = typeof join === 'string' ? { table: join } : join;
      const alias = `j_${snakeCase(name)}`;
      from += ` LEFT JOIN ${on.table} ${alias} ON ${alias}.id = ${column}_id`;
      pairs.push(
        `'${name}', CASE WHEN ${column}_id IS NOT NULL THEN ${refJson(joinedRef(alias, `${column}_id`, on))} END`,
      );
    } else
      pairs.push(
        `'${name}', ${field.kind === 'money' ? `(${column}::numeric / 100)::numeric(24, 2)::text` : field.kind === 'decimal' || field.kind === 'percent' ? `${column}::text` : column}`,
      );
  }
  return `(SELECT coalesce(jsonb_agg(jsonb_build_object(${pairs.join(', ')}) ORDER BY l.position, l.id), '[]') FROM ${from} WHERE l.${own} = t.id)`;
}

async function setLines(
  context: ActionContext,
  parent: number,
  own: string,
  field: Field,
  line: LineTable,
  rows: readonly DbRow[],
): Promise<{ before: unknown; after: unknown } | undefined> {
  const { tx } = context;
  const fields = field.lines!;
  const before = await storedLines(tx, fields, line, parent);
  for (const [name, one] of Object.entries(fields))
    if (line.joins?.[name]) {
      // What the rows hold already may not be offered any more.
      const held = new Set(before.rows.map((row) => row[name]));
      await inReach(
        context,
        one,
        rows.flatMap((row) => (typeof row[name] === 'number' && !held.has(row[name]) ? [row[name]] : [])),
        own,
      );
    }
  const known = new Set(before.ids);
  const kept = new Set(rows.flatMap((row) => (row.id === undefined ? [] : [Number(row.id)])));
  if ([...kept].some((id) => !known.has(id))) throw notFound();
  const gone = before.ids.filter((id) => !kept.has(id));
  if (gone.length > 0) await run(tx, `DELETE FROM ${line.table} WHERE id = ANY($1::bigint[])`, [gone]);
  const tables = await context.platform.tables();
  for (const [index, row] of rows.entries()) {
    const values: Record<string, unknown> = { position: index + 1 };
    for (const [name, one] of Object.entries(fields))
      if (name in row && !one.readOnly) {
        const column = lineColumn(name, line);
        const empty = row[name] === null && tables.isNotNull(line.table, column);
        values[column] = empty ? emptyOf(one.kind) : row[name];
      }
    if (row.id === undefined) await insertRow(tx, line.table, { [line.own]: parent, ...values });
    else {
      const names = Object.keys(values);
      await run(
        tx,
        `UPDATE ${line.table} SET ${names.map((name, at) => `${quoted(name)} = $${at + 2}`).join(', ')} WHERE id = $1`,
        [Number(row.id), ...names.map((name) => values[name])],
      );
    }
  }
  const after = await storedLines(tx, fields, line, parent);
  return JSON.stringify(before.rows) === JSON.stringify(after.rows)
    ? undefined
    : { before: before.rows, after: after.rows };
}

async function storedLines(
  db: Executor,
  fields: Fields,
  line: LineTable,
  parent: number,
): Promise<{ ids: number[]; rows: DbRow[] }> {
  const rows = await run<{ id: number; row: DbRow }>(
    db,
    `SELECT l.id, to_jsonb(l) AS row FROM ${line.table} l WHERE l.${line.own} = $1 ORDER BY l.position, l.id`,
    [parent],
  );
  return {
    ids: rows.map((one) => one.id),
    rows: rows.map(({ row }) =>
      Object.fromEntries(Object.keys(fields).map((name) => [name, row[lineColumn(name, line)] ?? null])),
    ),
  };
}

function lineColumn(name: string, line: LineTable): string {
  return line.joins?.[name] ? `${snakeCase(name)}_id` : snakeCase(name);
}
