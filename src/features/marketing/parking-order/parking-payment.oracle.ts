import { defineOracle } from '../../../testing/oracle/oracle.ts';

/** Seen where its stay is; nobody owns it. */
export const oracle = defineOracle({
  name: 'parkingPayment',
  menu: 'mk_parkOrder',
  table: 'parking_payment',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: null, rule: 'places' }),
});
