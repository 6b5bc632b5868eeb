import { run } from '../../kernel/server/database.ts';
import { Parameters, placeCondition } from '../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../kernel/server/registration.ts';
import { containing } from '../../kernel/server/resource/like-text.ts';

/** A picker of tags of the council hall in the caller's projects, or in those it follows, for staff who hold the menu. */
export function tagOptions(target: string, menu: string): OptionSource {
  return {
    target,
    anyOf: [menu],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [
        placeCondition(
          caller,
          {
            tenant: 'NULL::bigint',
            project: (ids) =>
              `EXISTS (SELECT FROM topic_tag_project p WHERE p.tag_id = t.id AND p.project_id = ANY(${ids}::bigint[]))`,
          },
          parameters,
        ),
        ...(query.within && query.within.length > 0
          ? [
              `EXISTS (SELECT FROM topic_tag_project p WHERE p.tag_id = t.id AND p.project_id = ANY(${parameters.bind(query.within.map(Number))}::bigint[]))`,
            ]
          : []),
        query.ids.length > 0
          ? `t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`
          : `t.name ILIKE ${parameters.bind(containing(query.searchVal))}`,
      ];
      const rows = await run<{ id: number; title: string }>(
        platform.database.db,
        `SELECT t.id, t.name AS title FROM topic_tag t WHERE ${parts.join(' AND ')} ORDER BY t.position, t.id
          LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}
