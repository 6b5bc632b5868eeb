import type { MenuScope } from '../../kernel/server/people/caller.ts';
import { run, type Executor } from '../../kernel/server/database.ts';
import { effectivePermissions } from './effective-permissions.server.ts';

/**
 * Those of some staff of one company whose rows a colleague sees under a menu: whoever is told of somebody's rows, or asked to
 * decide about them, must be one who sees them.
 */
export async function staffInReach(
  db: Executor,
  holderId: number,
  menu: string,
  staffIds: readonly number[],
): Promise<ReadonlySet<number>> {
  return staffInScopes(db, holderId, (await effectivePermissions(db, holderId)).menus.get(menu), staffIds);
}

/** The same for somebody whose scopes under the menu are known; without the menu nobody is reached. */
export async function staffInScopes(
  db: Executor,
  holderId: number,
  scopes: readonly MenuScope[] | undefined,
  staffIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (!scopes || scopes.length === 0 || staffIds.length === 0) return new Set();
  if (scopes.some((scope) => scope.kind === 'all')) return new Set(staffIds);
  const departments = scopes.flatMap((scope) => (scope.kind === 'departments' ? scope.ids : []));
  const self = scopes.some((scope) => scope.kind === 'self');
  const rows = await run<{ id: number }>(
    db,
    'SELECT id FROM staff WHERE id = ANY($1::bigint[]) AND (department_id = ANY($2::bigint[]) OR ($3 AND id = $4))',
    [staffIds, departments, self, holderId],
  );
  return new Set(rows.map((row) => row.id));
}
