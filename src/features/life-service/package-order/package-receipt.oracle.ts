import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';
import { withOrder } from './package-order.oracle.ts';

const line = (row: Raw, world: World) => by(world, 'receivable', 'id').get(row.receivable_id)![0]!;
const orderOf = (row: Raw, world: World) => {
  const { source_kind, source_id } = line(row, world);
  return source_kind === 'package' ? source_id : null;
};

export const oracle = defineOracle({
  name: 'packageReceipt',
  menu: 'order',
  table: 'receipt_allocation',
  standing: () => ({ tenant: null, projects: undefined, owner: null, rule: 'people' }),
  extra: withOrder(orderOf),
  filters: {
    order: {
      value: (dice, world) => String(dice.pick(world.rows.package_order!).id),
      keeps: (row, value, world) => value.split(',').includes(String(orderOf(row, world))),
    },
    state: {
      value: (dice) => dice.pick(['to_confirm', 'confirmed', 'rejected']),
      keeps: (row, value, world) =>
        value.split(',').includes(by(world, 'receipt', 'id').get(row.receipt_id)![0]!.state),
    },
  },
  export: counted,
  reads: ['package_order', 'receivable', 'receipt'],
});
