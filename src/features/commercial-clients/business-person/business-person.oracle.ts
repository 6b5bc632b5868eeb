import { counted, projectsOf } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';

const PROJECTS = 'business_person_project';

export const oracle = defineOracle({
  name: 'businessPerson',
  menu: 'busPerManagement',
  table: 'business_person',
  standing: (row, world) => ({
    tenant: null,
    projects: (by(world, PROJECTS, 'person_id').get(row.id) ?? []).map((one) => Number(one.project_id)),
    owner: row.staff_id,
    rule: 'places',
  }),
  filters: {
    projects: projectsOf(PROJECTS, 'person_id'),
    department: {
      value: (dice, world) => String(dice.pick(world.rows.staff!).department_id ?? 0),
      keeps: (row, value, world) => {
        const own = world.rows.staff!.find((one) => one.id === row.staff_id);
        return value.split(',').includes(String(own?.department_id));
      },
    },
    // Whose figures are shown, never who is.
    month: { value: () => '2026-10', keeps: () => true },
  },
  export: counted,
  reads: [PROJECTS, 'staff'],
  sample: () => ({ leader: undefined }),
});
