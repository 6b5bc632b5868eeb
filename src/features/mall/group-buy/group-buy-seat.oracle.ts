import { idsOfRows, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';
import { whereItemStands } from './group-buy-team.oracle.ts';

export const oracle = defineOracle({
  name: 'groupBuySeat',
  menu: 'mm_groupManagement',
  table: 'group_buy_member',
  // The seat of an order of another project is not shown, wherever else its activity runs.
  standing: (row, world) => {
    const order = by(world, 'sales_order', 'id').get(row.order_id)?.[0];
    return { ...whereItemStands(row, world), projects: order ? [Number(order.project_id)] : [] };
  },
  filters: {
    item: idsOfRows('item_id', 'group_buy_item'),
    state: words('state', ['held', 'joined', 'released', 'refunded']),
    role: words('role', ['leader', 'member']),
  },
  reads: ['group_buy_item', 'group_buy_project', 'sales_order'],
});
