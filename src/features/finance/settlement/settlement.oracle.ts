import { byCode, ids, isMerchant, linked, moneyRange } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const projectsOf = (row: Raw, world: World): number[] =>
  (by(world, 'statement_project', 'statement_id').get(row.id) ?? []).map((one) => Number(one.project_id));

const confirmed = ['to_pay', 'paying', 'failed', 'settled'];
const inState = (state: string) => (row: Raw) => row.state === state;

export const oracle = defineOracle({
  name: 'settlement',
  menu: 'fm_financialSettlement',
  table: 'statement',
  where: (row) =>
    confirmed.includes(String(row.state)) || (row.state === 'void' && row.confirmed_at !== null),
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
    payAmount: moneyRange('pay_amount'),
    hasClawBack: {
      value: (dice) => dice.pick(['true', 'false']),
      keeps: (row, value, world) =>
        (by(world, 'statement_line', 'statement_id').get(row.id) ?? []).some(
          (one) =>
            ['refund', 'refund_freight'].includes(String(one.row_kind)) && one.first_statement_id !== null,
        ) ===
        (value === 'true'),
    },
  },
  tabs: {
    toPay: inState('to_pay'),
    paying: inState('paying'),
    failed: inState('failed'),
    settled: inState('settled'),
    void: inState('void'),
    owedBack: (row, world) =>
      confirmed.includes(String(row.state)) &&
      Number(row.carry_out) < 0 &&
      !(world.rows.statement_line ?? []).some(
        (one) => one.active && one.source_type === 'statement' && String(one.source_id) === String(row.id),
      ),
    all: () => true,
  },
  text: (row) => `${row.code} ${row.receipt_no}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  reads: ['statement_project', 'statement_line', 'tenant', 'project'],
});
