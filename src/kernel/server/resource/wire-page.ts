import type { Field } from '../../contract/fields.ts';
import { maskValue, type MaskMode } from '../../contract/mask.rules.ts';
import { fieldsOf, type Resource } from '../../contract/resource.ts';
import type { Binding, DbRow, RefColumn } from './binding.ts';
import type { Caller } from '../people/caller.ts';
import { refJson, type BoundColumns } from './list-query.ts';
import { instantsOf } from './read-rows.ts';
import { encryptionToken } from './row-token.ts';
import { allowedActions, grantedActions } from './run-action.ts';

/** Rows of one page as they go over the wire. */
export interface WireRows {
  /** Row objects as JSON text, separated by commas. */
  readonly json: string;
  readonly count: number;
  /** Sort value and id of the last row, for the position after it. */
  readonly last: { readonly cursor: string | null; readonly id: number } | undefined;
}

/** How a page of a resource is composed by the database and completed here. */
export interface WirePage {
  /** SELECT list with one column `line`; `cursor` is the SQL text of the sort value. */
  select(cursor: string): string;
  /** The statement that gathers the lines of a page statement in one text, column `lines`. */
  gather(page: string): string;
  /** Completes gathered lines for a caller: masks and allowed actions. */
  read(lines: string | null, caller: Caller, menu: string): WireRows;
}

/**
 * Plans list pages whose rows the database writes as JSON text, so that this process neither parses nor writes a value
 * that it does not have to look at: it masks personal values and decides on actions, everything else passes through.
 * A line is the wire object of a row followed by what code needs, from the key `__` on: names may come in both parts.
 * Undefined where rows need more than that: values added in code, or row rules that do not say what they read.
 */
export function wirePage(
  resource: Resource,
  binding: Binding,
  columns: BoundColumns,
  listed: ReadonlySet<string>,
): WirePage | undefined {
  if (binding.present || (binding.rowRules && !binding.ruleReads)) return undefined;
  const fields = fieldsOf(resource);
  const wire = ['t.id::text AS id', `${columns.version} AS version`];
  const masked: { name: string; key: string; mode: MaskMode }[] = [];
  for (const name of columns.names) {
    if (!listed.has(name)) continue;
    const field = fields[name]!;
    if (field.mask) masked.push({ name, key: `__${masked.length}`, mode: field.mask });
    else wire.push(`${wireColumn(field, columns.column(name))} AS "${name}"`);
  }
  const reads = [...new Set([...(resource.states ? ['state'] : []), ...(binding.ruleReads ?? [])])];
  const beside = [
    ...masked.map(({ name, key }) => `(${columns.expression(name)})::text AS "${key}"`),
    ...reads.map((name) => `${binding.extra?.[name] ?? columns.expression(name)} AS "${name}"`),
  ];
  const instants = reads.filter((name) => columns.instants.includes(name));
  const hasMasks = Object.values(fields).some((field) => field.mask);
  return {
    select: (cursor) => [...wire, `(${cursor})::text AS "__"`, 't.id AS id', ...beside].join(', '),
    gather: (page) => `SELECT string_agg(row_to_json(page)::text, E'\\n') AS lines FROM (${page}) page`,
    read: (lines, caller, menu) => {
      if (!lines) return { json: '', count: 0, last: undefined };
      const granted = grantedActions(resource, caller, menu);
      const rows = lines.split('\n');
      let side: DbRow = {};
      for (let at = 0; at < rows.length; at++) {
        const line = rows[at]!;
        // A quote inside of a text is escaped, so the key is found nowhere else; the last one is the outer one.
        const cut = line.lastIndexOf(',"__":');
        side = JSON.parse(`{${line.slice(cut + 1)}`) as DbRow;
        const id = side.id as number;
        let row = line.slice(0, cut);
        for (const { name, key, mode } of masked) {
          const value = side[key] as string | null;
          row += `,"${name}":${value === null ? 'null' : JSON.stringify(maskValue(mode, value))}`;
        }
        if (hasMasks) row += `,"encryptionField":"${encryptionToken(resource.name, id)}"`;
        if (instants.length > 0) instantsOf([side], instants);
        const actions = allowedActions(resource, binding, granted, side, caller);
        rows[at] = `${row},"actions":[${actions.length === 0 ? '' : `"${actions.join('","')}"`}]}`;
      }
      return {
        json: rows.join(','),
        count: rows.length,
        last: { cursor: side.__ as string | null, id: side.id as number },
      };
    },
  };
}

/** SQL of a field's wire value inside of row_to_json; the same form as `converter` of read-rows.ts gives one row. */
function wireColumn(field: Field, column: string | RefColumn): string {
  if (typeof column !== 'string' && column.titleEn)
    return `CASE WHEN ${column.id} IS NOT NULL THEN ${refJson({ ...column, title: `coalesce(${column.title}, '')` })} END`;
  if (typeof column !== 'string')
    return `CASE WHEN ${column.id} IS NOT NULL THEN (${column.id}::text, coalesce(${column.title}, ''))::wire_ref END`;
  switch (field.kind) {
    case 'money':
      return `((${column})::numeric / 100)::numeric(24, 2)::text`;
    case 'instant':
      // Sessions run in business time, so the offset is the one of the wire.
      return `date_trunc('second', ${column})`;
    case 'integer':
    case 'boolean':
    case 'date':
    case 'dateRange':
      return column;
    case 'refs':
    case 'json':
    case 'tags':
    case 'lines':
    case 'images':
    case 'files':
    case 'image':
    case 'file':
      // Aggregated JSON comes with line breaks between its entries, and lines are what rows are told apart by.
      return `to_jsonb(${column})`;
    default:
      return `(${column})::text`;
  }
}
