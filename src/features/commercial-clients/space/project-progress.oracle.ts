import { dayRange } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'projectProgress',
  menu: 'proAdministration',
  table: 'project_progress',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  filters: { onDay: dayRange('on_day') },
  owner: 'created_by',
  sample: () => ({ onDay: '2026-01-15' }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 20).entries())
      await run(
        db,
        `INSERT INTO project_progress (project_id, on_day, content, created_by)
         SELECT p.id, current_date - $2::int, '随机进展', $3 FROM project p ORDER BY (p.id * 31) % (7 + $1::int), p.id LIMIT 1`,
        [index, dice.upTo(40), id],
      );
  },
});
