import { z } from 'zod';
import { idOf, type BoundResource } from '../../../kernel/server/bind-resource.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { notFound } from '../../../kernel/server/errors.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/scope.ts';
import { endpoint, type Call, type Endpoint } from '../../../kernel/server/service.ts';

/** Whose departments the overview of companies shows. */
export const COMPANY_SCOPE = { tenant: 't.tenant_id', project: 'none', owner: 't.leader_id' } as const;

const idText = z.string().regex(/^\d{1,15}$/);

/** Members of a department, the tree with head counts, and what a move or merge will touch. */
export function departmentEndpoints(bound: () => BoundResource): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/admin/department/tree',
      title: ['部门树', 'Department tree'],
      access: { anyOf: ['departManager', 'userManager'] },
      handle: tree,
    }),
    endpoint({
      method: 'GET',
      path: '/admin/department/:id/members',
      title: ['部门成员', 'Members'],
      access: { code: 'departManager' },
      handle: async (call) => {
        const row = await bound().find(call, idOf(call.params.id));
        const members = await run<{
          id: number;
          name: string;
          account: string;
          state: string;
          stations: string | null;
        }>(
          call.platform.database.db,
          `SELECT s.id, s.name, s.account, s.state, (SELECT string_agg(x.name, '、' ORDER BY x.sort) FROM staff_station ss JOIN station x ON x.id = ss.station_id WHERE ss.staff_id = s.id) AS stations
             FROM staff s WHERE s.department_id = $1 AND s.state <> 'left' ORDER BY s.name, s.id LIMIT 500`,
          [row.id],
        );
        return members.map((one) => ({
          ...one,
          id: String(one.id),
          stations: one.stations ?? '',
          isLeader: one.id === Number(row.leader),
        }));
      },
    }),
    endpoint({
      method: 'GET',
      path: '/admin/department/:id/impact',
      title: ['调整影响', 'What a change touches'],
      access: { code: 'departManager' },
      query: z.strictObject({ into: idText.optional(), parent: idText.optional() }),
      handle: async (call) => {
        const row = await bound().find(call, idOf(call.params.id));
        const target = call.query.into ?? call.query.parent;
        if (target) await bound().find(call, Number(target));
        return impact(call, Number(row.id), target === undefined ? null : Number(target));
      },
    }),
  ];
}

/** Planned, actual and vacant heads of every company the caller sees. */
export const headCountEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: '/admin/allDepartment/headCount',
    title: ['编制统计', 'Head count'],
    access: { code: 'departManager1' },
    handle: async (call) => {
      const parameters = new Parameters();
      const scope = scopeCondition(call.caller, 'departManager1', COMPANY_SCOPE, parameters);
      const rows = await run<{
        tenant_id: number;
        name: string;
        planned: number;
        actual: number;
        vacant: number;
        departments: number;
      }>(
        call.platform.database.db,
        `SELECT c.tenant_id, n.name, count(*) AS departments, sum(c.planned)::bigint AS planned, sum(c.actual)::bigint AS actual, sum(greatest(c.planned - c.actual, 0))::bigint AS vacant
           FROM (SELECT t.tenant_id, t.planned, (SELECT count(*) FROM staff s WHERE s.department_id = t.id AND s.state <> 'left') AS actual FROM department t WHERE t.enabled AND ${scope}) c
           JOIN tenant n ON n.id = c.tenant_id GROUP BY c.tenant_id, n.name ORDER BY c.tenant_id`,
        parameters.values,
      );
      return rows.map((row) => ({
        tenantId: String(row.tenant_id),
        tenantName: row.name,
        departments: row.departments,
        planned: row.planned,
        actual: row.actual,
        vacant: row.vacant,
      }));
    },
  }),
];

/** All departments of the own tenant in tree order with their enabled staff, own and with those below. */
async function tree(call: Call): Promise<unknown> {
  const menu = call.caller.menus.has('departManager') ? 'departManager' : 'userManager';
  const parameters = new Parameters();
  // Departments are listed whole for whoever may see the tree; the scope of rows decides over staff, not over names of departments.
  const scope = scopeCondition(
    { ...call.caller, menus: new Map([[menu, [{ kind: 'all' }]]]) },
    menu,
    { ...COMPANY_SCOPE, ownTenant: true },
    parameters,
  );
  const rows = await run<{
    id: number;
    parent_id: number | null;
    name: string;
    enabled: boolean;
    version: number;
    own: number;
    whole: number;
  }>(
    call.platform.database.db,
    `SELECT t.id, t.parent_id, t.name, t.enabled, t.version,
            (SELECT count(*) FROM staff s WHERE s.department_id = t.id AND s.state = 'normal') AS own,
            (SELECT count(*) FROM staff s JOIN department d ON d.id = s.department_id WHERE t.id = ANY(d.path) AND s.state = 'normal') AS whole
       FROM department t WHERE ${scope} ORDER BY cardinality(t.path), t.sort, t.id`,
    parameters.values,
  );
  return rows.map((row) => ({
    id: String(row.id),
    parentId: row.parent_id === null ? null : String(row.parent_id),
    name: row.name,
    enabled: row.enabled,
    version: row.version,
    own: row.own,
    whole: row.whole,
  }));
}

async function impact(call: Call, id: number, target: number | null): Promise<unknown> {
  const { db } = call.platform.database;
  const counts = await runOne<{
    staff: number;
    below: number;
    children: number;
    stations: number;
    groups: number;
  }>(
    db,
    `SELECT (SELECT count(*) FROM staff WHERE department_id = $1 AND state <> 'left') AS staff,
            (SELECT count(*) FROM staff s JOIN department d ON d.id = s.department_id WHERE $1 = ANY(d.path) AND s.state <> 'left') AS below,
            (SELECT count(*) FROM department WHERE parent_id = $1) AS children,
            (SELECT count(*) FROM station_department WHERE department_id = $1) AS stations,
            (SELECT count(*) FROM permission_group WHERE department_id = $1) AS groups`,
    [id],
  );
  // Whoever sees "own department and below" above the old or the new place gains or loses the branch.
  const changed = await run<{ name: string }>(
    db,
    `WITH places AS (SELECT (SELECT path FROM department WHERE id = $1) AS old, coalesce((SELECT path FROM department WHERE id = $2), '{}') AS new)
     SELECT DISTINCT s.name, s.id FROM staff s, places p
      WHERE s.state = 'normal' AND s.department_id <> $1
        AND (s.department_id = ANY(p.old) <> (s.department_id = ANY(p.new)))
        AND EXISTS (SELECT FROM group_member m JOIN permission_group g ON g.id = m.group_id AND g.enabled JOIN menu_grant mg ON mg.group_id = g.id
                     WHERE m.staff_id = s.id AND mg.data_scope = 'dept_tree')
      ORDER BY s.id LIMIT 200`,
    [id, target],
  );
  if (!counts) throw notFound();
  return { ...counts, scopeChanges: changed.length, scopeNames: changed.slice(0, 20).map((row) => row.name) };
}
