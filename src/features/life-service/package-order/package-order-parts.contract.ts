import {
  choice,
  code,
  date,
  instant,
  integer,
  longText,
  money,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';
import { METHODS } from '../../../domain/receivable/receivable.rules.ts';

const MENU = 'order';
const seen = { readOnly: true } as const;
const order = ref('packageOrder', ['套餐订单', 'Package order'], { ...seen, search: 'in', width: 170 });

/** Uses of packages. */
export const packageUsage = defineResource({
  name: 'packageUsage',
  menu: MENU,
  title: ['核销记录', 'Uses'],
  noun: ['核销', 'Use'],
  titleField: 'item',
  fields: {
    order,
    item: text(['服务内容', 'Item'], { ...seen, width: 180 }),
    qty: integer(['次数', 'Uses'], { ...seen, width: 80 }),
    usedOn: date(['使用日期', 'Used on'], { ...seen, sortable: true, search: 'range', width: 110 }),
    person: ref('staff', ['服务人员', 'Service person'], { ...seen, width: 100 }),
    note: text(['备注', 'Note'], { ...seen, width: 180 }),
    undoneReason: text(['撤销原因', 'Why undone'], { ...seen, width: 160 }),
    bookedAt: instant(['登记时间', 'Booked'], { ...seen, sortable: true, width: 150 }),
  },
  states: {
    used: { label: ['已核销', 'Used'], tone: 'success' },
    undone: { label: ['已撤销', 'Undone'], tone: 'paused' },
  },
  list: {
    columns: ['item', 'qty', 'usedOn', 'person', 'state', 'note', 'undoneReason', 'bookedAt', 'order'],
    filters: ['order', 'state', 'usedOn'],
    sort: '-bookedAt',
    export: true,
    empty: ['还没有核销', 'Nothing was used yet'],
  },
  actions: {
    undo: {
      on: 'row',
      label: ['撤销', 'Undo'],
      element: 'btn_redeem',
      tone: 'danger',
      from: ['used'],
      to: 'undone',
      input: { reason: longText(['原因', 'Reason'], { required: true, min: 2, max: 200 }) },
      message: ['已撤销，次数已退回', 'Undone; the use is given back'],
    },
  },
});

/** Receivables of package orders. */
export const packageInstalment = defineResource({
  name: 'packageInstalment',
  menu: MENU,
  title: ['付款计划', 'Payment plan'],
  noun: ['应收', 'Receivable'],
  titleField: 'code',
  fields: {
    order,
    part: integer(['期数', 'Part'], { ...seen, width: 70 }),
    code: code(['应收编号', 'Receivable'], { ...seen, width: 170 }),
    dueOn: date(['到期日', 'Due'], { ...seen, sortable: true, width: 110 }),
    principal: money(['本金', 'Principal'], { ...seen, width: 120 }),
    charges: money(['费用', 'Charges'], { ...seen, width: 110 }),
    received: money(['已收', 'Received'], { ...seen, width: 120 }),
    balance: money(['余额', 'Balance'], { ...seen, width: 120 }),
    remark: text(['备注', 'Remark'], { ...seen, width: 120 }),
  },
  states: {
    open: { label: ['待收', 'Open'], tone: 'processing' },
    part: { label: ['部分收款', 'Part paid'], tone: 'warning' },
    paid: { label: ['已收清', 'Paid'], tone: 'success' },
    written_off: { label: ['坏账', 'Written off'], tone: 'error' },
    void: { label: ['作废', 'Void'], tone: 'default' },
  },
  list: {
    columns: [
      'part',
      'code',
      'dueOn',
      'principal',
      'charges',
      'received',
      'balance',
      'state',
      'remark',
      'order',
    ],
    filters: ['order', 'state'],
    sort: 'dueOn',
    export: true,
    empty: ['确认后生成应收', 'Issued when the order is confirmed'],
  },
});

/** Which receipts paid package orders. */
export const packageReceipt = defineResource({
  name: 'packageReceipt',
  menu: MENU,
  title: ['收款', 'Receipts'],
  noun: ['收款', 'Receipt'],
  titleField: 'receipt',
  fields: {
    order,
    receipt: text(['收款单号', 'Receipt'], { ...seen, width: 170 }),
    method: choice(['方式', 'Method'], METHODS, { ...seen, width: 110 }),
    receivedOn: date(['收款日期', 'Received'], { ...seen, sortable: true, width: 110 }),
    receivable: text(['应收编号', 'Receivable'], { ...seen, width: 170 }),
    amount: money(['金额', 'Amount'], { ...seen, width: 120 }),
  },
  states: {
    to_confirm: { label: ['待确认', 'To confirm'], tone: 'warning' },
    confirmed: { label: ['已确认', 'Confirmed'], tone: 'success' },
    rejected: { label: ['已驳回', 'Rejected'], tone: 'error' },
  },
  list: {
    columns: ['receipt', 'method', 'receivedOn', 'receivable', 'amount', 'state', 'order'],
    filters: ['order'],
    sort: '-receivedOn',
    export: true,
    empty: ['还没有收款', 'Nothing has come in yet'],
  },
});

/** Times a package rested. */
export const packagePause = defineResource({
  name: 'packagePause',
  menu: MENU,
  title: ['暂停记录', 'Pauses'],
  noun: ['暂停', 'Pause'],
  titleField: 'fromOn',
  fields: {
    order,
    kind: choice(
      ['方式', 'Kind'],
      { request: { label: ['客户申请', 'On request'] }, arrears: { label: ['欠费', 'For arrears'] } },
      { ...seen, width: 100 },
    ),
    fromOn: date(['起', 'From'], { ...seen, sortable: true, width: 110 }),
    toOn: date(['恢复日', 'Resumed'], { ...seen, width: 110 }),
    days: integer(['顺延天数', 'Days moved'], { ...seen, width: 100 }),
    reason: text(['原因', 'Reason'], { ...seen, width: 220 }),
  },
  list: {
    columns: ['kind', 'fromOn', 'toOn', 'days', 'reason', 'order'],
    filters: ['order'],
    sort: '-fromOn',
    export: true,
    empty: ['没有暂停', 'It never rested'],
  },
});

/** Money given back for cancelled packages, each part by the way it came in. */
export const packageRefund = defineResource({
  name: 'packageRefund',
  menu: MENU,
  title: ['退款', 'Refunds'],
  noun: ['退款', 'Refund'],
  titleField: 'receipt',
  fields: {
    order,
    receipt: text(['原收款单', 'Receipt'], { ...seen, width: 170 }),
    method: choice(['退款渠道', 'Channel'], METHODS, { ...seen, width: 110 }),
    amount: money(['金额', 'Amount'], { ...seen, width: 120 }),
    slipNo: text(['退款流水号', 'Slip number'], { ...seen, width: 160 }),
    paidAt: instant(['退款时间', 'Paid back'], { ...seen, sortable: true, width: 150 }),
    bookedAt: instant(['登记时间', 'Booked'], { ...seen, sortable: true, width: 150 }),
  },
  states: {
    waiting: { label: ['待退款', 'To pay back'], tone: 'warning' },
    paid: { label: ['已退款', 'Paid back'], tone: 'success' },
  },
  list: {
    columns: ['receipt', 'method', 'amount', 'state', 'slipNo', 'paidAt', 'bookedAt', 'order'],
    filters: ['order', 'state'],
    sort: '-bookedAt',
    export: true,
    empty: ['没有退款', 'There are no refunds'],
  },
  actions: {
    payBack: {
      on: 'row',
      label: ['登记已退', 'Paid back'],
      element: 'btn_refund',
      remark: 'slip',
      tone: 'primary',
      from: ['waiting'],
      to: 'paid',
      input: { slip: text(['退款流水号', 'Slip number'], { required: true, max: 60 }) },
      message: ['已登记退款', 'The refund is booked'],
    },
  },
});
