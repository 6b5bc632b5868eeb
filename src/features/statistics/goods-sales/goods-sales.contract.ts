import {
  boolean,
  choice,
  code,
  dateRange,
  instant,
  integer,
  json,
  money,
  percent,
  ref,
  text,
  treeRef,
} from '../../../kernel/contract/fields.ts';
import { defineReport } from '../../../kernel/contract/report.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';
import { daysBetween } from '../../../kernel/contract/time.rules.ts';
import { ORDER_SOURCES, ORDER_TYPES } from '../../mall/goods-order/order-words.rules.ts';

const MENU = 'sa_goodsSale';

/** Steps of the line over time, each with the days a range may have. */
export const GRAINS = {
  day: { label: ['日', 'Day'] },
  week: { label: ['周', 'Week'] },
  month: { label: ['月', 'Month'] },
} as const;
export type Grain = keyof typeof GRAINS;
const LONGEST: Readonly<Record<Grain, number>> = { day: 60, week: 366, month: 36 * 31 };

/** What a row of the table is. */
export const SALE_GROUPS = {
  product: { label: ['商品', 'Product'] },
  spec: { label: ['规格', 'Specification'] },
  class: { label: ['分类', 'Class'] },
  business: { label: ['业务', 'Business'] },
  merchant: { label: ['商户', 'Merchant'] },
  project: { label: ['项目', 'Project'] },
  day: { label: ['日期', 'Day'] },
} as const;
export type SaleGroup = keyof typeof SALE_GROUPS;

const VIEWS = {
  refundDay: { label: ['退款日口径', 'By day of refund'] },
  payDay: { label: ['支付日口径', 'By day of payment'] },
} as const;
const MERCHANT_KINDS = {
  self: { label: ['自营', 'Self-operated'] },
  resident: { label: ['入驻', 'Resident'] },
} as const;
const PROMOTIONS = {
  coupon: { label: ['优惠券', 'Coupon'] },
  seckill: { label: ['秒杀', 'Seckill'] },
  group: { label: ['团购', 'Group-buy'] },
} as const;

const INCOME: readonly [string, string] = [
  '入驻商户留存佣金；自营商品未登记成本，不计入',
  'Commission kept of resident merchants; goods the platform sells itself have no cost on record and do not count',
];

const CONVERSION: readonly [string, string] = ['支付人数 ÷ 访客', 'Buyers ÷ visitors'];

