import { backIn, bookedIn, SALE_SCOPE } from '../../../domain/sales-stat/goods-sales.server.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { soldRefund } from './goods-sales.contract.ts';
import { SALE_COLUMNS, SALE_JOINS, saleFilters, saleKeyword } from './sold-line.server.ts';

const bound: BoundResource = bindResource(soldRefund, {
  table: 'refund_line',
  from: `refund_line t JOIN goods_sale_refund s ON s.id = t.id ${SALE_JOINS}`,
  scope: SALE_SCOPE,
  extra: { version: '1' },
  columns: {
    ...SALE_COLUMNS,
    refund: 's.refund_code',
    order: 's.order_code',
    backAt: 's.succeeded_at',
    bookedAt: 's.booked_at',
    pieces: 's.qty',
    refunded: 's.cash',
    correction: 's.correction',
    originMonth: 's.origin_month',
  },
  filters: { ...saleFilters('s.line_id'), backAt: backIn, bookedAt: bookedIn },
  keyword: saleKeyword,
});

/** Refunds behind the figures of goods sales. */
export const registration = bound.registration;
