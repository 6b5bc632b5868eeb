import { counted, yes } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'feeItem',
  menu: 'cs_propertyChargingBill',
  table: 'fee_item',
  standing: (row) => ({ tenant: row.tenant_id, projects: undefined, owner: row.created_by, rule: 'places' }),
  filters: {
    autoBill: yes('auto_bill'),
    enabled: yes('enabled'),
    company: {
      value: (dice, world) => String(dice.pick(world.rows.fee_item!).tenant_id),
      keeps: (row, value) => value.split(',').includes(String(row.tenant_id)),
    },
  },
  text: (row) => row.name.toLowerCase(),
  export: counted,
  owner: 'created_by',
  sample: (turn) => ({
    formula: 'built_area',
    expression: undefined,
    stepPercent: undefined,
    stepMonths: undefined,
    tiers: undefined,
    shareBy: undefined,
    shareItem: undefined,
    cycle: 'month',
    lateFeePolicy: undefined,
    prices: [{ effectiveFrom: '2020-01-01', price: `${turn + 1}.5`, extra: '0.00' }],
  }),
});
