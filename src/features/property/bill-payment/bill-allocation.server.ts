import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { billAllocation } from './bill-payment.contract.ts';

/** What payments put on bills, for those who see the payment. */
export const registration = bindResource(billAllocation, {
  table: 'bill_allocation',
  from: 'bill_allocation t LEFT JOIN bill_payment y ON y.id = coalesce(t.refund_payment_id, t.payment_id) LEFT JOIN bill x ON x.id = t.bill_id LEFT JOIN fee_item i ON i.id = x.fee_item_id',
  columns: {
    // What was taken back stands under its negative receipt.
    payment: { id: 'coalesce(t.refund_payment_id, t.payment_id)', title: 'y.receipt_no' },
    billCode: 'x.code',
    item: 'i.name',
    periodFrom: 'x.period_from',
    periodTo: 'x.period_to',
  },
  extra: { version: '1' },
  scope: {
    tenant: '(SELECT y.tenant_id FROM bill_payment y WHERE y.id = t.payment_id)',
    project: '(SELECT y.project_id FROM bill_payment y WHERE y.id = t.payment_id)',
    owner: '(SELECT y.created_by FROM bill_payment y WHERE y.id = t.payment_id)',
  },
}).registration;
