import { containing } from './like-text.ts';
import { nameOrder } from './name-order.ts';
import { fieldsOf, type Resource } from '../../contract/resource.ts';
import type { Field } from '../../contract/fields.ts';
import { isStorableText } from '../../contract/input.ts';
import type { Label } from '../../contract/label.ts';
import { fenFromYuan } from '../../contract/money.rules.ts';
import { endOfBusinessDay, isBusinessDay, startOfBusinessDay } from '../../contract/time.rules.ts';
import type { Binding, Join, RefColumn } from './binding.ts';
import type { Caller } from '../people/caller.ts';
import { runOne, type Executor } from '../database.ts';
import { invalid } from '../http/errors.ts';
import { looksPersonal, noteGuesses } from '../http/guess-limit.ts';
import type { Platform } from '../platform.ts';
import type { DatabaseTables } from '../tables-of-database.ts';
import { withoutPlainJoins } from './plain-joins.ts';
import { Parameters, scopeCondition } from '../people/scope.ts';

/** Totals are exact up to here; beyond it only on request. Source: ground rules section 2. */
export const COUNT_CAP = 10_000;
const MAX_LIMIT = 200;
const MAX_IN = 500;
const RESERVED = new Set(['page', 'limit', 'searchVal', 'sort', 'tab', 'cursor', 'exact']);

/** A checked list request. */
export interface ListRequest {
  readonly page: number;
  readonly limit: number;
  readonly searchVal: string;
  readonly sort: string;
  readonly tab: string | undefined;
  readonly cursor: string | undefined;
  readonly exact: boolean;
  readonly filters: Readonly<Record<string, string>>;
}

/** A statement ready to run. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Everything the engine derives once from a contract and its binding. */
export interface BoundColumns {
  readonly names: readonly string[];
  readonly fields: Readonly<Record<string, Field>>;
  /** SELECT list, aliases are field names; refs come as `name` (id) and `name__title`. */
  readonly select: string;
  /** The same for rows read as JSON, whose numbers would lose the digits a decimal is written with. */
  readonly selectJson: string;
  readonly from: string;
  /** Aliases that can hold an instant: instant fields, and columns for row rules whose type nobody declares. */
  readonly instants: readonly string[];
  /** SQL text of the row's version. */
  readonly version: string;
  /** SQL of a field: one expression, or id and title of a reference. */
  column(name: string): string | RefColumn;
  expression(name: string): string;
  /** True when a field can be without value: such sorts need care at page borders. */
  nullable(name: string, tables: DatabaseTables): boolean;
}

/** A reference in wire form, a jsonb object: id, title and, where it has one, the English title. */
export function refJson({ id, title, titleEn }: RefColumn): string {
  const plain = `jsonb_build_object('id', ${id}::text, 'title', ${title})`;
  return titleEn
    ? `(${plain} || CASE WHEN ${titleEn} <> '' THEN jsonb_build_object('titleEn', ${titleEn}) ELSE '{}' END)`
    : plain;
}

/** The id and the titles of a reference to the table of an alias. */
export function joinedRef(
  alias: string,
  id: string,
  { title = 'name', titleEn }: Pick<Join, 'title' | 'titleEn'>,
): RefColumn {
  return { id, title: `${alias}.${title}`, ...(titleEn ? { titleEn: `${alias}.${titleEn}` } : {}) };
}

/** The titles of a reference as columns beside its id: `name__title` and, where it has one, `name__titleEn`. */
export function titlesOf(name: string, { titleEn }: RefColumn, title: string): string[] {
  return [`${title} AS "${name}__title"`, ...(titleEn ? [`${titleEn} AS "${name}__titleEn"`] : [])];
}

