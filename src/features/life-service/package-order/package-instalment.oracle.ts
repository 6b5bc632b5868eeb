import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { withOrder } from './package-order.oracle.ts';

export const oracle = defineOracle({
  name: 'packageInstalment',
  menu: 'order',
  table: 'receivable',
  where: (row) => row.source_kind === 'package',
  standing: () => ({ tenant: null, projects: undefined, owner: null, rule: 'people' }),
  extra: withOrder((row) => row.source_id),
  filters: {
    order: {
      value: (dice, world) => String(dice.pick(world.rows.package_order!).id),
      keeps: (row, value) => value.split(',').includes(String(row.source_id)),
    },
  },
  export: counted,
  reads: ['package_order'],
});
