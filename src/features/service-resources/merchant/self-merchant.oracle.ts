import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { merchantRule } from '../../../testing/oracle/merchant-rule.ts';

export const oracle = defineOracle(
  merchantRule('selfMerchant', 'selfMerchants', (row) => row.kind === 2 && row.merchant_kind === 'self', [
    'all',
    'operating',
    'toOpen',
    'suspended',
    'closing',
    'certificates',
    'renewal',
  ]),
);