/** What was sold, came back and was earned, by any side of a sale. Source: group 18, sa_goodsSale; Definitions. */
export const goodsSale = defineReport({
  name: 'goodsSale',
  menu: MENU,
  title: ['商品销售统计', 'Goods sales'],
  purpose: [
    '按支付成功日统计，团购按成团日；退款按所选口径；点击数字查看对应订单行或退款',
    'By the day of payment, group-buy by the day the team formed; refunds as chosen. A click on a figure opens exactly its lines or refunds',
  ],
  parameters: {
    range: dateRange(['日期', 'Dates'], { required: true }),
    group: choice(['汇总', 'Rows'], SALE_GROUPS, { search: 'equals', placeholder: ['商品', 'Product'] }),
    view: choice(['退款口径', 'Refunds'], VIEWS, {
      search: 'equals',
      placeholder: ['退款日口径', 'By day of refund'],
    }),
    compare: choice(
      ['对比', 'Compared with'],
      {
        none: { label: ['不对比', 'Nothing'] },
        previous: { label: ['环比', 'Period before'] },
        year: { label: ['同比', 'Year before'] },
      },
      { search: 'equals', placeholder: ['环比', 'Period before'] },
    ),
    grain: choice(['粒度', 'Granularity'], GRAINS, { search: 'equals', placeholder: ['日', 'Day'] }),
    project: ref('project', ['项目', 'Project'], { search: 'in' }),
    merchant: ref('merchant', ['商户', 'Merchant'], { search: 'in' }),
    merchantKind: choice(['商户类型', 'Kind of merchant'], MERCHANT_KINDS, { search: 'in' }),
    business: ref('business', ['业务', 'Business'], { search: 'in' }),
    class: treeRef('productClass', ['分类', 'Class'], { search: 'in' }),
    product: ref('product', ['商品', 'Product'], { search: 'in' }),
    type: choice(['订单类型', 'Order type'], ORDER_TYPES, { search: 'in' }),
    source: choice(['下单来源', 'Source'], ORDER_SOURCES, { search: 'in' }),
    promotion: choice(['促销', 'Promotion'], PROMOTIONS, { search: 'in' }),
    keyword: text(['编码/名称', 'Code or name'], { search: 'contains', max: 60 }),
  },
  rangeRule: (from, to, parameters) => {
    const grain = (Object.hasOwn(LONGEST, parameters.grain ?? '') ? parameters.grain : 'day') as Grain;
    if (daysBetween(from, to) <= LONGEST[grain]) return undefined;
    return grain === 'month'
      ? ['日期范围不能超过36个月', 'The range must not be longer than 36 months']
      : [`日期范围不能超过${LONGEST[grain]}天`, `The range must not be longer than ${LONGEST[grain]} days`];
  },
  figures: {
    paid: {
      label: ['支付金额', 'Paid'],
      kind: 'money',
      formula: ['Σ 订单行现金，不含运费', 'Σ cash of the lines, freight excluded'],
    },
    net: { label: ['净额', 'Net'], kind: 'money', formula: ['支付金额 − 退款金额', 'Paid − refunds'] },
    pieces: { label: ['支付件数', 'Pieces'], kind: 'integer', formula: ['Σ 件数', 'Σ pieces'] },
    orders: {
      label: ['支付订单', 'Paid orders'],
      kind: 'integer',
      formula: ['去重的支付订单', 'Distinct paid orders'],
    },
    buyers: {
      label: ['支付人数', 'Buyers'],
      kind: 'integer',
      formula: ['去重的支付会员', 'Distinct members who paid'],
    },
    visitors: {
      label: ['访客', 'Visitors'],
      kind: 'integer',
      formula: ['期间去重的浏览者，不按天相加', 'Distinct visitors of the range, days are not added'],
    },
    conversion: {
      label: ['转化率', 'Conversion'],
      kind: 'percent',
      formula: CONVERSION,
    },
    backRate: {
      label: ['退款率', 'Refund rate'],
      kind: 'percent',
      formula: [
        '退款件数 ÷ 支付件数，始终按支付日口径',
        'Refunded ÷ paid pieces, always by the day of payment',
      ],
    },
    average: {
      label: ['客单价', 'Average order'],
      kind: 'money',
      formula: ['支付金额 ÷ 支付订单', 'Paid ÷ paid orders'],
    },
    income: { label: ['平台收入', 'Platform income'], kind: 'money', formula: INCOME },
  },
  charts: [
    {
      key: 'funnel',
      title: ['访客到支付', 'From visitors to buyers'],
      kind: 'bar',
      measures: ['people'],
    },
    {
      key: 'time',
      title: ['走势', 'Over time'],
      kind: 'line',
      measures: ['paid', 'net', 'pieces'],
      drillFilter: 'range',
    },
    { key: 'class', title: ['分类构成', 'By class'], kind: 'ring', measures: ['paid'], drillFilter: 'class' },
    {
      key: 'top',
      title: ['商品前二十', 'Top 20 products'],
      kind: 'bar',
      measures: ['paid', 'pieces', 'net'],
      drillFilter: 'product',
    },
  ],
  fields: {
    rank: integer(['排名', 'Rank'], { sortable: true, width: 80 }),
    code: text(['编码', 'Code'], { sortable: true, width: 170 }),
    name: text(['名称', 'Name'], { sortable: true, width: 190 }),
    merchant: text(['商户', 'Merchant'], { sortable: true, width: 150 }),
    business: text(['业务', 'Business'], { sortable: true, width: 110 }),
    className: text(['分类', 'Class'], { sortable: true, width: 120 }),
    people: integer(['人数', 'People']),
    views: integer(['浏览', 'Views'], { sortable: true, width: 90 }),
    visitors: integer(['访客', 'Visitors'], {
      sortable: true,
      width: 100,
      help: ['去重的浏览者；合计不是各行之和', 'Distinct visitors: the total is not the sum of its rows'],
    }),
    carters: integer(['加购人数', 'Put into carts by'], { sortable: true, width: 120 }),
    conversion: percent(['转化率', 'Conversion'], {
      scale: 1,
      sortable: true,
      width: 110,
      help: CONVERSION,
    }),
    buyers: integer(['支付人数', 'Buyers'], { sortable: true, width: 110 }),
    orders: integer(['订单数', 'Orders'], { sortable: true, width: 100 }),
    pieces: integer(['支付件数', 'Pieces'], { sortable: true, width: 110 }),
    goods: money(['商品原额', 'List'], { sortable: true }),
    discount: money(['优惠', 'Discounts'], {
      sortable: true,
      help: [
        '商品原额 − 支付金额：平台、商户、积分与金币承担之和',
        'List − paid: what platform, merchant, points and coins bore',
      ],
    }),
    paid: money(['支付金额', 'Paid'], { sortable: true }),
    returned: integer(['退款件数', 'Pieces back'], { sortable: true, width: 120 }),
    refund: money(['退款金额', 'Refunds'], { sortable: true }),
    net: money(['净额', 'Net'], { sortable: true }),
    backRate: percent(['退款率', 'Refund rate'], {
      scale: 1,
      sortable: true,
      width: 110,
      help: ['始终按支付日口径', 'Always by the day of payment'],
    }),
    income: money(['平台收入', 'Platform income'], { sortable: true, help: INCOME }),
    margin: percent(['毛利率', 'Margin'], {
      scale: 1,
      sortable: true,
      width: 110,
      help: ['平台收入 ÷ 有收入的行的毛额', 'Platform income ÷ gross of the lines that have it'],
    }),
    uncosted: percent(['无成本占比', 'Without cost'], {
      scale: 1,
      sortable: true,
      width: 120,
      help: ['没有成本、不计平台收入的支付金额占比', 'Share of paid that has no cost and so no income'],
    }),
    change: percent(['变化', 'Change'], {
      scale: 1,
      sortable: true,
      width: 110,
      help: [
        '支付金额与对比期相比；对比期为 0 则空',
        'Paid against the period compared with; empty where that is 0',
      ],
    }),
    /** Filters of the rows behind a figure, by column. */
    drill: json(['下钻条件', 'Drill']),
  },
  columns: [
    'rank',
    'code',
    'name',
    'views',
    'visitors',
    'carters',
    'paid',
    'net',
    'pieces',
    'orders',
    'buyers',
    'conversion',
    'goods',
    'discount',
    'returned',
    'refund',
    'backRate',
    'change',
    'income',
    'margin',
    'uncosted',
    'merchant',
    'business',
    'className',
  ],
  sort: 'rank',
  export: true,
  exportSums: true,
});

