import { writeTimeline } from '../../../kernel/server/audit/audit.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { Parameters } from '../../../kernel/server/people/scope.ts';
import { notifyGroupsChanged } from '../../../domain/permission/effective-permissions.server.ts';
import { keepBaseline, writeHistory } from '../permission-group/grant-history.server.ts';
import { rearrange, requireDepartmentRights } from '../permission-group/reach-rules.server.ts';
import { moveStaff, STAFF } from '../staff/staff-commands.server.ts';
import { lockTree, moveChildren, notifyDepartments, outOfSight } from './department-commands.server.ts';

/** Staff join a department: as their main one, which moves them, or as a further one beside it. */
export async function addMembers(context: ActionContext): Promise<ActionResult> {
  const { tx, id, row, input, caller } = context;
  const staffIds = [...new Set(input.staff as number[])];
  await requireOwnStaff(tx, staffIds, Number(row.tenant_id));
  if (input.kind === 'main') {
    await requireDepartmentRights(tx, caller, id);
    await requireDepartmentsInSight(tx, caller, staffIds);
    const moved = await rearrange(tx, context, () =>
      moveStaff(tx, caller, { staffIds, tenantId: Number(row.tenant_id), into: id }),
    );
    return { remark: moved.join('、') };
  }
  const known = await run<{ id: number; name: string; department_id: number | null }>(
    tx,
    `SELECT id, name, department_id FROM staff WHERE id = ANY($1::bigint[]) AND tenant_id = $2 AND state <> 'left' ORDER BY id FOR UPDATE`,
    [staffIds, row.tenant_id],
  );
  if (known.length !== staffIds.length) throw notFound();
  const main = known.filter((one) => one.department_id === id).map((one) => one.name);
  if (main.length > 0)
    throw ruleBroken([
      `已是主部门成员：${main.join('、')}`,
      `This is their main department already: ${main.join(', ')}`,
    ]);
  await run(
    tx,
    'INSERT INTO secondary_department (staff_id, department_id, created_by) SELECT unnest($1::bigint[]), $2, $3 ON CONFLICT DO NOTHING',
    [staffIds, id, caller.staffId],
  );
  for (const one of known)
    await writeTimeline(tx, {
      entity: STAFF,
      entityId: one.id,
      caller,
      action: 'joinDepartment',
      label: ['兼任部门', 'Joined a further department'],
      remark: String(row.name),
    });
  return { remark: known.map((one) => one.name).join('、') };
}

/** Throws 404 for staff of other companies as for those who do not exist: what comes after names people. */
async function requireOwnStaff(tx: Tx, staffIds: readonly number[], tenantId: number): Promise<void> {
  const known = await run(
    tx,
    `SELECT 1 FROM staff WHERE id = ANY($1::bigint[]) AND tenant_id = $2 AND state <> 'left'`,
    [staffIds, tenantId],
  );
  if (known.length !== staffIds.length) throw notFound();
}

/** Refuses (30101) to take staff out of departments the caller does not see: that changes those departments too. */
async function requireDepartmentsInSight(tx: Tx, caller: Caller, staffIds: readonly number[]): Promise<void> {
  const parameters = new Parameters();
  const ids = parameters.bind(staffIds);
  const foreign = await run<{ name: string }>(
    tx,
    `SELECT s.name FROM staff s JOIN department t ON t.id = s.department_id
      WHERE s.id = ANY(${ids}::bigint[]) AND ${outOfSight(caller, parameters)} ORDER BY s.id LIMIT 5`,
    parameters.values,
  );
  if (foreign.length === 0) return;
  const names = foreign.map((one) => one.name);
  throw ruleBroken([
    `不能调入您管理范围外部门的员工，请由其部门调出：${names.join('、')}`,
    `They work in departments outside your scope, which have to move them: ${names.join(', ')}`,
  ]);
}

/** Staff leave a department that is not their main one; out of the main one they can only be moved. */
export async function removeMembers({ tx, id, row, input, caller }: ActionContext): Promise<ActionResult> {
  const staffIds = [...new Set(input.staff as number[])];
  const main = await run<{ name: string }>(
    tx,
    'SELECT name FROM staff WHERE id = ANY($1::bigint[]) AND department_id = $2 ORDER BY id',
    [staffIds, id],
  );
  if (main.length > 0)
    throw ruleBroken([
      `主部门成员请用「调出成员」：${main.map((one) => one.name).join('、')}`,
      `Move those whose main department this is: ${main.map((one) => one.name).join(', ')}`,
    ]);
  const gone = await run<{ staff_id: number; name: string }>(
    tx,
    `DELETE FROM secondary_department m USING staff s WHERE s.id = m.staff_id AND m.department_id = $1 AND m.staff_id = ANY($2::bigint[]) RETURNING m.staff_id, s.name`,
    [id, staffIds],
  );
  if (gone.length !== staffIds.length) throw notFound();
  for (const one of gone)
    await writeTimeline(tx, {
      entity: STAFF,
      entityId: one.staff_id,
      caller,
      action: 'leaveDepartment',
      label: ['移出兼任部门', 'Left a further department'],
      remark: String(row.name),
    });
  return { remark: gone.map((one) => one.name).join('、') };
}

