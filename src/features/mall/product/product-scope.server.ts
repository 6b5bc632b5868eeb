import type { ScopeColumns } from '../../../kernel/server/scope.ts';

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
