import { columnOfField, filled } from './field-columns.ts';
import { formFieldNames, elementCode, type ActionSpec, type Resource } from '../../contract/resource.ts';
import { checkInput } from '../../contract/input.ts';
import { fill, type Label } from '../../contract/label.ts';
import { fenFromYuan } from '../../contract/money.rules.ts';
import type { Field, Fields } from '../../contract/fields.ts';
import { differences, writeAudit, writeTimeline, type FieldChange } from '../audit/audit.ts';
import type { Binding, DbRow } from './binding.ts';
import { holds, isSystem, staffIdOf, type Caller, type RequestFacts } from '../people/caller.ts';
import { nextCode } from './codes.ts';
import { run, runOne, transaction, type Tx } from '../database.ts';
import { forbidden, invalid, notFound, ruleBroken } from '../http/errors.ts';
import { withSpan } from '../http/tracing.ts';
import type { BoundColumns } from './list-query.ts';
import { sanitizeRichText } from '../../contract/rich-text.rules.ts';
import { takenValue } from './taken-value.ts';
import type { DatabaseTables } from '../tables-of-database.ts';
import type { Platform } from '../platform.ts';
import { Parameters, scopeCondition } from '../people/scope.ts';

/** What a handler works with, inside the transaction and behind the row lock. */
export interface ActionContext {
  readonly tx: Tx;
  readonly platform: Platform;
  readonly caller: Caller;
  readonly facts: RequestFacts;
  readonly action: string;
  /** Id of the locked row; 0 while creating and for page actions. */
  readonly id: number;
  /** The locked row with the columns of the table (snake_case), empty while creating. */
  readonly row: DbRow;
  /** Checked input by field name; money as fen, refs as numbers. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Columns the default would write; handlers of create and update may change or complete them. */
  readonly columns: Record<string, unknown>;
}

/** What a handler decides. */
export interface ActionResult {
  /** State afterwards, one of the action's `to`; default the only one. */
  readonly to?: string;
  /** Columns to write besides the state. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** Remark of the timeline entry. */
  readonly remark?: string;
  /** Wording of the timeline entry, default the action's label. */
  readonly event?: Label;
  /** The handler wrote the row and its timeline itself, by a command that others call too. */
  readonly told?: true;
  /** Changes of fields that are no columns of the row, or of an action that is no update, for the timeline entry. */
  readonly changes?: readonly FieldChange[];
  /** Inputs no audit record keeps, such as what a secret ballot says. */
  readonly unrecorded?: readonly string[];
  /** Sent back as `result`. */
  readonly result?: unknown;
  /** Id of the row an own create handler made. */
  readonly id?: number;
}

/** One call of the action function. */
export interface ActionCall {
  readonly platform: Platform;
  readonly caller: Caller;
  readonly facts: RequestFacts;
  readonly menu: string;
  readonly action: string;
  /** Undefined for create and page actions. */
  readonly id: number | undefined;
  readonly input: unknown;
  /** Version the caller saw; undefined skips the check (bulk and specification paths). */
  readonly version: number | undefined;
}

export const STALE: Label = [
  '数据已被他人修改，请核对后重试',
  'Somebody else changed this record, please check and try again',
];
export const WRONG_STATE: Label = ['当前状态不能执行此操作', 'This is not possible in the current state'];

/**
 * The one function that changes a row: begin, lock the row inside the data scope, check right, state, version and row
 * rule, validate input, run the handler, write, append timeline and audit record, commit.
 * Throws Refusal: 403 without the element, 404 outside the scope, 30101 in the wrong state or for a stale version, 422.
 */
export async function runAction(
  resource: Resource,
  binding: Binding,
  columns: BoundColumns,
  call: ActionCall,
): Promise<{ id: number; result: unknown }> {
  const spec = resource.actions?.[call.action];
  if (!spec) throw notFound();
  if (spec.on === 'system') throw notFound();
  if (!holds(call.caller, elementCode({ menu: call.menu }, spec.element))) throw forbidden();
  const outcome = await transaction(call.platform.database.db, (tx) =>
    actIn(tx, resource, binding, columns, call, spec),
  );
  call.platform.changed(binding.entity ?? resource.name);
  return outcome;
}

