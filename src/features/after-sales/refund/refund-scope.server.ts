import type { ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { refund } from './refund.contract.ts';

/** Where a refund stands, and the order it is about, with the row as `t`. */
export const TRADE_SCOPE: ScopeColumns = {
  tenant: 't.tenant_id',
  project: 't.project_id',
  owner: 't.created_by',
};

/** Refunds as their list shows them. */
export const refundSight = listSight({
  entity: refund.name,
  menu: refund.menu,
  table: 'refund',
  scope: TRADE_SCOPE,
});
