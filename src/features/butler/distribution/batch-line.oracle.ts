import { counted, idsOfRows } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run, type Raw, type World } from '../../../testing/oracle/world.ts';

const projects = (row: Raw, world: World) => {
  const batch = by(world, 'incentive_batch', 'id').get(row.batch_id)![0]!;
  return world.rows.project!.filter((one) => one.centre_id === batch.centre_id).map((one) => one.id);
};

export const oracle = defineOracle({
  name: 'incentiveBatchLine',
  menu: 'butler_incentiveDistribution',
  table: 'incentive_batch_line',
  standing: (row, world) => ({
    tenant: null,
    projects: projects(row, world),
    owner: by(world, 'housekeeper', 'id').get(row.housekeeper_id)![0]!.staff_id,
    rule: 'places',
  }),
  extra: (row, world, held) => !held.projects || projects(row, world).every((one) => held.projects!.has(one)),
  filters: {
    butler: idsOfRows('housekeeper_id', 'incentive_batch_line'),
    batch: idsOfRows('batch_id', 'incentive_batch_line'),
  },
  export: counted,
  reads: ['incentive_batch', 'housekeeper', 'project'],
  // Late in a month nothing of the demonstration set is old enough to be paid, and its batches are empty.
  fill: async ({ db }) => {
    await run(
      db,
      `INSERT INTO incentive_batch_line (batch_id, housekeeper_id)
       SELECT b.id, k.id FROM incentive_batch b CROSS JOIN housekeeper k ON CONFLICT ON CONSTRAINT incentive_batch_line_once DO NOTHING`,
    );
  },
});
