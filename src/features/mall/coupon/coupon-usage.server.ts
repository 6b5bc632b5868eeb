import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { run } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { ORDER_SCOPE } from '../../../domain/checkout/order-sights.server.ts';
import type { Binding } from '../../../kernel/server/resource/binding.ts';
import { COUPON_MENU, couponUsage } from './coupon.contract.ts';
import { usagesOf } from './coupon-scope.server.ts';

const SHARES = `FROM order_share s JOIN order_line l ON l.id = s.line_id JOIN sales_order o ON o.id = l.order_id
  WHERE s.source_type = 'member_coupon' AND s.source_id = t.id::text AND (o.paid_at IS NOT NULL OR o.state = 'pending_payment')`;

function codesOf(orders: unknown): string[] {
  return typeof orders === 'string' ? orders.split(', ') : [];
}

/** How uses are read, of the coupons seen under a menu. */
export const usageBinding = (menu: string): Binding => ({
  table: 'member_coupon',
  from: 'member_coupon t LEFT JOIN coupon c ON c.id = t.coupon_id LEFT JOIN member m ON m.id = t.member_id',
  stateColumn: 'status',
  scope: { tenant: 'none', project: 'none', owner: 'NULL::bigint', own: usagesOf(menu) },
  search: 'lower(t.code)',
  searchExact: ['m.phone'],
  columns: {
    coupon: { id: 't.coupon_id', title: 'c.name' },
    member: 'm.name',
    phone: 'm.phone',
    orders: `(SELECT string_agg(DISTINCT o.code, ', ') ${SHARES})`,
    discount: `(SELECT sum(s.amount)::bigint ${SHARES})`,
    platformPart: `(SELECT sum(s.platform_amount)::bigint ${SHARES})`,
    returned: '(t.returned_from IS NOT NULL)',
  },
  // Whoever sees a coupon sees that it was used; in which order only where the order is seen too.
  present: async (rows, db, caller) => {
    const codes = [...new Set(rows.flatMap((row) => codesOf(row.orders)))];
    if (codes.length === 0) return;
    const parameters = new Parameters();
    const named = parameters.bind(codes);
    const seen = new Set(
      (
        await run<{ code: string }>(
          db,
          `SELECT t.code FROM sales_order t WHERE t.code = ANY(${named}::text[]) AND (
             (t.kind = 'goods' AND ${scopeCondition(caller, 'mm_businessOrder_wx', ORDER_SCOPE, parameters)})
             OR (t.kind = 'service' AND ${scopeCondition(caller, 'mm_reservationOrder_wx', ORDER_SCOPE, parameters)}))`,
          parameters.values,
        )
      ).map((one) => one.code),
    );
    for (const row of rows)
      if (row.orders)
        row.orders = codesOf(row.orders)
          .filter((code) => seen.has(code))
          .join(', ');
  },
});

/** What members hold and held of coupons, with the orders it was used in. */
export const registration = bindResource(couponUsage, usageBinding(COUPON_MENU)).registration;
