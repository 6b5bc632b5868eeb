import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { idsOfRows } from '../../../testing/oracle/filters.ts';

export const oracle = defineOracle({
  name: 'contractTemplate',
  menu: 'pr_contractListManagement',
  table: 'contract_template',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'everybody' }),
  filters: { kind: idsOfRows('kind_id', 'contract_template') },
  owner: 'created_by',
  sample: (turn) => ({ body: `<p>第${turn}条</p>` }),
});
