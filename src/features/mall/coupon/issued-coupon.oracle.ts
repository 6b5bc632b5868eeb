import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';
import { oracle as coupon } from './coupon.oracle.ts';

const { tabs: _tabs, ...shared } = coupon;
/** The business day of an instant. */
const day = (at: Date) => new Date(at.getTime() + 8 * 3_600_000).toISOString().slice(0, 10);

export const oracle = defineOracle({
  ...shared,
  name: 'issuedCoupon',
  menu: 'mk_coupon',
  filters: {
    ...shared.filters,
    period: {
      value: (dice) => {
        const on = (offset: number) => day(new Date(Date.now() + offset * 86_400_000));
        const from = dice.upTo(120) - 60;
        return `${dice.chance(0.8) ? on(from) : ''}~${dice.chance(0.8) ? on(from + dice.upTo(40)) : ''}`;
      },
      keeps: (row, value) => {
        const [from = '', to = ''] = value.split('~');
        return (from === '' || day(row.ends_at) >= from) && (to === '' || day(row.starts_at) <= to);
      },
    },
  },
  tabs: {
    all: () => true,
    platform: (row) => row.issuer === 'platform',
    merchant: (row) => row.issuer === 'merchant',
    review: (row) => row.review_state === 'waiting',
  },
  sample: (turn) => ({ ...coupon.sample!(turn), issuer: 'platform', bearerPercent: 100, excluded: [] }),
  // Pieces and questions for the lists below a coupon.
  fill: async ({ db, dice, staff }) => {
    await run(
      db,
      `INSERT INTO coupon_batch (coupon_id, qty, reason, created_by) SELECT id, 10 + id % 7, '追加', created_by FROM coupon`,
    );
    const tenants = [...new Set(staff.map((one) => one.tenantId))];
    for (const tenant of tenants)
      await run(
        db,
        `INSERT INTO coupon_consent (coupon_id, tenant_id, state, answered_at)
         SELECT c.id, $1, $2, CASE WHEN $2 = 'waiting' THEN NULL ELSE now() END FROM coupon c WHERE c.id % 3 = $3 ON CONFLICT DO NOTHING`,
        [tenant, dice.pick(['waiting', 'yes', 'no']), tenant % 3],
      );
  },
});
