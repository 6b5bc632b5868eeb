import { createHash } from 'node:crypto';
import type { Caller, LoadCaller } from '../../kernel/server/people/caller.ts';
import { run, runOne, type Executor } from '../../kernel/server/database.ts';
import { GLOBAL_EPOCH_KEY } from '../../kernel/server/people/acting.ts';
import { effectivePermissions } from './effective-permissions.server.ts';

/** Whose permissions are loaded, as the session look-up knows the staff. */
export interface Who {
  readonly staffId: number;
  readonly tenantId: number;
  readonly tenantKind: 1 | 2 | 3 | 4;
  readonly allProjects: boolean;
  /** Changes of the staff and of everybody, counted; a part of the epoch. */
  readonly version: string;
}

/** The part of a caller that depends on permissions. */
export interface Permissions extends Pick<Caller, 'menus' | 'elements' | 'projectIds' | 'epoch'> {
  /** When a membership ends by itself and this must be loaded again; null when none does. */
  readonly until: Date | null;
}

/**
 * Loads menus with scopes, elements and projects of a staff.
 * projectIds: platform and merchant: null with all projects, else the own ones (merchant: inside the tenant's);
 * company and centre city: the tenant's projects, narrowed to the own ones unless all are given.
 */
export async function loadPermissions(db: Executor, who: Who): Promise<Permissions> {
  const { menus, elements, nextExpiry } = await effectivePermissions(db, who.staffId);
  const projectIds = await loadProjects(db, who);
  const state = `${who.staffId}/${who.version}/${nextExpiry?.getTime() ?? ''}`;
  const epoch = createHash('sha256').update(state).digest('hex').slice(0, 12);
  return { menus, elements, projectIds, epoch, until: nextExpiry };
}

/** Makes the function that gives work in the background the rights its staff has at that moment. */
export function callerLoader(db: Executor): LoadCaller {
  return (staffId, within = db) => loadHolder(within, staffId, `AND t.state = 'normal' AND n.enabled`);
}

/**
 * A staff with the rights of this moment as the data scope asks for them, also while it cannot sign in: what it is told
 * meanwhile it reads when it comes back. Undefined for one who does not work here any more.
 */
export function holderOf(db: Executor, staffId: number): Promise<Caller | undefined> {
  return loadHolder(db, staffId, `AND t.state <> 'left'`);
}

async function loadHolder(db: Executor, staffId: number, condition: string): Promise<Caller | undefined> {
  const row = await runOne<StaffRow>(db, `${STAFF} ${condition}`, [staffId, GLOBAL_EPOCH_KEY]);
  if (!row) return undefined;
  const permissions = await loadPermissions(db, { ...row, staffId, version: permissionVersion(row) });
  return {
    sessionId: 0,
    staffId,
    account: row.account,
    name: row.name,
    tenantId: row.tenantId,
    tenantKind: row.tenantKind,
    departmentId: row.departmentId,
    projectIds: permissions.projectIds,
    menus: permissions.menus,
    elements: permissions.elements,
    mustChangePassword: false,
    locked: false,
    epoch: permissions.epoch,
  };
}

/** What permissions of a staff depend on, as one text. */
export function permissionVersion(row: PermissionVersion): string {
  return [row.permissionEpoch, row.global, row.tenantId, row.departmentId, row.allProjects].join('.');
}

interface PermissionVersion {
  readonly permissionEpoch: number;
  /** Count of changes that concern everybody. */
  readonly global: string | null;
  readonly tenantId: number;
  readonly departmentId: number | null;
  readonly allProjects: boolean;
}

interface StaffRow extends PermissionVersion {
  readonly account: string;
  readonly name: string;
  readonly tenantKind: 1 | 2 | 3 | 4;
}

const STAFF = `
  SELECT t.account, t.name, t.tenant_id AS "tenantId", n.kind AS "tenantKind", t.department_id AS "departmentId",
         t.all_projects AS "allProjects", t.permission_epoch AS "permissionEpoch",
         (SELECT value #>> '{}' FROM setting WHERE key = $2) AS global
    FROM staff t JOIN tenant n ON n.id = t.tenant_id
   WHERE t.id = $1`;

async function loadProjects(db: Executor, who: Who): Promise<number[] | null> {
  const isLimitedByTenant = who.tenantKind === 1 || who.tenantKind === 4;
  if (who.allProjects && !isLimitedByTenant) return null;
  const ofTenant = 'SELECT project_id AS id FROM tenant_project WHERE tenant_id = $1';
  const ofStaff = 'SELECT project_id AS id FROM staff_project WHERE staff_id = $1';
  const both = `SELECT t.project_id AS id FROM tenant_project t
                  JOIN staff_project s ON s.project_id = t.project_id AND s.staff_id = $2
                 WHERE t.tenant_id = $1`;
  let rows: { id: number }[];
  if (who.allProjects) rows = await run(db, `${ofTenant} ORDER BY id`, [who.tenantId]);
  else if (who.tenantKind === 3) rows = await run(db, `${ofStaff} ORDER BY id`, [who.staffId]);
  else rows = await run(db, `${both} ORDER BY id`, [who.tenantId, who.staffId]);
  return rows.map((row) => row.id);
}
