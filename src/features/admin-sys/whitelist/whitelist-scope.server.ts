import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { whitelist } from './whitelist.contract.ts';

/** Rules as `t`: they bind sign-in as a whole, so only the platform keeps them. */
export const RULE_SCOPE: ScopeColumns = {
  tenant: 'none',
  project: 'none',
  owner: 't.created_by',
  platformOnly: true,
};

/** Rules as their list shows them. */
export const ruleSight = listSight({
  entity: whitelist.name,
  menu: whitelist.menu,
  table: 'login_whitelist',
  scope: RULE_SCOPE,
});

/** Accounts a rule may name, as `s`: of every company, as far as the scope of the menu reaches. */
export const STAFF_SCOPE: ScopeColumns = { ...RULE_SCOPE, owner: 's.id' };

/** Those of some staff the caller sees under the menu of the whitelist; others are as if they did not exist. */
export async function staffInSight(
  db: Executor,
  caller: Caller,
  staffIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const parameters = new Parameters();
  const ids = parameters.bind(staffIds);
  const rows = await run<{ id: number }>(
    db,
    `SELECT s.id FROM staff s WHERE s.id = ANY(${ids}::bigint[]) AND ${scopeCondition(caller, whitelist.menu, STAFF_SCOPE, parameters)}`,
    parameters.values,
  );
  return new Set(rows.map((row) => row.id));
}
