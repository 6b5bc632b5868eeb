import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { operationsReportOrder } from './order-statistics.contract.ts';
import { reportOrderBinding } from './report-orders.server.ts';

/** Operations orders, for the page that every staff may open, too. */
export const operationsOrders = bindResource(
  operationsReportOrder,
  reportOrderBinding('operations', operationsReportOrder.menu),
);

/** The operations orders behind a figure. */
export const registration = operationsOrders.registration;
