import { z } from 'zod';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { businessTimeText } from '../../../kernel/contract/time.rules.ts';
import { bindResource } from '../../../kernel/server/bind-resource.ts';
import { endpoint } from '../../../kernel/server/service.ts';
import { run } from '../../../kernel/server/database.ts';
import { allStaff } from './staff.contract.ts';
import { staffBinding } from './staff-binding.server.ts';

const idText = z
  .string()
  .regex(/^\d{0,15}$/)
  .optional();
const STATES: Readonly<Record<string, string | undefined>> = { '0': 'disabled', '1': 'normal' };

const bound = bindResource(allStaff, {
  ...staffBinding({ tenant: 't.tenant_id', project: 'none', owner: 't.id', platformOnly: true }),
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/admin/user/getAllUserList',
      title: ['全部用户', 'All users'],
      access: { code: 'allUserManager' },
      query: z.strictObject({
        name: z.string().max(100).default(''),
        searchVal: z.string().max(100).default(''),
        departId: idText,
        stationId: idText,
        groupId: idText,
        projectId: idText,
        tenantId: idText,
        tenantType: z.enum(['1', '2', '3', '4']).optional(),
        enableStatus: z.enum(['0', '1', '3']).optional(),
        page: z.coerce.number().int().min(1).max(1_000_000).default(1),
        limit: z.coerce.number().int().min(1).max(200).default(10),
      }),
      handle: async (call) => {
        const filters = Object.fromEntries(
          Object.entries({
            tenant: call.query.tenantId,
            tenantType: call.query.tenantType,
            department: call.query.departId,
            state: STATES[call.query.enableStatus ?? '3'],
          }).filter(([, value]) => value),
        ) as Record<string, string>;
        const { rows, ...totals } = await bound.rawPage(call, {
          page: call.query.page,
          limit: call.query.limit,
          searchVal: call.query.searchVal || call.query.name,
          sort: '-createdAt',
          tab: undefined,
          cursor: undefined,
          exact: false,
          filters,
        });
        return {
          ...totals,
          rows: rows.map((row) => ({
            id: String(row.id),
            username: row.account,
            name: row.name,
            mobilePhone: row.mobilePhone ? maskValue('phone', String(row.mobilePhone)) : '',
            tenantId: String(row.tenant),
            tenantName: row.tenant__title,
            tenantType: Number(row.tenantType),
            online: row.online,
            departName: row.department__title ?? '',
            enableStatus: row.state === 'normal' ? 1 : 0,
            state: row.locked && row.state === 'normal' ? 'locked' : row.state,
            lastLoginTime: row.lastLoginAt ? businessTimeText(row.lastLoginAt as Date) : null,
            updTime: businessTimeText(row.updatedAt as Date),
            updName: row.updater ?? '',
          })),
        };
      },
    }),
  ],
  also: {
    options: [
      {
        target: 'tenant',
        anyOf: ['allUserManager'],
        find: async (call, query) => {
          const rows = await run<{ id: number; name: string; account: string }>(
            call.platform.database.db,
            `SELECT id, name, account FROM tenant WHERE ($1 = 3 OR id = $2) AND ($3 = '' OR name ILIKE '%' || $3 || '%') AND (cardinality($4::bigint[]) = 0 OR id = ANY($4::bigint[])) ORDER BY kind, id LIMIT $5 OFFSET $6`,
            [
              call.caller.tenantKind,
              call.caller.tenantId,
              query.searchVal.replace(/[\\%_]/g, '\\$&'),
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

/** Staff of all tenants, platform only. */
export const service = bound.service;
