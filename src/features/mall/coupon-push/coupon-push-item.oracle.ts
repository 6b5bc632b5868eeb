import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { pushStanding } from './coupon-push.oracle.ts';

export const oracle = defineOracle({
  name: 'couponPushItem',
  menu: 'mm_targetedCoupons',
  table: 'coupon_push_item',
  standing: (row, world) =>
    pushStanding(
      world.rows.coupon_push!.find((one) => one.id === row.push_id)!,
      world,
    ),
  leftOut: ['push'],
  export: counted,
  reads: ['coupon_push', 'coupon'],
});
