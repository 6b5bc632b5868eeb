import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'activitySignup',
  menu: 'cs_activityPromulgate',
  table: 'activity_signup',
  standing: (row, world) => ({
    tenant: null,
    projects: [Number(row.project_id)],
    owner: by(world, 'activity', 'id').get(row.activity_id)?.[0]?.created_by ?? null,
    rule: 'places',
  }),
  filters: {
    checkIn: {
      value: (dice) => dice.pick(['yes', 'no']),
      keeps: (row, value) => (row.checked_in_at !== null) === (value === 'yes'),
    },
  },
  export: { key: () => '' },
  reads: ['activity'],
  fill: async ({ db, staff }) => {
    for (const [index, { id }] of staff.slice(0, 12).entries())
      await run(
        db,
        `WITH made AS (INSERT INTO activity (title, cover_id, content_html, audience, address, starts_at, ends_at, deadline, contact, phone, state, published_at, created_by)
           SELECT $1, (SELECT min(id::text)::uuid FROM stored_file), '<p>x</p>', 'property', 'x', now() + interval '1 day', now() + interval '2 days', now(), 'x', '02588886666',
             'published', now(), $2 RETURNING id)
         INSERT INTO activity_signup (activity_id, member_id, project_id, seats, state, cancelled_at, checked_in_at, check_in_way)
         SELECT made.id, m.id, m.project_id, 1, s.state, CASE WHEN s.state = 'cancelled' THEN now() END,
           CASE WHEN s.state = 'signed' AND m.id % 2 = 0 THEN now() END, CASE WHEN s.state = 'signed' AND m.id % 2 = 0 THEN 'qr' END
           FROM made, member m, LATERAL (SELECT (ARRAY['signed', 'waiting', 'cancelled'])[1 + m.id % 3] AS state) s
          WHERE m.project_id IS NOT NULL AND m.id % 40 = $3`,
        [`名单${index}活动`, id, index],
      );
  },
});
