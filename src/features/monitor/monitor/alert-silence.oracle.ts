import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'alertSilence',
  menu: 'serviceMonitorManager',
  table: 'alert_silence',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'platform' }),
  // Whether it lasts goes by the clock: monitor.test.ts looks at it.
  leftOut: ['live'],
  export: counted,
  owner: 'created_by',
  fill: async ({ db, dice, staff }) => {
    for (const { id } of staff.slice(0, 30))
      await run(
        db,
        `INSERT INTO alert_silence (scope, service, starts_at, until, reason, created_by)
         VALUES ($1, CASE WHEN $1 = 'service' THEN 'backoffice-web' ELSE '' END, now(), now() + make_interval(hours => $2), '演练', $3)`,
        [dice.pick(['service', 'all']), 1 + dice.upTo(4), id],
      );
  },
  sample: () => ({
    scope: 'service',
    rule: null,
    service: 'backoffice-web',
    instance: null,
    until: `${new Date(Date.now() + 9 * 3_600_000).toISOString().slice(0, 19)}+08:00`,
  }),
});
