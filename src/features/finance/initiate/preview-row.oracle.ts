import { counted, exactly, idsOfRows, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const previewOf = (row: Raw, world: World): Raw =>
  by(world, 'settlement_run_merchant', 'id').get(row.run_merchant_id)![0]!;

export const oracle = defineOracle({
  name: 'settlementRow',
  menu: 'fm_InitiateSettlement',
  table: 'settlement_run_row',
  standing: (row, world) => ({
    tenant: null,
    projects: undefined,
    owner: by(world, 'settlement_run', 'id').get(previewOf(row, world).run_id)?.[0]?.maker_id as
      number | null,
    rule: 'platform',
  }),
  filters: {
    preview: idsOfRows('run_merchant_id', 'settlement_run_row'),
    run: {
      value: (dice, world) => String(dice.pick(world.rows.settlement_run!)?.id ?? 0),
      keeps: (row, value, world) => String(previewOf(row, world).run_id) === value,
    },
    merchant: {
      value: (dice, world) => String(dice.pick(world.rows.settlement_run_merchant!)?.tenant_id ?? 0),
      keeps: (row, value, world) => String(previewOf(row, world).tenant_id) === value,
    },
    code: words('code', ['X01', 'X02', 'X03', 'X04', 'X07']),
    orderCode: {
      value: (dice, world) => exactly('code', 'sales_order').value(dice, world),
      keeps: (row, value, world) =>
        row.order_id !== null && by(world, 'sales_order', 'id').get(row.order_id)?.[0]?.code === value,
    },
  },
  tabs: { taken: (row) => row.code === null, excluded: (row) => row.code !== null },
  export: counted,
  reads: ['settlement_run', 'settlement_run_merchant', 'sales_order'],
});
