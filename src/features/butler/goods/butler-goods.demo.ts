import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { butlerGoods } from './butler-goods.contract.ts';

const DAY = 86_400_000;

/** Goods butlers share: fixed, by a rate and by the plan; some not begun, over or disabled. */
export const demo = defineDemo({
  key: 'butlerGoods',
  after: ['mallContent'],
  run: async ({ tx, insert, tell, now, as }) => {
    const goods = await run<{ id: number; name: string; price: number; projects: number[] }>(
      tx,
      `SELECT p.id, p.name, p.price_min::float8 AS price, ARRAY(SELECT project_id FROM product_project s WHERE s.product_id = p.id ORDER BY project_id) AS projects
         FROM product p WHERE p.kind = 'goods' AND p.status = 'published' AND p.recycled_at IS NULL AND p.price_min > 100
          AND EXISTS (SELECT FROM product_project s WHERE s.product_id = p.id) ORDER BY p.id LIMIT 18`,
    );
    const author = as('mall1');
    const day = (shift: number) =>
      new Date(now.getTime() + 8 * 3_600_000 + shift * DAY).toISOString().slice(0, 10);
    for (const [index, one] of goods.entries()) {
      const made = new Date(now.getTime() - (110 - index * 2) * DAY);
      const incentive = (['rate', 'fixed', 'plan'] as const)[index % 3]!;
      const [from, to] = index % 7 === 5 ? [6, 40] : index % 7 === 6 ? [-75, -4] : [-75, null];
      const [id] = await insert('butler_goods', [
        {
          product_id: one.id,
          incentive,
          fixed_fen: incentive === 'fixed' ? Math.max(1, Math.floor(one.price * 0.08)) : null,
          rate: incentive === 'rate' ? 3 + (index % 4) : null,
          valid_from: day(from!),
          valid_to: to === null ? null : day(to!),
          position: (index + 1) * 10,
          share_title: `管家推荐 ${one.name}`.slice(0, 30),
          share_text: '邻居们都在回购，有需要可以直接下单，送货到家。',
          enabled: index % 8 !== 4,
          created_at: made,
          created_by: author.staffId,
          updated_at: made,
          updated_by: author.staffId,
        },
      ]);
      await run(
        tx,
        'INSERT INTO butler_goods_project (goods_id, project_id) SELECT $1, unnest($2::bigint[])',
        [id, index % 4 === 3 ? one.projects.slice(0, 1) : one.projects],
      );
      const told = { entity: butlerGoods.name, entityId: id!, caller: author };
      const { create, disable } = butlerGoods.actions!;
      await tell({ ...told, at: made, action: 'create', label: create.label });
      if (index % 8 === 4)
        await tell({
          ...told,
          at: new Date(made.getTime() + 3 * DAY),
          action: 'disable',
          label: disable.label,
        });
    }
  },
});
