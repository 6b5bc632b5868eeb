import { projectsOf } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run } from '../../../testing/oracle/world.ts';

const JOINS = 'topic_tag_project';

export const oracle = defineOracle({
  name: 'topicTag',
  menu: 'os_topicTags',
  table: 'topic_tag',
  standing: (row, world) => ({
    tenant: null,
    projects: (by(world, JOINS, 'tag_id').get(row.id) ?? []).map((one) => Number(one.project_id)),
    owner: row.created_by,
    rule: 'places',
  }),
  filters: { projects: projectsOf(JOINS, 'tag_id') },
  text: (row) => `${row.code} ${row.name}`.toLowerCase(),
  owner: 'created_by',
  reads: [JOINS],
  sample: (turn) => ({ name: `样本标签${turn}` }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries())
      await run(
        db,
        `WITH made AS (INSERT INTO topic_tag (name, position, created_by) VALUES ($1, $2, $3) RETURNING id)
         SELECT id FROM made`,
        [`随机标签${index}`, 1 + dice.upTo(90), id],
      );
    await run(
      db,
      `INSERT INTO topic_tag_project (tag_id, project_id)
         SELECT t.id, p.id FROM topic_tag t, project p WHERE t.name LIKE '随机标签%' AND p.id % 3 = t.id % 3`,
      [],
    );
  },
});
