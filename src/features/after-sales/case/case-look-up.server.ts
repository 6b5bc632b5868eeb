import { z } from 'zod';
import { textOf } from '../../../kernel/contract/label.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { Refusal } from '../../../kernel/server/http/errors.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { endpoint, type Endpoint } from '../../../kernel/server/registration.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import { caseLines } from '../../../domain/after-sale/move-case.server.ts';
import { formulaForMerchant } from '../../../domain/trade-money/refund.rules.ts';
import { ORDER_STATES } from '../../../domain/trade-money/states.rules.ts';
import { linesBody, orderInScope, requestedLines } from './case-actions.server.ts';
import { agreedShare, caseSplit } from './case-money.server.ts';
import { afterSale } from './case.contract.ts';
import type { LookedUpOrder } from './case-parts.ts';

const ROOT = '/jinmao/web/afterSale';
const APPLY = `${afterSale.menu}:btn_add`;

/** What 代客申请 asks while it is filled in, and the split of a partial receipt. Nothing is written. */
export const lookUpEndpoints = (bound: () => BoundResource): readonly Endpoint[] => [
  endpoint({
    method: 'GET',
    path: `${ROOT}/lookUp`,
    title: ['售后申请：查订单', 'Order of an application'],
    access: { code: APPLY },
    query: z.strictObject({ orderCode: z.string().min(6).max(64) }),
    handle: async ({ caller, platform, query }): Promise<LookedUpOrder> => {
      const { db } = platform.database;
      const { id } = await orderInScope(db, caller, query.orderCode);
      const order = (await runOne<{
        code: string;
        state: string;
        customer: string;
        merchant: string;
      }>(
        db,
        `SELECT o.code, o.state, coalesce(nullif(m.name, ''), m.nickname) AS customer, t.name AS merchant FROM sales_order o
           JOIN member m ON m.id = o.member_id JOIN tenant t ON t.id = o.tenant_id WHERE o.id = $1`,
        [id],
      ))!;
      const lines = await run<{
        id: number;
        product: string;
        spec: string;
        image: string | null;
        price: number;
        qty: number;
        shipped: number;
        free: number;
        returnable: number;
        cash: number;
        specs: { id: string; name: string; stock: number }[];
      }>(
        db,
        `SELECT l.id, l.product_name AS product, l.spec_name AS spec, l.image_id AS image, l.unit_price AS price, l.qty, l.qty_shipped AS shipped,
                greatest(l.qty - x.taken, 0)::integer AS free,
                greatest(least(l.qty - x.taken, l.qty_shipped - (l.qty_refunded - l.qty_refunded_unshipped)), 0)::integer AS returnable,
                (l.cash - l.cash_refunded - l.cash_withheld)::bigint AS cash,
                coalesce((SELECT json_agg(json_build_object('id', s.id::text, 'name', s.name, 'stock', s.stock) ORDER BY s.id) FROM product_spec s
                   WHERE s.product_id = l.product_id AND s.enabled AND s.price IN (l.unit_price, l.list_price)), '[]') AS specs
           FROM order_line l, LATERAL (SELECT l.qty_refunded + l.qty_claimed + coalesce((SELECT sum(f.qty) FROM refund_line f JOIN refund r ON r.id = f.refund_id
                  WHERE f.line_id = l.id AND r.after_sale_id IS NULL AND r.state IN ('reviewing', 'refunding', 'failed')), 0) AS taken) x
          WHERE l.order_id = $1 ORDER BY l.line_no`,
        [id],
      );
      return {
        orderId: String(id),
        code: order.code,
        state: ORDER_STATES.find((mark) => mark.name === order.state)?.label ?? [order.state, order.state],
        customer: maskValue('name', order.customer ?? ''),
        merchant: order.merchant,
        lines: lines.map((line) => ({
          ...line,
          id: String(line.id),
          price: yuanFromFen(line.price),
          cashLeft: yuanFromFen(line.cash),
        })),
      };
    },
  }),
  endpoint({
    method: 'POST',
    path: `${ROOT}/suggest`,
    title: ['售后申请：试算', 'Suggested refund of an application'],
    access: { code: APPLY },
    body: z.strictObject({
      orderCode: z.string().min(6).max(64),
      type: z.enum(['refund_only', 'return_refund']),
      lines: linesBody,
    }),
    handle: async (call) => {
      const { caller, platform, body, facts } = call;
      const { db } = platform.database;
      const { id } = await orderInScope(db, caller, body.orderCode);
      return answered(facts.language, caller.tenantKind, () =>
        caseSplit(
          db,
          id,
          body.type,
          requestedLines(body.lines).map((line) => ({
            line_id: line.lineId,
            qty: 'qty' in line ? line.qty : 0,
            amount: 'amount' in line ? line.amount : null,
            accepted_qty: null,
          })),
        ),
      );
    },
  }),
  endpoint({
    method: 'POST',
    path: `${ROOT}/:id/suggest`,
    title: ['验收试算', 'Suggested refund of a receipt'],
    access: { code: `${afterSale.menu}:btn_receive` },
    body: z.strictObject({
      lines: z
        .array(
          z.strictObject({
            lineId: z.string().regex(/^\d{1,15}$/),
            qty: z.number().int().min(0).max(99_999),
          }),
        )
        .max(100),
    }),
    handle: async (call) => {
      const { caller, platform, body, facts } = call;
      const id = idOf(call.params.id);
      const row = await bound().find(call, id);
      const { db } = platform.database;
      const lines = await caseLines(db, id);
      const record = (await runOne<Parameters<typeof agreedShare>[0]>(
        db,
        'SELECT agreed_cash, agreed_of, applied_cash FROM after_sale WHERE id = $1',
        [id],
      ))!;
      const answer = await answered(facts.language, caller.tenantKind, () =>
        caseSplit(
          db,
          row.orderId as number,
          row.type as 'return_refund',
          lines.map((line) => ({
            ...line,
            accepted_qty: Math.min(
              body.lines.find((one) => Number(one.lineId) === line.line_id)?.qty ?? line.qty,
              line.qty,
            ),
          })),
        ),
      );
      if (!answer.ok) return answer;
      const suggested = fenFromYuan(answer.cash)!;
      const usual = yuanFromFen(agreedShare(record, suggested));
      return { ...answer, limit: { usual, most: caller.tenantKind === 3 ? answer.cash : usual } };
    },
  }),
];

async function answered(
  language: 'zh' | 'en',
  tenantKind: number,
  split: () => ReturnType<typeof caseSplit>,
) {
  try {
    const found = await split();
    return {
      ok: true as const,
      cash: yuanFromFen(found.cash),
      points: found.points,
      freight: yuanFromFen(found.freightPart),
      notices: found.notices.map((notice) => textOf(notice, language)),
      rows: found.rows.map((row) => ({
        lineNo: row.lineNo,
        qty: row.qty,
        cash: yuanFromFen(row.cash),
        formula: textOf(tenantKind === 2 ? formulaForMerchant(row) : row.formula, language),
      })),
    };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ok: false as const, message: textOf(error.label, language) };
  }
}
