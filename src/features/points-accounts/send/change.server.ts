import { approvable } from '../../../domain/approval/approvable.server.ts';
import { fromInput } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { BUDGET_APPROVAL, budgetApproval } from './budget-approval.server.ts';
import { pointsBudgetChange } from './send.contract.ts';
import { changeSight, scopeOfBudget } from './send-scope.server.ts';

const approval = approvable(BUDGET_APPROVAL, { waiting: 'reviewing', passed: 'booked', refused: 'rejected' });

/** Loads and reductions of budgets. */
export const registration = bindResource(pointsBudgetChange, {
  table: 'points_budget_change',
  from: 'points_budget_change t LEFT JOIN points_budget b ON b.id = t.budget_id LEFT JOIN staff f ON f.id = t.created_by',
  scope: scopeOfBudget('t.budget_id'),
  columns: {
    budget: { id: 't.budget_id', title: 'b.name' },
    opinion: `nullif(t.opinion, '')`,
    creator: { id: 't.created_by', title: 'f.name' },
  },
  abilities: [approval.ability],
  extra: { applicantId: 't.created_by' },
  ruleReads: ['applicantId'],
  rowRules: {
    withdraw: (row, caller) =>
      Number(row.applicantId) === caller.staffId
        ? undefined
        : ['只有申请人可以撤回', 'Only the applicant may withdraw it'],
  },
  sets: { approve: { opinion: fromInput('opinion') }, reject: { opinion: fromInput('opinion') } },
  also: { approvals: [budgetApproval], sights: [changeSight] },
}).registration;
