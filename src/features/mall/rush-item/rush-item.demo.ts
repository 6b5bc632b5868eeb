import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';

const HOUR = 3_600_000;
/** Hours from now at which the rushes of each spec begin; one of them runs. */
const STARTS = [-50, -2, 22];

/** Goods of a rush business are sold for some hours a day, at four fifths of their price. */
export const demo = defineDemo({
  key: 'rushItems',
  run: async ({ tx, insert, now, as }) => {
    const specs = await run<{ id: number; product_id: number; price: number; stock: number }>(
      tx,
      `SELECT s.id, s.product_id, s.price, s.stock FROM product_spec s JOIN product p ON p.id = s.product_id JOIN business b ON b.id = p.business_id AND b.type = 4
        WHERE p.kind = 'goods' AND p.status = 'published' AND p.recycled_at IS NULL AND s.enabled AND s.stock > 0 AND s.price >= 100
          AND NOT EXISTS (SELECT FROM rush_item r WHERE r.spec_id = s.id) ORDER BY s.id LIMIT 12`,
    );
    const { staffId } = as('mall1');
    await insert(
      'rush_item',
      specs.flatMap((spec) =>
        STARTS.map((hours) => {
          const from = new Date(now.getTime() + hours * HOUR);
          const stock = Math.min(spec.stock, 50);
          return {
            product_id: spec.product_id,
            spec_id: spec.id,
            price: Math.floor((spec.price * 4) / 5),
            stock,
            remaining: stock,
            per_limit: 2,
            period: `[${from.toISOString()},${new Date(from.getTime() + 8 * HOUR).toISOString()})`,
            created_by: staffId,
            updated_by: staffId,
          };
        }),
      ),
    );
  },
});