/** Runs an action inside a transaction that is already open: for commands that change several rows at once. */
export function actIn(
  tx: Tx,
  resource: Resource,
  binding: Binding,
  columns: BoundColumns,
  call: ActionCall,
  spec: ActionSpec,
): Promise<{ id: number; result: unknown }> {
  return withSpan('action', `${resource.name}.${call.action}`, () =>
    act(tx, resource, binding, columns, call, spec),
  ).catch(async (error: unknown) => {
    throw (await takenValue(call.platform.database.db, resource, binding, error)) ?? error;
  });
}

async function act(
  tx: Tx,
  resource: Resource,
  binding: Binding,
  columns: BoundColumns,
  call: ActionCall,
  spec: ActionSpec,
): Promise<{ id: number; result: unknown }> {
  // What names no row is checked by no scope of a row: a grant made by mistake must not open it.
  if (call.id === undefined && binding.scope.platformOnly && call.caller.tenantKind !== 3) throw forbidden();
  const row = call.id === undefined ? {} : await lockRow(tx, binding, call);
  const from =
    call.id === undefined || !resource.states ? undefined : String(row[binding.stateColumn ?? 'state']);
  if (call.id !== undefined) await checkRow(tx, resource, binding, columns, call, spec, row, from);
  const input = readInput(resource, call, spec);
  const context: ActionContext = {
    tx,
    platform: call.platform,
    caller: call.caller,
    facts: call.facts,
    action: call.action,
    id: call.id ?? 0,
    row,
    input,
    columns: isWrite(call.action)
      ? toColumns(resource.fields, binding, input, await call.platform.tables())
      : {},
  };
  for (const look of binding.before ?? []) await look(context);
  await binding.checks?.[call.action]?.(context);
  const handled = (await binding.handlers?.[call.action]?.(context)) ?? {};
  const to = nextState(resource, call.action, spec, handled, from);
  const id = await write(context, resource, binding, call, spec, handled, to, from);
  const fieldChanges = [
    ...(call.action === 'update' ? differences(row, { ...context.columns, ...handled.set }) : []),
  ];
  for (const hang of binding.after ?? []) fieldChanges.push(...(await hang(context, id)));
  const entry = {
    entity: binding.entity ?? resource.name,
    entityId: id,
    caller: call.caller,
    action: call.action,
    label: handled.event ?? spec.event ?? spec.label,
    from,
    to,
    remark: handled.remark ?? (spec.remark === undefined ? '' : String(input[spec.remark] ?? '')),
    changes: [...fieldChanges, ...(handled.changes ?? [])],
  };
  if (!handled.told) await writeTimeline(tx, entry);
  await writeAudit(tx, {
    caller: call.caller,
    facts: call.facts,
    menu: call.menu,
    action: call.action,
    entity: binding.entity ?? resource.name,
    entityId: id,
    before:
      call.id === undefined
        ? undefined
        : auditedRow(row, {
            ...context.columns,
            ...handled.set,
            ...(to ? { [binding.stateColumn ?? 'state']: to } : {}),
          }),
    after: {
      ...Object.fromEntries(fieldChanges.map((change) => [change.field, change.after])),
      ...context.columns,
      ...handled.set,
      ...(to ? { state: to } : {}),
      ...(isWrite(call.action) ? {} : { input: recorded(spec, call.input, handled.unrecorded) }),
    },
  });
  return { id, result: handled.result };
}

/** The input of an action as it may be kept. */
function recorded(spec: ActionSpec, input: unknown, left: readonly string[] = []): unknown {
  const secret = Object.keys(spec.input ?? {}).filter((name) => spec.input![name]!.secret);
  const out = [...secret, ...left];
  if (out.length === 0 || typeof input !== 'object' || input === null) return input;
  return Object.fromEntries(Object.entries(input).filter(([name]) => !out.includes(name)));
}

/** Names of the row actions the caller may take on a row now: granted, in the right state, not refused by the row rule. */
export function allowedActions(
  resource: Resource,
  binding: Binding,
  granted: readonly string[],
  row: DbRow,
  caller: Caller,
): string[] {
  const state = resource.states ? String(row.state) : undefined;
  const names: string[] = [];
  for (const name of granted) {
    const spec = resource.actions![name]!;
    if (spec.from && (state === undefined || !spec.from.includes(state))) continue;
    if (binding.rowRules?.[name]?.(row, caller)) continue;
    names.push(name);
  }
  return names;
}

