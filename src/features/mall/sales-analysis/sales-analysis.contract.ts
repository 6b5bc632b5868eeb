import {
  choice,
  code,
  dateRange,
  instant,
  integer,
  json,
  money,
  ref,
  refs,
  text,
  treeRef,
} from '../../../kernel/contract/fields.ts';
import { defineReport } from '../../../kernel/contract/report.ts';

/**
 * What each product sold in a period: pieces, amounts, refunds. A sale counts on the day its payment succeeded
 * (group-buy: the day the team formed), a refund on its own day unless the pay-date view is chosen. Goods orders only.
 * Source: group 08, Reports and drill; group 18, definitions.
 */
export const businessAna = defineReport({
  name: 'businessAna',
  menu: 'mm_businessAna',
  title: ['商品销售分析', 'Sales analysis'],
  purpose: [
    '按支付成功日统计销售；退款默认计入退款成功当日，因此某日净额可能为负',
    'Sales by the day of payment; a refund counts on its own day, so a day may be negative',
  ],
  parameters: {
    range: dateRange(['日期', 'Dates'], { required: true }),
    project: ref('project', ['项目', 'Project'], { search: 'in' }),
    merchant: ref('merchant', ['商户', 'Merchant'], { search: 'in' }),
    business: ref('business', ['业务', 'Business'], { search: 'in' }),
    class: treeRef('productClass', ['分类', 'Class'], { search: 'in' }),
    view: choice(
      ['退款口径', 'Refund view'],
      { refundDay: { label: ['退款日', 'Refund day'] }, payDay: { label: ['支付日', 'Pay day'] } },
      { search: 'equals', placeholder: ['退款日', 'Refund day'] },
    ),
    keyword: text(['编号/名称', 'Number or name'], { search: 'contains', max: 60 }),
  },
  figures: {
    pieces: {
      label: ['销量', 'Pieces sold'],
      kind: 'integer',
      formula: [
        'Σ 支付成功的件数；团购按成团日',
        'Σ pieces of paid lines; group-buy on the day the team formed',
      ],
    },
    amount: {
      label: ['销售额', 'Sales'],
      kind: 'money',
      formula: ['Σ 成交单价 × 件数', 'Σ unit price × pieces'],
    },
    received: {
      label: ['实收', 'Received'],
      kind: 'money',
      formula: ['Σ 商品现金部分，不含运费', 'Σ cash of the lines, freight excluded'],
    },
    refunded: {
      label: ['退款', 'Refunds'],
      kind: 'money',
      formula: ['Σ 退款成功的商品现金，不含运费', 'Σ cash of succeeded refunds, freight excluded'],
    },
    netted: { label: ['净额', 'Net'], kind: 'money', formula: ['实收 − 退款', 'Received − refunds'] },
    average: {
      label: ['客单价', 'Average order'],
      kind: 'money',
      formula: ['实收 ÷ 支付订单数', 'Received ÷ paid orders'],
    },
    freight: {
      label: ['运费', 'Freight'],
      kind: 'money',
      formula: [
        'Σ 这些订单的运费，按整单计，不含在实收中',
        'Σ freight of these orders, not part of received',
      ],
    },
  },
  charts: [
    {
      key: 'business',
      title: ['业务构成', 'By business'],
      kind: 'ring',
      measures: ['qty', 'net'],
      drillFilter: 'business',
    },
    {
      key: 'class',
      title: ['分类构成', 'By class'],
      kind: 'ring',
      measures: ['qty', 'net'],
      drillFilter: 'class',
    },
    {
      key: 'project',
      title: ['项目前十', 'Top 10 projects'],
      kind: 'bar',
      measures: ['net', 'qty'],
      drillFilter: 'project',
    },
    {
      key: 'day',
      title: ['每日走势', 'By day'],
      kind: 'line',
      measures: ['paid', 'refund', 'net', 'qty'],
      drillFilter: 'range',
    },
  ],
  fields: {
    code: code(['编号', 'Number'], { sortable: true }),
    name: text(['名称', 'Name'], { sortable: true }),
    publishedAt: instant(['发布时间', 'Published at'], { sortable: true }),
    state: choice(['状态', 'Status'], {
      draft: { label: ['待发布', 'Draft'], tone: 'default' },
      reviewing: { label: ['待审核', 'In review'], tone: 'warning' },
      published: { label: ['已发布', 'Published'], tone: 'success' },
      rejected: { label: ['已驳回', 'Rejected'], tone: 'error' },
      off_shelf: { label: ['已下架', 'Off shelf'], tone: 'default' },
    }),
    classes: refs('productClass', ['分类', 'Class']),
    merchant: ref('merchant', ['商户', 'Merchant'], { sortable: true }),
    projects: refs('project', ['项目', 'Projects']),
    unitPrice: text(['单价', 'Unit price'], { width: 150, numeric: true }),
    qty: integer(['销量', 'Pieces sold'], { sortable: true, width: 110 }),
    returned: integer(['退货量', 'Pieces returned'], { sortable: true, width: 136 }),
    goods: money(['销售额', 'Sales'], { sortable: true }),
    paid: money(['实收', 'Received'], { sortable: true }),
    refund: money(['退款', 'Refunds'], { sortable: true }),
    net: money(['净额', 'Net'], { sortable: true }),
    /** Filters of the screens a figure opens, by column. */
    drill: json(['下钻条件', 'Drill']),
  },
  columns: [
    // What was sold stands where it is seen without scrolling; what the product is follows.
    'code',
    'name',
    'qty',
    'goods',
    'paid',
    'refund',
    'net',
    'returned',
    'unitPrice',
    'classes',
    'merchant',
    'state',
    'projects',
    'publishedAt',
  ],
  sort: '-net',
  drills: [
    { column: 'qty', menu: 'mm_businessOrder_wx' },
    { column: 'goods', menu: 'mm_businessOrder_wx' },
    { column: 'paid', menu: 'mm_businessOrder_wx' },
    { column: 'returned', menu: 'mm_orderRefund' },
    { column: 'refund', menu: 'mm_orderRefund' },
  ],
  maxDays: 60,
  export: true,
});
