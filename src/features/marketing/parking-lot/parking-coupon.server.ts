import { residentScope } from '../../../domain/residents/residents.server.ts';
import { NOW } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { parkingCoupon } from './parking-lot.contract.ts';
import { TODAY } from '../../../kernel/server/today.ts';

/** Coupons of lots. */
export const registration = bindResource(parkingCoupon, {
  table: 'parking_coupon',
  from: `parking_coupon t LEFT JOIN parking_lot l ON l.id = t.lot_id LEFT JOIN tenant s ON s.id = t.tenant_id LEFT JOIN parking_order o ON o.id = t.order_id`,
  scope: residentScope('t.project_id', 't.created_by'),
  search: 'lower(t.plate)',
  columns: {
    lot: { id: 't.lot_id', title: 'l.name' },
    merchant: { id: 't.tenant_id', title: 's.name' },
    worth: `(CASE t.kind WHEN 'minutes' THEN t.value || ' min' WHEN 'amount' THEN '¥' || to_char(t.value / 100.0, 'FM999990.00') WHEN 'percent' THEN t.value || '%' ELSE '100%' END)`,
    standing: `(CASE WHEN t.cancelled_at IS NOT NULL THEN 'cancelled' WHEN t.order_id IS NOT NULL THEN 'used' WHEN t.valid_to < ${TODAY} THEN 'expired' ELSE 'unused' END)`,
    order: 'o.code',
  },
  ruleReads: ['standing'],
  rowRules: {
    cancel: (row) =>
      row.standing === 'used' || row.standing === 'cancelled'
        ? ['已使用或已作废', 'Used or cancelled already']
        : undefined,
  },
  sets: { cancel: { cancelled_at: NOW } },
}).registration;
