import { instant, integer, json, longText, ref } from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';
import { approvalFields, RUN_STATES } from './approval-task.contract.ts';

const reason = longText(['原因', 'Reason'], { required: true, min: 2, max: 200 });

/** One approval of one object, from handing it in to its result. */
export const approvalInstance = defineResource({
  name: 'approvalInstance',
  menu: 'pr_auditManagement',
  title: ['审批', 'Approvals'],
  noun: ['审批', 'Approval'],
  titleField: 'code',
  prefix: 'AP',
  sensitive: true,
  fields: {
    ...approvalFields,
    nodes: json(['当前节点', 'Node'], { readOnly: true, width: 200 }),
    waiting: json(['待处理人', 'Waiting for'], { readOnly: true, width: 140 }),
    round: integer(['轮次', 'Round'], { readOnly: true, width: 70 }),
    startedAt: instant(['发起时间', 'Started'], {
      readOnly: true,
      sortable: true,
      search: 'range',
      width: 150,
    }),
    endedAt: instant(['结束时间', 'Ended'], { readOnly: true, sortable: true, width: 150 }),
  },
  states: RUN_STATES,
  list: {
    columns: [
      'code',
      'title',
      'type',
      'summary',
      'nodes',
      'waiting',
      'timeLeft',
      'state',
      'starter',
      'startedAt',
      'project',
      'round',
      'endedAt',
    ],
    hidden: ['titleEn'],
    filters: ['type', 'project', 'starter', 'state', 'startedAt', 'overdue'],
    sort: '-startedAt',
    tabs: [
      { key: 'started', label: ['我发起的', 'Started'], named: true },
      { key: 'all', label: ['全部', 'All'], named: true },
    ],
    export: [
      'code',
      'title',
      'type',
      'summary',
      'project',
      'starter',
      'nodes',
      'waiting',
      'startedAt',
      'state',
      'round',
      'endedAt',
    ],
    empty: ['没有审批', 'No approvals'],
  },
  modes: { detail: 'pr_approvalProcess/:id' },
  actions: {
    urge: {
      label: ['催办', 'Urge'],
      on: 'row',
      from: ['running'],
      element: 'btn_urge',
      untouched: true,
      confirm: ['提醒当前审批人尽快处理 {code}？', 'Remind those {code} waits for?'],
    },
    withdraw: {
      label: ['撤回', 'Withdraw'],
      on: 'row',
      from: ['running'],
      to: 'withdrawn',
      element: 'btn_withdraw',
      confirm: ['撤回 {code}？', 'Withdraw {code}?'],
    },
    reassign: {
      label: ['改派', 'Reassign'],
      on: 'row',
      from: ['running'],
      element: 'btn_reassign',
      untouched: true,
      input: {
        from: ref('staff', ['当前审批人', 'Waits for'], { required: true }),
        to: ref('staff', ['改派给', 'Give to'], { required: true }),
        reason,
      },
    },
    cancel: {
      label: ['终止', 'Cancel'],
      on: 'row',
      from: ['running'],
      to: 'cancelled',
      element: 'btn_cancel',
      message: ['审批已终止', 'The approval was cancelled'],
      tone: 'danger',
      confirm: [
        '终止 {code}？业务单据将退回提交前的状态。',
        'Cancel {code}? The record goes back to what it was before.',
      ],
      input: { reason },
    },
  },
});
