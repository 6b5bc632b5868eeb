import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { receivableCharge } from './receivable.contract.ts';
import { ofReceivables } from './request-approval.server.ts';

/** What was put on receivables or let off. */
export const registration = bindResource(receivableCharge, {
  table: 'receivable_charge',
  from: 'receivable_charge t JOIN receivable r ON r.id = t.receivable_id LEFT JOIN staff s ON s.id = t.created_by',
  scope: { tenant: 'none', project: 'none', owner: 'NULL::bigint', own: ofReceivables },
  columns: {
    receivable: { id: 't.receivable_id', title: 'r.code' },
    bookedAt: 't.created_at',
    bookedBy: 's.name',
  },
  extra: { version: '1' },
}).registration;
