import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'alert',
  menu: 'serviceMonitorManager',
  table: 'alert',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'platform' }),
  // Whether a silence covers it goes by the clock; the severity is the rule's: monitor.test.ts looks at both.
  leftOut: ['phase', 'severity'],
  tabs: { live: (row) => row.state !== 'recovered', all: () => true },
  export: counted,
  owner: 'created_by',
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 40).entries()) {
      const state = dice.pick(['pending', 'firing', 'acknowledged', 'recovered']);
      await run(
        db,
        `INSERT INTO alert (rule_id, series, state, value, peak, started_at, fired_at, recovered_at, created_by)
         SELECT id, $1, $2, 7, 9, now() - interval '2 hours', now() - interval '1 hour', CASE WHEN $2 = 'recovered' THEN now() END, $3
           FROM alert_rule ORDER BY id LIMIT 1 OFFSET $4`,
        [`random ${index}`, state, id, dice.upTo(16)],
      );
    }
  },
});
