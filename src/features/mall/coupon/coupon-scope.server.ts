import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { COUPON_MENU } from './coupon.contract.ts';
import { ISSUED_MENU } from './issued-coupon.contract.ts';
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

/** Rows (`t`) of the coupons the caller sees under a menu. */
export const ofCoupons =
  (menu: string) =>
  (caller: Caller, parameters: Parameters): string =>
    `t.coupon_id IN (SELECT t.id FROM coupon t WHERE ${scopeCondition(caller, menu, COUPON_SCOPE, parameters)})`;

/** Uses (`t`) are read with an element of their own, of the coupons the caller sees. */
export const usagesOf =
  (menu: string) =>
  (caller: Caller, parameters: Parameters): string =>
    caller.elements.has(`${menu}:btn_usage`) ? ofCoupons(menu)(caller, parameters) : 'FALSE';

/** Questions (`t`) to merchants: each its own; others those about coupons they see in marketing. */
export const CONSENT_SCOPE: ScopeColumns = {
  tenant: 'none',
  project: 'none',
  owner: 'NULL::bigint',
  own: (caller, parameters) =>
    caller.tenantKind === 2
      ? `t.tenant_id = ${parameters.bind(caller.tenantId)}`
      : ofCoupons(ISSUED_MENU)(caller, parameters),
};

/** Questions to merchants as those read of them who see the list. */
export const consentSight = listSight({
  entity: 'couponConsent',
  menu: ISSUED_MENU,
  table: 'coupon_consent',
  scope: CONSENT_SCOPE,
});
