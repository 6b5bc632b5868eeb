import { byCode, ids, isMerchant } from '../../../testing/oracle/filters.ts';
import { defineOracle, type Oracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const projectsOf = (row: Raw, world: World): number[] =>
  (by(world, 'tenant_project', 'tenant_id').get(row.tenant_id) ?? []).map((one) => Number(one.project_id));

/** Withdrawals under the menu of a desk. */
export const withdrawalRule = (name: string, menu: string): Oracle => ({
  name,
  menu,
  table: 'withdrawal',
  standing: (row, world) => ({
    tenant: row.tenant_id,
    projects: projectsOf(row, world),
    owner: row.created_by,
    rule: 'places',
  }),
  filters: { merchant: ids('tenant_id', 'tenant', isMerchant) },
  text: (row) => String(row.code).toLowerCase(),
  export: byCode,
  reads: ['tenant_project', 'tenant'],
});

export const oracle = defineOracle(withdrawalRule('withdrawal', 'fm_financialSettlement'));
