import {
  choice,
  code,
  dateRange,
  instant,
  integer,
  json,
  ref,
  text,
  treeRef,
} from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { defineReport } from '../../../kernel/contract/report.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';
import { AGING_TYPES, bucketTitle, type AgingType } from '../../../domain/work-order-report/ageing.rules.ts';
import {
  EXACT_CATEGORY,
  instantSaid,
  REPORT_TIMES,
  VERSIONS,
} from '../order-statistics/order-statistics.contract.ts';
import { WORK_STATES } from '../../../domain/work-order/work-order-words.rules.ts';

const MENU = 'or_agingCount';
const BY = {
  project: { label: ['项目', 'Project'] },
  person: { label: ['人员', 'Person'] },
  department: { label: ['部门', 'Department'] },
  category: { label: ['分类', 'Category'] },
} as const;
export type AgingBy = keyof typeof BY;

/** Types of work orders, all families. */
export const WORK_TYPES = {
  complaint_repair: { label: ['投诉报修', 'Repairs and complaints'] },
  plan: { label: ['计划', 'Plan'] },
  goods: { label: ['商品', 'Goods'] },
  service: { label: ['服务', 'Service'] },
} as const;

/** Columns of the buckets; their titles come from the bounds that are set. */
export const BUCKET_COLUMNS = ['b1', 'b2', 'b3', 'b4', 'b5', 'b6'] as const;
const bucket = (n: number) => integer([`第${n}档`, `Bucket ${n}`] as Label, { sortable: true, width: 118 });

/** How long people waited, and how long open orders have waited. Source: group 11, or_agingCount. */
export const ageing = defineReport({
  name: 'ageing',
  menu: MENU,
  title: ['时效统计', 'Ageing'],
  purpose: [
    '工单在各时长区间的数量；点击数字查看对应工单',
    'Orders by how long they took; a click on a figure opens exactly its orders',
  ],
  parameters: {
    range: dateRange(['期间', 'Period'], { required: true }),
    agingType: choice(['时效类型', 'Measure'], AGING_TYPES, {
      search: 'equals',
      placeholder: ['接单时效', 'Until accepted'],
    }),
    by: choice(['维度', 'Rows by'], BY, { search: 'equals', placeholder: ['项目', 'Project'] }),
    time: choice(['时间', 'Time'], REPORT_TIMES, {
      search: 'equals',
      placeholder: ['自然时间', 'Clock'],
      help: ['业务时间按时效时钟的工作日历计', 'Business time as the calendars of the clocks count it'],
    }),
    project: ref('project', ['项目', 'Project'], { search: 'in' }),
    type: choice(['工单类型', 'Type'], WORK_TYPES, { search: 'in' }),
    version: choice(['版本', 'Version'], VERSIONS, {
      search: 'equals',
      placeholder: ['封版', 'Frozen'],
      help: [
        '已封版的月份按封版数据；在办时长总是当前',
        'Frozen months as they were frozen; open orders are always those of now',
      ],
    }),
  },
  figures: {
    total: {
      label: ['工单', 'Orders'],
      kind: 'integer',
      formula: ['所选期间创建的工单', 'Orders created in the period'],
    },
    fast: {
      label: ['前两档占比', 'First two buckets'],
      kind: 'percent',
      scale: 1,
      formula: ['前两档工单 ÷ 已到达工单', 'Orders of the first two buckets ÷ those that got there'],
    },
    waiting: {
      label: ['未到达', 'Not reached'],
      kind: 'integer',
      formula: ['尚未到达所选环节的工单', 'Orders that have not come to this step'],
    },
  },
  charts: [
    { key: 'buckets', title: ['时长分布', 'By time'], kind: 'ring', measures: ['orders'] },
    { key: 'projects', title: ['项目', 'By project'], kind: 'bar', measures: ['total', 'fast'] },
    {
      key: 'weeks',
      title: ['前两档占比（按周）', 'First two buckets by week'],
      kind: 'line',
      measures: ['fast'],
    },
  ],
  fields: {
    name: text(['统计项', 'Of'], { sortable: true, width: 150 }),
    centre: text(['中心城市', 'Centre city'], { sortable: true, width: 120 }),
    type: text(['工单类型', 'Type'], { sortable: true, width: 110 }),
    b1: bucket(1),
    b2: bucket(2),
    b3: bucket(3),
    b4: bucket(4),
    b5: bucket(5),
    b6: bucket(6),
    notReached: integer(['未到达', 'Not reached'], { sortable: true, width: 118 }),
    total: integer(['合计', 'Total'], { sortable: true, width: 100 }),
    drill: json(['下钻条件', 'Drill']),
  },
  columns: ['centre', 'name', 'type', ...BUCKET_COLUMNS, 'notReached', 'total'],
  sort: '-total',
  maxDays: 366,
  export: true,
});

