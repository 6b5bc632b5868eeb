import { tenantOptions } from '../../../kernel/server/resource/tenant-options.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { Binding } from '../../../kernel/server/resource/binding.ts';
import { run, type Tx } from '../../../kernel/server/database.ts';
import { notFound } from '../../../kernel/server/http/errors.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { allDepartments, department } from './department.contract.ts';
import {
  checkLeader,
  createDepartment,
  DEPARTMENT,
  DEPARTMENT_SCOPE,
  lockTree,
  moveBranch,
  type DepartmentInput,
} from './department-commands.server.ts';
import { companyEndpoints, COMPANY_SCOPE, departmentEndpoints } from './department-figures.server.ts';
import { keepOwnReach, rearrange } from '../permission-group/reach-rules.server.ts';
import { sortBetween, spread, type Ordered } from './department-order.rules.ts';
import { departmentImport, departmentUpdateImport } from './department-import.server.ts';
import { addMembers, merge, moveMembers, removeMembers } from './department-members.server.ts';

const ACTUAL = `(SELECT count(*) FROM staff s WHERE s.department_id = t.id AND s.state <> 'left')`;
const SECONDARY = `(SELECT count(*) FROM secondary_department m JOIN staff s ON s.id = m.staff_id WHERE m.department_id = t.id AND s.state <> 'left')`;

/** What both views of departments share. */
const common: Omit<Binding, 'scope'> = {
  table: 'department',
  entity: DEPARTMENT,
  from: 'department t LEFT JOIN department p ON p.id = t.parent_id LEFT JOIN staff l ON l.id = t.leader_id LEFT JOIN tenant n ON n.id = t.tenant_id',
  columns: {
    tenant: { id: 't.tenant_id', title: 'n.name' },
    parent: { id: 't.parent_id', title: 'p.name' },
    leader: { id: 't.leader_id', title: 'l.name' },
    path: `(SELECT string_agg(a.name, ' / ' ORDER BY array_position(t.path, a.id)) FROM department a WHERE a.id = ANY(t.path))`,
    actual: ACTUAL,
    secondary: SECONDARY,
    vacant: `greatest(t.planned - ${ACTUAL}, 0)`,
    filled: `CASE WHEN t.planned > 0 THEN round(${ACTUAL} * 100.0 / t.planned, 1) END`,
  },
  search: `lower(t.name || ' ' || t.code)`,
};

const bound: BoundResource = bindResource(department, {
  ...common,
  scope: DEPARTMENT_SCOPE,
  extra: { children: '(SELECT count(*) FROM department c WHERE c.parent_id = t.id)' },
  ruleReads: ['actual', 'secondary', 'children', 'enabled'],
  rowRules: {
    remove: (row) => inUse(Number(row.actual) + Number(row.secondary), row.children),
    disable: (row) =>
      row.enabled
        ? inUse(Number(row.actual) + Number(row.secondary), row.children)
        : ['部门已停用', 'The department is disabled'],
    enable: (row) => (row.enabled ? ['部门已启用', 'The department is enabled'] : undefined),
    merge: (row) => (row.enabled ? undefined : ['部门已停用', 'The department is disabled']),
    addMembers: (row) => (row.enabled ? undefined : ['部门已停用', 'The department is disabled']),
  },
  handlers: {
    create: async ({ tx, caller, input }) => ({
      // A leader it is made with may have the caller above in person.
      id: await keepOwnReach(tx, caller, () =>
        createDepartment(tx, caller, input as unknown as DepartmentInput),
      ),
    }),
    update,
    addMembers,
    removeMembers,
    moveMembers,
    place,
    merge,
  },
  endpoints: departmentEndpoints(() => bound),
  also: {
    imports: [departmentImport, departmentUpdateImport],
    options: [
      tenantOptions({
        target: 'department',
        from: 'department t',
        usable: 't.enabled',
        search: ['t.name'],
        parent: 't.parent_id',
        order: 'cardinality(t.path), t.sort',
      }),
      // For lists over all companies: names alone repeat, so the company stands beside them.
      tenantOptions({
        target: 'companyDepartment',
        from: 'department t JOIN tenant n ON n.id = t.tenant_id',
        usable: 't.enabled',
        search: ['t.name', 'n.name'],
        note: 'n.name',
        order: 'n.kind, n.id, cardinality(t.path), t.sort',
        ofEveryCompany: ['allUserManager'],
      }),
    ],
  },
});

