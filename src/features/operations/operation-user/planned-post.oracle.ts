import { ids, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

const STATES = ['waiting', 'published', 'failed', 'cancelled'];

export const oracle = defineOracle({
  name: 'plannedPost',
  menu: 'os_operationUser',
  table: 'planned_post',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  filters: { project: ids('project_id', 'project'), state: words('state', STATES) },
  leftOut: ['user'],
  owner: 'created_by',
  fill: async ({ db, dice, staff }) => {
    for (const { id } of staff.slice(0, 20))
      await run(
        db,
        `INSERT INTO planned_post (operation_user_id, kind, project_id, content, publish_at, state, created_by)
         SELECT u.id, 'family', p.id, '定时的内容', '2031-01-01', $1, $2 FROM (SELECT id FROM operation_user ORDER BY id LIMIT 1) u,
                (SELECT id FROM project ORDER BY id OFFSET $3 LIMIT 1) p`,
        [dice.pick(STATES.filter((one) => one !== 'published')), id, dice.upTo(6)],
      );
  },
});
