import {
  choice,
  code,
  images,
  instant,
  integer,
  longText,
  money,
  personName,
  phone,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { TEAM_STATES } from '../../../domain/group-buy/group-buy.rules.ts';
import { ORDER_STATES } from '../../../domain/trade-money/states.rules.ts';
import { goodsOrder } from '../../mall/goods-order/goods-order.contract.ts';
import {
  COMMENT_STATUSES,
  ORDER_SOURCES,
  ORDER_TYPES,
  PAY_CHANNELS,
  PSEUDO_STATE_SPECS,
  REFUND_STATUS_SPECS,
} from '../../mall/goods-order/order-words.rules.ts';

const seen = { readOnly: true } as const;
const goods = goodsOrder.actions!;
const reason = text(['原因', 'Reason'], { required: true, min: 2, max: 100 });

/** States of service orders by their stored word, in the order of their life. Source: group 07, service order states. */
export const SERVICE_STATES = Object.fromEntries(
  [5, 6, 110, 115, 35, 45].map((number) => {
    const mark = ORDER_STATES.find((one) => one.code === number)!;
    return [mark.name, { label: mark.label, tone: mark.tone, code: mark.code }];
  }),
);

/** What the dialogs of a visit ask for; the same on orders and on appointments. */
export const VISIT_INPUTS = {
  assign: { person: text(['服务人员', 'Person'], { required: true, max: 15 }) },
  reassign: { person: text(['服务人员', 'Person'], { required: true, max: 15 }), reason },
  reschedule: {
    startsAt: instant(['预约时间', 'Time'], { required: true }),
    person: text(['服务人员', 'Person'], { max: 15, help: ['不填则不变', 'Empty: as it is'] }),
    reason: text(['原因', 'Reason'], { max: 100 }),
    overbookReason: text(['超额原因', 'Why overbooked'], { min: 2, max: 100 }),
  },
  finish: {
    verifyCode: text(['核销码', 'Code'], {
      max: 6,
      help: [
        '客户出示的6位数字；无需核销的服务不填',
        'The 6 digits the customer shows, where the service wants them',
      ],
    }),
    reason: text(['原因', 'Reason'], {
      max: 100,
      help: ['核销码锁定后由前台填写', 'After five wrong codes the desk says why'],
    }),
    photos: images(['服务照片', 'Photos']),
  },
  noShow: { reason },
  cancel: {
    by: choice(
      ['取消方', 'Cancelled by'],
      {
        member: { label: ['客户', 'Customer'] },
        merchant: { label: ['商户', 'Merchant'] },
      },
      {
        required: true,
        help: ['商户取消不收违约金', 'No fee when the merchant cancels'],
      },
    ),
    reason,
  },
  waiveFee: { reason },
} as const;

/** An order of one merchant for visits, from the chosen time to the last visit or refund. */
export const serviceOrder = defineResource({
  name: 'serviceOrder',
  menu: 'mm_reservationOrder_wx',
  title: ['服务订单', 'Service orders'],
  purpose: [
    '到家服务订单：支付、派单、上门核销、取消与退款',
    'Orders of home services: payment, people, visits with their code, cancellations and refunds',
  ],
  fields: {
    code: code(['订单号', 'Order no.'], { ...seen, keyword: true, sortable: true, width: 166 }),
    title: text(['标题', 'Title'], { ...seen, keyword: true, width: 150 }),
    remark: text(['描述', 'Description'], { ...seen, width: 120 }),
    contactName: personName(['客户', 'Customer'], { ...seen, keyword: true, search: 'equals', width: 92 }),
    contactPhone: phone(['电话', 'Phone'], { ...seen, search: 'equals' }),
    merchant: ref('merchant', ['商户', 'Merchant'], { ...seen, search: 'in', width: 120 }),
    project: ref('project', ['项目', 'Project'], { ...seen, search: 'in', width: 96 }),
    centre: ref('centreCity', ['中心城市', 'Centre city'], { ...seen, search: 'in' }),
    type: choice(['类型', 'Type'], ORDER_TYPES, { ...seen, search: 'in', width: 64 }),
    payable: money(['实付', 'Paid'], {
      ...seen,
      width: 100,
      sortable: true,
      search: 'range',
      help: ['待支付订单为应付金额', 'Of an unpaid order: what is to be paid'],
    }),
    createdAt: instant(['下单时间', 'Ordered'], { ...seen, width: 116, sortable: true, search: 'range' }),
    visitAt: instant(['预约时间', 'Visit'], { ...seen, width: 116, search: 'range' }),
    person: text(['服务人员', 'Person'], { ...seen, width: 84 }),
    visitsLeft: text(['剩余次数', 'Visits left'], { ...seen, width: 80 }),
    refundStatus: choice(['退款状态', 'Refund status'], REFUND_STATUS_SPECS, {
      ...seen,
      search: 'in',
      width: 100,
    }),
    comment: text(['评价内容', 'What was said'], seen),
    commentStatus: choice(['评价状态', 'Comment'], COMMENT_STATUSES, { ...seen, search: 'in', width: 84 }),
    deadline: instant(['时限', 'Time limit'], {
      ...seen,
      width: 110,
      help: [
        '支付、受理、改约的截止时间，或上门时间',
        'Until the time to pay, to find a person or to choose again ends, or the visit begins',
      ],
    }),
    payChannel: choice(['支付方式', 'Pay way'], PAY_CHANNELS, { ...seen, search: 'in' }),
    source: choice(['来源', 'Source'], ORDER_SOURCES, { ...seen, search: 'in', width: 110 }),
    address: text(['服务地址', 'Address'], { ...seen, max: 200 }),
    itemCount: integer(['数量', 'Quantity'], seen),
    paidAt: instant(['支付时间', 'Paid at'], { ...seen, search: 'range' }),
    staffRemark: longText(['客服备注', 'Staff remark'], { ...seen, max: 500 }),
    invoicePerson: personName(['发票抬头（个人）', 'Invoice title (person)'], seen),
    // Of group orders, shown under their own menu.
    teamCode: text(['团号', 'Team no.'], { ...seen, width: 166 }),
    teamState: choice(['团状态', 'Team'], TEAM_STATES, { ...seen, search: 'in', width: 90 }),
    missing: integer(['还差人数', 'Missing'], {
      ...seen,
      width: 112,
      help: [
        '组团中还差的人数；满量成团为还差的份数',
        'People a forming team lacks; copies where copies count',
      ],
    }),
    teamDeadline: instant(['截止', 'Team until'], {
      ...seen,
      width: 116,
      help: ['到时未成团则关闭并全额退款', 'Not complete by then: closed and refunded in full'],
    }),
  },
  states: SERVICE_STATES,
  titleField: 'code',
  sensitive: true,
  list: {
    columns: [
      'code',
      'title',
      'state',
      'visitAt',
      'person',
      'contactName',
      'deadline',
      'payable',
      'refundStatus',
      'merchant',
      'project',
      'createdAt',
      'commentStatus',
      'remark',
      'type',
      'visitsLeft',
      'contactPhone',
      'centre',
      'payChannel',
      'source',
      'staffRemark',
    ],
    hidden: ['type', 'visitsLeft', 'contactPhone', 'centre', 'payChannel', 'source', 'staffRemark'],
    filters: [
      'createdAt',
      'visitAt',
      'project',
      'centre',
      'merchant',
      'refundStatus',
      'commentStatus',
      'payChannel',
      'source',
      'type',
      'contactPhone',
      'contactName',
      'payable',
    ],
    sort: '-createdAt',
    tabs: [
      { key: 'all', label: ['全部', 'All'] },
      ...(['pending_payment', 'grouping', 'to_accept', 'to_visit'] as const).map((state) => ({
        key: state as string,
        label: SERVICE_STATES[state]!.label,
        filter: { state: state as string },
      })),
      { key: 'to_comment', label: PSEUDO_STATE_SPECS.to_comment.label, named: true },
      { key: 'completed', label: SERVICE_STATES.completed!.label, filter: { state: 'completed' } },
      { key: 'refunding', label: PSEUDO_STATE_SPECS.refunding.label, filter: { refundStatus: 'refunding' } },
      { key: 'refunded', label: PSEUDO_STATE_SPECS.refunded.label, filter: { refundStatus: 'full' } },
      { key: 'closed', label: SERVICE_STATES.closed!.label, filter: { state: 'closed' } },
    ],
    // The columns of the file are service-order-export.server.ts.
    export: true,
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['订单', 'Order'],
        fields: [
          'code',
          'state',
          'type',
          'merchant',
          'project',
          'createdAt',
          'paidAt',
          'payChannel',
          'source',
        ],
      },
      {
        title: ['客户与上门', 'Customer and visit'],
        fields: [
          'contactName',
          'contactPhone',
          'address',
          'visitAt',
          'person',
          'visitsLeft',
          'deadline',
          'remark',
        ],
      },
      {
        title: ['金额与状态', 'Money and state'],
        fields: ['payable', 'refundStatus', 'commentStatus', 'comment', 'invoicePerson', 'staffRemark'],
      },
    ],
  },
  actions: {
    create: {
      label: ['代客预约', 'Book for a member'],
      on: 'page',
      element: 'btn_create',
      tone: 'primary',
      opens: 'screen',
      to: ['pending_payment', 'to_accept', 'to_visit'],
      input: {
        ...Object.fromEntries(Object.entries(goods.create!.input!).filter(([name]) => name !== 'lines')),
        spec: text(['服务规格', 'Service'], { required: true, max: 15 }),
        qty: integer(['数量', 'Quantity'], { required: true, min: 1, max: 999 }),
        startsAt: instant(['预约时间', 'Time'], { required: true }),
        person: text(['指定人员', 'Person'], { max: 15 }),
        overbookReason: text(['超额原因', 'Why overbooked'], { min: 2, max: 100 }),
      },
    },
    pay: goods.pay!,
    assign: {
      label: ['派单', 'Assign'],
      on: 'row',
      element: 'btn_assign',
      tone: 'primary',
      opens: 'screen',
      from: ['to_accept'],
      to: 'to_visit',
      input: VISIT_INPUTS.assign,
    },
    reassign: {
      label: ['改派', 'Reassign'],
      on: 'row',
      element: 'btn_reassign',
      opens: 'screen',
      from: ['to_visit'],
      input: VISIT_INPUTS.reassign,
    },
    start: {
      label: ['开始服务', 'Start'],
      on: 'row',
      element: 'btn_start',
      from: ['to_visit'],
      confirm: [
        '订单 {code} 的服务人员已到达并开始服务？',
        'The person of order {code} has arrived and begins?',
      ],
    },
    finish: {
      label: ['完成', 'Finish'],
      on: 'row',
      element: 'btn_finish',
      tone: 'primary',
      from: ['to_visit'],
      to: ['completed', 'to_visit'],
      input: VISIT_INPUTS.finish,
    },
    reschedule: {
      label: ['改约', 'Reschedule'],
      on: 'row',
      element: 'btn_reschedule',
      opens: 'screen',
      from: ['to_accept', 'to_visit'],
      to: ['to_accept', 'to_visit'],
      input: VISIT_INPUTS.reschedule,
    },
    price: {
      ...goods.price!,
      opens: 'dialog',
      input: goods.price!.input!,
      to: ['pending_payment', 'to_accept', 'to_visit'],
    },
    noShow: {
      label: ['客户爽约', 'Customer not there'],
      on: 'row',
      element: 'btn_noShow',
      tone: 'danger',
      from: ['to_visit'],
      to: ['completed', 'to_visit'],
      input: VISIT_INPUTS.noShow,
    },
    refund: {
      label: ['申请退款', 'Refund'],
      on: 'row',
      element: 'btn_refund',
      tone: 'danger',
      from: ['to_accept', 'to_visit'],
      input: refundInput(),
    },
    returnAudit: {
      label: ['售后退款', 'After-sale refund'],
      on: 'row',
      element: 'btn_returnAudit',
      tone: 'danger',
      from: ['completed'],
      input: refundInput(),
    },
    withdrawRefund: { ...goods.withdrawRefund! },
    waiveFee: {
      label: ['免收违约金', 'Waive the fee'],
      on: 'row',
      element: 'btn_waiveFee',
      from: ['to_accept', 'to_visit', 'completed'],
      confirm: [
        '免收订单 {code} 的违约金？之后取消或售后可全额退款。',
        'Waive the fee of order {code}? It can then be refunded in full.',
      ],
      input: VISIT_INPUTS.waiveFee,
    },
    remark: goods.remark!,
    cancel: {
      label: ['取消', 'Cancel'],
      on: 'row',
      element: 'btn_cancel',
      tone: 'danger',
      opens: 'screen',
      from: ['to_accept', 'to_visit'],
      to: ['completed', 'closed', 'to_accept', 'to_visit'],
      input: VISIT_INPUTS.cancel,
    },
    close: {
      ...goods.close!,
      confirm: [
        '关闭订单 {code}？预约时段、优惠券和积分将立即释放，不能恢复。',
        'Close order {code}? Its time, coupons and points are set free at once; this cannot be undone.',
      ],
    },
  },
});

/** Visits to give back, or an amount of cash where no visit is counted. */
function refundInput() {
  const { reasonCode, reason: explanation, liable } = goods.refund!.input!;
  return {
    units: integer(['退次数', 'Visits back'], {
      min: 1,
      max: 9_999,
      help: ['与金额二选一；不填次数则只退金额', 'Either visits or an amount of money'],
    }),
    amount: money(['退金额', 'Amount back'], { unit: ['元', 'yuan'] }),
    reasonCode: reasonCode!,
    reason: explanation!,
    liable: liable!,
  };
}

/** A service order on the wire. */
export interface ServiceOrder extends Row<typeof serviceOrder> {}

/** What stands on the detail of a service order about one visit; instants as ISO 8601. */
export interface VisitPart {
  readonly id: string;
  readonly code: string;
  readonly visitNo: number;
  readonly state: string;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly person: { readonly id: string; readonly title: string; readonly phone: string } | null;
  readonly overbooked: boolean;
  readonly fee: string;
  readonly feeWaived: boolean;
  /** none: no code is asked for; open; locked after five wrong ones; verified. */
  readonly codeState: 'none' | 'open' | 'locked' | 'verified';
  readonly reason: string;
}
