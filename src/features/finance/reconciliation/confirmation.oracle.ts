import { byCode, ids, isMerchant, moneyRange } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const projectsOf = (row: Raw, world: World): number[] =>
  (by(world, 'statement_project', 'statement_id').get(row.id) ?? []).map((one) => Number(one.project_id));

export const oracle = defineOracle({
  name: 'merchantConfirmation',
  menu: 'fm_financialReconciliation',
  table: 'statement',
  where: (row) => ['to_confirm', 'disputed'].includes(String(row.state)),
  standing: (row, world) => ({
    tenant: row.tenant_id,
    projects: projectsOf(row, world),
    owner: row.created_by,
    rule: 'places',
  }),
  // A sum of several projects is shown to those who work in all of them.
  extra: (row, world, held) => projectsOf(row, world).every((id) => held.projects?.has(id) ?? true),
  filters: { merchant: ids('tenant_id', 'tenant', isMerchant), payable: moneyRange('payable') },
  text: (row) => String(row.code).toLowerCase(),
  export: byCode,
  owner: 'created_by',
  reads: ['statement_project', 'tenant'],
});