/** Derives the SELECT list and expressions of a bound resource. */
export function boundColumns(resource: Resource, binding: Binding): BoundColumns {
  // What is never read has no column here.
  const fields = Object.fromEntries(Object.entries(fieldsOf(resource)).filter(([, field]) => !field.secret));
  const columnOf = (name: string): string | RefColumn => {
    const given = binding.columns?.[name];
    if (given) return given;
    if (name === 'state') return `t.${binding.stateColumn ?? 'state'}`;
    const field = fields[name]!;
    if (field.kind === 'ref' || field.kind === 'treeRef')
      throw new Error(`${resource.name}.${name}: a ref needs id and title columns`);
    return `t.${snakeCase(name)}`;
  };
  const version = binding.extra?.version ?? 't.version';
  const partsFor = (written: (field: Field, column: string) => string): string[] => {
    const parts = ['t.id AS id', `${version} AS version`];
    for (const [name, field] of Object.entries(fields)) {
      const column = columnOf(name);
      if (typeof column === 'string') parts.push(`${written(field, column)} AS "${name}"`);
      else parts.push(`${column.id} AS "${name}"`, ...titlesOf(name, column, column.title));
    }
    for (const [alias, sql] of Object.entries(binding.extra ?? {}))
      if (alias !== 'version') parts.push(`${sql} AS "${alias}"`);
    return parts;
  };
  const known = new Map(Object.keys(fields).map((name) => [name, columnOf(name)]));
  const expression = (name: string): string => {
    const column = known.get(name)!;
    return typeof column === 'string' ? column : column.id;
  };
  return {
    names: Object.keys(fields),
    fields,
    select: partsFor((_field, column) => column).join(', '),
    selectJson: partsFor((field, column) =>
      field.kind === 'decimal' || field.kind === 'percent' ? `(${column})::text` : column,
    ).join(', '),
    from: binding.from ?? `${binding.table} t`,
    instants: [
      ...Object.keys(fields).filter((name) => fields[name]!.kind === 'instant'),
      ...Object.keys(binding.extra ?? {}),
    ],
    version,
    column: (name) => known.get(name)!,
    expression,
    nullable: (name, tables) => {
      const column = /^t\.(\w+)$/.exec(expression(name))?.[1];
      return column === undefined || !tables.isNotNull(binding.table, column);
    },
  };
}

/**
 * Reads a list request from query parameters. Refuses unknown names, sorts and values with 422.
 * `limit` is at most 200; `page` starts at 1.
 */
export function readListRequest(resource: Resource, query: Readonly<Record<string, unknown>>): ListRequest {
  const problems: Record<string, Label> = {};
  const fields = fieldsOf(resource);
  const single: Record<string, string> = {};
  const filters: Record<string, string> = {};
  for (const [name, value] of Object.entries(query)) {
    const text = Array.isArray(value) ? value.join(',') : value;
    if (typeof text !== 'string') problems[name] = ['参数不正确', 'The parameter is not valid'];
    else if (!isStorableText(text))
      problems[name] = ['包含无法查询的字符', 'Contains characters that cannot be searched'];
    else if (RESERVED.has(name)) single[name] = text;
    else if (!Object.hasOwn(fields, name) || !fields[name]!.search)
      problems[name] = ['不支持按此项筛选', 'Filtering by this is not supported'];
    else if (text !== '') filters[name] = text;
  }
  const page = positive(single.page ?? '1', 1_000_000);
  const limit = positive(single.limit ?? '10', MAX_LIMIT);
  if (page === undefined)
    problems.page = ['页码应为1至1000000的整数', 'The page must be a whole number from 1 to 1000000'];
  if (limit === undefined)
    problems.limit = ['每页条数应为1至200的整数', 'The page size must be a whole number from 1 to 200'];
  const sort = single.sort || resource.list.sort;
  const sortField = fields[sort.replace(/^-/, '')];
  if (!sortField?.sortable || !Object.hasOwn(fields, sort.replace(/^-/, '')))
    problems.sort = ['不支持按此项排序', 'Sorting by this is not supported'];
  const tab = single.tab || undefined;
  if (tab && !resource.list.tabs?.some((one) => one.key === tab))
    problems.tab = ['没有此标签页', 'There is no such tab'];
  if ((single.searchVal ?? '').length > 200) problems.searchVal = ['关键字过长', 'The keyword is too long'];
  if (Object.keys(problems).length > 0) throw invalid(problems);
  return {
    page: page!,
    limit: limit!,
    searchVal: (single.searchVal ?? '').trim(),
    sort,
    tab,
    cursor: single.cursor || undefined,
    exact: single.exact === '1',
    filters,
  };
}

