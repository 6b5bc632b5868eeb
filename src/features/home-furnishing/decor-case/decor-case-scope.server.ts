import { DECOR_CASE_ENTITY, DECOR_CASE_MENU } from '../../../domain/after-sale/case.rules.ts';
import { CASE_SCOPE } from '../../../domain/after-sale/move-case.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { run } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../../kernel/server/registration.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { DECOR_SCOPE } from '../decor-order/decor-order-scope.server.ts';

/** SQL: cases (`t`) of decor orders. */
export const OF_DECOR = `t.order_kind = 'home_decor'`;

/** Cases as those read of them who see the list. */
export const decorCaseSight = listSight({
  entity: DECOR_CASE_ENTITY,
  menu: DECOR_CASE_MENU,
  table: 'after_sale',
  where: OF_DECOR,
  scope: CASE_SCOPE,
});

/** States of an order that cases are applied for in. Source: group 14, form of after-sales. */
export const CASE_ORDER_STATES = ['accepting', 'reworking', 'tail_due', 'warranty', 'finished'] as const;

/** Picker of orders a case can be applied for. */
export const decorCaseOrders: OptionSource = {
  target: 'decorCaseOrder',
  anyOf: [DECOR_CASE_MENU],
  find: async ({ caller, platform }, query) => {
    const parameters = new Parameters();
    const parts = [
      `t.state = ANY(${parameters.bind(CASE_ORDER_STATES)}::text[])`,
      scopeCondition(caller, DECOR_CASE_MENU, DECOR_SCOPE, parameters),
    ];
    if (query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
    const said = query.searchVal.trim();
    if (said)
      parts.push(
        `(t.code ILIKE ${parameters.bind(containing(said))} OR m.phone = ${parameters.bind(said)} OR b.name || u.name || h.number ILIKE ${parameters.bind(containing(said))})`,
      );
    const rows = await run<{ id: number; title: string; note: string }>(
      platform.database.db,
      `SELECT t.id, t.code AS title, b.name || u.name || h.number AS note FROM decor_order t JOIN member m ON m.id = t.member_id
         JOIN house h ON h.id = t.house_id JOIN building_unit u ON u.id = h.unit_id JOIN building b ON b.id = u.building_id
        WHERE ${parts.join(' AND ')} ORDER BY t.id DESC LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
      parameters.values,
    );
    return rows.map((row) => ({ ...row, id: String(row.id) }));
  },
};
