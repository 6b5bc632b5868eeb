import { byCode, ids, isMerchant, moneyRange } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

/** Statements as the desk that makes them sees them. */
export const oracle = defineOracle({
  name: 'settlementDraft',
  menu: 'fm_InitiateSettlement',
  table: 'statement',
  where: (row) => row.state !== 'void',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'platform' }),
  filters: { merchant: ids('tenant_id', 'tenant', isMerchant), payable: moneyRange('payable') },
  tabs: { drafts: (row) => ['draft', 'in_review'].includes(String(row.state)), all: () => true },
  text: (row) => String(row.code).toLowerCase(),
  export: byCode,
  owner: 'created_by',
  reads: ['tenant'],
});
