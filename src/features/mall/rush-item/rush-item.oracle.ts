import { idsOfRows } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run, type Raw, type World } from '../../../testing/oracle/world.ts';

const goods = (row: Raw, world: World): Raw => by(world, 'product', 'id').get(row.product_id)![0]!;

export const oracle = defineOracle({
  name: 'rushItem',
  menu: 'mm_commodityMana',
  table: 'rush_item',
  where: () => true,
  standing: (row, world) => ({
    tenant: goods(row, world).tenant_id,
    projects: (by(world, 'product_project', 'product_id').get(row.product_id) ?? []).map((one) =>
      Number(one.project_id),
    ),
    owner: goods(row, world).created_by,
    rule: 'places',
  }),
  filters: { product: idsOfRows('product_id', 'rush_item') },
  extra: (row, world) => goods(row, world).purged_at === null,
  reads: ['product', 'product_project'],
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries())
      await run(
        db,
        `INSERT INTO rush_item (product_id, spec_id, price, stock, remaining, period, created_by)
         SELECT s.product_id, s.id, 100, 10, 10, tstzrange(now() + make_interval(days => $1), now() + make_interval(days => $1 + 1)), $2
           FROM product_spec s JOIN product p ON p.id = s.product_id AND p.kind = 'goods' ORDER BY s.id OFFSET $3 LIMIT 1
         ON CONFLICT DO NOTHING`,
        [index, id, dice.upTo(40)],
      );
  },
});
