import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { holds } from '../../../kernel/server/people/caller.ts';
import { transaction } from '../../../kernel/server/database.ts';
import { readListRequest, type ListRequest } from '../../../kernel/server/resource/list-query.ts';
import { checkInput } from '../../../kernel/contract/input.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import {
  defineRegistration,
  endpoint,
  type Call,
  type Endpoint,
  type OptionSource,
} from '../../../kernel/server/registration.ts';
import { groupFor, isOnlyLeader, ledBy } from './group-access.server.ts';
import { createGroup, removeGroup, updateGroup, type GroupInput } from './group-commands.server.ts';
import { GROUP_COUNTS, groupsOf } from './group-tree.server.ts';
import { role } from './role.contract.ts';

// Aliases of this binding are those of GROUP_COUNTS with the row as `t` and the type as `y`.
const over = (sql: string): string => sql.replace(/\bt\.code\b/g, 'y.code').replace(/\bg\./g, 't.');

const bound = bindResource(role, {
  table: 'permission_group',
  from: 'permission_group t LEFT JOIN group_type y ON y.id = t.type_id LEFT JOIN staff u ON u.id = t.updated_by',
  where: `t.type_id = (SELECT id FROM group_type WHERE code = 'role')`,
  columns: {
    members: over(GROUP_COUNTS.members),
    menus: over(GROUP_COUNTS.menus),
    elements: over(GROUP_COUNTS.elements),
    updater: 'u.name',
    ledBy: 'NULL::bigint',
  },
  scope: { tenant: 't.tenant_id', project: 'none', owner: 't.created_by', ownTenant: true },
  search: `lower(t.name || ' ' || t.code)`,
  filters: {
    // A leader without the administration sees the groups he leads; whoever leads none sees the list as granted.
    ledBy: (value, parameters) => {
      const staff = parameters.bind(/^\d{1,15}$/.test(value) ? Number(value) : 0);
      return `(NOT EXISTS (SELECT 1 FROM group_member lm JOIN permission_group lg ON lg.id = lm.group_id
         WHERE lm.staff_id = ${staff} AND lm.kind = 'leader' AND lg.enabled AND (lm.expires_at IS NULL OR lm.expires_at > now())) OR ${ledBy('t.id', staff)})`;
    },
  },
  extra: { built_in: 't.built_in' },
  ruleReads: ['built_in'],
  rowRules: {
    remove: (row) => (row.built_in ? ['内置角色不能删除', 'A built-in group cannot be deleted'] : undefined),
    copy: (row) => (row.built_in ? ['内置角色不能复制', 'A built-in group cannot be copied'] : undefined),
  },
  optionNote: 't.code',
});

const ROOT = '/admin/role';
const READ = { code: 'roleManager' };
const replaced = new Set([
  `GET ${ROOT}/page`,
  `GET ${ROOT}/counts`,
  `GET ${ROOT}/:id`,
  `POST ${ROOT}`,
  `PUT ${ROOT}/:id`,
  `DELETE ${ROOT}/:id`,
]);
// Actions with a dialog of their own are calls of permissionGroup; these paths would do nothing.
const DIALOGS = ['grants', 'members', 'history', 'copy', 'exportMatrix'];
const dead = new Set(DIALOGS.flatMap((name) => [`POST ${ROOT}/:id/${name}`, `POST ${ROOT}/action/${name}`]));

export const registration = defineRegistration({
  ...bound.registration,
  handled: Object.keys(role.actions!),
  options: bound.registration.options!.map(ofLedOnly),
  endpoints: [
    ...bound.registration.endpoints
      .filter((one) => !replaced.has(`${one.method} ${one.path}`) && !dead.has(`${one.method} ${one.path}`))
      .map((one) => (one.path === `${ROOT}/:id/timeline` ? inSightFirst(one) : one)),
    ...ownEndpoints(),
  ],
});

