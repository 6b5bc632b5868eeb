import { byCode } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'jumpLink',
  menu: 'jumpUrlManager',
  table: 'jump_link',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'everybody' }),
  text: (row) => `${row.code} ${row.name}`.toLowerCase(),
  export: byCode,
  offered: 'everybody',
  owner: 'created_by',
  sample: (turn) => ({
    ios: `owner-app://page${turn}`,
    android: `owner-app://page${turn}`,
    h5: `https://h5.example.com/${turn}`,
    miniProgram: `pages/p${turn}/index`,
    parameters: [],
  }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries())
      await run(
        db,
        `INSERT INTO jump_link (code, name, ios, android, h5, mini_program, enabled, created_by) VALUES ($1, $2, 'app://x', 'app://x', 'https://x.cn', 'pages/x', $3, $4)`,
        [`plink${index}`, `随机链接${index}`, dice.chance(0.7), id],
      );
  },
});
