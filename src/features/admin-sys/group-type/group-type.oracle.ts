import { part } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'groupType',
  menu: 'groupTypeManager',
  table: 'group_type',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'everybody' }),
  filters: { name: part('name') },
  fill: async ({ db, staff }) => {
    for (const [index, { id }] of staff.slice(0, 20).entries())
      await run(db, 'INSERT INTO group_type (code, name, created_by) VALUES ($1, $2, $3)', [
        `ptype${index}`,
        `随机类型${index}`,
        id,
      ]);
  },
});
