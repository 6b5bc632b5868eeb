import type { Label } from '../../../kernel/contract/label.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import type { Binding, DbRow } from '../../../kernel/server/resource/binding.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { runOne } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { TEAM_COLUMNS } from '../../../domain/group-buy/team-columns.server.ts';
import { ORDER_SCOPE } from '../../../domain/checkout/order-sights.server.ts';
import {
  endpoint,
  type Endpoint,
  type RecordPrefix,
  type Registration,
  type TodoKind,
} from '../../../kernel/server/registration.ts';
import { inTurn } from '../../../domain/checkout/checkout-turn.server.ts';
import { ORDER_TRANSITIONS, targetsOf } from '../../../domain/trade-money/states.rules.ts';
import { ordersOfProduct, ordersSoldAt } from '../sales-analysis/sales-drill.server.ts';
import { goodsOrder } from './goods-order.contract.ts';
import { createEndpoints, createOptions, createOrders } from './order-create.server.ts';
import { orderParts } from './order-detail.server.ts';
import { orderExport } from './order-export.server.ts';
import { shipmentImport } from './order-import.server.ts';
import { orderPaths, revealPaths } from './order-paths.server.ts';
import {
  askForPayment,
  changeAddress,
  changePrice,
  closeOrder,
  payInSandbox,
  remarkOrder,
  sandboxPayBody,
} from './order-payment.server.ts';
import {
  NO_OWN_REFUND,
  refundOrder,
  suggestBody,
  suggestForOrder,
  withdrawOrderRefund,
} from './order-refund.server.ts';
import { changeLogistics, shipOrder, signOrder } from './order-shipping.server.ts';
import { stateCode } from './order-words.rules.ts';

const ROOT = '/jinmao/web/goodsOrder';
const MENU = goodsOrder.menu;
const TO_COMMENT = `t.state = 'completed' AND t.comment_status = 0 AND t.refund_status = 'none'`;

/** A number column filtered by the words of its choice, so that its index is used. */
const codesIn = (expression: string) => (value: string, parameters: Parameters) => {
  const codes = value.split(',');
  if (!codes.every((one) => /^\d$/.test(one)))
    throw invalid({ _: ['没有此选项', 'There is no such choice'] });
  return `${expression} = ANY(${parameters.bind(codes.map(Number))}::smallint[])`;
};

const binding: Binding = {
  table: 'sales_order',
  from: 'sales_order t LEFT JOIN tenant m ON m.id = t.tenant_id LEFT JOIN project p ON p.id = t.project_id LEFT JOIN organisation c ON c.id = p.centre_id',
  where: `t.kind = 'goods'`,
  columns: {
    merchant: { id: 't.tenant_id', title: 'm.name' },
    project: { id: 't.project_id', title: 'p.name' },
    centre: { id: 'p.centre_id', title: 'c.name' },
    commentStatus: 't.comment_status::text',
    payChannel: 'CASE WHEN t.paid_at IS NULL THEN NULL ELSE t.pay_channel::text END',
    source: 't.source::text',
    invoicePerson: `CASE WHEN t.invoice_type = 1 THEN t.invoice_name END`,
    // Filters without a value of their own: an order holds several products.
    product: { id: 'NULL::bigint', title: 'NULL::text' },
    soldAt: 'NULL::timestamptz',
    teamCode: TEAM_COLUMNS.teamCode,
    teamState: TEAM_COLUMNS.teamState,
    formedAt: TEAM_COLUMNS.formedAt,
    missing: TEAM_COLUMNS.missing,
    deadline: `CASE t.state WHEN 'pending_payment' THEN t.pay_deadline WHEN 'to_receive' THEN t.receive_deadline END`,
  },
  // The order's rows are written by the checkout, never from the form.
  writes: Object.fromEntries(
    Object.keys(goodsOrder.actions!.create!.input!).map((name) => [name, false as const]),
  ),
  scope: ORDER_SCOPE,
  search: 't.search',
  searchExact: ['t.contact_name', 't.contact_phone'],
  tabs: { to_comment: () => TO_COMMENT },
  filters: {
    source: codesIn('t.source'),
    product: ordersOfProduct,
    soldAt: ordersSoldAt,
    payChannel: (value, parameters) =>
      `t.paid_at IS NOT NULL AND ${codesIn('t.pay_channel')(value, parameters)}`,
  },
  extra: {
    // A quality reason has the longer window; the refund engine looks at the reason itself.
    afterSaleOver: `CASE WHEN t.state = 'completed' THEN t.completed_at + make_interval(days => greatest(15, coalesce((SELECT a.after_sale_days
      FROM merchant_agreement a WHERE a.tenant_id = t.tenant_id AND a.agreement_version = t.agreement_version), 7))) < now() END`,
    refundApplicant: `CASE WHEN t.refund_status = 'refunding' THEN (SELECT r.applicant_id FROM refund r
      WHERE r.order_id = t.id AND r.state = 'reviewing') END`,
  },
  ruleReads: ['refundStatus', 'afterSaleOver', 'refundApplicant'],
  rowRules: {
    ship: (row) => {
      if (row.state === 'closed') return ['订单已关闭', 'The order is closed'];
      if (row.state === 'pending_payment') return ['订单未支付', 'The order is not paid'];
      return allowed(row, 'ship') ? undefined : ['没有待发商品', 'Nothing is left to ship'];
    },
    sign: (row) => {
      if (row.state === 'closed') return ['订单已关闭', 'The order is closed'];
      return allowed(row, 'sign')
        ? undefined
        : row.state === 'completed'
          ? ['订单已完成', 'The order is completed']
          : ['订单未发货', 'The order is not shipped'];
    },
    refund: openRefund,
    returnAudit: (row, caller) => openRefund(row) ?? overdue(row, caller),
    withdrawRefund: (row, caller) => (row.refundApplicant === caller.staffId ? undefined : NO_OWN_REFUND),
  },
  handlers: {
    create: createOrders,
    pay: askForPayment,
    price: changePrice,
    address: changeAddress,
    close: closeOrder,
    ship: shipOrder,
    logistics: changeLogistics,
    sign: signOrder,
    refund: refundOrder,
    returnAudit: refundOrder,
    withdrawRefund: withdrawOrderRefund,
    remark: remarkOrder,
  },
  detail: async (db, id, _row, caller) => ({ ...(await orderParts(db, id, ORDER_SCOPE, caller)) }),
  optionNote: 't.title',
  endpoints: [...createEndpoints, ...rowEndpoints(ROOT, MENU, () => bound), ...orderPaths(() => bound)],
  revealPaths,
  also: {
    options: createOptions,
    todos: [toShip()],
    prefixes: [orderPrefix()],
    get imports() {
      return [shipmentImport(binding, () => bound)];
    },
  },
};

