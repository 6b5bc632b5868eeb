import { containing } from '../../../kernel/server/resource/like-text.ts';
import { z } from 'zod';
import { inputProblem } from '../../../kernel/contract/input.ts';
import type { Field } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { run, transaction } from '../../../kernel/server/database.ts';
import { nameOrder } from '../../../kernel/server/resource/name-order.ts';
import { forbidden, invalid, notFound } from '../../../kernel/server/http/errors.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import {
  defineRegistration,
  endpoint,
  type Call,
  type OptionSource,
} from '../../../kernel/server/registration.ts';
import { createExportTask } from '../../../kernel/server/tasks/task-centre.ts';
import { authorityEndpoints } from './authority-endpoints.server.ts';
import { keepAllBaselines } from './grant-history.server.ts';
import { grantableGroups } from './grant-rules.server.ts';
import { anyOf, GROUP_MENUS, groupFor, MEMBERS, READ_GROUPS } from './group-access.server.ts';
import { copyGroup } from './authority-commands.server.ts';
import { createGroup, GROUP_ENTITY, removeGroup, updateGroup } from './group-commands.server.ts';
import { groupsOf } from './group-tree.server.ts';
import { matrixExport, mayExportMatrix } from './matrix-export.server.ts';
import { candidatesFor, changeMembers, endMemberships, membersOf } from './member-commands.server.ts';
import { GROUP_ELEMENTS, groupFields, groupManager } from './permission-group.contract.ts';

const ROOT = '/admin/permissionGroup';
const idText = z.string().regex(/^\d{1,15}$/);
const nullableId = idText.nullable().optional();

const groupBody = {
  name: z.string(),
  code: z.string(),
  parentId: nullableId,
  departmentId: nullableId,
  description: z.string().nullish(),
  enabled: z.boolean().optional(),
  inherit: z.boolean().optional(),
};