const seen = { readOnly: true } as const;
const filterable = {
  project: ref('project', ['项目', 'Project'], { ...seen, search: 'in', width: 140 }),
  merchant: ref('merchant', ['商户', 'Merchant'], { ...seen, search: 'in', width: 150 }),
  merchantKind: choice(['商户类型', 'Kind of merchant'], MERCHANT_KINDS, { ...seen, search: 'in' }),
  business: ref('business', ['业务', 'Business'], { ...seen, search: 'in' }),
  class: treeRef('productClass', ['分类', 'Class'], { ...seen, search: 'in' }),
  ownClass: text(['分类本级', 'Class itself'], { ...seen, search: 'equals', max: 15 }),
  product: ref('product', ['商品', 'Product'], { ...seen, search: 'in', width: 190 }),
  spec: text(['规格编号', 'Specification id'], { ...seen, search: 'equals', max: 15 }),
  type: choice(['订单类型', 'Order type'], ORDER_TYPES, { ...seen, search: 'in', width: 100 }),
  source: choice(['下单来源', 'Source'], ORDER_SOURCES, { ...seen, search: 'in' }),
  promotion: choice(['促销', 'Promotion'], PROMOTIONS, { ...seen, search: 'in' }),
} as const;
const FILTERS = [
  'project',
  'merchant',
  'merchantKind',
  'business',
  'class',
  'ownClass',
  'product',
  'spec',
  'type',
  'source',
  'promotion',
] as const;