/** A measure and its bucket in words: `1:5-15`, `3b:none`, `4@1764000000000:all`. */
function bucketSaid(wire: string): Label {
  const [, type = '1', which = '', above = '', upTo = ''] =
    /^([1-4])b?(?:@\d{13})?:(all|none|(\d+)-(\d+))$/.exec(wire) ?? [];
  const measure = AGING_TYPES[Number(type) as AgingType].label;
  const bucket: Label =
    which === 'none'
      ? ['未到达', 'not reached']
      : upTo === ''
        ? ['全部', 'all']
        : above === '0'
          ? bucketTitle([Number(upTo)], 0)
          : bucketTitle([Number(above), Number(upTo)], 1);
  return [`${measure[0]} ${bucket[0]}`, `${measure[1]} ${bucket[1]}`];
}

const seen = { readOnly: true } as const;
const minutes = (zh: string, en: string) => integer([zh, en], { ...seen, sortable: true, width: 120 });
const business = (zh: string, en: string) => integer([zh, en], { ...seen, width: 140 });
const BUSINESS_COLUMNS = ['acceptBusiness', 'startBusiness', 'finishBusiness', 'openBusiness'] as const;

/** The column that says how long an order took, by measure and time. */
export const MINUTE_COLUMNS = {
  1: { clock: 'acceptMinutes', business: 'acceptBusiness' },
  2: { clock: 'startMinutes', business: 'startBusiness' },
  3: { clock: 'finishMinutes', business: 'finishBusiness' },
  4: { clock: 'openMinutes', business: 'openBusiness' },
} as const;

/** The orders of a cell. */
export const ageingOrder = defineResource({
  name: 'ageingOrder',
  menu: MENU,
  title: ['时效明细', 'Orders'],
  noun: ['工单', 'Work order'],
  titleField: 'code',
  sensitive: true,
  fields: {
    code: code(['工单编号', 'Order no.'], { ...seen, keyword: true, sortable: true, width: 166 }),
    type: choice(['类型', 'Type'], WORK_TYPES, { ...seen, search: 'in', width: 110 }),
    title: text(['标题', 'Title'], { ...seen, keyword: true, width: 180 }),
    project: ref('project', ['项目', 'Project'], { ...seen, search: 'in', width: 130 }),
    handlerName: text(['处理人', 'Handler'], { ...seen, width: 90 }),
    createdAt: instant(['创建时间', 'Created'], { ...seen, sortable: true, search: 'range', width: 124 }),
    acceptedAt: instant(['接单时间', 'Accepted'], { ...seen, sortable: true, width: 124 }),
    startedAt: instant(['开始时间', 'Started'], { ...seen, sortable: true, width: 124 }),
    finishedAt: instant(['完成时间', 'Finished'], { ...seen, sortable: true, width: 124 }),
    acceptMinutes: minutes('接单用时（分）', 'Until accepted (min)'),
    startMinutes: minutes('到场用时（分）', 'Until started (min)'),
    finishMinutes: minutes('完成用时（分）', 'Until finished (min)'),
    openMinutes: minutes('在办时长（分）', 'Open since (min)'),
    acceptBusiness: business('接单业务用时（分）', 'Until accepted, business (min)'),
    startBusiness: business('到场业务用时（分）', 'Until started, business (min)'),
    finishBusiness: business('完成业务用时（分）', 'Until finished, business (min)'),
    openBusiness: business('在办业务时长（分）', 'Open since, business (min)'),
    aging: text(['时效区间', 'Bucket'], { ...seen, search: 'equals', max: 40, said: bucketSaid }),
    handlerId: ref('workStaff', ['处理人', 'Handler'], { ...seen, search: 'in' }),
    departmentId: ref('workDepartment', ['部门', 'Department'], { ...seen, search: 'in' }),
    exactCategory: treeRef('workCategory', EXACT_CATEGORY, { ...seen, search: 'in' }),
    asOf: text(['时点', 'As of'], { ...seen, search: 'equals', max: 4_000, said: instantSaid }),
  },
  states: WORK_STATES,
  list: {
    columns: [
      'code',
      'type',
      'title',
      'state',
      'project',
      'handlerName',
      'createdAt',
      'acceptedAt',
      'startedAt',
      'finishedAt',
      'acceptMinutes',
      'startMinutes',
      'finishMinutes',
      'openMinutes',
      ...BUSINESS_COLUMNS,
    ],
    hidden: BUSINESS_COLUMNS,
    filters: [
      'createdAt',
      'project',
      'type',
      'state',
      'aging',
      'handlerId',
      'departmentId',
      'exactCategory',
      'asOf',
    ],
    sort: '-createdAt',
    export: true,
  },
  actions: {
    urge: {
      on: 'bulk',
      label: ['催单', 'Urge'],
      element: 'btn_urge',
      opens: 'screen',
    },
  },
});
