import type { Label } from '../../kernel/contract/label.ts';

/** Tones of a state: grey, blue, orange, green, red, purple. Source: look.md, status tones. */
export type Tone = 'default' | 'processing' | 'warning' | 'success' | 'error' | 'paused';

/** A state: the code sent and stored, its name in code, its label and tone. */
export interface StateMark {
  readonly code: number;
  readonly name: string;
  readonly label: Label;
  readonly tone: Tone;
}

/** Who takes a step: `staff` includes merchants' staff inside their data scope. */
export type Actor = 'member' | 'staff' | 'merchant' | 'platform' | 'finance' | 'system';

/** One allowed step. `from` null: the row is created. `element` is the button's code without its menu. */
export interface Transition {
  readonly from: number | null;
  readonly action: string;
  readonly label: Label;
  readonly to: number;
  readonly who: readonly Actor[];
  readonly element: string | null;
  /** Code of the timeline entry (sales_order: 5…60), null without one of its own. */
  readonly event: number | null;
  /** What decides between several targets of one action, or must hold. */
  readonly when: Label | null;
}

// Tones: every 待… waits for a person, so it is orange in every table ("the same word has the same tone everywhere").

/** sales_order.status, services included. Source: entities.md, shared codes. */
export const ORDER_STATES: readonly StateMark[] = [
  { code: 5, name: 'pending_payment', label: ['待支付', 'To pay'], tone: 'warning' },
  { code: 6, name: 'grouping', label: ['拼团中', 'Grouping'], tone: 'processing' },
  { code: 10, name: 'to_ship', label: ['待发货', 'To ship'], tone: 'warning' },
  { code: 15, name: 'part_shipped', label: ['部分发货', 'Partly shipped'], tone: 'processing' },
  { code: 20, name: 'to_receive', label: ['待收货', 'To receive'], tone: 'warning' },
  { code: 35, name: 'completed', label: ['已完成', 'Completed'], tone: 'success' },
  { code: 45, name: 'closed', label: ['已关闭', 'Closed'], tone: 'default' },
  { code: 110, name: 'to_accept', label: ['待受理', 'To accept'], tone: 'warning' },
  { code: 115, name: 'to_visit', label: ['待上门', 'To visit'], tone: 'warning' },
];

/** Filter values that are not states. Source: group 08, mm_businessOrder_wx, pseudo states. */
export const ORDER_PSEUDO_STATES: readonly StateMark[] = [
  { code: 30, name: 'to_comment', label: ['待评价', 'To comment'], tone: 'warning' },
  { code: 40, name: 'refunding', label: ['退款中', 'Refunding'], tone: 'processing' },
  { code: 50, name: 'refunded', label: ['退款完成', 'Refunded'], tone: 'success' },
];

/** sales_order.refund_status. Source: entities.md, shared codes. */
export const ORDER_REFUND_STATES: readonly StateMark[] = [
  { code: 0, name: 'none', label: ['无退款', 'No refund'], tone: 'default' },
  { code: 10, name: 'refunding', label: ['退款中', 'Refunding'], tone: 'processing' },
  { code: 15, name: 'part_refunded', label: ['部分退款', 'Partly refunded'], tone: 'success' },
  { code: 20, name: 'refunded', label: ['退款完成', 'Refunded'], tone: 'success' },
];

/** refund.status. Source: entities.md, shared codes. */
export const REFUND_STATES: readonly StateMark[] = [
  { code: 0, name: 'reviewing', label: ['退款审核中', 'Reviewing'], tone: 'warning' },
  { code: 1, name: 'refunding', label: ['退款中', 'Refunding'], tone: 'processing' },
  { code: 2, name: 'succeeded', label: ['退款成功', 'Succeeded'], tone: 'success' },
  { code: 3, name: 'failed', label: ['退款失败', 'Failed'], tone: 'error' },
  { code: 4, name: 'cancelled', label: ['退款取消', 'Cancelled'], tone: 'default' },
];

