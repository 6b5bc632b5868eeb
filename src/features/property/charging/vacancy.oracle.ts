import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'vacancy',
  menu: 'cs_propertyChargingBill',
  table: 'vacancy',
  standing: (row) => ({
    tenant: row.tenant_id,
    projects: [row.project_id],
    owner: row.created_by,
    rule: 'places',
  }),
  filters: {
    rule: {
      value: (dice, world) => String(dice.pick(world.rows.vacancy!).rule_id),
      keeps: (row, value) => value.split(',').includes(String(row.rule_id)),
    },
  },
  export: counted,
  owner: 'created_by',
  sample: (turn) => ({
    validFrom: `20${30 + (turn % 60)}-01-01`,
    validTo: `20${30 + (turn % 60)}-02-01`,
    inspectedOn: '2026-01-05',
  }),
});
