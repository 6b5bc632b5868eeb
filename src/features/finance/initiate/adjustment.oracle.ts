import { byCode, ids, isMerchant } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'statementAdjustment',
  menu: 'fm_InitiateSettlement',
  table: 'statement_adjustment',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'platform' }),
  filters: { merchant: ids('tenant_id', 'tenant', isMerchant) },
  text: (row) => String(row.code).toLowerCase(),
  export: byCode,
  owner: 'created_by',
  reads: ['tenant'],
});
