import { counted, ids, isMerchant, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { maySee } from '../../../testing/oracle/world.ts';
import { couponStanding } from './coupon.oracle.ts';

const MENU = 'mk_coupon';

export const oracle = defineOracle({
  name: 'couponConsent',
  menu: MENU,
  table: 'coupon_consent',
  standing: () => ({ tenant: null, projects: undefined, owner: null, rule: 'people' }),
  extra: (row, world, held) =>
    held.kind === 2
      ? row.tenant_id === held.row.tenant_id
      : maySee(
          world,
          held,
          MENU,
          couponStanding(
            world.rows.coupon!.find((one) => one.id === row.coupon_id)!,
            world,
          ),
        ),
  filters: {
    state: words('state', ['waiting', 'yes', 'no']),
    merchant: ids('tenant_id', 'tenant', isMerchant),
  },
  export: counted,
  reads: ['coupon'],
});
