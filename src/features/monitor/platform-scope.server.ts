import type { ScopeColumns } from '../../kernel/server/people/scope.ts';

/** What runs belongs to no company: only the platform looks at it. */
export const PLATFORM_SCOPE: ScopeColumns = {
  tenant: 'none',
  project: 'none',
  owner: 'NULL::bigint',
  platformOnly: true,
};
