import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';
import { leads } from './client.oracle.ts';

export const oracle = defineOracle({
  name: 'clientBin',
  menu: 'customerList',
  table: 'client_bin',
  standing: () => ({ tenant: null, projects: undefined, owner: null, rule: 'people' }),
  extra: (row, world, held) =>
    held.kind !== 2 &&
    held.menus.has('customerList') &&
    ((row.owner_id !== null && leads(row, world, held)) ||
      (held.elements.has('customerList:btn_all') &&
        (held.projects === undefined ||
          row.project_ids.some((id: number | string) => held.projects!.has(Number(id)))))),
  text: (row) => `${row.code} ${row.name}`.toLowerCase(),
  reads: ['business_person'],
  // Deleted copies of clients, under numbers no client has.
  fill: async ({ db }) => {
    await run(
      db,
      `INSERT INTO client_bin (id, code, name, brand, owner_id, project_ids, kept, reason, deleted_by)
       SELECT c.id + 900000, c.code || 'X', c.name, c.brand, c.owner_id, ARRAY(SELECT p.project_id FROM client_project p WHERE p.client_id = c.id),
              '{}', '重复登记', c.owner_id FROM client c ON CONFLICT DO NOTHING`,
      [],
    );
  },
});
