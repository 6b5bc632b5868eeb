import { refLabel, type Field, type RefValue } from '../../contract/fields.ts';
import { textOf, type Language } from '../../contract/label.ts';
import { maskValue } from '../../contract/mask.rules.ts';
import { yuanFromFen } from '../../contract/money.rules.ts';
import { fieldsOf, type Resource } from '../../contract/resource.ts';
import { businessTimeText } from '../../contract/time.rules.ts';
import type { Binding, DbRow, RefColumn } from './binding.ts';
import type { BoundResource } from './bind.ts';
import type { Caller } from '../people/caller.ts';
import { run } from '../database.ts';
import {
  encodeCursor,
  pageStatement,
  readListRequest,
  titlesOf,
  whereOf,
  type BoundColumns,
} from './list-query.ts';
import { readJsonRows, readStatement } from './read-rows.ts';
import type { Platform } from '../platform.ts';
import { Parameters, scopeCondition } from '../people/scope.ts';
import type { Call, ExportSource } from '../registration.ts';
import { EVERY_ROW } from '../tasks/task-centre.ts';
import type { CellKind, CellValue } from '../tables/xlsx-cells.ts';

/** What of a list goes into a table file. */
export interface ListCut {
  readonly resource: Resource;
  readonly binding: Binding;
  readonly columns: BoundColumns;
  /** Fields that are read; a reference comes as its title under `name__title`, an instant as ISO text. */
  readonly names: readonly string[];
  /** Further values by name: SQL over the row. */
  readonly beside?: Readonly<Record<string, string>>;
  /** Rows read at a time; default 2,000. */
  readonly batch?: number;
}

/**
 * Batches of the rows a list shows for a query, in its order and inside the caller's scope. Only what the file needs is
 * read, as one JSON text a batch: reading whole rows value by value took most of an export's time.
 */
export async function* listBatches(
  cut: ListCut,
  call: Pick<Call, 'caller' | 'platform'>,
  query: Readonly<Record<string, string>>,
): AsyncGenerator<DbRow[]> {
  const { resource, binding, columns, batch = 2_000 } = cut;
  const base = readListRequest(resource, query);
  const { pool, db } = call.platform.replica;
  const select = selectOf(cut);
  const tables = await call.platform.tables();
  let cursor: string | undefined;
  for (;;) {
    const parameters = new Parameters();
    const where = await whereOf(resource, binding, columns, call, resource.menu, base, parameters);
    const request = { ...base, page: 1, limit: batch, cursor };
    // Values that code adds may need any column of the row.
    const rows = binding.present
      ? await readStatement(pool, pageStatement(columns, where, request, parameters, tables))
      : await readJsonRows(pool, pageStatement(columns, where, request, parameters, tables, select));
    if (rows.length === 0) return;
    await binding.present?.(rows, db, call.caller, call.platform, base.filters);
    yield rows;
    if (rows.length < batch) return;
    const last = rows[rows.length - 1]!;
    cursor = encodeCursor((last.__cursor as string | null) ?? null, last.id as number);
  }
}

function selectOf({ resource, columns, names, beside }: ListCut): (cursor: string) => string {
  const fields = fieldsOf(resource);
  const parts = ['t.id AS id'];
  for (const name of names) parts.push(cellColumn(name, fields[name]!, columns.column(name)));
  for (const [name, sql] of Object.entries(beside ?? {})) parts.push(`${sql} AS "${name}"`);
  return (cursor) => `${parts.join(', ')}, ${cursor}::text AS "__cursor"`;
}

function cellColumn(name: string, field: Field, column: string | RefColumn): string {
  // A title may be missing where the reference is not.
  if (typeof column !== 'string')
    return titlesOf(
      name,
      column,
      `CASE WHEN ${column.id} IS NOT NULL THEN coalesce(${column.title}, '') END`,
    ).join(', ');
  // JSON numbers would lose the digits a decimal is written with.
  if (field.kind === 'decimal' || field.kind === 'percent') return `(${column})::text AS "${name}"`;
  if (field.kind === 'instant') return `date_trunc('second', ${column}) AS "${name}"`;
  return `${column} AS "${name}"`;
}

