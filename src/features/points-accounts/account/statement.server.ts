import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { pointsStatement } from './account.contract.ts';
import { ACCOUNT_REF, BUSINESS_NO, byAccount, RULE_TITLE } from './account-columns.server.ts';
import { scopeOfMember } from './account-scope.server.ts';

/** Lines of statements. Seen by those who see the member. */
export const registration = bindResource(pointsStatement, {
  table: 'points_statement',
  from: 'points_statement t LEFT JOIN member m ON m.id = t.member_id LEFT JOIN staff f ON f.id = t.staff_id',
  scope: scopeOfMember('t.member_id'),
  columns: {
    account: ACCOUNT_REF,
    member: 'm.name',
    kind: 't.kind::text',
    direction: `CASE WHEN t.amount > 0 THEN 'in' WHEN t.amount < 0 THEN 'out' ELSE 'none' END`,
    owedChange: 't.owed',
    businessNo: BUSINESS_NO,
    rule: RULE_TITLE,
    lots: `coalesce((SELECT string_agg('L' || u.lot_id || ' × ' || u.amount, ', ' ORDER BY u.seq) FROM points_lot_use u WHERE u.transfer_id = t.transfer_id AND t.kind <> 14),
      (SELECT string_agg('L' || l.id || ' × ' || l.amount, ', ' ORDER BY l.id) FROM points_lot l WHERE l.transfer_id = t.transfer_id AND t.kind <> 14))`,
    remark: `CASE WHEN t.lapsed > 0 THEN '退回后作废 / Returned and lapsed ' || t.lapsed ELSE nullif(t.note, '') END`,
    operator: { id: 't.staff_id', title: 'f.name' },
  },
  filters: { account: byAccount((id) => `t.member_id = ${id}`, 't.member_id') },
}).registration;
