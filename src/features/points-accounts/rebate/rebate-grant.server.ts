import { retryRebate } from '../../../domain/rebate/rebate.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { rebateGrant } from './rebate.contract.ts';

/** What payments earned. */
export const registration = bindResource(rebateGrant, {
  table: 'payment_rebate_grant',
  from: 'payment_rebate_grant t LEFT JOIN member m ON m.id = t.member_id LEFT JOIN coupon c ON c.id = t.coupon_id',
  joins: { rule: 'payment_rebate_rule', project: 'project' },
  columns: {
    house: `(SELECT b.name || u.name || h.number FROM house h JOIN building_unit u ON u.id = h.unit_id JOIN building b ON b.id = u.building_id WHERE h.id = t.house_id)`,
    member: 'm.name',
    coupon: 'c.name',
    toHandle: '(t.to_recover * coalesce(c.face, c.max_discount, 0))',
    handling: `CASE WHEN t.to_recover > 0 THEN 'open' END`,
  },
  scope: { tenant: 'NULL::bigint', project: 't.project_id', owner: 't.created_by' },
  search: 'lower(t.receipt_no)',
  handlers: {
    retry: async ({ tx, id, platform }) => ({
      to: (await retryRebate(tx, platform, id)) ?? 'failed',
    }),
  },
}).registration;
