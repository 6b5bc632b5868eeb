import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'hotService',
  menu: 'mm_hotHomeServcie',
  table: 'recommended_product',
  where: (row) => row.kind === 'service',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  // Free places follow from openings, stops and visits of two weeks; the service's own tests count them.
  leftOut: ['hiddenBecause'],
  export: counted,
  owner: 'created_by',
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 40).entries())
      await run(
        db,
        `INSERT INTO recommended_product (kind, project_id, product_id, position, starts_at, ends_at, state, created_by)
         SELECT 'service', o.id, p.id, $1, now() - interval '1 day', now() + interval '9 days', $2, $3
           FROM (SELECT id FROM project ORDER BY id OFFSET $4 LIMIT 1) o, (SELECT id FROM product WHERE kind = 'service' ORDER BY id OFFSET $5 LIMIT 1) p
         ON CONFLICT DO NOTHING`,
        [index, dice.pick(['waiting', 'running', 'ended']), id, index % 5, dice.upTo(10)],
      );
  },
});
