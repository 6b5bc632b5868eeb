import { counted, linked } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'productClass',
  menu: 'Proclass',
  table: 'product_class',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'platform' }),
  offered: 'everybody',
  filters: { tenants: linked('product_class_tenant', 'class_id', 'tenant_id', 'tenant') },
  text: (row) => `${row.name} ${row.name_en}`.toLowerCase(),
  export: counted,
  owner: 'created_by',
  // At the top: the first class offered may stand in another business.
  sample: () => ({ parent: null }),
  reads: ['product_class_tenant'],
});
