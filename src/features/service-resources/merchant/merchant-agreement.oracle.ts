import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { agreementRule } from '../../../testing/oracle/merchant-rule.ts';

export const oracle = defineOracle(agreementRule('merchantAgreement', 'ssm_merchantManager'));
