import {
  boolean,
  choice,
  code,
  date,
  decimal,
  file,
  instant,
  integer,
  longText,
  money,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part, type Resource, type Row } from '../../../kernel/contract/resource.ts';
import { INCENTIVE_STATES } from '../butler-choices.rules.ts';

export const BATCH_MENU = 'butler_incentiveDistribution';
const seen = { readOnly: true } as const;

/** A butler's terms of a batch; what is paid is never below nothing, the rest is carried on. */
export const incentiveBatchLine = defineResource({
  name: 'incentiveBatchLine',
  menu: BATCH_MENU,
  title: ['管家明细', 'By butler'],
  noun: ['明细', 'Line'],
  titleField: 'butler',
  fields: {
    batch: ref('incentiveBatch', ['批次', 'Batch'], { search: 'in', width: 150 }),
    staffNo: text(['工号', 'Staff no.'], { width: 100 }),
    butler: ref('butler', ['管家', 'Butler'], { search: 'in', width: 100 }),
    month: text(['月份', 'Month'], { width: 80 }),
    valid: money(['有效金额', 'Valid'], { width: 110 }),
    score: decimal(['考核分', 'Score'], { width: 80 }),
    coefficient: integer(['系数', 'Coefficient'], { width: 96, unit: ['‱', 'bp'] }),
    sale: money(['激励', 'Sales'], { width: 100 }),
    bonus: money(['阶梯奖', 'Bonus'], { width: 96 }),
    clawback: money(['追回', 'Clawback'], { width: 96 }),
    capCut: money(['封顶扣减', 'Cap'], { width: 100 }),
    manual: money(['手工', 'By hand'], { width: 90 }),
    carryIn: money(['上期结转', 'Carried in'], { width: 100 }),
    gross: money(['应计', 'Gross'], { width: 100 }),
    net: money(['应发', 'Net'], { sortable: true, width: 100 }),
    carryOut: money(['结转下期', 'Carried on'], { width: 100 }),
    left: boolean(['已离岗', 'Has left'], { width: 80 }),
  },
  list: {
    columns: [
      'butler',
      'net',
      'sale',
      'bonus',
      'clawback',
      'capCut',
      'manual',
      'carryIn',
      'carryOut',
      'valid',
      'score',
      'coefficient',
      'left',
      'staffNo',
      'batch',
    ],
    filters: ['batch', 'butler'],
    sort: '-net',
    link: 'butler',
    sums: ['sale', 'bonus', 'clawback', 'capCut', 'manual', 'carryIn', 'net'],
    export: ['staffNo', 'butler', 'month', 'gross', 'clawback', 'net', 'carryOut', 'left'],
    empty: ['批次里没有管家', 'No butler in the batch'],
  },
});

/** A row of what butlers earn: a sale, a bonus, what is taken back. */
export const butlerIncentive = defineResource({
  name: 'butlerIncentive',
  menu: BATCH_MENU,
  title: ['待发放明细', 'Rows'],
  noun: ['激励', 'Incentive'],
  titleField: 'order',
  fields: {
    order: code(['订单号', 'Order'], { width: 190 }),
    product: text(['商品', 'Goods'], { width: 170 }),
    butler: ref('butler', ['管家', 'Butler'], { search: 'in', width: 100 }),
    project: ref('project', ['项目', 'Project'], { search: 'in', width: 130 }),
    kind: choice(
      ['类型', 'Kind'],
      {
        sale: { label: ['成交', 'Sale'], tone: 'processing' },
        tier_bonus: { label: ['阶梯奖', 'Bonus'], tone: 'success' },
        clawback: { label: ['追回', 'Clawback'], tone: 'error' },
        cap_cut: { label: ['封顶扣减', 'Cap'], tone: 'warning' },
        manual: { label: ['手工', 'By hand'], tone: 'default' },
      },
      { search: 'in', width: 100 },
    ),
    amount: money(['金额', 'Amount'], { width: 100 }),
    status: choice(['状态', 'State'], INCENTIVE_STATES, { search: 'in', width: 100 }),
    payableAt: instant(['可发放时间', 'Payable since'], { sortable: true, width: 160 }),
    batch: ref('incentiveBatch', ['批次', 'Batch'], { search: 'in', width: 150 }),
    reason: text(['原因', 'Reason'], { width: 160 }),
  },
  list: {
    columns: [
      'order',
      'product',
      'butler',
      'kind',
      'amount',
      'status',
      'payableAt',
      'batch',
      'project',
      'reason',
    ],
    filters: ['butler', 'project', 'kind', 'status', 'batch'],
    sort: '-payableAt',
    link: 'order',
    sums: ['amount'],
    tabs: [
      { key: 'payable', label: ['待发放', 'Payable'], filter: { status: 'payable' } },
      { key: 'clawbacks', label: ['追回', 'Clawbacks'], filter: { kind: 'clawback' } },
      { key: 'all', label: ['全部', 'All'] },
    ],
    export: true,
    empty: ['没有激励明细', 'There are no rows'],
  },
});

