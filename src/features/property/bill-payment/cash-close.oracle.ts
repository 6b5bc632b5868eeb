import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'cashClose',
  menu: 'cs_propertyBill',
  table: 'cash_close',
  standing: (row) => ({
    tenant: row.tenant_id,
    projects: [row.project_id],
    owner: row.created_by,
    rule: 'places',
  }),
  filters: {
    cashier: {
      value: (dice, world) => String(dice.pick(world.rows.staff!).id),
      keeps: (row, value) => value.split(',').includes(String(row.cashier_id)),
    },
  },
  export: counted,
  owner: 'created_by',
  reads: ['staff'],
  sample: (turn) => ({
    day: `2026-03-${String((turn % 27) + 1).padStart(2, '0')}`,
    countedCash: '0.00',
    countedPos: '0.00',
    countedTransfer: '0.00',
    remark: '清点',
  }),
});