/** The row actions a caller holds the element of, under a menu. */
export function grantedActions(resource: Resource, caller: Caller, menu: string): readonly string[] {
  let known = granted.get(caller);
  if (!known) granted.set(caller, (known = new Map()));
  const key = `${menu} ${resource.name}`;
  let names = known.get(key);
  if (!names) {
    names = Object.entries(resource.actions ?? {})
      .filter(
        ([, spec]) =>
          (spec.on === 'row' || spec.on === 'rowAndBulk') &&
          holds(caller, elementCode({ menu }, spec.element)),
      )
      .map(([name]) => name);
    known.set(key, names);
  }
  return names;
}

// A caller never changes and lives as long as its session is cached, below a second.
const granted = new WeakMap<Caller, Map<string, readonly string[]>>();

/** Input values as columns: money in fen, refs as numbers under `<name>_id`, lists as they are. */
export function toColumns(
  fields: Fields,
  binding: Pick<Binding, 'writes' | 'table'>,
  input: Readonly<Record<string, unknown>>,
  tables: DatabaseTables,
): Record<string, unknown> {
  const columns: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    const column = columnOfField(fields, binding, name);
    if (column === undefined) continue;
    columns[column] = filled(name, value, fields[name], tables.isNotNull(binding.table, column));
  }
  return columns;
}

async function lockRow(tx: Tx, binding: Binding, call: ActionCall): Promise<DbRow> {
  const parameters = new Parameters();
  const id = parameters.bind(call.id);
  const scope = isSystem(call.caller)
    ? 'TRUE'
    : scopeCondition(call.caller, call.menu, binding.scope, parameters);
  // Rows that refer to this one are written meanwhile, unless it goes: a bulk of somebody who is being disabled would wait for
  // the account, and the account for the rows of the bulk.
  const lock = call.action === 'remove' ? 'UPDATE' : 'NO KEY UPDATE';
  // The scope may need joined columns, the lock is on the table itself.
  const row = await runOne<DbRow>(
    tx,
    `SELECT t.* FROM ${binding.from ?? `${binding.table} t`} WHERE t.id = ${id}${binding.where ? ` AND ${binding.where}` : ''} AND ${scope} FOR ${lock} OF t`,
    parameters.values,
  );
  if (!row) throw notFound();
  return row;
}

async function checkRow(
  tx: Tx,
  resource: Resource,
  binding: Binding,
  columns: BoundColumns,
  call: ActionCall,
  spec: ActionSpec,
  row: DbRow,
  from: string | undefined,
): Promise<void> {
  if (spec.from && (from === undefined || !spec.from.includes(from)))
    throw ruleBroken(wrongState(resource, spec, from));
  if (call.version !== undefined && row.version !== undefined && call.version !== row.version)
    throw ruleBroken(binding.stale ?? STALE, { current: { id: String(row.id), version: row.version } });
  const rule = binding.rowRules?.[call.action];
  if (!rule) return;
  // The very row the list showed: same SELECT list, read behind the lock.
  const seen = await runOne<DbRow>(tx, `SELECT ${columns.select} FROM ${columns.from} WHERE t.id = $1`, [
    call.id,
  ]);
  const refused = seen && rule(seen, call.caller);
  if (refused) throw ruleBroken(refused);
}

function wrongState(resource: Resource, spec: ActionSpec, from: string | undefined): Label {
  const state = from ? resource.states?.[from]?.label : undefined;
  if (!state) return WRONG_STATE;
  return [
    `当前状态为「${state[0]}」，不能${spec.label[0]}`,
    fill(['', 'The state is "{state}": {action} is not possible'], {
      state: state[1],
      action: spec.label[1].toLowerCase(),
    })[1],
  ];
}

function readInput(resource: Resource, call: ActionCall, spec: ActionSpec): Record<string, unknown> {
  const form = isWrite(call.action) ? formFieldNames(resource, call.action as 'create' | 'update') : [];
  const fields = isWrite(call.action) ? { ...resource.fields, ...spec.input } : (spec.input ?? {});
  const names = isWrite(call.action) ? [...form, ...Object.keys(spec.input ?? {})] : Object.keys(fields);
  const checked = checkInput(fields, names, call.input, {
    partial: call.action === 'update',
    also: ['version'],
  });
  if (Object.keys(checked.problems).length > 0) throw invalid(checked.problems);
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(checked.values))
    values[name] = storedValue(fields[name]!, value);
  return values;
}

