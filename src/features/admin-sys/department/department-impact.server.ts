import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { notFound } from '../../../kernel/server/errors.ts';
import { loadModel } from '../permission-group/load-model.server.ts';
import {
  permissionReader,
  scopesKey,
  type PermissionModel,
} from '../permission-group/permission-model.server.ts';

/** What is going to happen to a department: it goes under another parent (null: to the top), or into another one. */
export type Rearrangement = { readonly parent: number | null } | { readonly into: number };

/** What a rearrangement takes along, and the staff whose data scope it changes, worked out by the rules of permissions. */
export async function impactOf(
  db: Executor,
  id: number,
  tenantId: number,
  change: Rearrangement | undefined,
): Promise<object> {
  const counts = await runOne<object>(
    db,
    `SELECT (SELECT count(*) FROM staff WHERE department_id = $1 AND state <> 'left') AS staff,
            (SELECT count(*) FROM secondary_department m JOIN staff s ON s.id = m.staff_id WHERE m.department_id = $1 AND s.state <> 'left') AS secondary,
            (SELECT count(*) FROM staff s JOIN department d ON d.id = s.department_id WHERE $1 = ANY(d.path) AND s.state <> 'left') AS below,
            (SELECT coalesce(jsonb_agg(name ORDER BY id), '[]') FROM (SELECT id, name FROM staff WHERE department_id = $1 AND state <> 'left' ORDER BY id LIMIT 20) named) AS "staffNames",
            (SELECT count(*) FROM department WHERE parent_id = $1) AS children,
            (SELECT count(*) FROM station_department WHERE department_id = $1) AS stations,
            (SELECT count(*) FROM permission_group WHERE department_id = $1) AS groups,
            (SELECT count(*) FROM approval_instance i JOIN staff s ON s.id = coalesce(i.subject_id, i.starter_id) WHERE i.state = 'running' AND s.department_id = $1) AS approvals`,
    [id],
  );
  if (!counts) throw notFound();
  const names = change ? await staffWithOtherScopes(db, id, tenantId, change) : [];
  return { ...counts, scopeChanges: names.length, scopeNames: names.slice(0, 20) };
}

async function staffWithOtherScopes(
  db: Executor,
  id: number,
  tenantId: number,
  change: Rearrangement,
): Promise<string[]> {
  const staff = await run<{ id: number; name: string }>(
    db,
    `SELECT id, name FROM staff WHERE tenant_id = $1 AND state = 'normal' ORDER BY id`,
    [tenantId],
  );
  const before = await loadModel(db, { staffIds: staff.map((one) => one.id) });
  const after = 'into' in change ? merged(before, id, change.into) : moved(before, id, change.parent);
  // After a merge the staff of the one are found under the other: who covers exactly one of them sees other rows.
  const counted: Departments = (ids) =>
    'into' in change ? [...ids.filter((one) => one !== id), ...(ids.includes(change.into) ? [id] : [])] : ids;
  const old = permissionReader(before);
  const now = permissionReader(after);
  return staff
    .filter((one) => rightsKey(old(one.id), same) !== rightsKey(now(one.id), counted))
    .map((one) => one.name);
}

function moved(model: PermissionModel, id: number, parent: number | null): PermissionModel {
  return { ...model, departments: new Map(model.departments).set(id, parent) };
}

function merged(model: PermissionModel, from: number, into: number): PermissionModel {
  const instead = (id: number) => (id === from ? into : id);
  return {
    ...model,
    departments: new Map(
      [...model.departments].map(([id, parent]) => [id, parent === null ? null : instead(parent)]),
    ),
    staff: new Map(
      [...model.staff].map(([id, one]) => [
        id,
        { ...one, departmentId: one.departmentId === null ? null : instead(one.departmentId) },
      ]),
    ),
    groups: new Map(
      [...model.groups].map(([id, group]) => [
        id,
        { ...group, departmentId: group.departmentId === null ? null : instead(group.departmentId) },
      ]),
    ),
    grants: new Map(
      [...model.grants].map(([id, grants]) => [
        id,
        {
          ...grants,
          menus: grants.menus.map((menu) => ({
            ...menu,
            departmentIds: [...new Set(menu.departmentIds.map(instead))].sort((a, b) => a - b),
          })),
        },
      ]),
    ),
  };
}

type Departments = (ids: readonly number[]) => readonly number[];

const same: Departments = (ids) => ids;

function rightsKey(
  rights: ReturnType<ReturnType<typeof permissionReader>>,
  departments: Departments,
): string {
  const menus = [...rights.menus].map(([code, scopes]) => {
    const counted = scopes.map((scope) =>
      scope.kind === 'departments'
        ? { ...scope, ids: [...departments(scope.ids)].sort((a, b) => a - b) }
        : scope,
    );
    return `${code}=${scopesKey(counted)}`;
  });
  return `${menus.sort().join('|')}#${[...rights.elements].sort().join('|')}`;
}
