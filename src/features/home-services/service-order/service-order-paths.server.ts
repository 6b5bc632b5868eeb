import { z } from 'zod';
import { textOf, type Label, type Language } from '../../../kernel/contract/label.ts';
import { isBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { endpoint, type Endpoint } from '../../../kernel/server/registration.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { WireRow } from '../../../kernel/server/resource/read-rows.ts';
import { encryptionToken } from '../../../kernel/server/resource/row-token.ts';
import { REFUND_STATES } from '../../../domain/trade-money/states.rules.ts';
import { VISIT_STATES, type VisitState } from '../../../domain/home-service/appointment/visit-words.rules.ts';
import type { OrderParts } from '../../mall/goods-order/order-parts.rules.ts';
import { PSEUDO_STATE_SPECS, REFUND_STATUS_SPECS } from '../../mall/goods-order/order-words.rules.ts';
import { SERVICE_STATES, serviceOrder, type VisitPart } from './service-order.contract.ts';

const MENU = { code: serviceOrder.menu } as const;
/** What the paths call the masked fields, by the word their tokens carry. */
export const serviceRevealPaths = {
  list: { contactName: 'contactName' },
  info: { contactName: 'contactName', contactPhone: 'contactTel', invoicePerson: 'invoiceName' },
};
const optionalId = z
  .string()
  .regex(/^\d{0,15}$/)
  .optional();
const filters = {
  startDate: z.string().max(10).optional(),
  endDate: z.string().max(10).optional(),
  searchVal: z.string().max(200).default(''),
  projectId: z.union([optionalId, z.array(z.string().regex(/^\d{1,15}$/)).max(500)]),
  tenantId: optionalId,
  orderStatus: z
    .string()
    .regex(/^(5|6|30|35|40|45|50|110|115)?$/)
    .optional(),
  refundStatus: z
    .string()
    .regex(/^(0|10|15|20)?$/)
    .optional(),
  commentStatus: z
    .string()
    .regex(/^[01]?$/)
    .optional(),
};
const pageQuery = z.strictObject({
  ...filters,
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  limit: z.coerce.number().int().min(1).max(200).default(10),
});
const exportBody = z.strictObject({
  ...filters,
  page: z.union([z.string(), z.number()]).optional(),
  limit: z.union([z.string(), z.number()]).optional(),
});
type Filters = Pick<z.infer<typeof pageQuery>, keyof typeof filters>;

const TAB_OF: ReadonlyMap<string, string> = new Map([
  ...Object.entries(SERVICE_STATES).map(([state, spec]) => [String(spec.code), state] as const),
  ['30', 'to_comment'],
  ['40', 'refunding'],
  ['50', 'refunded'],
]);

/** The specification's paths of service orders: they call the engine and only rename fields. Source: group 07, API. */
export function serviceOrderPaths(bound: () => BoundResource): readonly Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/jinmao/bizReservationOrder/queryReservationOrderPage',
      title: ['服务订单', 'Service orders'],
      access: MENU,
      query: pageQuery,
      handle: async (call) => {
        const { tab, query } = listQuery(call.query, call.caller);
        const { nextCursor: _cursor, ...answer } = await bound().page(call, {
          page: call.query.page,
          limit: call.query.limit,
          searchVal: call.query.searchVal.trim(),
          sort: '-createdAt',
          tab,
          cursor: undefined,
          exact: false,
          filters: query,
        });
        return { ...answer, rows: answer.rows.map((row) => pageRow(row, call.facts.language)) };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/bizReservationOrder/queryReservationOrderInfo',
      title: ['服务订单详情', 'Service order'],
      access: MENU,
      query: z.strictObject({ orderId: z.string().max(20).optional(), id: z.string().max(20).optional() }),
      handle: async (call) => {
        const row = await bound().detail(call, idOf(call.query.orderId ?? call.query.id ?? ''));
        return orderInfo(row as WireRow & OrderParts & { visits: VisitPart[] }, call.facts.language);
      },
    }),
    endpoint({
      method: 'POST',
      path: '/jinmao/bizReservationOrder/exportReservationOrderExcel',
      title: ['导出服务订单', 'Export service orders'],
      access: { code: `${serviceOrder.menu}:btn_export` },
      body: exportBody,
      handle: async (call) => {
        const { tab, query } = listQuery(call.body, call.caller);
        const searchVal = call.body.searchVal.trim();
        return {
          taskId: await bound().export(call, {
            ...query,
            ...(tab ? { tab } : {}),
            ...(searchVal ? { searchVal } : {}),
          }),
        };
      },
    }),
  ];
}

