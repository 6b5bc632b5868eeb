import { fieldsOf, titleFieldOf, type Resource } from '../../contract/resource.ts';
import { maskValue } from '../../contract/mask.rules.ts';
import { Parameters, scopeCondition } from '../people/scope.ts';
import type { Call } from '../registration.ts';
import type { Binding } from './binding.ts';
import { orderColumn, parentColumn } from './abilities/tree.ts';
import { containing } from './like-text.ts';
import type { BoundColumns } from './list-query.ts';
import { readStatement, type WireRow } from './read-rows.ts';
import type { rowPresenter } from './read-rows.ts';

/** A node as the tree panel shows it: its row as in the list, how many of the rows below it the caller sees, its level from 1. */
export interface TreeNode {
  readonly id: string;
  readonly title: string;
  readonly parentId: string | null;
  readonly children: number;
  readonly depth: number;
  readonly row: WireRow;
}

/** Reads nodes inside the caller's scope: the children of one, the roots, or those a keyword finds with all their ancestors. */
export type TreeReader = (
  call: Pick<Call, 'caller' | 'platform'>,
  query: { readonly parent?: number | undefined; readonly searchVal?: string },
) => Promise<readonly TreeNode[]>;

/** Most nodes of one answer. */
const MOST = 1_000;
/** Most nodes a keyword finds. */
const FOUND = 100;

/** Makes the reader of a tree. A row whose parent the caller does not see counts as a root. */
export function treeReader(
  resource: Resource,
  binding: Binding,
  columns: BoundColumns,
  present: ReturnType<typeof rowPresenter>,
  listed: ReadonlySet<string>,
): TreeReader {
  const parent = parentColumn(resource, binding);
  const order = orderColumn(resource, binding);
  const titleName = titleFieldOf(resource);
  const titleField = fieldsOf(resource)[titleName];
  const keywords = Object.entries(fieldsOf(resource)).filter(
    ([name, field]) => !field.mask && (field.keyword || name === titleName || field.kind === 'code'),
  );
  return async ({ caller, platform }, query) => {
    const parameters = new Parameters();
    const own = binding.where ? ` AND ${binding.where}` : '';
    const scope = `${scopeCondition(caller, resource.menu, binding.scope, parameters)}${own}`;
    const seen = `SELECT t.id, t.${parent} AS up FROM ${columns.from} WHERE ${scope}`;
    let condition: string;
    if (query.searchVal) {
      // One pattern of whichever kind: a value nothing refers to has no type for the database.
      const like = parameters.bind(
        containing(binding.search ? query.searchVal.toLowerCase() : query.searchVal),
      );
      const found = binding.search
        ? `${binding.search} LIKE ${like}`
        : keywords.map(([name]) => `${columns.expression(name)} ILIKE ${like}`).join(' OR ');
      condition = `t.id IN (WITH RECURSIVE found AS (SELECT * FROM (SELECT t.id, t.${parent} AS up FROM ${columns.from} WHERE ${scope} AND (${found}) ORDER BY t.${order}, t.id LIMIT ${FOUND}) hits UNION SELECT s.id, s.up FROM seen s JOIN found ON s.id = found.up) SELECT id FROM found)`;
    } else if (query.parent === undefined)
      condition = `(t.${parent} IS NULL OR NOT EXISTS (SELECT 1 FROM seen s WHERE s.id = t.${parent}))`;
    else condition = `t.${parent} = ${parameters.bind(query.parent)}`;
    const rows = await readStatement(platform.database.pool, {
      text: `WITH RECURSIVE seen AS MATERIALIZED (${seen})
        SELECT ${columns.select}, CASE WHEN EXISTS (SELECT 1 FROM seen s WHERE s.id = t.${parent}) THEN t.${parent} END AS "__parent",
               (SELECT count(*)::int FROM seen s WHERE s.up = t.id) AS "__children",
               (WITH RECURSIVE up AS (SELECT t.${parent} AS id, 1 AS level UNION ALL SELECT c.${parent}, up.level + 1 FROM ${binding.table} c JOIN up ON c.id = up.id WHERE up.level < 100) SELECT max(level)::int FROM up) AS "__depth"
          FROM ${columns.from} WHERE ${scope} AND ${condition} ORDER BY t.${order}, t.id LIMIT ${MOST}`,
      values: parameters.values,
    });
    await binding.present?.(rows, platform.database.db, caller, platform, {});
    const wire = present(rows, caller, resource.menu, listed);
    return rows.map((row, index) => {
      const title = String(row[titleName] ?? '');
      return {
        id: String(row.id),
        title: titleField?.mask ? maskValue(titleField.mask, title) : title,
        parentId: row.__parent === null ? null : String(row.__parent),
        children: Number(row.__children),
        depth: Number(row.__depth),
        row: wire[index]!,
      };
    });
  };
}
