import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'positionPrice',
  menu: 'positionList',
  table: 'position_price',
  standing: (row, world) => {
    const own = world.rows.position!.find((one) => one.id === row.position_id)!;
    return { tenant: null, projects: [own.project_id], owner: own.created_by, rule: 'places' };
  },
  reads: ['position'],
});
