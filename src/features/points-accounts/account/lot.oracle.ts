import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';
import { LIVES, memberStanding } from './account.oracle.ts';

const accountOf = (row: Raw, world: World) => by(world, 'ledger_account', 'id').get(row.account_id)![0]!;

export const oracle = defineOracle({
  name: 'pointsLot',
  menu: 'pointsAccount',
  table: 'points_lot',
  standing: (row, world) =>
    memberStanding(by(world, 'member', 'id').get(Number(accountOf(row, world).owner))?.[0], world),
  extra: (row, world) => accountOf(row, world).unit === 'point',
  // The state is told by what took from the lot.
  leftOut: ['account', 'lotState'],
  reads: [...LIVES, 'ledger_account'],
});
