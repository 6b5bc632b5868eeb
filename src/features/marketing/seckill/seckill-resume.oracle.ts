import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { dayRange } from '../../../testing/oracle/filters.ts';
import { ofMerchant, overTime, READS, whereActivityStands } from './seckill.oracle.ts';

export const oracle = defineOracle({
  name: 'seckillResume',
  menu: 'mk_seckillActivityResume',
  table: 'seckill_activity',
  where: (row) => row.state === 'paused',
  standing: whereActivityStands,
  filters: { merchant: ofMerchant, ...overTime, submittedAt: dayRange('submitted_at') },
  text: (row) => `${row.code} ${row.name}`.toLowerCase(),
  owner: 'created_by',
  reads: READS,
});
