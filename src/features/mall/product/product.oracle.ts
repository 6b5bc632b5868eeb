import { words, ids, moneyRange, projectsOf, byCode, isMerchant } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw } from '../../../testing/oracle/world.ts';

/** Goods products outside the recycle bin. */
const kept = (row: Raw) => row.recycled_at === null;

export const oracle = defineOracle({
  name: 'product',
  menu: 'mm_commodityMana',
  table: 'product',
  where: (row) => row.kind === 'goods',
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
    price: moneyRange('price_min', 'price_max'),
    stockState: words(
      (row) => (row.stock_total === 0 ? 'out' : row.stock_low ? 'low' : 'enough'),
      ['enough', 'low', 'out'],
    ),
  },
  tabs: {
    all: kept,
    selling: (row) => kept(row) && row.status === 'published',
    draft: (row) => kept(row) && row.status === 'draft',
    reviewing: (row) => kept(row) && row.status === 'reviewing',
    rejected: (row) => kept(row) && row.status === 'rejected',
    off: (row) => kept(row) && row.status === 'off_shelf',
    soldOut: (row) => kept(row) && row.status === 'published' && row.stock_total === 0,
    low: (row) => kept(row) && row.status === 'published' && row.stock_low,
    recycled: (row) => !kept(row),
  },
  text: (row) => `${row.code} ${row.name}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  reads: ['product_project'],
});
