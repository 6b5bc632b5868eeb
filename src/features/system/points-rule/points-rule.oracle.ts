import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'pointsRule',
  menu: 'ssm_personIntegralRule',
  table: 'points_rule',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'platform' }),
  text: (row) => `${row.code} ${row.name}`.toLowerCase(),
  owner: 'created_by',
  sample: (turn) => ({
    points: 1 + (turn % 9),
    dayLimit: -1,
    monthLimit: -1,
    totalLimit: -1,
    startsOn: undefined,
    endsOn: undefined,
    projects: [],
  }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries())
      await run(
        db,
        `INSERT INTO points_rule (code, direction, name, event, points, dimension, state, created_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [
          `A7${String(index).padStart(2, '0')}`,
          dice.pick(['earn', 'spend']),
          `随机规则${index}p`,
          'bill.paid',
          1 + dice.upTo(50),
          dice.pick(['person', 'group']),
          dice.pick(['draft', 'stopped']),
          id,
        ],
      );
  },
});
