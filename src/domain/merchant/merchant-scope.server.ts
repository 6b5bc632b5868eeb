import type { ScopeColumns } from '../../kernel/server/people/scope.ts';

/** Where what belongs to a merchant stands (`t` names it by `tenant_id`): with the merchant, in the projects that sells in. */
export const OF_MERCHANT: ScopeColumns = {
  tenant: 't.tenant_id',
  project: (ids) =>
    `EXISTS (SELECT FROM tenant_project tp WHERE tp.tenant_id = t.tenant_id AND tp.project_id = ANY(${ids}::bigint[]))`,
  owner: 't.created_by',
};
