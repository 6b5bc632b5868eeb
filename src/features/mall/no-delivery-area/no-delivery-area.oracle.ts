import { counted, ids, isMerchant, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run, type Raw, type World } from '../../../testing/oracle/world.ts';

const place = (row: Raw, world: World): Raw => by(world, 'region', 'id').get(row.region_id)![0]!;

export const oracle = defineOracle({
  name: 'noDeliveryArea',
  menu: 'mm_noDeliveryArea',
  table: 'no_delivery_area',
  where: (row) => row.product_id === null,
  standing: (row) => ({ tenant: row.tenant_id, projects: undefined, owner: row.created_by, rule: 'people' }),
  // A set is its merchant's, whoever wrote it: the own one, those of merchants in the own projects, all.
  extra: (row, world, held) => {
    if (held.kind === 2) return row.tenant_id === held.row.tenant_id;
    if (!held.projects) return true;
    return (by(world, 'tenant_project', 'tenant_id').get(row.tenant_id) ?? []).some((one) =>
      held.projects!.has(Number(one.project_id)),
    );
  },
  filters: {
    merchant: {
      ...ids('tenant_id', 'tenant', isMerchant),
      // From a merchant another tenant's id is ignored.
      keeps: (row, value, _world, held) =>
        held.kind === 2 || value.split(',').includes(String(row.tenant_id)),
    },
    level: {
      value: words('', ['1', '2', '3']).value,
      keeps: (row, value, world) => value.split(',').includes(String(place(row, world).level)),
    },
  },
  export: counted,
  reads: ['region', 'tenant_project'],
  fill: async ({ db, dice }) => {
    for (let index = 0; index < 60; index++)
      await run(
        db,
        `INSERT INTO no_delivery_area (tenant_id, region_id)
         SELECT m.id, r.id FROM (SELECT id FROM tenant WHERE kind = 2 ORDER BY id OFFSET $1 LIMIT 1) m, (SELECT id FROM region ORDER BY id OFFSET $2 LIMIT 1) r
         ON CONFLICT DO NOTHING`,
        [dice.upTo(7), dice.upTo(300)],
      );
  },
});
