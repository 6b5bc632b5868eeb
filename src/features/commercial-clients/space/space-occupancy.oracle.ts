import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';
import { occupancies } from '../../public-resource/position/position-occupancy.oracle.ts';

export const oracle = defineOracle({
  name: 'spaceOccupancy',
  menu: 'proAdministration',
  ...occupancies,
  extra: (row, world) => by(world, 'space', 'id').has(row.position_id),
  reads: ['position', 'space'],
});
