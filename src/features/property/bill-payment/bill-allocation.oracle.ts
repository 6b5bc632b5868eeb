import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'billAllocation',
  menu: 'cs_propertyBill',
  table: 'bill_allocation',
  standing: (row, world) => {
    const payment = by(world, 'bill_payment', 'id').get(row.payment_id)![0]!;
    return {
      tenant: payment.tenant_id,
      projects: [payment.project_id],
      owner: payment.created_by,
      rule: 'places',
    };
  },
  filters: {
    payment: {
      value: (dice, world) => String(dice.pick(world.rows.bill_payment!).id),
      keeps: (row, value) => value.split(',').includes(String(row.refund_payment_id ?? row.payment_id)),
    },
  },
  reads: ['bill_payment'],
});
