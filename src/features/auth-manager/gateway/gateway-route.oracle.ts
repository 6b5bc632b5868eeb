import { byCode } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

/** Routes belong to no tenant: only the platform sees them. */
export const oracle = defineOracle({
  name: 'gatewayRoute',
  menu: 'gatewayManager',
  table: 'gateway_route',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'platform' }),
  leftOut: ['circuit', 'upstream', 'hasErrors'],
  text: (row) => `${row.code} ${row.name} ${row.prefix}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  sample: (turn) => ({
    code: `probe-route-${turn}`,
    prefix: `/api/probe${turn}`,
    methods: [],
    url: 'https://api.parking.example.com',
    targetKind: 'url',
    service: null,
    permissionCode: 'gatewayManager',
    auth: 'permission',
    allowAddresses: [],
    denyAddresses: [],
    headers: 'X-Probe: 1',
    samples: [{ method: 'GET', path: `/api/probe${turn}/x`, expect: 200 }],
  }),
  fill: async ({ db, dice, staff }) => {
    await run(
      db,
      `INSERT INTO upstream_host (scheme, host, port) VALUES ('https', 'random.example.com', 443) ON CONFLICT DO NOTHING`,
      [],
    );
    for (const [index, { id }] of staff.slice(0, 20).entries())
      await run(
        db,
        `INSERT INTO gateway_route (code, name, prefix, target_kind, url, upstream_id, auth, permission_code, created_by)
         SELECT $1, $2, $3, 'url', 'https://random.example.com', u.id, $4, 'gatewayManager', $5 FROM upstream_host u WHERE u.host = 'random.example.com'`,
        [
          `random-${index}`,
          `随机路由${index}`,
          `/api/random${index}`,
          dice.pick(['permission', 'service', 'public']),
          id,
        ],
      );
  },
});
