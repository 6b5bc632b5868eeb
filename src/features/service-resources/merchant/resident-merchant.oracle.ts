import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { merchantRule } from '../../../testing/oracle/merchant-rule.ts';

export const oracle = defineOracle(
  merchantRule(
    'residentMerchant',
    'residentMerchants',
    (row) => row.kind === 2 && row.merchant_kind === 'resident',
    ['all', 'draft', 'review', 'toOpen', 'operating', 'rejected', 'closing', 'renewal'],
  ),
);
