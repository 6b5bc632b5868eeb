import { linked, moneyRange } from '../../../testing/oracle/filters.ts';
import { ids, isMerchant } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const projectsOf = (row: Raw, world: World): number[] =>
  (by(world, 'statement_project', 'statement_id').get(row.id) ?? []).map((one) => Number(one.project_id));

const inStates =
  (...states: readonly string[]) =>
  (row: Raw) =>
    states.includes(row.state as string);

export const oracle = defineOracle({
  name: 'statement',
  menu: 'mm_accountStatement',
  table: 'statement',
  where: (row) => !['draft', 'in_review', 'void'].includes(String(row.state)),
  standing: (row, world) => ({
    tenant: row.tenant_id,
    projects: projectsOf(row, world),
    owner: row.created_by,
    rule: 'places',
  }),
  // A sum of several projects is shown to those who work in all of them.
  extra: (row, world, held) => projectsOf(row, world).every((id) => held.projects?.has(id) ?? true),
  filters: {
    merchant: ids('tenant_id', 'tenant', isMerchant),
    projects: linked('statement_project', 'statement_id', 'project_id', 'project'),
    payable: moneyRange('payable'),
  },
  tabs: {
    all: () => true,
    toConfirm: inStates('to_confirm', 'disputed'),
    toPay: inStates('to_pay', 'paying', 'failed'),
    settled: inStates('settled'),
  },
  text: (row) => String(row.code).toLowerCase(),
  export: { field: 'code', key: (row) => String(row.code) },
  owner: 'created_by',
  reads: ['statement_project'],
});
