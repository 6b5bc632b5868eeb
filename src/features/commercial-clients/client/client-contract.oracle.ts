import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { seesClient } from './client.oracle.ts';

export const oracle = defineOracle({
  name: 'clientContract',
  menu: 'customerList',
  table: 'contract',
  where: (row) => row.client_id !== null,
  standing: () => ({ tenant: null, projects: undefined, owner: null, rule: 'people' }),
  extra: (row, world, held) =>
    seesClient(
      world.rows.client!.find((one) => one.id === row.client_id)!,
      world,
      held,
    ) &&
    (held.projects?.has(Number(row.project_id)) ?? true),
  reads: ['client', 'business_person', 'business_person_project', 'client_member', 'client_project'],
});
