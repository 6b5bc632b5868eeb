import { retryRebate } from '../../../domain/rebate/rebate.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { rebateGrant } from './rebate.contract.ts';

/** What payments earned. */
export const registration = bindResource(rebateGrant, {
  table: 'payment_rebate_grant',
  from: 'payment_rebate_grant t LEFT JOIN member m ON m.id = t.member_id',
  joins: { rule: 'payment_rebate_rule', project: 'project' },
  columns: {
    house: `(SELECT b.name || u.name || h.number FROM house h JOIN building_unit u ON u.id = h.unit_id JOIN building b ON b.id = u.building_id WHERE h.id = t.house_id)`,
    member: 'm.name',
  },
  scope: { tenant: 'NULL::bigint', project: 't.project_id', owner: 't.created_by' },
  search: 'lower(t.receipt_no)',
  handlers: {
    retry: async ({ tx, id, platform }) => ({
      to: (await retryRebate(tx, platform.settings, id)) ?? 'failed',
    }),
  },
}).registration;
