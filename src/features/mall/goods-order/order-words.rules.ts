import type { Choice } from '../../../kernel/contract/fields.ts';
import type { StateSpec } from '../../../kernel/contract/resource.ts';
import {
  markOf,
  ORDER_PSEUDO_STATES,
  ORDER_REFUND_STATES,
  ORDER_STATES,
  type StateMark,
} from '../../../domain/trade-money/states.rules.ts';

/** States of goods orders by their stored word, in the order of their life. Source: entities.md, shared codes. */
export const ORDER_STATE_SPECS: Readonly<Record<string, StateSpec>> = Object.fromEntries(
  ORDER_STATES.filter((mark) => mark.code < 100).map((mark) => [mark.name, specOf(mark)]),
);

/** refund_status by its stored word. Source: entities.md, shared codes. */
export const REFUND_STATUS_SPECS: Readonly<Record<'none' | 'refunding' | 'part' | 'full', StateSpec>> = {
  none: specOf(markOf(ORDER_REFUND_STATES, 0)),
  refunding: specOf(markOf(ORDER_REFUND_STATES, 10)),
  part: specOf(markOf(ORDER_REFUND_STATES, 15)),
  full: specOf(markOf(ORDER_REFUND_STATES, 20)),
};

/** Labels of the filter values that are no states: 30, 40, 50. Source: group 08, mm_businessOrder_wx. */
export const PSEUDO_STATE_SPECS: Readonly<Record<'to_comment' | 'refunding' | 'refunded', StateSpec>> = {
  to_comment: specOf(markOf(ORDER_PSEUDO_STATES, 30)),
  refunding: specOf(markOf(ORDER_PSEUDO_STATES, 40)),
  refunded: specOf(markOf(ORDER_PSEUDO_STATES, 50)),
};

/** sales_order.type. Source: entities.md, shared codes. */
export const ORDER_TYPES = {
  ordinary: { label: ['普通', 'Ordinary'], code: 1 },
  group: { label: ['团购', 'Group-buy'], code: 2 },
  rush: { label: ['疯抢', 'Rush'], code: 3 },
  seckill: { label: ['秒杀', 'Seckill'], code: 4 },
} as const satisfies Readonly<Record<string, Choice>>;

/** sales_order.source; the words are the stored codes. Source: entities.md, shared codes. */
export const ORDER_SOURCES = {
  '1': { label: ['iOS App', 'iOS app'], code: 1 },
  '2': { label: ['安卓 App', 'Android app'], code: 2 },
  '3': { label: ['H5', 'H5'], code: 3 },
  '4': { label: ['微信小程序', 'WeChat mini-program'], code: 4 },
  '5': { label: ['柜台/后台', 'Counter or back office'], code: 5 },
} as const satisfies Readonly<Record<string, Choice>>;

/** payment.channel of a paid order; the words are the stored codes. Source: entities.md, shared codes. */
export const PAY_CHANNELS = {
  '0': { label: ['零元订单', 'Nothing to pay'], code: 0 },
  '1': { label: ['支付宝', 'Alipay'], code: 1 },
  '2': { label: ['微信', 'WeChat'], code: 2 },
} as const satisfies Readonly<Record<string, Choice>>;

/** sales_order.comment_status; the words are the stored codes. */
export const COMMENT_STATUSES = {
  '0': { label: ['未评价', 'No comment'], code: 0 },
  '1': { label: ['已评价', 'Commented'], code: 1 },
} as const satisfies Readonly<Record<string, Choice>>;

/** sales_order.invoice_type; the words are the stored codes. Source: group 08, mm_businessOrder_wx, detail. */
export const INVOICE_TYPES = {
  '0': { label: ['不开发票', 'None'], code: 0 },
  '1': { label: ['个人', 'Person'], code: 1 },
  '2': { label: ['公司', 'Company'], code: 2 },
} as const satisfies Readonly<Record<string, Choice>>;

/** order_line.sales_way. Source: group 08, mm_commodityMana. */
export const SALES_WAYS = {
  self: { label: ['自营', 'Own'] },
  consign: { label: ['代销', 'Consignment'] },
  joint: { label: ['联营', 'Joint'] },
} as const satisfies Readonly<Record<string, Choice>>;

/** Tracking numbers: 6–32 letters, digits and hyphens. Source: group 08, order state machine (发货). */
export const TRACKING_PATTERN = '[A-Za-z0-9-]{6,32}';

/** The code of a stored state word. */
export function stateCode(state: string): number {
  return Number(ORDER_STATE_SPECS[state]?.code);
}

function specOf(mark: StateMark): StateSpec {
  return { label: mark.label, tone: mark.tone, code: mark.code };
}
