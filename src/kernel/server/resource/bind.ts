import { yuanFromFen } from '../../contract/money.rules.ts';
import {
  elementCode,
  elementsOf,
  exportElementOf,
  titleFieldOf,
  type Resource,
} from '../../contract/resource.ts';
import type { Fields } from '../../contract/fields.ts';
import type { Label } from '../../contract/label.ts';
import { writeAudit } from '../audit/audit.ts';
import { transaction, type Tx } from '../database.ts';
import { Refusal, forbidden, notFound } from '../http/errors.ts';
import { SYSTEM, holds, type RequestFacts } from '../people/caller.ts';
import { Parameters, scopeCondition, scopeKey } from '../people/scope.ts';
import type { Platform } from '../platform.ts';
import { JsonText, type Call, type Registration } from '../registration.ts';
import { createExportTask } from '../tasks/task-centre.ts';
import { withAbilities } from './abilities/apply.ts';
import { noteNoun } from './abilities/deletable.ts';
import type { Binding, DbRow } from './binding.ts';
import { countCache } from './count-cache.ts';
import { resourceEndpoints } from './endpoints.ts';
import { exportSourceOf } from './export-rows.ts';
import { importTargetOf } from './import-rows.ts';
import {
  boundColumns,
  countStatement,
  encodeCursor,
  pageStatement,
  readListRequest,
  snakeCase,
  whereOf,
  COUNT_CAP,
  type BoundColumns,
  type ListRequest,
  sumsStatement,
} from './list-query.ts';
import { optionSource } from './options.ts';
import { readPageRows, readStatement, rowPresenter, type WireRow } from './read-rows.ts';
import { revealOf } from './reveal.ts';
import { actIn, runAction, type ActionCall } from './run-action.ts';
import { fieldOfChange } from './timeline.ts';
import { tableProblems } from './table-problems.ts';
import { treeReader, type TreeReader } from './tree-query.ts';
import { wirePage, type WireRows } from './wire-page.ts';

/** The engine's functions of one resource, for specification paths and commands of the same folder. */
export interface BoundResource {
  readonly registration: Registration;
  readonly resource: Resource;
  /** The binding with what its abilities added. */
  readonly binding: Binding;
  readonly columns: BoundColumns;
  /** A page of rows inside the caller's scope. */
  page(
    call: Pick<Call, 'caller' | 'platform'>,
    request: ListRequest,
  ): Promise<{ total: number; totalCapped?: boolean; rows: WireRow[]; nextCursor?: string }>;
  /** The same page as the JSON text that is sent: nothing parses and writes it once more. */
  pageJson(call: Pick<Call, 'caller' | 'platform'>, request: ListRequest): Promise<JsonText>;
  /** Raw rows (unmasked, with extras) of a page, for specification paths that shape their own rows. They mask themselves. */
  rawPage(
    call: Pick<Call, 'caller' | 'platform'>,
    request: ListRequest,
  ): Promise<{ total: number; totalCapped?: boolean; rows: DbRow[] }>;
  count(
    call: Pick<Call, 'caller' | 'platform'>,
    request: Pick<ListRequest, 'searchVal' | 'tab' | 'filters'>,
    exact?: boolean,
  ): Promise<number>;
  /** Totals of the fields of `list.sums` over all rows of a list, as they travel on the wire. */
  sums(
    call: Pick<Call, 'caller' | 'platform'>,
    request: Pick<ListRequest, 'searchVal' | 'tab' | 'filters'>,
  ): Promise<Record<string, string | number>>;
  /** One raw row inside the scope. Throws 404. */
  find(call: Pick<Call, 'caller' | 'platform'>, id: number): Promise<DbRow>;
  /** One row on the wire with its detail parts. Throws 404. */
  detail(call: Pick<Call, 'caller' | 'platform'>, id: number): Promise<WireRow>;
  act(
    call: Pick<Call, 'caller' | 'platform' | 'facts'>,
    action: string,
    id: number | undefined,
    input: unknown,
    version?: number,
  ): Promise<{ id: number; result: unknown }>;
  /**
   * Runs an action inside a transaction that is already open, in the caller's name: right, scope, state and rules as ever.
   * The caller of this tells the platform that the rows have changed.
   */
  actIn(
    tx: Tx,
    call: Pick<Call, 'caller' | 'platform' | 'facts'>,
    action: string,
    id: number | undefined,
    input?: unknown,
  ): Promise<{ id: number; result: unknown }>;
  /** The same in the name of the product itself: jobs, effects and commands of other features. States and rules hold. */
  actAsSystem(
    tx: Tx,
    platform: Platform,
    action: string,
    id: number | undefined,
    input?: unknown,
  ): Promise<{ id: number; result: unknown }>;
  /** The tree of a resource that is one. */
  readonly tree: TreeReader | undefined;
  /** Queues an export with these filters; returns the task id. */
  export(
    call: Pick<Call, 'caller' | 'platform' | 'facts'>,
    query: Readonly<Record<string, string>>,
  ): Promise<string>;
}

