import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'deployRecord',
  menu: 'deployServerManager',
  table: 'deploy_record',
  standing: () => ({ tenant: null, projects: undefined, owner: null, rule: 'platform' }),
  export: counted,
  fill: async ({ db, dice }) => {
    const [server] = await run<{ id: number }>(
      db,
      `INSERT INTO deploy_server (host) VALUES ('random-records') RETURNING id`,
    );
    for (let index = 0; index < 20; index++)
      await run(
        db,
        `INSERT INTO deploy_record (server_id, service, instance_id, from_version, to_version, started_at)
         VALUES ($1, $2, $3, '1.0', '1.1', now() - make_interval(hours => $4))`,
        [server!.id, dice.pick(['backoffice-web', 'backoffice-worker']), `random-${index}`, dice.upTo(200)],
      );
  },
});
