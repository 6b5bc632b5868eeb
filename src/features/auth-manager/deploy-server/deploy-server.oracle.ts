import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'deployServer',
  menu: 'deployServerManager',
  table: 'deploy_server',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'platform' }),
  // The state goes by the clock, services and versions by the instances there: deploy-server.test.ts looks at them.
  leftOut: ['standing', 'service', 'release'],
  text: (row) => `${row.host} ${row.label}`.toLowerCase(),
  export: counted,
  owner: 'created_by',
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries())
      await run(
        db,
        `INSERT INTO deploy_server (host, label, environment, expected, owner_id, created_by) VALUES ($1, $2, $3, $4, $5, $5)`,
        [
          `random-${index}`,
          dice.pick(['机房A', '机房B', '']),
          dice.pick(['prod', 'test', 'dev']),
          dice.chance(0.5),
          id,
        ],
      );
  },
  sample: (turn) => ({ host: `node-${turn}.example` }),
});
