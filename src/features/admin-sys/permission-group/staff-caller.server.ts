import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { effectivePermissions } from '../../../domain/permission/effective-permissions.server.ts';

/**
 * A staff as caller with the rights of this moment, for counting the rows he sees; undefined when he cannot sign in.
 * Projects by the same rule as the session: the tenant's, narrowed to the own ones unless all are given.
 */
export async function callerOfStaff(db: Executor, staffId: number): Promise<Caller | undefined> {
  const row = await runOne<StaffRow>(db, STAFF, [staffId]);
  if (!row) return undefined;
  const { menus, elements } = await effectivePermissions(db, staffId);
  const { allProjects, ...staff } = row;
  const projectIds = await projectsOf(db, staffId, row, allProjects);
  return {
    ...staff,
    staffId,
    sessionId: 0,
    projectIds,
    menus,
    elements,
    mustChangePassword: false,
    locked: false,
    epoch: '',
  };
}

/** Projects a staff is limited to, whether or not it can sign in now; null when nothing below the tenant limits it. */
export async function projectsOfStaff(db: Executor, staffId: number): Promise<readonly number[] | null> {
  const row = await runOne<StaffRow>(db, ANY_STAFF, [staffId]);
  return row ? projectsOf(db, staffId, row, row.allProjects) : [];
}

interface StaffRow {
  readonly account: string;
  readonly name: string;
  readonly tenantId: number;
  readonly tenantKind: 1 | 2 | 3 | 4;
  readonly departmentId: number | null;
  readonly allProjects: boolean;
}

const ANY_STAFF = `
  SELECT s.account, s.name, s.tenant_id AS "tenantId", n.kind AS "tenantKind", s.department_id AS "departmentId", s.all_projects AS "allProjects"
    FROM staff s JOIN tenant n ON n.id = s.tenant_id WHERE s.id = $1`;
const STAFF = `${ANY_STAFF} AND s.state = 'normal' AND n.enabled`;

async function projectsOf(
  db: Executor,
  staffId: number,
  row: StaffRow,
  all: boolean,
): Promise<readonly number[] | null> {
  const ofTenant = row.tenantKind === 1 || row.tenantKind === 4;
  if (all && !ofTenant) return null;
  const rows = await run<{ id: number }>(
    db,
    `SELECT p.id FROM project p
      WHERE (NOT $3 OR EXISTS (SELECT 1 FROM tenant_project t WHERE t.tenant_id = $2 AND t.project_id = p.id))
        AND ($4 OR EXISTS (SELECT 1 FROM staff_project s WHERE s.staff_id = $1 AND s.project_id = p.id)) ORDER BY p.id`,
    [staffId, row.tenantId, row.tenantKind !== 3, all],
  );
  return rows.map((project) => project.id);
}
