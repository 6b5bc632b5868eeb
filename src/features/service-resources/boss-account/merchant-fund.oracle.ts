import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';
import { yes } from '../../../testing/oracle/filters.ts';

export const oracle = defineOracle({
  name: 'merchantFund',
  menu: 'maoBossAccount',
  table: 'tenant',
  where: (row) => row.kind === 2,
  standing: (row, world) => ({
    tenant: row.id,
    projects: (by(world, 'tenant_project', 'tenant_id').get(row.id) ?? []).map((one) =>
      Number(one.project_id),
    ),
    owner: row.created_by,
    rule: 'places',
  }),
  filters: { frozen: yes('settlement_frozen') },
  text: (row) => `${row.account} ${row.name}`.toLowerCase(),
  export: { field: 'account', key: (row) => String(row.account) },
  owner: 'created_by',
  reads: ['tenant_project'],
});
