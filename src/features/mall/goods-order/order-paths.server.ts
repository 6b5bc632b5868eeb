import { z } from 'zod';
import { textOf, type Label, type Language } from '../../../kernel/contract/label.ts';
import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { isBusinessDay } from '../../../kernel/contract/time.rules.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { endpoint, type Endpoint } from '../../../kernel/server/registration.ts';
import type { WireRow } from '../../../kernel/server/resource/read-rows.ts';
import { encryptionToken } from '../../../kernel/server/resource/row-token.ts';
import { REFUND_STATES } from '../../../domain/trade-money/states.rules.ts';
import { goodsOrder } from './goods-order.contract.ts';
import type { OrderParts } from './order-parts.rules.ts';
import {
  ORDER_STATE_SPECS,
  ORDER_TYPES,
  PSEUDO_STATE_SPECS,
  REFUND_STATUS_SPECS,
  stateCode,
} from './order-words.rules.ts';

const MENU = { code: 'mm_businessOrder_wx' } as const;
/** What the paths call the masked fields, by the word their tokens carry. */
export const revealPaths = {
  list: { contactName: 'contactName' },
  info: { contactName: 'contactName', contactPhone: 'contactTel', invoicePerson: 'invoiceName' },
};
const TITLE: Label = ['商品订单', 'Goods orders'];
const optionalId = z
  .string()
  .regex(/^\d{0,15}$/)
  .optional();
const filters = {
  orderType: z
    .string()
    .regex(/^[1-4]?$/)
    .optional(),
  tenantId: optionalId,
  projectId: z.union([optionalId, z.array(z.string().regex(/^\d{1,15}$/)).max(500)]),
  startDate: z.string().max(10).optional(),
  endDate: z.string().max(10).optional(),
  searchVal: z.string().max(200).default(''),
  queryOrderStatus: z
    .string()
    .regex(/^(5|6|10|15|20|30|35|40|45|50)?$/)
    .optional(),
};
const searchQuery = z.strictObject({
  ...filters,
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  limit: z.coerce.number().int().min(1).max(200).default(10),
});
/** Export takes the very query of the search; paging means nothing to it. */
const exportQuery = z.strictObject({ ...filters, page: z.string().optional(), limit: z.string().optional() });
type Filters = z.infer<typeof exportQuery> | z.infer<typeof searchQuery>;

/** Tabs by the number queryOrderStatus sends, pseudo states 30, 40 and 50 included. */
const TAB_OF: ReadonlyMap<string, string> = new Map([
  ...Object.entries(ORDER_STATE_SPECS).map(([state, spec]) => [String(spec.code), state] as const),
  ['30', 'to_comment'],
  ['40', 'refunding'],
  ['50', 'refunded'],
]);

