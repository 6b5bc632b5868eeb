import { counted, projectsOf } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run } from '../../../testing/oracle/world.ts';

const JOINS = 'community_topic_project';

export const oracle = defineOracle({
  name: 'communityTopic',
  menu: 'os_communityTopic',
  table: 'community_topic',
  standing: (row, world) => ({
    tenant: null,
    projects: (by(world, JOINS, 'topic_id').get(row.id) ?? []).map((one) => Number(one.project_id)),
    owner: row.created_by,
    rule: 'places',
  }),
  filters: {
    projects: projectsOf(JOINS, 'topic_id'),
    topped: {
      value: (dice) => (dice.chance(0.5) ? 'true' : 'false'),
      keeps: (row, value) => (row.topped_at !== null) === (value === 'true'),
    },
  },
  text: (row) => String(row.title).toLowerCase(),
  export: counted,
  owner: 'created_by',
  reads: [JOINS],
  sample: () => ({
    publishAt: undefined,
    cover: undefined,
    pictures: [],
    tag: undefined,
    code: 'advert',
    text: '',
  }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries())
      await run(
        db,
        `WITH made AS (INSERT INTO community_topic (title, content, state, published_at, created_by) VALUES ($1, '<p>x</p>', $2, now(), $3) RETURNING id)
         INSERT INTO community_topic_project SELECT made.id, p.id FROM made, project p WHERE p.id % 3 = $4`,
        [`随机话题${index}`, dice.pick(['draft', 'published', 'hidden', 'deleted']), id, index % 3],
      );
  },
});
