import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'coinDeductionUse',
  menu: 'mk_coinDeductionRule',
  table: 'coin_deduction_use',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: null, rule: 'places' }),
  text: (row) => String(row.order_code).toLowerCase(),
  export: counted,
});
