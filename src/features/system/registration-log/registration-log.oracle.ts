import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'registrationLog',
  menu: 'ssm_registerLog',
  table: 'registration_log',
  // No tenant: merchants see nothing; lines without project are seen only by who sees all.
  standing: (row) => ({
    tenant: null,
    projects: [row.project_id ?? 0],
    owner: row.created_by,
    rule: 'places',
  }),
  export: counted,
  fill: async ({ db, dice, staff }) => {
    const projects = await run<{ id: number }>(db, 'SELECT id FROM project ORDER BY id');
    for (const [index, { id }] of staff.slice(0, 90).entries())
      await run(
        db,
        `INSERT INTO registration_log (phone, action, project_id, result, reason, created_by) VALUES ($1, 'register', $2, 'failed', '测试', $3)`,
        [`1771234${String(index).padStart(4, '0')}`, dice.pick(projects).id, id],
      );
  },
});
