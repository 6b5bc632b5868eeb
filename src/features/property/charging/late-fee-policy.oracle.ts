import { counted, yes } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'lateFeePolicy',
  menu: 'cs_propertyChargingBill',
  table: 'late_fee_policy',
  standing: (row) => ({ tenant: row.tenant_id, projects: undefined, owner: row.created_by, rule: 'places' }),
  filters: {
    enabled: yes('enabled'),
    company: {
      value: (dice, world) => String(dice.pick(world.rows.late_fee_policy!).tenant_id),
      keeps: (row, value) => value.split(',').includes(String(row.tenant_id)),
    },
  },
  text: (row) => row.name.toLowerCase(),
  export: counted,
  owner: 'created_by',
});
