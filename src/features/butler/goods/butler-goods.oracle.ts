import { counted, projectsOf, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run, type Raw, type World } from '../../../testing/oracle/world.ts';

const JOINS = 'butler_goods_project';
const STANDINGS = ['open', 'waiting', 'over', 'resting', 'disabled'];
const today = () => new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 10);
const goodsOf = (row: Raw, world: World) => by(world, 'product', 'id').get(row.product_id)![0]!;

const standing = (row: Raw, world: World): string => {
  if (!row.enabled) return 'disabled';
  const goods = goodsOf(row, world);
  if (goods.status !== 'published' || goods.recycled_at !== null) return 'resting';
  if (String(row.valid_from) > today()) return 'waiting';
  return row.valid_to !== null && String(row.valid_to) < today() ? 'over' : 'open';
};

export const oracle = defineOracle({
  name: 'butlerGoods',
  menu: 'butler_goods',
  table: 'butler_goods',
  standing: (row, world) => ({
    tenant: null,
    projects: (by(world, JOINS, 'goods_id').get(row.id) ?? []).map((one) => Number(one.project_id)),
    owner: row.created_by,
    rule: 'places',
  }),
  filters: {
    projects: projectsOf(JOINS, 'goods_id'),
    standing: {
      value: words('', STANDINGS).value,
      keeps: (row, value, world) => value.split(',').includes(standing(row, world)),
    },
  },
  export: counted,
  owner: 'created_by',
  reads: [JOINS, 'product'],
  sample: (turn) => ({
    validFrom: `${2100 + turn}-01-01`,
    validTo: `${2100 + turn}-12-31`,
    incentive: 'plan',
  }),
  fill: async ({ db, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries())
      await run(
        db,
        `WITH made AS (INSERT INTO butler_goods (product_id, position, valid_from, valid_to, enabled, created_by)
           SELECT p.id, $1::integer, current_date + ($1::integer % 5 - 3) * 20, current_date + ($1::integer % 5 - 3) * 20 + 30, $1::integer % 4 <> 0, $2
             FROM (SELECT id FROM product WHERE kind = 'goods' ORDER BY id OFFSET $1::integer LIMIT 1) p
           ON CONFLICT DO NOTHING RETURNING id)
         INSERT INTO butler_goods_project SELECT made.id, o.id FROM made, project o WHERE o.id % 3 = $1::integer % 3`,
        [index, id],
      );
  },
});
