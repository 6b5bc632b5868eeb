import { byCode, dayRange, projectsOf, words, yes } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run } from '../../../testing/oracle/world.ts';

const JOINS = 'points_product_project';

export const oracle = defineOracle({
  name: 'pointsProduct',
  menu: 'os_integralShop',
  table: 'points_product',
  standing: (row, world) => ({
    tenant: null,
    projects: (by(world, JOINS, 'points_product_id').get(row.id) ?? []).map((one) => Number(one.project_id)),
    owner: row.created_by,
    rule: 'places',
  }),
  filters: {
    projects: projectsOf(JOINS, 'points_product_id'),
    state: words('state', ['draft', 'published', 'off_shelf']),
    class: words('class', ['daily', 'food', 'digital', 'home', 'voucher', 'service', 'other']),
    way: words('way', ['ship', 'collect', 'card', 'coupon']),
    recommended: yes('recommended'),
    publishedAt: {
      ...dayRange('published_at'),
      keeps: (row, value, world, held) =>
        row.published_at !== null && dayRange('published_at').keeps(row, value, world, held),
    },
  },
  text: (row) => String(row.name).toLowerCase(),
  export: byCode,
  owner: 'created_by',
  reads: [JOINS],
  sample: () => ({
    way: 'ship',
    images: [],
    featured: [],
    grade: undefined,
    coupon: undefined,
    saleFrom: '2026-01-01T00:00:00+08:00',
    saleTo: '2030-01-01T00:00:00+08:00',
  }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries())
      await run(
        db,
        `WITH made AS (INSERT INTO points_product (name, class, way, state, published_at, created_by) VALUES ($1, 'daily', 'ship', $2, CASE WHEN $2 <> 'draft' THEN now() END, $3) RETURNING id),
              spec AS (INSERT INTO points_product_spec (points_product_id, position, name, points, quantity) SELECT id, 1, '标准', 100, 10 FROM made)
         INSERT INTO points_product_project SELECT made.id, p.id FROM made, project p WHERE p.id % 3 = $4`,
        [`随机积分商品${index}`, dice.pick(['draft', 'published', 'off_shelf']), id, index % 3],
      );
  },
});
