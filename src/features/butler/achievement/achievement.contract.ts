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
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { INCENTIVE_STATES, RULES, WAYS } from '../butler-choices.rules.ts';

const MENU = 'butler_achievement';
/** Route of the lines. */
export const LINES_MENU = 'butlerAchievementDeatils';

/** Results of butlers in a period; each figure opens its lines. */
export const butlerAchievement = defineReport({
  name: 'butlerAchievement',
  menu: MENU,
  title: ['管家业绩', 'Butler results'],
  purpose: [
    '有效金额 = 商品现金实付 − 退款，不含运费、优惠券与积分；转化率 = 分享成交会员数 ÷ 访问人数',
    'Valid is cash of goods less refunds, without freight, coupons and points; conversion is members who bought through a link ÷ visitors',
  ],
  parameters: {
    range: dateRange(['日期', 'Dates'], { required: true }),
    timeKind: choice(
      ['时间口径', 'Time'],
      { paid: { label: ['支付时间', 'Paid'] }, completed: { label: ['完成时间', 'Completed'] } },
      { search: 'equals', placeholder: ['支付时间', 'Paid'] },
    ),
    groupBy: choice(
      ['汇总', 'Group by'],
      {
        butler: { label: ['管家', 'Butler'] },
        project: { label: ['项目', 'Project'] },
        centre: { label: ['中心城市', 'Centre city'] },
        month: { label: ['月份', 'Month'] },
      },
      { search: 'equals', placeholder: ['管家', 'Butler'] },
    ),
    centre: ref('centreCity', ['中心城市', 'Centre city'], { search: 'in' }),
    unit: ref('butlerUnit', ['管理单元', 'Unit'], { search: 'in' }),
    project: ref('project', ['项目', 'Project'], { search: 'in' }),
    butler: ref('butler', ['管家', 'Butler'], { search: 'in' }),
    business: ref('business', ['业务类型', 'Business'], { search: 'in' }),
    way: choice(['来源', 'Way'], WAYS, { search: 'equals' }),
    keyword: text(['姓名/工号', 'Name or number'], { search: 'contains', max: 60 }),
  },
  figures: {
    valid: {
      label: ['有效金额', 'Valid'],
      kind: 'money',
      formula: ['Σ 商品现金 − 退款', 'Σ cash of goods less refunds'],
    },
    orders: { label: ['订单数', 'Orders'], kind: 'integer', formula: ['去重订单数', 'Distinct orders'] },
    visitors: {
      label: ['访问人数', 'Visitors'],
      kind: 'integer',
      formula: ['计入的访客，去重', 'Counted visitors, each once'],
    },
    conversion: {
      label: ['转化率', 'Conversion'],
      kind: 'percent',
      formula: ['分享成交会员数 ÷ 访问人数', 'Members who bought through a link ÷ visitors'],
    },
    incentive: {
      label: ['激励', 'Incentive'],
      kind: 'money',
      formula: ['冻结 + 待发放 + 已发放', 'Frozen + payable + paid'],
    },
  },
  charts: [
    {
      key: 'day',
      title: ['每日走势', 'By day'],
      kind: 'line',
      measures: ['validAmount', 'shareOrderAmount', 'servedOrderAmount'],
      drillFilter: 'range',
    },
    {
      key: 'top',
      title: ['管家前二十', 'Top 20 butlers'],
      kind: 'bar',
      measures: ['validAmount', 'incentiveAmount'],
      drillMenu: LINES_MENU,
    },
  ],
  fields: {
    rank: integer(['排名', 'Rank'], { sortable: true, width: 76 }),
    name: text(['管家', 'Butler'], { sortable: true, width: 120 }),
    staffNo: text(['工号', 'Staff no.'], { width: 100 }),
    phone: text(['电话', 'Phone'], { width: 120 }),
    projectNames: text(['项目', 'Projects'], { width: 180 }),
    houseCount: integer(['管辖户数', 'Houses'], { sortable: true, width: 100 }),
    shareCount: integer(['分享数', 'Shares'], { sortable: true, width: 90 }),
    visitCount: integer(['访问人次', 'Visits'], { sortable: true, width: 100 }),
    visitorCount: integer(['访问人数', 'Visitors'], { sortable: true, width: 100 }),
    orderCount: integer(['订单数', 'Orders'], { sortable: true, width: 90 }),
    orderAmount: money(['订单金额', 'Orders, amount'], { sortable: true, width: 120 }),
    refundAmount: money(['退款金额', 'Refunded'], { sortable: true, width: 110 }),
    validAmount: money(['有效金额', 'Valid'], { sortable: true, width: 120 }),
    conversionRate: percent(['转化率', 'Conversion'], { scale: 1, sortable: true, width: 100 }),
    shareOrderAmount: money(['分享成交', 'Shared'], { sortable: true, width: 120 }),
    servedOrderAmount: money(['服务业绩', 'Served'], { sortable: true, width: 120 }),
    incentiveAmount: money(['激励', 'Incentive'], { sortable: true, width: 110 }),
    frozenAmount: money(['冻结', 'Frozen'], { sortable: true, width: 110 }),
    payableAmount: money(['待发放', 'Payable'], { sortable: true, width: 110 }),
    paidAmount: money(['已发放', 'Paid'], { sortable: true, width: 110 }),
    clawbackAmount: money(['已追回', 'Clawed back'], { sortable: true, width: 110 }),
    drill: json(['下钻条件', 'Drill']),
  },
  columns: [
    'rank',
    'name',
    'staffNo',
    'validAmount',
    'orderCount',
    'orderAmount',
    'refundAmount',
    'shareOrderAmount',
    'servedOrderAmount',
    'shareCount',
    'visitCount',
    'visitorCount',
    'conversionRate',
    'incentiveAmount',
    'frozenAmount',
    'payableAmount',
    'paidAmount',
    'clawbackAmount',
    'houseCount',
    'projectNames',
    'phone',
  ],
  sort: 'rank',
  drills: [
    'orderCount',
    'orderAmount',
    'validAmount',
    'shareOrderAmount',
    'servedOrderAmount',
    'refundAmount',
    'incentiveAmount',
    'frozenAmount',
  ].map((column) => ({ column, menu: LINES_MENU })),
  maxDays: 366,
  export: true,
  exportSums: true,
});

