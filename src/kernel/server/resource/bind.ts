import { containing } from './like-text.ts';
import { nameOrder } from './name-order.ts';
import { optionTitles } from './option-titles.ts';
import { elementCode, elementsOf, fieldsOf, formFieldNames, type Resource } from '../../contract/resource.ts';
import { textOf, type Label } from '../../contract/label.ts';
import { isoInstant } from '../../contract/time.rules.ts';
import { maskValue } from '../../contract/mask.rules.ts';
import type { Field } from '../../contract/fields.ts';
import { writeAudit, type FieldChange } from '../audit/audit.ts';
import type { Binding, DbRow } from './binding.ts';
import { holds, type Caller } from '../people/caller.ts';
import { run, transaction } from '../database.ts';
import { InvalidInput, Refusal, forbidden, invalid, notFound } from '../http/errors.ts';
import {
  boundColumns,
  countStatement,
  encodeCursor,
  pageStatement,
  readListRequest,
  whereOf,
  COUNT_CAP,
  type BoundColumns,
  type ListRequest,
} from './list-query.ts';
import { exportSourceOf, exportText } from './export-rows.ts';
import type { Platform } from '../platform.ts';
import { countCache } from './count-cache.ts';
import { readPageRows, readStatement, rowPresenter, type WireRow } from './read-rows.ts';
import { runAction, type ActionCall } from './run-action.ts';
import { Parameters, scopeCondition, scopeKey } from '../people/scope.ts';
import { endpoint, JsonText, type Call, type Endpoint, type Registration } from '../registration.ts';
import { createExportTask } from '../tasks/task-centre.ts';
import { wirePage, type WireRows } from './wire-page.ts';

/** The engine's functions of one resource, for specification paths and commands of the same folder. */
export interface BoundResource {
  readonly registration: Registration;
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
  /** Queues an export with these filters; returns the task id. */
  export(
    call: Pick<Call, 'caller' | 'platform' | 'facts'>,
    query: Readonly<Record<string, string>>,
  ): Promise<string>;
}

