import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';

/** Looks at posts and topics, as many as these say they had. */
export const demo = defineDemo({
  key: 'contentViews',
  after: ['posts', 'communityTopics'],
  run: async ({ tx, now }) => {
    // A number from 0 to 1 out of what a look is, not out of random(): that would follow the order the planner reads in.
    const chance = (of: string) => `(abs(hashtextextended(${of}, 42) % 1000003) / 1000003.0)`;
    // More looks on the first days, each by somebody of the project.
    await run(
      tx,
      `WITH who AS (SELECT project_id, array_agg(id ORDER BY id) AS ids FROM member WHERE project_id IS NOT NULL AND NOT official GROUP BY project_id)
       INSERT INTO content_view (kind, post_id, project_id, member_id, viewer, at)
       SELECT p.kind, p.id, p.project_id, x.m, 'm:' || x.m, least($1::timestamptz, p.published_at + (${chance("'at' || p.id || ':' || x.n")} ^ 3)::float8 * ($1::timestamptz - p.published_at))
         FROM post p JOIN who w ON w.project_id = p.project_id,
              LATERAL (SELECT n, w.ids[1 + floor(${chance("p.id || ':' || n")} * cardinality(w.ids))::int] AS m FROM generate_series(1, p.views) n) x
        WHERE p.review_state = 'passed' ORDER BY p.id, x.n`,
      [now],
    );
    await run(
      tx,
      `WITH who AS (SELECT x.topic_id, array_agg(m.id ORDER BY m.id) AS ids, (array_agg(m.project_id ORDER BY m.id)) AS homes
                      FROM community_topic_project x JOIN member m ON m.project_id = x.project_id AND NOT m.official GROUP BY x.topic_id)
       INSERT INTO content_view (kind, topic_id, project_id, member_id, viewer, at)
       SELECT 'topic', c.id, w.homes[x.n], w.ids[x.n], 'm:' || w.ids[x.n], least($1::timestamptz, c.published_at + (${chance("'at' || c.id || ':' || x.look")} ^ 2)::float8 * ($1::timestamptz - c.published_at))
         FROM community_topic c JOIN who w ON w.topic_id = c.id,
              LATERAL (SELECT look, 1 + floor(${chance("c.id || ':' || look")} * cardinality(w.ids))::int AS n FROM generate_series(1, c.views) look) x
        WHERE c.published_at IS NOT NULL ORDER BY c.id, x.look`,
      [now],
    );
  },
});
