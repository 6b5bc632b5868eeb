import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { payeeTest } from './payee-test.contract.ts';

const bound = bindResource(payeeTest, {
  table: 'payee_test',
  from: 'payee_test t LEFT JOIN payee_account a ON a.id = t.account_id',
  joins: { account: 'payee_account', creator: { table: 'staff', column: 'created_by' } },
  scope: { tenant: 'a.tenant_id', project: 'none', owner: 'a.created_by' },
});

/** Tests of accounts as a list. */
export const registration = bound.registration;