/** Staff whose main department this is go to another one. */
export async function moveMembers(context: ActionContext): Promise<ActionResult> {
  const { tx, id, row, input, caller } = context;
  const target = await runOne<{ id: number; name: string }>(
    tx,
    'SELECT id, name FROM department WHERE id = $1 AND tenant_id = $2 AND enabled',
    [input.into, row.tenant_id],
  );
  // Before anything that names rights of its group.
  if (!target) throw notFound(['部门不存在或已停用', 'The department does not exist or is disabled']);
  await requireDepartmentRights(tx, caller, target.id);
  if (target.id === id) throw ruleBroken(['已在此部门', 'They are in this department already']);
  const moved = await rearrange(tx, context, () =>
    moveStaff(tx, caller, {
      staffIds: input.staff as number[],
      tenantId: Number(row.tenant_id),
      into: target.id,
      from: id,
    }),
  );
  return { remark: `${moved.join('、')} → ${target.name}` };
}

/** Staff, posts, group, scopes and sub-departments go over to another department; the emptied one is disabled. */
export async function merge(context: ActionContext): Promise<ActionResult> {
  return rearrange(context.tx, context, () => mergeInto(context));
}

async function mergeInto({ tx, id, row, input, caller }: ActionContext): Promise<ActionResult> {
  const tenantId = Number(row.tenant_id);
  const known = await runOne(tx, 'SELECT 1 FROM department WHERE id = $1 AND tenant_id = $2', [
    input.into,
    tenantId,
  ]);
  // Before anything that names rights of its group.
  if (!known) throw notFound();
  // Staff of both sides end up with the group of either, over the rows of both.
  const sides = [id, Number(input.into)];
  for (const group of sides)
    for (const worksIn of sides) await requireDepartmentRights(tx, caller, group, worksIn);
  await lockTree(tx, tenantId);
  const target = await runOne<{ id: number; name: string; path: number[]; enabled: boolean }>(
    tx,
    'SELECT id, name, path, enabled FROM department WHERE id = $1 AND tenant_id = $2 FOR UPDATE',
    [input.into, tenantId],
  );
  if (!target) throw notFound();
  if (!target.enabled) throw ruleBroken(['目标部门已停用', 'The target department is disabled']);
  if (target.path.includes(id))
    throw ruleBroken(['不能合并到自己的下级', 'Cannot merge into a department below itself']);
  const staff = await run<{ id: number }>(
    tx,
    `SELECT id FROM staff WHERE department_id = $1 AND state <> 'left' ORDER BY id`,
    [id],
  );
  if (staff.length > 0)
    await moveStaff(tx, caller, { staffIds: staff.map((one) => one.id), tenantId, into: target.id });
  // Who has left keeps a department that still exists.
  await run(tx, `UPDATE staff SET department_id = $1 WHERE department_id = $2`, [target.id, id]);
  await run(
    tx,
    `INSERT INTO secondary_department (staff_id, department_id, created_by)
     SELECT m.staff_id, $1, $3 FROM secondary_department m JOIN staff s ON s.id = m.staff_id
      WHERE m.department_id = $2 AND s.department_id IS DISTINCT FROM $1 ON CONFLICT DO NOTHING`,
    [target.id, id, caller.staffId],
  );
  await run(tx, 'DELETE FROM secondary_department WHERE department_id = $1', [id]);
  await moveChildren(tx, caller, id, target);
  await run(
    tx,
    `INSERT INTO station_department (station_id, department_id) SELECT station_id, $1 FROM station_department WHERE department_id = $2 ON CONFLICT DO NOTHING`,
    [target.id, id],
  );
  await run(tx, 'DELETE FROM station_department WHERE department_id = $1', [id]);
  const group = await runOne<{ id: number }>(tx, 'SELECT id FROM permission_group WHERE department_id = $1', [
    id,
  ]);
  // Where the target has a group of its own, that one counts for everybody; the other stays behind without members.
  const other = await runOne(tx, 'SELECT 1 FROM permission_group WHERE department_id = $1', [target.id]);
  if (group && !other) {
    await keepBaseline(tx, [group.id]);
    await run(tx, 'UPDATE permission_group SET department_id = $2 WHERE id = $1', [group.id, target.id]);
    await writeHistory(tx, caller, {
      groupId: group.id,
      kind: 'group',
      reason: String(input.reason),
      difference: { changes: [{ field: 'department_id', before: id, after: target.id }] },
    });
  }
  await mergeScopes(tx, caller, id, target.id, String(input.reason));
  // The row itself is kept but emptied and disabled: old records name it.
  // Scopes change for whoever moved or stands above either.
  await notifyDepartments(tx, [...(row.path as number[]), ...target.path]);
  return {
    set: { enabled: false, leader_id: null },
    remark: `→ ${target.name}（${staff.length}）: ${String(input.reason)}`,
  };
}

/** Grants that name the department name the other one instead, once; the history of each group says so. */
async function mergeScopes(tx: Tx, caller: Caller, from: number, to: number, reason: string): Promise<void> {
  const groups = await run<{ id: number }>(
    tx,
    'SELECT DISTINCT group_id AS id FROM menu_grant WHERE $1 = ANY(department_ids) ORDER BY 1',
    [from],
  );
  const ids = groups.map((group) => group.id);
  if (ids.length === 0) return;
  await keepBaseline(tx, ids);
  await run(
    tx,
    `UPDATE menu_grant SET department_ids = (SELECT array_agg(DISTINCT d ORDER BY d) FROM unnest(array_replace(department_ids, $1::bigint, $2::bigint)) AS d) WHERE $1 = ANY(department_ids)`,
    [from, to],
  );
  for (const id of ids) await writeHistory(tx, caller, { groupId: id, kind: 'grant', reason });
  await notifyGroupsChanged(tx, ids);
}
