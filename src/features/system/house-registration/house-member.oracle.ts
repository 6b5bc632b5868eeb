import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'houseMember',
  menu: 'ssm_registerByHouse',
  table: 'household',
  standing: (row, world) => ({
    tenant: null,
    projects: [world.rows.house!.find((one) => one.id === row.house_id)?.project_id],
    owner: row.created_by,
    rule: 'places',
  }),
  owner: 'created_by',
  reads: ['house'],
});
