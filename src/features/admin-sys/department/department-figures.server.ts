import { z } from 'zod';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import { idOf, requireCode } from '../../../kernel/server/http/call-parts.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run } from '../../../kernel/server/database.ts';
import { nameOrder } from '../../../kernel/server/resource/name-order.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint, type Call, type Endpoint } from '../../../kernel/server/registration.ts';
import { impactOf } from './department-impact.server.ts';

/** Whose departments the overview of companies shows. */
export const COMPANY_SCOPE = {
  tenant: 't.tenant_id',
  project: 'none',
  owner: 't.leader_id',
  ownerMoves: true,
} as const;

/** The button of each change whose impact is asked. */
const CHANGES = {
  place: 'departManager:btn_edit',
  merge: 'departManager:btn_merge',
  move: 'departManager:btn_move',
} as const;

const idText = z.string().regex(/^\d{1,15}$/);

/** Members of a department, the tree with head counts, and what a move or merge will touch. */
export function departmentEndpoints(bound: () => BoundResource): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/admin/department/tree',
      title: ['部门树', 'Department tree'],
      access: { anyOf: ['departManager', 'userManager'] },
      handle: (call) => tree(call, call.caller.menus.has('departManager') ? 'departManager' : 'userManager'),
    }),
    endpoint({
      method: 'GET',
      path: '/admin/department/:id/members',
      title: ['部门成员', 'Members'],
      access: { code: 'departManager' },
      handle: (call) => members(call, bound(), idOf(call.params.id)),
    }),
    endpoint({
      method: 'GET',
      path: '/admin/department/:id/impact',
      title: ['调整影响', 'What a change touches'],
      access: { anyOf: Object.values(CHANGES) },
      query: z.strictObject({
        into: idText.optional(),
        staff: z
          .string()
          .regex(/^\d{1,15}(,\d{1,15}){0,199}$/)
          .optional(),
        parent: z.union([idText, z.literal('top')]).optional(),
      }),
      handle: async (call) => {
        const row = await bound().find(call, idOf(call.params.id));
        const { into, parent, staff } = call.query;
        // What a change brings is told to those who may make it; without one nothing but heads is counted.
        const change =
          into === undefined ? (parent === undefined ? undefined : 'place') : staff ? 'move' : 'merge';
        if (change) requireCode(call.caller, CHANGES[change]);
        for (const other of [into, parent])
          if (other !== undefined && other !== 'top') await bound().find(call, Number(other));
        return impactOf(
          call.platform.database.db,
          Number(row.id),
          Number(row.tenant),
          into !== undefined
            ? { into: Number(into), ...(staff ? { staff: staff.split(',').map(Number) } : {}) }
            : parent !== undefined
              ? { parent: parent === 'top' ? null : Number(parent) }
              : undefined,
        );
      },
    }),
  ];
}

/** The view over companies: trees, members, and planned, actual and vacant heads of every company the caller sees. */
export function companyEndpoints(bound: () => BoundResource): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/admin/allDepartment/tree',
      title: ['公司部门树', 'Departments of a company'],
      access: { code: 'departManager1' },
      query: z.strictObject({ tenant: idText }),
      handle: (call) => tree(call, 'departManager1', Number(call.query.tenant)),
    }),
    endpoint({
      method: 'GET',
      path: '/admin/allDepartment/:id/members',
      title: ['部门成员', 'Members'],
      access: { code: 'departManager1' },
      handle: (call) => members(call, bound(), idOf(call.params.id)),
    }),
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
          own: row.tenant_id === call.caller.tenantId,
          departments: row.departments,
          planned: row.planned,
          actual: row.actual,
          vacant: row.vacant,
        }));
      },
    }),
  ];
}

