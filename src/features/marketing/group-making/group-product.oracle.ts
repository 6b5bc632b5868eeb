import { counted, idsOfRows } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';
import { whereActivityStands } from './group-making.oracle.ts';

const activityOf = (row: Raw, world: World) => by(world, 'group_buy', 'id').get(row.group_buy_id)?.[0];

export const oracle = defineOracle({
  name: 'groupProduct',
  menu: 'mk_productList',
  table: 'group_buy_item',
  standing: (row, world) => whereActivityStands(activityOf(row, world), world),
  filters: { activity: idsOfRows('group_buy_id', 'group_buy') },
  export: counted,
  reads: ['group_buy', 'group_buy_project'],
});
