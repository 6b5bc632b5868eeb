import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { forbidden, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { groupType } from './group-type.contract.ts';

const IN_USE: Label = ['该类型下有角色，不能删除', 'Type in use'];
const BUILT_IN: Label = ['内置类型不能删除', 'A built-in type cannot be deleted'];

const PLATFORM_ONLY: Label = ['角色类型由平台维护', 'Group types are kept by the platform'];

const bound = bindResource(groupType, {
  table: 'group_type',
  from: 'group_type t LEFT JOIN staff u ON u.id = t.updated_by',
  columns: {
    number: 't.id::text',
    groups: '(SELECT count(*) FROM permission_group g WHERE g.type_id = t.id)',
    updater: 'u.name',
  },
  // Types are shared by all tenants: holders of the menu read them, only the platform changes them.
  scope: { tenant: 'none', project: 'none', owner: 't.created_by' },
  extra: { built_in: 't.built_in' },
  ruleReads: ['built_in', 'groups'],
  rowRules: {
    update: (_row, caller) => (caller.tenantKind === 3 ? undefined : PLATFORM_ONLY),
    remove: (row, caller) =>
      caller.tenantKind !== 3
        ? PLATFORM_ONLY
        : row.built_in
          ? BUILT_IN
          : Number(row.groups) > 0
            ? IN_USE
            : undefined,
  },
  present: ownGroupsOnly,
  handlers: {
    create: async (context) => {
      if (context.caller.tenantKind !== 3) throw forbidden(PLATFORM_ONLY);
      return { set: { updated_address: context.facts.address } };
    },
    update: async ({ row, input, facts }) => {
      if (row.built_in && input.description !== undefined && input.description !== row.description)
        throw ruleBroken(['内置类型只能修改名称', 'Of a built-in type only the name can be changed']);
      return { set: { updated_address: facts.address } };
    },
  },
});

export const registration = bound.registration;

/** Companies are told how many groups of their own a type has; the platform, which keeps the types, how many there are. */
async function ownGroupsOnly(rows: DbRow[], db: Executor, caller: Caller): Promise<void> {
  if (caller.tenantKind === 3) return;
  const counts = await run<{ id: number; groups: number }>(
    db,
    'SELECT type_id AS id, count(*)::int AS groups FROM permission_group WHERE tenant_id = $1 GROUP BY 1',
    [caller.tenantId],
  );
  const own = new Map(counts.map((one) => [one.id, one.groups]));
  for (const row of rows) row.groups = own.get(Number(row.id)) ?? 0;
}
