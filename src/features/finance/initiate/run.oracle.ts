import { byCode } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

/** Runs belong to the platform's finance desk. */
export const oracle = defineOracle({
  name: 'settlementRun',
  menu: 'fm_InitiateSettlement',
  table: 'settlement_run',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.maker_id, rule: 'platform' }),
  text: (row) => String(row.code).toLowerCase(),
  export: byCode,
  owner: 'maker_id',
  sample: () => ({ cycle: 'month', day: '2026-01-01', merchants: [] }),
});