/** after_sale.state. Source: entities.md, shared codes. */
export const AFTER_SALE_STATES: readonly StateMark[] = [
  { code: 0, name: 'applied', label: ['待审核', 'To review'], tone: 'warning' },
  { code: 1, name: 'agreed', label: ['待寄回', 'To send back'], tone: 'warning' },
  { code: 2, name: 'returned', label: ['待收货', 'To receive'], tone: 'warning' },
  { code: 3, name: 'received', label: ['已收货', 'Received'], tone: 'processing' },
  { code: 4, name: 'refunding', label: ['退款中', 'Refunding'], tone: 'processing' },
  { code: 5, name: 'done', label: ['已完成', 'Completed'], tone: 'success' },
  { code: 6, name: 'refused', label: ['已拒绝', 'Refused'], tone: 'error' },
  { code: 7, name: 'withdrawn', label: ['已撤销', 'Withdrawn'], tone: 'default' },
];

/** after_sale.type. Source: entities.md, shared codes; repair belongs to home decor (group 14). */
export const AFTER_SALE_TYPES: readonly {
  readonly code: number;
  readonly name: string;
  readonly label: Label;
}[] = [
  { code: 1, name: 'refund_only', label: ['仅退款', 'Refund only'] },
  { code: 2, name: 'return_refund', label: ['退货退款', 'Return and refund'] },
  { code: 3, name: 'exchange', label: ['换货', 'Exchange'] },
  { code: 4, name: 'repair', label: ['保修维修', 'Warranty repair'] },
];

const CREATE: Label = ['下单', 'Create'];
const SHIP: Label = ['发货', 'Ship'];
const SIGN: Label = ['签收', 'Sign'];
const LOGISTICS: Label = ['改物流', 'Change logistics'];
const APPLY_REFUND: Label = ['申请退款', 'Apply for a refund'];
const ALL_REFUNDED: Label = ['全部退款', 'All units refunded'];
const UNITS_REMAIN: Label = ['仍有未发件', 'Units remain to be shipped'];
const NOTHING_UNSHIPPED: Label = ['无未发件', 'Nothing unshipped is left'];

/** Goods orders. Source: group 08, order state machine. */
export const ORDER_TRANSITIONS: readonly Transition[] = [
  step(null, 'create', CREATE, 5, ['member', 'staff'], { element: 'btn_create', event: 5 }),
  step(5, 'pay', ['支付成功', 'Paid'], 10, ['system'], {
    event: 10,
    when: ['非团购单', 'Not a group order'],
  }),
  step(5, 'pay', ['支付成功', 'Paid'], 6, ['system'], { event: 10, when: ['团购单', 'Group order'] }),
  step(5, 'price', ['改价', 'Change price'], 5, ['staff'], { element: 'btn_price' }),
  step(5, 'address', ['改地址', 'Change address'], 5, ['staff'], { element: 'btn_address' }),
  step(5, 'close', ['关闭', 'Close'], 45, ['staff', 'member', 'system'], { element: 'btn_close', event: 40 }),
  step(6, 'complete_team', ['成团', 'Team complete'], 10, ['system'], { event: 16 }),
  step(6, 'fail_team', ['拼团失败', 'Team failed'], 45, ['system'], { event: 60 }),
  step(10, 'ship', SHIP, 15, ['staff'], { element: 'btn_ship', event: 20, when: UNITS_REMAIN }),
  step(10, 'ship', SHIP, 20, ['staff'], { element: 'btn_ship', event: 20, when: NOTHING_UNSHIPPED }),
  step(15, 'ship', SHIP, 15, ['staff'], { element: 'btn_ship', event: 20, when: UNITS_REMAIN }),
  step(15, 'ship', SHIP, 20, ['staff'], { element: 'btn_ship', event: 20, when: NOTHING_UNSHIPPED }),
  step(15, 'change_logistics', LOGISTICS, 15, ['staff'], { element: 'btn_logistics' }),
  step(20, 'change_logistics', LOGISTICS, 20, ['staff'], { element: 'btn_logistics' }),
  step(20, 'sign', SIGN, 35, ['staff', 'member'], { element: 'btn_sign', event: 25 }),
  step(20, 'auto_receive', ['自动签收', 'Automatic receipt'], 35, ['system'], { event: 26 }),
  step(10, 'apply_refund', APPLY_REFUND, 10, ['member', 'staff'], { element: 'btn_refund' }),
  step(15, 'apply_refund', APPLY_REFUND, 15, ['member', 'staff'], { element: 'btn_refund' }),
  step(20, 'apply_refund', APPLY_REFUND, 20, ['member', 'staff'], { element: 'btn_refund' }),
  step(10, 'refund_all', ALL_REFUNDED, 45, ['system'], { event: 60 }),
  step(15, 'refund_all', ALL_REFUNDED, 45, ['system'], { event: 60 }),
  step(20, 'refund_all', ALL_REFUNDED, 45, ['system'], { event: 60 }),
  step(15, 'refund_unshipped', ['退完未发件', 'Unshipped units refunded'], 20, ['system'], {
    event: 60,
    when: NOTHING_UNSHIPPED,
  }),
  step(35, 'refund_after_sale', ['售后退款', 'After-sale refund'], 35, ['member', 'merchant', 'platform'], {
    element: 'btn_returnAudit',
    when: ['超过售后期限仅平台', 'The platform only after the after-sale window'],
  }),
  step(35, 'comment', ['评价', 'Comment'], 35, ['member'], { event: 30 }),
];

