import { invalid } from '../../../kernel/server/http/errors.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { changeCopies } from '../../../domain/seckill/activity.server.ts';
import { seckillItem } from './seckill.contract.ts';
import { OF_ACTIVITY } from './seckill-scope.server.ts';

/** Goods of seckills, session by session. */
export const registration = bindResource(seckillItem, {
  table: 'seckill_item',
  from: `seckill_item t JOIN seckill_activity a ON a.id = t.activity_id LEFT JOIN seckill_session n ON n.id = t.session_id
    LEFT JOIN product p ON p.id = t.product_id LEFT JOIN product_spec s ON s.id = t.spec_id`,
  scope: OF_ACTIVITY,
  search: `lower(p.name || ' ' || s.name)`,
  columns: {
    activity: { id: 't.activity_id', title: 'a.name' },
    sessionNo: 'n.position',
    product: 'p.name',
    spec: 's.name',
    sellThrough: `to_char(t.sold * 100.0 / nullif(t.reserved, 0), 'FM990.00')`,
    discount: '((t.base_price - t.price) * t.sold)',
  },
  handlers: {
    addStock: async ({ tx, platform, id, row, input, caller }) => {
      const change = Number(input.change);
      if (change === 0) throw invalid({ change: ['请填写增减的份数', 'Say by how many copies'] });
      await changeCopies(tx, { id, activityId: Number(row.activity_id) }, change, {
        changeKey: String(Number(row.version) + 1),
        reason: String(input.reason),
        staffId: caller.staffId,
      });
      platform.changed('seckillActivity');
      return {
        remark: String(input.reason),
        changes: [{ field: 'reserved', before: Number(row.reserved), after: Number(row.reserved) + change }],
      };
    },
  },
}).registration;
