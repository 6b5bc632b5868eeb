import type { Resource } from '../../contract/resource.ts';
import { run } from '../database.ts';
import type { Caller } from '../people/caller.ts';
import { Parameters, scopeCondition } from '../people/scope.ts';
import type { Platform } from '../platform.ts';
import type { Binding } from './binding.ts';
import type { BoundColumns } from './list-query.ts';

/** Reads the clear text of masked fields of one row inside the caller's scope. */
export function revealOf(resource: Resource, binding: Binding, columns: BoundColumns, menu: string) {
  const masked = Object.entries(resource.fields)
    .filter(([, field]) => field.mask)
    .map(([name]) => name);
  return async (caller: Caller, platform: Platform, id: number) => {
    const parameters = new Parameters();
    const place = parameters.bind(id);
    const scope = scopeCondition(caller, menu, binding.scope, parameters);
    const rows = await run<Record<string, string | null>>(
      platform.database.db,
      `SELECT ${masked.map((name) => `${columns.expression(name)} AS "${name}"`).join(', ')} FROM ${columns.from} WHERE t.id = ${place}${binding.where ? ` AND ${binding.where}` : ''} AND ${scope}`,
      parameters.values,
    );
    return rows[0];
  };
}
