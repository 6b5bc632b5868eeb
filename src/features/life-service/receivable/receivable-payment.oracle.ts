import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { withReceivable } from './receivable-charge.oracle.ts';

export const oracle = defineOracle({
  name: 'receivablePayment',
  menu: 'accountsReceivable',
  table: 'receipt_allocation',
  standing: () => ({ tenant: null, projects: undefined, owner: null, rule: 'people' }),
  extra: withReceivable,
  filters: {
    state: {
      value: (dice) => dice.pick(['to_confirm', 'confirmed', 'rejected']),
      keeps: (row, value, world) =>
        value.split(',').includes(world.rows.receipt!.find((one) => one.id === row.receipt_id)!.state),
    },
  },
  export: counted,
  reads: ['receivable', 'receipt'],
});
