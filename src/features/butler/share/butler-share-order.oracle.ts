import { idsOfRows } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'butlerShareOrder',
  menu: 'butler_share',
  table: 'butler_performance',
  where: (row) => row.share_id !== null && row.way === 1 && row.housekeeper_id !== null,
  standing: (row, world) => {
    const share = by(world, 'butler_share', 'id').get(row.share_id)![0]!;
    return {
      tenant: null,
      projects: [Number(row.project_id)],
      owner: by(world, 'housekeeper', 'id').get(share.housekeeper_id)![0]!.staff_id,
      rule: 'places',
    };
  },
  filters: { share: idsOfRows('share_id', 'butler_performance') },
  reads: ['butler_share', 'housekeeper'],
});
