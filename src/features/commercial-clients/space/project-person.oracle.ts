import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'projectPerson',
  menu: 'proAdministration',
  table: 'business_person_project',
  standing: (row, world) => ({
    tenant: null,
    projects: [row.project_id],
    owner: world.rows.business_person!.find((one) => one.id === row.person_id)!.staff_id,
    rule: 'places',
  }),
  reads: ['business_person'],
});
