import {
  choice,
  code,
  dateRange,
  decimal,
  instant,
  integer,
  json,
  money,
  percent,
  personName,
  ref,
  text,
  treeRef,
} from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { defineReport } from '../../../kernel/contract/report.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';
import { businessTimeText } from '../../../kernel/contract/time.rules.ts';
import { METRICS } from '../../../domain/work-order-report/figures.rules.ts';
import {
  SLA_STATES,
  URGENCIES,
  WORK_CLASSES,
  WORK_STATES,
} from '../../../domain/work-order/work-order-words.rules.ts';
import { WORK_SOURCES } from '../../mall/work-order/work-order.contract.ts';

const DIMENSIONS = {
  project: { label: ['项目', 'Project'] },
  person: { label: ['人员', 'Person'] },
  department: { label: ['部门', 'Department'] },
  category: { label: ['分类', 'Category'] },
  source: { label: ['来源', 'Source'] },
  day: { label: ['日期', 'Day'] },
} as const;
const TRADE_DIMENSIONS = { ...DIMENSIONS, merchant: { label: ['商户', 'Merchant'] } } as const;
export type Dimension = keyof typeof TRADE_DIMENSIONS;

/** Frozen months as they were frozen, or everything as it stands. */
export const VERSIONS = {
  frozen: { label: ['封版', 'Frozen'] },
  current: { label: ['当前', 'Current'] },
} as const;

const BASIS = {
  created: { label: ['按创建', 'Created'] },
  finished: { label: ['按完成', 'Finished'] },
} as const;

/** How minutes are counted. */
export const REPORT_TIMES = {
  clock: { label: ['自然时间', 'Clock'] },
  business: { label: ['业务时间', 'Business'] },
} as const;

const CANCELLED = {
  with: { label: ['含取消', 'With cancelled'] },
  without: { label: ['不含取消', 'Without cancelled'] },
} as const;

/** What the cards are compared with: 环比, 同比. */
const COMPARED = {
  period: { label: ['环比上期', 'Period before'] },
  year: { label: ['同比去年', 'Same days last year'] },
} as const;

/** Columns that count orders and open exactly them, by family. */
export const COUNT_COLUMNS = {
  property: [
    'total',
    'repair',
    'complaint',
    'plan',
    'waiting',
    'doing',
    'finished',
    'cancelled',
    'absent',
    'overdue',
    'returned',
    'transferred',
    'reopened',
  ],
  operations: [
    'total',
    'goods',
    'service',
    'waiting',
    'doing',
    'finished',
    'cancelled',
    'overdue',
    'returned',
    'transferred',
    'reopened',
  ],
} as const;

const percents = (label: Label, help: Label) =>
  percent(label, { sortable: true, width: 116, scale: 1, help });
const minutes = (label: Label, help: Label) => integer(label, { sortable: true, width: 140, help });

const RATES = {
  completionRate: percents(
    ['完成率', 'Completion'],
    ['已完成 ÷（总数 − 已取消）', 'Finished ÷ (orders − cancelled)'],
  ),
  responseRate: percents(
    ['响应及时率', 'Response in time'],
    [
      '达标 ÷（达标 + 超时），计时中与暂停的不计',
      'Met ÷ (met + failed); running and paused ones are in neither',
    ],
  ),
  solveRate: percents(
    ['完成及时率', 'Resolved in time'],
    ['首轮达标 ÷（达标 + 超时）', 'First-round clocks met ÷ (met + failed)'],
  ),
  averageResponse: minutes(
    ['平均响应（分）', 'Mean response (min)'],
    ['Σ（接单 − 创建）÷ 已接单数', 'Σ (accepted − created) ÷ orders accepted'],
  ),
  averageSolve: minutes(
    ['平均处理（分）', 'Mean resolution (min)'],
    ['Σ（完成 − 创建 − 暂停）÷ 完成数', 'Σ (finished − created − paused) ÷ orders finished'],
  ),
  medianResponse: minutes(
    ['响应中位数（分）', 'Median response (min)'],
    ['已接单工单响应用时的中位数', 'Median of the orders accepted'],
  ),
  p90Response: minutes(
    ['响应 P90（分）', 'P90 response (min)'],
    ['九成已接单工单在此时间内响应', 'Nine of ten accepted orders were accepted within'],
  ),
  medianSolve: minutes(
    ['处理中位数（分）', 'Median resolution (min)'],
    ['完成工单处理用时的中位数，不含暂停', 'Median of the orders finished, without pauses'],
  ),
  p90Solve: minutes(
    ['处理 P90（分）', 'P90 resolution (min)'],
    ['九成完成工单在此时间内处理', 'Nine of ten finished orders were finished within'],
  ),
  reopenRate: percents(['返工率', 'Reopened, rate'], ['重开 ÷ 完成过', 'Reopened ÷ ever finished']),
  ratedRate: percents(['评价率', 'Rated'], ['已评价 ÷ 已完成', 'Rated ÷ finished']),
  score: decimal(['平均分', 'Score'], {
    sortable: true,
    width: 90,
    help: ['Σ 总体评分 ÷ 已评价数', 'Σ overall score ÷ rated'],
  }),
};

