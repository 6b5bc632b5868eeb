import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { prepaidEntry } from './bill.contract.ts';

const isPrepaid = `a.kind LIKE 'prepaid\\_%' AND a.unit = 'fen'`;

/** What moved on prepaid accounts, from the ledger. */
export const registration = bindResource(prepaidEntry, {
  table: 'ledger_entry',
  from: `ledger_entry t LEFT JOIN ledger_transfer l ON l.id = t.transfer_id LEFT JOIN ledger_account a ON a.id = t.account_id
    LEFT JOIN house h ON h.id = CASE WHEN ${isPrepaid} THEN a.owner::bigint END LEFT JOIN staff s ON s.id = l.staff_id
    LEFT JOIN bill_payment p ON l.source_type = 'bill_payment' AND p.id::text = l.source_id`,
  where: isPrepaid,
  columns: {
    account: { id: 't.account_id', title: 'substr(a.kind, 9)' },
    at: 'l.at',
    move: `CASE WHEN l.source_type IN ('bill_payment', 'prepaid_move') AND l.purpose IN ('post', 'void', 'refund', 'move') THEN l.purpose ELSE 'other' END`,
    reference: `coalesce(p.receipt_no, '')`,
    balance: 't.balance_after',
    staff: { id: 'l.staff_id', title: 's.name' },
  },
  extra: { version: '1' },
  scope: { tenant: 'NULL::bigint', project: 'h.project_id', owner: 'NULL::bigint' },
}).registration;
