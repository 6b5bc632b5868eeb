import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'billingRun',
  menu: 'cs_propertyChargingBill',
  table: 'billing_run',
  standing: (row) => ({
    tenant: row.tenant_id,
    projects: [row.project_id],
    owner: row.created_by,
    rule: 'places',
  }),
  export: counted,
  owner: 'created_by',
  sample: () => ({ month: '2026-01-01' }),
});
