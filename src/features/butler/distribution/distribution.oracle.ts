import { idsOfRows } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

/** Who works in every project of the city. */
export const oracle = defineOracle({
  name: 'incentiveBatch',
  menu: 'butler_incentiveDistribution',
  table: 'incentive_batch',
  standing: (row, world) => ({
    tenant: null,
    projects: world.rows.project!.filter((one) => one.centre_id === row.centre_id).map((one) => one.id),
    owner: row.maker_id,
    rule: 'places',
  }),
  extra: (row, world, held) =>
    !held.projects ||
    world.rows
      .project!.filter((one) => one.centre_id === row.centre_id)
      .every((one) => held.projects!.has(one.id)),
  filters: {
    centre: idsOfRows('centre_id', 'incentive_batch'),
    month: { value: () => '2026-10', keeps: (row, value) => row.month === value },
  },
  text: (row) => String(row.code).toLowerCase(),
  export: { field: 'code', key: (row) => String(row.code) },
  reads: ['project'],
  sample: (turn) => ({ month: `20${String(10 + (turn % 10))}-0${String(1 + (turn % 9))}` }),
});
