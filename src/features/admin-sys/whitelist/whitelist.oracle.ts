import { words, ids, counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'whitelist',
  menu: 'WhiteManage',
  table: 'login_whitelist',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'platform' }),
  // The state goes by the clock, and an address finds the ranges around it: whitelist-screen.test.ts looks at both.
  leftOut: ['live', 'range'],
  filters: { purpose: words('purpose', ['allow', 'skip_code']), staff: ids('staff_id', 'staff') },
  export: counted,
  owner: 'created_by',
  fill: async ({ db, dice, staff }) => {
    for (const { id } of staff.slice(0, 60))
      await run(
        db,
        `INSERT INTO login_whitelist (staff_id, purpose, expires_at, reason, enabled, created_by)
         VALUES ($1, $2, now() + interval '30 days', '随机规则', $3, $1)`,
        [id, dice.pick(['allow', 'skip_code']), dice.chance(0.7)],
      );
  },
});
