import { partsOfSaid } from '../../../domain/coupon/said-twice.rules.ts';
import { retryReturn } from '../../../domain/points-return/points-return.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { returnGrant } from './points-return-rule.contract.ts';

const inLanguage = (value: unknown, { language }: { language: 'zh' | 'en' }) =>
  partsOfSaid(value)[language === 'en' ? 1 : 0];

/** What orders earned; they stand in the project of their order. */
export const registration = bindResource(returnGrant, {
  table: 'points_return_grant',
  from: 'points_return_grant t LEFT JOIN member m ON m.id = t.member_id LEFT JOIN tenant s ON s.id = t.tenant_id',
  joins: { rule: 'points_return_rule', project: 'project' },
  columns: { member: 'm.name', merchant: 's.name' },
  scope: { tenant: 'NULL::bigint', project: 't.project_id', owner: 'NULL::bigint' },
  search: 'lower(t.order_code)',
  words: { explain: inLanguage, failure: inLanguage },
  handlers: {
    retry: async ({ tx, id, platform }) => ({
      to: (await retryReturn(tx, platform.settings, id)) ?? 'failed',
    }),
  },
}).registration;