export const registration = defineRegistration({
  contract: groupManager,
  menus: ['groupManager'],
  elements: Object.fromEntries(
    Object.entries(GROUP_ELEMENTS).map(([element, label]) => [`groupManager:${element}`, label]),
  ),
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/tree`,
      title: ['角色树', 'Tree of groups'],
      access: READ_GROUPS,
      handle: async ({ platform, caller }) => {
        const { db } = platform.database;
        const types = await run<{ code: string; name: string; nameEn: string }>(
          db,
          'SELECT code, name, coalesce(nullif(name_en, \'\'), name) AS "nameEn" FROM group_type ORDER BY NOT built_in, id',
        );
        return { types, groups: await groupsOf(db, caller) };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/departments`,
      title: ['可绑定的部门', 'Departments to bind'],
      access: READ_GROUPS,
      handle: async ({ platform, caller }) => {
        const rows = await run<{ id: number; title: string; parentId: number | null; taken: boolean }>(
          platform.database.db,
          `SELECT d.id, d.name AS title, d.parent_id AS "parentId", EXISTS (SELECT 1 FROM permission_group g WHERE g.department_id = d.id) AS taken
             FROM department d WHERE d.tenant_id = $1 ORDER BY d.sort, d.id`,
          [caller.tenantId],
        );
        return rows.map((row) => ({
          ...row,
          id: String(row.id),
          parentId: row.parentId === null ? null : String(row.parentId),
        }));
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/export`,
      title: ['导出权限矩阵', 'Export the matrix'],
      access: anyOf('btn_export'),
      body: z.strictObject({
        query: z.record(z.string(), z.string().max(200)).optional(),
        menu: z.enum(GROUP_MENUS).optional(),
      }),
      handle: async ({ platform, caller, facts, body }) => {
        // The groups of a menu are exported with the button of that menu.
        const menu = (body.menu ? [body.menu] : GROUP_MENUS).find((one) => mayExportMatrix(caller, one));
        if (!menu) throw forbidden();
        const query: Record<string, string> = body.query?.type ? { type: body.query.type } : {};
        const taskId = await transaction(platform.database.db, async (tx) => {
          const id = await createExportTask(tx, caller, {
            source: `permissionMatrix.${menu}`,
            menu,
            name: ['权限矩阵', 'Permission matrix'],
            query,
            language: facts.language,
          });
          await writeAudit(tx, {
            caller,
            facts,
            menu,
            action: 'export',
            entity: GROUP_ENTITY,
            entityId: id,
            after: query,
          });
          return id;
        });
        return { taskId };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id`,
      title: ['角色', 'Group'],
      access: READ_GROUPS,
      handle: async (call) => groupOf(call, idOf(call.params.id)),
    }),
    endpoint({
      method: 'POST',
      path: ROOT,
      title: ['新增角色', 'Add a group'],
      access: anyOf('btn_add'),
      body: z.strictObject({ type: z.string().max(20), ...groupBody }),
      handle: async (call) => {
        const { type, ...body } = call.body;
        const menu = call.caller.elements.has('groupManager:btn_add') ? 'groupManager' : 'roleManager';
        if (menu === 'roleManager' && type !== 'role')
          throw invalid({ type: ['请选择列表中的值', 'Please choose a value of the list'] });
        const input = groupInput(body, true);
        const id = await transaction(call.platform.database.db, (tx) =>
          createGroup(tx, call, type, menu, { ...input, name: input.name!, code: input.code! }),
        );
        call.platform.changed('role');
        return groupOf(call, id);
      },
    }),
    endpoint({
      method: 'PUT',
      path: `${ROOT}/:id`,
      title: ['编辑角色', 'Edit a group'],
      access: anyOf('btn_edit'),
      body: z.strictObject({ version: z.number().int(), ...z.object(groupBody).partial().shape }),
      handle: async (call) => {
        const id = idOf(call.params.id);
        const { version, ...body } = call.body;
        await transaction(call.platform.database.db, (tx) =>
          updateGroup(tx, call, id, version, groupInput(body, false)),
        );
        call.platform.changed('role');
        return groupOf(call, id);
      },
    }),
    endpoint({
      method: 'DELETE',
      path: `${ROOT}/:id`,
      title: ['删除角色', 'Delete a group'],
      access: anyOf('btn_del'),
      query: z.strictObject({ version: z.coerce.number().int().optional() }),
      handle: async (call) => {
        await transaction(call.platform.database.db, (tx) =>
          removeGroup(tx, call, idOf(call.params.id), call.query.version),
        );
        call.platform.changed('role');
        return true;
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/:id/copy`,
      title: ['复制角色', 'Copy a group'],
      access: anyOf('btn_copy'),
      body: z.strictObject({ name: z.string(), code: z.string() }),
      handle: async (call) => {
        const input = groupInput(call.body, true);
        const id = await transaction(call.platform.database.db, (tx) =>
          copyGroup(tx, call, idOf(call.params.id), { name: input.name!, code: input.code! }),
        );
        call.platform.changed('role');
        return groupOf(call, id);
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/members`,
      title: ['角色成员', 'Members of a group'],
      access: MEMBERS,
      handle: async ({ platform, caller, params }) => {
        const group = await groupFor(platform.database.db, caller, idOf(params.id), 'btn_userManager');
        return {
          readOnly: group.type === 'depart',
          leaders: !group.asLeader,
          ...(await membersOf(platform.database.db, caller, group)),
        };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/candidates`,
      title: ['可加入的员工', 'Staff who can be added'],
      access: MEMBERS,
      query: z.strictObject({
        searchVal: z.string().max(100).default(''),
        departmentId: idText.optional(),
        page: z.coerce.number().int().min(1).max(10_000).default(1),
        limit: z.coerce.number().int().min(1).max(200).default(50),
      }),
      handle: async ({ platform, caller, params, query }) => {
        const group = await groupFor(platform.database.db, caller, idOf(params.id), 'btn_userManager');
        return candidatesFor(platform.database.db, caller, group, {
          ...query,
          searchVal: query.searchVal.trim(),
          departmentId: query.departmentId ? Number(query.departmentId) : null,
        });
      },
    }),
    endpoint({
      method: 'PUT',
      path: `${ROOT}/:id/members`,
      title: ['关联用户', 'Change members'],
      access: MEMBERS,
      body: z.strictObject({
        set: z
          .array(
            z.strictObject({
              staffId: idText,
              kind: z.enum(['leader', 'member']),
              endsOn: z.iso.date().nullable().default(null),
            }),
          )
          .max(1000)
          .default([]),
        remove: z.array(idText).max(1000).default([]),
        reason: z.string().max(200).default(''),
      }),
      handle: async (call) => {
        const id = idOf(call.params.id);
        const { db } = call.platform.database;
        await transaction(db, (tx) =>
          changeMembers(tx, call, id, {
            set: call.body.set.map((entry) => ({ ...entry, staffId: Number(entry.staffId) })),
            remove: call.body.remove.map(Number),
            reason: call.body.reason.trim(),
          }),
        );
        call.platform.changed('role');
        // A leader who gave up the leadership sees the group no more; that is success all the same.
        const [row] = await groupsOf(db, call.caller, { id });
        return row ?? { id: String(id) };
      },
    }),
    ...authorityEndpoints(ROOT),
  ],
  exports: [
    matrixExport('permissionMatrix.groupManager', 'groupManager'),
    matrixExport('permissionMatrix.roleManager', 'roleManager'),
  ],
  options: [
    groupOptions('permissionGroup', {}),
    groupOptions('grantableGroup', { held: true }),
    groupOptions('companyGroup', { ofEveryCompany: true }),
  ],
  jobs: [
    {
      name: 'groupMember.end',
      title: ['角色成员到期', 'End memberships'],
      cron: '0 16 * * *',
      run: async (_payload, platform) => void (await endMemberships(platform)),
    },
    {
      name: 'grantHistory.baseline',
      title: ['记录权限初始状态', 'Keep the first state of grants'],
      cron: '*/10 * * * *',
      run: (_payload, platform) => transaction(platform.database.db, keepAllBaselines),
    },
  ],
});

async function groupOf(call: Pick<Call, 'caller' | 'platform'>, id: number) {
  const [row] = await groupsOf(call.platform.database.db, call.caller, { id });
  if (!row) throw notFound();
  return row;
}

/**
 * Groups staff can be put into: enabled ones of the own tenant that take members by hand. `held`: by this caller;
 * `ofEveryCompany`: for platform callers those of all companies, or of the ones another filter holds.
 */
function groupOptions(
  target: string,
  { held = false, ofEveryCompany = false }: { readonly held?: boolean; readonly ofEveryCompany?: boolean },
): OptionSource {
  return {
    target,
    ...(ofEveryCompany ? { anyOf: ['allUserManager'] } : {}),
    find: async ({ caller, platform, facts }, query) => {
      const parameters = new Parameters();
      const parts = [
        placeCondition(
          caller,
          { tenant: 'g.tenant_id', project: 'none', ownTenant: !ofEveryCompany },
          parameters,
        ),
        `t.code <> 'depart'`,
      ];
      if (ofEveryCompany && query.within?.length)
        parts.push(`g.tenant_id = ANY(${parameters.bind(query.within.map(Number))}::bigint[])`);
      // A name is wanted for an id whether or not it can be chosen any more.
      if (query.ids.length > 0) parts.push(`g.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      else parts.push('g.enabled');
      if (query.searchVal) {
        const like = parameters.bind(containing(query.searchVal));
        parts.push(`(g.name ILIKE ${like} OR g.code ILIKE ${like})`);
      }
      const rows = await run<{ id: number; title: string; note: string }>(
        platform.database.db,
        `SELECT g.id, g.name AS title, ${ofEveryCompany ? 'n.name' : `CASE WHEN ${parameters.bind(facts.language)} = 'en' AND t.name_en <> '' THEN t.name_en ELSE t.name END`} AS note
           FROM permission_group g JOIN group_type t ON t.id = g.type_id JOIN tenant n ON n.id = g.tenant_id
          WHERE ${parts.join(' AND ')} ORDER BY g.built_in DESC, ${nameOrder('g.name')}, g.id LIMIT 2000`,
        parameters.values,
      );
      const may =
        held && query.ids.length === 0
          ? await grantableGroups(
              platform.database.db,
              caller,
              rows.map((row) => row.id),
            )
          : undefined;
      return rows
        .filter((row) => may?.has(row.id) ?? true)
        .slice(query.offset, query.offset + query.limit)
        .map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}

function groupInput(
  body: {
    name?: string;
    code?: string;
    parentId?: string | null;
    departmentId?: string | null;
    description?: string | null;
    enabled?: boolean;
    inherit?: boolean;
  },
  whole: boolean,
) {
  const problems: Record<string, Label> = {};
  const values: Record<string, string | undefined> = {};
  for (const name of ['name', 'code', 'description'] as const) {
    const given = body[name];
    if (given === undefined && !whole) continue;
    const value = given?.trim() ?? '';
    const problem = inputProblem(groupFields[name] as Field, value);
    if (problem) problems[name] = problem;
    values[name] = value;
  }
  if (Object.keys(problems).length > 0) throw invalid(problems);
  const id = (text: string | null | undefined) =>
    text === undefined ? undefined : text === null ? null : Number(text);
  return {
    ...values,
    parentId: id(body.parentId),
    departmentId: id(body.departmentId),
    enabled: body.enabled,
    inherit: body.inherit,
  } as {
    name?: string;
    code?: string;
    description?: string;
    parentId?: number | null;
    departmentId?: number | null;
    enabled?: boolean;
    inherit?: boolean;
  };
}
