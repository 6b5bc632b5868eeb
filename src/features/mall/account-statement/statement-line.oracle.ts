import { by, type Raw, type World } from '../../../testing/oracle/world.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { counted, exactly, yes } from '../../../testing/oracle/filters.ts';

const statementOf = (row: Raw, world: World): Raw => by(world, 'statement', 'id').get(row.statement_id)![0]!;

const projectsOf = (row: Raw, world: World): number[] =>
  (by(world, 'statement_project', 'statement_id').get(row.statement_id) ?? []).map((one) =>
    Number(one.project_id),
  );

const orderOf = (row: Raw, world: World): Raw | undefined =>
  row.order_id === null ? undefined : by(world, 'sales_order', 'id').get(row.order_id)?.[0];

export const oracle = defineOracle({
  name: 'statementLine',
  menu: 'mm_accountStatement',
  table: 'statement_line',
  standing: (row, world) => {
    const of = statementOf(row, world);
    return {
      tenant: of.tenant_id,
      projects: projectsOf(row, world),
      owner: of.created_by,
      rule: 'places',
    };
  },
  extra: (row, world, held) =>
    row.active === true &&
    !['draft', 'in_review', 'void'].includes(statementOf(row, world).state as string) &&
    projectsOf(row, world).every((id) => held.projects?.has(id) ?? true),
  filters: {
    settled: {
      ...yes('settled'),
      keeps: (row, value, world) => (statementOf(row, world).state === 'settled') === (value === 'true'),
    },
    orderCode: {
      value: (dice, world) => exactly('code', 'sales_order').value(dice, world),
      keeps: (row, value, world) => orderOf(row, world)?.code === value,
    },
  },
  export: counted,
  reads: ['statement', 'statement_project', 'sales_order'],
});
