import {
  choice,
  date,
  dateRange,
  decimal,
  integer,
  json,
  money,
  percent,
  ref,
  text,
  treeRef,
} from '../../../kernel/contract/fields.ts';
import { defineReport } from '../../../kernel/contract/report.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { monthsIn, MARKS } from './business-marks.rules.ts';
import { PERSON_MENU } from './business-person.contract.ts';

const range = dateRange(['月份', 'Months'], { required: true });
const rangeRule = (from: string, to: string): Label | undefined =>
  monthsIn(from, to).length > 12 ? ['最多选择12个月', 'At most 12 months'] : undefined;
const months: Label = ['按所选日期涉及的整月统计', 'All months the dates touch count as a whole'];
const signed: Label = [
  '期间审批通过的合同总额，归审批时的负责人',
  'Contracts approved in the time, of who owned them then',
];
const received: Label = [
  '上述负责人合同应收的已确认收款',
  'Confirmed receipts on what those contracts bring in',
];
const completion: Label = ['签约额 ÷ 签约额目标', 'Signed ÷ target of the signed amount'];
const person = ref('businessStaff', ['人员', 'Person'], { search: 'in' });
const project = ref('project', ['项目', 'Project'], { search: 'in' });
const department = treeRef('department', ['部门', 'Department'], { search: 'in' });

/** What business people won: funnel, losses, contracts, money and the pool. Source: group 20, reports and drill. */
export const businessReport = defineReport({
  name: 'businessReport',
  menu: PERSON_MENU,
  title: ['招商业绩', 'Performance'],
  purpose: months,
  parameters: { range, person, department, project },
  figures: {
    fresh: {
      label: ['新增客户', 'New clients'],
      kind: 'integer',
      formula: ['新建、认领或分配所得', 'Created, claimed or assigned'],
    },
    signed: { label: ['签约额', 'Signed'], kind: 'money', formula: signed },
    received: { label: ['回款', 'Received'], kind: 'money', formula: received },
    target: {
      label: ['签约额目标', 'Target'],
      kind: 'money',
      formula: ['期间各月目标之和', 'Sum of the targets of the months'],
    },
    completion: { label: ['目标完成', 'Of the target'], kind: 'percent', formula: completion },
    lost: {
      label: ['流失', 'Lost'],
      kind: 'integer',
      formula: ['期间进入流失的客户', 'Clients lost in the time'],
    },
    poolIn: {
      label: ['进入公海', 'Into the pool'],
      kind: 'integer',
      formula: ['退回与自动进入', 'Released or moved by itself'],
    },
    poolClaimed: {
      label: ['公海认领', 'Claimed'],
      kind: 'integer',
      formula: ['期间认领次数', 'Claims in the time'],
    },
    poolSigned: {
      label: ['认领后签约', 'Claimed and signed'],
      kind: 'integer',
      formula: ['期间认领、90 天内签约', 'Claimed in the time and signed within 90 days'],
    },
  },
  charts: [
    // Lines keep the order of the stages.
    {
      key: 'funnel',
      title: ['转化漏斗', 'Funnel'],
      kind: 'line',
      measures: ['clients', 'conversion'],
      drillMenu: PERSON_MENU,
    },
    {
      key: 'days',
      title: ['各阶段平均天数', 'Average days per stage'],
      kind: 'line',
      measures: ['days'],
      drillMenu: PERSON_MENU,
    },
    {
      key: 'lost',
      title: ['流失原因', 'Lost because'],
      kind: 'ring',
      measures: ['clients'],
      drillMenu: PERSON_MENU,
    },
    {
      key: 'people',
      title: ['人员', 'By person'],
      kind: 'bar',
      measures: ['signed', 'received', 'target'],
      drillMenu: PERSON_MENU,
    },
    {
      key: 'projects',
      title: ['项目', 'By project'],
      kind: 'bar',
      measures: ['signed', 'received'],
      drillMenu: PERSON_MENU,
    },
    {
      key: 'months',
      title: ['近12个月', 'Last 12 months'],
      kind: 'line',
      measures: ['signed', 'received', 'target'],
      drillMenu: PERSON_MENU,
    },
  ],
  fields: {
    name: text(['人员', 'Person'], { sortable: true, width: 130 }),
    department: text(['部门', 'Department'], { sortable: true, width: 140 }),
    fresh: integer(['新增客户', 'New clients'], { sortable: true, width: 100 }),
    follow: integer(['跟进', 'Follow-ups'], { sortable: true, width: 90 }),
    visit: integer(['拜访与看铺', 'Visits'], { sortable: true, width: 110 }),
    contracts: integer(['签约数', 'Contracts'], { sortable: true, width: 90 }),
    signed: money(['签约额', 'Signed'], { sortable: true, width: 130, help: signed }),
    received: money(['回款', 'Received'], { sortable: true, width: 130, help: received }),
    target: money(['签约额目标', 'Target'], { sortable: true, width: 130 }),
    completion: percent(['目标完成', 'Of the target'], { sortable: true, width: 110, help: completion }),
    lost: integer(['流失', 'Lost'], { sortable: true, width: 80 }),
    poolIn: integer(['进入公海', 'Into the pool'], { sortable: true, width: 100 }),
    poolClaimed: integer(['公海认领', 'Claimed'], { sortable: true, width: 100 }),
    poolSigned: integer(['认领后签约', 'Claimed and signed'], { sortable: true, width: 110 }),
    clients: integer(['客户数', 'Clients']),
    conversion: percent(['转入下一阶段 %', 'Went on, %']),
    days: decimal(['平均天数', 'Average days']),
    /** Query of the rows behind a figure. */
    drill: json(['下钻条件', 'Drill']),
  },
  columns: [
    'name',
    'department',
    'fresh',
    'follow',
    'visit',
    'contracts',
    'signed',
    'received',
    'target',
    'completion',
    'lost',
    'poolIn',
    'poolClaimed',
    'poolSigned',
  ],
  drills: [
    'fresh',
    'follow',
    'visit',
    'contracts',
    'signed',
    'received',
    'lost',
    'poolIn',
    'poolClaimed',
    'poolSigned',
  ].map((column) => ({ column, menu: PERSON_MENU })),
  sort: '-signed',
  rangeRule,
  export: true,
  exportSums: true,
});

