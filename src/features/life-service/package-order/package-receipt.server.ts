import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { packageReceipt } from './package-order-parts.contract.ts';
import { ofOrders } from './package-order-scope.server.ts';

/** Receipts of package orders, for those who see the order. */
export const registration = bindResource(packageReceipt, {
  table: 'receipt_allocation',
  from: `receipt_allocation t JOIN receivable r ON r.id = t.receivable_id JOIN receipt c ON c.id = t.receipt_id
    LEFT JOIN package_order o ON o.id = r.source_id`,
  where: `EXISTS (SELECT FROM receivable w WHERE w.id = t.receivable_id AND w.source_kind = 'package')`,
  stateColumn: '(SELECT c.state FROM receipt c WHERE c.id = t.receipt_id)',
  scope: {
    tenant: 'none',
    project: 'none',
    owner: 'NULL::bigint',
    own: ofOrders('(SELECT w.source_id FROM receivable w WHERE w.id = t.receivable_id)'),
  },
  columns: {
    order: { id: 'r.source_id', title: 'o.code' },
    receipt: 'c.code',
    method: 'c.method',
    receivedOn: 'c.received_on',
    receivable: 'r.code',
    state: 'c.state',
  },
  extra: { version: '1' },
}).registration;
