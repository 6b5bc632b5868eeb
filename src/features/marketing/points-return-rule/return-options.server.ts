import { gradeOptions } from '../../../domain/grade/grade-options.server.ts';
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

/** Grades of members, for who keeps these rules. */
export const returnGrades = gradeOptions('returnGrade', [RETURN_MENU]);
