import { ids } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';
import { personStands } from './service-person.oracle.ts';

export const oracle = defineOracle({
  name: 'servicePersonStop',
  menu: 'cs_busServicePerson',
  table: 'service_stop',
  where: (row) => row.person_id !== null,
  standing: (row, world) =>
    personStands(by(world, 'service_person', 'id').get(Number(row.person_id))![0]!, world),
  filters: { person: ids('person_id', 'service_person') },
  reads: ['service_person', 'service_person_project'],
});
