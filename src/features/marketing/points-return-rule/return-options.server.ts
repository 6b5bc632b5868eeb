import { BUDGET_SCOPE } from '../../../domain/points-ledger/points-budget.server.ts';
import { run } from '../../../kernel/server/database.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../../kernel/server/registration.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { RETURN_MENU } from './points-return-rule.contract.ts';

/** Budgets points may be given from. */
export const returnBudgets: OptionSource = {
  target: 'returnBudget',
  anyOf: [RETURN_MENU],
  find: async ({ caller, platform }, query) => {
    const parameters = new Parameters();
    const parts = [
      placeCondition(caller, BUDGET_SCOPE, parameters),
      query.ids.length > 0
        ? `t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`
        : `t.enabled AND t.name ILIKE ${parameters.bind(containing(query.searchVal))}`,
    ];
    const rows = await run<{ id: number; title: string; note: string }>(
      platform.database.db,
      `SELECT t.id, t.name AS title, t.code AS note FROM points_budget t WHERE ${parts.join(' AND ')}
        ORDER BY t.year DESC, t.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
      parameters.values,
    );
    return rows.map((row) => ({ ...row, id: String(row.id) }));
  },
};

/** Grades of members, which are no secret to who keeps these rules. */
export const returnGrades: OptionSource = {
  target: 'returnGrade',
  anyOf: [RETURN_MENU],
  find: async ({ platform }, query) => {
    const rows = await run<{ id: number; title: string }>(
      platform.database.db,
      `SELECT id, title FROM grade WHERE CASE WHEN cardinality($1::bigint[]) > 0 THEN id = ANY($1::bigint[]) ELSE title ILIKE $2 END
        ORDER BY threshold, id LIMIT $3 OFFSET $4`,
      [query.ids.map(Number), containing(query.searchVal), query.limit, query.offset],
    );
    return rows.map((row) => ({ ...row, id: String(row.id) }));
  },
};
