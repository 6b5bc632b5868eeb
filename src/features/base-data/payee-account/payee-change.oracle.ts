import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'payeeChange',
  menu: 'pm_account',
  table: 'payee_change',
  standing: (row, world) => {
    const account = world.rows.payee_account!.find((one) => one.id === row.account_id)!;
    return { tenant: account.tenant_id, projects: undefined, owner: account.created_by, rule: 'places' };
  },
  tabs: {
    all: () => true,
    mine: (row, world, held) =>
      row.state === 'in_review' &&
      world.rows.approval_task!.some(
        (task) =>
          task.state === 'pending' &&
          task.assignee_id === held.row.id &&
          world.rows.approval_instance!.some(
            (one) =>
              one.id === task.instance_id &&
              one.biz_type === 'payee_account' &&
              one.biz_id === row.id &&
              one.state === 'running',
          ),
      ),
  },
  text: (row) => String(row.code).toLowerCase(),
  reads: ['payee_account', 'approval_task', 'approval_instance'],
});