const bound = bindResource(goodsOrder, binding);

/** How orders stand in the database, for menus that show some of them; paths of their own come with `rowEndpoints`. */
export const orderBinding: Binding = binding;

/** Calls of the dialogs of an order, under the paths and rights of one menu. */
export function rowEndpoints(root: string, menu: string, bound: () => BoundResource): readonly Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: `${root}/:id/sandboxPay`,
      title: ['沙箱支付', 'Pay in the sandbox'],
      access: { code: `${menu}:btn_pay` },
      body: sandboxPayBody,
      handle: async (call) => {
        const id = idOf(call.params.id);
        await bound().find(call, id);
        return payInSandbox(call, id);
      },
    }),
    endpoint({
      method: 'POST',
      path: `${root}/:id/suggestRefund`,
      title: ['退款试算', 'Suggested refund'],
      access: { anyOf: [`${menu}:btn_refund`, `${menu}:btn_returnAudit`] },
      body: suggestBody,
      handle: async (call) => {
        const id = idOf(call.params.id);
        await bound().find(call, id);
        return suggestForOrder(call, id);
      },
    }),
  ];
}

/** Goods orders; the export writes a row per line, so it takes the place of the engine's, and checkouts take turns. */
export const registration: Registration = {
  ...bound.registration,
  exports: [orderExport(binding, bound)],
  endpoints: bound.registration.endpoints.map((one) =>
    one.method === 'POST' && one.path === ROOT
      ? { ...one, handle: (call) => inTurn(() => one.handle(call)) }
      : one,
  ),
};

function allowed(row: DbRow, action: string): boolean {
  return targetsOf(ORDER_TRANSITIONS, stateCode(String(row.state)), action).length > 0;
}

function openRefund(row: DbRow): Label | undefined {
  if (row.refundStatus === 'refunding') return ['该订单有未完成的退款', 'The order has an unfinished refund'];
  if (row.refundStatus === 'full') return ['订单已全部退款', 'Everything was refunded'];
  return undefined;
}

/** After the after-sale window the platform alone may refund. */
function overdue(row: DbRow, caller: Caller): Label | undefined {
  return caller.tenantKind !== 3 && row.afterSaleOver === true
    ? ['已超过售后期限', 'The after-sale period is over']
    : undefined;
}

/** Orders that wait for a parcel: the very rows of the tab it opens; overdue after 48 hours. */
function toShip(): TodoKind {
  return {
    kind: 'to_ship',
    label: ['待发货订单', 'Orders to ship'],
    menu: MENU,
    route: '/merchantManager/mm_businessOrder_wx?tab=to_ship',
    order: 20,
    count: async ({ caller, platform }) => {
      const parameters = new Parameters();
      const row = await runOne<{ count: number; oldest: Date | null; overdue: number }>(
        platform.database.db,
        `SELECT count(*) AS count, min(t.paid_at) AS oldest, count(*) FILTER (WHERE t.paid_at < now() - interval '48 hours') AS overdue
           FROM sales_order t WHERE t.kind = 'goods' AND t.state = 'to_ship' AND ${scopeCondition(caller, MENU, ORDER_SCOPE, parameters)}`,
        parameters.values,
      );
      return row!;
    },
  };
}

/** SO numbers of the palette: whole, or the last six digits and more. */
function orderPrefix(): RecordPrefix {
  return {
    prefix: 'SO',
    menu: MENU,
    label: ['商品订单', 'Goods orders'],
    find: async ({ caller, platform }, number) => {
      const parameters = new Parameters();
      const digits = number.replace(/\D/g, '');
      if (digits.length < 6) return [];
      const match = /^\d{14,}$/.test(digits)
        ? `t.code = ${parameters.bind(`SO${digits}`)}`
        : `t.code LIKE ${parameters.bind(`%${digits}`)}`;
      const { rows } = await platform.database.pool.query<{ id: number; code: string; title: string }>(
        `SELECT t.id, t.code, t.title FROM sales_order t WHERE t.kind = 'goods' AND ${match}
            AND ${scopeCondition(caller, MENU, ORDER_SCOPE, parameters)} ORDER BY t.id DESC LIMIT 10`,
        parameters.values,
      );
      return rows.map((row) => ({
        code: row.code,
        title: row.title,
        route: `/merchantManager/mm_businessOrder_wx/${row.id}`,
      }));
    },
  };
}
