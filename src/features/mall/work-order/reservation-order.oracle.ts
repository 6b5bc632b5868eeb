import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { workOrderRule } from './business-order.oracle.ts';

export const oracle = defineOracle(workOrderRule('reservationOrder', 'mm_reservationOrder', 'service'));
