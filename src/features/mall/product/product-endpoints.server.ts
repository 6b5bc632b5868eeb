import { containing } from '../../../kernel/server/resource/like-text.ts';
import { z } from 'zod';
import { textOf } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { holds } from '../../../kernel/server/people/caller.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { notFound } from '../../../kernel/server/http/errors.ts';
import {
  Parameters,
  placeCondition,
  scopeCondition,
  type ScopeColumns,
} from '../../../kernel/server/people/scope.ts';
import { endpoint, type Call, type Endpoint } from '../../../kernel/server/registration.ts';
import { encryptionToken } from '../../../kernel/server/resource/row-token.ts';
import { areasOf } from './product-area.server.ts';
import { PRODUCT_SCOPE } from './product-scope.server.ts';
import { product, stockOps } from './product.contract.ts';

const ORDER_SCOPE: ScopeColumns = { tenant: 'o.tenant_id', project: 'o.project_id', owner: 'o.created_by' };
const REFUND_SCOPE: ScopeColumns = { tenant: 'r.tenant_id', project: 'r.project_id', owner: 'r.created_by' };
const CASE_SCOPE: ScopeColumns = {
  tenant: 'a.tenant_id',
  project: 'a.project_id',
  owner: 'a.created_by',
};
const paged = {
  page: z.coerce.number().int().min(1).max(100_000).default(1),
  limit: z.coerce.number().int().min(1).max(200).default(20),
};

