import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run, type Raw, type World } from '../../../testing/oracle/world.ts';
import { seesClient } from './client.oracle.ts';

const clientOf = (row: Raw, world: World) => {
  const own = by(world, 'contract', 'id').get(row.source_id)?.[0];
  return world.rows.client!.find((one) => one.id === own?.client_id);
};

export const oracle = defineOracle({
  name: 'clientReceivable',
  menu: 'customerList',
  table: 'receivable',
  where: (row) => row.source_kind === 'contract' && row.state !== 'void',
  standing: () => ({ tenant: null, projects: undefined, owner: null, rule: 'people' }),
  extra: (row, world, held) => {
    const client = clientOf(row, world);
    return (
      client !== undefined &&
      seesClient(client, world, held) &&
      (held.projects?.has(Number(row.project_id)) ?? true)
    );
  },
  filters: {
    client: {
      value: (dice, world) => String(dice.pick(world.rows.client!).id),
      keeps: (row, value, world) => value.split(',').includes(String(clientOf(row, world)?.id)),
    },
  },
  reads: [
    'contract',
    'client',
    'business_person',
    'business_person_project',
    'client_member',
    'client_project',
  ],
  // Contracts of names become those of clients.
  fill: async ({ db }) => {
    await run(
      db,
      `UPDATE contract k SET client_id = c.id, party_name = '' FROM (SELECT id, row_number() OVER (ORDER BY id) AS n, count(*) OVER () AS all FROM client) c
        WHERE k.party_name <> '' AND c.n = 1 + k.id % c.all`,
      [],
    );
  },
});
