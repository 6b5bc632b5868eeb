import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'pointsReturnGrant',
  menu: 'mk_returnIntegralRule',
  table: 'points_return_grant',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: null, rule: 'places' }),
  text: (row) => String(row.order_code).toLowerCase(),
  export: counted,
});
