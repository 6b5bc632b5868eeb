import { run } from './database.ts';
import type { Invariant } from './registration.ts';

/**
 * An invariant as one query: each row names `what` it looked at, and the numbers it `found` and `wanted` as bigint arrays, which
 * must be equal.
 */
export function sqlInvariant(name: string, sql: string): Invariant {
  return {
    name,
    check: async (platform) => {
      const rows = await run<{ what: string; found: unknown[]; wanted: unknown[] }>(
        platform.database.db,
        sql,
      );
      const broken = rows.filter((row) => row.found.map(Number).join() !== row.wanted.map(Number).join());
      return {
        looked: rows.length,
        problems: broken
          .slice(0, 50)
          .map((row) => `${row.what}: ${row.found.join(', ')} instead of ${row.wanted.join(', ')}`),
      };
    },
  };
}
