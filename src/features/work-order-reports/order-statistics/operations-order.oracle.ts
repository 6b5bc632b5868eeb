import { reportOrderOracle } from './property-order.oracle.ts';

export const oracle = reportOrderOracle('operationsReportOrder', 'or_operDetail', ['goods', 'service']);
