import { counted, exactly, idsOfRows } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'businessTarget',
  menu: 'busPerManagement',
  table: 'business_target',
  standing: (row, world) => {
    const person = by(world, 'business_person', 'staff_id').get(row.staff_id)![0]!;
    return {
      tenant: null,
      projects: (by(world, 'business_person_project', 'person_id').get(person.id) ?? []).map((one) =>
        Number(one.project_id),
      ),
      owner: row.staff_id,
      rule: 'places',
    };
  },
  filters: { staff: idsOfRows('staff_id', 'business_target'), month: exactly('month', 'business_target') },
  export: counted,
  reads: ['business_person', 'business_person_project'],
  fill: async ({ db }) => {
    await run(
      db,
      `INSERT INTO business_target (staff_id, month, signed_amount) SELECT staff_id, '2027-0' || (1 + id % 9), 100 * id FROM business_person ON CONFLICT DO NOTHING`,
      [],
    );
  },
  sample: (turn) => ({
    key: undefined,
    month: `2${String(100 + (turn % 800))}-05`,
  }),
});
