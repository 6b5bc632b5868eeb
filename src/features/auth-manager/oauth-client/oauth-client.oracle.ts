import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

const DAY = 86_400_000;

/** Programs belong to no tenant: only the platform sees them. */
export const oracle = defineOracle({
  name: 'oauthClient',
  menu: 'oauthClientDetailsManager',
  table: 'oauth_client',
  reads: ['client_secret'],
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.owner_id, rule: 'platform' }),
  filters: {
    grant: {
      value: (dice) => dice.pick(['client_credentials', 'authorization_code', 'password,refresh_token']),
      keeps: (row, value) => value.split(',').some((one) => row.grant_types.includes(one)),
    },
    unused: {
      value: (dice) => dice.pick(['true', 'false']),
      keeps: (row, value) =>
        new Date(row.last_used_at ?? row.created_at).getTime() <= Date.now() - 90 * DAY ===
        (value === 'true'),
    },
    secretExpiring: {
      value: (dice) => dice.pick(['true', 'false']),
      keeps: (row, value, world) =>
        world.rows.client_secret!.some((secret) => {
          const ends = secret.expires_at === null ? Infinity : new Date(secret.expires_at).getTime();
          return (
            secret.client_id === row.client_id &&
            secret.revoked_at === null &&
            ends > Date.now() &&
            ends <= Date.now() + 30 * DAY
          );
        }) ===
        (value === 'true'),
    },
  },
  text: (row) => `${row.client_id} ${row.name}`.toLowerCase(),
  export: { field: 'code', key: (row) => String(row.client_id) },
  owner: 'owner_id',
  sample: (turn) => ({
    code: `probe-client-${turn}`,
    type: 'confidential',
    grantTypes: ['client_credentials'],
    scopes: ['gate'],
    redirectUris: [],
    autoApprove: [],
    allowAddresses: ['10.1.0.0/16'],
  }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 25).entries())
      await run(
        db,
        `INSERT INTO oauth_client (client_id, name, grant_types, scopes, enabled, owner_id, created_at) VALUES ($1, $2, '{client_credentials}', '{gate}', $3, $4, now() - make_interval(days => $5))`,
        [`random-${index}`, `随机客户端${index}`, dice.chance(0.7), id, dice.upTo(200)],
      );
  },
});
