import { inProject } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'dispatchRule',
  menu: 'cs_maintenance',
  table: 'dispatch_rule',
  standing: inProject,
  owner: 'created_by',
  sample: () => ({ shiftFrom: '08:00', shiftTo: '20:00', pool: undefined, stations: undefined }),
});
