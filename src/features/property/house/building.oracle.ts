import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'enquiryBuilding',
  menu: 'cs_houseEnquiry',
  table: 'building',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  text: (row) => String(row.name).toLowerCase(),
  owner: 'created_by',
  reads: ['project'],
});
