import { counted, stateTabs, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

/** Visits lie in projects: merchants see none, staff those of their projects, "own" those they entered. */
export const oracle = defineOracle({
  name: 'visitor',
  menu: 'cs_visitRegistration',
  table: 'visitor_registration',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  filters: {
    state: words('state', ['to_review', 'valid', 'arrived', 'left', 'refused', 'cancelled', 'expired']),
  },
  tabs: {
    all: () => true,
    ...stateTabs('to_review', 'valid', 'arrived', 'left'),
    overdue: (row) => row.state === 'arrived' && (row.visit_to as Date).getTime() < Date.now(),
  },
  text: (row) => `${row.visitor} ${row.plate} ${row.address}`.toLowerCase(),
  export: counted,
  owner: 'created_by',
  sample: (turn) => ({
    phone: `138${String(turn).padStart(8, '0')}`,
    visitFrom: `2027-03-${String((turn % 27) + 1).padStart(2, '0')}T08:00:00+08:00`,
    visitTo: `2027-03-${String((turn % 27) + 1).padStart(2, '0')}T18:00:00+08:00`,
    drives: 'yes',
    plate: '粤B12345',
    people: 2,
  }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 120).entries()) {
      const state = dice.pick(['to_review', 'valid', 'arrived', 'left', 'refused', 'cancelled', 'expired']);
      const car = dice.chance(0.5);
      await run(
        db,
        `INSERT INTO visitor_registration (project_id, house_id, household_id, address, visitor, phone, people, reason, visit_from, visit_to, seat,
           drives, plate, car_state, state, arrived_at, left_at, created_by)
         SELECT x.project_id, x.id, hh.id, x.number, $1, $2, 1, '随机', now() + make_interval(hours => $3), now() + make_interval(hours => $3 + 5), $4,
           $5, $6, $7, $8, CASE WHEN $8 IN ('arrived', 'left') THEN now() END, CASE WHEN $8 = 'left' THEN now() END, $9
           FROM household hh JOIN house x ON x.id = hh.house_id ORDER BY (hh.id * 13 + $10) % 101, hh.id LIMIT 1`,
        [
          `访客${index}`,
          `1390000${String(index).padStart(4, '0')}`,
          -60 - dice.upTo(900),
          index + 60,
          car ? 'yes' : 'no',
          car ? `粤B${String(10_000 + index)}` : '',
          car ? 'passed' : 'none',
          state,
          id,
          index,
        ],
      );
    }
  },
});
