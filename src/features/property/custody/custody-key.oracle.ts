import { ids } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run, type Raw, type World } from '../../../testing/oracle/world.ts';

const custodyOf = (row: Raw, world: World) =>
  world.rows.house_custody!.find((one) => one.id === row.custody_id)!;

export const oracle = defineOracle({
  name: 'custodyKey',
  menu: 'cs_escrow',
  table: 'custody_key_move',
  standing: (row, world) => ({
    tenant: null,
    projects: [custodyOf(row, world).project_id],
    owner: custodyOf(row, world).created_by,
    rule: 'places',
  }),
  filters: { custody: ids('custody_id', 'house_custody') },
  reads: ['house_custody'],
  fill: async ({ db }) => {
    await run(
      db,
      `INSERT INTO custody_key_move (custody_id, direction, count, person) SELECT id, CASE WHEN id % 2 = 0 THEN 'out' ELSE 'back' END, 1, '中介' FROM house_custody`,
      [],
    );
  },
});
