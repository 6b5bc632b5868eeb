import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { pointsSkip } from './account.contract.ts';
import { ACCOUNT_REF, RULE_TITLE } from './account-columns.server.ts';
import { scopeOfMember } from './account-scope.server.ts';

/** Points that were not given. Seen by those who see the member. */
export const registration = bindResource(pointsSkip, {
  table: 'points_skip',
  from: 'points_skip t LEFT JOIN member m ON m.id = t.member_id',
  scope: scopeOfMember('t.member_id'),
  columns: { account: ACCOUNT_REF, member: 'm.name', rule: RULE_TITLE },
}).registration;
