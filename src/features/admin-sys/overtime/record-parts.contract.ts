import {
  date,
  decimal,
  instant,
  longText,
  ref,
  refs,
  text,
  treeRef,
} from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import type { ActionSpec } from '../../../kernel/contract/resource.ts';

const opinion = longText(['审批意见', 'Opinion'], { max: 200 });

/** A number of hours with one decimal. */
export const hoursField = (label: Label, width = 80) =>
  decimal(label, { readOnly: true, scale: 1, width, unit: ['小时', 'h'] });

/** Why somebody worked or stays away. */
export const reasonField = longText(['事由', 'Reason'], { required: true, max: 200, width: 200 });

/** Several staff of one record form. */
export const manyStaff = refs('staff', ['员工', 'Staff'], {
  required: true,
  max: 100,
  help: ['可同时为多人登记', 'Several staff at once'],
});

/** Whose record it is. */
export const ownerFields = {
  staff: ref('staff', ['员工', 'Staff'], { readOnly: true, search: 'in', width: 100 }),
  department: treeRef('department', ['部门', 'Department'], { readOnly: true, search: 'in', width: 120 }),
} as const;

/** The day of a record, typed (overtime) or shown. */
export const dayField = date(['日期', 'Date'], {
  required: true,
  search: 'range',
  sortable: true,
  width: 110,
});

/** Who recorded it and who decides. */
export const approvalFields = {
  recorder: text(['登记人', 'Recorded by'], { readOnly: true, width: 90 }),
  approver: text(['审批人', 'Approver'], { readOnly: true, width: 110 }),
  opinion: { ...opinion, readOnly: true, width: 160 },
  createdAt: instant(['登记时间', 'Recorded'], {
    readOnly: true,
    sortable: true,
    search: 'range',
    width: 120,
  }),
} as const;

/** The part of a detail that tells of the approval. */
export const approvalSection = {
  title: ['审批', 'Approval'],
  fields: ['recorder', 'createdAt', 'approver', 'opinion'],
} as const;

/** What overtime and time off are alike: two lists of one menu, each row known by its day. */
export const recordBase = { menu: 'workOvertimeManager', base: '/admin', titleField: 'day' } as const;

/** Tabs of both lists; each list has one of its own between or behind them. */
export const recordTabs = {
  all: { key: 'all', label: ['全部', 'All'] },
  mine: { key: 'mine', label: ['待我审批', 'Waiting for me'], named: true },
  pending: { key: 'pending', label: ['待审批', 'Pending'], filter: { state: 'pending' } },
} as const;

/** What a decision may come to: where others are asked too, the record waits on. */
const DECIDED = ['approved', 'rejected', 'pending'] as const;

/** Decision, withdrawal and voiding: the same for overtime and time off but for the words of the questions. */
export function decisions(words: {
  /** Element that lets somebody record, and so take back. */
  readonly recordElement: string;
  readonly cancel: Label;
  readonly void: Label;
}): Readonly<Record<'approve' | 'reject' | 'cancel' | 'void', ActionSpec>> {
  return {
    approve: {
      on: 'rowAndBulk',
      label: ['通过', 'Approve'],
      element: 'btn_approve',
      tone: 'primary',
      from: ['pending'],
      to: DECIDED,
      input: { opinion },
    },
    reject: {
      on: 'rowAndBulk',
      label: ['驳回', 'Reject'],
      element: 'btn_approve',
      tone: 'danger',
      from: ['pending'],
      to: DECIDED,
      input: { opinion: { ...opinion, required: true, min: 2 } },
    },
    cancel: {
      on: 'row',
      label: ['撤销', 'Cancel'],
      element: words.recordElement,
      from: ['pending'],
      to: 'cancelled',
      confirm: words.cancel,
    },
    void: {
      on: 'row',
      label: ['作废', 'Void'],
      element: 'btn_void',
      tone: 'danger',
      from: ['approved'],
      to: 'void',
      confirm: words.void,
      input: { reason: longText(['原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
  };
}
