import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { pointsPending } from './account.contract.ts';
import { ACCOUNT_REF, BUSINESS_NO } from './account-columns.server.ts';
import { scopeOfMember } from './account-scope.server.ts';

/** Announced points. Seen by those who see the member. */
export const registration = bindResource(pointsPending, {
  table: 'points_pending',
  from: 'points_pending t LEFT JOIN member m ON m.id = t.member_id',
  where: `t.unit = 'point'`,
  scope: scopeOfMember('t.member_id'),
  columns: {
    account: ACCOUNT_REF,
    member: 'm.name',
    kind: 't.kind::text',
    source: BUSINESS_NO,
    left: `(CASE t.state WHEN 'waiting' THEN t.amount - t.reduced ELSE 0 END)`,
  },
}).registration;
