import { writeTimeline } from '../../../kernel/server/audit/audit.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { scopeCondition, type Parameters, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { notifyStaffChanged } from '../../../kernel/server/people/session-changes.ts';
import { heldDepartments } from '../permission-group/grant-rules.server.ts';
import { department } from './department.contract.ts';

/** Name of departments in timelines and audit records, whichever view they were changed through. */
export const DEPARTMENT = 'department';

/** Where a department stands in the screen of the own tenant: it belongs to whoever leads it. */
export const DEPARTMENT_SCOPE: ScopeColumns = {
  tenant: 't.tenant_id',
  project: 'none',
  owner: 't.leader_id',
  ownerMoves: true,
  ownTenant: true,
};

/** SQL, true for a department `t` the caller does not see: neither its row is in the data scope, nor does the scope name it. */
export function outOfSight(caller: Caller, parameters: Parameters): string {
  const scope = scopeCondition(caller, department.menu, DEPARTMENT_SCOPE, parameters);
  const named = parameters.bind([...heldDepartments(caller.menus.get(department.menu) ?? [])]);
  return `((${scope}) IS NOT TRUE AND t.id <> ALL(${named}::bigint[]))`;
}

const MAX_LEVELS = 8;

/** A department as somebody wants it. */
export interface DepartmentInput {
  readonly code: string;
  readonly name: string;
  readonly parent?: number | null | undefined;
  readonly type?: string | undefined;
  readonly leader?: number | null | undefined;
  readonly phone?: string | null | undefined;
  readonly sort?: number | null | undefined;
  readonly planned?: number | null | undefined;
}

/** Makes a department in the caller's tenant; returns its id. Refuses taken codes, foreign leaders and more than eight levels. */
export async function createDepartment(tx: Tx, caller: Caller, input: DepartmentInput): Promise<number> {
  const tenantId = caller.tenantId;
  if (await runOne(tx, 'SELECT 1 FROM department WHERE tenant_id = $1 AND code = $2', [tenantId, input.code]))
    throw ruleBroken(['编码已存在', 'Code exists']);
  await lockTree(tx, tenantId);
  await checkLeader(tx, tenantId, input.leader);
  const above = await pathOf(tx, tenantId, input.parent ?? null);
  if (above.length + 1 > MAX_LEVELS) throw tooDeep();
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO department (tenant_id, parent_id, code, name, type, leader_id, phone, sort, planned, created_by, updated_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10) RETURNING id`,
    [
      tenantId,
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
  return row!.id;
}

/** Makes every instance reload the rights of the staff in these departments: what lies below them has changed. */
export async function notifyDepartments(tx: Tx, departments: readonly number[]): Promise<void> {
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

/** A department with its place, as the tables hold it. */
export interface PlacedDepartment {
  readonly id: number;
  readonly tenantId: number;
  readonly path: readonly number[];
}

/** Puts a department with everything below it under another parent; whose data scope follows the tree is told. */
export async function moveBranch(
  tx: Tx,
  { id, tenantId, path }: PlacedDepartment,
  parent: number | null,
): Promise<void> {
  await lockTree(tx, tenantId);
  const above = await pathOf(tx, tenantId, parent);
  if (above.includes(id)) throw ruleBroken(['不能移动到自己的下级', 'Cannot move below itself']);
  // Data scopes are read from the parents, and are asked before the action writes its row.
  await run(tx, 'UPDATE department SET parent_id = $2 WHERE id = $1', [id, parent]);
  await rebase(tx, id, path, above);
  // Staff below see other departments from now on.
  const affected = await run<{ id: number }>(
    tx,
    'SELECT s.id FROM staff s JOIN department d ON d.id = s.department_id WHERE d.path && $1::bigint[]',
    [[...path, ...above]],
  );
  await notifyStaffChanged(
    tx,
    affected.map((one) => one.id),
  );
}

/** Moves the departments right below one under another and notes it for each: past scopes are read from these notes. */
export async function moveChildren(
  tx: Tx,
  caller: Caller,
  from: number,
  target: { readonly id: number; readonly path: readonly number[] },
): Promise<void> {
  for (const child of await run<{ id: number; path: number[] }>(
    tx,
    'SELECT id, path FROM department WHERE parent_id = $1 ORDER BY id',
    [from],
  )) {
    await run(tx, 'UPDATE department SET parent_id = $2 WHERE id = $1', [child.id, target.id]);
    await rebase(tx, child.id, child.path, target.path);
    await writeTimeline(tx, {
      entity: DEPARTMENT,
      entityId: child.id,
      caller,
      action: 'place',
      label: ['移动', 'Move'],
      changes: [{ field: 'parent_id', before: from, after: target.id }],
    });
  }
}

/** One change of a tenant's tree at a time: two moves at once could make a ring. */
export async function lockTree(tx: Tx, tenantId: number): Promise<void> {
  await run(tx, 'SELECT pg_advisory_xact_lock(7003, $1::int)', [tenantId % 2_000_000_000]);
}

/** Refuses a leader who is not at work in the tenant. */
export async function checkLeader(tx: Tx, tenantId: number, leader: unknown): Promise<void> {
  if (leader === undefined || leader === null) return;
  if (
    !(await runOne(tx, `SELECT 1 FROM staff WHERE id = $1 AND tenant_id = $2 AND state = 'normal'`, [
      leader,
      tenantId,
    ]))
  )
    throw ruleBroken(['负责人须为本公司在职员工', 'The leader must be staff of the same tenant']);
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

function tooDeep() {
  return ruleBroken(['部门层级不能超过8级', 'At most 8 levels']);
}