/** The export of a resource: the columns of its list, or those its contract names, with the rows of the list. */
export function exportSourceOf(
  resource: Resource,
  binding: Binding,
  columns: BoundColumns,
  count: BoundResource['count'],
): ExportSource {
  const names = Array.isArray(resource.list.export) ? resource.list.export : resource.list.columns;
  const fields = fieldsOf(resource);
  return {
    source: resource.name,
    columns: (language) =>
      names.map((name) => ({
        title: textOf(fields[name]!.label, language),
        kind: exportKind(fields[name]!),
      })),
    count: (call, query) => count(call, readListRequest(resource, query), true),
    async *read(call, query) {
      const cells = names.map((name) => {
        const words = binding.words?.[name];
        const cell = exportCell(name, fields[name]!, call.language);
        if (!words) return cell;
        return (row: DbRow) => {
          const value = row[name] ?? cell(row);
          return value === null || value === undefined ? null : words(value, call, row);
        };
      });
      for await (const rows of listBatches({ resource, binding, columns, names }, call, query))
        yield rows.map((row) => cells.map((cell) => cell(row)));
    },
    ...(binding.scope.ownerMoves
      ? { marks: (call) => rowsInSight(call, resource.menu, binding, columns) }
      : {}),
  };
}

async function rowsInSight(
  { caller, platform }: { readonly caller: Caller; readonly platform: Platform },
  menu: string,
  binding: Binding,
  columns: BoundColumns,
): Promise<string[]> {
  if (caller.menus.get(menu)?.some((scope) => scope.kind === 'all')) return [EVERY_ROW];
  const parameters = new Parameters();
  const scope = scopeCondition(caller, menu, binding.scope, parameters);
  const rows = await run<{ id: number }>(
    platform.database.db,
    `SELECT t.id FROM ${columns.from} WHERE ${scope}`,
    parameters.values,
  );
  return rows.map((row) => String(row.id));
}

/** How the values of a field stand in a table file. A masked value is text whatever it was. */
export function exportKind(field: Field): CellKind {
  if (field.mask) return 'text';
  const { kind } = field;
  return kind === 'money' || kind === 'integer' || kind === 'instant' || kind === 'decimal' ? kind : 'text';
}

function exportCell(name: string, field: Field, language: Language): (row: DbRow) => CellValue {
  if (field.kind === 'ref' || field.kind === 'treeRef') {
    const title = `${name}__title`;
    const english = language === 'en' ? `${title}En` : title;
    return (row) => (row[english] || (row[title] ?? null)) as string | null;
  }
  if (field.kind === 'integer' && !field.mask) return (row) => (row[name] ?? null) as number | null;
  return (row) => {
    const value = row[name];
    return value === null || value === undefined ? null : exportText(field, value, language);
  };
}

/** Rows of a field of kind lines in one cell: values by comma, rows by semicolon. */
function linesText(field: Field, rows: readonly DbRow[], language: Language): string {
  return rows
    .map((row) =>
      Object.entries(field.lines ?? {})
        .flatMap(([name, one]) => {
          const value = row[name];
          return value === null || value === undefined || value === ''
            ? []
            : exportText(one, value, language);
        })
        .join(', '),
    )
    .join('; ');
}

/** A stored value as text for exports and timelines: masked, in the given language. */
export function exportText(field: Field, value: unknown, language: Language): string {
  if (field.mask) return maskValue(field.mask, String(value));
  switch (field.kind) {
    case 'money':
      return yuanFromFen(value as number);
    case 'instant':
      return businessTimeText(value instanceof Date ? value : String(value));
    case 'choice': {
      const label = field.choices?.[String(value)]?.label;
      return label ? textOf(label, language) : String(value);
    }
    case 'boolean':
      return value === true ? textOf(['是', 'Yes'], language) : textOf(['否', 'No'], language);
    case 'refs':
      return (value as unknown[])
        .map((one) =>
          typeof one === 'object' && one !== null && 'title' in one
            ? textOf(refLabel(one as RefValue), language)
            : String(one),
        )
        .join('、');
    case 'tags':
      return (value as string[])
        .map((one) => (field.choices?.[one] ? textOf(field.choices[one].label, language) : one))
        .join('、');
    case 'lines':
      return linesText(field, value as readonly DbRow[], language);
    case 'ref':
    case 'treeRef':
      return typeof value === 'object' && value !== null && 'title' in value
        ? textOf(refLabel(value as RefValue), language)
        : String(value);
    default:
      return typeof value === 'object' ? JSON.stringify(value) : String(value);
  }
}
