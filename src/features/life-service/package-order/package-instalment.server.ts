import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { packageInstalment } from './package-order-parts.contract.ts';
import { ofOrders } from './package-order-scope.server.ts';

/** Receivables of package orders, for those who see the order. */
export const registration = bindResource(packageInstalment, {
  table: 'receivable',
  entity: 'receivable',
  from: 'receivable t LEFT JOIN package_order o ON o.id = t.source_id',
  where: `t.source_kind = 'package'`,
  scope: { tenant: 'none', project: 'none', owner: 'NULL::bigint', own: ofOrders('t.source_id') },
  columns: {
    order: { id: 't.source_id', title: 'o.code' },
    part: 'CASE WHEN t.period_no < 100 THEN t.period_no END',
    balance: `(CASE WHEN t.state IN ('void', 'written_off') THEN 0 ELSE t.principal + t.charges - t.received END)`,
  },
}).registration;
