import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { evaluationsOf } from './housekeeper-evaluation.oracle.ts';

export const oracle = defineOracle(evaluationsOf('evaluation', 'cs_propertyEvaluate', 'property'));
