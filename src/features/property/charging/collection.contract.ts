import {
  choice,
  dateRange,
  integer,
  json,
  money,
  percent,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { defineReport } from '../../../kernel/contract/report.ts';
import { CHARGING_MENU } from './fee-item.contract.ts';

const DIMENSIONS = {
  project: { label: ['项目', 'Project'] },
  building: { label: ['楼栋', 'Building'] },
  item: { label: ['收费项目', 'Fee item'] },
  month: { label: ['月份', 'Month'] },
} as const;
export type Dimension = keyof typeof DIMENSIONS;

/** Which day of a bill the period looks at. */
const BASIS = {
  period: { label: ['账期', 'Period'] },
  due: { label: ['到期日', 'Due date'] },
} as const;

/** Buckets of days overdue, as the list of bills filters them. */
export const AGES = ['1~30', '31~60', '61~90', '91~180', '181~99999'] as const;

const sum = (label: Label, help: Label) => money(label, { sortable: true, width: 120, help });
const rate = (label: Label, help: Label) => percent(label, { sortable: true, width: 100, scale: 1, help });

const COLUMNS = {
  receivable: sum(
    ['应收', 'Receivable'],
    [
      'Σ（本金 − 优惠 + 调整），期内未作废账单',
      'Σ (principal − discount + adjustment) of bills of the period',
    ],
  ),
  received: sum(
    ['已收', 'Received'],
    ['Σ 期内账单的本金实收，入账日至期末', 'Σ principal paid on them with a value date up to the end'],
  ),
  owed: sum(['欠费', 'Owed'], ['应收 − 已收', 'Receivable − received']),
  collectionRate: rate(['收缴率', 'Collection rate'], ['已收 ÷ 应收', 'Received ÷ receivable']),
  historicOwed: sum(
    ['往欠', 'Historic owed'],
    ['期前账单至期末未缴本金', 'Principal of earlier bills outstanding at the end'],
  ),
  recovered: sum(
    ['清欠', 'Recovered'],
    ['Σ 期内对期前账单的本金实收', 'Σ principal paid on earlier bills in the period'],
  ),
  clearanceRate: rate(
    ['清欠率', 'Clearance rate'],
    ['清欠 ÷（清欠 + 往欠）', 'Recovered ÷ (recovered + owed)'],
  ),
  lateCharged: sum(['滞纳金计提', 'Late fee charged'], ['Σ 期内计提', 'Σ charged in the period']),
  lateReceived: sum(['滞纳金实收', 'Late fee received'], ['Σ 期内实收', 'Σ received in the period']),
  lateWaived: sum(['滞纳金减免', 'Late fee waived'], ['Σ 期内减免', 'Σ waived in the period']),
  houses: integer(['收费户数', 'Houses charged'], {
    sortable: true,
    width: 100,
    help: ['期内有应收的户', 'Houses with a bill of the period'],
  }),
  owingHouses: integer(['欠费户数', 'Houses owing'], {
    sortable: true,
    width: 100,
    help: ['其中期末有欠费的户', 'Those of them that owe at the end'],
  }),
  houseRate: rate(
    ['户收缴率', 'Houses without debt'],
    ['无欠费户 ÷ 收费户', 'Charged houses without debt ÷ charged houses'],
  ),
};

const figure = (name: keyof typeof COLUMNS, kind: 'money' | 'percent' | 'integer') => ({
  label: COLUMNS[name].label,
  kind,
  scale: 1,
  formula: COLUMNS[name].help!,
});

/** How much of what is due comes in, by project, building, item or month. Source: group 06, Reports and drill. */
export const collection = defineReport({
  name: 'collection',
  menu: CHARGING_MENU,
  title: ['收费统计', 'Collection report'],
  purpose: [
    '应收、已收、往欠与清欠；点击数字查看对应账单或收款',
    'Receivable, received, owed and recovered; a click on a figure opens its bills or payments',
  ],
  parameters: {
    range: dateRange(['期间', 'Period'], { required: true }),
    basis: choice(['口径', 'Basis'], BASIS, { search: 'equals', placeholder: ['账期', 'Period'] }),
    project: ref('project', ['项目', 'Project'], { search: 'in' }),
    building: ref('building', ['楼栋', 'Building'], { search: 'in' }),
    item: ref('feeItem', ['收费项目', 'Fee item'], { search: 'in' }),
    by: choice(['维度', 'Rows by'], DIMENSIONS, { search: 'equals', placeholder: ['项目', 'Project'] }),
  },
  figures: {
    receivable: figure('receivable', 'money'),
    received: figure('received', 'money'),
    owed: figure('owed', 'money'),
    collectionRate: figure('collectionRate', 'percent'),
    clearanceRate: figure('clearanceRate', 'percent'),
    houseRate: figure('houseRate', 'percent'),
    prepaid: {
      label: ['预存余额', 'Prepaid'],
      kind: 'money',
      formula: ['Σ 所选项目房屋的预存余额', 'Σ prepaid money of the houses now'],
    },
  },
  charts: [
    {
      key: 'project',
      title: ['项目收缴率（%）', 'Collection rate by project (%)'],
      kind: 'bar',
      measures: ['collectionRate', 'owed'],
      drillMenu: CHARGING_MENU,
    },
    {
      key: 'month',
      title: ['月度收缴率（%）', 'Collection rate by month (%)'],
      kind: 'line',
      measures: ['collectionRate', 'lastYear'],
    },
    {
      key: 'age',
      title: ['欠费账龄（逾期天数）', 'What is overdue, by days'],
      kind: 'column',
      measures: ['owed'],
      drillMenu: CHARGING_MENU,
    },
    {
      key: 'channel',
      title: ['收款渠道', 'By channel'],
      kind: 'ring',
      measures: ['received'],
      drillMenu: 'cs_propertyBill',
    },
  ],
  fields: {
    name: text(['统计项', 'Of'], { sortable: true, width: 160 }),
    ...COLUMNS,
    /** The line beside that of the months. */
    lastYear: percent(['去年同期', 'Last year']),
    /** Filters of the bills, by column. */
    drill: json(['下钻条件', 'Drill']),
  },
  columns: ['name', ...Object.keys(COLUMNS)],
  sort: '-receivable',
  drills: ['receivable', 'received', 'owed', 'historicOwed'].map((column) => ({
    column,
    menu: CHARGING_MENU,
  })),
  maxDays: 366,
  export: true,
  exportSums: true,
});
