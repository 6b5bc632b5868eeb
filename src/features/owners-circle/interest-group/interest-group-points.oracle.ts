import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'interestGroupPoints',
  menu: 'cs_ownersCircle',
  table: 'interest_group_points',
  standing: (row, world) => ({
    tenant: null,
    projects: (by(world, 'interest_group_project', 'group_id').get(row.group_id) ?? []).map((one) =>
      Number(one.project_id),
    ),
    owner: by(world, 'interest_group', 'id').get(row.group_id)?.[0]?.created_by ?? null,
    rule: 'places',
  }),
  reads: ['interest_group', 'interest_group_project'],
  fill: async ({ db }) => {
    await run(
      db,
      `INSERT INTO interest_group_points (group_id, event, subject, rule_id, points)
       SELECT g.id, 'post.create', 'random:' || g.id || ':' || n, (SELECT min(id) FROM points_rule), 0 FROM interest_group g, generate_series(1, 4) n`,
    );
  },
});
