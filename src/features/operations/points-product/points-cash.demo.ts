import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { pointsProduct } from './points-product.contract.ts';

const DAY = 86_400_000;

/** Points goods with a part in cash. */
export const demo = defineDemo({
  key: 'pointsShopCash',
  after: ['pointsShop'],
  run: async ({ tx, insert, now, as, tell }) => {
    const author = as('mall1');
    const pictures = await run<{ id: string }>(
      tx,
      `SELECT id FROM stored_file WHERE access = 'picture' AND type IN ('image/png', 'image/jpeg') ORDER BY name, id LIMIT 6`,
    );
    const at = new Date(now.getTime() - 6 * DAY);
    const [id] = await insert('points_product', [
      {
        name: '旅行收纳套装',
        class: 'home',
        way: 'ship',
        image_ids: pictures.slice(2, 3).map((one) => one.id),
        labels: ['积分+现金'],
        detail: '<p>六件套，积分加现金换购，支付后发货。</p>',
        state: 'published',
        published_at: new Date(at.getTime() + DAY),
        created_at: at,
        updated_at: at,
        created_by: author.staffId,
        updated_by: author.staffId,
      },
    ]);
    await insert('points_product_spec', [
      {
        points_product_id: id,
        position: 1,
        name: '六件套',
        points: 300,
        cash: 1_990,
        unit: '套',
        quantity: 40,
      },
      {
        points_product_id: id,
        position: 2,
        name: '十件套',
        points: 500,
        cash: 2_990,
        unit: '套',
        quantity: 20,
      },
    ]);
    await run(tx, 'INSERT INTO points_product_project SELECT $1, id FROM project', [id]);
    await tell({
      entity: pointsProduct.name,
      entityId: id!,
      caller: author,
      action: 'create',
      label: pointsProduct.actions!.create.label,
      to: 'draft',
      at,
    });
  },
});
