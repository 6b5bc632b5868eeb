import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'billLine',
  menu: 'cs_propertyChargingBill',
  table: 'bill_movement',
  standing: (row) => ({
    tenant: row.tenant_id,
    projects: [row.project_id],
    owner: row.created_by,
    rule: 'places',
  }),
});
