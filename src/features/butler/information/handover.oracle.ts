import { counted, idsOfRows } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run, type Raw } from '../../../testing/oracle/world.ts';

const projects = (row: Raw) => (row.project_ids as unknown[]).map(Number);

export const oracle = defineOracle({
  name: 'butlerHandover',
  menu: 'butler_information',
  table: 'housekeeper_handover',
  standing: (row, world) => ({
    tenant: null,
    projects: projects(row),
    owner: by(world, 'housekeeper', 'id').get(row.from_id)![0]!.staff_id,
    rule: 'places',
  }),
  filters: {
    from: idsOfRows('from_id', 'housekeeper_handover'),
    to: idsOfRows('to_id', 'housekeeper_handover'),
    projects: {
      value: (dice, world) => String(dice.pick(world.rows.project!).id),
      keeps: (row, value, _world, held) =>
        (!held.projects || held.projects.has(Number(value))) && projects(row).includes(Number(value)),
    },
  },
  export: counted,
  reads: ['housekeeper', 'project'],
  fill: async ({ db }) => {
    await run(
      db,
      `WITH made AS (INSERT INTO housekeeper_handover (from_id, to_id, starts_on, project_ids, houses, state)
         SELECT k.id, (SELECT o.id FROM housekeeper o WHERE o.id <> k.id ORDER BY (o.id * 7919 + k.id) % 101, o.id LIMIT 1), current_date + (k.id % 40)::int - 20, ARRAY[h.project_id], 1,
                CASE k.id % 3 WHEN 0 THEN 'planned' WHEN 1 THEN 'done' ELSE 'cancelled' END
           FROM housekeeper k JOIN LATERAL (SELECT id, project_id FROM house ORDER BY (id * 31 + k.id * 7) % 103, id LIMIT 1) h ON true RETURNING id, project_ids)
       INSERT INTO housekeeper_handover_house (handover_id, house_id, days)
       SELECT m.id, (SELECT min(h.id) FROM house h WHERE h.project_id = m.project_ids[1]), daterange(current_date, NULL) FROM made m`,
      [],
    );
  },
});
