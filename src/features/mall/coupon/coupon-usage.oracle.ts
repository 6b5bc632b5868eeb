import { counted, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { maySee } from '../../../testing/oracle/world.ts';
import { couponStanding } from './coupon.oracle.ts';

const MENU = 'mm_couponManagement';

export const oracle = defineOracle({
  name: 'couponUsage',
  menu: MENU,
  table: 'member_coupon',
  standing: () => ({ tenant: null, projects: undefined, owner: null, rule: 'people' }),
  extra: (row, world, held) => {
    const coupon = world.rows.coupon!.find((one) => one.id === row.coupon_id)!;
    return held.elements.has(`${MENU}:btn_usage`) && maySee(world, held, MENU, couponStanding(coupon, world));
  },
  filters: { state: words('status', ['unclaimed', 'claimed', 'used', 'refunded', 'expired']) },
  text: (row) => String(row.code).toLowerCase(),
  export: counted,
  reads: ['coupon'],
});
