import { ids } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run, type Raw, type World } from '../../../testing/oracle/world.ts';

const custodyOf = (row: Raw, world: World) =>
  world.rows.house_custody!.find((one) => one.id === row.custody_id)!;

export const oracle = defineOracle({
  name: 'custodyInspection',
  menu: 'cs_escrow',
  table: 'custody_inspection',
  standing: (row, world) => ({
    tenant: null,
    projects: [custodyOf(row, world).project_id],
    owner: custodyOf(row, world).created_by,
    rule: 'places',
  }),
  filters: { custody: ids('custody_id', 'house_custody') },
  reads: ['house_custody'],
  fill: async ({ db }) => {
    await run(
      db,
      `INSERT INTO custody_inspection (custody_id, inspected_on, result, note, image_ids)
       SELECT id, current_date - (id % 20)::int, CASE WHEN id % 3 = 0 THEN 'problem' ELSE 'normal' END, '阳台', ARRAY['0a992000-0000-4000-8000-000000000001']::uuid[] FROM house_custody`,
      [],
    );
  },
});