function ownEndpoints(): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: `${ROOT}/page`,
      title: role.title,
      access: READ,
      rawQuery: true,
      handle: async (call) => {
        const page = await bound.page(
          call,
          narrowed(call.caller, readListRequest(role, call.query as Record<string, unknown>)),
        );
        return {
          ...page,
          rows: await withLeadership(call, page.rows as { id: string; actions: readonly string[] }[]),
        };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/counts`,
      title: role.title,
      access: READ,
      rawQuery: true,
      handle: async (call) => {
        // No tabs to count, but unknown names are refused as everywhere.
        readListRequest(role, call.query as Record<string, unknown>);
        return {};
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id`,
      title: role.title,
      access: READ,
      handle: (call) => detail(call, idOf(call.params.id)),
    }),
    endpoint({
      method: 'POST',
      path: ROOT,
      title: ['新增', 'Add'],
      access: { code: 'roleManager:btn_add' },
      handle: async (call) => {
        const input = roleInput(call.body, false);
        const id = await transaction(call.platform.database.db, (tx) =>
          createGroup(tx, call, 'role', 'roleManager', { ...input, name: input.name!, code: input.code! }),
        );
        call.platform.changed('role');
        return detail(call, id);
      },
    }),
    endpoint({
      method: 'PUT',
      path: `${ROOT}/:id`,
      title: ['编辑', 'Edit'],
      access: { code: 'roleManager:btn_edit' },
      handle: async (call) => {
        const id = await ownRole(call);
        const version = (call.body as { version?: unknown } | null)?.version;
        if (typeof version !== 'number') throw invalid({ version: ['缺少版本号', 'The version is missing'] });
        await transaction(call.platform.database.db, (tx) =>
          updateGroup(tx, call, id, version, roleInput(call.body, true)),
        );
        call.platform.changed('role');
        return detail(call, id);
      },
    }),
    endpoint({
      method: 'DELETE',
      path: `${ROOT}/:id`,
      title: ['删除', 'Delete'],
      access: { code: 'roleManager:btn_del' },
      rawQuery: true,
      handle: async (call) => {
        const id = await ownRole(call);
        const version = Number((call.query as Record<string, string>).version);
        await transaction(call.platform.database.db, (tx) =>
          removeGroup(tx, call, id, Number.isSafeInteger(version) ? version : undefined),
        );
        call.platform.changed('role');
        return true;
      },
    }),
  ];
}

/** A part of a role's detail: for a leader without the administration of the roles he leads, as the detail itself. */
function inSightFirst(one: Endpoint): Endpoint {
  return {
    ...one,
    handle: async (call) => {
      await groupFor(call.platform.database.db, call.caller, idOf(call.params.id));
      return one.handle(call);
    },
  };
}

/** The picker offers such a leader what his list shows. */
function ofLedOnly(source: OptionSource): OptionSource {
  return {
    ...source,
    find: async (call, query) => {
      const found = await source.find(call, query);
      if (!isOnlyLeader(call.caller)) return found;
      const seen = new Set((await groupsOf(call.platform.database.db, call.caller)).map((group) => group.id));
      return found.filter((one) => seen.has(one.id));
    },
  };
}

function narrowed(caller: Caller, request: ListRequest): ListRequest {
  const { ledBy: _asked, ...filters } = request.filters;
  return isOnlyLeader(caller)
    ? { ...request, filters: { ...filters, ledBy: String(caller.staffId) } }
    : { ...request, filters };
}

/** Adds the members dialog to rows of groups the caller leads. */
async function withLeadership<R extends { readonly id: string; readonly actions: readonly string[] }>(
  call: Pick<Call, 'caller' | 'platform'>,
  rows: readonly R[],
): Promise<R[]> {
  if (holds(call.caller, 'roleManager:btn_userManager') || rows.length === 0) return [...rows];
  const seen = new Map(
    (await groupsOf(call.platform.database.db, call.caller)).map((group) => [group.id, group.actions]),
  );
  return rows.map((row) =>
    seen.get(row.id)?.includes('btn_userManager') ? { ...row, actions: [...row.actions, 'members'] } : row,
  );
}

async function detail(call: Pick<Call, 'caller' | 'platform'>, id: number) {
  // One sight for list and detail: the group must be a role of the own tenant, or led.
  await groupFor(call.platform.database.db, call.caller, id);
  const row = await bound.detail(call, id);
  return (await withLeadership(call, [row as unknown as { id: string; actions: readonly string[] }]))[0];
}

async function ownRole(call: Call): Promise<number> {
  const id = idOf(call.params.id);
  await bound.find(call, id);
  return id;
}

function roleInput(body: unknown, partial: boolean): GroupInput {
  const names = ['name', 'code', 'description', 'enabled'];
  if (typeof body !== 'object' || body === null) throw notFoundOrInvalid();
  const checked = checkInput(role.fields, names, body, { partial, also: ['version'] });
  if (Object.keys(checked.problems).length > 0) throw invalid(checked.problems);
  const { description, enabled, ...rest } = checked.values as Record<
    string,
    string | boolean | null | undefined
  >;
  return {
    ...(rest as GroupInput),
    ...(description === undefined ? {} : { description: (description as string | null) ?? '' }),
    ...(enabled === undefined || enabled === null ? {} : { enabled: enabled as boolean }),
  };
}

function notFoundOrInvalid() {
  return invalid({ _: ['请求内容应为对象', 'The request must be an object'] });
}
