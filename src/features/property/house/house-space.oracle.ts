import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'houseSpace',
  menu: 'cs_houseEnquiry',
  table: 'parking_pass',
  where: (row) => row.member_id !== null,
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  filters: {
    house: {
      value: (dice, world) => String(dice.pick(world.rows.household!).house_id),
      keeps: (row, value, world) =>
        world.rows.household!.some(
          (one) =>
            one.member_id === row.member_id &&
            one.status === 'normal' &&
            value.split(',').includes(String(one.house_id)) &&
            world.rows.house!.some((home) => home.id === one.house_id && home.project_id === row.project_id),
        ),
    },
  },
  owner: 'created_by',
  reads: ['household', 'house'],
  fill: async ({ db, dice, staff }) => {
    const homes = await run<{ member: number; project: number; lot: number }>(
      db,
      `SELECT DISTINCT ON (r.member_id) r.member_id AS member, h.project_id AS project, l.id AS lot FROM household r JOIN house h ON h.id = r.house_id JOIN parking_lot l ON l.project_id = h.project_id
        WHERE r.status = 'normal' ORDER BY r.member_id, l.id LIMIT 40`,
    );
    for (const [index, home] of homes.entries())
      await run(
        db,
        `INSERT INTO parking_pass (lot_id, project_id, plate, kind, starts_on, ends_on, member_id, created_by) VALUES ($1, $2, $3, $4, '2026-01-01', '2027-01-01', $5, $6)`,
        [
          home.lot,
          home.project,
          `京AS${String(index).padStart(4, '0')}`,
          dice.pick(['monthly', 'owner']),
          home.member,
          dice.pick(staff).id,
        ],
      );
  },
});
