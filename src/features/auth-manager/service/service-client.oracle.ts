import { byCode } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

/** Services belong to no tenant: only the platform sees them. */
export const oracle = defineOracle({
  name: 'serviceClient',
  menu: 'serviceManager',
  table: 'service_client',
  reads: ['service_instance'],
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.owner_id, rule: 'platform' }),
  // Whoever lets services call each other names them all: their names are no secret among the platform's staff.
  offered: 'everybody',
  filters: {
    live: {
      value: (dice) => dice.pick(['true', 'false']),
      keeps: (row, value, world) =>
        world.rows.service_instance!.some(
          (one) => one.service === row.code && one.status === 'UP' && one.status_override === null,
        ) ===
        (value === 'true'),
    },
  },
  text: (row) => `${row.code} ${row.name}`.toLowerCase(),
  export: byCode,
  owner: 'owner_id',
  sample: (turn) => ({ code: `probe-service-${turn}`.slice(0, 20), name: `测试服务${turn}` }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 20).entries())
      await run(db, `INSERT INTO service_client (code, name, enabled, owner_id) VALUES ($1, $2, $3, $4)`, [
        `random-${index}`,
        `随机服务${index}`,
        dice.chance(0.7),
        id,
      ]);
  },
});