/** An order line that is a butler's result, with what it earned. */
export const butlerPerformance = defineResource({
  name: 'butlerPerformance',
  menu: MENU,
  title: ['业绩明细', 'Result lines'],
  noun: ['业绩', 'Result'],
  titleField: 'order',
  sensitive: true,
  fields: {
    order: code(['订单号', 'Order'], { readOnly: true, keyword: true, width: 190 }),
    product: text(['商品', 'Goods'], { readOnly: true, keyword: true, width: 180 }),
    spec: text(['规格', 'Specification'], { readOnly: true, width: 110 }),
    qty: integer(['数量', 'Pieces'], { readOnly: true, width: 70 }),
    buyer: personName(['买家', 'Buyer'], { readOnly: true, width: 90 }),
    house: text(['房屋', 'House'], { readOnly: true, width: 130 }),
    project: ref('project', ['项目', 'Project'], { readOnly: true, search: 'in', width: 130 }),
    centre: ref('centreCity', ['中心城市', 'Centre city'], { readOnly: true, search: 'in', width: 110 }),
    unit: ref('butlerUnit', ['管理单元', 'Unit'], { readOnly: true, search: 'in', width: 110 }),
    butler: ref('butler', ['管家', 'Butler'], { readOnly: true, search: 'in', width: 90 }),
    business: ref('business', ['业务类型', 'Business'], { readOnly: true, search: 'in', width: 110 }),
    way: choice(['来源', 'Way'], WAYS, { readOnly: true, search: 'in', width: 96 }),
    share: code(['分享码', 'Link'], { readOnly: true, width: 110 }),
    paidAt: instant(['支付时间', 'Paid'], { readOnly: true, sortable: true, search: 'range', width: 160 }),
    completedAt: instant(['完成时间', 'Completed'], {
      readOnly: true,
      sortable: true,
      search: 'range',
      width: 160,
    }),
    cash: money(['实付', 'Paid amount'], { readOnly: true, width: 100 }),
    refunded: money(['退款', 'Refunded'], { readOnly: true, width: 96 }),
    valid: money(['有效', 'Valid'], { readOnly: true, width: 100 }),
    rule: choice(['规则', 'Rule'], RULES, { readOnly: true, search: 'in', width: 130 }),
    rate: text(['规则值', 'Its value'], { readOnly: true, width: 90 }),
    plan: text(['方案版本', 'Version'], { readOnly: true, width: 96 }),
    incentive: money(['激励', 'Incentive'], { readOnly: true, width: 96 }),
    incentiveState: choice(['激励状态', 'Its state'], INCENTIVE_STATES, {
      readOnly: true,
      search: 'in',
      width: 100,
    }),
    batch: code(['批次', 'Batch'], { readOnly: true, width: 150 }),
    reason: text(['调整原因', 'Why changed'], { readOnly: true }),
  },
  list: {
    columns: [
      'order',
      'product',
      'spec',
      'qty',
      'butler',
      'way',
      'paidAt',
      'cash',
      'refunded',
      'valid',
      'rule',
      'incentive',
      'incentiveState',
      'batch',
      'buyer',
      'house',
      'project',
      'share',
      'completedAt',
    ],
    filters: [
      'butler',
      'project',
      'centre',
      'unit',
      'business',
      'way',
      'rule',
      'incentiveState',
      'paidAt',
      'completedAt',
    ],
    sort: '-paidAt',
    link: 'order',
    sums: ['cash', 'refunded', 'valid', 'incentive'],
    export: true,
    empty: ['没有业绩明细', 'There are no lines'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['订单', 'Order'],
        fields: [
          'order',
          'product',
          'spec',
          'qty',
          'buyer',
          'house',
          'project',
          'business',
          'paidAt',
          'completedAt',
        ],
      },
      {
        title: ['归属与激励', 'Whose, and what it earned'],
        fields: [
          'butler',
          'way',
          'share',
          'cash',
          'refunded',
          'valid',
          'rule',
          'rate',
          'plan',
          'incentive',
          'incentiveState',
          'batch',
          'reason',
        ],
      },
    ],
  },
  elements: {
    btn_view: ['查看', 'View'],
    btn_reveal: ['查看完整信息', 'Show in full'],
  },
  actions: {
    reassign: {
      on: 'row',
      label: ['调整归属', 'Reassign'],
      element: 'btn_reassign',
      confirm: [
        '业绩与激励随之调整；不选管家即取消归属。双方会收到通知。',
        'Result and incentive go along; without a butler nobody has it. Both are told.',
      ],
      input: {
        to: ref('butler', ['新管家', 'To']),
        reason: text(['原因', 'Reason'], { required: true, max: 200 }),
      },
    },
  },
});

export interface ButlerPerformance extends Row<typeof butlerPerformance> {}

/** Why a line is a butler's, and how its incentive came about. */
export interface PerformanceWhy {
  readonly order: { readonly id: string; readonly kind: string };
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly formula: readonly [zh: string, en: string];
  readonly rows: readonly {
    readonly id: string;
    readonly kind: string;
    readonly amount: string;
    readonly state: keyof typeof INCENTIVE_STATES;
    readonly createdAt: string;
    readonly payableAt: string | null;
    /** Day of the payment. */
    readonly paidOn: string | null;
    readonly batch: string | null;
  }[];
}

/** Orders of a butler by where they stand. */
export interface OrderCounts {
  readonly total: number;
  readonly share: number;
  readonly served: number;
  readonly toShip: number;
  readonly toReceive: number;
  readonly completed: number;
  readonly closed: number;
  readonly refunding: number;
  readonly refunded: number;
}
