import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { withdrawalRule } from './withdrawal.oracle.ts';

export const oracle = defineOracle(withdrawalRule('bossWithdrawal', 'maoBossAccount'));
