import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import { pointsGrantLine } from './send.contract.ts';
import { scopeOfBatch } from './send-scope.server.ts';

/** What became of each member of a batch, for those who see the batch. */
export const registration = bindResource(pointsGrantLine, {
  table: 'points_grant_line',
  from: 'points_grant_line t LEFT JOIN points_grant_batch b ON b.id = t.batch_id LEFT JOIN member m ON m.id = t.member_id',
  scope: scopeOfBatch('t.batch_id'),
  searchExact: ['m.phone'],
  columns: {
    batch: { id: 't.batch_id', title: 'b.code' },
    member: 'm.name',
    phone: 'm.phone',
    reason: `CASE WHEN t.reason_zh <> '' THEN t.reason_zh || '｜' || t.reason_en END`,
    lotRemaining:
      '(SELECT sum(l.remaining)::integer FROM points_lot l WHERE l.transfer_id = t.transfer_id AND l.parent_lot IS NULL)',
    remark: `nullif(t.remark, '')`,
  },
  words: { reason: (value, { language }) => partsOfSaid(value)[language === 'en' ? 1 : 0] },
}).registration;
