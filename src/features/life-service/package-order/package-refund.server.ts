import { NOW, fromInput } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { packageRefund } from './package-order-parts.contract.ts';
import { ofOrders } from './package-order-scope.server.ts';

/** Money given back; whoever pays it out writes the slip number. */
export const registration = bindResource(packageRefund, {
  table: 'package_refund',
  from: 'package_refund t LEFT JOIN package_order o ON o.id = t.order_id LEFT JOIN receipt c ON c.id = t.receipt_id',
  scope: { tenant: 'none', project: 'none', owner: 'NULL::bigint', own: ofOrders('t.order_id') },
  columns: {
    order: { id: 't.order_id', title: 'o.code' },
    receipt: 'c.code',
    slipNo: `nullif(t.slip_no, '')`,
    bookedAt: 't.created_at',
  },
  sets: { payBack: { slip_no: fromInput('slip'), paid_at: NOW } },
}).registration;