/** Refunds. Elements belong to mm_orderRefund. Source: group 21, states and transitions. */
export const REFUND_TRANSITIONS: readonly Transition[] = [
  step(null, 'apply', APPLY_REFUND, 0, ['member', 'staff'], {
    when: ['需审核', 'An audit is needed'],
  }),
  step(null, 'apply', APPLY_REFUND, 1, ['member', 'staff'], {
    when: [
      '未发货且不超过自动通过上限，或有审核权且不超过直退上限',
      'Unsent and within the automatic limit, or with audit right and within the direct limit',
    ],
  }),
  step(null, 'start_by_system', ['系统退款', 'Refund by the system'], 1, ['system'], {
    when: ['拼团失败、超时支付或活动取消', 'Team failed, late payment or activity cancelled'],
  }),
  step(null, 'force', ['强制退款', 'Force refund'], 1, ['platform'], { element: 'btn_force' }),
  step(null, 'force', ['强制退款', 'Force refund'], 0, ['platform'], {
    element: 'btn_force',
    when: ['达到二级审核金额', 'From the amount that needs level 2'],
  }),
  step(0, 'pass', ['通过', 'Pass'], 0, ['staff'], {
    element: 'btn_audit',
    when: ['达到二级审核金额，转二级', 'From the amount that needs level 2: to level 2'],
  }),
  step(0, 'pass', ['通过', 'Pass'], 1, ['staff'], { element: 'btn_audit' }),
  step(0, 'pass_finance', ['二级审核', 'Pass level 2'], 1, ['finance'], { element: 'btn_auditFinance' }),
  step(0, 'reject', ['驳回', 'Reject'], 4, ['staff'], { element: 'btn_audit', event: 46 }),
  step(0, 'withdraw', ['撤回', 'Withdraw'], 4, ['member', 'staff']),
  step(1, 'accept_by_channel', ['渠道已受理', 'Accepted by the channel'], 1, ['system']),
  step(1, 'succeed', ['退款成功', 'Succeeded'], 2, ['system'], { event: 60 }),
  step(1, 'fail', ['退款失败', 'Failed'], 3, ['system']),
  step(3, 'restart', ['重新退款', 'Restart'], 1, ['staff'], { element: 'btn_restart' }),
  step(3, 'pass', ['通过', 'Pass'], 1, ['staff'], { element: 'btn_audit' }),
  step(3, 'refund_offline', ['线下退款', 'Refund offline'], 2, ['finance'], {
    element: 'btn_offline',
    event: 60,
  }),
  step(0, 'refund_offline', ['线下退款', 'Refund offline'], 2, ['finance'], {
    element: 'btn_offline',
    event: 60,
    when: ['渠道规则不允许原路退回', 'A channel rule forbids the normal way'],
  }),
  step(3, 'reject', ['驳回', 'Reject'], 4, ['staff'], {
    element: 'btn_audit',
    event: 46,
    when: ['渠道查询确认未出款', 'A channel query says no money moved'],
  }),
];

