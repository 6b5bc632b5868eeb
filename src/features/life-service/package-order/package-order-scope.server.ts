import { listSight } from '../../../domain/notification/row-sight.server.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { ORDER_MENU } from './package-order.contract.ts';

/** Where a package order (`t`) stands: merchants see those of their own packages. */
export const ORDER_SCOPE: ScopeColumns = {
  tenant: 't.tenant_id',
  project: 't.project_id',
  owner: 't.seller_id',
};

/** Rows (`t`) that hang on orders the caller sees, by their column of the order. */
export const ofOrders =
  (column: string) =>
  (caller: Caller, parameters: Parameters): string =>
    `${column} IN (SELECT t.id FROM package_order t WHERE ${scopeCondition(caller, ORDER_MENU, ORDER_SCOPE, parameters)})`;

/** Orders as those read of them who see the list. */
export const orderSight = listSight({
  entity: 'packageOrder',
  menu: ORDER_MENU,
  table: 'package_order',
  scope: ORDER_SCOPE,
});

/** A request (`t`) stands where its order does. */
export const REQUEST_SCOPE: ScopeColumns = {
  tenant: '(SELECT o.tenant_id FROM package_order o WHERE o.id = t.order_id)',
  project: '(SELECT o.project_id FROM package_order o WHERE o.id = t.order_id)',
  owner: 't.created_by',
};

/** Requests as those read of them who see the order. */
export const orderRequestSight = listSight({
  entity: 'packageOrderRequest',
  menu: ORDER_MENU,
  table: 'package_order_request',
  scope: REQUEST_SCOPE,
});
