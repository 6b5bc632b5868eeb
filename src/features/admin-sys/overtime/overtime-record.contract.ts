import { choice, date, file, longText, text } from '../../../kernel/contract/fields.ts';
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
import { DAY_TYPES, RECORD_STATES, TIME_PATTERN } from './overtime.rules.ts';

const compensation = {
  time_off: { label: ['调休', 'Time off'] },
  pay: { label: ['加班费', 'Pay'] },
} as const;
const startTime = text(['开始', 'Start'], { required: true, pattern: TIME_PATTERN, width: 80 });
const endTime = text(['结束', 'End'], {
  required: true,
  pattern: TIME_PATTERN,
  width: 80,
  help: ['早于开始时间表示次日', 'Earlier than the start means the next day'],
});
const paidBy = choice(['补偿方式', 'Compensation'], compensation, {
  required: true,
  search: 'in',
  width: 100,
  help: ['法定假日只能计加班费', 'Holidays are paid only'],
});
const attachment = file(['附件', 'Attachment']);
const overReason = longText(['超限原因', 'Reason for going over'], {
  max: 200,
  help: [
    '超过单日或当月上限时填写，需要「超限登记」权限',
    'Needed beyond the limit of a day or month, with the right to override',
  ],
});

/** What is typed, when recording and when changing. */
const typed = {
  day: dayField,
  startTime,
  endTime,
  compensation: paidBy,
  reason: reasonField,
  attachment,
  overReason,
};

/** One stretch of work beyond the plan of one staff, with what it is worth. */
export const overtimeRecord = defineResource({
  name: 'overtimeRecord',
  ...recordBase,
  title: ['加班记录', 'Overtime'],
  purpose: [
    '加班登记与审批；通过后按比例折算为可调休时间',
    'Overtime and its approval; approved hours are credited as time off',
  ],
  fields: {
    ...ownerFields,
    day: dayField,
    startTime,
    endTime,
    dayType: choice(['日类型', 'Day type'], DAY_TYPES, { readOnly: true, search: 'in', width: 90 }),
    hours: hoursField(['时长', 'Hours']),
    credited: hoursField(['折算', 'Credited']),
    compensation: paidBy,
    used: hoursField(['已用', 'Used']),
    expiresOn: date(['到期', 'Expires'], { readOnly: true, width: 110 }),
    reason: reasonField,
    attachment,
    overReason,
    ...approvalFields,
  },
  states: RECORD_STATES,
  list: {
    columns: [
      'day',
      'startTime',
      'endTime',
      'staff',
      'department',
      'dayType',
      'hours',
      'credited',
      'compensation',
      'used',
      'expiresOn',
      'state',
      'reason',
      'recorder',
      'approver',
    ],
    filters: ['staff', 'department', 'day', 'dayType', 'compensation', 'state'],
    sort: '-day',
    link: 'day',
    export: true,
    tabs: [
      recordTabs.all,
      recordTabs.mine,
      recordTabs.pending,
      { key: 'approved', label: ['已通过', 'Approved'], filter: { state: 'approved' } },
    ],
  },
  form: {
    sections: [
      {
        title: ['加班', 'Overtime'],
        note: ['修改后重新提交审批', 'A change is submitted for approval again'],
        fields: Object.keys(typed),
      },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['加班', 'Overtime'],
        fields: [
          'staff',
          'department',
          'day',
          'startTime',
          'endTime',
          'dayType',
          'hours',
          'credited',
          'compensation',
          'used',
          'expiresOn',
          'reason',
          'attachment',
          'overReason',
        ],
      },
      approvalSection,
    ],
  },
  elements: { btn_override: ['超限登记', 'Override limits'], btn_import: ['导入', 'Import'] },
  actions: {
    addOvertime: {
      on: 'page',
      label: ['登记加班', 'Record overtime'],
      element: 'btn_addOvertime',
      tone: 'primary',
      input: { staff: manyStaff, ...typed },
    },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_addOvertime', from: ['pending'] },
    ...decisions({
      recordElement: 'btn_addOvertime',
      cancel: ['撤销 {day} 的加班登记？', 'Cancel the overtime of {day}?'],
      void: ['作废后折算的调休同时取消。', 'The time off credited for it goes too.'],
    }),
  },
});

export interface OvertimeRecord extends Row<typeof overtimeRecord> {}
