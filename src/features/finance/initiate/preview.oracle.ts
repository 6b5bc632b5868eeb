import { counted, ids, isMerchant } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'settlementPreview',
  menu: 'fm_InitiateSettlement',
  table: 'settlement_run_merchant',
  standing: (row, world) => ({
    tenant: null,
    projects: undefined,
    owner: by(world, 'settlement_run', 'id').get(row.run_id)?.[0]?.maker_id as number | null,
    rule: 'platform',
  }),
  filters: {
    run: ids('run_id', 'settlement_run'),
    merchant: ids('tenant_id', 'tenant', isMerchant),
  },
  export: counted,
  reads: ['settlement_run', 'tenant'],
});
