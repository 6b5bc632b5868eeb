import { dayRange, ids, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'transferSlip',
  menu: 'cs_propertyBill',
  table: 'online_bill_order',
  where: (row) => row.channel === 'transfer',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  filters: {
    project: ids('project_id', 'project'),
    house: ids('house_id', 'house'),
    state: words('state', ['held', 'paid', 'rejected']),
    createdAt: dayRange('created_at'),
  },
  tabs: { all: () => true, held: (row) => row.state === 'held' },
  text: (row) => String(row.code).toLowerCase(),
  owner: 'created_by',
  reads: ['project', 'house'],
});
