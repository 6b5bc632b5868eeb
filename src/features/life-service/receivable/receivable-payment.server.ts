import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { receivablePayment } from './receivable.contract.ts';
import { ofReceivables } from './request-approval.server.ts';

/** Which receipts paid receivables. */
export const registration = bindResource(receivablePayment, {
  table: 'receipt_allocation',
  from: 'receipt_allocation t JOIN receivable r ON r.id = t.receivable_id JOIN receipt c ON c.id = t.receipt_id',
  stateColumn: '(SELECT c.state FROM receipt c WHERE c.id = t.receipt_id)',
  scope: { tenant: 'none', project: 'none', owner: 'NULL::bigint', own: ofReceivables },
  columns: {
    receivable: { id: 't.receivable_id', title: 'r.code' },
    receipt: 'c.code',
    method: 'c.method',
    receivedOn: 'c.received_on',
    state: 'c.state',
  },
  extra: { version: '1' },
}).registration;