/** An order line behind a figure. */
export const soldLine = defineResource({
  name: 'soldLine',
  menu: MENU,
  title: ['销售明细', 'Lines sold'],
  noun: ['订单行', 'Line'],
  titleField: 'order',
  fields: {
    order: code(['订单号', 'Order no.'], { ...seen, keyword: true, width: 180 }),
    soldAt: instant(['计入时间', 'Counted at'], {
      ...seen,
      sortable: true,
      search: 'range',
      width: 150,
      help: ['支付成功；团购为成团', 'Payment; of group-buy the forming of the team'],
    }),
    productName: text(['商品', 'Product'], { ...seen, keyword: true, width: 180 }),
    specName: text(['规格', 'Specification'], { ...seen, width: 120 }),
    pieces: integer(['件数', 'Pieces'], { ...seen, width: 80 }),
    goods: money(['商品原额', 'List'], seen),
    platformOff: money(['平台优惠', 'By the platform'], seen),
    merchantOff: money(['商户优惠', 'By the merchant'], seen),
    pointsOff: money(['积分抵扣', 'By points'], seen),
    coinsOff: money(['金币抵扣', 'By coins'], seen),
    manualOff: money(['改价', 'By hand'], seen),
    paid: money(['支付金额', 'Paid'], seen),
    ...filterable,
  },
  list: {
    columns: [
      'order',
      'soldAt',
      'productName',
      'specName',
      'pieces',
      'goods',
      'platformOff',
      'merchantOff',
      'pointsOff',
      'coinsOff',
      'manualOff',
      'paid',
      'type',
      'merchant',
      'project',
    ],
    filters: ['soldAt', ...FILTERS],
    sort: '-soldAt',
    sums: ['pieces', 'goods', 'paid'],
    export: true,
    empty: ['没有销售明细', 'There are no lines'],
  },
});

/** A refund of a line behind a figure. */
export const soldRefund = defineResource({
  name: 'soldRefund',
  menu: MENU,
  title: ['退款明细', 'Refunds'],
  noun: ['退款行', 'Refund'],
  titleField: 'refund',
  fields: {
    refund: code(['退款单号', 'Refund no.'], { ...seen, keyword: true, width: 180 }),
    order: code(['订单号', 'Order no.'], { ...seen, keyword: true, width: 180 }),
    backAt: instant(['退款时间', 'Refunded at'], { ...seen, sortable: true, search: 'range', width: 150 }),
    bookedAt: instant(['支付日口径计入', 'Counted at, by payment'], {
      ...seen,
      sortable: true,
      search: 'range',
      width: 160,
    }),
    productName: text(['商品', 'Product'], { ...seen, keyword: true, width: 180 }),
    pieces: integer(['件数', 'Pieces'], { ...seen, width: 80 }),
    refunded: money(['退款金额', 'Refunded'], seen),
    correction: boolean(['更正', 'Correction'], { ...seen, search: 'equals', width: 80 }),
    originMonth: text(['原月份', 'Of month'], { ...seen, width: 100 }),
    ...filterable,
  },
  list: {
    columns: [
      'refund',
      'order',
      'backAt',
      'bookedAt',
      'productName',
      'pieces',
      'refunded',
      'correction',
      'originMonth',
      'type',
      'merchant',
      'project',
    ],
    filters: ['backAt', 'bookedAt', 'correction', ...FILTERS],
    sort: '-backAt',
    sums: ['pieces', 'refunded'],
    export: true,
    empty: ['没有退款', 'There are no refunds'],
  },
});

/** Looks at goods, and goods put into a cart or shared. */
export const VISIT_KINDS = {
  view: { label: ['浏览', 'View'], code: 1 },
  cart: { label: ['加购', 'Cart'], code: 2 },
  share: { label: ['分享', 'Share'], code: 3 },
} as const;

const VISIT_FILTERS = [
  'project',
  'merchant',
  'merchantKind',
  'business',
  'class',
  'ownClass',
  'product',
] as const;

/** A look at goods behind a figure. */
export const goodsVisit = defineResource({
  name: 'goodsVisit',
  menu: MENU,
  title: ['访问明细', 'Visits'],
  noun: ['访问', 'Visit'],
  titleField: 'visitor',
  fields: {
    at: instant(['时间', 'At'], { ...seen, sortable: true, search: 'range', width: 150 }),
    kind: choice(['类型', 'Kind'], VISIT_KINDS, { ...seen, search: 'in', width: 90 }),
    visitor: code(['访客', 'Visitor'], {
      ...seen,
      width: 110,
      help: ['不含个人信息', 'Without personal data'],
    }),
    productName: text(['商品', 'Product'], { ...seen, keyword: true, width: 190 }),
    project: filterable.project,
    merchant: filterable.merchant,
    merchantKind: filterable.merchantKind,
    business: filterable.business,
    class: filterable.class,
    ownClass: filterable.ownClass,
    product: filterable.product,
  },
  list: {
    columns: ['at', 'kind', 'visitor', 'productName', 'merchant', 'project'],
    filters: ['at', 'kind', ...VISIT_FILTERS],
    sort: '-at',
    export: true,
    empty: ['没有访问', 'There are no visits'],
  },
});
