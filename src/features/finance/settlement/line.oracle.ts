import { exactly } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const statementOf = (row: Raw, world: World): Raw => by(world, 'statement', 'id').get(row.statement_id)![0]!;
const projectsOf = (row: Raw, world: World): number[] =>
  (by(world, 'statement_project', 'statement_id').get(row.statement_id) ?? []).map((one) =>
    Number(one.project_id),
  );

export const oracle = defineOracle({
  name: 'settlementLine',
  menu: 'fm_financialSettlement',
  table: 'statement_line',
  standing: (row, world) => ({
    tenant: statementOf(row, world).tenant_id,
    projects: projectsOf(row, world),
    owner: statementOf(row, world).created_by,
    rule: 'places',
  }),
  extra: (row, world, held) =>
    statementOf(row, world).confirmed_at !== null &&
    (row.active === true || statementOf(row, world).state === 'void') &&
    projectsOf(row, world).every((id) => held.projects?.has(id) ?? true),
  filters: {
    settlement: {
      value: (dice, world) => String(dice.pick(world.rows.statement_line!)?.statement_id ?? 0),
      keeps: (row, value) => String(row.statement_id) === value,
    },
    orderCode: {
      value: (dice, world) => exactly('code', 'sales_order').value(dice, world),
      keeps: (row, value, world) =>
        row.order_id !== null && by(world, 'sales_order', 'id').get(row.order_id)?.[0]?.code === value,
    },
  },
  reads: ['statement', 'statement_project', 'sales_order'],
});
