import {
  choice,
  code,
  dateRange,
  instant,
  integer,
  json,
  money,
  percent,
  personName,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineReport } from '../../../kernel/contract/report.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';
import { ORDER_STATE_SPECS, REFUND_STATUS_SPECS } from '../goods-order/order-words.rules.ts';

const KINDS = {
  goods: { label: ['商品', 'Goods'] },
  service: { label: ['服务', 'Services'] },
} as const;

/** The figures whose orders can be listed. */
export const COUNT_FIGURES = {
  created: { label: ['下单', 'Placed'] },
  paid: { label: ['支付', 'Paid'] },
  closed: { label: ['关闭', 'Closed'] },
  refunds: { label: ['有退款', 'With refunds'] },
  completed: { label: ['完成', 'Completed'] },
} as const;
export type CountFigure = keyof typeof COUNT_FIGURES;

/**
 * Orders by merchant and project: every figure counts orders placed in the days, so that the paid of them divided by the
 * placed is a rate of the same orders. Source: group 08, mm_numberOrders; Reports and drill.
 */
export const orderCount = defineReport({
  name: 'orderCount',
  menu: 'mm_numberOrders',
  title: ['订单数统计', 'Order counts'],
  purpose: [
    '各列都统计所选日期内下的订单，因此支付率是同一批订单的支付率',
    'Every column counts the orders placed in the days, so the rate is that of the same orders',
  ],
  parameters: {
    range: dateRange(['下单日期', 'Placed'], { required: true }),
    merchant: ref('merchant', ['商户', 'Merchant'], { search: 'in' }),
    project: ref('project', ['项目', 'Project'], { search: 'in' }),
    kind: choice(['类型', 'Kind'], KINDS, { search: 'in' }),
    grain: choice(
      ['粒度', 'Granularity'],
      { day: { label: ['日', 'Day'] }, week: { label: ['周', 'Week'] }, month: { label: ['月', 'Month'] } },
      { search: 'equals', placeholder: ['日', 'Day'] },
    ),
  },
  figures: {
    placed: {
      label: ['下单数', 'Orders placed'],
      kind: 'integer',
      formula: ['下单日在范围内的订单', 'Orders placed in the days'],
    },
    settled: {
      label: ['支付数', 'Orders paid'],
      kind: 'integer',
      formula: ['其中已支付的订单', 'Those of them that were paid'],
    },
    rate: { label: ['支付率', 'Paid rate'], kind: 'percent', formula: ['支付数 ÷ 下单数', 'Paid ÷ placed'] },
    income: {
      label: ['实收', 'Received'],
      kind: 'money',
      formula: [
        'Σ 已支付订单的商品现金部分，不含运费',
        'Σ cash of the goods of paid orders, freight excluded',
      ],
    },
  },
  charts: [
    {
      key: 'time',
      title: ['走势', 'Over time'],
      kind: 'line',
      measures: ['created', 'paid', 'completed', 'closed'],
    },
    {
      key: 'merchant',
      title: ['商户前十', 'Top 10 merchants'],
      kind: 'bar',
      measures: ['created', 'paid', 'received'],
      drillFilter: 'merchant',
    },
    {
      key: 'project',
      title: ['项目前十', 'Top 10 projects'],
      kind: 'bar',
      measures: ['created', 'paid', 'received'],
      drillFilter: 'project',
    },
  ],
  fields: {
    merchant: ref('merchant', ['商户', 'Merchant'], { sortable: true }),
    project: ref('project', ['项目', 'Project'], { sortable: true }),
    created: integer(['下单数', 'Placed'], { sortable: true, width: 110 }),
    paid: integer(['支付数', 'Paid'], { sortable: true, width: 110 }),
    rate: percent(['支付率', 'Paid rate'], { sortable: true, width: 110 }),
    closed: integer(['关闭数', 'Closed'], { sortable: true, width: 110 }),
    refunds: integer(['退款单数', 'With refunds'], {
      sortable: true,
      width: 120,
      help: ['有退款申请（取消的除外）的订单', 'Orders with a refund that was not cancelled'],
    }),
    completed: integer(['完成数', 'Completed'], { sortable: true, width: 110 }),
    received: money(['实收', 'Received'], { sortable: true }),
    /** The page of the merchant's orders with the filters of a figure, by column. */
    drill: json(['下钻条件', 'Drill']),
  },
  columns: ['merchant', 'project', 'created', 'paid', 'rate', 'closed', 'refunds', 'completed', 'received'],
  sort: '-created',
  drills: ['created', 'paid', 'closed', 'refunds', 'completed', 'received'].map((column) => ({
    column,
    menu: 'numberOrdersDeatials',
  })),
  maxDays: 366,
  export: true,
});

const seen = { readOnly: true } as const;

/** The orders behind a figure of the report, of one merchant. */
export const countedOrder = defineResource({
  name: 'countedOrder',
  menu: 'mm_numberOrders',
  title: ['订单数明细', 'Order count detail'],
  purpose: ['所点数字对应的订单', 'Exactly the orders of the figure that was clicked'],
  fields: {
    code: code(['订单号', 'Order no.'], { ...seen, keyword: true, sortable: true, width: 166 }),
    title: text(['标题', 'Title'], { ...seen, keyword: true }),
    kind: choice(['类型', 'Kind'], KINDS, { ...seen, search: 'in', width: 90 }),
    merchant: ref('merchant', ['商户', 'Merchant'], { ...seen, search: 'in' }),
    project: ref('project', ['项目', 'Project'], { ...seen, search: 'in' }),
    contactName: personName(['客户', 'Customer'], seen),
    payable: money(['应付', 'Payable'], { ...seen, sortable: true }),
    received: money(['实收', 'Received'], {
      ...seen,
      help: ['已支付订单的商品现金部分，不含运费', 'Cash of the goods of a paid order, freight excluded'],
    }),
    refundStatus: choice(['退款状态', 'Refund status'], REFUND_STATUS_SPECS, { ...seen, search: 'in' }),
    createdAt: instant(['下单时间', 'Placed at'], { ...seen, sortable: true, search: 'range' }),
    paidAt: instant(['支付时间', 'Paid at'], { ...seen, sortable: true }),
    figure: choice(['统计项', 'Figure'], COUNT_FIGURES, { ...seen, search: 'in' }),
  },
  states: {
    ...ORDER_STATE_SPECS,
    to_accept: { label: ['待受理', 'To accept'], tone: 'warning' },
    to_visit: { label: ['待上门', 'To visit'], tone: 'warning' },
  },
  titleField: 'code',
  sensitive: true,
  list: {
    columns: [
      'code',
      'title',
      'kind',
      'merchant',
      'project',
      'contactName',
      'payable',
      'received',
      'state',
      'refundStatus',
      'createdAt',
      'paidAt',
    ],
    filters: ['figure', 'createdAt', 'merchant', 'project', 'kind', 'state', 'refundStatus'],
    sort: '-createdAt',
    export: true,
  },
});
