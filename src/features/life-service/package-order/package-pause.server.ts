import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { packagePause } from './package-order-parts.contract.ts';
import { ofOrders } from './package-order-scope.server.ts';

/** Times packages rested. */
export const registration = bindResource(packagePause, {
  table: 'package_pause',
  from: 'package_pause t LEFT JOIN package_order o ON o.id = t.order_id',
  scope: { tenant: 'none', project: 'none', owner: 'NULL::bigint', own: ofOrders('t.order_id') },
  columns: { order: { id: 't.order_id', title: 'o.code' } },
  extra: { version: '1' },
}).registration;
