import { ids, isMerchant } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const projectsOf = (row: Raw, world: World): number[] => {
  if (row.withdrawal_id !== null)
    return (by(world, 'tenant_project', 'tenant_id').get(row.tenant_id) ?? []).map((one) =>
      Number(one.project_id),
    );
  return (by(world, 'statement_project', 'statement_id').get(row.statement_id) ?? []).map((one) =>
    Number(one.project_id),
  );
};

export const oracle = defineOracle({
  name: 'payout',
  menu: 'fm_financialSettlement',
  table: 'payout',
  standing: (row, world) => {
    const of =
      row.withdrawal_id === null
        ? by(world, 'statement', 'id').get(row.statement_id)![0]!
        : by(world, 'withdrawal', 'id').get(row.withdrawal_id)![0]!;
    return { tenant: row.tenant_id, projects: projectsOf(row, world), owner: of.created_by, rule: 'places' };
  },
  extra: (row, world, held) =>
    row.withdrawal_id !== null || projectsOf(row, world).every((id) => held.projects?.has(id) ?? true),
  filters: {
    merchant: ids('tenant_id', 'tenant', isMerchant),
    settlement: {
      value: (dice, world) => String(dice.pick(world.rows.payout!)?.statement_id ?? 0),
      keeps: (row, value) => String(row.statement_id) === value,
    },
    withdrawal: {
      value: (dice, world) => String(dice.pick(world.rows.withdrawal!)?.id ?? 0),
      keeps: (row, value) => String(row.withdrawal_id) === value,
    },
  },
  text: (row) => String(row.payout_no).toLowerCase(),
  export: { field: 'payoutNo', key: (row) => String(row.payout_no) },
  reads: ['statement', 'statement_project', 'tenant', 'tenant_project', 'withdrawal'],
});
