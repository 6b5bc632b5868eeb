import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { pointsFreeze } from './account.contract.ts';
import { ACCOUNT_REF } from './account-columns.server.ts';
import { scopeOfMember } from './account-scope.server.ts';

/** Freezes of accounts. Seen by those who see the member. */
export const registration = bindResource(pointsFreeze, {
  table: 'points_account_freeze',
  from: `points_account_freeze t LEFT JOIN member m ON m.id = t.member_id LEFT JOIN staff f ON f.id = t.created_by
         LEFT JOIN staff g ON g.id = t.lifted_by`,
  scope: scopeOfMember('t.member_id'),
  columns: {
    account: ACCOUNT_REF,
    member: 'm.name',
    by: { id: 't.created_by', title: 'f.name' },
    liftedBy: { id: 't.lifted_by', title: 'g.name' },
  },
}).registration;