/** Money of the trades behind operations orders. */
const TRADE = {
  paid: money(['订单金额', 'Paid'], { sortable: true, width: 120 }),
  refunded: money(['退款金额', 'Refunded'], { sortable: true, width: 120 }),
};

/** What repairs cost their houses. */
const REPAIR_FEES = {
  fee: money(['维修收费', 'Repair fees'], {
    sortable: true,
    width: 120,
    help: ['Σ 维修费账单应收', 'Σ repair-fee bills, receivable'],
  }),
  feePaid: money(['维修实收', 'Repair fees paid'], {
    sortable: true,
    width: 120,
    help: ['Σ 维修费账单已缴', 'Σ repair-fee bills, paid'],
  }),
};
const MONEY = { property: REPAIR_FEES, operations: TRADE };

const rateFigure = (name: 'completionRate' | 'responseRate' | 'solveRate') => ({
  label: RATES[name].label,
  kind: 'percent' as const,
  scale: 1,
  formula: RATES[name].help!,
});
const minuteFigure = (name: 'averageResponse' | 'averageSolve', label: Label) => ({
  label,
  kind: 'minutes' as const,
  formula: RATES[name].help!,
});

/** What both reports have in common; `detail` is the menu of the list behind the figures. */
function statistics(
  family: 'property' | 'operations',
  detail: string,
  kinds: readonly ('repair' | 'complaint' | 'plan' | 'goods' | 'service')[],
) {
  const columns = COUNT_COLUMNS[family];
  const count = (name: keyof typeof METRICS) => ({
    label: METRICS[name].label,
    kind: 'integer' as const,
    formula:
      name === 'total'
        ? (['所选期间内的工单', 'Orders of the period'] as Label)
        : ([
            `所选期间内的${METRICS[name].label[0]}工单`,
            `Orders of the period: ${METRICS[name].label[1].toLowerCase()}`,
          ] as Label),
  });
  return {
    parameters: {
      range: dateRange(['期间', 'Period'], { required: true }),
      compare: choice(['对比', 'Compared with'], COMPARED, {
        search: 'equals',
        placeholder: ['环比上期', 'Period before'],
      }),
      basis: choice(['口径', 'Basis'], BASIS, { search: 'equals', placeholder: ['按创建', 'Created'] }),
      time: choice(['时间', 'Time'], REPORT_TIMES, {
        search: 'equals',
        placeholder: ['自然时间', 'Clock'],
        help: ['业务时间按时效时钟的工作日历计', 'Business time as the calendars of the clocks count it'],
      }),
      centre: ref('centreCity', ['中心城市', 'Centre city'], { search: 'in' }),
      project: ref('project', ['项目', 'Project'], { search: 'in' }),
      ...(family === 'property'
        ? { class: choice(['工单类别', 'Class'], WORK_CLASSES, { search: 'in' }) }
        : { businessId: ref('business', ['业务', 'Business'], { search: 'in' }) }),
      handlerId: ref('workStaff', ['处理人', 'Handler'], { search: 'in' }),
      departmentId: ref('workDepartment', ['部门', 'Department'], { search: 'in' }),
      category: treeRef('workCategory', ['报修分类', 'Category'], { search: 'in' }),
      source: choice(['来源', 'Source'], WORK_SOURCES, { search: 'in' }),
      urgency: choice(['紧急程度', 'Urgency'], URGENCIES, { search: 'in' }),
      cancelled: choice(['取消', 'Cancelled'], CANCELLED, {
        search: 'equals',
        placeholder: ['含取消', 'With cancelled'],
      }),
      by: choice(['维度', 'Rows by'], family === 'property' ? DIMENSIONS : TRADE_DIMENSIONS, {
        search: 'equals',
        placeholder: ['项目', 'Project'],
      }),
      version: choice(['版本', 'Version'], VERSIONS, {
        search: 'equals',
        placeholder: ['封版', 'Frozen'],
        help: ['已封版的月份按封版数据', 'Frozen months as they were frozen'],
      }),
    },
    figures: {
      total: count('total'),
      ...Object.fromEntries(kinds.map((kind) => [kind, count(kind)])),
      completionRate: rateFigure('completionRate'),
      responseRate: rateFigure('responseRate'),
      solveRate: rateFigure('solveRate'),
      averageResponse: minuteFigure('averageResponse', ['平均响应', 'Mean response']),
      averageSolve: minuteFigure('averageSolve', ['平均处理', 'Mean resolution']),
      score: { label: RATES.score.label, kind: 'decimal', formula: RATES.score.help! },
    },
    charts: [
      {
        key: 'kind',
        title: ['类型占比', 'By type'],
        kind: 'ring',
        measures: ['total'],
        drillMenu: detail,
      },
      {
        key: 'category',
        title: ['分类占比', 'By category'],
        kind: 'ring',
        measures: ['total'],
        drillMenu: detail,
      },
      {
        key: 'day',
        title: ['每日工单', 'By day'],
        kind: 'line',
        measures: ['total', 'finished', 'overdue'],
        drillMenu: detail,
      },
      {
        key: 'project',
        title: ['项目', 'By project'],
        kind: 'bar',
        measures: ['total', 'finished', 'overdue'],
        drillMenu: detail,
      },
    ],
    fields: {
      name: text(['统计项', 'Of'], { sortable: true, width: 160 }),
      ...Object.fromEntries(
        columns.map((name) => [name, integer(METRICS[name].label, { sortable: true, width: 104 })]),
      ),
      ...RATES,
      ...MONEY[family],
      /** Filters of the detail list, by column. */
      drill: json(['下钻条件', 'Drill']),
      /** Formulas with their numbers, by column. */
      working: json(['算式', 'Working']),
    },
    columns: [
      'name',
      ...columns.slice(0, -3),
      ...Object.keys(RATES),
      ...columns.slice(-3),
      ...Object.keys(MONEY[family]),
    ],
    sort: '-total',
    drills: columns.map((column) => ({ column, menu: detail })),
    maxDays: 366,
    export: true,
    exportSums: true,
    workbook: true,
  } as const;
}