/** The clients, contracts and payments behind a figure. */
export const businessMarks = defineReport({
  name: 'businessMarks',
  menu: PERSON_MENU,
  title: ['业绩明细', 'Rows behind the figures'],
  purpose: months,
  parameters: {
    range,
    mark: choice(['内容', 'What'], MARKS, {
      search: 'equals',
      placeholder: ['签约合同', 'Contracts signed'],
    }),
    person,
    department,
    project,
    reason: ref('bizDict.client_lost_reason', ['流失原因', 'Lost because'], { search: 'in' }),
  },
  figures: {
    rows: { label: ['行数', 'Rows'], kind: 'integer', formula: ['本页所列', 'What is listed here'] },
    amount: { label: ['金额', 'Amount'], kind: 'money', formula: ['签约额或回款', 'Signed or received'] },
    days: {
      label: ['平均天数', 'Average days'],
      kind: 'integer',
      formula: ['停留天数的平均', 'Average of the days'],
    },
  },
  charts: [],
  fields: {
    code: text(['编号', 'Code'], { sortable: true, width: 170 }),
    client: text(['客户', 'Client'], { sortable: true, width: 180 }),
    day: date(['日期', 'Day'], { sortable: true, width: 110 }),
    staff: text(['人员', 'Person'], { sortable: true, width: 110 }),
    projects: text(['项目', 'Projects'], { width: 160 }),
    note: text(['说明', 'About it'], { width: 220 }),
    amount: money(['金额', 'Amount'], { sortable: true, width: 130 }),
    days: decimal(['天数', 'Days'], { sortable: true, width: 90 }),
    /** Page of the contract or client. */
    drill: json(['打开', 'Opens']),
  },
  columns: ['code', 'client', 'day', 'staff', 'projects', 'note', 'amount', 'days'],
  sort: '-day',
  rangeRule,
  export: true,
  exportSums: true,
});
