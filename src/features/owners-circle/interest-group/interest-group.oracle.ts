import { linked, projectsOf } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run } from '../../../testing/oracle/world.ts';

const JOINS = 'interest_group_project';

export const oracle = defineOracle({
  name: 'interestGroup',
  menu: 'cs_ownersCircle',
  table: 'interest_group',
  standing: (row, world) => ({
    tenant: null,
    projects: (by(world, JOINS, 'group_id').get(row.id) ?? []).map((one) => Number(one.project_id)),
    owner: row.created_by,
    rule: 'places',
  }),
  filters: {
    projects: projectsOf(JOINS, 'group_id'),
    classes: linked('interest_group_class', 'group_id', 'value_id', 'dictionary_value'),
    grade: {
      value: (dice) => dice.pick(['1', '2', '3']),
      keeps: (row, value) => String(row.grade) === value,
    },
    joinWay: {
      value: (dice) => dice.pick(['free', 'apply']),
      keeps: (row, value) => row.join_way === value,
    },
  },
  text: (row) => String(row.name).toLowerCase(),
  export: { field: 'name', key: (row) => String(row.name) },
  owner: 'created_by',
  reads: [JOINS, 'interest_group_class', 'dictionary_value'],
  sample: (turn) => ({
    name: `随机小组${turn}`,
    leader: undefined,
    moveOut: false,
    memberLimit: 0,
    note: '',
  }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries())
      await run(
        db,
        `WITH made AS (INSERT INTO interest_group (name, logo_id, introduction, join_way, state, grade, created_by)
           SELECT $1, (SELECT min(id::text)::uuid FROM stored_file), 'x', 'free', $2, $4, $3 RETURNING id),
         people AS (INSERT INTO interest_group_member (group_id, member_id, state, joined_at)
           SELECT made.id, m.id, 'in', now() FROM made, member m WHERE m.id % 40 = $5),
         said AS (INSERT INTO post (kind, group_id, member_id, project_id, content, created_by)
           SELECT 'group_post', made.id, m.id, p.id, $1, $3 FROM made, project p, (SELECT min(id) AS id FROM member) m WHERE p.id % 3 = $5)
         INSERT INTO interest_group_project SELECT made.id, p.id FROM made, project p WHERE p.id % 3 = $5`,
        [`随机${index}组`, dice.pick(['draft', 'published', 'withdrawn']), id, 1 + dice.upTo(4), index % 3],
      );
  },
});
