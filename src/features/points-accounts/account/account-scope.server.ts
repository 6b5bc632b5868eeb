import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { livesIn } from '../../../domain/points-ledger/points-members.server.ts';
import type { ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { ACCOUNT_MENU } from './account.contract.ts';

/** Rows of a member whose id is an expression: seen by those who see the member. */
export const scopeOfMember = (member: string): ScopeColumns => ({
  tenant: 'NULL::bigint',
  project: (ids) =>
    `EXISTS (SELECT FROM member scope_m WHERE scope_m.id = ${member} AND ${livesIn('scope_m', ids)})`,
  owner: `(SELECT scope_m.created_by FROM member scope_m WHERE scope_m.id = ${member})`,
});

/** Adjustments as those read of them who see the account. */
export const adjustmentSight = listSight({
  entity: 'pointsAdjustment',
  menu: ACCOUNT_MENU,
  table: 'points_adjustment',
  scope: scopeOfMember('t.member_id'),
});
