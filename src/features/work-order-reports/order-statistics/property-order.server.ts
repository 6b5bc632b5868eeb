import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { propertyReportOrder } from './order-statistics.contract.ts';
import { reportOrderBinding } from './report-orders.server.ts';

/** Property orders, for the page that every staff may open, too. */
export const propertyOrders = bindResource(
  propertyReportOrder,
  reportOrderBinding('property', propertyReportOrder.menu),
);

/** The property orders behind a figure. */
export const registration = propertyOrders.registration;
