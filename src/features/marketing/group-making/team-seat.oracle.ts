import { idsOfRows } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';
import { whereActivityStands } from './group-making.oracle.ts';

export const oracle = defineOracle({
  name: 'teamSeat',
  menu: 'mk_memberRecord',
  table: 'group_buy_member',
  // The seat of an order of another project is not shown, wherever else its activity runs.
  standing: (row, world) => {
    const item = by(world, 'group_buy_item', 'id').get(row.item_id)?.[0];
    const order = by(world, 'sales_order', 'id').get(row.order_id)?.[0];
    return {
      ...whereActivityStands(by(world, 'group_buy', 'id').get(item?.group_buy_id)?.[0], world),
      projects: order ? [Number(order.project_id)] : [],
    };
  },
  filters: { team: idsOfRows('team_id', 'group_buy_team') },
  reads: ['group_buy', 'group_buy_item', 'group_buy_project', 'group_buy_team', 'sales_order'],
});
