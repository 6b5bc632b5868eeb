import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'assistantQuestion',
  menu: 'cs_question',
  table: 'assistant_question',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'everybody' }),
  filters: {
    pinned: {
      value: (dice) => (dice.chance(0.5) ? 'true' : 'false'),
      keeps: (row, value) => (row.pin_place !== null) === (value === 'true'),
    },
  },
  text: (row) => String(row.title).toLowerCase(),
  export: { field: 'title', key: (row) => String(row.title) },
  owner: 'created_by',
  sample: (turn) => ({
    title: `样本问题${turn}`,
    answer: '<p>答案</p>',
    similarTexts: [],
    links: undefined,
    modules: undefined,
  }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries())
      await run(
        db,
        `INSERT INTO assistant_question (title, class_id, function_point_id, answer_html, state, view_sort, updated_at, created_by)
         SELECT $1, (SELECT v.id FROM dictionary_value v JOIN dictionary_type d ON d.id = v.type_id WHERE d.code = 'question_class' ORDER BY v.id % $5, v.id LIMIT 1),
                (SELECT v.id FROM dictionary_value v JOIN dictionary_type d ON d.id = v.type_id WHERE d.code = 'function_point' ORDER BY v.id % $5, v.id LIMIT 1),
                '<p>x</p>', $2, $3, now() - make_interval(days => $6), $4`,
        [
          `随机问题${index}p`,
          dice.pick(['draft', 'published', 'withdrawn']),
          index + 40,
          id,
          2 + (index % 5),
          dice.upTo(60),
        ],
      );
  },
});
