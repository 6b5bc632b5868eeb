import { idsOfRows } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'butlerShareVisit',
  menu: 'butler_share',
  table: 'butler_share_visit',
  standing: (row, world) => {
    const share = by(world, 'butler_share', 'id').get(row.share_id)![0]!;
    return {
      tenant: null,
      projects: [Number(share.project_id)],
      owner: by(world, 'housekeeper', 'id').get(share.housekeeper_id)![0]!.staff_id,
      rule: 'places',
    };
  },
  filters: { share: idsOfRows('share_id', 'butler_share_visit') },
  reads: ['butler_share', 'housekeeper'],
});
