import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { agreementRule } from '../../../testing/oracle/merchant-rule.ts';

export const oracle = defineOracle(agreementRule('residentAgreement', 'residentMerchants', 'resident'));
