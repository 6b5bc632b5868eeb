import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { depositSql } from '../../../domain/merchant/deposit.server.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { z } from 'zod';
import { holds, type Caller } from '../../../kernel/server/people/caller.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { looksPersonal, noteGuesses } from '../../../kernel/server/http/guess-limit.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { encryptionToken } from '../../../kernel/server/resource/row-token.ts';
import { Parameters } from '../../../kernel/server/people/scope.ts';
import { merchant } from '../merchant/merchant.contract.ts';
import { defineRegistration, endpoint } from '../../../kernel/server/registration.ts';

interface MerchantRow {
  readonly id: number;
  readonly account: string;
  readonly name: string;
  readonly licence_no: string;
  readonly contact_name: string;
  readonly contact_phone: string;
  readonly merchant_kind: string | null;
  readonly state: string | null;
  readonly enabled: boolean;
  readonly deposit: number;
  readonly projects: string | null;
  readonly businesses: string | null;
  readonly total: number;
}

/** States of merchants as the list shows them. */
const STATES = merchant.states!;

/** Menus of which the lists show licence numbers; the call itself feeds every picker. Source: group 03. */
const LICENCE_MENUS = ['ssm_merchantManager', 'selfMerchants', 'residentMerchants'];

/** Merchant list and pickers; a merchant caller receives its own row only. */
export const registration = defineRegistration({
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/baseTenantContract/getMerchantListPc',
      title: ['商户列表', 'Merchants'],
      access: 'staff',
      query: z.strictObject({
        enableStatus: z.enum(['0', '1', '3']).optional(),
        searchVal: z.string().max(100).default(''),
        merchantKind: z.enum(['self', 'resident', '1', '2', '']).optional(),
        state: z.enum([...Object.keys(STATES), '']).optional(),
        projectId: z
          .string()
          .regex(/^\d{0,15}$/)
          .optional(),
        // Accepted and ignored: the caller's own tenant decides.
        tenantId: z.string().max(20).optional(),
        page: z.coerce.number().int().min(1).max(100_000).default(1),
        limit: z.coerce.number().int().min(1).max(200).default(10),
      }),
      handle: async (call) => {
        const kind =
          call.query.merchantKind === '1'
            ? 'self'
            : call.query.merchantKind === '2'
              ? 'resident'
              : call.query.merchantKind || undefined;
        const showsLicence = LICENCE_MENUS.some((menu) => holds(call.caller, menu));
        const rows = await merchantsInScope(call.platform, call.caller, {
          ...call.query,
          merchantKind: kind,
          offset: (call.query.page - 1) * call.query.limit,
        });
        return {
          total: rows[0]?.total ?? 0,
          rows: rows.map((row) => ({
            id: String(row.id),
            account: row.account,
            name: row.name,
            licenceNo: showsLicence || row.id === call.caller.tenantId ? row.licence_no : null,
            contactorName: row.contact_name && maskValue('name', row.contact_name),
            contactTel: row.contact_phone && maskValue('phone', row.contact_phone),
            projectName: row.projects ?? '',
            busName: row.businesses ?? '',
            enableStatus: row.enabled ? 1 : 0,
            merchantKind: row.merchant_kind,
            state: row.state ?? '',
            stateDesc: (row.state && STATES[row.state]?.label[call.facts.language === 'zh' ? 0 : 1]) ?? '',
            depositBalance: showsLicence || row.id === call.caller.tenantId ? yuanFromFen(row.deposit) : null,
            allowedActions: [],
            encryptionField: encryptionToken('merchant', row.id),
          })),
        };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/baseTenant/getUserInfo',
      title: ['当前租户', 'Own tenant'],
      access: 'staff',
      handle: async (call) => {
        const [row] = await run<{ name: string }>(
          call.platform.database.db,
          'SELECT name FROM tenant WHERE id = $1',
          [call.caller.tenantId],
        );
        return {
          userName: call.caller.name,
          tenantId: String(call.caller.tenantId),
          tenantType: call.caller.tenantKind,
          tenantName: row?.name ?? '',
        };
      },
    }),
  ],
  options: [
    {
      target: 'merchant',
      find: async (call, query) =>
        (
          await merchantsInScope(call.platform, call.caller, {
            searchVal: query.searchVal,
            ids: query.ids.map(Number),
            offset: query.offset,
            limit: query.limit,
          })
        ).map((row) => ({
          id: String(row.id),
          title: row.name,
          note: row.account,
        })),
    },
  ],
});

/** Merchants the caller may see: platform all, merchant itself, others those that work in their projects. */
export async function merchantsInScope(
  platform: Platform,
  caller: Caller,
  query: {
    searchVal?: string;
    enableStatus?: string | undefined;
    merchantKind?: string | undefined;
    state?: string | undefined;
    projectId?: string | undefined;
    ids?: readonly number[];
    offset: number;
    limit: number;
  },
): Promise<MerchantRow[]> {
  const parameters = new Parameters();
  const held = parameters.bind(caller.projectIds);
  /** Projects of agreements are told, and asked for, as far as the caller works in them. */
  const inReach = (project: string) => `(${held}::bigint[] IS NULL OR ${project} = ANY(${held}::bigint[]))`;
  const parts = ['t.kind = 2'];
  if (caller.tenantKind === 2) parts.push(`t.id = ${parameters.bind(caller.tenantId)}`);
  else if (caller.projectIds)
    parts.push(
      `EXISTS (SELECT 1 FROM tenant_project tp WHERE tp.tenant_id = t.id AND ${inReach('tp.project_id')})`,
    );
  if (query.enableStatus === '0' || query.enableStatus === '1')
    parts.push(`t.enabled = ${parameters.bind(query.enableStatus === '1')}`);
  if (query.merchantKind) parts.push(`t.merchant_kind = ${parameters.bind(query.merchantKind)}`);
  if (query.state) parts.push(`t.merchant_state = ${parameters.bind(query.state)}`);
  if (query.projectId)
    parts.push(
      `EXISTS (SELECT 1 FROM tenant_project tp WHERE tp.tenant_id = t.id AND tp.project_id = ${parameters.bind(Number(query.projectId))} AND ${inReach('tp.project_id')})`,
    );
  if (query.ids && query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids)}::bigint[])`);
  if (query.searchVal) {
    if (looksPersonal('phone', query.searchVal)) await noteGuesses(platform, caller, [query.searchVal]);
    const like = parameters.bind(containing(query.searchVal));
    parts.push(
      `(t.name ILIKE ${like} OR t.account ILIKE ${like} OR t.contact_phone = ${parameters.bind(query.searchVal)})`,
    );
  }
  return run<MerchantRow>(
    platform.database.db,
    `SELECT t.id, t.account, t.name, t.licence_no, t.contact_name, t.contact_phone, t.merchant_kind, t.merchant_state AS state, t.enabled, ${depositSql('t.id')} AS deposit, count(*) OVER () AS total,
       (SELECT string_agg(p.name, '、' ORDER BY p.id) FROM tenant_project tp JOIN project p ON p.id = tp.project_id WHERE tp.tenant_id = t.id AND ${inReach('p.id')}) AS projects,
       (SELECT string_agg(b.name, '、' ORDER BY b.id) FROM tenant_business tb JOIN business b ON b.id = tb.business_id WHERE tb.tenant_id = t.id) AS businesses
     FROM tenant t WHERE ${parts.join(' AND ')} ORDER BY t.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
    parameters.values,
  );
}
