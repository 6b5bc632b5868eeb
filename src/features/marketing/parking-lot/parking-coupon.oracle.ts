import { dayOf, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run, type Raw } from '../../../testing/oracle/world.ts';

const standing = (row: Raw) =>
  row.cancelled_at !== null
    ? 'cancelled'
    : row.order_id !== null
      ? 'used'
      : row.valid_to < dayOf(new Date())
        ? 'expired'
        : 'unused';

export const oracle = defineOracle({
  name: 'parkingCoupon',
  menu: 'mk_parkingPlace',
  table: 'parking_coupon',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  filters: { standing: words(standing, ['unused', 'used', 'expired', 'cancelled']) },
  text: (row) => String(row.plate).toLowerCase(),
  owner: 'created_by',
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 40).entries())
      await run(
        db,
        `INSERT INTO parking_coupon (lot_id, project_id, kind, value, plate, valid_to, cancelled_at, created_by)
         SELECT l.id, l.project_id, $1, $2::bigint, $3, current_date + $4::int, CASE WHEN $5 THEN now() END, $6
           FROM parking_lot l ORDER BY (l.id * 13 + $7) % 7, l.id LIMIT 1`,
        [
          ...dice.pick([
            ['minutes', 60],
            ['amount', 500],
            ['percent', 80],
            ['free', 0],
          ] as const),
          `粤Y${String(10_000 + index)}`,
          dice.upTo(60) - 30,
          dice.chance(0.2),
          id,
          index,
        ],
      );
  },
});
