import { statementScope } from '../../../domain/statement/statement-scope.server.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { runOne } from '../../../kernel/server/database.ts';
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
