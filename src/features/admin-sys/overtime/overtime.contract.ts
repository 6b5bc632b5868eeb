import { boolean, date, dateRange, decimal, text, treeRef } from '../../../kernel/contract/fields.ts';
import { defineReport } from '../../../kernel/contract/report.ts';

const hours = { sortable: true, scale: 1, width: 100 } as const;

/** Overtime, time off and balance of every staff, in hours. */
export const overtime = defineReport({
  name: 'overtime',
  menu: 'workOvertimeManager',
  title: ['加班调休管理', 'Overtime and time off'],
  purpose: [
    '时长单位为小时；加班、可调休、已调休、已过期按所选时间统计，待审批与结余为当前值',
    'In hours; overtime, credit, use and expiry follow the period, pending and balance are as of now',
  ],
  parameters: {
    range: dateRange(['时间范围', 'Period'], { required: true }),
    keyword: text(['工号/姓名', 'No. or name'], { search: 'contains', max: 40 }),
    department: treeRef('department', ['部门', 'Department'], { search: 'in' }),
    positive: boolean(['有结余', 'Balance above 0'], { search: 'equals' }),
    expiring: boolean(['30天内到期', 'Expiring in 30 days'], { search: 'equals' }),
  },
  figures: {
    overtime: {
      label: ['加班时长（小时）', 'Overtime (h)'],
      kind: 'integer',
      formula: ['所选时间内已通过的加班', 'Approved overtime of the period'],
    },
    used: {
      label: ['已调休（小时）', 'Used (h)'],
      kind: 'integer',
      formula: ['所选时间内已通过的调休', 'Approved time off of the period'],
    },
    pending: {
      label: ['待审批（小时）', 'Pending (h)'],
      kind: 'integer',
      formula: ['当前待审批的加班与调休之和', 'Overtime and time off waiting for approval now'],
    },
    balance: {
      label: ['结余（小时）', 'Balance (h)'],
      kind: 'integer',
      formula: [
        '入账 − 调休 − 过期 ± 调整，待审批的调休先行占用',
        'Credit − time off − expiry ± adjustments; requests hold their hours',
      ],
    },
  },
  charts: [],
  fields: {
    staffNo: text(['工号', 'Staff no.'], { sortable: true, width: 110 }),
    name: text(['姓名', 'Name'], { sortable: true, width: 110 }),
    department: text(['部门', 'Department'], { sortable: true, width: 150 }),
    overtime: decimal(['加班时长', 'Overtime'], hours),
    compensable: decimal(['可调休', 'Compensable'], { ...hours, width: 126 }),
    used: decimal(['已调休', 'Used'], hours),
    expired: decimal(['已过期', 'Expired'], hours),
    pending: decimal(['待审批', 'Pending'], hours),
    balance: decimal(['结余', 'Balance'], hours),
    nextExpiry: date(['最近到期', 'Next expiry'], { sortable: true, width: 120 }),
  },
  columns: [
    'staffNo',
    'name',
    'department',
    'overtime',
    'compensable',
    'used',
    'expired',
    'pending',
    'balance',
    'nextExpiry',
  ],
  sort: 'staffNo',
  maxDays: 731,
  export: true,
});
