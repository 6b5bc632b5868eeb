import { dayOf, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run, type Raw } from '../../../testing/oracle/world.ts';

const today = () => dayOf(new Date());
const standing = (row: Raw) =>
  row.cancelled_at !== null
    ? 'cancelled'
    : row.ends_on < today()
      ? 'ended'
      : row.starts_on > today()
        ? 'coming'
        : 'valid';

export const oracle = defineOracle({
  name: 'parkingPass',
  menu: 'mk_parkingPlace',
  table: 'parking_pass',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  filters: { standing: words(standing, ['coming', 'valid', 'ended', 'cancelled']) },
  tabs: {
    all: () => true,
    ending: (row) =>
      row.cancelled_at === null &&
      row.ends_on >= today() &&
      row.ends_on <= dayOf(new Date(Date.now() + 7 * 86_400_000)),
  },
  text: (row) => String(row.plate).toLowerCase(),
  owner: 'created_by',
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 40).entries())
      await run(
        db,
        `INSERT INTO parking_pass (lot_id, project_id, plate, kind, starts_on, ends_on, cancelled_at, created_by)
         SELECT l.id, l.project_id, $1, $2, current_date + $3::int, current_date + $3::int + $4::int, CASE WHEN $5 THEN now() END, $6
           FROM parking_lot l ORDER BY (l.id * 13 + $7) % 7, l.id LIMIT 1`,
        [
          `粤X${String(10_000 + index)}`,
          dice.pick(['monthly', 'owner', 'staff']),
          dice.upTo(60) - 40,
          dice.upTo(40),
          dice.chance(0.2),
          id,
          index,
        ],
      );
  },
});
