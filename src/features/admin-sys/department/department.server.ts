import { bindResource } from '../../../kernel/server/bind-resource.ts';
import type { Binding } from '../../../kernel/server/binding.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { notFound, ruleBroken } from '../../../kernel/server/errors.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/run-action.ts';
import { requireDepartmentRights } from '../permission-group/reach-rules.server.ts';
import { Parameters, placeCondition } from '../../../kernel/server/scope.ts';
import { notifyStaffChanged } from '../../../kernel/server/session-changes.ts';
import { notifyGroupsChanged } from '../../shared/permission/effective-permissions.server.ts';
import { defineService, type OptionSource, type Service } from '../../../kernel/server/service.ts';
import { allDepartments, department } from './department.contract.ts';
import { COMPANY_SCOPE, departmentEndpoints, headCountEndpoints } from './department-figures.server.ts';

const MAX_LEVELS = 8;
const ACTUAL = `(SELECT count(*) FROM staff s WHERE s.department_id = t.id AND s.state <> 'left')`;

/** What both views of departments share. */
const common: Omit<Binding, 'scope'> = {
  table: 'department',
  from: 'department t LEFT JOIN department p ON p.id = t.parent_id LEFT JOIN staff l ON l.id = t.leader_id LEFT JOIN tenant n ON n.id = t.tenant_id',
  columns: {
    tenant: { id: 't.tenant_id', title: 'n.name' },
    parent: { id: 't.parent_id', title: 'p.name' },
    leader: { id: 't.leader_id', title: 'l.name' },
    path: `(SELECT string_agg(a.name, ' / ' ORDER BY array_position(t.path, a.id)) FROM department a WHERE a.id = ANY(t.path))`,
    actual: ACTUAL,
    vacant: `greatest(t.planned - ${ACTUAL}, 0)`,
  },
  search: `lower(t.name || ' ' || t.code)`,
};

const bound = bindResource(department, {
  ...common,
  scope: { tenant: 't.tenant_id', project: 'none', owner: 't.leader_id', ownTenant: true },
  extra: { children: '(SELECT count(*) FROM department c WHERE c.parent_id = t.id)' },
  ruleReads: ['actual', 'children', 'enabled'],
  rowRules: {
    remove: (row) => inUse(row.actual, row.children),
    disable: (row) =>
      row.enabled ? inUse(row.actual, row.children) : ['部门已停用', 'The department is disabled'],
    enable: (row) => (row.enabled ? ['部门已启用', 'The department is enabled'] : undefined),
  },
  handlers: {
    create,
    update,
    addMembers,
    moveMembers,
    place,
    merge,
    enable: async () => ({ set: { enabled: true } }),
    disable: async () => ({ set: { enabled: false } }),
  },
  endpoints: departmentEndpoints(() => bound),
});

const all = bindResource(allDepartments, { ...common, scope: COMPANY_SCOPE, endpoints: headCountEndpoints });

