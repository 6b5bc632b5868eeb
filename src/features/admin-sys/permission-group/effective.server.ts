import { z } from 'zod';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { invalid, notFound } from '../../../kernel/server/http/errors.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { defineRegistration, endpoint, type Access, type Call } from '../../../kernel/server/registration.ts';
import { instantOf } from './authority-endpoints.server.ts';
import { menuOfStaff, menusOfStaff, previewAs, staffWhoCan } from './effective-query.server.ts';

const ROOT = '/admin/effectivePermission';
const ACCESS: Access = { anyOf: ['userManager:btn_permission', 'allUserManager:btn_permission'] };
const code = z.string().regex(/^[A-Za-z0-9_]{1,60}(:btn_[A-Za-z_]+)?$/);

/** Effective permissions of a staff, now and at any past instant, and who holds a right. */
export const registration = defineRegistration({
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/who`,
      title: ['谁拥有此权限', 'Who can do this'],
      access: ACCESS,
      query: z.strictObject({
        element: code.optional(),
        menu: code.optional(),
        at: z.string().max(40).optional(),
      }),
      handle: async (call) => {
        const wanted = call.query.element ?? call.query.menu;
        if (!wanted) throw invalid({ element: ['此项必填', 'This field is required'] });
        const parameters = new Parameters();
        const rows = await run<{ id: number }>(
          call.platform.database.db,
          `SELECT s.id FROM staff s WHERE ${staffInSight(call, parameters)}`,
          parameters.values,
        );
        return staffWhoCan(call, wanted, new Set(rows.map((row) => row.id)), atOf(call.query.at));
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/codes`,
      title: ['权限编码', 'Codes of rights'],
      access: ACCESS,
      handle: ({ platform }) =>
        run(
          platform.database.db,
          `SELECT m.code, m.title_zh AS title, m.title_en AS "titleEn", NULL AS menu FROM menu m WHERE m.built AND NOT m.retired AND m.type <> 'dirt'
           UNION ALL
           SELECT e.code, m.title_zh || ' · ' || e.name_zh, m.title_en || ' · ' || e.name_en, m.code
             FROM element e JOIN menu m ON m.code = e.menu_code AND m.built AND NOT m.retired WHERE NOT e.retired ORDER BY 1`,
        ),
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id`,
      title: ['有效权限', 'Effective permissions'],
      access: ACCESS,
      query: z.strictObject({ menu: code.optional(), at: z.string().max(40).optional() }),
      handle: async (call) => {
        const staff = await staffOf(call);
        const at = atOf(call.query.at);
        const head = {
          staff: { id: String(staff.id), name: staff.name, account: staff.account },
          at: at ? isoInstant(at) : null,
        };
        if (call.query.menu)
          return { ...head, ...(await menuOfStaff(call as Call, staff.id, call.query.menu, at)) };
        return { ...head, menus: await menusOfStaff(call, staff.id, at) };
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/:id/preview`,
      title: ['以其视角预览', 'Preview as'],
      access: ACCESS,
      handle: async (call) => {
        const staff = await staffOf(call);
        return {
          staff: { id: String(staff.id), name: staff.name, account: staff.account },
          ...(await previewAs(call.platform.database.db, staff.id)),
        };
      },
    }),
  ],
});

/** A past instant of a query; the present and the future are now. */
function atOf(text: string | undefined): Date | undefined {
  if (!text) return undefined;
  const at = instantOf(text);
  return at.getTime() >= Date.now() ? undefined : at;
}

async function staffOf(
  call: Pick<Call, 'caller' | 'platform' | 'params'>,
): Promise<{ id: number; name: string; account: string }> {
  const parameters = new Parameters();
  const id = parameters.bind(idOf(call.params.id));
  const row = await runOne<{ id: number; name: string; account: string }>(
    call.platform.database.db,
    `SELECT s.id, s.name, s.account FROM staff s WHERE s.id = ${id} AND ${staffInSight(call, parameters)}`,
    parameters.values,
  );
  if (!row) throw notFound();
  return row;
}

/** Staff of the own tenant, and for the platform's view of all users everybody. */
function staffInSight({ caller }: Pick<Call, 'caller'>, parameters: Parameters): string {
  const scope = { tenant: 's.tenant_id', project: 'none', owner: 's.id' } as const;
  const parts: string[] = [];
  if (caller.elements.has('userManager:btn_permission'))
    parts.push(scopeCondition(caller, 'userManager', { ...scope, ownTenant: true }, parameters));
  if (caller.elements.has('allUserManager:btn_permission'))
    parts.push(scopeCondition(caller, 'allUserManager', { ...scope, platformOnly: true }, parameters));
  return `(${parts.join(' OR ')})`;
}
