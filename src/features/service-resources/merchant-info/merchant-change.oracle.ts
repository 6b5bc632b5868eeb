import { ids, isMerchant } from '../../../testing/oracle/filters.ts';
import { by } from '../../../testing/oracle/world.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'merchantChange',
  menu: 'mm_merchantInfo',
  table: 'merchant_change',
  standing: (row, world) => ({
    tenant: row.tenant_id,
    projects: (by(world, 'tenant_project', 'tenant_id').get(row.tenant_id) ?? []).map((one) =>
      Number(one.project_id),
    ),
    owner: row.created_by,
    rule: 'places',
  }),
  filters: { merchant: ids('tenant_id', 'tenant', isMerchant) },
  text: (row) => String(row.code).toLowerCase(),
  reads: ['tenant_project', 'tenant'],
});
