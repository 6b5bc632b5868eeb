import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';

const DAYS = 60;

/** Looks at what was sold lately: by the buyers, and by neighbours some of whom put it into their cart. */
export const demo = defineDemo({
  key: 'goodsVisits',
  after: [],
  run: async ({ tx, now }) => {
    // A number from 0 to 1 out of what a look is, not out of random(): that would follow the order the planner reads in.
    const chance = (of: string) => `(abs(hashtextextended(${of}, 18) % 1000003) / 1000003.0)`;
    await run(
      tx,
      `WITH who AS (SELECT project_id, array_agg(id ORDER BY id) AS ids FROM member WHERE project_id IS NOT NULL AND NOT official GROUP BY project_id)
       INSERT INTO goods_visit (event_id, kind, product_id, tenant_id, project_id, member_id, visitor, at)
       SELECT 'demo:' || s.id || ':' || x.n || ':' || k.kind, k.kind, s.product_id, s.tenant_id, s.project_id, x.m, 'm:' || x.m,
              s.paid_at - make_interval(mins => (20 + 300 * ${chance("s.id || ':' || x.n")} - k.later)::int)
         FROM goods_sale s JOIN who w ON w.project_id = s.project_id
         CROSS JOIN LATERAL (SELECT 0 AS n, s.member_id AS m UNION ALL
              SELECT n, w.ids[1 + floor(${chance("'who' || s.id || ':' || n")} * cardinality(w.ids))::int] FROM generate_series(1, 4) n) x
         CROSS JOIN LATERAL (SELECT 'view' AS kind, 0 AS later UNION ALL SELECT 'cart', 10 WHERE x.n = 0 OR ${chance("'cart' || s.id || ':' || x.n")} < 0.3
              UNION ALL SELECT 'share', 12 WHERE ${chance("'share' || s.id || ':' || x.n")} < 0.05) k
        WHERE x.m IS NOT NULL AND s.paid_at > $1::timestamptz - make_interval(days => ${DAYS}) ORDER BY s.id, x.n, k.later`,
      [now],
    );
  },
});