/**
 * Builds WHERE of a list: fixed condition, scope, tab, filters, keyword. The scope is always part of it. Exact values of
 * masked fields are counted in the database; nothing else asks it. Throws 429 beyond the hour's number of them.
 */
export async function whereOf(
  resource: Resource,
  binding: Binding,
  columns: BoundColumns,
  { caller, platform }: { readonly caller: Caller; readonly platform: Platform },
  menu: string,
  request: Pick<ListRequest, 'searchVal' | 'tab' | 'filters'>,
  parameters: Parameters,
): Promise<string> {
  await noteGuesses(platform, caller, guessesOf(columns.fields, binding, request));
  const parts: string[] = [];
  if (binding.where) parts.push(binding.where);
  for (const [name, condition] of Object.entries(binding.unfiltered ?? {}))
    if (!request.filters[name]) parts.push(condition);
  const scope = scopeCondition(caller, menu, binding.scope, parameters);
  if (scope !== 'TRUE') parts.push(scope);
  const tab = request.tab ? resource.list.tabs?.find((one) => one.key === request.tab) : undefined;
  if (tab?.named) {
    const condition = binding.tabs?.[tab.key];
    if (!condition) throw new Error(`${resource.name}: tab ${tab.key} has no condition`);
    parts.push(condition(caller, parameters));
  }
  const problems: Record<string, Label> = {};
  for (const [name, value] of Object.entries({ ...request.filters, ...tab?.filter })) {
    const own = binding.filters?.[name];
    const field = columns.fields[name];
    // Whoever writes the condition: lists of references are ids, and not more than anybody would choose.
    const ids =
      own && field?.search === 'in' && ['ref', 'refs', 'treeRef'].includes(field.kind) && !value.includes(':')
        ? readIds(value)
        : [];
    const condition = isRefused(ids)
      ? ids
      : own
        ? own(value, parameters, caller, platform)
        : filterCondition(columns.fields[name]!, columns.expression(name), value, parameters);
    if (typeof condition === 'string') parts.push(condition);
    else problems[name] = condition;
  }
  if (Object.keys(problems).length > 0) throw invalid(problems);
  // A tab and a filter of the same field both apply: the tab never widens what was asked for.
  for (const [name, value] of Object.entries(request.filters)) {
    if (!tab?.filter || !(name in tab.filter) || tab.filter[name] === value) continue;
    const condition = filterCondition(columns.fields[name]!, columns.expression(name), value, parameters);
    if (typeof condition === 'string') parts.push(condition);
  }
  if (request.searchVal !== '')
    parts.push(
      binding.keyword?.(request.searchVal, parameters, caller, platform) ??
        ((await isOwnCode(platform.database.db, binding, columns, request.searchVal))
          ? `t.code = ${parameters.bind(request.searchVal.toUpperCase())}`
          : keywordCondition(binding, request.searchVal, parameters)),
    );
  return parts.length === 0 ? 'TRUE' : parts.join(' AND ');
}

/** Values of masked fields a request looks for: filters by such a field, and a keyword that is compared with them. */
function guessesOf(
  fields: BoundColumns['fields'],
  binding: Binding,
  request: Pick<ListRequest, 'searchVal' | 'filters'>,
): string[] {
  const values = Object.entries(request.filters).flatMap(([name, value]) =>
    fields[name]?.mask ? [value] : [],
  );
  const { searchVal } = request;
  if (searchVal !== '' && binding.searchExact)
    if (Object.values(fields).some((field) => field.mask && looksPersonal(field.mask, searchVal)))
      values.push(searchVal);
  return values;
}

