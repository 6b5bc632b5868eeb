import { z } from 'zod';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { checkAttachable, showFiles } from '../../../kernel/server/files/files.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { putBefore } from '../../../kernel/server/resource/abilities/own-order.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import type { DisplayItems } from '../../../domain/display-order/display-order.server.ts';
import { merchantsInScope } from '../../service-resources/merchant-list/merchant-list.server.ts';
import { business } from './business.contract.ts';

/** Steps between two places, so that one can be typed in between. */
const STEP = 5;
const FIXED: Label = ['已有商品，不能修改', 'Products exist, this is fixed'];

const bound = bindResource(business, {
  table: 'business',
  search: `lower(t.name || ' ' || t.name_en)`,
  columns: {
    image: 't.image_id',
    createType: 't.create_type::text',
    type: 't.type::text',
    classes: '(SELECT count(*) FROM product_class c WHERE c.business_id = t.id)',
    products: `(SELECT count(*) FROM product p WHERE p.business_id = t.id AND p.status = 'published' AND p.recycled_at IS NULL)`,
  },
  scope: { tenant: 'none', project: 'none', owner: 't.created_by', platformOnly: true },
  usedBy: {
    product: ['商品', 'products'],
    product_class: ['分类', 'classes'],
    tenant_business: ['商户合作', 'merchant agreements'],
  },
  present: (rows, db) => showFiles(rows, db, 'image'),
  before: [prepare],
  handlers: {
    order: async ({ tx, id, input }) => {
      const before = input.before === null || input.before === undefined ? undefined : Number(input.before);
      await putBefore(tx, 'business', 'sort', { id, before });
      await run(tx, `UPDATE business SET sort = sort * ${STEP}`);
    },
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/bizProduct/getTenantBusinessPc',
      title: ['本租户业务', 'Businesses of the own tenant'],
      access: 'staff',
      handle: (call) => businessesOf(call.platform, call.caller, undefined, call.facts.language),
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/baseTenantBusiness/listProductBus',
      title: ['租户业务', 'Businesses of a tenant'],
      access: 'staff',
      query: z.strictObject({
        tenantId: z
          .string()
          .regex(/^\d{0,15}$/)
          .optional(),
      }),
      handle: (call) =>
        businessesOf(
          call.platform,
          call.caller,
          call.query.tenantId ? Number(call.query.tenantId) : undefined,
          call.facts.language,
        ),
    }),
  ],
  also: {
    displayItems: [businessItems('mall_business', false), businessItems('service_business', true)],
    options: [
      {
        target: 'business',
        find: async (call, query) =>
          (await businessesOf(call.platform, call.caller, undefined, call.facts.language))
            .filter(
              (row) =>
                (query.ids.length === 0 || query.ids.includes(row.id)) &&
                row.busName.toLowerCase().includes(query.searchVal.toLowerCase()),
            )
            .slice(query.offset, query.offset + query.limit)
            .map((row) => ({ id: row.id, title: row.busName, note: row.busCode })),
      },
      {
        // For screens of the platform: stopped ones too, whose classes are still kept.
        target: 'anyBusiness',
        anyOf: ['Busmanagement', 'Proclass'],
        find: async ({ caller, platform, facts }, query) => {
          if (caller.tenantKind !== 3) return [];
          const rows = await run<{ id: number; name: string; code: string }>(
            platform.database.db,
            `SELECT id, CASE WHEN $1 = 'en' AND name_en <> '' THEN name_en ELSE name END AS name, code FROM business ORDER BY sort, id`,
            [facts.language],
          );
          const wanted = query.searchVal.toLowerCase();
          return rows
            .filter((row) => query.ids.length === 0 || query.ids.includes(String(row.id)))
            .filter((row) => `${row.name} ${row.code}`.toLowerCase().includes(wanted))
            .slice(query.offset, query.offset + query.limit)
            .map((row) => ({ id: String(row.id), title: row.name, note: row.code }));
        },
      },
    ],
  },
});

/** Businesses, kept by the platform, and the pickers that offer them. */
export const registration = bound.registration;

/**
 * Enabled businesses in their order: a merchant its own, others those of the tenant asked for, or all when none is asked
 * for. A tenant the caller does not see has none.
 */
export async function businessesOf(
  platform: Platform,
  caller: Caller,
  tenantId: number | undefined,
  language: 'zh' | 'en' = 'zh',
) {
  const tenant = caller.tenantKind === 2 ? caller.tenantId : tenantId;
  const isSeen =
    tenant === undefined ||
    tenant === caller.tenantId ||
    caller.tenantKind === 3 ||
    (await merchantsInScope(platform, caller, { ids: [tenant], offset: 0, limit: 1 })).length > 0;
  if (!isSeen) return [];
  const rows = await run<{ id: number; code: string; name: string; type: number }>(
    platform.database.db,
    `SELECT b.id, b.code, CASE WHEN $2 = 'en' AND b.name_en <> '' THEN b.name_en ELSE b.name END AS name, b.type FROM business b
      WHERE b.enabled AND ($1::bigint IS NULL OR EXISTS (SELECT 1 FROM tenant_business tb WHERE tb.business_id = b.id AND tb.tenant_id = $1))
      ORDER BY b.sort, b.id`,
    [tenant ?? null, language],
  );
  return rows.map((row) => ({ id: String(row.id), busCode: row.code, busName: row.name, type: row.type }));
}

/** Both types are fixed once there are products; places are multiples of five. */
async function prepare({ action, tx, caller, id, row, input, columns }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return;
  if (input.image)
    await checkAttachable(
      tx,
      caller,
      'image',
      [String(input.image)],
      row.image_id ? [String(row.image_id)] : [],
    );
  if (typeof input.sort === 'number' && input.sort % STEP !== 0)
    throw invalid({ sort: ['须为 5 的倍数', 'Must be a multiple of 5'] });
  if ((input.sort ?? null) === null && (action === 'create' || 'sort' in input)) {
    const last = await runOne<{ n: number }>(tx, 'SELECT coalesce(max(sort), 0)::int AS n FROM business');
    columns.sort = Math.min(9995, (Math.floor(last!.n / STEP) + 1) * STEP);
  }
  if (action === 'create') return;
  const changed = (['createType', 'type'] as const).filter(
    (name) =>
      input[name] !== undefined &&
      String(input[name]) !== String(row[name === 'type' ? 'type' : 'create_type']),
  );
  // A product that is being made holds its business until it is there.
  if (changed.length === 0) return;
  await run(tx, 'SELECT 1 FROM business WHERE id = $1 FOR UPDATE', [id]);
  if (await runOne(tx, 'SELECT 1 FROM product WHERE business_id = $1 LIMIT 1', [id]))
    throw invalid(Object.fromEntries(changed.map((name) => [name, FIXED])), FIXED);
}

/** Enabled businesses of services, or of everything else, for the order of the owners' app. */
function businessItems(list: DisplayItems['list'], services: boolean): DisplayItems {
  return {
    list,
    type: 'business',
    read: async (db) => {
      const rows = await run<{ id: number; name: string; name_en: string }>(
        db,
        `SELECT b.id, b.name, b.name_en FROM business b
          WHERE b.enabled AND $1 = (b.create_type = 1 OR b.code = 'service' OR EXISTS (SELECT 1 FROM product p WHERE p.business_id = b.id AND p.kind = 'service'))
          ORDER BY b.sort, b.id`,
        [services],
      );
      return rows.map((row) => ({ id: String(row.id), title: [row.name, row.name_en || row.name] }));
    },
  };
}