/** The engine's filters for a query of the specification. What a merchant sends as tenantId is ignored: the scope forces its own. */
function listQuery(
  query: Filters,
  caller: Caller,
): { tab: string | undefined; query: Record<string, string> } {
  const problems: Record<string, Label> = {};
  for (const name of ['startDate', 'endDate'] as const)
    if (query[name] && !isBusinessDay(query[name])) problems[name] = ['日期不正确', 'The date is not valid'];
  if (Object.keys(problems).length > 0) throw invalid(problems);
  const projects = [query.projectId ?? []].flat().filter((id) => id !== '');
  const refund = Object.entries(REFUND_STATUS_SPECS).find(
    ([, spec]) => String(spec.code) === query.refundStatus,
  )?.[0];
  return {
    tab: query.orderStatus ? TAB_OF.get(query.orderStatus) : undefined,
    query: {
      ...(query.tenantId && caller.tenantKind !== 2 ? { merchant: query.tenantId } : {}),
      ...(projects.length > 0 ? { project: projects.join(',') } : {}),
      ...(refund ? { refundStatus: refund } : {}),
      ...(query.commentStatus ? { commentStatus: query.commentStatus } : {}),
      ...(query.startDate || query.endDate
        ? { createdAt: `${query.startDate ?? ''}~${query.endDate ?? ''}` }
        : {}),
    },
  };
}

function pageRow(row: WireRow, language: Language) {
  const refund = REFUND_STATUS_SPECS[row.refundStatus as keyof typeof REFUND_STATUS_SPECS];
  return {
    orderId: row.id,
    orderCode: row.code,
    title: row.title,
    description: row.remark,
    contactName: row.contactName,
    actualPrice: row.payable,
    createTime: row.createdAt,
    reservationTime: row.visitAt,
    orderStatus: SERVICE_STATES[String(row.state)]?.code ?? null,
    orderStatusDesc: statusText(row, language),
    refundStatus: refund.code,
    refundStatusDesc: textOf(refund.label, language),
    commentStatus: Number(row.commentStatus),
    waiterName: row.person ?? '',
    tenantName: titleOf(row.merchant),
    projectName: titleOf(row.project),
    actions: row.actions,
    encryptionField: encryptionToken(serviceOrder.name, Number(row.id), 'list'),
  };
}

function orderInfo(row: WireRow & OrderParts & { visits: VisitPart[] }, language: Language) {
  const { money, invoice } = row;
  const current = [...row.visits].reverse().find((visit) => visit.person !== null);
  return {
    orderId: row.id,
    orderCode: row.code,
    orderStatus: SERVICE_STATES[String(row.state)]?.code ?? null,
    orderStatusDesc: statusText(row, language),
    refundStatus: REFUND_STATUS_SPECS[row.refundStatus as keyof typeof REFUND_STATUS_SPECS].code,
    commentStatus: Number(row.commentStatus),
    title: row.title,
    description: row.remark,
    productPrice: money.goods,
    discountPrice: money.discount,
    actualPrice: money.payable,
    refundPrice: money.refunded,
    contactName: row.contactName,
    contactTel: row.contactPhone,
    deliveryAddr: row.address,
    reservationTime: row.visitAt,
    invoiceType: invoice.type,
    invoiceName: invoice.name,
    dutyCode: invoice.dutyCode,
    items: row.lines.map((line) => ({
      lineId: line.id,
      productName: line.productName,
      specName: line.specName,
      image: line.image,
      price: line.price,
      quantity: line.qty,
      shares: line.shares,
      cash: line.cash,
    })),
    waiter: current?.person
      ? {
          id: current.person.id,
          name: current.person.title,
          phone: current.person.phone,
          visitTime: current.startsAt,
        }
      : null,
    appointmentList: row.visits.map((visit) => ({
      appointmentId: visit.id,
      appointmentCode: visit.code,
      visitNo: visit.visitNo,
      status: VISIT_STATES[visit.state as VisitState].code,
      statusDesc: textOf(VISIT_STATES[visit.state as VisitState].label, language),
      startTime: visit.startsAt,
      endTime: visit.endsAt,
      waiterName: visit.person?.title ?? '',
      codeState: visit.codeState,
    })),
    refundList: row.refunds.map((refund) => ({
      refundId: refund.id,
      refundCode: refund.code,
      auditStatus: REFUND_STATES.find((mark) => mark.name === refund.state)?.code ?? null,
      refundPrice: refund.cash,
      points: refund.points,
      reason: refund.reason,
      createTime: refund.appliedAt,
      successTime: refund.succeededAt,
    })),
    operationList: row.operations.map((one) => ({
      code: one.code,
      name: textOf(one.label, language),
      time: one.at,
      operator: one.who,
      remark: one.remark,
    })),
    actions: row.actions,
    encryptionField: encryptionToken(serviceOrder.name, Number(row.id), 'info'),
  };
}

/** 待评价 is shown for what it is: completed, nothing refunded, no comment yet. */
function statusText(row: WireRow, language: Language): string {
  if (row.state === 'completed' && row.refundStatus === 'none' && row.commentStatus === '0')
    return textOf(PSEUDO_STATE_SPECS.to_comment.label, language);
  return textOf(SERVICE_STATES[String(row.state)]!.label, language);
}

function titleOf(value: unknown): string {
  return (value as { title?: string } | null)?.title ?? '';
}