/**
 * How many property work orders, how fast and how good: repairs, complaints and plans of a period. Source: group 11,
 * or_ProOperIndex.
 */
export const propertyStatistics = defineReport({
  name: 'propertyStatistics',
  menu: 'or_ProOperIndex',
  title: ['物业工单统计', 'Property work-order statistics'],
  purpose: [
    '投诉、报修与计划工单的数量、时效与评价；点击任一数字查看对应工单',
    'How many, how fast and how good; a click on any figure opens exactly its orders',
  ],
  ...statistics('property', 'or_ProOperDetail', ['repair', 'complaint', 'plan']),
});

/** The same of goods and service orders. Source: group 11, or_operIndex. */
export const operationsStatistics = defineReport({
  name: 'operationsStatistics',
  menu: 'or_operIndex',
  title: ['运营工单统计', 'Operations work-order statistics'],
  purpose: [
    '商品与服务工单的数量、时效与评价；点击任一数字查看对应工单',
    'How many, how fast and how good; a click on any figure opens exactly its orders',
  ],
  ...statistics('operations', 'or_operDetail', ['goods', 'service']),
});

/** The instant a list stands at, in words: milliseconds before the first point, behind the last one by which day months are frozen. */
export function instantSaid(wire: string): Label {
  const at = businessTimeText(new Date(Number(wire.slice(0, 13)))).slice(0, 16);
  return /\.(created|finished)$/.test(wire) ? [`${at}（封版）`, `${at}, frozen months`] : [at, at];
}

/** The hour an order was taken in at. */
const hourSaid = (wire: string): Label => [`${wire} 时`, `${wire}:00`];

