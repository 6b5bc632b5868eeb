import { run } from '../../kernel/server/database.ts';
import { containing } from '../../kernel/server/resource/like-text.ts';
import type { OptionSource } from '../../kernel/server/registration.ts';

/** A picker over a table of dictionaries: titled in the caller's language, found by either name and by code. */
export function namedOptions(spec: {
  readonly target: string;
  readonly table: 'dictionary_type' | 'biz_dict';
  readonly menu: string;
}): OptionSource {
  const order = spec.table === 'biz_dict' ? 't.parent_id IS NOT NULL, t.view_sort' : 't.position';
  return {
    target: spec.target,
    anyOf: [spec.menu],
    find: async ({ caller, platform, facts }, query) => {
      if (caller.tenantKind !== 3) return [];
      const rows = await run<{ id: number; title: string; note: string; parent: number | null }>(
        platform.database.db,
        `SELECT t.id, ${facts.language === 'zh' ? 't.name' : 't.name_en'} AS title, t.code AS note, t.parent_id AS parent
           FROM ${spec.table} t
          WHERE CASE WHEN cardinality($1::bigint[]) > 0 THEN t.id = ANY($1::bigint[])
                     ELSE t.name ILIKE $2 OR t.name_en ILIKE $2 OR t.code ILIKE $2 END
          ORDER BY ${order}, t.id LIMIT $3 OFFSET $4`,
        [query.ids.map(Number), containing(query.searchVal), query.limit, query.offset],
      );
      return rows.map((row) => ({
        id: String(row.id),
        title: row.title,
        note: row.note,
        parentId: row.parent === null ? null : String(row.parent),
      }));
    },
  };
}