/** A month's incentives of the butlers of a centre city, from the maker to the payer. */
export const incentiveBatch = defineResource({
  name: 'incentiveBatch',
  menu: BATCH_MENU,
  title: ['激励发放', 'Incentive payment'],
  noun: ['发放批次', 'Batch'],
  purpose: [
    '每月每个中心城市一个批次；制单人不能审批也不能确认发放；应发为负的结转下期',
    'One batch a month and city; its maker neither approves nor pays; what is below nothing is carried on',
  ],
  titleField: 'code',
  prefix: 'IB',
  sensitive: true,
  stamps: true,
  states: {
    draft: { label: ['待提交', 'Draft'], tone: 'default' },
    in_review: { label: ['待审核', 'In review'], tone: 'warning' },
    rejected: { label: ['已驳回', 'Rejected'], tone: 'error' },
    approved: { label: ['待发放', 'To pay'], tone: 'processing' },
    paid: { label: ['已发放', 'Paid'], tone: 'success' },
    void: { label: ['已作废', 'Void'], tone: 'paused' },
  },
  fields: {
    code: code(['批次号', 'Batch'], { ...seen, keyword: true, width: 170 }),
    month: text(['月份', 'Month'], {
      required: true,
      createOnly: true,
      max: 7,
      search: 'equals',
      sortable: true,
      width: 90,
    }),
    centre: ref('centreCity', ['中心城市', 'Centre city'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 120,
    }),
    butlers: integer(['管家数', 'Butlers'], { ...seen, width: 84 }),
    sale: money(['激励', 'Sales'], { ...seen, width: 106 }),
    bonus: money(['阶梯奖', 'Bonus'], { ...seen, width: 100 }),
    clawback: money(['追回', 'Clawback'], { ...seen, width: 100 }),
    capCut: money(['封顶扣减', 'Cap'], { ...seen, width: 100 }),
    manual: money(['手工', 'By hand'], { ...seen, width: 96 }),
    carryIn: money(['上期结转', 'Carried in'], { ...seen, width: 106 }),
    net: money(['应发', 'Net'], { ...seen, width: 106 }),
    maker: ref('staff', ['制单人', 'Maker'], { ...seen, width: 96 }),
    payer: ref('staff', ['发放人', 'Payer'], { ...seen, width: 96 }),
    paidOn: date(['发放日期', 'Paid on'], { ...seen, width: 110 }),
    proof: file(['发放凭证', 'Proof'], { ...seen, width: 120 }),
    voidReason: text(['作废原因', 'Why void'], { ...seen }),
  },
  list: {
    columns: [
      'code',
      'month',
      'centre',
      'state',
      'butlers',
      'net',
      'sale',
      'bonus',
      'clawback',
      'capCut',
      'carryIn',
      'maker',
      'payer',
      'paidOn',
      'createdAt',
    ],
    filters: ['centre', 'month', 'state'],
    sort: '-createdAt',
    link: 'code',
    sums: ['net'],
    export: true,
    empty: ['还没有发放批次', 'No batch yet'],
  },
  form: {
    width: 640,
    sections: [{ title: ['批次', 'Batch'], fields: ['centre', 'month'] }],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['批次', 'Batch'],
        fields: [
          'code',
          'month',
          'centre',
          'state',
          'butlers',
          'sale',
          'bonus',
          'clawback',
          'capCut',
          'manual',
          'carryIn',
          'net',
        ],
      },
      {
        title: ['经手', 'People'],
        fields: ['maker', 'payer', 'paidOn', 'proof', 'voidReason', 'createdAt', 'updatedAt'],
      },
    ],
    parts: [
      part({
        key: 'lines',
        title: incentiveBatchLine.title,
        resource: incentiveBatchLine as unknown as Resource,
        by: 'batch',
      }),
      part({
        key: 'rows',
        title: ['激励明细', 'Rows'],
        resource: butlerIncentive as unknown as Resource,
        by: 'batch',
      }),
    ],
  },
  actions: {
    create: {
      on: 'page',
      label: ['制作批次', 'Make a batch'],
      element: 'btn_create',
      tone: 'primary',
      to: 'draft',
      // eslint-disable-next-line unicorn/no-thenable
      then: 'open',
    },
    submit: {
      on: 'row',
      label: ['提交', 'Submit'],
      element: 'btn_submit',
      tone: 'primary',
      from: ['draft', 'rejected'],
      to: 'in_review',
      confirm: ['提交批次 {code}，应发 {net}？', 'Submit {code}, {net} to pay?'],
    },
    withdraw: {
      on: 'row',
      label: ['撤回', 'Withdraw'],
      element: 'btn_submit',
      from: ['in_review'],
      to: 'draft',
    },
    approve: {
      on: 'row',
      label: ['通过', 'Approve'],
      element: 'btn_approve',
      tone: 'primary',
      from: ['in_review'],
      to: ['approved', 'in_review'],
      input: { opinion: longText(['意见', 'Opinion'], { max: 200 }) },
    },
    reject: {
      on: 'row',
      label: ['驳回', 'Reject'],
      element: 'btn_approve',
      tone: 'danger',
      from: ['in_review'],
      to: ['rejected', 'in_review'],
      input: { opinion: longText(['驳回原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
    manual: {
      on: 'row',
      label: ['手工调整', 'Adjust'],
      element: 'btn_manual',
      from: ['draft', 'rejected'],
      to: 'draft',
      input: {
        butler: ref('butler', ['管家', 'Butler'], { required: true }),
        amount: money(['金额', 'Amount'], {
          required: true,
          min: -500_000,
          max: 500_000,
          help: ['可为负，绝对值不超过 5000.00', 'May be negative, at most 5,000.00 either way'],
        }),
        reason: text(['原因', 'Reason'], { required: true, max: 200 }),
        evidence: file(['凭据', 'Evidence'], { required: true }),
      },
    },
    pay: {
      on: 'row',
      label: ['确认发放', 'Confirm payment'],
      element: 'btn_pay',
      tone: 'primary',
      from: ['approved'],
      to: 'paid',
      input: {
        paidOn: date(['发放日期', 'Paid on'], { required: true }),
        proof: file(['发放凭证', 'Proof'], { required: true }),
      },
    },
    void: {
      on: 'row',
      label: ['作废', 'Void'],
      element: 'btn_void',
      tone: 'danger',
      from: ['draft', 'rejected', 'approved'],
      to: 'void',
      confirm: ['作废后明细可再次制单。', 'Its rows can be in another batch again.'],
      input: { reason: text(['原因', 'Reason'], { required: true, max: 200 }) },
    },
  },
});

export interface IncentiveBatch extends Row<typeof incentiveBatch> {}

/** What a batch of a month and city would hold; writes nothing. */
export interface BatchPreview {
  readonly problem: readonly [zh: string, en: string] | null;
  readonly butlers: number;
  readonly sale: string;
  readonly bonus: string;
  readonly clawback: string;
  readonly capCut: string;
  readonly carryIn: string;
  readonly rewards: string;
  readonly net: string;
}