/** After-sales cases of goods; home decor adds its own (group 14). Source: group 21, am_orderlist, states. */
export const AFTER_SALE_TRANSITIONS: readonly Transition[] = [
  step(null, 'apply', ['申请售后', 'Apply'], 0, ['member', 'staff'], { element: 'btn_add', event: 50 }),
  step(0, 'agree', ['同意', 'Agree'], 4, ['merchant', 'system'], {
    element: 'btn_agree',
    when: ['仅退款', 'Refund only'],
  }),
  step(0, 'agree', ['同意', 'Agree'], 1, ['merchant'], {
    element: 'btn_agree',
    when: ['退货退款或换货', 'Return and refund, or exchange'],
  }),
  step(0, 'refuse', ['拒绝', 'Refuse'], 6, ['merchant'], { element: 'btn_refuse', event: 55 }),
  step(6, 'escalate', ['申请平台介入', 'Escalate'], 0, ['member'], {
    when: ['在介入期限内', 'Within the days for escalation'],
  }),
  step(0, 'escalate', ['平台介入', 'Escalate'], 0, ['staff', 'system'], { element: 'btn_escalate' }),
  step(0, 'decide', ['平台裁决', 'Decide'], 4, ['platform'], {
    element: 'btn_decide',
    when: ['支持买家，仅退款', 'For the buyer, refund only'],
  }),
  step(0, 'decide', ['平台裁决', 'Decide'], 1, ['platform'], {
    element: 'btn_decide',
    when: ['支持买家，退货退款或换货', 'For the buyer, return or exchange'],
  }),
  step(0, 'decide', ['平台裁决', 'Decide'], 6, ['platform'], {
    element: 'btn_decide',
    event: 55,
    when: ['支持商户，终局', 'For the merchant, final'],
  }),
  step(0, 'withdraw', ['撤销', 'Withdraw'], 7, ['member']),
  step(1, 'withdraw', ['撤销', 'Withdraw'], 7, ['member', 'system']),
  step(1, 'send_back', ['寄回', 'Send back'], 2, ['member', 'staff']),
  step(2, 'receive', ['验收', 'Receive'], 3, ['merchant', 'system'], { element: 'btn_receive' }),
  step(2, 'refuse_parcel', ['拒收', 'Refuse the parcel'], 6, ['merchant'], {
    element: 'btn_receive',
    event: 55,
  }),
  step(3, 'start_refund', ['发起退款', 'Start the refund'], 4, ['system'], {
    when: ['退货退款', 'Return and refund'],
  }),
  step(3, 'resend', ['换货发出', 'Resend'], 3, ['merchant'], {
    element: 'btn_resend',
    when: ['换货', 'Exchange'],
  }),
  step(3, 'finish_exchange', ['换货签收', 'Exchange signed'], 5, ['member', 'system'], {
    when: ['已寄出新商品', 'The new goods are on their way'],
  }),
  step(4, 'succeed', ['退款成功', 'Refund succeeded'], 5, ['system'], { event: 60 }),
  step(4, 'fail', ['退款失败', 'Refund failed'], 4, ['system']),
  step(4, 'cancel_refund', ['退款取消', 'Refund cancelled'], 0, ['system']),
];

/**
 * Codes an action may lead to from a state; empty when it is not allowed.
 * Source: ground-rules.md, section 8 (allowed transitions as data).
 */
export function targetsOf(
  table: readonly Transition[],
  from: number | null,
  action: string,
): readonly number[] {
  let index = indexes.get(table);
  if (!index) {
    index = new Map();
    for (const { from: start, action: name, to } of table) {
      const key = `${start} ${name}`;
      index.set(key, [...(index.get(key) ?? []), to]);
    }
    indexes.set(table, index);
  }
  return index.get(`${from} ${action}`) ?? [];
}

// Lists ask for every row and action, so a table is searched once.
const indexes = new WeakMap<readonly Transition[], Map<string, number[]>>();

/** Whether a table has the step. Source: ground-rules.md, section 8. */
export function isAllowed(
  table: readonly Transition[],
  from: number | null,
  action: string,
  to: number,
): boolean {
  return targetsOf(table, from, action).includes(to);
}

/** Steps of an actor from a state, for the buttons of a row. Source: ground-rules.md, section 4, ring 3. */
export function stepsFor(table: readonly Transition[], from: number | null, actor: Actor): Transition[] {
  return table.filter((entry) => entry.from === from && entry.who.includes(actor));
}

/** The mark of a code. Throws RangeError for a code the list does not have. Source: entities.md, shared codes. */
export function markOf(marks: readonly StateMark[], code: number): StateMark {
  const mark = marks.find((candidate) => candidate.code === code);
  if (!mark) throw new RangeError(`no state ${code}`);
  return mark;
}

function step(
  from: number | null,
  action: string,
  label: Label,
  to: number,
  who: readonly Actor[],
  more: { readonly element?: string; readonly event?: number; readonly when?: Label } = {},
): Transition {
  return {
    from,
    action,
    label,
    to,
    who,
    element: more.element ?? null,
    event: more.event ?? null,
    when: more.when ?? null,
  };
}
