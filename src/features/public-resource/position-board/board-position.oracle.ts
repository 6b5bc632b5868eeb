import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { positions } from '../position/position.oracle.ts';

export const oracle = defineOracle({ name: 'boardPosition', menu: 'pointList', ...positions });
