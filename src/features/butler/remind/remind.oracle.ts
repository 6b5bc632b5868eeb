import { counted, projectsOf } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run } from '../../../testing/oracle/world.ts';

const JOINS = 'butler_reminder_project';

export const oracle = defineOracle({
  name: 'butlerReminder',
  menu: 'butler_remind',
  table: 'butler_reminder',
  standing: (row, world) => ({
    tenant: null,
    projects: (by(world, JOINS, 'reminder_id').get(row.id) ?? []).map((one) => Number(one.project_id)),
    owner: row.created_by,
    rule: 'places',
  }),
  filters: { projects: projectsOf(JOINS, 'reminder_id') },
  text: (row) => String(row.title).toLowerCase(),
  export: counted,
  owner: 'created_by',
  reads: [JOINS],
  sample: () => ({ kind: 'notice', goods: [], butlers: [], poster: undefined }),
  fill: async ({ db, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries())
      await run(
        db,
        `WITH made AS (INSERT INTO butler_reminder (kind, title, body, created_by) VALUES ('notice', $1, '随机', $2) RETURNING id)
         INSERT INTO butler_reminder_project SELECT made.id, p.id FROM made, project p WHERE p.id % 3 = $3`,
        [`随机提醒${index}`, id, index % 3],
      );
  },
});
