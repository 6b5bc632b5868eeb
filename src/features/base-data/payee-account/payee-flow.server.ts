import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { payeeFlow } from './payee-flow.contract.ts';

const bound = bindResource(payeeFlow, {
  table: 'payee_flow',
  from: 'payee_flow t LEFT JOIN payee_account a ON a.id = t.account_id',
  joins: { account: 'payee_account' },
  columns: { net: '(t.amount - t.fee)' },
  scope: { tenant: 'a.tenant_id', project: 'none', owner: 'a.created_by' },
});

/** What came into accounts and left them. */
export const registration = bound.registration;
