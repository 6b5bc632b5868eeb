import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { merchantRule } from '../../../testing/oracle/merchant-rule.ts';

const rule = merchantRule(
  'residentMerchant',
  'residentMerchants',
  (row) => row.kind === 2 && row.merchant_kind === 'resident',
  ['all', 'draft', 'review', 'toOpen', 'operating', 'rejected', 'closing', 'renewal'],
);

export const oracle = defineOracle({
  ...rule,
  tabs: {
    ...rule.tabs,
    // Of reviewers only what is on their desk.
    review: (row, world, held) =>
      row.merchant_state === 'in_review' &&
      (!held.elements.has('residentMerchants:btn_audit') ||
        world.rows.approval_instance!.some(
          (one) =>
            one.biz_type === 'merchant_onboarding' &&
            one.biz_id === row.id &&
            one.state === 'running' &&
            world.rows.approval_task!.some(
              (task) =>
                task.instance_id === one.id && task.state === 'pending' && task.assignee_id === held.row.id,
            ),
        )),
  },
  reads: [...(rule.reads ?? []), 'approval_instance', 'approval_task'],
});
