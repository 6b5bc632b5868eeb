import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';

const JOINS = 'coin_deduction_project';

export const oracle = defineOracle({
  name: 'coinDeductionVersion',
  menu: 'mk_coinDeductionRule',
  table: 'coin_deduction_version',
  standing: (row, world) => ({
    tenant: null,
    projects: (by(world, JOINS, 'rule_id').get(row.rule_id) ?? []).map((one) => Number(one.project_id)),
    owner: by(world, 'coin_deduction_rule', 'id').get(row.rule_id)?.[0]?.created_by ?? null,
    rule: 'places',
  }),
  reads: [JOINS, 'coin_deduction_rule'],
});
