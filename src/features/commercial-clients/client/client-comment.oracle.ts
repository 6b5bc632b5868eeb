import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { seesClient } from './client.oracle.ts';

export const oracle = defineOracle({
  name: 'clientComment',
  menu: 'customerList',
  table: 'client_comment',
  standing: () => ({ tenant: null, projects: undefined, owner: null, rule: 'people' }),
  extra: (row, world, held) =>
    seesClient(
      world.rows.client!.find((one) => one.id === row.client_id)!,
      world,
      held,
    ),
  reads: ['client', 'business_person', 'business_person_project', 'client_member', 'client_project'],
});
