import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';
import { LIVES, memberStanding } from './account.oracle.ts';

export const oracle = defineOracle({
  name: 'pointsSkip',
  menu: 'pointsAccount',
  table: 'points_skip',
  standing: (row, world) => memberStanding(by(world, 'member', 'id').get(row.member_id)?.[0], world),
  leftOut: ['account'],
  reads: LIVES,
});
