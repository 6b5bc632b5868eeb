import { ids } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { byAccount, staffFilters, staffLeftOut, staffReads, staffText } from './staff.oracle.ts';

export const oracle = defineOracle({
  name: 'allStaff',
  menu: 'allUserManager',
  table: 'staff',
  standing: (row) => ({ tenant: row.tenant_id, projects: undefined, owner: row.id, rule: 'platform' }),
  filters: {
    ...staffFilters,
    tenant: ids('tenant_id', 'tenant'),
    tenantType: {
      value: (dice) => dice.pick(['1', '2', '3', '4']),
      keeps: (row, value, world) => String(world.tenants.get(row.tenant_id)!.kind) === value,
    },
  },
  leftOut: [...staffLeftOut, 'online'],
  reads: staffReads,
  text: staffText,
  export: byAccount,
});