/** Binds a contract to its table and gives the endpoints, elements, export and options of the resource. */
export function bindResource(resource: Resource, binding: Binding): BoundResource {
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
    const key = `${resource.name}|${scopeKey(call.caller, menu)}|${request.tab ?? ''}|${tabDependsOnCaller(resource, request.tab) ? call.caller.staffId : ''}|${request.searchVal}|${JSON.stringify(request.filters)}|${exact}`;
    return countCache(call.platform, binding.entity ?? resource.name, key, async () => {
      const { parameters, where } = await statementParts(call, request);
      const rows = await readStatement(
        call.platform.database.pool,
        countStatement(columns, where, parameters, exact),
      );
      return rows[0]!.n as number;
    });
  };
  const rawRows = async (call: Pick<Call, 'caller' | 'platform'>, request: ListRequest): Promise<DbRow[]> => {
    const { parameters, where } = await statementParts(call, request);
    const rows = await readPageRows(
      call.platform.database.pool,
      pageStatement(columns, where, request, parameters),
      columns,
    );
    await binding.present?.(rows, call.platform.database.db, call.caller);
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
      text = wire.gather(pageStatement(columns, where, request, parameters, wire.select).text);
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
      text: `SELECT ${columns.select} FROM ${columns.from} WHERE t.id = ${place}${binding.where ? ` AND ${binding.where}` : ''} AND ${scope}`,
      values: parameters.values,
    });
    if (!rows[0]) throw notFound();
    await binding.present?.(rows, call.platform.database.db, call.caller);
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
    columns,
    page,
    pageJson,
    rawPage,
    count,
    find,
    detail,
    act,
    export: exportRows,
  };
  const also = binding.also ?? {};
  const registration: Registration = {
    ...also,
    contract: resource,
    menus: [menu, ...(also.menus ?? [])],
    ...(binding.scope.ownTenant ? { ownTenant: true } : {}),
    elements: { ...fullElements(resource), ...also.elements },
    endpoints: [...resourceEndpoints(resource, binding, bound), ...(binding.endpoints ?? [])],
    exports: [...(resource.list.export ? [exportSource] : []), ...(also.exports ?? [])],
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

/** The field that holds a row's readable name. */
export function titleFieldOf(resource: Resource): string {
  if (resource.titleField) return resource.titleField;
  if (resource.fields.name) return 'name';
  return resource.fields.code ? 'code' : resource.list.columns[0]!;
}

function fullElements(resource: Resource): Record<string, Label> {
  return Object.fromEntries(
    Object.entries(elementsOf(resource)).map(([element, label]) => [elementCode(resource, element), label]),
  );
}

function tabDependsOnCaller(resource: Resource, tab: string | undefined): boolean {
  return tab !== undefined && resource.list.tabs?.find((one) => one.key === tab)?.named === true;
}

function resourceEndpoints(
  resource: Resource,
  binding: Binding,
  bound: Omit<BoundResource, 'registration'>,
): Endpoint[] {
  const root = `${resource.base ?? '/jinmao/web'}/${resource.name}`;
  const read = { code: resource.menu };
  const endpoints: Endpoint[] = [
    endpoint({
      method: 'GET',
      path: `${root}/page`,
      title: resource.title,
      access: read,
      rawQuery: true,
      handle: (call) =>
        bound.pageJson(call, readListRequest(resource, call.query as Record<string, unknown>)),
    }),
    endpoint({
      method: 'GET',
      path: `${root}/counts`,
      title: resource.title,
      access: read,
      rawQuery: true,
      handle: async (call) => {
        const request = readListRequest(resource, call.query as Record<string, unknown>);
        const tabs = resource.list.tabs ?? [];
        const counts = await Promise.all(tabs.map((tab) => bound.count(call, { ...request, tab: tab.key })));
        return Object.fromEntries(tabs.map((tab, index) => [tab.key, counts[index]]));
      },
    }),
    endpoint({
      method: 'GET',
      path: `${root}/:id`,
      title: resource.title,
      access: read,
      handle: (call) => bound.detail(call, idOf(call.params.id)),
    }),
    endpoint({
      method: 'GET',
      path: `${root}/:id/timeline`,
      title: resource.title,
      access: read,
      handle: async (call) => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        return timelineOf(resource, binding, call, id);
      },
    }),
  ];
  const actions = resource.actions ?? {};
  for (const [name, spec] of Object.entries(actions)) {
    const access = { code: elementCode(resource, spec.element) };
    if (name === 'create')
      endpoints.push(
        endpoint({
          method: 'POST',
          path: root,
          title: spec.label,
          access,
          handle: async (call) => {
            const done = await bound.act(call, 'create', undefined, call.body);
            return {
              ...(await bound.detail(call, done.id).catch(() => ({ id: String(done.id) }))),
              ...(done.result === undefined ? {} : { result: done.result }),
            };
          },
        }),
      );
    else if (name === 'update')
      endpoints.push(
        endpoint({
          method: 'PUT',
          path: `${root}/:id`,
          title: spec.label,
          access,
          handle: async (call) => {
            const id = idOf(call.params.id);
            const version = versionOf(call.body);
            if (version === undefined) throw invalid({ version: ['缺少版本号', 'The version is missing'] });
            await bound.act(call, 'update', id, call.body, version);
            return bound.detail(call, id);
          },
        }),
      );
    else if (name === 'remove')
      endpoints.push(
        endpoint({
          method: 'DELETE',
          path: `${root}/:id`,
          title: spec.label,
          access,
          rawQuery: true,
          handle: async (call) => {
            const version = Number((call.query as Record<string, string>).version);
            await bound.act(
              call,
              'remove',
              idOf(call.params.id),
              spec.input ? call.body : {},
              Number.isSafeInteger(version) ? version : undefined,
            );
            return true;
          },
        }),
      );
    else if (spec.on === 'page')
      endpoints.push(
        endpoint({
          method: 'POST',
          path: `${root}/action/${name}`,
          title: spec.label,
          access,
          handle: async (call) => (await bound.act(call, name, undefined, call.body)).result ?? true,
        }),
      );
    if (
      name !== 'create' &&
      name !== 'update' &&
      name !== 'remove' &&
      (spec.on === 'row' || spec.on === 'rowAndBulk')
    )
      endpoints.push(
        endpoint({
          method: 'POST',
          path: `${root}/:id/${name}`,
          title: spec.label,
          access,
          handle: async (call) => {
            const id = idOf(call.params.id);
            const { result } = await bound.act(call, name, id, call.body ?? {}, versionOf(call.body));
            // An action may take the row out of the caller's scope; that is success all the same.
            const row = await bound.detail(call, id).catch((error: unknown) => {
              if (error instanceof Refusal && error.http === 404) return { id: String(id) };
              throw error;
            });
            return result === undefined ? row : { ...row, result };
          },
        }),
      );
    if (spec.on === 'bulk' || spec.on === 'rowAndBulk')
      endpoints.push(
        endpoint({
          method: 'POST',
          path: `${root}/bulk/${name}`,
          title: spec.label,
          access,
          handle: (call) => bulk(bound, call, name, spec.bulkMax ?? 200),
        }),
      );
  }
  if (resource.list.export)
    endpoints.push(
      endpoint({
        method: 'POST',
        path: `${root}/export`,
        title: ['导出', 'Export'],
        access: { code: elementCode(resource, 'btn_export') },
        handle: async (call) => {
          const query = (call.body as { query?: unknown } | null)?.query ?? {};
          if (typeof query !== 'object' || Array.isArray(query))
            throw invalid({ query: ['筛选条件不正确', 'The filters are not valid'] });
          const {
            page: _page,
            limit: _limit,
            cursor: _cursor,
            exact: _exact,
            ...filters
          } = query as Record<string, string>;
          return { taskId: await bound.export(call, filters) };
        },
      }),
    );
  return endpoints;
}

