import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'sensitiveWord',
  menu: 'ssm_sensitiveWords',
  table: 'sensitive_word',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'everybody' }),
  text: (row) => String(row.word).toLowerCase(),
  export: { field: 'word', key: (row) => String(row.word) },
  owner: 'created_by',
  sample: (turn) => ({ word: `样本词${turn}`, exceptions: [] }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries())
      await run(
        db,
        `INSERT INTO sensitive_word (word, normalised, category, level, enabled, created_by) VALUES ($1, $1, $2, $3, $4, $5)`,
        [
          `随机词${index}p`,
          dice.pick(['abuse', 'advert', 'contact']),
          dice.pick(['block', 'review', 'replace']),
          dice.chance(0.7),
          id,
        ],
      );
  },
});
