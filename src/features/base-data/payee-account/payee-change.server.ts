import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { approversSql } from '../../../domain/approval/approve.server.ts';
import { payeeChange } from './payee-change.contract.ts';
import { PAYEE_APPROVAL } from './payee-change-commands.server.ts';

const bound = bindResource(payeeChange, {
  table: 'payee_change',
  from: 'payee_change t LEFT JOIN payee_account a ON a.id = t.account_id',
  joins: {
    account: 'payee_account',
    proposer: 'staff',
    decider: { table: 'staff', column: 'decided_by' },
  },
  scope: { tenant: 'a.tenant_id', project: 'none', owner: 'a.created_by' },
  search: 'lower(t.code)',
  tabs: {
    mine: (caller, parameters) =>
      `t.state = 'in_review' AND ${parameters.bind(caller.staffId)} = ANY(${approversSql(PAYEE_APPROVAL, 't.id')})`,
  },
});

/** Changes of accounts as a list; accounts decide about them. */
export const registration = bound.registration;
