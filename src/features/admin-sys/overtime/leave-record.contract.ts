import { choice, integer, ref, text } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import {
  approvalFields,
  approvalSection,
  dayField,
  decisions,
  hoursField,
  manyStaff,
  ownerFields,
  reasonField,
  recordBase,
  recordTabs,
} from './record-parts.contract.ts';
import { RECORD_STATES, TIME_PATTERN } from './overtime.rules.ts';

/** One line that moves a staff's time-off balance: time off taken, overtime credited, lots expired, corrections. */
export const leaveRecord = defineResource({
  name: 'leaveRecord',
  ...recordBase,
  title: ['调休明细', 'Time off'],
  purpose: [
    '调休、入账、过期和调整逐笔列出，最后一笔余额等于汇总结余',
    'Every line of the balance; the last one equals the summary',
  ],
  fields: {
    ...ownerFields,
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
    day: { ...dayField, required: false, readOnly: true },
    startTime: text(['开始', 'Start'], { readOnly: true, width: 80 }),
    endTime: text(['结束', 'End'], { readOnly: true, width: 80 }),
    hours: hoursField(['时长', 'Hours']),
    lots: text(['使用批次（日期 分钟）', 'Lots used (date, minutes)'], { readOnly: true, width: 190 }),
    reason: { ...reasonField, required: false, readOnly: true },
    ...approvalFields,
    balance: {
      ...hoursField(['余额', 'Balance'], 90),
      help: [
        '到这一笔为止的结余，待审批的调休先行占用',
        'Balance up to this line; requests hold their hours while they wait',
      ],
    },
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
      recordTabs.all,
      recordTabs.mine,
      { key: 'leave', label: ['调休', 'Time off'], filter: { kind: 'leave' } },
      recordTabs.pending,
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
      approvalSection,
    ],
  },
  actions: {
    addLeave: {
      on: 'page',
      label: ['登记调休', 'Record time off'],
      element: 'btn_addLeave',
      input: {
        staff: manyStaff,
        day: dayField,
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
        reason: reasonField,
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
        reason: { ...reasonField, min: 2 },
      },
    },
    ...decisions({
      recordElement: 'btn_addLeave',
      cancel: [
        '撤销 {day} 的调休申请？占用的时间立即退回。',
        'Cancel the time off of {day}? Its hours come back at once.',
      ],
      void: ['作废后时间退回原批次。', 'Its hours go back to the lots they came from.'],
    }),
  },
});

export interface LeaveRecord extends Row<typeof leaveRecord> {}
