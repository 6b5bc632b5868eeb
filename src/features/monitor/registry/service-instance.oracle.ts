import { counted, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'serviceInstance',
  menu: 'serviceEurekaManager',
  table: 'service_instance',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'platform' }),
  filters: { state: words('status', ['STARTING', 'UP', 'DOWN', 'OUT_OF_SERVICE']) },
  text: (row) => `${row.service} ${row.instance_id} ${row.release}`.toLowerCase(),
  export: counted,
  owner: 'created_by',
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 30).entries()) {
      const down = dice.chance(0.3);
      await run(
        db,
        `INSERT INTO service_instance (instance_id, service, role, host, port, release, status, reported, down_at, created_by)
         VALUES ($1, $2, $3, 'node-1', 8080, $4, $5, 'UP', CASE WHEN $5 = 'DOWN' THEN now() END, $6)`,
        [
          `random-instance-${index}`,
          dice.pick(['backoffice-web', 'backoffice-worker']),
          dice.pick(['web', 'worker', 'external']),
          `1.${dice.upTo(3)}`,
          down ? 'DOWN' : dice.pick(['UP', 'STARTING', 'OUT_OF_SERVICE']),
          id,
        ],
      );
    }
  },
});
