import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { seesClient } from './client.oracle.ts';

export const oracle = defineOracle({
  name: 'clientAssignment',
  menu: 'customerList',
  table: 'client_assignment',
  standing: () => ({ tenant: null, projects: undefined, owner: null, rule: 'people' }),
  extra: (row, world, held) =>
    seesClient(
      world.rows.client!.find((one) => one.id === row.client_id)!,
      world,
      held,
    ),
  filters: {
    staff: {
      value: (dice, world) => String(dice.pick(world.rows.business_person!).staff_id),
      keeps: (row, value) =>
        [row.from_staff, row.to_staff].some((one) => one !== null && value.split(',').includes(String(one))),
    },
  },
  reads: ['client', 'business_person', 'business_person_project', 'client_member', 'client_project'],
});