/** Facts of work nobody asked for by hand. */
const SYSTEM_FACTS: RequestFacts = { address: '', userAgent: '', language: 'zh', traceId: '' };

/** Actions the engine carries out by itself. */
const OWN_WORK = new Set(['create', 'update', 'remove', 'move', 'order']);

/**
 * Binds a contract to its table and gives the endpoints, elements, export and options of the resource. Throws when an action has
 * neither work nor a state to go to.
 */
export function bindResource<F extends Fields, A extends string>(
  contract: Resource<F, A>,
  declared: Binding<NoInfer<A>>,
): BoundResource {
  const resource = contract as unknown as Resource;
  const binding = withAbilities(resource, declared as Binding);
  for (const [name, spec] of Object.entries(resource.actions ?? {})) {
    if (!OWN_WORK.has(name) && spec.opens !== 'screen' && spec.to === undefined && !binding.handlers?.[name])
      throw new Error(
        `${resource.name}: action ${name} has no state to go to, nothing it sets (sets: { ${name}: {} } only tells it) and no handler`,
      );
    if (declared.handlers?.[name as A] && declared.sets?.[name as A])
      throw new Error(
        `${resource.name}: action ${name} has sets and a handler; the handler returns what it sets, or there is none`,
      );
  }
  noteNoun(binding.table, resource.noun ?? resource.title);
  const columns = boundColumns(resource, binding);
  const present = rowPresenter(resource, binding, columns);
  const menu = resource.menu;
  const listed = new Set([...resource.list.columns, ...(resource.list.hidden ?? []), titleFieldOf(resource)]);
  if (resource.states) listed.add('state');

  const statementParts: StatementParts = async (call, request) => {
    const parameters = new Parameters();
    const where = await whereOf(resource, binding, columns, call, menu, request, parameters);
    return { parameters, where };
  };
  const count: BoundResource['count'] = (call, request, exact = false) => {
    const key = `${resource.name}|${scopeKey(call.caller, menu)}|${request.tab ?? ''}|${binding.scope.own || tabDependsOnCaller(resource, request.tab) ? call.caller.staffId : ''}|${request.searchVal}|${JSON.stringify(request.filters)}|${exact}`;
    return countCache(call.platform, binding.entity ?? resource.name, key, async () => {
      const { parameters, where } = await statementParts(call, request);
      const rows = await readStatement(
        call.platform.database.pool,
        countStatement(columns, where, parameters, exact),
      );
      return rows[0]!.n as number;
    });
  };
  const sums: BoundResource['sums'] = async (call, request) => {
    const names = resource.list.sums ?? [];
    const { parameters, where } = await statementParts(call, request);
    const [found] = await readStatement(
      call.platform.database.pool,
      sumsStatement(columns, where, parameters, names),
    );
    return Object.fromEntries(
      names.map((name) => {
        const value = found![name] as number;
        return [name, columns.fields[name]!.kind === 'money' ? yuanFromFen(value) : value];
      }),
    );
  };
  const rawRows = async (call: Pick<Call, 'caller' | 'platform'>, request: ListRequest): Promise<DbRow[]> => {
    const { parameters, where } = await statementParts(call, request);
    const rows = await readPageRows(
      call.platform.database.pool,
      pageStatement(
        columns,
        where,
        request,
        parameters,
        await call.platform.tables(),
        (cursor) => `${columns.selectJson}, ${cursor}::text AS "__cursor"`,
      ),
      columns,
    );
    await binding.present?.(rows, call.platform.database.db, call.caller, call.platform, request.filters);
    return rows;
  };
  const rawPage: BoundResource['rawPage'] = async (call, request) => {
    const [rows, total] = await Promise.all([rawRows(call, request), count(call, request, request.exact)]);
    return total > COUNT_CAP && !request.exact
      ? { total: COUNT_CAP, totalCapped: true, rows }
      : { total, rows };
  };
  const wire = wirePage(resource, binding, columns, listed);
  // First pages bind nothing beyond their condition, so their long texts are made once.
  const firstPages = new Map<string, string>();
  const wireRows = async (
    call: Pick<Call, 'caller' | 'platform'>,
    request: ListRequest,
  ): Promise<WireRows> => {
    const { caller, platform } = call;
    if (!wire) {
      const rows = await rawRows(call, request);
      const last = rows[rows.length - 1];
      return {
        json: present(rows, caller, menu, listed)
          .map((row) => JSON.stringify(row))
          .join(','),
        count: rows.length,
        last: last && { cursor: (last.__cursor as string | null) ?? null, id: last.id as number },
      };
    }
    const { parameters, where } = await statementParts({ caller, platform }, request);
    const isFirst = request.page === 1 && !request.cursor;
    const key = `${request.sort} ${request.limit} ${where}`;
    let text = isFirst ? firstPages.get(key) : undefined;
    if (text === undefined) {
      const tables = await platform.tables();
      text = wire.gather(pageStatement(columns, where, request, parameters, tables, wire.select).text);
      if (isFirst && firstPages.size < 500) firstPages.set(key, text);
    }
    const [answer] = await readStatement(platform.database.pool, { text, values: parameters.values });
    return wire.read(answer!.lines as string | null, caller, menu);
  };
  const pageJson: BoundResource['pageJson'] = async (call, request) => {
    const [{ json, count: shown, last }, total] = await Promise.all([
      wireRows(call, request),
      count(call, request, request.exact),
    ]);
    const totals =
      total > COUNT_CAP && !request.exact ? `"total":${COUNT_CAP},"totalCapped":true` : `"total":${total}`;
    const next =
      last && shown === request.limit ? `,"nextCursor":"${encodeCursor(last.cursor, last.id)}"` : '';
    return new JsonText(`{${totals},"rows":[${json}]${next}}`);
  };
  const page: BoundResource['page'] = async (call, request) =>
    JSON.parse((await pageJson(call, request)).text) as Awaited<ReturnType<BoundResource['page']>>;
  const find: BoundResource['find'] = async (call, id) => {
    const parameters = new Parameters();
    const place = parameters.bind(id);
    const scope = scopeCondition(call.caller, menu, binding.scope, parameters);
    const rows = await readStatement(call.platform.database.pool, {
      text: `SELECT ${columns.select} FROM ${columns.from} WHERE ${[`t.id = ${place}`, ...(binding.where ? [binding.where] : []), ...Object.values(binding.unfiltered ?? {}), scope].join(' AND ')}`,
      values: parameters.values,
    });
    if (!rows[0]) throw notFound();
    await binding.present?.(rows, call.platform.database.db, call.caller, call.platform, {});
    return rows[0];
  };
  const detail: BoundResource['detail'] = async (call, id) => {
    const row = await find(call, id);
    const wire = present([row], call.caller, menu)[0]!;
    return { ...wire, ...(await binding.detail?.(call.platform.database.db, id, row, call.caller)) };
  };
  const act: BoundResource['act'] = (call, action, id, input, version) => {
    const actionCall: ActionCall = {
      platform: call.platform,
      caller: call.caller,
      facts: call.facts,
      menu,
      action,
      id,
      input,
      version,
    };
    return runAction(resource, binding, columns, actionCall).catch(async (error: unknown) => {
      // The page shows what somebody else changed: the refusal carries the row as it is now.
      if (
        id !== undefined &&
        error instanceof Refusal &&
        (error.data as { current?: unknown } | null)?.current
      )
        throw new Refusal(error.http, error.status, error.label, { current: await detail(call, id) });
      throw error;
    });
  };
  const within = (
    call: Pick<Call, 'caller' | 'platform' | 'facts'>,
    action: string,
    id: number | undefined,
    input: unknown,
  ) => {
    const spec = resource.actions?.[action];
    if (!spec) throw new Error(`${resource.name}: no action ${action}`);
    return {
      spec,
      call: { ...call, menu, action, id, input: input ?? {}, version: undefined } satisfies ActionCall,
    };
  };
  const actInside: BoundResource['actIn'] = async (tx, call, action, id, input) => {
    const inner = within(call, action, id, input);
    if (inner.spec.on === 'system' || !holds(call.caller, elementCode(resource, inner.spec.element)))
      throw forbidden();
    return actIn(tx, resource, binding, columns, inner.call, inner.spec);
  };
  const actAsSystem: BoundResource['actAsSystem'] = async (tx, platform, action, id, input) => {
    const inner = within({ caller: SYSTEM, platform, facts: SYSTEM_FACTS }, action, id, input);
    return actIn(tx, resource, binding, columns, inner.call, inner.spec);
  };
  const tree = resource.tree && treeReader(resource, binding, columns, present, listed);
  const exportSource = exportSourceOf(resource, binding, columns, count);
  const exportRows: BoundResource['export'] = (call, query) => {
    readListRequest(resource, query);
    return transaction(call.platform.database.db, async (tx) => {
      const taskId = await createExportTask(tx, call.caller, {
        source: exportSource.source,
        menu,
        name: resource.title,
        query,
        language: call.facts.language,
        element: exportElementOf(resource),
      });
      await writeAudit(tx, {
        caller: call.caller,
        facts: call.facts,
        menu,
        action: 'export',
        entity: resource.name,
        entityId: taskId,
        after: query,
      });
      return taskId;
    });
  };
  const bound: Omit<BoundResource, 'registration'> = {
    resource,
    binding,
    columns,
    page,
    pageJson,
    rawPage,
    count,
    sums,
    find,
    detail,
    act,
    actIn: actInside,
    actAsSystem,
    tree,
    export: exportRows,
  };
  const also = binding.also ?? {};
  const registration: Registration = {
    ...also,
    contract: resource,
    audited: {
      entity: binding.entity ?? resource.name,
      columns: Object.keys(resource.fields).flatMap((name) => [
        name,
        snakeCase(name),
        `${snakeCase(name)}_id`,
        ...(typeof binding.writes?.[name] === 'string' ? [binding.writes[name]] : []),
      ]),
      fieldOf: (column) => fieldOfChange(resource, binding, column),
      read: (change, caller) => (binding.readChange ? binding.readChange(change, caller) : change),
    },
    handled: Object.keys(declared.handlers ?? {}),
    tableProblems: (tables) => tableProblems(resource, binding, tables),
    menus: [menu, ...(also.menus ?? [])],
    ...(binding.scope.ownTenant ? { ownTenant: true } : {}),
    elements: { ...fullElements(resource), ...also.elements },
    endpoints: [...resourceEndpoints(resource, binding, bound), ...(binding.endpoints ?? [])],
    exports: [...(resource.list.export ? [exportSource] : []), ...(also.exports ?? [])],
    ...(resource.importable
      ? { imports: [importTargetOf(resource, binding, columns, actInside), ...(also.imports ?? [])] }
      : {}),
    // The first source of a target is the one that answers: an own one replaces the default.
    options: [...(also.options ?? []), optionSource(resource, binding, columns)],
    ...(Object.values(resource.fields).some((field) => field.mask)
      ? {
          reveal: {
            name: resource.name,
            element: elementCode(resource, 'btn_reveal'),
            find: revealOf(resource, binding, columns, menu),
            ...(binding.revealPaths && { paths: binding.revealPaths }),
          },
        }
      : {}),
  };
  return { ...bound, registration };
}

function fullElements(resource: Resource): Record<string, Label> {
  return Object.fromEntries(
    Object.entries(elementsOf(resource)).map(([element, label]) => [elementCode(resource, element), label]),
  );
}

function tabDependsOnCaller(resource: Resource, tab: string | undefined): boolean {
  return tab !== undefined && resource.list.tabs?.find((one) => one.key === tab)?.named === true;
}

type StatementParts = (
  call: Pick<Call, 'caller' | 'platform'>,
  request: Pick<ListRequest, 'searchVal' | 'tab' | 'filters'>,
) => Promise<{ readonly parameters: Parameters; readonly where: string }>;
