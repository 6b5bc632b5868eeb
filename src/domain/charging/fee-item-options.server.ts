import { run } from '../../kernel/server/database.ts';
import { Parameters, placeCondition } from '../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../kernel/server/registration.ts';
import { containing } from '../../kernel/server/resource/like-text.ts';

/** A picker of enabled fee items of the companies the caller works for, for staff who hold one of the menus. */
export function feeItemOptions(target: string, menus: readonly string[]): OptionSource {
  return {
    target,
    anyOf: menus,
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [
        placeCondition(caller, { tenant: 't.tenant_id', project: 'none' }, parameters),
        query.ids.length > 0
          ? `t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`
          : `t.enabled AND t.name ILIKE ${parameters.bind(containing(query.searchVal))}`,
      ];
      const rows = await run<{ id: number; title: string; note: string }>(
        platform.database.db,
        `SELECT t.id, t.name AS title, c.name AS note FROM fee_item t JOIN tenant c ON c.id = t.tenant_id WHERE ${parts.join(' AND ')}
          ORDER BY t.position, t.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}
