import { z } from 'zod';
import { yuanFromFen } from '../../contract/money.rules.ts';
import { elementCode, exportElementOf, type Resource } from '../../contract/resource.ts';
import { idOf, versionOf } from '../http/call-parts.ts';
import { Refusal, invalid } from '../http/errors.ts';
import { endpoint, type Call, type Endpoint } from '../registration.ts';
import type { Binding } from './binding.ts';
import type { BoundResource } from './bind.ts';
import { bulk } from './bulk.ts';
import { readListRequest } from './list-query.ts';
import { timelineOf } from './timeline.ts';
import { inputSchema, listQuerySchema, pageSchema, rowSchema } from './wire-schema.ts';

/** The endpoints every resource has: list, counts, row, timeline, its actions and the export. */
export function resourceEndpoints(
  resource: Resource,
  binding: Binding,
  bound: Omit<BoundResource, 'registration'>,
): Endpoint[] {
  const root = `${resource.base ?? '/jinmao/web'}/${resource.name}`;
  const read = { code: resource.menu };
  const row = rowSchema(resource);
  const endpoints: Endpoint[] = [
    endpoint({
      method: 'GET',
      path: `${root}/page`,
      title: resource.title,
      access: read,
      rawQuery: true,
      described: { query: listQuerySchema(resource) },
      answer: pageSchema(resource),
      handle: (call) =>
        bound.pageJson(call, readListRequest(resource, call.query as Record<string, unknown>)),
    }),
    endpoint({
      method: 'GET',
      path: `${root}/counts`,
      title: resource.title,
      access: read,
      rawQuery: true,
      described: { query: listQuerySchema(resource) },
      answer: { type: 'object', additionalProperties: { type: 'integer' } },
      handle: async (call) => {
        const request = readListRequest(resource, call.query as Record<string, unknown>);
        const tabs = resource.list.tabs ?? [];
        const counts = await Promise.all(tabs.map((tab) => bound.count(call, { ...request, tab: tab.key })));
        return Object.fromEntries(tabs.map((tab, index) => [tab.key, counts[index]]));
      },
    }),
    ...(resource.list.sums
      ? [
          endpoint({
            method: 'GET',
            path: `${root}/sums`,
            title: resource.title,
            access: read,
            rawQuery: true,
            described: { query: listQuerySchema(resource) },
            answer: { type: 'object', additionalProperties: true },
            handle: (call) =>
              bound.sums(call, readListRequest(resource, call.query as Record<string, unknown>)),
          }),
        ]
      : []),
    endpoint({
      method: 'GET',
      path: `${root}/:id`,
      title: resource.title,
      access: read,
      answer: row,
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
  const { tree } = bound;
  if (tree)
    endpoints.push(
      endpoint({
        method: 'GET',
        path: `${root}/tree`,
        title: resource.title,
        access: read,
        query: TREE_QUERY,
        handle: async (call) => ({
          rows: await tree(call, {
            ...(call.query.parent ? { parent: idOf(call.query.parent) } : {}),
            searchVal: (call.query.searchVal ?? '').trim(),
          }),
        }),
      }),
    );
  if (resource.orderable)
    endpoints.push(
      endpoint({
        method: 'POST',
        path: `${root}/order`,
        title: ['排序', 'Order'],
        access: { code: elementCode(resource, resource.actions!.order!.element) },
        body: z.strictObject({ id: z.string(), before: z.string().nullable().optional() }),
        handle: async (call) => {
          await bound.act(call, 'order', idOf(call.body.id), { before: call.body.before ?? null });
          return true;
        },
      }),
    );
  const settings = settingsOf(resource);
  if (resource.actions?.create && Object.keys(settings).length > 0)
    endpoints.push(
      endpoint({
        method: 'GET',
        path: `${root}/initial`,
        title: resource.title,
        access: { code: elementCode(resource, resource.actions.create.element) },
        handle: (call) => firstValues(call, resource, settings),
      }),
    );
  const actions = resource.actions ?? {};
  for (const [name, spec] of Object.entries(actions)) {
    if (spec.on === 'system' || (name === 'order' && resource.orderable)) continue;
    const access = { code: elementCode(resource, spec.element) };
    const described = { body: inputSchema(resource, name, spec) };
    if (name === 'create')
      endpoints.push(
        endpoint({
          method: 'POST',
          path: root,
          title: spec.label,
          access,
          described,
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
          described,
          answer: row,
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
          described,
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
          described,
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
        access: { code: elementCode(resource, exportElementOf(resource)) },
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

const TREE_QUERY = z.strictObject({
  parent: z.string().optional(),
  searchVal: z.string().max(200).optional(),
});

/** Fields whose first value is that of a setting, with its key. */
function settingsOf(resource: Resource): Record<string, string> {
  return Object.fromEntries(
    Object.entries(resource.fields).flatMap(([name, { initial }]) =>
      typeof initial === 'object' && 'setting' in initial ? [[name, initial.setting]] : [],
    ),
  );
}

/** First values of a new form that come from settings, in wire form. */
async function firstValues(
  call: Pick<Call, 'platform'>,
  resource: Resource,
  keys: Readonly<Record<string, string>>,
): Promise<Record<string, unknown>> {
  const { settings } = call.platform;
  const values: Record<string, unknown> = {};
  for (const [name, key] of Object.entries(keys)) {
    const { kind } = resource.fields[name]!;
    if (kind === 'boolean') values[name] = await settings.flag(key);
    else if (kind === 'integer') values[name] = await settings.number(key);
    else if (kind === 'money') values[name] = yuanFromFen(await settings.number(key));
    else if (kind === 'tags') values[name] = await settings.list(key);
    else values[name] = await settings.text(key);
  }
  return values;
}
