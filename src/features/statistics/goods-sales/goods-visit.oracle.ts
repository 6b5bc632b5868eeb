import { counted, ids, isMerchant, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw } from '../../../testing/oracle/world.ts';
import { days, saleFilters } from './sold-line.oracle.ts';

const { business, class: below, ownClass, product } = saleFilters((row) => row);

export const oracle = defineOracle({
  name: 'goodsVisit',
  menu: 'sa_goodsSale',
  table: 'goods_visit',
  standing: (row: Raw) => ({
    tenant: row.tenant_id,
    projects: [Number(row.project_id)],
    owner: null,
    rule: 'places',
  }),
  filters: {
    business: business!,
    class: below!,
    ownClass: ownClass!,
    product: product!,
    project: ids('project_id', 'project'),
    merchant: ids('tenant_id', 'tenant', isMerchant),
    merchantKind: {
      value: (dice) => dice.pick(['self', 'resident']),
      keeps: (row, value, world) =>
        value
          .split(',')
          .includes(String(by(world, 'tenant', 'id').get(row.tenant_id as number)?.[0]?.merchant_kind)),
    },
    kind: words('kind', ['view', 'cart', 'share']),
    at: days((row) => new Date(row.at)),
  },
  export: counted,
  reads: ['product', 'product_class', 'product_class_member', 'tenant', 'business'],
});
