import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'feeAssignment',
  menu: 'cs_propertyChargingBill',
  table: 'fee_assignment',
  standing: (row) => ({
    tenant: row.tenant_id,
    projects: [row.project_id],
    owner: row.created_by,
    rule: 'places',
  }),
  filters: {
    item: {
      value: (dice, world) => String(dice.pick(world.rows.fee_assignment!).fee_item_id),
      keeps: (row, value) => value.split(',').includes(String(row.fee_item_id)),
    },
  },
  export: counted,
  owner: 'created_by',
  sample: (turn) => {
    const day = `20${String(10 + (Math.floor(turn / 300) % 9))}-${String((Math.floor(turn / 25) % 12) + 1).padStart(2, '0')}-${String((turn % 25) + 1).padStart(2, '0')}`;
    return { validFrom: day, validTo: day, price: undefined };
  },
});
