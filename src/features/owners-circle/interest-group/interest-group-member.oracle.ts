import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'interestGroupMember',
  menu: 'cs_ownersCircle',
  table: 'interest_group_member',
  standing: (row, world) => ({
    tenant: null,
    projects: (by(world, 'interest_group_project', 'group_id').get(row.group_id) ?? []).map((one) =>
      Number(one.project_id),
    ),
    owner: by(world, 'interest_group', 'id').get(row.group_id)?.[0]?.created_by ?? null,
    rule: 'places',
  }),
  reads: ['interest_group', 'interest_group_project'],
});
