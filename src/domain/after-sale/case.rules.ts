import type { Choice } from '../../kernel/contract/fields.ts';
import type { Label } from '../../kernel/contract/label.ts';
import type { StateSpec } from '../../kernel/contract/resource.ts';

/** Name of after-sale cases in timelines, audit records and messages. */
export const CASE_ENTITY = 'afterSale';

/** Menu that shows after-sale cases. */
export const CASE_MENU = 'am_orderlist';

/** Cases of decor orders stand in the same table and have a screen of their own. Source: group 14. */
export const DECOR_CASE_ENTITY = 'decorCase';

/** Menu of decor cases. */
export const DECOR_CASE_MENU = 'mj_mercureCommodityAfterSales';

/** Kinds of case. Source: entities.md, after_sale.type. */
export const CASE_TYPES = {
  refund_only: { label: ['仅退款', 'Refund only'], code: 1 },
  return_refund: { label: ['退货退款', 'Return and refund'], code: 2 },
  exchange: { label: ['换货', 'Exchange'], code: 3 },
} as const satisfies Readonly<Record<string, Choice>>;

/** Stored word of a kind of case. */
export type CaseType = keyof typeof CASE_TYPES;

/** States of a case. Source: entities.md, after_sale.state. */
export const CASE_STATES = {
  applied: { label: ['待审核', 'To review'], tone: 'warning', code: 0 },
  agreed: { label: ['待寄回', 'To be sent back'], tone: 'processing', code: 1 },
  returned: { label: ['待收货', 'To be received'], tone: 'warning', code: 2 },
  received: { label: ['已收货', 'Received'], tone: 'processing', code: 3 },
  refunding: { label: ['退款中', 'Refunding'], tone: 'processing', code: 4 },
  done: { label: ['已完成', 'Done'], tone: 'success', code: 5 },
  refused: { label: ['已拒绝', 'Refused'], tone: 'error', code: 6 },
  withdrawn: { label: ['已撤销', 'Withdrawn'], tone: 'default', code: 7 },
} as const satisfies Readonly<Record<string, StateSpec>>;

/** Stored word of a state. */
export type CaseState = keyof typeof CASE_STATES;

/** States in which the units of a case are taken. */
export const LIVE_STATES = ['applied', 'agreed', 'returned', 'received', 'refunding'] as const;

/** Whether the order was completed when the case was applied for. */
export const CASE_STAGES = {
  before: { label: ['售中', 'Before completion'] },
  after: { label: ['售后', 'After completion'] },
} as const satisfies Readonly<Record<string, Choice>>;

/** Reasons a buyer gives. `quality` widens the after-sale window; each is a reason of the refund too. */
export const CASE_REASONS = {
  quality: { label: ['质量问题', 'Quality problem'] },
  wrong: { label: ['商品与描述不符', 'Not as described'] },
  missing: { label: ['少件漏发', 'Items missing'] },
  damaged: { label: ['运输破损', 'Damaged in transit'] },
  late: { label: ['未按时发货', 'Late shipment'] },
  no_want: { label: ['七天无理由', 'Within seven days'] },
  price: { label: ['退差价', 'Price difference'] },
  other: { label: ['其他', 'Other'] },
} as const satisfies Readonly<Record<string, Choice>>;

/** Stored word of a reason. */
export type CaseReason = keyof typeof CASE_REASONS;

/** Refusal where units are in another case or gone. Source: group 21, refuses. */
export const CLAIMED: Label = ['该商品已申请售后', 'An after-sale case is open for these goods'];

/** What the second of two people is told. */
export const CASE_HANDLED: Label = ['该售后单已被处理', 'The case was handled already'];

/** What the product itself writes down about a case. */
export const CASE_WORDS = {
  asAsked: ['按买家申请金额', 'As the buyer asked'],
  waits: ['等待该订单的其他退款完成', 'Waits for another refund of the order'],
} as const satisfies Readonly<Record<string, Label>>;

/** A stored reason or remark of a case: the product's own in both languages, people's as they wrote it. */
export function caseWord(stored: string): Label {
  return Object.values(CASE_WORDS).find((label) => label[0] === stored) ?? [stored, stored];
}