const all: BoundResource = bindResource(allDepartments, {
  ...common,
  scope: COMPANY_SCOPE,
  endpoints: companyEndpoints(() => all),
});

/** Departments of the own tenant. */
export const registration = bound.registration;

/** Departments of all companies with their head counts. */
export const companyDepartments = all.registration;

function inUse(staffCount: number, children: unknown): readonly [string, string] | undefined {
  if (staffCount > 0) return [`部门下有 ${staffCount} 名员工`, `${staffCount} staff in the department`];
  return Number(children) > 0 ? ['部门下有下级部门', 'The department has sub-departments'] : undefined;
}

async function update(context: ActionContext): Promise<void> {
  const { tx, id, row, input } = context;
  await checkLeader(tx, Number(row.tenant_id), input.leader);
  const leads = input.leader !== undefined && input.leader !== row.leader_id;
  const moves = input.parent !== undefined && input.parent !== row.parent_id;
  if (!leads && !moves) return;
  const parent = (input.parent as number | null | undefined) ?? null;
  await rearrange(tx, context, async () => {
    if (leads)
      await run(tx, 'UPDATE department SET leader_id = $2 WHERE id = $1', [id, input.leader ?? null]);
    if (moves) await moveBranch(tx, placeOf(id, row), parent);
  });
}

/** Puts a department under a parent and before one of its siblings, by dragging it in the tree. */
async function place(context: ActionContext): Promise<ActionResult> {
  const { tx, id, row, input } = context;
  const parent = (input.parent as number | null | undefined) ?? null;
  const before = (input.before as number | null | undefined) ?? null;
  const moves = parent !== row.parent_id;
  if (moves) await rearrange(tx, context, () => moveBranch(tx, placeOf(id, row), parent));
  else await lockTree(tx, Number(row.tenant_id));
  const siblings = await run<Ordered>(
    tx,
    'SELECT id, sort FROM department WHERE tenant_id = $1 AND parent_id IS NOT DISTINCT FROM $2 AND id <> $3 ORDER BY sort, id',
    [row.tenant_id, parent, id],
  );
  const at = before === null ? siblings.length : siblings.findIndex((one) => one.id === before);
  if (at < 0) throw notFound();
  const old = Number(row.sort);
  const sort = await sortAt(tx, { id, sort: old }, siblings, at);
  return {
    set: { parent_id: parent, sort },
    changes: [
      ...(moves ? [{ field: 'parent_id', before: row.parent_id, after: parent }] : []),
      ...(sort === old ? [] : [{ field: 'sort', before: old, after: sort }]),
    ],
  };
}

/**
 * The number by which a department stands at a place among its siblings. They are not touched, whoever sees them, unless no
 * number is left there: then all get new ones in the order they have, which is no change of any of them.
 */
async function sortAt(tx: Tx, moved: Ordered, siblings: readonly Ordered[], at: number): Promise<number> {
  const fitting = sortBetween(moved, siblings[at - 1], siblings[at]);
  if (fitting !== undefined) return fitting;
  const numbers = spread(siblings.length + 1);
  const [own] = numbers.splice(at, 1);
  await run(
    tx,
    `UPDATE department d SET sort = o.sort FROM unnest($1::bigint[], $2::integer[]) AS o (id, sort)
      WHERE d.id = o.id AND d.sort <> o.sort`,
    [siblings.map((one) => one.id), numbers],
  );
  return own!;
}

function placeOf(id: number, row: Readonly<Record<string, unknown>>) {
  return { id, tenantId: Number(row.tenant_id), path: row.path as number[] };
}
