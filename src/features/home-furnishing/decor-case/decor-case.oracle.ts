import { byCode, ids, inProject, isMerchant } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run, type Raw } from '../../../testing/oracle/world.ts';

const late = (row: Raw) =>
  row.deadline !== null && new Date(row.deadline as string | Date).getTime() < Date.now();

export const oracle = defineOracle({
  name: 'decorCase',
  menu: 'mj_mercureCommodityAfterSales',
  table: 'after_sale',
  where: (row) => row.order_kind === 'home_decor',
  standing: inProject,
  filters: {
    merchant: ids('tenant_id', 'tenant', isMerchant),
    overdue: {
      value: (dice) => (dice.chance(0.5) ? 'true' : 'false'),
      keeps: (row, value) => late(row) === (value === 'true'),
    },
  },
  tabs: {
    all: () => true,
    todo: (row) =>
      row.state === 'applied' ||
      (row.type === 'exchange' && ['agreed', 'returned', 'received'].includes(String(row.state))),
    visit: (row) => row.type === 'repair' && row.state === 'agreed',
    refunding: (row) => row.state === 'refunding',
    done: (row) => row.state === 'done',
    refused: (row) => row.state === 'refused',
  },
  text: (row) => `${row.code} ${row.product_name}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  reads: ['tenant'],
  ownSample: 'src/features/home-furnishing/decor-case/decor-case.test.ts',
  fill: async ({ db }) => {
    await run(
      db,
      `UPDATE after_sale SET escalated = id % 3 = 0, deadline = CASE WHEN id % 2 = 0 THEN now() - interval '1 day' ELSE deadline END
        WHERE order_kind = 'home_decor' AND deadline IS NOT NULL`,
      [],
    );
  },
});
