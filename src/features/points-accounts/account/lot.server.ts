import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { pointsLot } from './account.contract.ts';
import { byAccount } from './account-columns.server.ts';
import { scopeOfMember } from './account-scope.server.ts';

/** Lots of members. Seen by those who see the member. */
export const registration = bindResource(pointsLot, {
  table: 'points_lot',
  from: 'points_lot t LEFT JOIN ledger_account a ON a.id = t.account_id LEFT JOIN member m ON m.id = a.member_id',
  where: `EXISTS (SELECT FROM ledger_account u WHERE u.id = t.account_id AND u.kind = 'points_available' AND u.unit = 'point')`,
  scope: scopeOfMember('(SELECT s.member_id FROM ledger_account s WHERE s.id = t.account_id)'),
  columns: {
    account: { id: 'a.member_id', title: 'm.name' },
    member: 'm.name',
    number: `'L' || t.id`,
    source: `(SELECT points_line_kind(s.kind, s.source_type, s.purpose)::text FROM ledger_transfer s WHERE s.id = t.transfer_id)`,
    lotState: `CASE WHEN t.remaining + t.held > 0 AND (t.expires_at IS NULL OR t.expires_at > now() OR t.held > 0) THEN 'available'
      WHEN EXISTS (SELECT FROM points_lot_use u WHERE u.lot_id = t.id AND u.kind = 'recall') THEN 'recalled'
      WHEN t.remaining > 0 OR EXISTS (SELECT FROM points_lot_use u WHERE u.lot_id = t.id AND u.kind = 'expire') THEN 'expired' ELSE 'used_up' END`,
    budget: '(SELECT b.name FROM points_budget b WHERE b.id = t.budget_id)',
    parentLot: `'L' || t.parent_lot`,
  },
  filters: {
    account: byAccount(
      (id) =>
        `t.account_id = (SELECT o.id FROM ledger_account o WHERE o.member_id = ${id} AND o.kind = 'points_available' AND o.unit = 'point')`,
      'a.member_id',
    ),
  },
}).registration;
