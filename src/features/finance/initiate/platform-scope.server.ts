import type { ScopeColumns } from '../../../kernel/server/people/scope.ts';

/** Rows of no tenant and no project: the platform's finance desk alone sees them; `owner` is who made one. */
export const PLATFORM_SCOPE = (owner: string): ScopeColumns => ({
  tenant: 'none',
  project: 'none',
  owner,
  platformOnly: true,
});
