import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { depositEntry } from './boss-account.contract.ts';

/** Bookings of merchants' deposits, from the ledger. */
export const registration = bindResource(depositEntry, {
  table: 'ledger_entry',
  from: `ledger_entry t LEFT JOIN ledger_transfer l ON l.id = t.transfer_id LEFT JOIN ledger_account a ON a.id = t.account_id
    LEFT JOIN tenant m ON m.id::text = a.owner AND a.kind = 'merchant_deposit'`,
  where: `a.kind = 'merchant_deposit'`,
  scope: {
    tenant: 'm.id',
    project: (ids) =>
      `EXISTS (SELECT FROM tenant_project tp WHERE tp.tenant_id = m.id AND tp.project_id = ANY(${ids}::bigint[]))`,
    owner: 'm.created_by',
  },
  keyword: (value, parameters) =>
    `position(lower(${parameters.bind(value)}) IN lower(m.account || ' ' || m.name)) > 0`,
  columns: {
    at: 'l.at',
    account: 'm.account',
    merchantName: 'm.name',
    move: 'l.purpose',
    reference: `substring(l.source_id FROM position(':' IN l.source_id) + 1)`,
    incoming: '(CASE WHEN t.amount > 0 THEN t.amount END)',
    outgoing: '(CASE WHEN t.amount < 0 THEN -t.amount END)',
    balance: 't.balance_after',
    note: 'l.note',
  },
  extra: { version: '1' },
}).registration;
