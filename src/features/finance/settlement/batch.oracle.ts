import { byCode } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

/** Batches belong to the platform's finance desk. */
export const oracle = defineOracle({
  name: 'payoutBatch',
  menu: 'fm_financialSettlement',
  table: 'payout_batch',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.maker_id, rule: 'platform' }),
  text: (row) => String(row.code).toLowerCase(),
  export: byCode,
});
