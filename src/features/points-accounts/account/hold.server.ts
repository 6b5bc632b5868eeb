import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { pointsHold } from './account.contract.ts';
import { ACCOUNT_REF, BUSINESS_NO } from './account-columns.server.ts';
import { scopeOfMember } from './account-scope.server.ts';

/** Points that are held. Seen by those who see the member. */
export const registration = bindResource(pointsHold, {
  table: 'points_hold',
  from: 'points_hold t LEFT JOIN member m ON m.id = t.member_id',
  scope: scopeOfMember('t.member_id'),
  columns: {
    account: ACCOUNT_REF,
    member: 'm.name',
    businessNo: BUSINESS_NO,
    until: `(SELECT y.deadline FROM sales_order o JOIN payment y ON y.id = o.payment_id
       WHERE (t.source_type = 'sales_order' AND o.id::text = t.source_id)
          OR (t.source_type = 'points_redemption' AND o.id = (SELECT x.order_id FROM points_redemption x WHERE x.id::text = t.source_id)))`,
  },
}).registration;
