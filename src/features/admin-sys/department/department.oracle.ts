import { ids, ownTenant, byName } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'department',
  menu: 'departManager',
  table: 'department',
  standing: ownTenant('leader_id'),
  filters: {
    parent: ids('parent_id', 'department'),
  },
  text: (row) => `${row.name} ${row.code}`.toLowerCase(),
  export: byName,
});
