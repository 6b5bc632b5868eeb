import { ids } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'houseDecoration',
  menu: 'cs_houseEnquiry',
  table: 'decoration_application',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  filters: { house: ids('house_id', 'house') },
  owner: 'created_by',
  reads: ['house'],
});
