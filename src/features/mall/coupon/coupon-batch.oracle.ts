import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { maySee } from '../../../testing/oracle/world.ts';
import { couponStanding } from './coupon.oracle.ts';

const MENU = 'mk_coupon';

export const oracle = defineOracle({
  name: 'couponBatch',
  menu: MENU,
  table: 'coupon_batch',
  standing: () => ({ tenant: null, projects: undefined, owner: null, rule: 'people' }),
  extra: (row, world, held) =>
    maySee(
      world,
      held,
      MENU,
      couponStanding(
        world.rows.coupon!.find((one) => one.id === row.coupon_id)!,
        world,
      ),
    ),
  export: counted,
  reads: ['coupon'],
});
