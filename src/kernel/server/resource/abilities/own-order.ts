import type { Resource } from '../../../contract/resource.ts';
import { run, runOne, type Tx } from '../../database.ts';
import { notFound } from '../../http/errors.ts';
import type { Binding } from '../binding.ts';
import { snakeCase } from '../list-query.ts';

/** Rows in an order of their own: new ones come last, action `order` puts one before another or at the end. */
export function ownOrder(resource: Resource, binding: Binding): Binding {
  const { orderable } = resource;
  if (!orderable) return binding;
  const column = columnOf(binding, orderable.field);
  const within = orderable.within ? columnOf(binding, orderable.within) : undefined;
  return {
    ...binding,
    handlers: {
      order: async ({ tx, id, row, input }) => {
        const before = input.before === null || input.before === undefined ? undefined : Number(input.before);
        await putBefore(tx, binding.table, column, {
          id,
          before,
          ...(within ? { within, value: row[within] } : {}),
        });
      },
      ...binding.handlers,
    },
    before: [
      ...(binding.before ?? []),
      async ({ action, tx, columns }) => {
        if (action !== 'create' || columns[column] !== undefined) return;
        columns[column] = await lastPosition(tx, binding.table, column, within, within && columns[within]);
      },
    ],
  };
}

/** The position after the last of the rows that share a value (all rows without one). */
export async function lastPosition(
  tx: Tx,
  table: string,
  column: string,
  within: string | undefined,
  value: unknown,
): Promise<number> {
  const row = await runOne<{ n: number }>(
    tx,
    `SELECT coalesce(max(${column}), 0)::int + 1 AS n FROM ${table}${within ? ` WHERE ${within} IS NOT DISTINCT FROM $1` : ''}`,
    within ? [value ?? null] : [],
  );
  return row!.n;
}

/**
 * Writes the order of the rows that share a value anew with one of them before another, or last. All of them are locked, so that
 * two who move at once do so one after the other. Throws 404 when `before` is none of them.
 */
export async function putBefore(
  tx: Tx,
  table: string,
  column: string,
  move: {
    readonly id: number;
    readonly before?: number | undefined;
    readonly within?: string;
    readonly value?: unknown;
  },
): Promise<void> {
  const condition = move.within ? ` WHERE ${move.within} IS NOT DISTINCT FROM $1` : '';
  const values = move.within ? [move.value ?? null] : [];
  // Locked first and read afterwards: who waited for the lock sorts what stands now, not what stood before.
  await run(tx, `SELECT id FROM ${table}${condition} ORDER BY id FOR NO KEY UPDATE`, values);
  const rows = await run<{ id: number }>(
    tx,
    `SELECT id FROM ${table}${condition} ORDER BY ${column}, id`,
    values,
  );
  const ids = rows.map((row) => row.id).filter((id) => id !== move.id);
  const at = move.before === undefined ? ids.length : ids.indexOf(move.before);
  if (at < 0) throw notFound();
  ids.splice(at, 0, move.id);
  await run(
    tx,
    `UPDATE ${table} t SET ${column} = x.position FROM unnest($1::bigint[]) WITH ORDINALITY AS x (id, position) WHERE t.id = x.id AND t.${column} IS DISTINCT FROM x.position`,
    [ids],
  );
}

function columnOf(binding: Binding, name: string): string {
  const written = binding.writes?.[name];
  return typeof written === 'string' ? written : snakeCase(name);
}
