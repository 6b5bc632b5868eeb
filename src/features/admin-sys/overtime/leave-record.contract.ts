import {
  choice,
  date,
  decimal,
  instant,
  integer,
  longText,
  ref,
  refs,
  text,
  treeRef,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { RECORD_STATES, TIME_PATTERN } from './overtime.rules.ts';

const opinion = longText(['审批意见', 'Opinion'], { max: 200 });
const reason = longText(['事由', 'Reason'], { required: true, max: 200 });

/** One line that moves a staff's time-off balance: time off taken, overtime credited, lots expired, corrections. */
export const leaveRecord = defineResource({
  name: 'leaveRecord',
  menu: 'workOvertimeManager',
  base: '/admin',
  titleField: 'day',
  title: ['调休明细', 'Time off'],
  purpose: [
    '调休、入账、过期和调整逐笔列出，最后一笔余额等于汇总结余',
    'Every line of the balance; the last one equals the summary',
  ],
  fields: {
    staff: ref('staff', ['员工', 'Staff'], { readOnly: true, search: 'in', width: 100 }),
    department: treeRef('department', ['部门', 'Department'], { readOnly: true, search: 'in', width: 120 }),
    kind: choice(
      ['类型', 'Kind'],
      {
        leave: { label: ['调休', 'Time off'] },
        credit: { label: ['加班入账', 'Credit'] },
        expiry: { label: ['过期', 'Expiry'] },
        adjustment: { label: ['调整', 'Adjustment'] },
      },
      { readOnly: true, search: 'in', width: 90 },
    ),
    day: date(['日期', 'Date'], { readOnly: true, search: 'range', sortable: true, width: 110 }),
    startTime: text(['开始', 'Start'], { readOnly: true, width: 80 }),
    endTime: text(['结束', 'End'], { readOnly: true, width: 80 }),
    hours: decimal(['时长', 'Hours'], { readOnly: true, scale: 1, width: 80, unit: ['小时', 'h'] }),
    lots: text(['使用批次（日期 分钟）', 'Lots used (date, minutes)'], { readOnly: true, width: 190 }),
    reason: longText(['事由', 'Reason'], { readOnly: true, width: 180 }),
    recorder: text(['登记人', 'Recorded by'], { readOnly: true, width: 90 }),
    approver: text(['审批人', 'Approver'], { readOnly: true, width: 110 }),
    opinion: longText(['审批意见', 'Opinion'], { readOnly: true, width: 160 }),
    createdAt: instant(['登记时间', 'Recorded'], {
      readOnly: true,
      sortable: true,
      search: 'range',
      width: 120,
    }),
    balance: decimal(['余额', 'Balance'], {
      readOnly: true,
      scale: 1,
      width: 90,
      unit: ['小时', 'h'],
      help: [
        '到这一笔为止的结余，待审批的调休先行占用',
        'Balance up to this line; requests hold their hours while they wait',
      ],
    }),
  },
  states: RECORD_STATES,
  list: {
    columns: [
      'day',
      'startTime',
      'endTime',
      'staff',
      'kind',
      'hours',
      'lots',
      'state',
      'reason',
      'recorder',
      'approver',
      'balance',
    ],
    filters: ['staff', 'department', 'kind', 'day', 'state'],
    sort: '-createdAt',
    link: 'day',
    export: true,
    tabs: [
      { key: 'all', label: ['全部', 'All'] },
      { key: 'mine', label: ['待我审批', 'Waiting for me'], named: true },
      { key: 'leave', label: ['调休', 'Time off'], filter: { kind: 'leave' } },
      { key: 'pending', label: ['待审批', 'Pending'], filter: { state: 'pending' } },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['调休', 'Time off'],
        fields: [
          'staff',
          'department',
          'kind',
          'day',
          'startTime',
          'endTime',
          'hours',
          'lots',
          'balance',
          'reason',
        ],
      },
      { title: ['审批', 'Approval'], fields: ['recorder', 'createdAt', 'approver', 'opinion'] },
    ],
  },
  actions: {
    addLeave: {
      on: 'page',
      label: ['登记调休', 'Record time off'],
      element: 'btn_addLeave',
      input: {
        staff: refs('staff', ['员工', 'Staff'], {
          required: true,
          max: 100,
          help: ['可同时为多人登记', 'Several staff at once'],
        }),
        day: date(['日期', 'Date'], { required: true }),
        part: choice(
          ['时段', 'Part of the day'],
          {
            time: { label: ['指定时间', 'From – to'] },
            morning: { label: ['上午', 'Morning'] },
            afternoon: { label: ['下午', 'Afternoon'] },
          },
          { required: true, help: ['半天按4小时计', 'Half a day counts 4 hours'] },
        ),
        startTime: text(['开始', 'Start'], { pattern: TIME_PATTERN }),
        endTime: text(['结束', 'End'], { pattern: TIME_PATTERN }),
        reason,
      },
    },
    adjust: {
      on: 'page',
      label: ['调整余额', 'Adjust balance'],
      element: 'btn_adjust',
      input: {
        staff: ref('staff', ['员工', 'Staff'], { required: true }),
        minutes: integer(['调整', 'Adjustment'], {
          required: true,
          min: -12_000,
          max: 12_000,
          unit: ['分钟', 'min'],
          help: ['正数增加，负数减少，30分钟的倍数', 'Positive adds, negative takes; multiples of 30'],
        }),
        reason: { ...reason, min: 2 },
      },
    },
    approve: {
      on: 'rowAndBulk',
      label: ['通过', 'Approve'],
      element: 'btn_approve',
      tone: 'primary',
      from: ['pending'],
      to: 'approved',
      input: { opinion },
    },
    reject: {
      on: 'rowAndBulk',
      label: ['驳回', 'Reject'],
      element: 'btn_approve',
      tone: 'danger',
      from: ['pending'],
      to: 'rejected',
      input: { opinion: { ...opinion, required: true, min: 2 } },
    },
    cancel: {
      on: 'row',
      label: ['撤销', 'Cancel'],
      element: 'btn_addLeave',
      from: ['pending'],
      to: 'cancelled',
      confirm: [
        '撤销 {day} 的调休申请？占用的时间立即退回。',
        'Cancel the time off of {day}? Its hours come back at once.',
      ],
    },
    void: {
      on: 'row',
      label: ['作废', 'Void'],
      element: 'btn_void',
      tone: 'danger',
      from: ['approved'],
      to: 'void',
      confirm: ['作废后时间退回原批次。', 'Its hours go back to the lots they came from.'],
      input: { reason: longText(['原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
  },
});

export interface LeaveRecord extends Row<typeof leaveRecord> {}
