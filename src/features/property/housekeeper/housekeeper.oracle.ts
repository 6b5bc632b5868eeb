import { projectsOf } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run, type Raw, type World } from '../../../testing/oracle/world.ts';

const staffOf = (row: Raw, world: World) => world.rows.staff!.find((one) => one.id === row.staff_id)!;
const today = () => new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 10);

export const oracle = defineOracle({
  name: 'housekeeper',
  menu: 'cs_housekeepManager',
  table: 'housekeeper',
  where: (row) => row.left_at === null,
  standing: (row, world) => ({
    tenant: staffOf(row, world).tenant_id as number,
    projects: undefined,
    owner: row.staff_id as number,
    rule: 'places',
  }),
  filters: {
    projects: {
      value: projectsOf('staff_project', 'staff_id').value,
      keeps: (row, value, world, held) => {
        const wanted = value.split(',').filter((id) => !held.projects || held.projects.has(Number(id)));
        return world.rows.housekeeper_building!.some(
          (one) =>
            one.housekeeper_id === row.id &&
            one.kind === 'main' &&
            String(one.valid_from) <= today() &&
            (one.valid_to === null || String(one.valid_to) >= today()) &&
            wanted.includes(String(one.project_id)),
        );
      },
    },
    enabled: {
      value: (dice) => String(dice.chance(0.5)),
      keeps: (row, value, world) => String(staffOf(row, world).state === 'normal') === value,
    },
  },
  reads: ['staff', 'housekeeper_building', 'staff_project'],
  fill: async ({ db, staff }) => {
    for (const { id } of staff.slice(0, 40))
      await run(db, 'INSERT INTO housekeeper (staff_id) VALUES ($1) ON CONFLICT DO NOTHING', [id]);
    await run(
      db,
      `INSERT INTO housekeeper_building (housekeeper_id, project_id, building_id, kind, valid_from, valid_to)
       SELECT k.id, b.project_id, b.id, CASE WHEN k.id % 3 = 0 THEN 'stand_in' ELSE 'main' END, current_date - 20, CASE WHEN k.id % 4 = 0 THEN current_date - 5 END
         FROM housekeeper k JOIN LATERAL (SELECT id, project_id FROM building ORDER BY (id * 7919 + k.id * 31) % 101, id LIMIT 2) b ON true
        WHERE NOT EXISTS (SELECT FROM housekeeper_building a WHERE a.housekeeper_id = k.id)`,
      [],
    );
  },
});
