import { byCode, ids, isMerchant } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'depositRecord',
  menu: 'fm_financialSettlement',
  table: 'deposit_entry',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'platform' }),
  filters: { merchant: ids('tenant_id', 'tenant', isMerchant) },
  text: (row) => `${row.code} ${row.receipt_no}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  reads: ['tenant'],
});
