import { run } from '../../../kernel/server/database.ts';
import { Parameters, placeCondition } from '../../../kernel/server/scope.ts';
import type { OptionSource } from '../../../kernel/server/service.ts';

/** Staff of the own tenant for pickers: leaders, handlers, receivers. Names only, so every signed-in staff may ask. */
export const staffOptions: OptionSource = {
  target: 'staff',
  find: async (call, query) => {
    const parameters = new Parameters();
    const parts = [
      placeCondition(call.caller, { tenant: 't.tenant_id', project: 'none', ownTenant: true }, parameters),
    ];
    // A name is wanted for an id whether or not it can be chosen any more.
    if (query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
    else parts.push(`t.state <> 'left'`);
    if (query.searchVal) {
      const like = parameters.bind(`%${query.searchVal.replace(/[\\%_]/g, '\\$&')}%`);
      parts.push(`(t.name ILIKE ${like} OR t.account ILIKE ${like} OR t.staff_no ILIKE ${like})`);
    }
    const rows = await run<{ id: number; title: string; note: string }>(
      call.platform.database.db,
      `SELECT t.id, t.name AS title, concat_ws(' · ', t.account, d.name) AS note
         FROM staff t LEFT JOIN department d ON d.id = t.department_id
        WHERE ${parts.join(' AND ')} ORDER BY t.name, t.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
      parameters.values,
    );
    return rows.map((row) => ({ ...row, id: String(row.id) }));
  },
};
