import { counted, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run, type Raw, type World } from '../../../testing/oracle/world.ts';

const hidden = (row: Raw, world: World): string => {
  const goods = by(world, 'product', 'id').get(row.product_id)![0]!;
  if (goods.status !== 'published' || goods.recycled_at !== null) return 'taken_down';
  const sold = by(world, 'product_project', 'product_id').get(row.product_id) ?? [];
  if (!sold.some((one) => Number(one.project_id) === Number(row.project_id))) return 'left_project';
  return Number(goods.stock_total) === 0 ? 'sold_out' : 'shown';
};

export const oracle = defineOracle({
  name: 'recommendedProduct',
  menu: 'mm_commodityRecommenda',
  table: 'recommended_product',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  filters: {
    hiddenBecause: {
      value: words('', ['shown', 'taken_down', 'sold_out', 'left_project']).value,
      keeps: (row, value, world) => value.split(',').includes(hidden(row, world)),
    },
  },
  export: counted,
  owner: 'created_by',
  reads: ['product', 'product_project'],
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 40).entries())
      await run(
        db,
        `INSERT INTO recommended_product (project_id, product_id, position, starts_at, ends_at, state, created_by)
         SELECT o.id, p.id, $1, now() - interval '1 day', now() + interval '9 days', $2, $3
           FROM (SELECT id FROM project ORDER BY id OFFSET $4 LIMIT 1) o, (SELECT id FROM product WHERE kind = 'goods' ORDER BY id OFFSET $5 LIMIT 1) p
         ON CONFLICT DO NOTHING`,
        [index, dice.pick(['waiting', 'running', 'ended']), id, index % 5, index + dice.upTo(40)],
      );
  },
});