/**
 * The statement of one page. With a cursor the page follows it; otherwise rows are skipped by page number.
 * `select` makes the SELECT list from the SQL text of the sort value; default every column and `__cursor`.
 */
export function pageStatement(
  columns: BoundColumns,
  where: string,
  request: ListRequest,
  parameters: Parameters,
  tables: DatabaseTables,
  select: (cursor: string) => string = (cursor) => `${columns.select}, ${cursor}::text AS "__cursor"`,
): Statement {
  const descending = request.sort.startsWith('-');
  const sortName = request.sort.replace(/^-/, '');
  const expression = sortExpression(columns, sortName);
  const direction = descending ? 'DESC' : 'ASC';
  const nullable = columns.nullable(sortName, tables);
  // Rows without the value come last in both directions; a plain order keeps the index usable where there are none.
  const order = `${expression} ${direction}${nullable && descending ? ' NULLS LAST' : ''}, t.id ${direction}`;
  // The checked page size stands in the text: a statement without parameters is planned once per connection.
  let condition = where;
  let offset = '';
  if (request.cursor) {
    const [value, id] = decodeCursor(request.cursor);
    const compare = descending ? '<' : '>';
    if (value === null)
      condition = `${where} AND ${expression} IS NULL AND t.id ${compare} ${parameters.bind(id)}`;
    else {
      const after = `(${expression}, t.id) ${compare} (${parameters.bind(value)}${castOf(columns.fields[sortName]!)}, ${parameters.bind(id)})`;
      condition = `${where} AND ${nullable ? `(${after} OR ${expression} IS NULL)` : after}`;
    }
  } else if (request.page > 1) {
    offset = ` OFFSET ${parameters.bind((request.page - 1) * request.limit)}`;
  }
  if (offset && request.page > 50) {
    // Deep pages skip over keys first and fetch columns for the wanted rows only.
    const keys = withoutPlainJoins(columns.from, `${condition} ${order}`);
    return {
      text: `SELECT ${select(expression)} FROM ${columns.from} WHERE t.id IN (SELECT page_key.id FROM (SELECT t.id FROM ${keys} WHERE ${condition} ORDER BY ${order} LIMIT ${request.limit}${offset}) page_key) ORDER BY ${order}`,
      values: parameters.values,
    };
  }
  return {
    text: `SELECT ${select(expression)} FROM ${columns.from} WHERE ${condition} ORDER BY ${order} LIMIT ${request.limit}${offset}`,
    values: parameters.values,
  };
}

/** What a list is sorted by: words of people in their order, everything else as it is stored. */
function sortExpression(columns: BoundColumns, name: string): string {
  const expression = columns.expression(name);
  return columns.fields[name]!.kind === 'text' ? nameOrder(expression) : expression;
}

/** The capped count of a list, or the exact one. */
export function countStatement(
  columns: BoundColumns,
  where: string,
  parameters: Parameters,
  exact: boolean,
): Statement {
  const from = withoutPlainJoins(columns.from, where);
  return {
    text: exact
      ? `SELECT count(*) AS n FROM ${from} WHERE ${where}`
      : `SELECT count(*) AS n FROM (SELECT 1 FROM ${from} WHERE ${where} LIMIT ${COUNT_CAP + 1}) counted`,
    values: parameters.values,
  };
}

/** Totals of fields over all rows of a list, in the stored unit. */
export function sumsStatement(
  columns: BoundColumns,
  where: string,
  parameters: Parameters,
  names: readonly string[],
): Statement {
  const sums = names.map((name) => `coalesce(sum(${columns.expression(name)}), 0)::bigint AS "${name}"`);
  return {
    text: `SELECT ${sums.join(', ')} FROM ${columns.from} WHERE ${where}`,
    values: parameters.values,
  };
}

