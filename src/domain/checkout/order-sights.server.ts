import { scopeCondition, type ScopeColumns } from '../../kernel/server/people/scope.ts';
import { listSight, type RowSight } from '../notification/row-sight.server.ts';

/** Menu of the orders of goods. */
export const ORDER_MENU = 'mm_businessOrder_wx';

/** Where an order `t` stands. */
export const ORDER_SCOPE: ScopeColumns = {
  tenant: 't.tenant_id',
  project: 't.project_id',
  owner: 't.created_by',
};

/** Orders of goods. */
export const orderSight = listSight({
  entity: 'goodsOrder',
  menu: ORDER_MENU,
  table: 'sales_order',
  where: `t.kind = 'goods'`,
  scope: ORDER_SCOPE,
});

/** Payments: platform staff who see one of the orders that were paid. */
export const paymentSight: RowSight = {
  entity: 'payment',
  menu: ORDER_MENU,
  condition: (holder, id, parameters) =>
    holder.tenantKind === 3
      ? `EXISTS (SELECT FROM sales_order t WHERE t.payment_id = ${id} AND ${scopeCondition(holder, ORDER_MENU, ORDER_SCOPE, parameters)})`
      : 'FALSE',
};

/** What concerns all orders and stocks at once: platform staff whom nothing narrows. It has one row, 1. */
export const tradeSight: RowSight = {
  entity: 'trade',
  menu: ORDER_MENU,
  condition: (holder) =>
    holder.tenantKind === 3 &&
    holder.projectIds === null &&
    holder.menus.get(ORDER_MENU)?.some((scope) => scope.kind === 'all')
      ? 'TRUE'
      : 'FALSE',
};
