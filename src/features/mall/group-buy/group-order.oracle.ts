import { by } from '../../../testing/oracle/world.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { oracle as orders } from '../goods-order/goods-order.oracle.ts';

const { fill: _fill, ...shared } = orders;

export const oracle = defineOracle({
  ...shared,
  name: 'groupOrder',
  menu: 'mm_groupOrder',
  where: (row) => row.kind === 'goods' && row.type === 'group',
  export: {
    title: '订单号',
    key: (row) => String(row.code),
    lines: (row, world) => (by(world, 'order_line', 'order_id').get(row.id) ?? []).length,
  },
});
