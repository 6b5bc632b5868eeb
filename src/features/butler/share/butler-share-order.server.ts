import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { butlerShareOrder } from './butler-share.contract.ts';

/** Order lines links brought, for those who see the link. */
export const registration = bindResource(butlerShareOrder, {
  table: 'butler_performance',
  from: 'butler_performance t LEFT JOIN butler_share h ON h.id = t.share_id LEFT JOIN sales_order o ON o.id = t.order_id LEFT JOIN order_line l ON l.id = t.line_id',
  where: 't.share_id IS NOT NULL AND t.way = 1 AND t.housekeeper_id IS NOT NULL',
  columns: {
    share: { id: 't.share_id', title: 'h.code' },
    order: 'o.code',
    product: 'l.product_name',
    way: 't.way::text',
  },
  scope: {
    tenant: 'NULL::bigint',
    project: 't.project_id',
    owner:
      '(SELECT k.staff_id FROM butler_share x JOIN housekeeper k ON k.id = x.housekeeper_id WHERE x.id = t.share_id)',
  },
}).registration;
