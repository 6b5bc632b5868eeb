import { byCode, ids, isMerchant, projectsOf, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'service',
  menu: 'mm_reservationSer',
  table: 'product',
  where: (row) => row.kind === 'service' && row.recycled_at === null,
  standing: (row, world) => ({
    tenant: row.tenant_id,
    projects: (by(world, 'product_project', 'product_id').get(row.id) ?? []).map((one) =>
      Number(one.project_id),
    ),
    owner: row.created_by,
    rule: 'places',
  }),
  leftOut: ['classes'],
  filters: {
    state: words('status', ['draft', 'reviewing', 'published', 'rejected', 'off_shelf']),
    merchant: {
      ...ids('tenant_id', 'tenant', isMerchant),
      // From a merchant another tenant's id is ignored.
      keeps: (row, value, _world, held) =>
        held.kind === 2 || value.split(',').includes(String(row.tenant_id)),
    },
    projects: projectsOf('product_project', 'product_id'),
  },
  tabs: {
    all: () => true,
    published: (row) => row.status === 'published',
    draft: (row) => row.status === 'draft',
    reviewing: (row) => row.status === 'reviewing',
    rejected: (row) => row.status === 'rejected',
    withdrawn: (row) => row.status === 'off_shelf',
  },
  text: (row) => `${row.code} ${row.name}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  reads: ['product_project'],
});
