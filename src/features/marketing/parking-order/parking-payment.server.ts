import { residentScope } from '../../../domain/residents/residents.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { parkingPayment } from './parking-order.contract.ts';

/** Money of stays; written by their actions. */
export const registration = bindResource(parkingPayment, {
  table: 'parking_payment',
  from: 'parking_payment t LEFT JOIN parking_order o ON o.id = t.order_id LEFT JOIN staff s ON s.id = t.operator_id',
  scope: residentScope('t.project_id'),
  columns: {
    order: { id: 't.order_id', title: 'o.code' },
    operator: { id: 't.operator_id', title: 's.name' },
  },
  extra: { version: '1' },
}).registration;
