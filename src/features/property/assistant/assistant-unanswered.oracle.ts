import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'assistantUnanswered',
  menu: 'cs_question',
  table: 'assistant_unanswered',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'everybody' }),
  text: (row) => String(row.sentence).toLowerCase(),
  owner: 'created_by',
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries())
      await run(
        db,
        `INSERT INTO assistant_unanswered (sentence, folded, times, last_at, state, created_by) VALUES ($1, $1, $2, now() - make_interval(days => $3), $4, $5)`,
        [
          `随机提问${index}p`,
          1 + dice.upTo(30),
          dice.upTo(50),
          dice.pick(['open', 'open', 'made', 'ignored']),
          id,
        ],
      );
  },
});
