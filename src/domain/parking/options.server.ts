import { run } from '../../kernel/server/database.ts';
import { Parameters, placeCondition } from '../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../kernel/server/registration.ts';
import { containing } from '../../kernel/server/resource/like-text.ts';
import { residentScope } from '../residents/residents.server.ts';

/** Picker of the gates or lots of the caller's projects. */
export function parkingOptions(
  target: string,
  menu: string,
  table: 'road_gate' | 'parking_lot',
): OptionSource {
  return {
    target,
    anyOf: [menu],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [placeCondition(caller, residentScope('x.project_id'), parameters)];
      if (query.ids.length > 0) parts.push(`x.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      else if (query.searchVal)
        parts.push(`x.search LIKE ${parameters.bind(containing(query.searchVal.toLowerCase()))}`);
      const rows = await run<{ id: number; title: string; note: string }>(
        platform.database.db,
        `SELECT x.id, x.name AS title, p.name AS note FROM ${table} x JOIN project p ON p.id = x.project_id
          WHERE ${parts.join(' AND ')} ORDER BY p.id, x.name, x.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}
