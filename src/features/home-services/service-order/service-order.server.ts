import { z } from 'zod';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { type Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import {
  endpoint,
  type Endpoint,
  type Registration,
  type TodoKind,
} from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { Binding, DbRow } from '../../../kernel/server/resource/binding.ts';
import { inTurn } from '../../../domain/checkout/checkout-turn.server.ts';
import { TEAM_COLUMNS } from '../../../domain/group-buy/team-columns.server.ts';
import { ORDER_SCOPE } from '../../../domain/checkout/order-sights.server.ts';
import { VERIFY_TRIES } from '../../../domain/home-service/appointment/visit-words.rules.ts';
import { orderParts } from '../../mall/goods-order/order-detail.server.ts';
import {
  askForPayment,
  closeOrder,
  payInSandbox,
  remarkOrder,
  sandboxPayBody,
} from '../../mall/goods-order/order-payment.server.ts';
import { NO_OWN_REFUND, withdrawOrderRefund } from '../../mall/goods-order/order-refund.server.ts';
import {
  assignOrder,
  cancelOrder,
  finishOrder,
  noShowOrder,
  priceOrder,
  refundService,
  rescheduleOrder,
  startOrder,
  waiveOrder,
} from './service-order-actions.server.ts';
import { createServiceOrder, serviceCreateEndpoints } from './service-order-create.server.ts';
import { serviceOrderExport } from './service-order-export.server.ts';
import { serviceOrderPaths, serviceRevealPaths } from './service-order-paths.server.ts';
import { serviceOrder, type VisitPart } from './service-order.contract.ts';
import { previewCancel } from './visit-cancel.server.ts';
import { dialogEndpoints, visitOfOrderId } from './visit-dialogs.server.ts';

const ROOT = '/jinmao/web/serviceOrder';
const MENU = serviceOrder.menu;
const TO_COMMENT = `t.state = 'completed' AND t.comment_status = 0 AND t.refund_status = 'none'`;

/** The visit an order's row is about: the open one, else the last. */
const VISIT = `(SELECT a.id FROM appointment a WHERE a.order_id = t.id
  ORDER BY (a.state IN ('held', 'to_accept', 'assigned', 'serving', 'choose_again')) DESC, a.visit_no DESC, a.id DESC LIMIT 1)`;
const of = (column: string) => `(SELECT v.${column} FROM appointment v WHERE v.id = ${VISIT})`;

/** A number column filtered by the words of its choice, so that its index is used. */
const codesIn = (expression: string) => (value: string, parameters: Parameters) => {
  const codes = value.split(',');
  if (!codes.every((one) => /^\d$/.test(one)))
    throw invalid({ _: ['没有此选项', 'There is no such choice'] });
  return `${expression} = ANY(${parameters.bind(codes.map(Number))}::smallint[])`;
};

/** The binding of service orders; the view of group orders is bound with it too. */
export const serviceBinding: Binding = {
  table: 'sales_order',
  from: 'sales_order t LEFT JOIN tenant m ON m.id = t.tenant_id LEFT JOIN project p ON p.id = t.project_id LEFT JOIN organisation c ON c.id = p.centre_id',
  where: `t.kind = 'service'`,
  columns: {
    merchant: { id: 't.tenant_id', title: 'm.name' },
    project: { id: 't.project_id', title: 'p.name' },
    centre: { id: 'p.centre_id', title: 'c.name' },
    commentStatus: 't.comment_status::text',
    comment: `(SELECT trim(x.stars || '★ ' || x.content) FROM order_comment x WHERE x.order_id = t.id)`,
    payChannel: 'CASE WHEN t.paid_at IS NULL THEN NULL ELSE t.pay_channel::text END',
    source: 't.source::text',
    invoicePerson: `CASE WHEN t.invoice_type = 1 THEN t.invoice_name END`,
    teamCode: TEAM_COLUMNS.teamCode,
    teamState: TEAM_COLUMNS.teamState,
    missing: TEAM_COLUMNS.missing,
    teamDeadline: TEAM_COLUMNS.teamDeadline,
    visitAt: of('starts_at'),
    person: `(SELECT s.name FROM appointment v JOIN service_person s ON s.id = v.person_id WHERE v.id = ${VISIT})`,
    visitsLeft: `(SELECT greatest(0, l.times - l.qty_refunded / l.qty - (SELECT count(*) FROM appointment a
      WHERE a.line_id = l.id AND (a.state = 'done' OR (a.state = 'no_show' AND NOT a.fee_waived))))::text || '/' || l.times
      FROM order_line l WHERE l.order_id = t.id ORDER BY l.line_no LIMIT 1)`,
    deadline: `CASE t.state WHEN 'pending_payment' THEN t.pay_deadline
      WHEN 'to_accept' THEN (SELECT coalesce(v.choose_until, v.accept_due, v.starts_at) FROM appointment v WHERE v.id = ${VISIT})
      WHEN 'to_visit' THEN ${of('starts_at')} END`,
  },
  // The order's rows are written by the checkout, never from the form.
  writes: Object.fromEntries(
    Object.keys(serviceOrder.actions!.create!.input!).map((name) => [name, false as const]),
  ),
  scope: ORDER_SCOPE,
  search: 't.search',
  searchExact: ['t.contact_name', 't.contact_phone'],
  tabs: { to_comment: () => TO_COMMENT },
  filters: {
    source: codesIn('t.source'),
    commentStatus: codesIn('t.comment_status'),
    payChannel: (value, parameters) =>
      `t.paid_at IS NOT NULL AND ${codesIn('t.pay_channel')(value, parameters)}`,
  },
  extra: {
    visitState: of('state'),
    started: `coalesce(${of('starts_at')} <= now() - interval '15 minutes', false)`,
    feeKept: `EXISTS (SELECT FROM appointment a WHERE a.order_id = t.id AND a.fee > 0 AND NOT a.fee_waived AND a.state IN ('no_show', 'cancelled'))`,
    feeWaivable: `EXISTS (SELECT FROM appointment a WHERE a.order_id = t.id AND NOT a.fee_waived
      AND (a.state IN ('to_accept', 'assigned', 'serving') OR (a.fee > 0 AND a.state IN ('no_show', 'cancelled'))))`,
    afterSaleOver: `CASE WHEN t.state = 'completed' THEN t.completed_at + make_interval(days => greatest(15, coalesce((SELECT a.after_sale_days
      FROM merchant_agreement a WHERE a.tenant_id = t.tenant_id AND a.agreement_version = t.agreement_version), 7))) < now() END`,
    refundApplicant: `CASE WHEN t.refund_status = 'refunding' THEN (SELECT r.applicant_id FROM refund r
      WHERE r.order_id = t.id AND r.state = 'reviewing') END`,
  },
  ruleReads: [
    'refundStatus',
    'visitState',
    'started',
    'feeKept',
    'feeWaivable',
    'afterSaleOver',
    'refundApplicant',
  ],
  rowRules: {
    assign: (row) => visitRule(row, ['to_accept']) ?? refunding(row),
    reassign: (row) => visitRule(row, ['assigned']) ?? refunding(row),
    reschedule: (row) =>
      row.visitState === 'serving' ? ['服务已开始', 'The visit has begun'] : refunding(row),
    start: (row) => visitRule(row, ['assigned']) ?? refunding(row),
    finish: (row) => visitRule(row, ['assigned', 'serving']) ?? refunding(row),
    noShow: (row) =>
      visitRule(row, ['assigned', 'serving']) ??
      refunding(row) ??
      (row.started === true
        ? undefined
        : ['预约开始15分钟后才能标记爽约', 'Only 15 minutes after the start']),
    cancel: (row) => (row.visitState === 'serving' ? ['服务已开始', 'The visit has begun'] : openRefund(row)),
    refund: openRefund,
    returnAudit: (row, caller) =>
      openRefund(row) ??
      (row.feeKept === true
        ? ['客户爽约或取消已收违约金，免收后可退款', 'A fee was taken; waive it first']
        : undefined) ??
      overdue(row, caller),
    withdrawRefund: (row, caller) => (row.refundApplicant === caller.staffId ? undefined : NO_OWN_REFUND),
    waiveFee: (row) =>
      refunding(row) ??
      (row.feeWaivable === true ? undefined : ['没有可免收的违约金', 'There is no fee to waive']),
  },
  handlers: {
    create: createServiceOrder,
    pay: askForPayment,
    price: priceOrder,
    close: closeOrder,
    assign: assignOrder,
    reassign: assignOrder,
    reschedule: rescheduleOrder,
    start: startOrder,
    finish: finishOrder,
    noShow: noShowOrder,
    cancel: cancelOrder,
    refund: refundService,
    returnAudit: refundService,
    withdrawRefund: withdrawOrderRefund,
    waiveFee: waiveOrder,
    remark: remarkOrder,
  },
  detail: async (db, id, _row, caller) => ({
    ...(await orderParts(db, id, ORDER_SCOPE, caller)),
    visits: await visitsOf(db, id),
  }),
  optionNote: 't.title',
};

const bound: BoundResource = bindResource(serviceOrder, {
  ...serviceBinding,
  endpoints: [
    ...serviceCreateEndpoints,
    ...visitEndpoints(ROOT, MENU, () => bound),
    ...serviceOrderPaths(() => bound),
  ],
  revealPaths: serviceRevealPaths,
  also: { todos: [toAccept(), toFinish()] },
});

/** Calls of the dialogs of a service order, under the paths and rights of one menu. */
export function visitEndpoints(root: string, menu: string, bound: () => BoundResource): readonly Endpoint[] {
  return [
    ...dialogEndpoints(root, menu, bound, visitOfOrderId),
    endpoint({
      method: 'GET',
      path: `${root}/:id/cancelPreview`,
      title: ['取消试算', 'What a cancellation gives back'],
      access: { code: `${menu}:btn_cancel` },
      query: z.strictObject({ by: z.enum(['member', 'merchant']) }),
      handle: async (call) => {
        const id = idOf(call.params.id);
        await bound().find(call, id);
        const preview = await previewCancel(call.platform.database.db, call.platform, id, call.query.by);
        return {
          percent: preview.percent,
          fee: yuanFromFen(preview.fee),
          refund: yuanFromFen(preview.refund),
          points: preview.points,
          orderStatus: preview.orderStatus,
        };
      },
    }),
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
  ];
}

/** Service orders; the export writes a row per line, and checkouts take turns. */
export const registration: Registration = {
  ...bound.registration,
  exports: [serviceOrderExport(serviceBinding, bound)],
  endpoints: bound.registration.endpoints.map((one) =>
    one.method === 'POST' && one.path === ROOT
      ? { ...one, handle: (call) => inTurn(() => one.handle(call)) }
      : one,
  ),
};

function visitRule(row: DbRow, states: readonly string[]): Label | undefined {
  if (states.includes(String(row.visitState))) return undefined;
  if (row.visitState === 'choose_again') return ['请先改约', 'Another time has to be chosen first'];
  if (row.visitState === 'done' || row.visitState === 'no_show')
    return ['下一次服务尚未预约时间，请先改约', 'The next visit has no time yet, please give it one first'];
  return ['预约当前状态不能执行此操作', 'The visit is not in the right state'];
}

function refunding(row: DbRow): Label | undefined {
  return row.refundStatus === 'refunding'
    ? ['该订单有未完成的退款', 'The order has an unfinished refund']
    : undefined;
}

function openRefund(row: DbRow): Label | undefined {
  if (row.refundStatus === 'full') return ['订单已全部退款', 'Everything was refunded'];
  return refunding(row);
}

/** After the after-sale window the platform alone may refund. */
function overdue(row: DbRow, caller: Caller): Label | undefined {
  return caller.tenantKind !== 3 && row.afterSaleOver === true
    ? ['已超过售后期限', 'The after-sale period is over']
    : undefined;
}

async function visitsOf(db: Executor, orderId: number): Promise<VisitPart[]> {
  const rows = await run<{
    id: number;
    code: string;
    visit_no: number;
    state: string;
    starts_at: Date;
    ends_at: Date;
    person_id: number | null;
    name: string | null;
    phone: string | null;
    overbooked: boolean;
    fee: number;
    fee_waived: boolean;
    verify_hash: string | null;
    verified_at: Date | null;
    tries: number;
    reason: string;
  }>(
    db,
    `SELECT a.*, s.name, s.phone, (SELECT count(*)::integer FROM appointment_try x WHERE x.appointment_id = a.id) AS tries
       FROM appointment a LEFT JOIN service_person s ON s.id = a.person_id WHERE a.order_id = $1 ORDER BY a.visit_no, a.id`,
    [orderId],
  );
  return rows.map((row) => ({
    id: String(row.id),
    code: row.code,
    visitNo: row.visit_no,
    state: row.state,
    startsAt: isoInstant(row.starts_at),
    endsAt: isoInstant(row.ends_at),
    person:
      row.person_id === null
        ? null
        : { id: String(row.person_id), title: row.name!, phone: maskValue('phone', row.phone!) },
    overbooked: row.overbooked,
    fee: yuanFromFen(row.fee),
    feeWaived: row.fee_waived,
    codeState: row.verified_at
      ? 'verified'
      : row.verify_hash === null
        ? 'none'
        : row.tries >= VERIFY_TRIES
          ? 'locked'
          : 'open',
    reason: row.reason,
  }));
}

/** Paid orders without a person: overdue beyond the time to accept, or a day before the visit. */
function toAccept(): TodoKind {
  return {
    kind: 'service_to_accept',
    label: ['待受理服务订单', 'Service orders to accept'],
    menu: MENU,
    route: '/service/mm_reservationOrder_wx?tab=to_accept',
    order: 21,
    count: async ({ caller, platform }) => {
      const parameters = new Parameters();
      const row = await runOne<{ count: number; oldest: Date | null; overdue: number }>(
        platform.database.db,
        `SELECT count(*) AS count, min(t.paid_at) AS oldest, count(*) FILTER (WHERE EXISTS (SELECT FROM appointment a WHERE a.order_id = t.id
                  AND a.state IN ('to_accept', 'choose_again') AND (a.accept_due < now() OR a.starts_at < now() + interval '24 hours'))) AS overdue
           FROM sales_order t WHERE t.kind = 'service' AND t.state = 'to_accept' AND ${scopeCondition(caller, MENU, ORDER_SCOPE, parameters)}`,
        parameters.values,
      );
      return row!;
    },
  };
}

/** Visits nobody finished long after their end. */
function toFinish(): TodoKind {
  return {
    kind: 'service_to_finish',
    label: ['逾期未完成的服务', 'Visits not finished'],
    menu: 'mm_appointment',
    route: '/service/mm_appointment?view=list&tab=unfinished',
    order: 22,
    count: async ({ caller, platform }) => {
      const hours = await platform.settings.number('service.finish_hours');
      const parameters = new Parameters();
      const scope = scopeCondition(
        caller,
        'mm_appointment',
        { tenant: 't.tenant_id', project: 't.project_id', owner: 't.created_by' },
        parameters,
      );
      const row = await runOne<{ count: number; oldest: Date | null }>(
        platform.database.db,
        `SELECT count(*) AS count, min(t.ends_at) AS oldest FROM appointment t WHERE t.state IN ('assigned', 'serving')
            AND t.ends_at < now() - make_interval(hours => ${parameters.bind(hours)}::integer) AND ${scope}`,
        parameters.values,
      );
      return { count: row!.count, oldest: row!.oldest, overdue: row!.count };
    },
  };
}
