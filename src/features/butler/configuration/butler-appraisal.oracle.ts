import { idsOfRows } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'butlerAppraisal',
  menu: 'butler_configuration',
  table: 'butler_appraisal',
  standing: (row, world) => ({
    tenant: null,
    projects: (by(world, 'housekeeper_building', 'housekeeper_id').get(row.housekeeper_id) ?? []).map((one) =>
      Number(one.project_id),
    ),
    owner: by(world, 'housekeeper', 'id').get(row.housekeeper_id)![0]!.staff_id,
    rule: 'places',
  }),
  filters: {
    butler: idsOfRows('housekeeper_id', 'butler_appraisal'),
    month: { value: () => '2026-10', keeps: (row, value) => row.month === value },
  },
  reads: ['housekeeper', 'housekeeper_building'],
  // The month that runs: nobody has made its batch.
  sample: () => ({
    month: new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 7),
    scores: [],
  }),
});
