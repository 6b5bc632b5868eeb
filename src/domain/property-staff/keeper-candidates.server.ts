import { run } from '../../kernel/server/database.ts';
import { Parameters, placeCondition } from '../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../kernel/server/registration.ts';
import { containing } from '../../kernel/server/resource/like-text.ts';
import { nameOrder } from '../../kernel/server/resource/name-order.ts';

/**
 * Picker of enabled staff (`s`) of the company (`n`) who are no housekeeper yet, and by id those who are. `search` and `note` are SQL:
 * what is searched, and what stands behind the name.
 */
export function keeperCandidates(spec: {
  readonly target: string;
  readonly menu: string;
  readonly search: string;
  readonly note: string;
}): OptionSource {
  return {
    target: spec.target,
    anyOf: [spec.menu],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [
        placeCondition(caller, { tenant: 's.tenant_id', project: 'none' }, parameters),
        'n.kind <> 2',
      ];
      if (query.ids.length > 0) parts.push(`s.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      else parts.push(`s.state = 'normal' AND NOT s.is_housekeeper`);
      if (query.searchVal) parts.push(`${spec.search} ILIKE ${parameters.bind(containing(query.searchVal))}`);
      const rows = await run<{ id: number; title: string; note: string }>(
        platform.database.db,
        `SELECT s.id, s.name AS title, ${spec.note} AS note FROM staff s JOIN tenant n ON n.id = s.tenant_id
          WHERE ${parts.join(' AND ')} ORDER BY ${nameOrder('s.name')}, s.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}
