import { run } from '../../kernel/server/database.ts';
import type { OptionSource } from '../../kernel/server/registration.ts';
import { containing } from '../../kernel/server/resource/like-text.ts';

/** A picker of grades, which are no secret to who holds one of the menus, whether they keep the grades or not. */
export const gradeOptions = (target: string, menus: readonly string[]): OptionSource => ({
  target,
  anyOf: menus,
  find: async ({ platform }, query) => {
    const rows = await run<{ id: number; title: string }>(
      platform.database.db,
      `SELECT id, title FROM grade WHERE CASE WHEN cardinality($1::bigint[]) > 0 THEN id = ANY($1::bigint[]) ELSE title ILIKE $2 END
        ORDER BY threshold, id LIMIT $3 OFFSET $4`,
      [query.ids.map(Number), containing(query.searchVal), query.limit, query.offset],
    );
    return rows.map((row) => ({ ...row, id: String(row.id) }));
  },
});
