import { defineOracle } from '../../../testing/oracle/oracle.ts';
import type { FilterRule } from '../../../testing/oracle/filters.ts';
import type { Held, Raw, World } from '../../../testing/oracle/world.ts';

/** Standard rows are everybody's, others their company's; the platform sees all. */
export const standardOrOwn = (row: Raw, _world: World, held: Held) =>
  held.kind === 3 || row.tenant_id === null || row.tenant_id === held.row.tenant_id;

/** Whose a row is does not depend on grants beyond the menu. */
export const people = () => ({ tenant: null, projects: undefined, owner: null, rule: 'people' as const });

export const isStandard: FilterRule = {
  value: (dice) => (dice.chance(0.5) ? 'true' : 'false'),
  keeps: (row, value) => (row.tenant_id === null) === (value === 'true'),
};

export const oracle = defineOracle({
  name: 'workCategory',
  menu: 'cs_maintenance',
  table: 'work_category',
  standing: people,
  extra: standardOrOwn,
  filters: { standard: isStandard },
  text: (row) => `${row.code} ${row.name}`.toLowerCase(),
});
