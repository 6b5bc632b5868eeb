import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'pointsGrantLine',
  menu: 'pointsSend',
  table: 'points_grant_line',
  standing: (row, world) => {
    const batch = by(world, 'points_grant_batch', 'id').get(row.batch_id)![0]!;
    return { tenant: batch.tenant_id, projects: undefined, owner: batch.created_by, rule: 'places' };
  },
  leftOut: ['batch'],
  export: counted,
  reads: ['points_grant_batch'],
});
