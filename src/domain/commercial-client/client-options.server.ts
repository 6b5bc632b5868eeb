import { run } from '../../kernel/server/database.ts';
import { Parameters } from '../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../kernel/server/registration.ts';
import { containing } from '../../kernel/server/resource/like-text.ts';
import { seenClients } from './client-sight.server.ts';

/** Picker of the clients the caller sees; `searched` is the SQL text (of client `t`) its keyword looks in. */
export function clientOptions(target: string, menus: readonly string[], searched = 't.name'): OptionSource {
  return {
    target,
    anyOf: menus,
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const chosen =
        query.ids.length > 0
          ? `t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`
          : `${searched} ILIKE ${parameters.bind(containing(query.searchVal))}`;
      const rows = await run<{ id: number; title: string; note: string }>(
        platform.database.db,
        `SELECT t.id, t.name AS title, t.code AS note FROM client t WHERE ${chosen} AND ${seenClients(caller, parameters)}
          ORDER BY t.name, t.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}
