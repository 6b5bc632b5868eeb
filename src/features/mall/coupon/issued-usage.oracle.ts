import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { maySee } from '../../../testing/oracle/world.ts';
import { oracle as usage } from './coupon-usage.oracle.ts';
import { couponStanding } from './coupon.oracle.ts';

const MENU = 'mk_coupon';

export const oracle = defineOracle({
  ...usage,
  name: 'issuedCouponUsage',
  menu: MENU,
  extra: (row, world, held) =>
    held.elements.has(`${MENU}:btn_usage`) &&
    maySee(
      world,
      held,
      MENU,
      couponStanding(
        world.rows.coupon!.find((one) => one.id === row.coupon_id)!,
        world,
      ),
    ),
});
