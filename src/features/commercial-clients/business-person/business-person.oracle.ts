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
  filters: { projects: projectsOf(PROJECTS, 'person_id') },
  export: counted,
  reads: [PROJECTS],
  sample: () => ({ leader: undefined }),
});
