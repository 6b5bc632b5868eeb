import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'housekeeperAssignment',
  menu: 'cs_housekeepManager',
  table: 'housekeeper_building',
  standing: (row, world) => ({
    tenant: null,
    projects: [row.project_id],
    owner: world.rows.housekeeper!.find((one) => one.id === row.housekeeper_id)!.staff_id,
    rule: 'places',
  }),
  reads: ['housekeeper'],
});
