import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'registrationLog',
  menu: 'ssm_registerLog',
  table: 'registration_log',
  // No tenant and no owner: merchants and staff limited to own rows see nothing, lines without project only who sees all.
  standing: (row) => ({ tenant: null, projects: [row.project_id ?? 0], owner: null, rule: 'places' }),
});
