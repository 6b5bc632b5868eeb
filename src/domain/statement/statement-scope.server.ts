import type { ScopeColumns } from '../../kernel/server/people/scope.ts';
import { listSight } from '../notification/row-sight.server.ts';

/** Statements a merchant may know of: none that is being made or was given up. */
export const SHOWN = (alias: string) => `${alias}.state NOT IN ('draft', 'in_review', 'void')`;

/**
 * Where a statement stands: its sums are of all its projects, so that only who works in every one of them sees it. `s` is the
 * alias of the statement.
 */
export const statementScope = (s: string): ScopeColumns => ({
  tenant: `${s}.tenant_id`,
  project: (ids) =>
    `(EXISTS (SELECT FROM statement_project scope_in WHERE scope_in.statement_id = ${s}.id)
      AND NOT EXISTS (SELECT FROM statement_project scope_out WHERE scope_out.statement_id = ${s}.id AND scope_out.project_id <> ALL(${ids}::bigint[])))`,
  owner: `${s}.created_by`,
});

/** Statements that messages tell of. */
export const statementSight = listSight({
  entity: 'statement',
  menu: 'mm_accountStatement',
  table: 'statement',
  where: SHOWN('t'),
  scope: statementScope('t'),
});
