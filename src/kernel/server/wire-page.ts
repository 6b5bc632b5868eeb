import type { Field } from '../contract/fields.ts';
import { maskValue, type MaskMode } from '../contract/mask.rules.ts';
import { fieldsOf, type Resource } from '../contract/resource.ts';
import type { Binding, DbRow, RefColumn } from './binding.ts';
import type { Caller } from './caller.ts';
import type { BoundColumns } from './list-query.ts';
import { encryptionToken, instantsOf } from './read-rows.ts';
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
 * Each row is two lines of text: its wire object without the closing brace, and a JSON list of what code needs.
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
  const wire: string[] = [`'{"id":"', t.id, '","version":', ${columns.version}`];
  const masked: { name: string; mode: MaskMode }[] = [];
  for (const name of columns.names) {
    if (!listed.has(name)) continue;
    const field = fields[name]!;
    if (field.mask) masked.push({ name, mode: field.mask });
    else wire.push(`',"${name}":', ${wireText(field, columns.column(name))}`);
  }
  const reads = [...new Set([...(resource.states ? ['state'] : []), ...(binding.ruleReads ?? [])])];
  const raw = (name: string): string => binding.extra?.[name] ?? columns.expression(name);
  const beside = [
    ...masked.map(({ name }) => `to_json((${columns.expression(name)})::text)`),
    ...reads.map((name) => `to_json(${raw(name)})`),
  ].map((sql) => `',', coalesce(${sql}::text, 'null')`);
  const instants = reads.filter((name) => columns.instants.includes(name));
  const hasMasks = Object.values(fields).some((field) => field.mask);
  const firstRead = 2 + masked.length;
  return {
    select: (cursor) =>
      `concat(${wire.join(', ')}, E'\\n[', t.id, ',', coalesce(to_json((${cursor})::text)::text, 'null')${beside.map((one) => `, ${one}`).join('')}, ']') AS line`,
    gather: (page) => `SELECT string_agg(page.line, E'\\n') AS lines FROM (${page}) page`,
    read: (lines, caller, menu) => {
      if (!lines) return { json: '', count: 0, last: undefined };
      const granted = grantedActions(resource, caller, menu);
      const pieces = lines.split('\n');
      const rows: string[] = [];
      let side: unknown[] = [];
      for (let at = 0; at < pieces.length; at += 2) {
        side = JSON.parse(pieces[at + 1]!) as unknown[];
        const id = side[0] as number;
        let row = pieces[at]!;
        for (let place = 0; place < masked.length; place++) {
          const value = side[2 + place] as string | null;
          row += `,"${masked[place]!.name}":${value === null ? 'null' : JSON.stringify(maskValue(masked[place]!.mode, value))}`;
        }
        if (hasMasks) row += `,"encryptionField":"${encryptionToken(resource.name, id)}"`;
        const seen: DbRow = { id };
        for (let place = 0; place < reads.length; place++) seen[reads[place]!] = side[firstRead + place];
        instantsOf([seen], instants);
        const actions = allowedActions(resource, binding, granted, seen, caller);
        rows.push(`${row},"actions":[${actions.length === 0 ? '' : `"${actions.join('","')}"`}]}`);
      }
      return {
        json: rows.join(','),
        count: rows.length,
        last: { cursor: side[1] as string | null, id: side[0] as number },
      };
    },
  };
}

/** SQL text of the JSON text of a field's wire value; the same form as `converter` of read-rows.ts gives one row. */
function wireText(field: Field, column: string | RefColumn): string {
  if (typeof column !== 'string')
    return `CASE WHEN ${column.id} IS NULL THEN 'null' ELSE concat('{"id":"', ${column.id}, '","title":', coalesce(to_json((${column.title})::text)::text, '""'), '}') END`;
  switch (field.kind) {
    case 'money':
      return `coalesce('"' || ((${column})::numeric / 100)::numeric(24, 2) || '"', 'null')`;
    case 'instant':
      return `coalesce('"' || replace(date_trunc('second', timezone(interval '8 hours', ${column}))::text, ' ', 'T') || '+08:00"', 'null')`;
    case 'decimal':
    case 'percent':
      return `coalesce('"' || (${column})::text || '"', 'null')`;
    case 'integer':
    case 'boolean':
      return `coalesce((${column})::text, 'null')`;
    case 'refs':
    case 'json':
    case 'tags':
    case 'images':
    case 'files':
    case 'image':
    case 'file':
    case 'date':
    case 'dateRange':
      // Aggregated JSON comes with line breaks between its entries; inside of texts they are escaped.
      return `coalesce(replace(to_json(${column})::text, E'\\n', ' '), 'null')`;
    default:
      return `coalesce(to_json((${column})::text)::text, 'null')`;
  }
}
