import { counted, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, maySee } from '../../../testing/oracle/world.ts';
import { DECOR_MENU, standingOfOrder } from './decor-order.oracle.ts';

export const oracle = defineOracle({
  name: 'decorChange',
  menu: DECOR_MENU,
  table: 'decor_change',
  standing: () => ({ tenant: null, projects: undefined, owner: null, rule: 'people' }),
  // Seen with the order it changes.
  extra: (row, world, held) => {
    const order = by(world, 'decor_order', 'id').get(row.order_id as number)?.[0];
    return order !== undefined && maySee(world, held, DECOR_MENU, standingOfOrder(order));
  },
  filters: {
    state: words('state', ['draft', 'to_confirm', 'confirmed', 'refused', 'void']),
    order: {
      value: (dice, world) => String(dice.pick(world.rows.decor_order!).id),
      keeps: (row, value) => value.split(',').includes(String(row.order_id)),
    },
  },
  export: counted,
  reads: ['decor_order'],
});
