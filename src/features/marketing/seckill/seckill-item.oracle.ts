import { idsOfRows, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';
import { whereActivityStands } from './seckill.oracle.ts';

export const oracle = defineOracle({
  name: 'seckillItem',
  menu: 'mk_seckillActivityManagement',
  table: 'seckill_item',
  standing: (row, world) =>
    whereActivityStands(by(world, 'seckill_activity', 'id').get(row.activity_id)![0]!, world),
  filters: {
    activity: idsOfRows('activity_id', 'seckill_item'),
    state: words('state', [
      'draft',
      'reviewing',
      'rejected',
      'scheduled',
      'running',
      'paused',
      'ended',
      'cancelled',
    ]),
  },
  reads: ['seckill_activity', 'seckill_project'],
});
