import { idsOfRows } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw } from '../../../testing/oracle/world.ts';

const today = () => new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 10);
const phase = (row: Raw) =>
  String(row.valid_from) > today()
    ? 'coming'
    : row.valid_to !== null && String(row.valid_to) < today()
      ? 'over'
      : 'now';

export const oracle = defineOracle({
  name: 'butlerAssignment',
  menu: 'butler_information',
  table: 'housekeeper_building',
  standing: (row, world) => ({
    tenant: null,
    projects: [row.project_id],
    owner: by(world, 'housekeeper', 'id').get(row.housekeeper_id)![0]!.staff_id,
    rule: 'places',
  }),
  filters: {
    butler: idsOfRows('housekeeper_id', 'housekeeper_building'),
    phase: {
      value: (dice) => dice.pick(['coming', 'now', 'over']),
      keeps: (row, value) => phase(row) === value,
    },
  },
  reads: ['housekeeper'],
});
