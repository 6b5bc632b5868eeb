import {
  boolean,
  choice,
  code,
  files,
  instant,
  integer,
  money,
  personName,
  phone,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import type { Choice } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { APPLICANT_TYPES, BUSINESS_TYPES, EXPORT_COLUMNS } from './refund-words.rules.ts';

/** Why a refund is asked for: stored word and text. `quality` widens the after-sale window. Source: group 21. */
export const REFUND_REASONS = {
  not_wanted: { label: ['不想要了', 'No longer wanted'] },
  wrong_item: { label: ['发错商品', 'Wrong item'] },
  quality: { label: ['质量问题', 'Quality problem'] },
  late: { label: ['配送太慢', 'Delivered late'] },
  missing: { label: ['少件', 'Something is missing'] },
  price: { label: ['退差价', 'Price difference'] },
  system: { label: ['系统退款', 'Refund by the system'] },
  force: { label: ['强制退款', 'Forced refund'] },
  other: { label: ['其他', 'Other'] },
} as const satisfies Readonly<Record<string, Choice>>;

/** Word of a refund reason. */
export type RefundReason = keyof typeof REFUND_REASONS;

/** Whose money goes back: settlement takes the merchant's part out of its next statement. Source: group 21, refund. */
export const LIABLE = {
  merchant: { label: ['商户', 'Merchant'] },
  platform: { label: ['平台', 'Platform'] },
} as const satisfies Readonly<Record<string, Choice>>;

const auditInput = {
  agreedCash: money(['同意退现金', 'Cash agreed'], {
    help: ['不填则按申请金额；只能调低', 'Empty: as applied for; it can only be lowered'],
  }),
  cashReason: text(['调低原因', 'Reason for lowering'], { min: 2, max: 200 }),
};

const rejectInput = {
  reason: text(['驳回原因', 'Reason for rejecting'], { required: true, min: 5, max: 200 }),
};

const REJECT: Label = ['驳回', 'Reject'];
const REJECT_CONFIRM: Label = [
  '确认驳回退款 {code}？订单恢复原状',
  'Reject refund {code}? The order is as before',
];

/** A refund of one order: money, points and coupons that go back to the buyer, from application to the channel's answer. */
export const refund = defineResource({
  name: 'refund',
  menu: 'mm_orderRefund',
  title: ['订单退款审核', 'Refund audit'],
  noun: ['退款', 'Refund'],
  purpose: [
    '审核退款申请、跟进渠道结果；同一申请由不同的人审核',
    'Audit refunds and follow the channel; nobody audits an own application',
  ],
  prefix: 'RF',
  titleField: 'code',
  sensitive: true,
  fields: {
    code: code(['退款单号', 'Refund no.'], { keyword: true, readOnly: true, width: 160 }),
    orderCode: code(['订单号', 'Order no.'], { search: 'equals', keyword: true, readOnly: true, width: 180 }),
    productName: text(['商品', 'Product'], { search: 'contains', keyword: true, readOnly: true, width: 170 }),
    customer: personName(['客户', 'Customer'], {
      search: 'equals',
      keyword: true,
      readOnly: true,
      width: 90,
    }),
    phone: phone(['电话', 'Phone'], { search: 'equals', readOnly: true, width: 130 }),
    merchant: ref('merchant', ['商户', 'Merchant'], { search: 'in', readOnly: true, width: 130 }),
    itemCount: integer(['数量', 'Quantity'], { readOnly: true, width: 70 }),
    cost: money(['退款金额', 'Amount'], { search: 'range', sortable: true, readOnly: true, width: 110 }),
    points: integer(['积分', 'Points'], { readOnly: true, width: 80 }),
    businessType: choice(['业务类型', 'Business type'], BUSINESS_TYPES, {
      search: 'in',
      readOnly: true,
      width: 100,
    }),
    applicant: text(['申请人', 'Applicant'], { readOnly: true, width: 100 }),
    appliedAt: instant(['申请时间', 'Applied'], {
      search: 'range',
      sortable: true,
      readOnly: true,
      width: 110,
    }),
    waitingMinutes: integer(['等待时长', 'Waiting'], { readOnly: true, unit: ['分钟', 'min'], width: 100 }),
    level: choice(
      ['级别', 'Level'],
      { one: { label: ['一级', 'Level 1'], code: 1 }, two: { label: ['二级', 'Level 2'], code: 2 } },
      { search: 'in', readOnly: true, width: 70 },
    ),
    centreCity: ref('centreCity', ['中心城市', 'Centre city'], { search: 'in', readOnly: true }),
    project: ref('project', ['项目', 'Project'], { search: 'in', readOnly: true, width: 140 }),
    applicantType: choice(['申请人类型', 'Applicant type'], APPLICANT_TYPES, {
      search: 'in',
      readOnly: true,
    }),
    paymentCode: code(['商户支付单号', 'Payment no.'], { search: 'equals', readOnly: true, width: 180 }),
    channelRefundNo: code(['渠道退款号', 'Channel refund no.'], {
      search: 'equals',
      readOnly: true,
      width: 190,
    }),
    paid: money(['实付', 'Paid'], { readOnly: true }),
    applyPrice: money(['申请金额', 'Applied for'], { sortable: true, readOnly: true }),
    cash: money(['退现金', 'Cash back'], { readOnly: true }),
    pointsBack: integer(['退积分', 'Points back'], { readOnly: true }),
    freightPart: money(['运费', 'Freight'], { readOnly: true }),
    fee: money(['违约金', 'Fee'], { readOnly: true }),
    way: choice(
      ['退款方式', 'Way'],
      { origin: { label: ['原路退回', 'Original way'] }, offline: { label: ['线下退款', 'Offline'] } },
      { readOnly: true },
    ),
    liable: choice(['责任方', 'Borne by'], LIABLE, { search: 'in', readOnly: true }),
    reasonCode: choice(['原因类型', 'Kind of reason'], REFUND_REASONS, { search: 'in', readOnly: true }),
    reason: text(['原因', 'Reason'], { readOnly: true, max: 500 }),
    failReason: text(['失败原因', 'Failure'], { readOnly: true, max: 500 }),
    auditor: text(['审核人', 'Auditor'], { readOnly: true }),
    auditedAt: instant(['审核时间', 'Audited'], { readOnly: true }),
    succeededAt: instant(['成功时间', 'Succeeded'], { search: 'range', readOnly: true }),
    // Filters of the sales analysis: a figure opens exactly its refunds.
    product: ref('product', ['含商品', 'With product'], { search: 'in', readOnly: true }),
    soldAt: instant(['销售日', 'Sold on'], { search: 'range', readOnly: true }),
    // Unlike the time of success it leaves out orders that never counted as sold.
    backAt: instant(['销售退款日', 'Sale refunded on'], { search: 'range', readOnly: true }),
    attempts: integer(['渠道次数', 'Attempts'], { readOnly: true }),
    notBefore: instant(['最早发送时间', 'Not sent before'], { readOnly: true }),
    hasAfterSale: boolean(['售后单', 'After-sale case'], { readOnly: true }),
    offlineWaits: boolean(['线下退款待确认', 'Offline refund to confirm'], { readOnly: true }),
    // Name and account of a customer: hidden like every personal value.
    payee: text(['线下收款人及账号', 'Paid offline to'], { mask: 'name', max: 100, readOnly: true }),
  },
  states: {
    reviewing: { label: ['退款审核中', 'Reviewing'], tone: 'warning', code: 0 },
    refunding: { label: ['退款中', 'Refunding'], tone: 'processing', code: 1 },
    succeeded: { label: ['退款成功', 'Succeeded'], tone: 'success', code: 2 },
    failed: { label: ['退款失败', 'Failed'], tone: 'error', code: 3 },
    cancelled: { label: ['退款取消', 'Cancelled'], tone: 'default', code: 4 },
  },
  list: {
    // What decides stands where it is seen without scrolling; the rest follows.
    columns: [
      'code',
      'productName',
      'cost',
      'state',
      'customer',
      'merchant',
      'appliedAt',
      'waitingMinutes',
      'itemCount',
      'points',
      'level',
      'applicant',
      'businessType',
      'orderCode',
      'phone',
    ],
    hidden: [
      'project',
      'applicantType',
      'applyPrice',
      'channelRefundNo',
      'liable',
      'auditor',
      'auditedAt',
      'succeededAt',
    ],
    filters: [
      'merchant',
      'centreCity',
      'project',
      'state',
      'businessType',
      'appliedAt',
      'cost',
      'applicantType',
      'level',
    ],
    sort: '-appliedAt',
    tabs: [
      { key: 'mine', label: ['待我审核', 'Waiting for me'], named: true },
      { key: 'reviewing', label: ['退款审核中', 'Reviewing'], filter: { state: 'reviewing' } },
      { key: 'refunding', label: ['退款中', 'Refunding'], filter: { state: 'refunding' } },
      { key: 'failed', label: ['退款失败', 'Failed'], filter: { state: 'failed' } },
      { key: 'succeeded', label: ['退款成功', 'Succeeded'], filter: { state: 'succeeded' } },
      { key: 'cancelled', label: ['退款取消', 'Cancelled'], filter: { state: 'cancelled' } },
      { key: 'all', label: ['全部', 'All'] },
    ],
    export: [...EXPORT_COLUMNS],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['退款', 'Refund'],
        fields: [
          'code',
          'state',
          'level',
          'cost',
          'points',
          'freightPart',
          'fee',
          'itemCount',
          'way',
          'liable',
          'reasonCode',
          'reason',
        ],
      },
      {
        title: ['订单与客户', 'Order and customer'],
        fields: [
          'orderCode',
          'paymentCode',
          'productName',
          'merchant',
          'project',
          'customer',
          'phone',
          'paid',
          'businessType',
        ],
      },
      {
        title: ['申请与审核', 'Application and audit'],
        fields: ['applicant', 'appliedAt', 'applyPrice', 'hasAfterSale', 'auditor', 'auditedAt'],
      },
      {
        title: ['渠道', 'Channel'],
        fields: [
          'channelRefundNo',
          'attempts',
          'notBefore',
          'succeededAt',
          'failReason',
          'offlineWaits',
          'payee',
        ],
      },
    ],
  },
  actions: {
    approve: {
      label: ['通过', 'Pass'],
      on: 'row',
      from: ['reviewing'],
      to: ['reviewing', 'refunding', 'succeeded'],
      element: 'btn_audit',
      tone: 'primary',
      confirm: [
        '确认通过退款 {code}，退现金 {cost}、积分 {points}？',
        'Pass refund {code}: {cost} in cash and {points} points?',
      ],
      input: auditInput,
    },
    approveFinance: {
      label: ['二级审核', 'Pass level 2'],
      on: 'row',
      from: ['reviewing'],
      to: ['refunding', 'succeeded'],
      element: 'btn_auditFinance',
      tone: 'primary',
      confirm: [
        '二级审核：确认退款 {code}，退现金 {cost}、积分 {points}？',
        'Level 2: pass refund {code} with {cost} in cash and {points} points?',
      ],
      input: auditInput,
    },
    bulkPass: {
      label: ['批量通过', 'Pass selected'],
      on: 'bulk',
      from: ['reviewing'],
      to: ['refunding', 'succeeded'],
      element: 'btn_audit',
      bulkMax: 50,
    },
    reject: {
      label: REJECT,
      on: 'row',
      from: ['reviewing', 'failed'],
      to: 'cancelled',
      element: 'btn_audit',
      tone: 'danger',
      confirm: REJECT_CONFIRM,
      input: rejectInput,
    },
    rejectFinance: {
      label: ['二级驳回', 'Reject at level 2'],
      on: 'row',
      from: ['reviewing'],
      to: 'cancelled',
      element: 'btn_auditFinance',
      tone: 'danger',
      confirm: REJECT_CONFIRM,
      input: rejectInput,
    },
    // 退款失败 offers one way to send it again: 重新退款, or this one to auditors without that right. Source: group 21.
    passAgain: {
      label: ['再次通过', 'Pass again'],
      on: 'row',
      from: ['failed'],
      to: ['refunding', 'succeeded'],
      element: 'btn_audit',
      tone: 'primary',
      confirm: [
        '渠道退款失败，用原渠道退款号再次发起 {code}，退现金 {cost}、积分 {points}？',
        'The channel failed: send {code} again with the same number, {cost} in cash and {points} points?',
      ],
    },
    restart: {
      label: ['重新退款', 'Restart'],
      on: 'row',
      from: ['failed'],
      to: 'refunding',
      element: 'btn_restart',
      tone: 'primary',
      confirm: [
        '用原渠道退款号重新发起 {code}，退现金 {cost}、积分 {points}？',
        'Send {code} again with the same channel number, {cost} in cash and {points} points?',
      ],
    },
    offline: {
      label: ['线下退款', 'Refund offline'],
      on: 'row',
      from: ['reviewing', 'failed'],
      element: 'btn_offline',
      confirm: [
        '登记线下退款 {cost}，由另一人确认后完成',
        'Record {cost} paid offline; another person confirms it',
      ],
      input: {
        payee: text(['收款人及账号', 'Payee and account'], { required: true, min: 2, max: 100 }),
        voucher: files(['付款凭证', 'Vouchers'], { required: true, max: 9 }),
      },
      event: ['登记线下退款', 'Offline refund recorded'],
    },
    confirmOffline: {
      label: ['确认线下退款', 'Confirm offline refund'],
      on: 'row',
      from: ['reviewing', 'failed'],
      to: 'succeeded',
      element: 'btn_offline',
      tone: 'primary',
      confirm: [
        '已核对凭证，确认 {code} 已线下退款 {cost}？',
        'The voucher is checked: {cost} of {code} were paid offline?',
      ],
    },
    withdrawOffline: {
      label: ['撤销登记', 'Withdraw the record'],
      on: 'row',
      from: ['reviewing', 'failed'],
      element: 'btn_offline',
      tone: 'danger',
      confirm: [
        '确认款项没有线下付出后再撤销；撤销后 {code} 可再次原路退款 {cost}，重复退款无法自动追回',
        'Withdraw only when nothing was paid offline: afterwards {cost} of {code} can go out by the channel again',
      ],
      input: { reason: text(['撤销原因', 'Reason'], { required: true, min: 5, max: 200 }) },
      event: ['撤销线下退款登记', 'Record of the offline refund withdrawn'],
    },
    force: {
      label: ['强制退款', 'Force refund'],
      on: 'page',
      element: 'btn_force',
      tone: 'danger',
      confirm: ['退还该订单剩余的全部金额、积分与运费', 'Refunds everything that is left of the order'],
      input: {
        orderCode: code(['订单号', 'Order no.'], { required: true }),
        reason: text(['强制退款原因', 'Reason'], { required: true, min: 5, max: 200 }),
      },
    },
  },
  // One right for both answers: named after neither.
  elements: {
    btn_audit: ['审核（通过、驳回）', 'Audit (pass, reject)'],
    btn_reason: ['查看原因', 'View reason'],
  },
});

/** A refund as it travels to the page. */
export interface Refund extends Row<typeof refund> {}
