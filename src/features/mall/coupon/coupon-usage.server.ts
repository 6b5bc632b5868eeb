import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { couponUsage } from './coupon.contract.ts';
import { usagesOf } from './coupon-scope.server.ts';

const SHARES = `FROM order_share s JOIN order_line l ON l.id = s.line_id JOIN sales_order o ON o.id = l.order_id
  WHERE s.source_type = 'member_coupon' AND s.source_id = t.id::text AND (o.paid_at IS NOT NULL OR o.state = 'pending_payment')`;

/** What members hold and held of coupons, with the orders it was used in. */
export const registration = bindResource(couponUsage, {
  table: 'member_coupon',
  from: 'member_coupon t LEFT JOIN coupon c ON c.id = t.coupon_id LEFT JOIN member m ON m.id = t.member_id',
  stateColumn: 'status',
  scope: { tenant: 'none', project: 'none', owner: 'NULL::bigint', own: usagesOf },
  search: 'lower(t.code)',
  searchExact: ['m.phone'],
  columns: {
    coupon: { id: 't.coupon_id', title: 'c.name' },
    member: 'm.name',
    phone: 'm.phone',
    orders: `(SELECT string_agg(DISTINCT o.code, ', ') ${SHARES})`,
    discount: `(SELECT sum(s.amount)::bigint ${SHARES})`,
    returned: '(t.returned_from IS NOT NULL)',
  },
}).registration;
