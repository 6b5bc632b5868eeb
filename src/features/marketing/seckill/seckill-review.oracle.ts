import { dayRange, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { ofMerchant, overTime, READS, whereActivityStands } from './seckill.oracle.ts';

export const oracle = defineOracle({
  name: 'seckillReview',
  menu: 'mk_seckillActivityPublish',
  table: 'seckill_activity',
  where: (row) => row.state === 'reviewing' || row.decided_at !== null,
  standing: whereActivityStands,
  filters: {
    state: words('state', [
      'draft',
      'reviewing',
      'rejected',
      'scheduled',
      'running',
      'paused',
      'ended',
      'cancelled',
    ]),
    merchant: ofMerchant,
    ...overTime,
    submittedAt: dayRange('submitted_at'),
  },
  tabs: {
    mine: (row, world, held) =>
      world.rows.approval_instance!.some(
        (one) =>
          one.biz_type === 'seckill' &&
          one.biz_id === row.id &&
          one.state === 'running' &&
          world.rows.approval_task!.some(
            (task) =>
              task.instance_id === one.id && task.state === 'pending' && task.assignee_id === held.row.id,
          ),
      ),
    decided: (row) => row.state !== 'reviewing',
    all: () => true,
  },
  text: (row) => `${row.code} ${row.name}`.toLowerCase(),
  owner: 'created_by',
  reads: [...READS, 'approval_instance', 'approval_task'],
});
