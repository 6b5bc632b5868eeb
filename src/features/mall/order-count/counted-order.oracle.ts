import { dayRange, ids, inProject, isMerchant, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'countedOrder',
  menu: 'mm_numberOrders',
  table: 'sales_order',
  where: (row) => row.kind === 'goods' || row.kind === 'service',
  standing: inProject,
  filters: {
    merchant: ids('tenant_id', 'tenant', isMerchant),
    project: ids('project_id', 'project'),
    kind: words('kind', ['goods', 'service']),
    state: words('state', ['pending_payment', 'to_ship', 'to_receive', 'completed', 'closed']),
    refundStatus: words('refund_status', ['none', 'refunding', 'part', 'full']),
    createdAt: dayRange('created_at'),
    figure: {
      value: (dice) => dice.pick(['created', 'paid', 'closed', 'refunds', 'completed']),
      keeps: (row, value, world) =>
        value === 'created' ||
        (value === 'paid'
          ? row.paid_at !== null
          : value === 'refunds'
            ? (by(world, 'refund', 'order_id').get(row.id) ?? []).some((one) => one.state !== 'cancelled')
            : row.state === value),
    },
  },
  text: (row) => `${row.code} ${row.title}`.toLowerCase(),
  export: { title: '订单号', key: (row) => String(row.code) },
  owner: 'created_by',
  reads: ['refund'],
});
