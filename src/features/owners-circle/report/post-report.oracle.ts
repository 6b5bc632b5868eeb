import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'postReport',
  menu: 'cs_reportManagement',
  table: 'post_report',
  standing: (row, world) => ({
    tenant: null,
    projects: (by(world, 'report_case', 'id').get(row.case_id) ?? []).map((one) => Number(one.project_id)),
    owner: null,
    rule: 'places',
  }),
  reads: ['report_case'],
});
