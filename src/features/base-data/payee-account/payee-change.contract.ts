import { choice, code, instant, json, longText, ref } from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';

/** A request to open or change an account, with old and new side by side; the account decides about it. */
export const payeeChange = defineResource({
  name: 'payeeChange',
  menu: 'pm_account',
  title: ['变更审批', 'Changes'],
  noun: ['变更', 'Change'],
  titleField: 'code',
  fields: {
    code: code(['编号', 'No.'], { readOnly: true, search: 'contains', keyword: true, width: 170 }),
    account: ref('payeeAccount', ['账户', 'Account'], { readOnly: true, search: 'in', width: 180 }),
    kind: choice(
      ['类型', 'Kind'],
      {
        open: { label: ['新开', 'Opening'] },
        reopen: { label: ['重新启用', 'Reopening'] },
        data: { label: ['资料变更', 'Data'] },
        certificate: { label: ['更换证书', 'Certificate'] },
        assign: { label: ['新增适用范围', 'New assignment'] },
        end: { label: ['调整失效时间', 'End of an assignment'] },
      },
      { readOnly: true, search: 'in', width: 110 },
    ),
    changes: json(['变更内容', 'Changes'], { readOnly: true, width: 320 }),
    proposer: ref('staff', ['提交人', 'Proposed by'], { readOnly: true, width: 100 }),
    createdAt: instant(['提交时间', 'Proposed'], {
      readOnly: true,
      sortable: true,
      search: 'range',
      width: 150,
    }),
    decider: ref('staff', ['审批人', 'Decided by'], { readOnly: true, width: 100 }),
    decidedAt: instant(['审批时间', 'Decided'], { readOnly: true, sortable: true, width: 150 }),
    opinion: longText(['意见', 'Opinion'], { readOnly: true, width: 180 }),
  },
  states: {
    in_review: { label: ['待审批', 'In review'], tone: 'processing' },
    approved: { label: ['已通过', 'Approved'], tone: 'success' },
    rejected: { label: ['已驳回', 'Rejected'], tone: 'error' },
    withdrawn: { label: ['已撤回', 'Withdrawn'], tone: 'paused' },
  },
  list: {
    columns: [
      'code',
      'account',
      'kind',
      'changes',
      'proposer',
      'createdAt',
      'state',
      'decider',
      'decidedAt',
      'opinion',
    ],
    filters: ['kind', 'state', 'account', 'createdAt'],
    sort: '-createdAt',
    tabs: [
      { key: 'all', label: ['全部', 'All'] },
      { key: 'mine', label: ['待我审批', 'To approve'], named: true },
    ],
  },
});
