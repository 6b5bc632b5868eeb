import { run, runOne, type Db } from '../kernel/server/database.ts';
import { registrations } from '../app/registry/registrations.gen.ts';

/** A staff made for tests: account, tenant and the rows it may see by an independent rule. */
export interface TestRole {
  readonly account: string;
  readonly tenantId: number;
  readonly tenantKind: number;
  /** Projects it is limited to; null: none below its tenant. */
  readonly projectIds: readonly number[] | null;
  readonly holdsEverything: boolean;
}

/**
 * Makes one staff per kind of caller over the demonstration set: platform, platform limited to one project, company,
 * centre city, two merchants, a merchant limited to one project, and one with no group at all. All but the last hold
 * every built menu and element with scope all, so that only the rows decide.
 */
export async function makeRoles(db: Db): Promise<TestRole[]> {
  const projects = await run<{ id: number }>(db, 'SELECT id FROM project ORDER BY id');
  const tenants = await run<{ id: number; kind: number }>(
    db,
    'SELECT id, kind FROM tenant ORDER BY kind, id',
  );
  const first = (kind: number, nth = 0) => tenants.filter((tenant) => tenant.kind === kind)[nth]!.id;
  const projectsOf = async (tenantId: number) =>
    (
      await run<{ project_id: number }>(
        db,
        'SELECT project_id FROM tenant_project WHERE tenant_id = $1 ORDER BY project_id',
        [tenantId],
      )
    ).map((row) => row.project_id);
  const wanted: { account: string; tenantId: number; tenantKind: number; only?: number; grant: boolean }[] = [
    { account: 'role_platform', tenantId: first(3), tenantKind: 3, grant: true },
    { account: 'role_project', tenantId: first(3), tenantKind: 3, only: projects[0]!.id, grant: true },
    { account: 'role_company', tenantId: first(1), tenantKind: 1, grant: true },
    { account: 'role_centre', tenantId: first(4), tenantKind: 4, grant: true },
    { account: 'role_centre2', tenantId: first(4, 1), tenantKind: 4, grant: true },
    { account: 'role_merchant', tenantId: first(2), tenantKind: 2, grant: true },
    { account: 'role_merchant2', tenantId: first(2, 1), tenantKind: 2, grant: true },
    { account: 'role_nobody', tenantId: first(3), tenantKind: 3, grant: false },
  ];
  const roles: TestRole[] = [];
  for (const role of wanted) {
    const staff = await runOne<{ id: number }>(
      db,
      `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password) VALUES ($1, $2, $3, $4, false) RETURNING id`,
      [role.tenantId, role.account, role.account, role.only === undefined],
    );
    if (role.only !== undefined)
      await run(db, 'INSERT INTO staff_project (staff_id, project_id) VALUES ($1, $2)', [
        staff!.id,
        role.only,
      ]);
    if (role.grant) await grantEverything(db, role.tenantId, staff!.id, role.account);
    const limited =
      role.only !== undefined
        ? [role.only]
        : role.tenantKind === 1 || role.tenantKind === 4
          ? await projectsOf(role.tenantId)
          : null;
    roles.push({
      account: role.account,
      tenantId: role.tenantId,
      tenantKind: role.tenantKind,
      projectIds: limited,
      holdsEverything: role.grant,
    });
  }
  return roles;
}

/** Menu and element codes some service declares. */
export function declaredCodes(): { menus: string[]; elements: string[] } {
  return {
    menus: [...new Set(registrations.flatMap((service) => service.menus))],
    elements: [...new Set(registrations.flatMap((service) => Object.keys(service.elements)))],
  };
}

async function grantEverything(db: Db, tenantId: number, staffId: number, name: string): Promise<void> {
  const group = await runOne<{ id: number }>(
    db,
    `INSERT INTO permission_group (type_id, tenant_id, code, name) SELECT id, $1, $2, $3 FROM group_type WHERE code = 'role' RETURNING id`,
    [tenantId, `g_${name}`, name.slice(0, 20)],
  );
  await run(
    db,
    'INSERT INTO menu_grant (group_id, menu_code) SELECT $1, code FROM menu WHERE built AND NOT retired',
    [group!.id],
  );
  await run(
    db,
    'INSERT INTO element_grant (group_id, element_code) SELECT $1, code FROM element WHERE NOT retired',
    [group!.id],
  );
  await run(db, 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [group!.id, staffId]);
}