/** Parts of the detail that are read when their tab is opened, and the product picker of finder articles. */
export const productEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: '/jinmao/web/product/:id/movements',
    title: ['库存流水', 'Stock movements'],
    access: { code: product.menu },
    query: z.strictObject(paged),
    handle: async (call) => {
      const id = await productInScope(call);
      const parameters = new Parameters();
      const place = parameters.bind(id);
      // A movement is the product's; the number of the order or refund behind it only for who sees that one.
      const orders = scopeCondition(call.caller, 'mm_businessOrder_wx', ORDER_SCOPE, parameters);
      const refunds = scopeCondition(call.caller, 'mm_orderRefund', REFUND_SCOPE, parameters);
      const cases = scopeCondition(call.caller, 'am_orderlist', CASE_SCOPE, parameters);
      const rows = await run<{
        id: number;
        spec: string;
        op: number;
        qty: number;
        stock_before: number;
        stock_after: number;
        source_type: string;
        source_id: string;
        reason: string;
        at: Date;
        who: string | null;
        order_code: string | null;
        total: number;
      }>(
        call.platform.database.db,
        `SELECT m.id, s.name AS spec, m.op, m.qty, m.stock_before, m.stock_after, m.source_type, m.source_id, m.reason, m.at, w.name AS who,
                CASE m.source_type
                  WHEN 'sales_order' THEN (SELECT o.code FROM sales_order o WHERE o.id = ${numberOf('m.source_id')} AND ${orders})
                  WHEN 'refund' THEN (SELECT r.code FROM refund r WHERE r.id = ${numberOf('m.source_id')} AND ${refunds})
                  WHEN 'after_sale' THEN (SELECT a.code FROM after_sale a WHERE a.id = ${numberOf('m.source_id')} AND ${cases})
                  WHEN 'after_sale_hold' THEN (SELECT a.code FROM after_sale a JOIN after_sale_hold h ON h.after_sale_id = a.id
                                                WHERE h.id = ${numberOf('m.source_id')} AND ${cases})
                END AS order_code,
                count(*) OVER () AS total
           FROM stock_movement m JOIN product_spec s ON s.id = m.spec_id LEFT JOIN staff w ON w.id = m.staff_id
          WHERE s.product_id = ${place} ORDER BY m.id DESC
          LIMIT ${parameters.bind(call.query.limit)} OFFSET ${parameters.bind((call.query.page - 1) * call.query.limit)}`,
        parameters.values,
      );
      return {
        total: rows[0]?.total ?? 0,
        rows: rows.map((row) => ({
          id: String(row.id),
          spec: row.spec,
          op: row.op,
          opText: textOf(stockOps[row.op] ?? ['–', '–'], call.facts.language),
          qty: row.qty,
          before: row.stock_before,
          after: row.stock_after,
          source: row.order_code ?? '',
          reason: row.reason,
          at: isoInstant(row.at),
          who: row.who,
        })),
      };
    },
  }),
  endpoint({
    method: 'GET',
    path: '/jinmao/web/product/:id/noDelivery',
    title: ['不配送区域', 'No-delivery areas'],
    access: { code: product.menu },
    handle: async (call) => areasOf(call.platform.database.db, await productInScope(call)),
  }),
  endpoint({
    method: 'GET',
    path: '/jinmao/web/product/:id/orders',
    title: ['商品订单', 'Orders of the product'],
    access: { code: product.menu },
    query: z.strictObject(paged),
    handle: async (call) => {
      const id = await productInScope(call);
      const parameters = new Parameters();
      const place = parameters.bind(id);
      // Who may not see orders sees none here either.
      const scope = scopeCondition(call.caller, 'mm_businessOrder_wx', ORDER_SCOPE, parameters);
      const rows = await run<{
        id: number;
        order_id: number;
        code: string;
        contact_name: string;
        spec_name: string;
        qty: number;
        cash: number;
        qty_refunded: number;
        state: string;
        created_at: Date;
      }>(
        call.platform.database.db,
        `SELECT l.id, o.id AS order_id, o.code, o.contact_name, l.spec_name, l.qty, l.cash, l.qty_refunded, o.state, o.created_at
           FROM order_line l JOIN sales_order o ON o.id = l.order_id WHERE l.product_id = ${place} AND ${scope}
          ORDER BY l.id DESC LIMIT ${parameters.bind(call.query.limit + 1)} OFFSET ${parameters.bind((call.query.page - 1) * call.query.limit)}`,
        parameters.values,
      );
      return {
        more: rows.length > call.query.limit,
        rows: rows.slice(0, call.query.limit).map((row) => ({
          id: String(row.id),
          orderId: String(row.order_id),
          code: row.code,
          contactName: maskValue('name', row.contact_name),
          encryptionField: encryptionToken('goodsOrder', row.order_id, 'list'),
          spec: row.spec_name,
          qty: row.qty,
          cash: yuanFromFen(row.cash),
          refunded: row.qty_refunded,
          state: row.state,
          createdAt: isoInstant(row.created_at),
        })),
      };
    },
  }),
  endpoint({
    method: 'GET',
    path: '/jinmao/web/bizProductGoodtoVisit/getProductInfoPc',
    title: ['好物探访选择商品', 'Products for finder articles'],
    access: { anyOf: ['mm_findGoods', product.menu] },
    query: z.strictObject({
      projectId: z
        .string()
        .regex(/^\d{0,15}$/)
        .optional(),
      searchVal: z.string().max(100).default(''),
      ...paged,
    }),
    handle: async (call) => {
      const parameters = new Parameters();
      const parts = [
        `t.kind = 'goods' AND t.status = 'published' AND t.recycled_at IS NULL AND b.type = 1`,
        // Articles may name everything on sale; without them it is the goods the caller sees anyway.
        holds(call.caller, 'mm_findGoods')
          ? placeCondition(call.caller, PRODUCT_SCOPE, parameters)
          : scopeCondition(call.caller, product.menu, PRODUCT_SCOPE, parameters),
      ];
      if (call.query.projectId) {
        const project = Number(call.query.projectId);
        if (call.caller.projectIds && !call.caller.projectIds.includes(project))
          return { total: 0, rows: [] };
        parts.push(
          `EXISTS (SELECT 1 FROM product_project pp WHERE pp.product_id = t.id AND pp.project_id = ${parameters.bind(project)})`,
        );
      }
      const keyword = call.query.searchVal.trim().toLowerCase();
      if (keyword) parts.push(`t.search LIKE ${parameters.bind(containing(keyword))}`);
      const from = `FROM product t JOIN business b ON b.id = t.business_id WHERE ${parts.join(' AND ')}`;
      const db = call.platform.database.db;
      const total = await runOne<{ n: number }>(db, `SELECT count(*) AS n ${from}`, [...parameters.values]);
      const rows = await run<{
        id: number;
        code: string;
        name: string;
        price_min: number;
        image: string | null;
      }>(
        db,
        `SELECT t.id, t.code, t.name, t.price_min, t.logo_ids[1] AS image ${from} ORDER BY t.published_at DESC, t.id DESC
          LIMIT ${parameters.bind(call.query.limit)} OFFSET ${parameters.bind((call.query.page - 1) * call.query.limit)}`,
        parameters.values,
      );
      return {
        total: total!.n,
        rows: rows.map((row) => ({
          id: String(row.id),
          productCode: row.code,
          productName: row.name,
          price: yuanFromFen(row.price_min),
          image: row.image === null ? null : `/api/file/${row.image}`,
        })),
      };
    },
  }),
];

/** A source id as a number; sources of other kinds are texts, and a cast of those would end the query. */
function numberOf(column: string): string {
  return `CASE WHEN ${column} ~ '^[0-9]{1,15}$' THEN ${column}::bigint END`;
}

async function productInScope(call: Call): Promise<number> {
  const parameters = new Parameters();
  const id = parameters.bind(idOf(call.params.id));
  const scope = scopeCondition(call.caller, product.menu, PRODUCT_SCOPE, parameters);
  const row = await runOne<{ id: number }>(
    call.platform.database.db,
    `SELECT t.id FROM product t WHERE t.id = ${id} AND t.kind = 'goods' AND t.purged_at IS NULL AND ${scope}`,
    parameters.values,
  );
  if (!row) throw notFound();
  return row.id;
}
