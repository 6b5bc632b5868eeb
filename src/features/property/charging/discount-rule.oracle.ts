import { counted, projectsOf, yes } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'discountRule',
  menu: 'cs_propertyChargingBill',
  table: 'discount_rule',
  standing: (row) => ({ tenant: row.tenant_id, projects: undefined, owner: row.created_by, rule: 'places' }),
  filters: {
    enabled: yes('enabled'),
    company: {
      value: (dice, world) => String(dice.pick(world.rows.discount_rule!).tenant_id),
      keeps: (row, value) => value.split(',').includes(String(row.tenant_id)),
    },
    projects: projectsOf('discount_rule_project', 'rule_id'),
    items: {
      value: (dice, world) => String(dice.pick(world.rows.fee_item!).id),
      keeps: (row, value, world) =>
        (by(world, 'discount_rule_item', 'rule_id').get(row.id) ?? []).some(
          (one) => String(one.fee_item_id) === value,
        ),
    },
  },
  text: (row) => row.name.toLowerCase(),
  export: counted,
  owner: 'created_by',
  reads: ['discount_rule_project', 'discount_rule_item', 'fee_item'],
  sample: () => ({
    kind: 'prepay_percent',
    threshold: 12,
    percent: '5',
    thresholdAmount: undefined,
    amountOff: undefined,
    monthsGiven: undefined,
    validFrom: '2040-01-01',
    validTo: '2040-12-31',
  }),
});
