import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { merchantRule } from '../../../testing/oracle/merchant-rule.ts';

export const oracle = defineOracle(
  merchantRule('merchant', 'ssm_merchantManager', (row) => row.kind === 2, [
    'all',
    'operating',
    'review',
    'toOpen',
    'suspended',
    'closing',
    'certificates',
    'renewal',
    'depositShort',
  ]),
);
