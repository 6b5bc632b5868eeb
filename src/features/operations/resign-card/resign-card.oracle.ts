import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'resignCard',
  menu: 'os_resignCard',
  table: 'resign_card',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  export: counted,
  owner: 'created_by',
  fill: async ({ db, dice, staff }) => {
    for (const { id } of staff.slice(0, 30))
      await run(
        db,
        `INSERT INTO resign_card (member_id, project_id, source, qty, remaining, lapses_on, created_by)
         SELECT m.id, m.project_id, $1, 2, 2, '2099-01-01', $2 FROM member m WHERE m.project_id IS NOT NULL ORDER BY m.id OFFSET $3 LIMIT 1`,
        [dice.pick(['given', 'task', 'shop']), id, dice.upTo(30)],
      );
  },
});
