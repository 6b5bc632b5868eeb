import { counted, projectsOf } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run } from '../../../testing/oracle/world.ts';

const JOINS = 'butler_task_project';

export const oracle = defineOracle({
  name: 'butlerTask',
  menu: 'butler_operate',
  table: 'butler_task',
  standing: (row, world) => ({
    tenant: null,
    projects: (by(world, JOINS, 'task_id').get(row.id) ?? []).map((one) => Number(one.project_id)),
    owner: row.created_by,
    rule: 'places',
  }),
  filters: { projects: projectsOf(JOINS, 'task_id') },
  text: (row) => String(row.title).toLowerCase(),
  export: counted,
  owner: 'created_by',
  reads: [JOINS],
  sample: () => ({
    metric: 'shares',
    count: 20,
    sum: undefined,
    butlers: [],
    pictures: [],
    fromOn: '2097-01-01',
    toOn: '2097-01-31',
  }),
  fill: async ({ db, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries())
      await run(
        db,
        `WITH made AS (INSERT INTO butler_task (title, metric, target_count, from_on, to_on, created_by) VALUES ($1, 'shares', 5, '2026-05-01', '2026-05-31', $2) RETURNING id),
              held AS (INSERT INTO butler_task_project SELECT made.id, p.id FROM made, project p WHERE p.id % 3 = $3)
         INSERT INTO butler_task_progress (task_id, housekeeper_id, project_ids, centre_id, progress, reached_at)
         SELECT made.id, k.id, ARRAY[p.id], p.centre_id, k.id % 9, CASE WHEN k.id % 9 > 4 THEN '2026-05-20T00:00:00Z'::timestamptz END
           FROM made, housekeeper k JOIN LATERAL (SELECT id, centre_id FROM project WHERE id % 3 = $3 ORDER BY (id * 31 + k.id) % 17, id LIMIT 1) p ON true WHERE k.id % 4 = 0`,
        [`随机任务${index}`, id, index % 3],
      );
  },
});
