import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { ORDER_COMMENT } from '../../../domain/order-comment/rate-order.server.ts';
import { productComment } from './order-comment.contract.ts';

const GOODS: readonly (readonly [number, string])[] = [
  [5, '包装严实，日期新鲜，已经第三次买了'],
  [5, '配送很快，放在门口还发了照片'],
  [4, '味道不错，就是分量比想象中小一点'],
  [5, '和图片一致，家里老人很喜欢'],
  [3, '东西可以，外箱有点压坏'],
  [5, ''],
  [4, '价格比超市便宜，推荐'],
  [2, '有两个坏果，希望以后挑仔细些'],
];
const SERVICE: readonly (readonly [number, string])[] = [
  [5, '师傅准时上门，做得很细致，离开前把地也拖了'],
  [5, '服务态度好，收费透明'],
  [4, '整体满意，迟到了十分钟'],
  [5, '清洗前后对比很明显'],
  [3, '边角没有擦到，提醒后返工'],
  [5, '已经预约下个月了'],
  [1, '约好的时间改了两次'],
];

/** Comments of orders that count as rated, some answered, one hidden and one waiting. */
export const demo = defineDemo({
  key: 'orderComments',
  after: ['serviceOrders', 'servicePeople'],
  run: async ({ tx, insert, tell, as, now }) => {
    const author = as('mall1');
    // Two of three finished visits are talked of.
    await run(
      tx,
      `UPDATE sales_order SET comment_status = 1 WHERE kind = 'service' AND state = 'completed' AND refund_status = 'none' AND comment_status = 0 AND id % 3 <> 0`,
    );
    const orders = await run<{
      id: number;
      kind: string;
      tenant_id: number;
      project_id: number;
      member_id: number;
      person: number | null;
      at: Date;
    }>(
      tx,
      `SELECT o.id, o.kind, o.tenant_id, o.project_id, o.member_id, o.completed_at + interval '5 hours' AS at,
              (SELECT a.person_id FROM appointment a WHERE a.order_id = o.id AND a.state = 'done' AND a.person_id IS NOT NULL ORDER BY a.starts_at DESC LIMIT 1) AS person
         FROM sales_order o WHERE o.kind IN ('goods', 'service') AND o.state = 'completed' AND o.comment_status = 1 AND o.completed_at < $1
          AND NOT EXISTS (SELECT FROM order_comment c WHERE c.order_id = o.id) ORDER BY o.id`,
      [new Date(now.getTime() - 6 * 3_600_000)],
    );
    for (const [index, order] of orders.entries()) {
      const texts = order.kind === 'service' ? SERVICE : GOODS;
      const [stars, content] = texts[index % texts.length]!;
      const hidden = index % 41 === 17;
      const answered = stars <= 3 || index % 9 === 0;
      const later = new Date(Math.min(order.at.getTime() + 20 * 3_600_000, now.getTime()));
      const [id] = await insert('order_comment', [
        {
          order_id: order.id,
          tenant_id: order.tenant_id,
          project_id: order.project_id,
          member_id: order.member_id,
          person_id: order.person,
          stars,
          content,
          state: hidden ? 'hidden' : index % 53 === 29 ? 'waiting' : 'shown',
          hide_reason: hidden ? '含联系方式' : '',
          reply: answered ? (stars <= 3 ? '非常抱歉，已记录并改进，客服会与您联系' : '感谢您的支持') : '',
          replied_by: answered ? author.staffId : null,
          replied_at: answered ? later : null,
          created_at: order.at,
          updated_at: answered ? later : order.at,
        },
      ]);
      const told = { entity: ORDER_COMMENT, entityId: id! };
      await tell({ ...told, action: 'rate', label: ['评价', 'Rated'], to: 'shown', at: order.at });
      if (answered)
        await tell({
          ...told,
          caller: author,
          action: 'reply',
          label: productComment.actions!.reply.label,
          at: later,
        });
      if (hidden)
        await tell({
          ...told,
          caller: author,
          action: 'hide',
          label: productComment.actions!.hide.label,
          from: 'shown',
          to: 'hidden',
          at: later,
        });
    }
  },
});
