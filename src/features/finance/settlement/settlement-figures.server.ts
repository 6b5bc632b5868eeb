import { eligibleRows } from '../../../domain/statement/eligible.server.ts';
import { statementScope } from '../../../domain/statement/statement-scope.server.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { businessDayOf, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { SETTLEMENT_MENU } from './settlement.contract.ts';

/** SQL: a statement `t` ended below zero, and no later one has taken that over. */
export const OWED_BACK = `(t.state IN ('to_pay', 'paying', 'failed', 'settled') AND t.carry_out < 0
  AND NOT EXISTS (SELECT FROM statement_line c WHERE c.source_type = 'statement' AND c.source_id = t.id AND c.active))`;

const FIGURES: Readonly<Record<string, readonly [sum: string, of: string]>> = {
  toConfirm: ['t.payable', `t.state = 'to_confirm'`],
  disputed: ['t.payable', `t.state = 'disputed'`],
  toPay: ['t.pay_amount', `t.state = 'to_pay'`],
  paying: ['t.pay_amount', `t.state = 'paying'`],
  failed: ['t.pay_amount', `t.state = 'failed'`],
  owedBack: ['-t.carry_out', OWED_BACK],
};

/** What stands where, in amounts and counts: the cards above the list. Source: group 13, Reports and drill. */
export const settlementFigures = endpoint({
  method: 'GET',
  path: '/jinmao/web/settlement/figures',
  title: ['结算金额卡片', 'Figures of settlements'],
  access: { code: SETTLEMENT_MENU },
  handle: async ({ caller, platform }) => {
    const parameters = new Parameters();
    const seen = scopeCondition(caller, SETTLEMENT_MENU, statementScope('t'), parameters);
    const columns = Object.entries(FIGURES).map(
      ([name, [sum, of]]) =>
        `coalesce(sum(${sum}) FILTER (WHERE ${of}), 0)::bigint AS "${name}", (count(*) FILTER (WHERE ${of}))::int AS "${name}Count"`,
    );
    const sums = (await runOne<Record<string, number>>(
      platform.database.db,
      `SELECT ${columns.join(', ')} FROM statement t WHERE ${seen}`,
      parameters.values,
    ))!;
    // Suspense is of the platform's own accounts.
    const held =
      caller.tenantKind === 3
        ? await runOne<{ sum: number; count: number }>(
            platform.database.db,
            `SELECT coalesce(sum(CASE WHEN result = 'amount_differs' THEN abs(their_amount - our_amount) ELSE coalesce(our_amount, their_amount) END), 0)::bigint AS sum,
                    count(*)::int AS count FROM reconciliation WHERE state = 'held'`,
          )
        : undefined;
    return {
      ...Object.fromEntries(
        Object.keys(FIGURES).map((name) => [
          name,
          { amount: yuanFromFen(sums[name]!), count: sums[`${name}Count`]! },
        ]),
      ),
      ...(held ? { held: { amount: yuanFromFen(held.sum), count: held.count } } : {}),
    };
  },
});

/**
 * What could be settled and stands in no statement: the net of the sales, freights and refunds of merchants that are not frozen which
 * a statement of a period that ended yesterday would take. A call of its own: it judges every open sale. Source: group 13, Reports.
 */
export const eligibleFigure = endpoint({
  method: 'GET',
  path: '/jinmao/web/settlement/eligible',
  title: ['可结算未出单', 'Could be settled, in no statement'],
  access: { code: SETTLEMENT_MENU },
  handle: async ({ caller, platform }) => {
    // Reads only: what the engine asks of a transaction is not needed.
    const db = platform.replica.db as Tx;
    const parameters = new Parameters();
    const scope = { tenant: 'o.tenant_id', project: 'o.project_id', owner: 'NULL::bigint' };
    const merchants = await run<{ id: number }>(
      db,
      `SELECT t.id FROM tenant t WHERE t.kind = 2 AND t.merchant_kind IS DISTINCT FROM 'self' AND NOT t.settlement_frozen
          AND EXISTS (SELECT FROM sales_order o WHERE o.tenant_id = t.id AND o.paid_at IS NOT NULL AND ${scopeCondition(caller, SETTLEMENT_MENU, scope, parameters)}) ORDER BY t.id`,
      parameters.values,
    );
    const end = startOfBusinessDay(businessDayOf(new Date()));
    let [amount, count] = [0, 0];
    for (const { id } of merchants)
      for (const row of await eligibleRows(db, { tenantId: id, end, at: new Date() }))
        if (caller.projectIds === null || caller.projectIds.includes(row.projectId ?? 0)) {
          amount += row.net;
          count += 1;
        }
    return { amount: yuanFromFen(amount), count };
  },
});