/** Days of the week an order was taken in on. */
export const WEEKDAYS = {
  1: { label: ['周一', 'Mon'] },
  2: { label: ['周二', 'Tue'] },
  3: { label: ['周三', 'Wed'] },
  4: { label: ['周四', 'Thu'] },
  5: { label: ['周五', 'Fri'] },
  6: { label: ['周六', 'Sat'] },
  7: { label: ['周日', 'Sun'] },
} as const;

/** A category without those below it, beside the filter that finds them, too. */
export const EXACT_CATEGORY: Label = ['本级分类', 'Category itself'];

/** Elements of both reports besides the export. */
export const REPORT_ELEMENTS = {
  btn_freezeView: ['较封版对比', 'Compare with frozen'],
  btn_subscribe: ['订阅', 'Subscribe'],
} as const;

/** What differs from the frozen months: by figure, and the orders of one figure. */
export interface FrozenChanges {
  readonly figures: readonly {
    readonly metric: string;
    readonly label: string;
    readonly by: number;
    readonly orders: number;
  }[];
  readonly rows: readonly {
    readonly id: string;
    readonly code: string;
    readonly title: string;
    readonly change: 'added' | 'removed' | 'changed';
    readonly fields: readonly { readonly label: string; readonly from: string; readonly to: string }[];
  }[];
}

/** When orders come in: a cell of weekday (1–7, Monday first) and hour, with the filters of its orders. */
export interface Heat {
  readonly cells: readonly {
    readonly weekday: number;
    readonly hour: number;
    readonly orders: number;
    readonly query: string;
  }[];
}

const seen = { readOnly: true } as const;
const TYPES = {
  property: {
    complaint_repair: { label: ['投诉报修', 'Repairs and complaints'] },
    plan: { label: ['计划', 'Plan'] },
  },
  operations: { goods: { label: ['商品', 'Goods'] }, service: { label: ['服务', 'Service'] } },
} as const;

