import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { agreementRule } from './merchant-rule.ts';

export const oracle = defineOracle(agreementRule('selfAgreement', 'selfMerchants', 'self'));
