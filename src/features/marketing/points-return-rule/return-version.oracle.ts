import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';

const JOINS = 'points_return_project';

export const oracle = defineOracle({
  name: 'pointsReturnVersion',
  menu: 'mk_returnIntegralRule',
  table: 'points_return_version',
  standing: (row, world) => ({
    tenant: null,
    projects: (by(world, JOINS, 'rule_id').get(row.rule_id) ?? []).map((one) => Number(one.project_id)),
    owner: by(world, 'points_return_rule', 'id').get(row.rule_id)?.[0]?.created_by ?? null,
    rule: 'places',
  }),
  reads: [JOINS, 'points_return_rule'],
});
