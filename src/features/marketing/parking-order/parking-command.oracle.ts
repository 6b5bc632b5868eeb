import { defineOracle } from '../../../testing/oracle/oracle.ts';

/** Seen where its stay is; nobody owns it. */
export const oracle = defineOracle({
  name: 'parkingCommand',
  menu: 'mk_parkOrder',
  table: 'parking_command',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: null, rule: 'places' }),
});
