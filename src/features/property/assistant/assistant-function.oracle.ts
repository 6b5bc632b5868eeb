import { byCode } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'assistantFunction',
  menu: 'cs_function',
  table: 'assistant_function',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'everybody' }),
  filters: {
    pinned: {
      value: (dice) => (dice.chance(0.5) ? 'true' : 'false'),
      keeps: (row, value) => (row.pin_place !== null) === (value === 'true'),
    },
  },
  text: (row) => `${row.code}${row.content}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  sample: () => ({ links: undefined, modules: undefined }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries())
      await run(
        db,
        `INSERT INTO assistant_function (function_point_id, content, state, view_sort, created_at, created_by)
         SELECT v.id, $1, $2, $3, now() - make_interval(days => $4), $5 FROM dictionary_value v JOIN dictionary_type d ON d.id = v.type_id
          WHERE d.code = 'function_point' ORDER BY v.id % $6, v.id LIMIT 1`,
        [
          `随机功能说明${index}p`,
          dice.pick(['draft', 'published', 'withdrawn']),
          index + 20,
          dice.upTo(60),
          id,
          2 + (index % 5),
        ],
      );
  },
});
