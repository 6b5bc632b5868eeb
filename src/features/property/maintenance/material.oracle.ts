import { inProject } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'material',
  menu: 'cs_maintenance',
  table: 'material',
  standing: inProject,
  text: (row) => `${row.name} ${row.spec}`.toLowerCase(),
  export: { key: () => '' },
  owner: 'created_by',
});
