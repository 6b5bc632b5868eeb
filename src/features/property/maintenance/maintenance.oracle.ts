import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { oracle as orders } from '../work-order/work-order.oracle.ts';

const { type: _type, ...filters } = orders.filters!;

export const oracle = defineOracle({
  name: 'maintenance',
  menu: 'cs_maintenance',
  table: 'work_order',
  where: (row) => row.type === 'complaint_repair' && row.class === 'repair',
  standing: orders.standing,
  extra: orders.extra!,
  filters,
  tabs: orders.tabs!,
  text: orders.text!,
  owner: 'created_by',
  reads: orders.reads!,
});
