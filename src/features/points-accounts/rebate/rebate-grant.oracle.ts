import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'paymentRebateGrant',
  menu: 'mk_propertyPaymentRebateRules',
  table: 'payment_rebate_grant',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  filters: {
    handling: {
      value: () => 'open',
      keeps: (row) => (row.to_recover as number) > 0,
    },
  },
  text: (row) => String(row.receipt_no).toLowerCase(),
  export: counted,
});
