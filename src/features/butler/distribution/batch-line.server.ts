import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { scopeOfBatch } from './batch-scope.server.ts';
import { incentiveBatchLine } from './distribution.contract.ts';

/** Terms of butlers, for those who see the batch. */
export const registration = bindResource(incentiveBatchLine, {
  table: 'incentive_batch_line',
  from: 'incentive_batch_line t LEFT JOIN incentive_batch b ON b.id = t.batch_id LEFT JOIN housekeeper k ON k.id = t.housekeeper_id LEFT JOIN staff s ON s.id = k.staff_id',
  extra: { version: '1' },
  columns: {
    batch: { id: 't.batch_id', title: 'b.code' },
    butler: { id: 't.housekeeper_id', title: 's.name' },
    staffNo: 's.staff_no',
    month: 'b.month',
    score: 't.score::text',
    coefficient: 't.coefficient_bp',
    gross: '(t.sale + t.bonus + t.cap_cut + t.manual)',
    left: '(k.left_at IS NOT NULL)',
  },
  scope: scopeOfBatch('(SELECT x.centre_id FROM incentive_batch x WHERE x.id = t.batch_id)', 'k.staff_id'),
}).registration;
