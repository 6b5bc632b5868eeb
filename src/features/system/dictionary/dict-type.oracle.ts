import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'dictType',
  menu: 'dictManager',
  table: 'dictionary_type',
  offered: 'everybody',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'platform' }),
  text: (row) => `${row.name} ${row.name_en} ${row.code}`.toLowerCase(),
  owner: 'created_by',
  fill: async ({ db, staff }) => {
    for (const [index, { id }] of staff.slice(0, 20).entries())
      await run(db, 'INSERT INTO dictionary_type (code, name, name_en, created_by) VALUES ($1, $2, $3, $4)', [
        `ptype${index}`,
        `随机类型${index}`,
        `Random type ${index}`,
        id,
      ]);
  },
});
