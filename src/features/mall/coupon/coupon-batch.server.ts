import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { ofCoupons } from './coupon-scope.server.ts';
import { couponBatch, ISSUED_MENU } from './issued-coupon.contract.ts';

/** Every issue of pieces of a coupon. */
export const registration = bindResource(couponBatch, {
  table: 'coupon_batch',
  from: 'coupon_batch t JOIN coupon c ON c.id = t.coupon_id LEFT JOIN staff a ON a.id = t.created_by',
  scope: { tenant: 'none', project: 'none', owner: 'NULL::bigint', own: ofCoupons(ISSUED_MENU) },
  columns: {
    coupon: { id: 't.coupon_id', title: 'c.name' },
    madeAt: 't.created_at',
    madeBy: 'a.name',
  },
  extra: { version: '1' },
}).registration;
