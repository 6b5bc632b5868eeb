import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

/** Upstream hosts belong to no tenant: only the platform sees them. */
export const oracle = defineOracle({
  name: 'upstreamHost',
  menu: 'gatewayManager',
  table: 'upstream_host',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'platform' }),
  text: (row) => String(row.host),
  owner: 'created_by',
  sample: (turn) => ({ scheme: 'https', host: `probe${turn}.example.com`, port: 443, privateAllowed: false }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 20).entries())
      await run(
        db,
        `INSERT INTO upstream_host (scheme, host, port, private_allowed, created_by) VALUES ($1, $2, 443, $3, $4)`,
        [dice.pick(['http', 'https']), `host${index}.example.com`, dice.chance(0.4), id],
      );
  },
});
