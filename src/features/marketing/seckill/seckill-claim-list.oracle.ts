import { dayRange, idsOfRows, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';
import { whereActivityStands } from './seckill.oracle.ts';

export const oracle = defineOracle({
  name: 'seckillClaim',
  menu: 'mk_seckillActivityManagement',
  table: 'seckill_claim',
  standing: (row, world) =>
    whereActivityStands(by(world, 'seckill_activity', 'id').get(row.activity_id)![0]!, world),
  filters: {
    activity: idsOfRows('activity_id', 'seckill_claim'),
    state: words('state', ['held', 'paid', 'released']),
    createdAt: dayRange('created_at'),
  },
  reads: ['seckill_activity', 'seckill_project'],
});
