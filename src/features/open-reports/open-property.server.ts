import { defineRegistration } from '../../kernel/server/registration.ts';
import { propertyOrders } from '../work-order-reports/order-statistics/property-order.server.ts';
import { openPropertyOrders } from './open-orders.contract.ts';
import { openRowsEndpoint } from './open-rows.server.ts';

/** Property orders for every staff. */
export const registration = defineRegistration({
  contract: openPropertyOrders,
  menus: [openPropertyOrders.menu],
  endpoints: [
    openRowsEndpoint('property', 'or_ProOperDetail', openPropertyOrders.title, () => propertyOrders),
  ],
});
