import { counted, ids, isMerchant, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const of = (row: Raw, world: World): Raw => by(world, 'product', 'id').get(row.product_id)?.[0] ?? { id: 0 };

export const oracle = defineOracle({
  name: 'decorReview',
  menu: 'mj_mercureCommodityApprove',
  table: 'product_review',
  standing: (row, world) => ({
    tenant: of(row, world).tenant_id,
    projects: (by(world, 'product_project', 'product_id').get(row.product_id) ?? []).map((one) =>
      Number(one.project_id),
    ),
    owner: of(row, world).created_by,
    rule: 'places',
  }),
  filters: {
    level: words((row: Raw) => String(row.level), ['1', '2']),
    merchant: {
      value: ids('tenant_id', 'tenant', isMerchant).value,
      // From a merchant another tenant's id is ignored.
      keeps: (row, value, world, held) =>
        held.kind === 2 || value.split(',').includes(String(of(row, world).tenant_id)),
    },
  },
  tabs: {
    // Nobody decides about the own; the second review is somebody else's of the platform.
    mine: (row, _world, held) =>
      row.state === 'waiting' &&
      row.applied_by !== held.row.id &&
      !(row.payload?.applicants ?? []).map(Number).includes(held.row.id) &&
      (row.level === 1
        ? held.kind === 3 || held.kind === 4
        : held.kind === 3 && row.first_by !== held.row.id),
    decided: (row) => row.state === 'passed' || row.state === 'rejected',
    all: () => true,
  },
  extra: (row, world) => of(row, world).kind === 'home_decor' && of(row, world).recycled_at === null,
  export: counted,
  reads: ['product', 'product_project'],
});
