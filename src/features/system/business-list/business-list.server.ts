import { z } from 'zod';
import { run, type Executor } from '../../../kernel/server/database.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { defineRegistration, endpoint } from '../../../kernel/server/registration.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { merchantsInScope } from '../../service-resources/merchant-list/merchant-list.server.ts';

const idText = z
  .string()
  .regex(/^\d{0,15}$/)
  .optional();

/** Businesses and product classes as pickers of the mall screens read them. */
export const registration = defineRegistration({
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/bizProduct/getTenantBusinessPc',
      title: ['本租户业务', 'Businesses of the own tenant'],
      access: 'staff',
      handle: (call) => businessesOf(call.platform, call.caller, undefined),
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/baseTenantBusiness/listProductBus',
      title: ['租户业务', 'Businesses of a tenant'],
      access: 'staff',
      query: z.strictObject({ tenantId: idText }),
      handle: (call) =>
        businessesOf(
          call.platform,
          call.caller,
          call.query.tenantId ? Number(call.query.tenantId) : undefined,
        ),
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/bizProduct/getClassifyNameListPc',
      title: ['商品分类', 'Product classes'],
      access: 'staff',
      handle: async (call) =>
        (await classesOf(call.platform.database.db, undefined)).map(({ id, classifyName }) => ({
          id,
          classifyName,
        })),
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/bizProduct/getProductClassifyListPc/:id',
      title: ['业务的商品分类', 'Product classes of a business'],
      access: 'staff',
      handle: (call) => classesOf(call.platform.database.db, numberOf(call.params.id)),
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/baseTenantBusiness/listProductClassify/:id',
      title: ['租户业务的商品分类', 'Product classes of a tenant business'],
      access: 'staff',
      query: z.strictObject({ tenantId: idText }),
      handle: async (call) => {
        const tenantId =
          call.caller.tenantKind === 2 || !call.query.tenantId
            ? call.caller.tenantId
            : Number(call.query.tenantId);
        const held = await businessesOf(call.platform, call.caller, tenantId);
        return held.some((business) => business.id === call.params.id)
          ? classesOf(call.platform.database.db, numberOf(call.params.id))
          : [];
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/shoppingMall/getPayType',
      title: ['支付方式', 'Pay ways'],
      access: 'staff',
      handle: async (call) => [
        { id: 1, name: call.facts.language === 'zh' ? PAY_WAYS[0][0] : PAY_WAYS[0][1] },
        { id: 2, name: call.facts.language === 'zh' ? PAY_WAYS[1][0] : PAY_WAYS[1][1] },
      ],
    }),
  ],
  options: [
    {
      target: 'business',
      find: async (call, query) =>
        (await businessesOf(call.platform, call.caller, undefined))
          .filter(
            (row) =>
              (query.ids.length === 0 || query.ids.includes(row.id)) && row.busName.includes(query.searchVal),
          )
          .slice(query.offset, query.offset + query.limit)
          .map((row) => ({ id: row.id, title: row.busName })),
    },
    {
      target: 'productClass',
      find: async (call, query) =>
        (await classesOf(call.platform.database.db, undefined))
          .filter(
            (row) =>
              (query.ids.length === 0 || query.ids.includes(row.id)) &&
              row.classifyName.includes(query.searchVal),
          )
          .slice(query.offset, query.offset + query.limit)
          .map((row) => ({ id: row.id, title: row.classifyName })),
    },
  ],
});

const PAY_WAYS = [
  ['支付宝', 'Alipay'],
  ['微信', 'WeChat Pay'],
] as const;

/**
 * Enabled businesses: a merchant its own, others those of the tenant asked for, or all when none is asked for. A tenant
 * the caller does not see has none.
 */
async function businessesOf(platform: Platform, caller: Caller, tenantId: number | undefined) {
  const { db } = platform.database;
  const tenant = caller.tenantKind === 2 ? caller.tenantId : tenantId;
  const isSeen =
    tenant === undefined ||
    tenant === caller.tenantId ||
    caller.tenantKind === 3 ||
    (await merchantsInScope(platform, caller, { ids: [tenant], offset: 0, limit: 1 })).length > 0;
  if (!isSeen) return [];
  const rows = await run<{ id: number; code: string; name: string; type: number }>(
    db,
    `SELECT b.id, b.code, b.name, b.type FROM business b
     WHERE b.enabled AND ($1::bigint IS NULL OR EXISTS (SELECT 1 FROM tenant_business tb WHERE tb.business_id = b.id AND tb.tenant_id = $1)) ORDER BY b.id`,
    [tenant ?? null],
  );
  return rows.map((row) => ({ id: String(row.id), busCode: row.code, busName: row.name, type: row.type }));
}

async function classesOf(db: Executor, businessId: number | undefined) {
  const rows = await run<{ id: number; name: string; parent_id: number | null; sort: number }>(
    db,
    'SELECT id, name, parent_id, sort FROM product_class WHERE enabled AND ($1::bigint IS NULL OR business_id = $1) ORDER BY business_id, sort, id',
    [businessId ?? null],
  );
  return rows.map((row) => ({
    id: String(row.id),
    classifyName: row.name,
    parentId: row.parent_id === null ? null : String(row.parent_id),
    viewSort: row.sort,
  }));
}

function numberOf(text: string | undefined): number {
  return text && /^\d{1,15}$/.test(text) ? Number(text) : 0;
}