async function bulk(
  bound: Omit<BoundResource, 'registration'>,
  call: Call,
  action: string,
  max: number,
): Promise<unknown> {
  const body = call.body as { ids?: unknown; versions?: unknown; input?: unknown } | null;
  const ids = body?.ids;
  const versions = readVersions(body?.versions);
  if (
    !Array.isArray(ids) ||
    ids.length === 0 ||
    !ids.every((id) => typeof id === 'string' && /^\d{1,15}$/.test(id))
  )
    throw invalid({ ids: ['请选择数据', 'Please select rows'] });
  if (ids.length > max) throw invalid({ ids: [`一次最多${max}条`, `At most ${max} rows at once`] });
  const done: string[] = [];
  const failed: { id: string; message: string }[] = [];
  for (const id of new Set(ids as string[])) {
    try {
      await bound.act(call, action, Number(id), body?.input ?? {}, versions.get(id));
      done.push(id);
    } catch (error) {
      // Without the right or the session none of the others would pass either.
      if (!(error instanceof Refusal) || error instanceof InvalidInput || [401, 403].includes(error.http))
        throw error;
      failed.push({ id, message: textOf(error.label, call.facts.language) });
    }
  }
  return { done, failed };
}

/** Versions the caller saw, by id; rows without one are not checked. */
function readVersions(value: unknown): ReadonlyMap<string, number> {
  if (value === undefined || value === null) return new Map();
  const entries = typeof value === 'object' && !Array.isArray(value) ? Object.entries(value) : undefined;
  if (!entries?.every((entry): entry is [string, number] => Number.isSafeInteger(entry[1])))
    throw invalid({ versions: ['版本号不正确', 'The versions are not valid'] });
  return new Map(entries);
}

async function timelineOf(resource: Resource, binding: Binding, call: Call, id: number): Promise<unknown> {
  const rows = await run<{
    id: number;
    at: Date;
    who: string;
    action: string;
    label_zh: string;
    label_en: string;
    from_state: string | null;
    to_state: string | null;
    remark: string;
    changes: FieldChange[] | null;
  }>(
    call.platform.database.db,
    'SELECT id, at, who, action, label_zh, label_en, from_state, to_state, remark, changes FROM entity_event WHERE entity = $1 AND entity_id = $2 ORDER BY id DESC LIMIT 200',
    [binding.entity ?? resource.name, id],
  );
  const zh = call.facts.language === 'zh';
  const { readChange } = binding;
  const changesOf = (row: (typeof rows)[number]): readonly FieldChange[] =>
    (row.changes ?? []).flatMap((change) => (readChange ? (readChange(change, call.caller) ?? []) : change));
  const titles = await refTitles(resource, binding, call, rows.flatMap(changesOf));
  const stateText = (state: string | null) => {
    const label = state ? resource.states?.[state]?.label : undefined;
    return label ? textOf(label, call.facts.language) : state;
  };
  return rows.map((row) => ({
    id: String(row.id),
    at: isoInstant(row.at),
    who: row.who,
    action: row.action,
    label: zh ? row.label_zh : row.label_en,
    from: stateText(row.from_state),
    to: stateText(row.to_state),
    remark: row.remark,
    changes: changesOf(row).flatMap(
      (change) => presentChange(resource, binding, change, call.facts.language, titles) ?? [],
    ),
  }));
}

/** A change in words; a column that belongs to no field is not shown, as nothing says whether it must be masked. */
function presentChange(
  resource: Resource,
  binding: Binding,
  change: { field: string; before: unknown; after: unknown },
  language: 'zh' | 'en',
  titles: RefTitles,
) {
  const field = fieldOfChange(resource, binding, change.field);
  if (!field) return undefined;
  const show = (value: unknown): string => {
    if (value === null || value === undefined) return '–';
    if (typeof value === 'number' && isRef(field))
      return titles.get(`${field.target}:${value}`) ?? `#${value}`;
    return exportText(field, value, language);
  };
  return { field: textOf(field.label, language), before: show(change.before), after: show(change.after) };
}

