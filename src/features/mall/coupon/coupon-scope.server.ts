import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { COUPON_MENU } from './coupon.contract.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { scopeCondition, type Parameters, type ScopeColumns } from '../../../kernel/server/people/scope.ts';

/** Where a coupon (`t`) stands: merchants see their own, company and centre city those of their projects and of all projects. */
export const COUPON_SCOPE: ScopeColumns = {
  tenant: 't.tenant_id',
  project: (ids) =>
    `(t.project_ids && ${ids}::bigint[] OR (t.project_ids = '{}' AND cardinality(${ids}::bigint[]) > 0))`,
  owner: 't.created_by',
};

/** Coupons as those read of them who see the list. */
export const couponSight = listSight({
  entity: 'coupon',
  menu: COUPON_MENU,
  table: 'coupon',
  scope: COUPON_SCOPE,
});

/** Uses (`t`) are read with an element of their own, of the coupons the caller sees. */
export function usagesOf(caller: Caller, parameters: Parameters): string {
  if (!caller.elements.has(`${COUPON_MENU}:btn_usage`)) return 'FALSE';
  return `t.coupon_id IN (SELECT t.id FROM coupon t WHERE ${scopeCondition(caller, COUPON_MENU, COUPON_SCOPE, parameters)})`;
}
