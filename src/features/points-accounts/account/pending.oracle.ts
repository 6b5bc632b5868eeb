import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';
import { LIVES, memberStanding } from './account.oracle.ts';

export const oracle = defineOracle({
  name: 'pointsPending',
  menu: 'pointsAccount',
  table: 'points_pending',
  standing: (row, world) => memberStanding(by(world, 'member', 'id').get(row.member_id)?.[0], world),
  where: (row) => row.unit === 'point',
  leftOut: ['account'],
  reads: LIVES,
});