/** Readable names by `<target>:<id>`. */
type RefTitles = ReadonlyMap<string, string>;

function isRef(field: Field): boolean {
  return field.kind === 'ref' || field.kind === 'treeRef';
}

function fieldOfChange(resource: Resource, binding: Binding, column: string): Field | undefined {
  const name = Object.keys(resource.fields).find(
    (one) =>
      binding.writes?.[one] === column ||
      one === column ||
      snakeOf(one) === column ||
      `${snakeOf(one)}_id` === column,
  );
  return name ? resource.fields[name] : undefined;
}

/** Names of the rows that changes point to, as far as the caller may see them; a timeline of bare ids tells nobody anything. */
async function refTitles(
  resource: Resource,
  binding: Binding,
  call: Call,
  changes: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[],
): Promise<RefTitles> {
  const wanted = new Map<string, Set<number>>();
  for (const change of changes) {
    const field = fieldOfChange(resource, binding, change.field);
    if (!field?.target || !isRef(field)) continue;
    const ids = wanted.get(field.target) ?? new Set();
    for (const value of [change.before, change.after]) if (typeof value === 'number') ids.add(value);
    wanted.set(field.target, ids);
  }
  const titles = new Map<string, string>();
  for (const [target, ids] of wanted)
    for (const [id, title] of await optionTitles(call, target, ids)) titles.set(`${target}:${id}`, title);
  return titles;
}

function snakeOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function optionSource(resource: Resource, binding: Binding, columns: BoundColumns) {
  const title = columns.expression(titleFieldOf(resource));
  return {
    target: resource.name,
    anyOf: [resource.menu],
    find: async (
      call: { caller: Caller; platform: Platform },
      query: { searchVal: string; ids: readonly string[]; offset: number; limit: number },
    ) => {
      const parameters = new Parameters();
      const parts = [scopeCondition(call.caller, resource.menu, binding.scope, parameters)];
      if (binding.where) parts.push(binding.where);
      if (query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      if (query.searchVal) parts.push(`${title} ILIKE ${parameters.bind(containing(query.searchVal))}`);
      const kind = fieldsOf(resource)[titleFieldOf(resource)]?.kind;
      const order = kind === 'text' || kind === 'personName' ? nameOrder(title) : title;
      const note = binding.optionNote ? `, ${binding.optionNote} AS note` : '';
      const rows = await run<{ id: number; title: string; note?: string }>(
        call.platform.database.db,
        `SELECT t.id, ${title} AS title${note} FROM ${columns.from} WHERE ${parts.join(' AND ')} ORDER BY ${order}, t.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      const field = fieldsOf(resource)[titleFieldOf(resource)];
      return rows.map((row) => ({
        ...row,
        id: String(row.id),
        title: field?.mask ? maskValue(field.mask, row.title) : row.title,
      }));
    },
  };
}

function revealOf(resource: Resource, binding: Binding, columns: BoundColumns, menu: string) {
  const masked = Object.entries(resource.fields)
    .filter(([, field]) => field.mask)
    .map(([name]) => name);
  return async (caller: Caller, platform: Platform, id: number) => {
    const parameters = new Parameters();
    const place = parameters.bind(id);
    const scope = scopeCondition(caller, menu, binding.scope, parameters);
    const rows = await run<Record<string, string | null>>(
      platform.database.db,
      `SELECT ${masked.map((name) => `${columns.expression(name)} AS "${name}"`).join(', ')} FROM ${columns.from} WHERE t.id = ${place}${binding.where ? ` AND ${binding.where}` : ''} AND ${scope}`,
      parameters.values,
    );
    return rows[0];
  };
}

type StatementParts = (
  call: Pick<Call, 'caller' | 'platform'>,
  request: Pick<ListRequest, 'searchVal' | 'tab' | 'filters'>,
) => Promise<{ readonly parameters: Parameters; readonly where: string }>;

/** Reads a path id. Throws 404 for what cannot be one. */
export function idOf(text: string | undefined): number {
  if (!text || !/^\d{1,15}$/.test(text)) throw notFound();
  return Number(text);
}

function versionOf(body: unknown): number | undefined {
  const version = (body as { version?: unknown } | null)?.version;
  if (version === undefined || version === null) return undefined;
  if (typeof version !== 'number' || !Number.isSafeInteger(version))
    throw invalid({ version: ['版本号不正确', 'The version is not valid'] });
  return version;
}

/** Refuses unless the caller holds the code; for handlers that decide by input. */
export function requireCode(caller: Caller, code: string): void {
  if (!holds(caller, code)) throw forbidden();
}

/** Names of the form fields, for OpenAPI. */
export function formNames(resource: Resource): readonly string[] {
  return formFieldNames(resource, 'create');
}
