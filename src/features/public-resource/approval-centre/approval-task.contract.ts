import {
  boolean,
  choice,
  code,
  instant,
  integer,
  json,
  longText,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';
import { BUSINESS_TYPES } from '../../../domain/approval/business-types.rules.ts';

/** States of an approval. */
export const RUN_STATES = {
  running: { label: ['审批中', 'Running'], tone: 'processing' },
  passed: { label: ['已通过', 'Approved'], tone: 'success' },
  refused: { label: ['已驳回', 'Rejected'], tone: 'error' },
  withdrawn: { label: ['已撤回', 'Withdrawn'], tone: 'paused' },
  cancelled: { label: ['已终止', 'Cancelled'], tone: 'paused' },
} as const;

/** What became of one person's task. */
export const TASK_STATES = {
  waiting: { label: ['等待', 'Waiting'], tone: 'default' },
  pending: { label: ['待处理', 'To do'], tone: 'processing' },
  approved: { label: ['同意', 'Approved'], tone: 'success' },
  refused: { label: ['不同意', 'Rejected'], tone: 'error' },
  returned: { label: ['退回', 'Returned'], tone: 'warning' },
  transferred: { label: ['转办', 'Handed on'], tone: 'default' },
  cancelled: { label: ['已取消', 'Cancelled'], tone: 'paused' },
  read: { label: ['已阅', 'Read'], tone: 'default' },
} as const;

/** How a task came to who has it. */
export const VIAS = {
  none: { label: ['直接', 'Directly'] },
  standin: { label: ['代理', 'Stand-in'] },
  transfer: { label: ['转办', 'Handed on'] },
  escalation: { label: ['超时上报', 'Escalated'] },
  replacement: { label: ['改派', 'Reassigned'] },
} as const;

/** What tasks and approvals show of an approval alike. */
export const approvalFields = {
  code: code(['编号', 'No.'], { readOnly: true, keyword: true, width: 150 }),
  title: text(['标题', 'Title'], { readOnly: true, keyword: true, width: 175 }),
  titleEn: text(['英文标题', 'English title'], { readOnly: true, width: 240 }),
  type: choice(['业务类型', 'Type'], BUSINESS_TYPES, { readOnly: true, search: 'in', width: 110 }),
  summary: json(['摘要', 'Summary'], { readOnly: true, width: 140 }),
  project: ref('project', ['项目', 'Project'], { readOnly: true, search: 'in', width: 90 }),
  starter: ref('staff', ['发起人', 'Started by'], { readOnly: true, search: 'in', width: 90 }),
  timeLeft: integer(['剩余时间', 'Time left'], {
    readOnly: true,
    width: 110,
    help: ['按工作时间计算', 'In business hours'],
  }),
  overdue: boolean(['仅超时', 'Overdue only'], { readOnly: true, search: 'equals', width: 90 }),
} as const;

/** What somebody is asked to decide, has decided, or was sent a copy of. */
export const approvalTask = defineResource({
  name: 'approvalTask',
  menu: 'pr_auditManagement',
  title: ['审批中心', 'Approvals'],
  noun: ['审批任务', 'Approval task'],
  titleField: 'code',
  sensitive: true,
  fields: {
    ...approvalFields,
    approval: code(['审批', 'Approval'], { readOnly: true, width: 90 }),
    node: json(['当前节点', 'Node'], { readOnly: true, width: 95 }),
    arrivedAt: instant(['到达时间', 'Arrived'], {
      readOnly: true,
      sortable: true,
      search: 'range',
      width: 110,
    }),
    dueAt: instant(['截止时间', 'Due'], { readOnly: true, sortable: true, width: 150 }),
    state: choice(['状态', 'State'], RUN_STATES, { readOnly: true, search: 'in', width: 90 }),
    via: choice(['来源', 'Via'], VIAS, { readOnly: true, search: 'in', width: 90 }),
    first: ref('staff', ['原审批人', 'Asked first'], { readOnly: true, width: 100 }),
    result: choice(['我的结果', 'My result'], TASK_STATES, { readOnly: true, search: 'in', width: 90 }),
    decidedAt: instant(['处理时间', 'Decided'], { readOnly: true, sortable: true, width: 150 }),
    barred: boolean(['无权处理', 'Not yours any more'], { readOnly: true, width: 90 }),
  },
  list: {
    columns: [
      'code',
      'title',
      'type',
      'summary',
      'project',
      'starter',
      'node',
      'arrivedAt',
      'timeLeft',
      'state',
      'via',
      'result',
      'decidedAt',
    ],
    hidden: ['approval', 'titleEn', 'first', 'barred', 'dueAt'],
    filters: ['type', 'project', 'starter', 'state', 'arrivedAt', 'overdue', 'via'],
    sort: '-arrivedAt',
    tabs: [
      { key: 'todo', label: ['待我处理', 'To do'], named: true },
      { key: 'done', label: ['我已处理', 'Done'], named: true },
      { key: 'copied', label: ['抄送我的', 'Copied'], named: true },
    ],
    export: [
      'code',
      'title',
      'type',
      'summary',
      'project',
      'starter',
      'node',
      'arrivedAt',
      'dueAt',
      'state',
      'via',
      'result',
      'decidedAt',
    ],
    empty: ['没有等待您处理的审批', 'Nothing waits for you'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['审批', 'Approval'],
        fields: ['code', 'title', 'type', 'summary', 'project', 'starter', 'node', 'state'],
      },
      {
        title: ['任务', 'Task'],
        fields: ['arrivedAt', 'dueAt', 'via', 'first', 'result', 'decidedAt'],
      },
    ],
  },
  actions: {
    handle: { label: ['处理', 'Handle'], on: 'row', element: 'btn_handle', opens: 'screen', untouched: true },
    approve: {
      label: ['批量同意', 'Approve all'],
      on: 'bulk',
      element: 'btn_batchApprove',
      bulkMax: 50,
      untouched: true,
      input: { opinion: longText(['意见', 'Opinion'], { max: 500 }) },
    },
  },
});