/** Opaque position after a row: its sort value and id. */
export function encodeCursor(value: string | null, id: number): string {
  return Buffer.from(JSON.stringify([value, id])).toString('base64url');
}

/** Field name in the database's spelling. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Condition of one filter value, or the message why the value is refused. */
export function filterCondition(
  field: Field,
  expression: string,
  value: string,
  parameters: Parameters,
): string | Label {
  switch (field.search) {
    case 'contains':
      return `${expression} ILIKE ${parameters.bind(containing(value))}`;
    case 'equals':
      return equalsCondition(field, expression, value, parameters);
    case 'in':
      return inCondition(field, expression, value, parameters);
    case 'range':
      return rangeCondition(field, expression, value, parameters);
    default:
      return ['不支持按此项筛选', 'Filtering by this is not supported'];
  }
}

/** Numbers as codes.ts makes them. */
const WHOLE_CODE = /^[A-Za-z]{1,4}\d{14,}$/;

/**
 * True when a keyword is the whole number of a row of the table, in reach or not: that row alone is meant. The pieces of numbers stand
 * in nearly every row, so that looking for them as for words takes half a second in a million.
 */
async function isOwnCode(
  db: Executor,
  binding: Binding,
  columns: BoundColumns,
  keyword: string,
): Promise<boolean> {
  const stands = (binding.from ?? `${binding.table} t`).trimStart().startsWith(`${binding.table} t`);
  if (!WHOLE_CODE.test(keyword) || !stands || !columns.fields.code?.keyword) return false;
  if (columns.expression('code') !== 't.code') return false;
  const own = await runOne(db, `SELECT 1 AS one FROM ${binding.table} WHERE code = $1 LIMIT 1`, [
    keyword.toUpperCase(),
  ]);
  return own !== undefined;
}

function keywordCondition(binding: Binding, keyword: string, parameters: Parameters): string {
  const lower = keyword.toLowerCase();
  const exact = (binding.searchExact ?? []).map((of) => {
    const value = parameters.bind(keyword);
    return of.includes(':value') ? of.replaceAll(':value', () => value) : `${of} = ${value}`;
  });
  const either = (condition: string) => `(${[condition, ...exact].join(' OR ')})`;
  if (!binding.search) return exact.length === 0 ? 'FALSE' : either(exact.shift()!);
  const like = either(`${binding.search} LIKE ${parameters.bind(containing(lower))}`);
  if (Array.from(lower).length < 2) return like;
  // Two conditions for one: the index answers the first whole, so that its pieces are not made again for every row found;
  // where the list is walked in its order instead, the second is asked first, because it costs less.
  return `${either(`bigrams(${binding.search}) @> bigrams(${parameters.bind(lower)})`)} AND ${like}`;
}

function equalsCondition(
  field: Field,
  expression: string,
  value: string,
  parameters: Parameters,
): string | Label {
  if (field.kind === 'boolean') {
    if (value !== 'true' && value !== 'false') return ['请选择是或否', 'Please choose yes or no'];
    return `${expression} = ${parameters.bind(value === 'true')}`;
  }
  if (field.kind === 'integer') {
    if (!/^-?\d{1,15}$/.test(value)) return ['请输入整数', 'Please enter a whole number'];
    return `${expression} = ${parameters.bind(Number(value))}`;
  }
  if (field.kind === 'ref' || field.kind === 'treeRef')
    return inCondition(field, expression, value, parameters);
  if (field.kind === 'choice' && !Object.hasOwn(field.choices ?? {}, value))
    return ['没有此选项', 'There is no such choice'];
  return `${expression} = ${parameters.bind(value)}`;
}

/** Ids of a filter value, separated by commas, or the message why they are refused. */
export function readIds(value: string): readonly number[] | Label {
  const entries = value.split(',').filter((entry) => entry !== '');
  if (entries.length > MAX_IN) return ['选项过多', 'Too many values'];
  if (entries.some((entry) => !/^\d{1,15}$/.test(entry))) return ['没有此选项', 'There is no such choice'];
  return entries.map(Number);
}

