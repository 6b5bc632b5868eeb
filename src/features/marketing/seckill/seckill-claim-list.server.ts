import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { seckillClaim } from './seckill.contract.ts';
import { OF_ACTIVITY } from './seckill-scope.server.ts';

/** Orders of seckills, under their activity. */
export const registration = bindResource(seckillClaim, {
  table: 'seckill_claim',
  from: `seckill_claim t JOIN seckill_activity a ON a.id = t.activity_id LEFT JOIN seckill_item i ON i.id = t.item_id
    LEFT JOIN seckill_session n ON n.id = i.session_id LEFT JOIN product_spec s ON s.id = i.spec_id LEFT JOIN product p ON p.id = i.product_id
    LEFT JOIN member l ON l.id = t.member_id LEFT JOIN sales_order o ON o.id = t.order_id`,
  scope: OF_ACTIVITY,
  search: `lower(o.code)`,
  columns: {
    activity: { id: 't.activity_id', title: 'a.name' },
    orderCode: 'o.code',
    order: { id: 't.order_id', title: 'o.code' },
    product: `p.name || ' ' || s.name`,
    sessionNo: 'n.position',
    memberName: `coalesce(nullif(l.name, ''), l.nickname)`,
    memberPhone: 'l.phone',
    amount: 'o.payable',
    payDeadline: `CASE WHEN t.state = 'held' THEN o.pay_deadline END`,
  },
}).registration;
