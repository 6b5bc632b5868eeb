import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { counted, exactly } from '../../../testing/oracle/filters.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'instanceEvent',
  menu: 'serviceEurekaManager',
  table: 'instance_event',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.staff_id, rule: 'platform' }),
  filters: { instance: exactly('instance_id', 'instance_event') },
  export: counted,
  owner: 'staff_id',
  fill: async ({ db, dice, staff }) => {
    for (const { id } of staff.slice(0, 40))
      await run(
        db,
        `INSERT INTO instance_event (type, service, instance_id, host, reason, staff_id, at)
         VALUES ($1, $2, $3, 'node-1', '演练', $4, now() - make_interval(hours => $5))`,
        [
          dice.pick(['REGISTERED', 'STATUS_CHANGED', 'DEREGISTERED', 'EVICTED']),
          dice.pick(['backoffice-web', 'backoffice-worker']),
          `random-${dice.upTo(9)}`,
          id,
          dice.upTo(300),
        ],
      );
  },
});
