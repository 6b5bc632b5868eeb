import { ids, byName } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'allDepartment',
  menu: 'departManager1',
  table: 'department',
  standing: (row) => ({ tenant: row.tenant_id, projects: undefined, owner: row.leader_id, rule: 'places' }),
  filters: {
    tenant: ids('tenant_id', 'tenant'),
  },
  text: (row) => `${row.name} ${row.code}`.toLowerCase(),
  export: byName,
});
