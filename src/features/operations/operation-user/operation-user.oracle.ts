import { projectsOf } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run } from '../../../testing/oracle/world.ts';

const JOINS = 'operation_user_project';
/** Phones of members of the demonstration set. */
const PHONES = [
  '13964795630',
  '17746449579',
  '18970866061',
  '15815289340',
  '13786421157',
  '13946956769',
  '13783901851',
  '13754159162',
  '15082651727',
  '13521611933',
];

export const oracle = defineOracle({
  name: 'operationUser',
  menu: 'os_operationUser',
  table: 'operation_user',
  standing: (row, world) => ({
    tenant: null,
    projects: (by(world, JOINS, 'operation_user_id').get(row.id) ?? []).map((one) => Number(one.project_id)),
    owner: row.created_by,
    rule: 'places',
  }),
  filters: { projects: projectsOf(JOINS, 'operation_user_id') },
  owner: 'created_by',
  reads: [JOINS],
  sample: (turn) => ({
    memberPhone: PHONES[turn % PHONES.length],
    tag: undefined,
    options: '',
    pictures: [],
    publishAt: undefined,
  }),
  fill: async ({ db, staff }) => {
    for (const [index, { id }] of staff.slice(0, 20).entries())
      await run(
        db,
        `WITH m AS (INSERT INTO member (name, phone) VALUES ('官方', $1) RETURNING id),
         made AS (INSERT INTO operation_user (member_id, created_by) SELECT m.id, $2 FROM m RETURNING id)
         INSERT INTO operation_user_project SELECT made.id, p.id FROM made, project p WHERE p.id % 4 = $3`,
        [`1990000${String(index).padStart(4, '0')}`, id, index % 4],
      );
  },
});
