import { defineRegistration } from '../../kernel/server/registration.ts';
import { operationsOrders } from '../work-order-reports/order-statistics/operations-order.server.ts';
import { openOperationsOrders } from './open-orders.contract.ts';
import { openRowsEndpoint } from './open-rows.server.ts';

/** Operations orders for every staff. */
export const registration = defineRegistration({
  contract: openOperationsOrders,
  menus: [openOperationsOrders.menu],
  endpoints: [
    openRowsEndpoint('operations', 'or_operDetail', openOperationsOrders.title, () => operationsOrders),
  ],
});