/** Picker of departments for everybody of the tenant: whoever adds staff need not hold the screen of departments. */
const departmentOptions: OptionSource = {
  target: 'department',
  find: async (call, query) => {
    const parameters = new Parameters();
    const parts = [
      placeCondition(call.caller, { tenant: 't.tenant_id', project: 'none', ownTenant: true }, parameters),
      't.enabled',
    ];
    if (query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
    if (query.searchVal)
      parts.push(`t.name ILIKE ${parameters.bind(`%${query.searchVal.replace(/[\\%_]/g, '\\$&')}%`)}`);
    const rows = await run<{ id: number; name: string; parent_id: number | null }>(
      call.platform.database.db,
      `SELECT t.id, t.name, t.parent_id FROM department t WHERE ${parts.join(' AND ')} ORDER BY cardinality(t.path), t.sort, t.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
      parameters.values,
    );
    return rows.map((row) => ({
      id: String(row.id),
      title: row.name,
      parentId: row.parent_id === null ? null : String(row.parent_id),
    }));
  },
};

/** Departments: own tenant with all actions, and the read-only view over companies. */
export const service: Service = { ...bound.service, options: [departmentOptions] };

/** The view over all companies is a service of its own. */
export const companyDepartments = defineService({ ...all.service });

function inUse(staffCount: unknown, children: unknown): readonly [string, string] | undefined {
  if (Number(staffCount) > 0)
    return [`部门下有${String(staffCount)}名员工`, `${String(staffCount)} staff in the department`];
  return Number(children) > 0 ? ['部门下有下级部门', 'The department has sub-departments'] : undefined;
}

async function create(context: ActionContext): Promise<ActionResult> {
  const { tx, caller, input } = context;
  if (
    await runOne(tx, 'SELECT 1 FROM department WHERE tenant_id = $1 AND code = $2', [
      caller.tenantId,
      input.code,
    ])
  )
    throw ruleBroken(['编码已存在', 'Code exists']);
  await lockTree(tx, caller.tenantId);
  await checkLeader(tx, caller.tenantId, input.leader);
  const above = await pathOf(tx, caller.tenantId, (input.parent as number | null | undefined) ?? null);
  if (above.length + 1 > MAX_LEVELS) throw tooDeep();
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO department (tenant_id, parent_id, code, name, type, leader_id, phone, sort, planned, created_by, updated_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10) RETURNING id`,
    [
      caller.tenantId,
      input.parent ?? null,
      input.code,
      input.name,
      input.type ?? 'function',
      input.leader ?? null,
      input.phone ?? '',
      input.sort ?? 0,
      input.planned ?? 0,
      caller.staffId,
    ],
  );
  await run(tx, 'UPDATE department SET path = $2::bigint[] || id WHERE id = $1', [row!.id, above]);
  // "Own department and below" of whoever stands above now holds one more.
  await notifyDepartments(tx, above);
  return { id: row!.id };
}

async function update(context: ActionContext): Promise<void> {
  const { row, input } = context;
  await checkLeader(context.tx, Number(row.tenant_id), input.leader);
  if (input.parent === undefined || input.parent === row.parent_id) return;
  await moveBranch(context, (input.parent as number | null) ?? null);
}

/** Puts a department under a parent and before one of its siblings, by dragging it in the tree. */
async function place(context: ActionContext): Promise<ActionResult> {
  const { tx, id, row, input } = context;
  const parent = (input.parent as number | null | undefined) ?? null;
  const before = (input.before as number | null | undefined) ?? null;
  if (parent !== row.parent_id) await moveBranch(context, parent);
  else await lockTree(tx, Number(row.tenant_id));
  const siblings = (
    await run<{ id: number }>(
      tx,
      'SELECT id FROM department WHERE tenant_id = $1 AND parent_id IS NOT DISTINCT FROM $2 AND id <> $3 ORDER BY sort, id',
      [row.tenant_id, parent, id],
    )
  ).map((one) => one.id);
  if (before !== null && !siblings.includes(before)) throw notFound();
  siblings.splice(before === null ? siblings.length : siblings.indexOf(before), 0, id);
  await run(
    tx,
    'UPDATE department d SET sort = o.place FROM unnest($1::bigint[]) WITH ORDINALITY AS o (id, place) WHERE d.id = o.id AND d.sort <> o.place',
    [siblings],
  );
  return { set: { parent_id: parent } };
}

async function moveBranch({ tx, id, row }: ActionContext, parent: number | null): Promise<void> {
  const tenantId = Number(row.tenant_id);
  await lockTree(tx, tenantId);
  const above = await pathOf(tx, tenantId, parent);
  if (above.includes(id)) throw ruleBroken(['不能移动到自己的下级', 'Cannot move below itself']);
  await rebase(tx, id, row.path as number[], above);
  // Whoever stands above, before or after, sees other departments from now on.
  await notifyDepartments(tx, [...(row.path as number[]), ...above]);
}

/** Makes every instance reload the rights of the staff in these departments: what lies below them has changed. */
async function notifyDepartments(tx: Tx, departments: readonly number[]): Promise<void> {
  if (departments.length === 0) return;
  const staff = await run<{ id: number }>(
    tx,
    'SELECT id FROM staff WHERE department_id = ANY($1::bigint[])',
    [departments],
  );
  await notifyStaffChanged(
    tx,
    staff.map((one) => one.id),
  );
}

async function addMembers({ tx, id, row, input, caller }: ActionContext): Promise<ActionResult> {
  await requireDepartmentRights(tx, caller, id);
  const staffIds = [...new Set(input.staff as number[])];
  const moved = await run<{ name: string }>(
    tx,
    `UPDATE staff SET department_id = $1, version = version + 1, updated_at = now() WHERE id = ANY($2::bigint[]) AND tenant_id = $3 AND state <> 'left' RETURNING name`,
    [id, staffIds, row.tenant_id],
  );
  if (moved.length !== staffIds.length) throw notFound();
  await notifyStaffChanged(tx, staffIds);
  return { remark: moved.map((one) => one.name).join('、') };
}

async function moveMembers({ tx, id, row, input, caller }: ActionContext): Promise<ActionResult> {
  await requireDepartmentRights(tx, caller, Number(input.into));
  const target = await runOne<{ id: number; name: string }>(
    tx,
    'SELECT id, name FROM department WHERE id = $1 AND tenant_id = $2 AND enabled',
    [input.into, row.tenant_id],
  );
  if (!target) throw notFound(['部门不存在或已停用', 'The department does not exist or is disabled']);
  if (target.id === id) throw ruleBroken(['已在此部门', 'They are in this department already']);
  const staffIds = [...new Set(input.staff as number[])];
  const moved = await run<{ name: string }>(
    tx,
    'UPDATE staff SET department_id = $1, version = version + 1, updated_at = now() WHERE id = ANY($2::bigint[]) AND department_id = $3 RETURNING name',
    [target.id, staffIds, id],
  );
  if (moved.length !== staffIds.length) throw notFound();
  await notifyStaffChanged(tx, staffIds);
  return { remark: `${moved.map((one) => one.name).join('、')} → ${target.name}` };
}

async function merge({ tx, id, row, input, caller }: ActionContext): Promise<ActionResult> {
  const tenantId = Number(row.tenant_id);
  // Staff of both sides end up with the group of either.
  await requireDepartmentRights(tx, caller, id);
  await requireDepartmentRights(tx, caller, Number(input.into));
  await lockTree(tx, tenantId);
  const target = await runOne<{ id: number; name: string; path: number[] }>(
    tx,
    'SELECT id, name, path FROM department WHERE id = $1 AND tenant_id = $2 FOR UPDATE',
    [input.into, tenantId],
  );
  if (!target) throw notFound();
  if (target.path.includes(id))
    throw ruleBroken(['不能合并到自己的下级', 'Cannot merge into a department below itself']);
  const staff = await run<{ id: number }>(
    tx,
    'UPDATE staff SET department_id = $1, version = version + 1 WHERE department_id = $2 RETURNING id',
    [target.id, id],
  );
  for (const child of await run<{ id: number; path: number[] }>(
    tx,
    'SELECT id, path FROM department WHERE parent_id = $1 ORDER BY id',
    [id],
  )) {
    await run(tx, 'UPDATE department SET parent_id = $2 WHERE id = $1', [child.id, target.id]);
    await rebase(tx, child.id, child.path, target.path);
  }
  await run(
    tx,
    `INSERT INTO station_department (station_id, department_id) SELECT station_id, $1 FROM station_department WHERE department_id = $2 ON CONFLICT DO NOTHING`,
    [target.id, id],
  );
  await run(tx, 'DELETE FROM station_department WHERE department_id = $1', [id]);
  const group = await runOne<{ id: number }>(tx, 'SELECT id FROM permission_group WHERE department_id = $1', [
    id,
  ]);
  if (group) {
    const other = await runOne(tx, 'SELECT 1 FROM permission_group WHERE department_id = $1', [target.id]);
    if (other)
      throw ruleBroken([
        '两个部门都有部门角色，请先删除其中一个',
        'Both departments have a department group, delete one of them first',
      ]);
    await run(tx, 'UPDATE permission_group SET department_id = $2 WHERE id = $1', [group.id, target.id]);
  }
  const widened = await run<{ group_id: number }>(
    tx,
    `UPDATE menu_grant SET department_ids = array_replace(department_ids, $1::bigint, $2::bigint) WHERE $1 = ANY(department_ids) RETURNING group_id`,
    [id, target.id],
  );
  // The row itself is kept but emptied and disabled: old records name it.
  // Scopes change for whoever moved or stands above either, and where a grant names the department that is gone.
  await notifyDepartments(tx, [...(row.path as number[]), ...target.path]);
  await notifyGroupsChanged(tx, [...new Set(widened.map((grant) => grant.group_id))]);
  return {
    set: { enabled: false, leader_id: null },
    remark: `→ ${target.name}（${staff.length}）: ${String(input.reason)}`,
  };
}

/** One change of a tenant's tree at a time: two moves at once could make a ring. */
async function lockTree(tx: Tx, tenantId: number): Promise<void> {
  await run(tx, 'SELECT pg_advisory_xact_lock(7003, $1::int)', [tenantId % 2_000_000_000]);
}

async function pathOf(tx: Tx, tenantId: number, id: number | null): Promise<number[]> {
  if (id === null) return [];
  const row = await runOne<{ path: number[] }>(
    tx,
    'SELECT path FROM department WHERE id = $1 AND tenant_id = $2',
    [id, tenantId],
  );
  if (!row) throw notFound(['上级部门不存在', 'The parent department does not exist']);
  return row.path.length > 0 ? row.path : [id];
}

/** Puts a subtree below another path. Refuses more than eight levels. */
async function rebase(
  tx: Tx,
  id: number,
  oldPath: readonly number[],
  above: readonly number[],
): Promise<void> {
  const deepest = await runOne<{ levels: number | null }>(
    tx,
    'SELECT max(cardinality(path)) AS levels FROM department WHERE $1 = ANY(path)',
    [id],
  );
  const below = (deepest?.levels ?? oldPath.length) - oldPath.length;
  if (above.length + 1 + below > MAX_LEVELS) throw tooDeep();
  await run(tx, `UPDATE department SET path = $2::bigint[] || path[$3::int:] WHERE $1 = ANY(path)`, [
    id,
    above,
    Math.max(oldPath.length, 1),
  ]);
}

async function checkLeader(tx: Tx, tenantId: number, leader: unknown): Promise<void> {
  if (leader === undefined || leader === null) return;
  if (
    !(await runOne(tx, `SELECT 1 FROM staff WHERE id = $1 AND tenant_id = $2 AND state = 'normal'`, [
      leader,
      tenantId,
    ]))
  )
    throw ruleBroken(['负责人须为本公司在职员工', 'The leader must be staff of the same tenant']);
}

function tooDeep() {
  return ruleBroken(['部门层级不能超过8级', 'At most 8 levels']);
}
