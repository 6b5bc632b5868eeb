import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { recalculateClocks } from '../../../domain/work-order/sla-clock.server.ts';
import { ownerOfNew, STANDARD_SCOPE, standardRules } from './standard-rows.server.ts';
import { slaPolicy } from './sla-policy.contract.ts';

const bound = bindResource(slaPolicy, {
  table: 'sla_policy',
  scope: STANDARD_SCOPE,
  search: 'lower(t.name)',
  columns: {
    standard: 't.tenant_id IS NULL',
    step70: 't.step_70',
    step100: 't.step_100',
    step150: 't.step_150',
    running: '(SELECT count(*)::integer FROM sla_clock k WHERE k.policy_id = t.id AND k.stopped_at IS NULL)',
  },
  writes: { step70: 'step_70', step100: 'step_100', step150: 'step_150' },
  joins: {
    project: 'project',
    category: { table: 'work_category', titleEn: 'name_en' },
    calendar: { table: 'work_calendar' },
  },
  unique: {
    sla_policy_place: [
      '该项目、分类、紧急程度已有启用的策略',
      'There is an enabled policy of this project, category and urgency',
    ],
  },
  rowRules: standardRules,
  ruleReads: ['standard'],
  filters: {
    standard: (value) => (value === 'true' ? 't.tenant_id IS NULL' : 't.tenant_id IS NOT NULL'),
  },
  usedBy: {
    sla_clock: ['工单计时', 'clocks of orders'],
    work_order: ['工单', 'work orders'],
    work_category: ['分类', 'categories'],
  },
  before: [
    ownerOfNew,
    async ({ action, input, row, caller }: ActionContext) => {
      if (action !== 'create' && action !== 'update') return;
      if (typeof input.project === 'number') requireProjectsInReach(caller, [input.project]);
      const response = Number(input.responseMin ?? row.response_min);
      if (Number(input.resolutionMin ?? row.resolution_min) < response)
        throw invalid({ resolutionMin: ['不能短于响应时限', 'Not shorter than the response'] });
    },
  ],
  after: [
    // Orders that are under way follow at once.
    async ({ tx, action, platform }, id) => {
      if (action !== 'update') return [];
      if ((await recalculateClocks(tx, { policyId: id })) > 0) platform.changed('workOrder');
      return [];
    },
  ],
});

/** Policies of times. */
export const registration = bound.registration;
