import { ids } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'enquiryProject',
  menu: 'cs_houseEnquiry',
  table: 'project',
  standing: (row) => ({ tenant: null, projects: [row.id], owner: row.created_by, rule: 'places' }),
  filters: { unit: ids('unit_id', 'organisation'), region: ids('region_id', 'region') },
  text: (row) => `${row.code} ${row.name}`.toLowerCase(),
  owner: 'created_by',
  reads: ['organisation', 'region'],
  sample: (turn) => ({ code: `XM${String(turn).padStart(4, '0')}` }),
});
