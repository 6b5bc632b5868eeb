import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'parkingPlan',
  menu: 'mk_parkingPlace',
  table: 'parking_fee_plan',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries())
      await run(
        db,
        `INSERT INTO parking_fee_plan (lot_id, project_id, vehicle_class, free_minutes, first_minutes, first_fen, unit_minutes, unit_fen, valid_from, created_by)
         SELECT l.id, l.project_id, $1, 30, 60, 500, 30, 200, current_date + $2::int, $3 FROM parking_lot l ORDER BY (l.id * 13 + $4) % 7, l.id LIMIT 1`,
        [dice.pick(['small', 'large', 'new_energy']), 100 + index, id, index],
      );
  },
});
