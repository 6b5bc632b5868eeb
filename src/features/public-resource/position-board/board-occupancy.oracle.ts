import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { occupancies } from '../position/position-occupancy.oracle.ts';

export const oracle = defineOracle({ name: 'boardOccupancy', menu: 'pointList', ...occupancies });
