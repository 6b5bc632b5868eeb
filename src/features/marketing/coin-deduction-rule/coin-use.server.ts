import { partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { coinUse } from './coin-deduction-rule.contract.ts';

/** What orders used; they stand in the project of their order. */
export const registration = bindResource(coinUse, {
  table: 'coin_deduction_use',
  from: 'coin_deduction_use t LEFT JOIN member m ON m.id = t.member_id LEFT JOIN tenant s ON s.id = t.tenant_id',
  joins: { rule: 'coin_deduction_rule', project: 'project' },
  columns: { member: 'm.name', merchant: 's.name' },
  scope: { tenant: 'NULL::bigint', project: 't.project_id', owner: 'NULL::bigint' },
  search: 'lower(t.order_code)',
  words: { explain: (value, { language }) => partsOfSaid(value)[language === 'en' ? 1 : 0] },
}).registration;