function storedValue(field: Field, value: unknown): unknown {
  if (value === null) return null;
  switch (field.kind) {
    case 'richText':
      return sanitizeRichText(value as string);
    case 'lines':
      return (value as Record<string, unknown>[]).map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, one]) => [
            name,
            field.lines?.[name] ? storedValue(field.lines[name], one) : one,
          ]),
        ),
      );
    case 'money':
      return fenFromYuan(value as string);
    case 'ref':
    case 'treeRef':
      return /^\d+$/.test(value as string) ? Number(value) : value;
    case 'refs':
      return (value as string[]).map((id) => (/^\d+$/.test(id) ? Number(id) : id));
    default:
      return value;
  }
}

/** True for the two actions that write the fields of a form; an input of another action belongs to its handler alone. */
export function isWrite(action: string): boolean {
  return action === 'create' || action === 'update';
}

function nextState(
  resource: Resource,
  action: string,
  spec: ActionSpec,
  handled: ActionResult,
  from: string | undefined,
): string | undefined {
  if (!resource.states) return undefined;
  const allowed = spec.to === undefined ? undefined : [spec.to].flat();
  if (handled.to !== undefined) {
    if (handled.to !== from && !allowed?.includes(handled.to))
      throw new Error(`${resource.name}.${action}: undeclared transition to ${handled.to}`);
    return handled.to;
  }
  if (!allowed) return from;
  if (allowed.length > 1) throw new Error(`${resource.name}.${action}: the handler must choose a state`);
  return allowed[0];
}

async function write(
  context: ActionContext,
  resource: Resource,
  binding: Binding,
  call: ActionCall,
  spec: ActionSpec,
  handled: ActionResult,
  to: string | undefined,
  from: string | undefined,
): Promise<number> {
  const { tx } = context;
  const set: Record<string, unknown> = { ...context.columns, ...handled.set };
  const stateColumn = binding.stateColumn ?? 'state';
  if (call.action === 'create') {
    if (handled.id !== undefined) return handled.id;
    const defaults = (await binding.createDefaults?.(tx, call.caller)) ?? {};
    const values: Record<string, unknown> = {
      ...defaults,
      ...set,
      created_by: staffIdOf(call.caller),
      updated_by: staffIdOf(call.caller),
    };
    if (binding.codePrefix) values[binding.codeColumn ?? 'code'] = await nextCode(tx, binding.codePrefix);
    if (to !== undefined) values[stateColumn] = to;
    return insertRow(tx, binding.table, values);
  }
  if (call.id === undefined) return 0;
  if (call.action === 'remove' && handled.set === undefined && removesRow(resource)) {
    await run(tx, `DELETE FROM ${binding.table} WHERE id = $1`, [call.id]);
    return call.id;
  }
  if (handled.told) return call.id;
  if (to !== undefined && to !== from) set[stateColumn] = to;
  const versioned = context.row.version !== undefined && !spec.untouched;
  const stamped = context.row.updated_at !== undefined && !spec.untouched;
  const parameters = new Parameters();
  const assignments = Object.entries(set).map(
    ([column, value]) => `${quoted(column)} = ${parameters.bind(value)}`,
  );
  if (versioned) assignments.push('version = version + 1');
  if (stamped)
    assignments.push('updated_at = now()', `updated_by = ${parameters.bind(staffIdOf(call.caller))}`);
  if (assignments.length > 0)
    await run(
      tx,
      `UPDATE ${binding.table} SET ${assignments.join(', ')} WHERE id = ${parameters.bind(call.id)}`,
      parameters.values,
    );
  return call.id;
}

/** Inserts a row and returns its id. Column names come from code, values are bound. */
export async function insertRow(
  tx: Tx,
  table: string,
  values: Readonly<Record<string, unknown>>,
): Promise<number> {
  const parameters = new Parameters();
  const names = Object.keys(values);
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO ${table} (${names.map(quoted).join(', ')}) VALUES (${names.map((name) => parameters.bind(values[name])).join(', ')}) RETURNING id`,
    parameters.values,
  );
  return row!.id;
}

function removesRow(resource: Resource): boolean {
  return resource.actions?.remove?.to === undefined;
}

/** A column name as SQL. Names come from code. */
export function quoted(column: string): string {
  return `"${column}"`;
}

function auditedRow(row: DbRow, after: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const before: Record<string, unknown> = {};
  for (const column of Object.keys(after)) if (column in row) before[column] = row[column];
  return before;
}
