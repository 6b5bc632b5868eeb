import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'payeeAssignment',
  menu: 'pm_account',
  table: 'payee_assignment',
  standing: (row, world) => {
    const account = world.rows.payee_account!.find((one) => one.id === row.account_id)!;
    return { tenant: account.tenant_id, projects: undefined, owner: account.created_by, rule: 'places' };
  },
  export: counted,
  reads: ['payee_account'],
});
