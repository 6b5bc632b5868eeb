import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { oracle as orders } from './service-order.oracle.ts';

export const oracle = defineOracle({
  ...orders,
  name: 'serviceGroupOrder',
  menu: 'mm_groupOrderService',
  where: (row) => row.kind === 'service' && row.type === 'group',
});
