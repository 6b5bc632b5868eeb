import { words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

const LISTS = ['home_modules', 'mall_business', 'service_business', 'mall_class', 'notice_types'];

export const oracle = defineOracle({
  name: 'displayOrder',
  menu: 'listSort',
  table: 'display_order',
  // Of no tenant, so of no merchant; the default is seen by whoever works in all projects.
  standing: (row) => ({
    tenant: null,
    projects: row.project_id === null ? [] : [row.project_id],
    owner: row.created_by,
    rule: 'places',
  }),
  filters: { list: words('list_code', LISTS) },
  // One for each list and project.
  sample: (turn) => ({ list: LISTS[turn % 5], project: String(1 + (Math.floor(turn / 5) % 6)) }),
  owner: 'created_by',
  fill: async ({ db, staff }) => {
    for (const [index, { id }] of staff.slice(0, 40).entries())
      await run(
        db,
        `INSERT INTO display_order (list_code, project_id, created_by)
         SELECT $1, p.id, $2 FROM project p ORDER BY p.id OFFSET $3 LIMIT 1 ON CONFLICT DO NOTHING`,
        [LISTS[index % LISTS.length], id, index % 6],
      );
  },
});
