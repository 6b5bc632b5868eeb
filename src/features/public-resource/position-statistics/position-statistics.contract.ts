import {
  choice,
  dateRange,
  decimal,
  integer,
  json,
  money,
  percent,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineReport } from '../../../kernel/contract/report.ts';

const BY = {
  project: { label: ['项目', 'Project'] },
  type: { label: ['类型', 'Type'] },
  position: { label: ['点位', 'Position'] },
} as const;
export type StatisticsBy = keyof typeof BY;

const MENU = 'statisticalAnalysis';
const days = (zh: string, en: string) => integer([zh, en], { sortable: true, width: 110 });
const share = (zh: string, en: string) => percent([zh, en], { sortable: true, width: 110 });
const ending = (within: number) =>
  integer([`${within}天内到期`, `Ending in ${within} days`], { sortable: true, width: 130 });

/** How far positions are let, held, under repair and vacant in a period. Source: group 17, Reports and drill. */
export const positionStatistics = defineReport({
  name: 'contractStatistics',
  menu: MENU,
  title: ['资源统计', 'Resource statistics'],
  purpose: [
    '点位的出租、预留、维修与空置天数，以及合同收入、实收与达成率；点击项目或类型查看其点位',
    'Days positions were let, held, under repair and vacant, and what they bring; a click on a project or type shows its positions',
  ],
  parameters: {
    range: dateRange(['期间', 'Period'], { required: true }),
    by: choice(['维度', 'Rows by'], BY, { search: 'equals', placeholder: ['项目', 'Project'] }),
    project: ref('project', ['项目', 'Project'], { search: 'in' }),
    type: ref('bizDict.position_type', ['类型', 'Type'], { search: 'in' }),
  },
  figures: {
    occupancy: {
      label: ['出租率', 'Occupancy'],
      kind: 'percent',
      formula: [
        '出租天数 ÷（启用点位天数 − 维修天数）',
        'Leased position-days ÷ (enabled position-days − repair position-days)',
      ],
    },
    vacancy: {
      label: ['空置率', 'Vacancy'],
      kind: 'percent',
      formula: ['100% − 出租率 − 预留占比', '100 % − occupancy − held share'],
    },
    ending30: {
      label: ['30天内到期', 'Ending in 30 days'],
      kind: 'integer',
      formula: ['自今天起 30 天内结束的出租', 'Leases that end within 30 days from today'],
    },
    ending60: {
      label: ['60天内到期', 'Ending in 60 days'],
      kind: 'integer',
      formula: ['自今天起 60 天内结束的出租', 'Leases that end within 60 days from today'],
    },
    ending90: {
      label: ['90天内到期', 'Ending in 90 days'],
      kind: 'integer',
      formula: ['自今天起 90 天内结束的出租', 'Leases that end within 90 days from today'],
    },
    income: {
      label: ['合同收入', 'Contract income'],
      kind: 'money',
      formula: [
        '租金按账期平均到日，取期间内各日之和',
        'Rent spread evenly over the days of its period; the days of this period together',
      ],
    },
    received: {
      label: ['实收', 'Received'],
      kind: 'money',
      formula: ['期间内收款单确认的合同款', 'Confirmed receipts of contracts by receipt date in the period'],
    },
    collection: {
      label: ['收缴率', 'Collection rate'],
      kind: 'percent',
      formula: [
        '期间内到期计划行的已收 ÷ 应收',
        'Received on lines due in the period ÷ what was due of them',
      ],
    },
    attainment: {
      label: ['刊例价达成率', 'List-price attainment'],
      kind: 'percent',
      formula: [
        '期末在租点位的合同月价 ÷ 刊例价',
        'Contracted monthly price ÷ list price of the positions let at the end of the period',
      ],
    },
    renewal: {
      label: ['续签率', 'Renewal rate'],
      kind: 'percent',
      formula: [
        '期间内结束且续签已通过的合同 ÷ 期间内结束的合同',
        'Contracts ended in the period with an approved renewal ÷ contracts ended',
      ],
    },
    atStake: {
      label: ['90天内到期月租', 'Monthly rent ending in 90 days'],
      kind: 'money',
      formula: [
        '90 天内到期的出租按合同的月租合计；无合同的按刊例价',
        'Monthly rent of the leases that end within 90 days; the list price where no contract says it',
      ],
    },
  },
  // A click shows the positions behind a point with their days.
  charts: [
    {
      key: 'months',
      title: ['各月占用', 'By month'],
      // In the order of the months, which columns are not.
      kind: 'line',
      measures: ['occupancy', 'heldShare', 'vacancy'],
      drillMenu: MENU,
    },
    {
      key: 'projects',
      title: ['项目', 'By project'],
      kind: 'bar',
      measures: ['occupancy', 'vacancy', 'leased', 'income', 'received', 'attainment'],
      drillMenu: MENU,
    },
    {
      key: 'types',
      title: ['类型', 'By type'],
      kind: 'bar',
      measures: ['occupancy', 'vacancy', 'leased', 'income', 'received', 'attainment'],
      drillMenu: MENU,
    },
    {
      key: 'approvals',
      title: ['合同审批', 'Approvals of contracts'],
      kind: 'bar',
      measures: ['approvals', 'medianHours', 'lateShare'],
    },
  ],
  fields: {
    name: text(['统计项', 'Of'], { sortable: true, width: 190 }),
    positions: integer(['点位数', 'Positions'], { sortable: true, width: 90 }),
    base: days('启用天数', 'Enabled days'),
    leased: days('出租天数', 'Leased days'),
    held: days('预留天数', 'Held days'),
    repair: days('维修天数', 'Repair days'),
    vacant: days('空置天数', 'Vacant days'),
    occupancy: share('出租率', 'Occupancy'),
    heldShare: share('预留占比', 'Held'),
    vacancy: share('空置率', 'Vacancy'),
    ending30: ending(30),
    ending60: ending(60),
    ending90: ending(90),
    atStake: money(['90天内到期月租', 'Monthly rent ending in 90 days'], { sortable: true, width: 180 }),
    income: money(['合同收入', 'Contract income'], { sortable: true, width: 140 }),
    received: money(['实收', 'Received'], { sortable: true, width: 130 }),
    collection: share('收缴率', 'Collection'),
    attainment: share('刊例价达成率', 'List-price attainment'),
    perArea: money(['每平方米收入', 'Income per m²'], { sortable: true, width: 130 }),
    drill: json(['下钻条件', 'Drill']),
    // Of the approvals that were started in the period.
    approvals: integer(['审批数', 'Approvals'], {}),
    medianHours: decimal(['处理时长中位数（工作小时）', 'Median business hours'], {}),
    lateShare: percent(['超时占比', 'Late'], {}),
  },
  columns: [
    'name',
    'positions',
    'base',
    'leased',
    'held',
    'repair',
    'vacant',
    'occupancy',
    'heldShare',
    'vacancy',
    'ending30',
    'ending60',
    'ending90',
    'atStake',
    'income',
    'received',
    'collection',
    'attainment',
    'perArea',
  ],
  sort: '-occupancy',
  maxDays: 731,
  export: true,
});
