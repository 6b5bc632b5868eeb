import { containing } from '../../../kernel/server/resource/like-text.ts';
import { z } from 'zod';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { run } from '../../../kernel/server/database.ts';
import { forbidden } from '../../../kernel/server/http/errors.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { allStaff } from './staff.contract.ts';
import { staffBinding } from './staff-binding.server.ts';
import { sessionEndpoints } from './staff-session-paths.server.ts';
import { idText, staffPage, staffQuery, type StaffView } from './staff-wire.server.ts';

const binding = staffBinding({ tenant: 't.tenant_id', project: 'none', owner: 't.id', platformOnly: true });

const bound: BoundResource = bindResource(allStaff, {
  ...binding,
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/admin/user/getAllUserList',
      title: ['全部用户', 'All users'],
      access: { code: 'allUserManager' },
      query: z.strictObject({
        ...staffQuery,
        tenantId: idText,
        tenantType: z.enum(['1', '2', '3', '4']).optional(),
      }),
      handle: (call) => {
        // A menu granted by mistake opens nothing: accounts of all companies are the platform's.
        if (call.caller.tenantKind !== 3) throw forbidden();
        return staffPage(
          allStaffView,
          call,
          call.query,
          { tenant: call.query.tenantId, tenantType: call.query.tenantType },
          (row) => ({
            tenantId: String(row.tenant),
            tenantName: row.tenant__title,
            tenantType: Number(row.tenantType),
            online: row.online,
          }),
        );
      },
    }),
    ...sessionEndpoints(
      '/admin/allStaff',
      'allUserManager',
      { sessions: { code: 'allUserManager:btn_kick' }, signIns: { code: 'allUserManager:btn_view' } },
      () => bound,
    ),
  ],
  also: {
    options: [
      {
        target: 'tenant',
        anyOf: ['allUserManager', 'departManager1'],
        find: async (call, query) => {
          const rows = await run<{ id: number; name: string; account: string }>(
            call.platform.database.db,
            `SELECT id, name, account FROM tenant WHERE ($1 = 3 OR id = $2) AND name ILIKE $3 AND (cardinality($4::bigint[]) = 0 OR id = ANY($4::bigint[])) ORDER BY kind, id LIMIT $5 OFFSET $6`,
            [
              call.caller.tenantKind,
              call.caller.tenantId,
              containing(query.searchVal),
              query.ids.map(Number),
              query.limit,
              query.offset,
            ],
          );
          return rows.map((row) => ({ id: String(row.id), title: row.name, note: row.account }));
        },
      },
    ],
  },
});
/** Staff of all tenants as paths of the specification read them. */
export const allStaffView: StaffView = { resource: allStaff, binding, bound };

/** Staff of all tenants, platform only. */
export const registration = bound.registration;
