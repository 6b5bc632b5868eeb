import type { Caller } from '../../../kernel/server/people/caller.ts';
import { scopeCondition, type Parameters, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';

/**
 * Where a product stands: merchants see their own, company and centre city what is sold in their projects.
 * The table's alias is `t`.
 */
export const PRODUCT_SCOPE: ScopeColumns = {
  tenant: 't.tenant_id',
  project: (ids) =>
    `EXISTS (SELECT 1 FROM product_project scope_project WHERE scope_project.product_id = t.id AND scope_project.project_id = ANY(${ids}::bigint[]))`,
  owner: 't.created_by',
};

/** Rows of the list of products. */
export const PRODUCT_ROWS = `t.kind = 'goods' AND t.purged_at IS NULL`;

/** Products (`t`) that buyers find: published, not in the recycle bin. */
export const ON_SALE = `t.kind = 'goods' AND t.status = 'published' AND t.recycled_at IS NULL`;

/** Products as those read of them who see the goods. */
export const productSight = listSight({
  entity: 'product',
  menu: 'mm_commodityMana',
  table: 'product',
  where: PRODUCT_ROWS,
  scope: PRODUCT_SCOPE,
});

/** Condition for products (`t`) whose number may be told: seen among the goods, or among those to review. */
export function productNamed(caller: Caller, parameters: Parameters): string {
  const scopes = ['mm_commodityMana', 'mm_commodityApprove'].map((menu) =>
    scopeCondition(caller, menu, PRODUCT_SCOPE, parameters),
  );
  return `(${scopes.map((scope) => `(${scope})`).join(' OR ')})`;
}
