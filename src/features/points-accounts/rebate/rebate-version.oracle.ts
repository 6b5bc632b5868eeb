import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';

const JOINS = 'payment_rebate_project';

export const oracle = defineOracle({
  name: 'paymentRebateVersion',
  menu: 'mk_propertyPaymentRebateRules',
  table: 'payment_rebate_version',
  standing: (row, world) => ({
    tenant: null,
    projects: (by(world, JOINS, 'rule_id').get(row.rule_id) ?? []).map((one) => Number(one.project_id)),
    owner: by(world, 'payment_rebate_rule', 'id').get(row.rule_id)?.[0]?.created_by ?? null,
    rule: 'places',
  }),
  reads: [JOINS, 'payment_rebate_rule'],
});
