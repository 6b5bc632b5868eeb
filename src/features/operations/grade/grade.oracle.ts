import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'grade',
  menu: 'os_userGrade',
  table: 'grade',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'everybody' }),
  text: (row) => `${row.code} ${row.title}`.toLowerCase(),
  export: { field: 'code', key: (row) => String(row.code) },
  owner: 'created_by',
  offered: 'everybody',
  sample: (turn) => ({ threshold: 30_000 + turn }),
  fill: async ({ db, staff }) => {
    for (const [index, { id }] of staff.slice(0, 8).entries())
      await run(db, 'INSERT INTO grade (title, threshold, created_by) VALUES ($1, $2, $3)', [
        `级${index}`,
        20_000 + index,
        id,
      ]);
  },
});