/** Whether {@link readIds} refused. */
export function isRefused(ids: readonly number[] | Label): ids is Label {
  return typeof ids[0] === 'string';
}

function inCondition(
  field: Field,
  expression: string,
  value: string,
  parameters: Parameters,
): string | Label {
  const entries = value.split(',').filter((entry) => entry !== '');
  if (entries.length > MAX_IN) return ['选项过多', 'Too many values'];
  if (field.kind === 'choice') {
    const choices = field.choices ?? {};
    if (entries.some((entry) => !Object.hasOwn(choices, entry)))
      return ['没有此选项', 'There is no such choice'];
    return `${expression} = ANY(${parameters.bind(entries)}::text[])`;
  }
  if (field.kind === 'ref' || field.kind === 'treeRef' || field.kind === 'refs') {
    const numbers = readIds(value);
    if (isRefused(numbers)) return numbers;
    const ids = parameters.bind(numbers);
    return field.kind === 'refs'
      ? `${expression} && ${ids}::bigint[]`
      : `${expression} = ANY(${ids}::bigint[])`;
  }
  return `${expression} = ANY(${parameters.bind(entries)}::text[])`;
}

function rangeCondition(
  field: Field,
  expression: string,
  value: string,
  parameters: Parameters,
): string | Label {
  const pieces = value.split('~');
  if (pieces.length !== 2) return ['范围不正确', 'The range is not valid'];
  const [from, to] = pieces as [string, string];
  const parts: string[] = [];
  const add = (operator: string, side: string, convert: (text: string) => unknown): Label | undefined => {
    if (side === '') return undefined;
    const converted = convert(side);
    if (converted === undefined) return ['范围不正确', 'The range is not valid'];
    parts.push(`${expression} ${operator} ${parameters.bind(converted)}`);
    return undefined;
  };
  const day = (convert: (text: string) => unknown) => (text: string) =>
    isBusinessDay(text) ? convert(text) : undefined;
  const problem =
    field.kind === 'instant'
      ? (add('>=', from, day(startOfBusinessDay)) ?? add('<', to, day(endOfBusinessDay)))
      : field.kind === 'date'
        ? (add(
            '>=',
            from,
            day((text) => text),
          ) ??
          add(
            '<=',
            to,
            day((text) => text),
          ))
        : field.kind === 'money'
          ? (add('>=', from, fenFromYuan) ?? add('<=', to, fenFromYuan))
          : (add('>=', from, finite) ?? add('<=', to, finite));
  if (problem) return problem;
  return parts.length === 0 ? 'TRUE' : parts.join(' AND ');
}

function finite(text: string): number | undefined {
  return /^-?\d{1,15}(\.\d{1,6})?$/.test(text) ? Number(text) : undefined;
}

function positive(text: string, max: number): number | undefined {
  if (!/^\d{1,7}$/.test(text)) return undefined;
  const value = Number(text);
  return value >= 1 && value <= max ? value : undefined;
}

function decodeCursor(cursor: string): [string | null, number] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (
      Array.isArray(parsed) &&
      parsed.length === 2 &&
      (parsed[0] === null || typeof parsed[0] === 'string') &&
      Number.isSafeInteger(parsed[1])
    )
      if (parsed[0] === null || isStorableText(parsed[0])) return parsed as [string | null, number];
  } catch {
    // falls through to the refusal
  }
  throw invalid({ cursor: ['翻页位置已失效', 'The page position is no longer valid'] });
}

function castOf(field: Field): string {
  switch (field.kind) {
    case 'instant':
      return '::timestamptz';
    case 'date':
      return '::date';
    case 'money':
    case 'integer':
    // References are sorted by their id.
    case 'ref':
    case 'treeRef':
      return '::bigint';
    case 'decimal':
    case 'percent':
      return '::numeric';
    default:
      return '::text';
  }
}
