import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { agreementRule } from '../../../testing/oracle/merchant-rule.ts';

const { sample: _sample, ...rule } = agreementRule('infoAgreement', 'mm_merchantInfo');
export const oracle = defineOracle(rule);
