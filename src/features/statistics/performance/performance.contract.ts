import {
  boolean,
  choice,
  date,
  dateRange,
  decimal,
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
import type { Label } from '../../../kernel/contract/label.ts';
import { METRICS, monthsOf, SUBJECTS } from './performance.rules.ts';

/** Menu of results; the details are a mode of it. */
export const ACHIEVEMENT_MENU = 'sa_achievement';

const range = dateRange(['月份', 'Months'], { required: true });
const metric = choice(['指标', 'Metric'], METRICS, {
  search: 'equals',
  placeholder: ['有效销售', 'Valid sales'],
});
const subjectKind = choice(['对象', 'Of'], SUBJECTS, { search: 'equals', placeholder: ['员工', 'Staff'] });
const rangeRule = (from: string, to: string): Label | undefined =>
  monthsOf(from, to).length > 12 ? ['最多选择12个月', 'At most 12 months'] : undefined;
const months: Label = ['按所选日期涉及的整月统计', 'All months the dates touch count as a whole'];
const target: Label = ['期间各月目标之和', 'Sum of the targets of the months'];
const actual: Label = ['期间数据之和', 'Sum of the rows of the months'];
const forecast: Label = [
  '实际 ÷ 已过天数 × 总天数，满 3 天后给出',
  'Actual ÷ days gone × days of the period, once three are over',
];
const completion: Label = ['实际 ÷ 目标', 'Actual ÷ target'];

/** A value that is money or a number by the metric: one of two columns is shown. */
const both = (name: string, label: Label, help?: Label) => ({
  [name]: money(label, { sortable: true, width: 130, ...(help && { help }) }),
  [`${name}N`]: integer(label, { sortable: true, width: 110, ...(help && { help }) }),
});
const figures = (name: string, label: Label, formula: Label) => ({
  [name]: { label, kind: 'money' as const, formula },
  [`${name}N`]: { label, kind: 'integer' as const, formula },
});

/** Who reached how much of the target in some months. Source: group 18, sa_achievement. */
export const achievement = defineReport({
  name: 'achievement',
  menu: ACHIEVEMENT_MENU,
  title: ['业绩统计', 'Performance'],
  purpose: months,
  parameters: {
    range,
    subjectKind,
    metric,
    department: treeRef('department', ['部门', 'Department'], { search: 'in' }),
    project: ref('project', ['项目', 'Project'], { search: 'in' }),
    keyword: text(['名称', 'Name'], { search: 'contains', max: 60 }),
  },
  figures: {
    ...figures('target', ['目标', 'Target'], target),
    ...figures('total', ['实际', 'Actual'], actual),
    completion: { label: ['完成率', 'Completion'], kind: 'percent', formula: completion },
    progress: {
      label: ['时间进度', 'Time gone'],
      kind: 'percent',
      formula: ['已过天数 ÷ 总天数', 'Days gone ÷ days of the period'],
    },
    ...figures('forecast', ['预测', 'Forecast'], forecast),
  },
  charts: [
    {
      key: 'top',
      title: ['目标与实际', 'Target and actual'],
      kind: 'bar',
      measures: ['actual', 'target'],
    },
    { key: 'months', title: ['近12个月', 'Last 12 months'], kind: 'line', measures: ['actual', 'target'] },
  ],
  fields: {
    rank: integer(['排名', 'Rank'], { sortable: true, width: 80 }),
    name: text(['名称', 'Name'], { sortable: true, width: 150 }),
    department: text(['部门', 'Department'], { sortable: true, width: 150 }),
    ...both('target', ['目标', 'Target'], target),
    ...both('actual', ['实际', 'Actual'], actual),
    completion: percent(['完成率', 'Completion'], { scale: 1, sortable: true, width: 120, help: completion }),
    progress: percent(['时间进度', 'Time gone'], { scale: 1, width: 110 }),
    pace: choice(['进度', 'Pace'], {
      success: { label: ['达标', 'On pace'], tone: 'success' },
      warning: { label: ['略慢', 'A little behind'], tone: 'warning' },
      error: { label: ['落后', 'Behind'], tone: 'error' },
    }),
    ...both('gap', ['差额', 'Gap'], ['实际 − 目标', 'Actual − target']),
    change: percent(['环比', 'Month before'], {
      scale: 1,
      sortable: true,
      width: 110,
      help: ['与之前相同天数相比', 'Against the same number of days before'],
    }),
    yearChange: percent(['同比', 'Year before'], { scale: 1, sortable: true, width: 110 }),
    ...both('forecast', ['预测', 'Forecast'], forecast),
    /** Query of the details of a row. */
    drill: json(['下钻条件', 'Drill']),
  },
  columns: [
    'rank',
    'name',
    'department',
    'target',
    'targetN',
    'actual',
    'actualN',
    'completion',
    'progress',
    'pace',
    'gap',
    'gapN',
    'change',
    'yearChange',
    'forecast',
    'forecastN',
  ],
  sort: 'rank',
  rangeRule,
  export: true,
  exportSums: true,
});

/** What somebody's result is made of. Source: group 18, achievementDetails. */
export const achievementDetail = defineReport({
  name: 'achievementDetail',
  menu: ACHIEVEMENT_MENU,
  title: ['业绩明细', 'Performance detail'],
  purpose: months,
  parameters: {
    range,
    isAdmin: choice(
      ['范围', 'Whose'],
      { '0': { label: ['本人', 'My own'] }, '1': { label: ['指定对象', 'Of a subject'] } },
      { search: 'equals', placeholder: ['本人', 'My own'] },
    ),
    metric,
    subjectKind,
    subjectId: text(['对象编号', 'Subject id'], { search: 'equals', max: 15 }),
  },
  figures: {
    ...figures('target', ['目标', 'Target'], target),
    ...figures('actual', ['实际', 'Actual'], actual),
    completion: { label: ['完成率', 'Completion'], kind: 'percent', formula: completion },
    ...figures('forecast', ['预测', 'Forecast'], forecast),
    rank: {
      label: ['部门内排名', 'Rank in the department'],
      kind: 'integer',
      formula: ['同部门员工按实际排序', 'Staff of the same department by actual'],
    },
  },
  charts: [
    {
      key: 'curve',
      title: ['累计与目标', 'Summed up, and the target'],
      kind: 'line',
      measures: ['actual', 'target'],
    },
    { key: 'day', title: ['每日', 'By day'], kind: 'line', measures: ['actual'] },
  ],
  fields: {
    code: text(['单号', 'Number'], { sortable: true, width: 230 }),
    day: date(['日期', 'Day'], { sortable: true, width: 110 }),
    project: text(['项目', 'Project'], { sortable: true, width: 150 }),
    staff: text(['员工', 'Staff'], { sortable: true, width: 110 }),
    ...both('value', ['数值', 'Value']),
    correction: boolean(['更正', 'Correction'], { width: 90 }),
  },
  columns: ['code', 'day', 'project', 'staff', 'value', 'valueN', 'correction'],
  sort: '-day',
  rangeRule,
  export: true,
  exportSums: true,
});

/** What is expected of a staff, department or project in a month. */
export const performanceTarget = defineResource({
  name: 'performanceTarget',
  menu: ACHIEVEMENT_MENU,
  title: ['业绩目标', 'Targets'],
  noun: ['目标', 'Target'],
  titleField: 'month',
  stamps: true,
  fields: {
    month: text(['月份', 'Month'], {
      required: true,
      createOnly: true,
      max: 7,
      search: 'equals',
      sortable: true,
      width: 100,
      help: ['如 2026-11', 'Such as 2026-11'],
    }),
    subjectKind: choice(['对象', 'Of'], SUBJECTS, {
      required: true,
      createOnly: true,
      search: 'in',
      width: 90,
    }),
    staff: ref('staff', ['员工', 'Staff'], { createOnly: true, search: 'in', width: 120 }),
    department: treeRef('department', ['部门', 'Department'], { createOnly: true, search: 'in', width: 150 }),
    project: ref('project', ['项目', 'Project'], { createOnly: true, search: 'in', width: 150 }),
    metric: choice(['指标', 'Metric'], METRICS, {
      required: true,
      createOnly: true,
      search: 'in',
      width: 120,
    }),
    amount: money(['目标金额', 'Target amount'], { sortable: true, width: 130 }),
    number: integer(['目标数量', 'Target number'], { sortable: true, width: 110 }),
    confirmedAt: instant(['确认时间', 'Confirmed'], { readOnly: true, width: 150 }),
  },
  states: {
    draft: { label: ['草稿', 'Draft'], tone: 'default' },
    confirmed: { label: ['已确认', 'Confirmed'], tone: 'success' },
  },
  list: {
    columns: [
      'month',
      'subjectKind',
      'staff',
      'department',
      'project',
      'metric',
      'amount',
      'number',
      'state',
      'confirmedAt',
      'updater',
      'updatedAt',
    ],
    filters: ['month', 'subjectKind', 'staff', 'department', 'project', 'metric', 'state'],
    sort: '-createdAt',
    export: true,
    empty: ['还没有目标', 'There are no targets yet'],
  },
  form: {
    sections: [
      {
        title: ['目标', 'Target'],
        fields: ['month', 'metric', 'subjectKind', 'staff', 'department', 'project', 'amount', 'number'],
      },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['目标', 'Target'],
        fields: [
          'month',
          'metric',
          'subjectKind',
          'staff',
          'department',
          'project',
          'amount',
          'number',
          'confirmedAt',
        ],
      },
    ],
  },
  elements: {
    btn_export: ['导出', 'Export'],
    btn_viewAll: ['查看全部业绩', 'See everybody'],
    btn_closeMonth: ['月度关账', 'Close a month'],
  },
  actions: {
    create: {
      on: 'page',
      label: ['新增目标', 'Add a target'],
      element: 'btn_target',
      tone: 'primary',
      to: 'draft',
    },
    copyMonth: {
      on: 'page',
      label: ['复制月份', 'Copy a month'],
      element: 'btn_target',
      input: {
        source: text(['来源月份', 'From'], { required: true, max: 7, placeholder: ['2026-11', '2026-11'] }),
        copyTo: text(['目标月份', 'To'], { required: true, max: 7, placeholder: ['2026-12', '2026-12'] }),
        percent: decimal(['增减 %', 'More or less, %'], {
          required: true,
          initial: '0',
          min: -90,
          max: 900,
          help: [
            '如 10 为增加 10%，-5 为减少 5%；已有目标的对象保持不变',
            '10 is a tenth more, -5 a twentieth less; who has a target already keeps it',
          ],
        }),
      },
      message: ['已复制 {targets} 个目标', '{targets} targets were copied'],
    },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_target', from: ['draft'] },
    confirm: {
      on: 'row',
      label: ['确认', 'Confirm'],
      element: 'btn_target',
      from: ['draft'],
      to: 'confirmed',
    },
    change: {
      on: 'row',
      label: ['变更', 'Change'],
      element: 'btn_target',
      from: ['confirmed'],
      input: {
        amount: money(['目标金额', 'Target amount']),
        number: integer(['目标数量', 'Target number']),
        reason: text(['原因', 'Reason'], { required: true, min: 2, max: 200 }),
      },
    },
    split: {
      on: 'row',
      label: ['分解到员工', 'Split over staff'],
      element: 'btn_target',
      from: ['draft', 'confirmed'],
      confirm: [
        '按上季度实际分解到部门现有员工，已有的草稿目标会被覆盖',
        'Splits it over the present staff by the actual of the last quarter; draft targets they have are replaced',
      ],
      message: ['已分解到 {staff} 名员工', 'Split over {staff} staff'],
    },
    remove: { on: 'row', label: ['删除', 'Delete'], element: 'btn_target', from: ['draft'], tone: 'danger' },
  },
});
