import { WORK_ORDER_MENU, workOrderScope } from '../../../domain/work-order/work-order-scope.server.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';

/** Orders that are named at most, the newest first. */
const MOST = 50;

/**
 * Work orders of the project whose words name the code of a position, as a word of its own: GG-1 is not found in GG-12. Those the
 * caller sees in the list of work orders. Source: group 17, positionDetails.
 */
export async function ordersOfPosition(db: Executor, id: number, caller: Caller): Promise<readonly object[]> {
  if (!caller.menus.has(WORK_ORDER_MENU)) return [];
  const parameters = new Parameters();
  const place = parameters.bind(id);
  const rows = await run<{ id: number; code: string; title: string; state: string; at: Date }>(
    db,
    `SELECT t.id, t.code, t.title, t.status AS state, t.created_at AS at
       FROM work_order t JOIN position p ON p.id = ${place} AND p.project_id = t.project_id
      WHERE t.type <> 'plan' AND concat_ws(' ', t.title, t.description, t.address, t.area, t.remark)
              ~* ('(^|[^A-Za-z0-9_-])' || regexp_replace(p.code, '([^[:alnum:]])', '\\\\\\1', 'g') || '([^A-Za-z0-9_-]|$)')
        AND ${scopeCondition(caller, WORK_ORDER_MENU, workOrderScope(WORK_ORDER_MENU), parameters)}
      ORDER BY t.created_at DESC, t.id DESC LIMIT ${MOST}`,
    parameters.values,
  );
  return rows.map((row) => ({ ...row, id: String(row.id), at: isoInstant(row.at) }));
}