/** The specification's paths of goods orders: they call the engine and only rename fields. */
export function orderPaths(bound: () => BoundResource): readonly Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/jinmao/bizProductOrder/search',
      title: TITLE,
      access: MENU,
      query: searchQuery,
      handle: async (call) => {
        const { tab, query } = listQuery(call.query, call.caller);
        const answer = await bound().page(call, {
          page: call.query.page,
          limit: call.query.limit,
          searchVal: call.query.searchVal.trim(),
          sort: '-createdAt',
          tab,
          cursor: undefined,
          exact: false,
          filters: query,
        });
        const { nextCursor: _cursor, ...rest } = answer;
        return { ...rest, rows: answer.rows.map((row) => searchRow(row, call.facts.language)) };
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/bizProductOrder/findProductOrderInfo',
      title: ['订单详情', 'Order detail'],
      access: MENU,
      query: z.strictObject({ orderId: z.string().min(1).max(20) }),
      handle: async (call) => {
        const row = (await bound().detail(call, idOf(call.query.orderId))) as WireRow & OrderParts;
        return orderInfo(row, call.facts.language);
      },
    }),
    endpoint({
      method: 'POST',
      path: '/jinmao/bizProductOrder/exportProductOrderExcel',
      title: ['导出订单', 'Export orders'],
      access: { code: 'mm_businessOrder_wx:btn_export' },
      query: exportQuery,
      handle: async (call) => {
        const { tab, query } = listQuery(call.query, call.caller);
        const searchVal = call.query.searchVal.trim();
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

/** The engine's filters for a query of the specification. A merchant's own tenant is forced by the scope; what it sends is ignored. */
function listQuery(
  query: Filters,
  caller: Caller,
): { tab: string | undefined; query: Record<string, string> } {
  const problems: Record<string, Label> = {};
  for (const name of ['startDate', 'endDate'] as const)
    if (query[name] && !isBusinessDay(query[name])) problems[name] = ['日期不正确', 'The date is not valid'];
  if (Object.keys(problems).length > 0) throw invalid(problems);
  const projects = [query.projectId ?? []].flat().filter((id) => id !== '');
  const type = Object.entries(ORDER_TYPES).find(([, one]) => String(one.code) === query.orderType)?.[0];
  return {
    tab: query.queryOrderStatus ? TAB_OF.get(query.queryOrderStatus) : undefined,
    query: {
      ...(type ? { type } : {}),
      ...(query.tenantId && caller.tenantKind !== 2 ? { merchant: query.tenantId } : {}),
      ...(projects.length > 0 ? { project: projects.join(',') } : {}),
      ...(query.startDate || query.endDate
        ? { createdAt: `${query.startDate ?? ''}~${query.endDate ?? ''}` }
        : {}),
    },
  };
}

function searchRow(row: WireRow, language: Language) {
  const state = String(row.state);
  const refundStatus = String(row.refundStatus) as keyof typeof REFUND_STATUS_SPECS;
  return {
    orderId: row.id,
    orderCode: row.code,
    title: row.title,
    contactName: row.contactName,
    actualPrice: row.payable,
    createTime: row.createdAt,
    orderType: ORDER_TYPES[row.type as keyof typeof ORDER_TYPES].code,
    orderStatus: stateCode(state),
    orderStatusDesc: statusText(row, language),
    refundStatus: REFUND_STATUS_SPECS[refundStatus].code,
    refundStatusDesc: textOf(REFUND_STATUS_SPECS[refundStatus].label, language),
    commentStatus: Number(row.commentStatus),
    tenantName: titleOf(row.merchant),
    projectName: titleOf(row.project),
    actions: row.actions,
    encryptionField: encryptionToken(goodsOrder.name, Number(row.id), 'list'),
  };
}

/** 待评价 is shown for what it is: completed, nothing refunded, no comment yet. */
function statusText(row: WireRow, language: Language): string {
  if (row.state === 'completed' && row.refundStatus === 'none' && row.commentStatus === '0')
    return textOf(PSEUDO_STATE_SPECS.to_comment.label, language);
  return textOf(ORDER_STATE_SPECS[String(row.state)]!.label, language);
}

function orderInfo(row: WireRow & OrderParts, language: Language) {
  const { money, invoice, payment } = row;
  return {
    orderId: row.id,
    parentId: payment.checkoutCode,
    tenantId: (row.merchant as { id: string } | null)?.id ?? null,
    orderCode: row.code,
    orderStatus: stateCode(String(row.state)),
    orderStatusDesc: statusText(row, language),
    refundStatus: REFUND_STATUS_SPECS[row.refundStatus as keyof typeof REFUND_STATUS_SPECS].code,
    contactName: row.contactName,
    contactTel: row.contactPhone,
    deliveryAddr: row.address,
    createTime: row.createdAt,
    description: row.remark,
    invoiceType: invoice.type,
    invoiceName: invoice.name,
    dutyCode: invoice.dutyCode,
    productPrice: money.goods,
    discountPrice: money.discount,
    freight: money.freight,
    pointsPrice: money.pointsValue,
    actualPrice: money.payable,
    refundPrice: money.refunded,
    productList: row.lines.map((line) => ({
      lineId: line.id,
      productName: line.productName,
      specName: line.specName,
      image: line.image,
      price: line.price,
      quantity: line.qty,
      shares: line.shares,
      cash: line.cash,
      shipped: line.shipped,
      refunded: line.refunded,
      lineStatus: lineStatus(line),
      commentStatus: line.commented ? 1 : 0,
    })),
    shipmentList: row.shipments.map((parcel) => ({
      ...parcel,
      courierPhone: parcel.courierPhone && maskValue('phone', parcel.courierPhone),
    })),
    refundList: row.refunds.map((refund) => ({
      refundId: refund.id,
      refundCode: refund.code,
      auditStatus: REFUND_STATES.find((mark) => mark.name === refund.state)?.code ?? null,
      auditStatusDesc: refundText(refund.state, language),
      refundPrice: refund.cash,
      points: refund.points,
      freight: refund.freight,
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
    encryptionField: encryptionToken(goodsOrder.name, Number(row.id), 'info'),
  };
}

/** 0 nothing shipped, 1 partly, 2 all shipped, 3 all refunded. */
function lineStatus(line: OrderParts['lines'][number]): number {
  if (line.refunded >= line.qty) return 3;
  return line.shipped === 0 ? 0 : line.unshipped > 0 ? 1 : 2;
}

function refundText(state: string, language: Language): string {
  const mark = REFUND_STATES.find((one) => one.name === state);
  return mark ? textOf(mark.label, language) : state;
}

function titleOf(value: unknown): string {
  return (value as { title?: string } | null)?.title ?? '';
}
