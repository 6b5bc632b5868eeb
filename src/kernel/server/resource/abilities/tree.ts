import { fill, type Label } from '../../../contract/label.ts';
import type { Resource } from '../../../contract/resource.ts';
import { run, runOne, type Executor } from '../../database.ts';
import { invalid, notFound } from '../../http/errors.ts';
import type { Binding } from '../binding.ts';
import { isRefused, readIds, snakeCase } from '../list-query.ts';
import type { ActionContext } from '../run-action.ts';
import { lastPosition, putBefore } from './own-order.ts';

const IN_ITSELF: Label = ['不能移到自身或其下级之下', 'A row cannot stand below itself'];

/** Most levels of a tree that names none. */
export const MAX_DEPTH = 10;

/** Rows below rows of the same kind: no cycles, no more levels than declared, moved and ordered by action `move`. */
export function tree(resource: Resource, binding: Binding): Binding {
  if (!resource.tree) return binding;
  const column = parentColumn(resource, binding);
  const order = orderColumn(resource, binding);
  const { parent } = resource.tree;
  const depth = resource.tree.maxDepth ?? MAX_DEPTH;
  const place = async ({ tx, id }: ActionContext, to: number | null): Promise<void> => {
    if (to === null) return;
    const problem = await placeProblem(tx, binding.table, column, id, to, depth);
    if (problem) throw invalid({ [parent]: problem }, problem);
  };
  return {
    ...binding,
    filters: {
      // `below:7` are all rows below 7, a plain id those directly below it.
      [parent]: (value, parameters) => {
        const [, id] = /^below:(\d{1,15})$/.exec(value) ?? [];
        if (id) return `t.id IN ${belowSql(binding.table, column, parameters.bind(Number(id)))}`;
        const ids = readIds(value);
        if (isRefused(ids)) return ids;
        return `t.${column} = ANY(${parameters.bind(ids)}::bigint[])`;
      },
      ...binding.filters,
    },
    handlers: {
      move: async (context) => {
        const { tx, id, input } = context;
        const to = typeof input.parent === 'number' ? input.parent : null;
        // Whoever moves while somebody else does waits, so that two moves never make a circle.
        await run(tx, `LOCK TABLE ${binding.table} IN SHARE ROW EXCLUSIVE MODE`);
        if (to !== null && !(await runOne(tx, `SELECT 1 FROM ${binding.table} WHERE id = $1`, [to])))
          throw notFound();
        await place(context, to);
        await run(tx, `UPDATE ${binding.table} SET ${column} = $2 WHERE id = $1`, [id, to]);
        const before = input.before === null || input.before === undefined ? undefined : Number(input.before);
        await putBefore(tx, binding.table, order, { id, before, within: column, value: to });
        return to === (context.row[column] ?? null)
          ? {}
          : { changes: [{ field: column, before: context.row[column] ?? null, after: to }] };
      },
      ...binding.handlers,
    },
    before: [
      ...(binding.before ?? []),
      async (context) => {
        const { action, columns, tx } = context;
        if (action !== 'create' && action !== 'update') return;
        const to = columns[column];
        if (to !== undefined && to !== (context.row[column] ?? null)) {
          await run(tx, `LOCK TABLE ${binding.table} IN SHARE ROW EXCLUSIVE MODE`);
          await place(context, to as number | null);
        }
        if (columns[order] === undefined && (action === 'create' || to !== undefined))
          columns[order] = await lastPosition(tx, binding.table, order, column, to ?? null);
      },
    ],
  };
}

/** Column of the parent. */
export function parentColumn(resource: Resource, binding: Binding): string {
  const written = binding.writes?.[resource.tree!.parent];
  return typeof written === 'string' ? written : `${snakeCase(resource.tree!.parent)}_id`;
}

/** Column of the order among siblings. */
export function orderColumn(resource: Resource, binding: Binding): string {
  const name = resource.orderable?.field ?? 'position';
  const written = binding.writes?.[name];
  return typeof written === 'string' ? written : snakeCase(name);
}

/** Sub-select of the ids below a row, itself left out. */
export function belowSql(table: string, column: string, id: string): string {
  return `(WITH RECURSIVE below AS (SELECT c.id FROM ${table} c WHERE c.${column} = ${id} UNION SELECT c.id FROM ${table} c JOIN below ON c.${column} = below.id) SELECT id FROM below)`;
}

/** Why `id` (0: a new row) cannot stand below `to`: below itself, or too many levels. Throws 404 when there is no such row. */
async function placeProblem(
  db: Executor,
  table: string,
  column: string,
  id: number,
  to: number,
  maxDepth: number,
): Promise<Label | undefined> {
  const above = await run<{ id: number }>(
    db,
    `WITH RECURSIVE above AS (SELECT id, ${column} AS up FROM ${table} WHERE id = $1 UNION SELECT c.id, c.${column} FROM ${table} c JOIN above ON c.id = above.up) SELECT id FROM above`,
    [to],
  );
  if (above.length === 0) throw notFound();
  if (above.some((row) => row.id === id)) return IN_ITSELF;
  const height = id === 0 ? 1 : await heightOf(db, table, column, id);
  if (above.length + height <= maxDepth) return undefined;
  return fill(['最多 {n} 级', 'At most {n} {n|level|levels}'], { n: maxDepth });
}

async function heightOf(db: Executor, table: string, column: string, id: number): Promise<number> {
  const row = await runOne<{ n: number }>(
    db,
    `WITH RECURSIVE below AS (SELECT id, 1 AS level FROM ${table} WHERE id = $1 UNION ALL SELECT c.id, below.level + 1 FROM ${table} c JOIN below ON c.${column} = below.id WHERE below.level < 100) SELECT max(level)::int AS n FROM below`,
    [id],
  );
  return row!.n;
}