/** All departments of a tenant (the own one unless named) in tree order with its enabled staff in sight, own and below. */
async function tree(
  call: Pick<Call, 'caller' | 'platform'>,
  menu: string,
  tenantId?: number,
): Promise<unknown> {
  const parameters = new Parameters();
  const place = { ...COMPANY_SCOPE, ownTenant: tenantId === undefined };
  // Departments are listed whole for whoever may see the tree; the scope of rows decides over staff, not over names of departments.
  const scope = scopeCondition(
    { ...call.caller, menus: new Map([[menu, [{ kind: 'all' }]]]) },
    menu,
    place,
    parameters,
  );
  // Whom the tree only helps to find staff opens no department here.
  const inSight = menu === 'userManager' ? 'FALSE' : scopeCondition(call.caller, menu, place, parameters);
  const only = tenantId === undefined ? 'TRUE' : `t.tenant_id = ${parameters.bind(tenantId)}`;
  const counted = headsInScope(call.caller, menu, parameters);
  const rows = await run<{
    id: number;
    parent_id: number | null;
    name: string;
    enabled: boolean;
    version: number;
    inSight: boolean;
    own: number;
    whole: number;
  }>(
    call.platform.database.db,
    `SELECT t.id, t.parent_id, t.name, t.enabled, t.version, coalesce(${inSight}, false) AS "inSight",
            (SELECT count(*) FROM staff s JOIN department d ON d.id = s.department_id WHERE s.department_id = t.id AND s.state = 'normal' AND ${counted}) AS own,
            (SELECT count(*) FROM staff s JOIN department d ON d.id = s.department_id WHERE t.id = ANY(d.path) AND s.state = 'normal' AND ${counted}) AS whole
       FROM department t WHERE ${scope} AND ${only} ORDER BY cardinality(t.path), t.sort, t.id`,
    parameters.values,
  );
  return rows.map((row) => ({
    id: String(row.id),
    parentId: row.parent_id === null ? null : String(row.parent_id),
    name: row.name,
    enabled: row.enabled,
    version: row.version,
    inSight: row.inSight,
    own: row.own,
    whole: row.whole,
  }));
}

/**
 * SQL, true for staff `s` of department `d` whom the tree counts: staff the menu's data scope reaches, and on the screens
 * of departments those of every department in sight.
 */
function headsInScope(caller: Caller, menu: string, parameters: Parameters): string {
  const staff = scopeCondition(
    caller,
    menu,
    { tenant: 's.tenant_id', project: 'none', owner: 's.id' },
    parameters,
  );
  if (menu === 'userManager') return staff;
  const place = { tenant: 'd.tenant_id', project: 'none', owner: 'd.leader_id' } as const;
  return `(${staff} OR ${scopeCondition(caller, menu, place, parameters)})`;
}

/** Staff whose main department it is, and those who belong to it besides. */
async function members(
  call: Pick<Call, 'caller' | 'platform'>,
  bound: BoundResource,
  id: number,
): Promise<unknown> {
  const row = await bound.find(call, id);
  const rows = await run<{
    id: number;
    name: string;
    account: string;
    state: string;
    main: boolean;
    home: string | null;
    stations: string | null;
  }>(
    call.platform.database.db,
    `SELECT s.id, s.name, s.account, s.state, s.department_id = $1 AS main, d.name AS home,
            (SELECT string_agg(x.name, '、' ORDER BY x.sort) FROM staff_station ss JOIN station x ON x.id = ss.station_id WHERE ss.staff_id = s.id) AS stations
       FROM staff s LEFT JOIN department d ON d.id = s.department_id
      WHERE s.state <> 'left' AND (s.department_id = $1 OR EXISTS (SELECT FROM secondary_department m WHERE m.staff_id = s.id AND m.department_id = $1))
      ORDER BY s.department_id = $1 DESC, ${nameOrder('s.name')}, s.id LIMIT 500`,
    [row.id],
  );
  return rows.map(({ home, ...one }) => ({
    ...one,
    id: String(one.id),
    home: one.main ? null : home,
    stations: one.stations ?? '',
    isLeader: one.id === Number(row.leader),
  }));
}