/** What both lists of orders behind the figures have in common. */
function orders(family: 'property' | 'operations') {
  return {
    noun: ['工单', 'Work order'],
    purpose: ['所点数字对应的工单', 'Exactly the orders of the figure that was clicked'],
    titleField: 'code',
    sensitive: true,
    fields: {
      code: code(['工单编号', 'Order no.'], { ...seen, keyword: true, sortable: true, width: 166 }),
      type: choice(['类型', 'Type'], TYPES[family], { ...seen, search: 'in', width: 100 }),
      ...(family === 'property' && {
        class: choice(['类别', 'Class'], WORK_CLASSES, { ...seen, search: 'in', width: 80 }),
      }),
      title: text(['标题', 'Title'], { ...seen, keyword: true, width: 160 }),
      centre: ref('centreCity', ['中心城市', 'Centre city'], { ...seen, search: 'in', width: 110 }),
      project: ref('project', ['项目', 'Project'], { ...seen, search: 'in', width: 110 }),
      address: text(['地址', 'Address'], { ...seen, width: 180 }),
      category: treeRef('workCategory', ['分类', 'Category'], { ...seen, search: 'in', width: 120 }),
      source: choice(['来源', 'Source'], WORK_SOURCES, { ...seen, search: 'in', width: 90 }),
      urgency: choice(['紧急程度', 'Urgency'], URGENCIES, { ...seen, search: 'in', width: 90 }),
      handlerName: text(['处理人', 'Handler'], { ...seen, width: 90 }),
      createdAt: instant(['创建时间', 'Created'], { ...seen, sortable: true, search: 'range', width: 124 }),
      acceptedAt: instant(['接单时间', 'Accepted'], { ...seen, sortable: true, width: 124 }),
      startedAt: instant(['开始时间', 'Started'], { ...seen, sortable: true, width: 124 }),
      finishedAt: instant(['完成时间', 'Finished'], { ...seen, sortable: true, search: 'range', width: 124 }),
      paused: integer(['暂停（分）', 'Paused (min)'], { ...seen, width: 100 }),
      responseTarget: integer(['响应目标（分）', 'Response target (min)'], { ...seen, width: 120 }),
      responseUsed: integer(['响应用时（分）', 'Response (min)'], { ...seen, sortable: true, width: 120 }),
      responseBusiness: integer(['响应业务用时（分）', 'Response, business (min)'], { ...seen, width: 130 }),
      responseState: choice(['响应时效', 'Response SLA'], SLA_STATES, { ...seen, width: 96 }),
      solveTarget: integer(['处理目标（分）', 'Resolution target (min)'], { ...seen, width: 120 }),
      solveUsed: integer(['处理用时（分）', 'Resolution (min)'], {
        ...seen,
        sortable: true,
        width: 120,
        help: ['不含暂停', 'Without pauses'],
      }),
      solveBusiness: integer(['处理业务用时（分）', 'Resolution, business (min)'], {
        ...seen,
        width: 130,
        help: ['按时效时钟的工作日历，不含暂停', 'As the calendar of the clock counts, without pauses'],
      }),
      solveState: choice(['完成时效', 'Resolution SLA'], SLA_STATES, { ...seen, width: 96 }),
      returned: integer(['退单', 'Returned'], { ...seen, width: 80 }),
      transfers: integer(['转单', 'Transferred'], { ...seen, width: 80 }),
      reopened: integer(['重开', 'Reopened'], { ...seen, width: 80 }),
      score: integer(['评分', 'Score'], { ...seen, sortable: true, width: 80 }),
      metric: choice(['统计项', 'Figure'], METRICS, { ...seen, search: 'in' }),
      ...(family === 'operations' && {
        business: text(['业务', 'Business'], { ...seen, width: 110 }),
        customer: personName(['客户', 'Customer'], { ...seen, width: 100 }),
        businessId: ref('business', ['业务', 'Business'], { ...seen, search: 'in' }),
        merchant: text(['商户', 'Merchant'], { ...seen, width: 130 }),
        paid: money(['订单金额', 'Paid'], { ...seen, width: 110 }),
        refunded: money(['退款金额', 'Refunded'], { ...seen, width: 110 }),
        merchantId: ref('merchant', ['商户', 'Merchant'], { ...seen, search: 'in' }),
      }),
      weekday: choice(['星期', 'Weekday'], WEEKDAYS, { ...seen, search: 'equals' }),
      hour: text(['小时（0–23）', 'Hour (0–23)'], { ...seen, search: 'equals', max: 2, said: hourSaid }),
      departmentId: ref('workDepartment', ['部门', 'Department'], { ...seen, search: 'in' }),
      asOf: text(['时点', 'As of'], { ...seen, search: 'equals', max: 4_000, said: instantSaid }),
      handlerId: ref('workStaff', ['处理人', 'Handler'], { ...seen, search: 'in' }),
      exactCategory: treeRef('workCategory', EXACT_CATEGORY, { ...seen, search: 'in' }),
      cancelled: choice(['取消', 'Cancelled'], CANCELLED, { ...seen, search: 'in' }),
    },
    states: WORK_STATES,
    list: {
      columns: [
        'code',
        ...(family === 'property' ? ['class'] : []),
        'type',
        'title',
        'state',
        'project',
        'address',
        'category',
        'source',
        'handlerName',
        'createdAt',
        'acceptedAt',
        'startedAt',
        'finishedAt',
        'paused',
        'responseUsed',
        'responseBusiness',
        'responseTarget',
        'responseState',
        'solveUsed',
        'solveBusiness',
        'solveTarget',
        'solveState',
        'returned',
        'transfers',
        'reopened',
        'score',
        ...(family === 'operations' ? ['business', 'merchant', 'customer', 'paid', 'refunded'] : []),
      ],
      filters: [
        'metric',
        'createdAt',
        'finishedAt',
        'centre',
        'project',
        ...(family === 'property' ? ['class'] : ['businessId']),
        'type',
        'category',
        'source',
        'urgency',
        'state',
        'cancelled',
        'handlerId',
        'departmentId',
        ...(family === 'operations' ? ['merchantId'] : []),
        'exactCategory',
        'weekday',
        'hour',
        'asOf',
      ],
      sort: '-createdAt',
      export: true,
    },
  } as const;
}

/** The property orders behind a figure. Source: group 11, or_ProOperDetail. */
export const propertyReportOrder = defineResource({
  name: 'propertyReportOrder',
  menu: 'or_ProOperDetail',
  title: ['物业工单统计明细', 'Property statistics detail'],
  ...orders('property'),
});

/** The orders of goods and services behind a figure. Source: group 11, or_operDetail. */
export const operationsReportOrder = defineResource({
  name: 'operationsReportOrder',
  menu: 'or_operDetail',
  title: ['运营工单统计明细', 'Operations statistics detail'],
  ...orders('operations'),
});
