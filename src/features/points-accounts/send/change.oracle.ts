import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'pointsBudgetChange',
  menu: 'pointsSend',
  table: 'points_budget_change',
  standing: (row, world) => ({
    tenant: by(world, 'points_budget', 'id').get(row.budget_id)![0]!.tenant_id,
    projects: undefined,
    owner: row.created_by,
    rule: 'places',
  }),
  leftOut: ['budget'],
  owner: 'created_by',
  reads: ['points_budget'],
});
