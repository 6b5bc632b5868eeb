import { words, yes } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'activityComment',
  menu: 'cs_activityPromulgate',
  table: 'content_comment',
  standing: (row, world) => ({
    tenant: null,
    projects: [Number(row.project_id)],
    owner: by(world, 'activity', 'id').get(row.activity_id)?.[0]?.created_by ?? null,
    rule: 'places',
  }),
  where: (row) => row.deleted_at === null && row.activity_id !== null,
  filters: {
    state: words('review_state', ['pending', 'passed', 'refused']),
    shown: yes('shown'),
  },
  text: (row) => String(row.content).toLowerCase(),
  reads: ['activity'],
  fill: async ({ db, staff }) => {
    for (const [index, { id }] of staff.slice(0, 12).entries())
      await run(
        db,
        `WITH made AS (INSERT INTO activity (title, cover_id, content_html, audience, address, starts_at, ends_at, deadline, contact, phone, state, published_at, created_by)
           SELECT $1, (SELECT min(id::text)::uuid FROM stored_file), '<p>x</p>', 'property', 'x', now() + interval '1 day', now() + interval '2 days', now(), 'x', '02588886666',
             'published', now(), $2 RETURNING id)
         INSERT INTO content_comment (activity_id, member_id, project_id, content, review_state, shown)
         SELECT made.id, m.id, m.project_id, '评论' || m.id, (ARRAY['pending', 'passed', 'refused'])[1 + m.id % 3], m.id % 2 = 0
           FROM made, member m WHERE m.project_id IS NOT NULL AND m.id % 40 = $3`,
        [`评论${index}活动`, id, index],
      );
  },
  sample: () => ({ code: 'advert', text: '' }),
});
