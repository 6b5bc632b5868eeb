import { counted, dayRange, idsOfRows, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { seesClient } from './client.oracle.ts';

export const oracle = defineOracle({
  name: 'followUp',
  menu: 'customerList',
  table: 'follow_up',
  standing: () => ({ tenant: null, projects: undefined, owner: null, rule: 'people' }),
  extra: (row, world, held) =>
    seesClient(
      world.rows.client!.find((one) => one.id === row.client_id)!,
      world,
      held,
    ),
  filters: {
    kind: words('kind', ['phone', 'visit', 'wechat', 'meeting', 'viewing']),
    at: dayRange('at'),
    author: idsOfRows('created_by', 'follow_up'),
  },
  export: counted,
  reads: ['client', 'business_person', 'business_person_project', 'client_member', 'client_project'],
  sample: () => ({
    // Never in the time to come; written with the offset it is read back with.
    at: `${new Date(Date.now() + 7 * 3_600_000).toISOString().slice(0, 19)}+08:00`,
    nextAt: undefined,
    kind: 'phone',
    space: undefined,
    stage: undefined,
    images: undefined,
    colleagues: undefined,
  }),
});
