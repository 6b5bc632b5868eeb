import { byCode, stateTabs, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run, type Raw } from '../../../testing/oracle/world.ts';

const inside = (row: Raw) =>
  row.parent_id === null &&
  row.exit_at === null &&
  ['parked', 'to_pay', 'paid', 'refunded'].includes(row.state);

/** Stays lie in projects: merchants see none. */
export const oracle = defineOracle({
  name: 'parkingOrder',
  menu: 'mk_parkOrder',
  table: 'parking_order',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  filters: {
    plate: {
      value: (dice) => dice.pick(['粤', '粤B', '沪A', '粤B1', '京']),
      keeps: (row, value) => String(row.plate).startsWith(value),
    },
    owes: {
      value: (dice) => (dice.chance(0.5) ? 'true' : 'false'),
      keeps: (row, value) => row.owed > 0 === (value === 'true'),
    },
    release: words('release_kind', ['free', 'paid', 'pass', 'manual']),
    abnormal: words('abnormal', ['second_entry', 'no_entry', 'too_long', 'late_entry']),
  },
  tabs: {
    all: () => true,
    inside,
    waiting: (row) =>
      row.waiting_at !== null &&
      Date.now() - (row.waiting_at as Date).getTime() < 30 * 60_000 &&
      (row.state === 'to_pay' || (row.state === 'abnormal' && row.exit_at === null)),
    owing: (row) => row.owed > 0,
    ...stateTabs('abnormal'),
  },
  text: (row) => `${row.code} ${row.plate}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 60).entries()) {
      const state = dice.pick(['parked', 'left', 'left', 'abnormal', 'closed']);
      const owed = state === 'left' && dice.chance(0.4) ? 500 : 0;
      await run(
        db,
        `INSERT INTO parking_order (code, lot_id, project_id, plate, vehicle_class, entry_at, exit_at, gross, owed, release_kind, abnormal, state, waiting_at, created_by)
         SELECT $1, l.id, l.project_id, $2, $3, now() - make_interval(hours => $4::int + 3), CASE WHEN $5 = 'left' THEN now() - make_interval(hours => $4::int) END,
           $6::bigint, $6::bigint, CASE WHEN $5 = 'left' THEN $7 END, CASE WHEN $5 = 'abnormal' THEN 'too_long' ELSE '' END, $5, CASE WHEN $5 = 'abnormal' THEN now() END, $8
           FROM parking_lot l ORDER BY (l.id * 13 + $9) % 7, l.id LIMIT 1`,
        [
          `TCX${index}`,
          `${dice.pick(['粤B', '沪A', '京N'])}X${String(1000 + index)}`,
          dice.pick(['small', 'large', 'new_energy']),
          dice.upTo(900),
          state,
          owed,
          owed > 0 ? 'manual' : 'free',
          id,
          index,
        ],
      );
    }
  },
});
