import { bookPaying } from '../../../domain/settlement/statement-money.server.ts';
import { MAKER } from '../../../domain/settlement/life-cycle.server.ts';
import { STATEMENT } from '../../../domain/statement/draft-statement.server.ts';
import { WITHDRAWAL } from '../../../domain/settlement/withdrawal.server.ts';
import { statementScope } from '../../../domain/statement/statement-scope.server.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { addEffect } from '../../../kernel/server/tasks/outbox.ts';
import { PLATFORM_SCOPE } from '../initiate/platform-scope.server.ts';
import { makeBatch, requireStillGood, REVIEWED } from './make-batch.server.ts';
import { PAYOUT_EFFECT, payoutEffects, payoutJobs } from './payout-flow.server.ts';
import { bound as withdrawals } from '../withdrawal/withdrawal.server.ts';
import { bound as settlements } from './settlement.server.ts';
import { payoutBatch, SETTLEMENT_MENU } from './settlement.contract.ts';

export const bound: BoundResource = bindResource(payoutBatch, {
  table: 'payout_batch',
  scope: PLATFORM_SCOPE('t.maker_id'),
  search: 'lower(t.code)',
  joins: { maker: 'staff', authoriser: 'staff' },
  columns: {
    settlements: `(SELECT coalesce(json_agg(json_build_object('id', s.id::text, 'title', s.code) ORDER BY s.id), '[]') FROM payout p JOIN statement s ON s.id = p.statement_id WHERE p.batch_id = t.id)`,
    withdrawals: `(SELECT coalesce(json_agg(json_build_object('id', w.id::text, 'title', w.code) ORDER BY w.id), '[]') FROM payout p JOIN withdrawal w ON w.id = p.withdrawal_id WHERE p.batch_id = t.id)`,
  },
  writes: { settlements: false, withdrawals: false },
  extra: {
    makerId: 't.maker_id',
    submitters: `ARRAY(SELECT s.submitter_id FROM payout p JOIN statement s ON s.id = p.statement_id WHERE p.batch_id = t.id AND s.submitter_id IS NOT NULL)`,
    reviewers: `ARRAY(SELECT w.reviewer_id FROM payout p JOIN withdrawal w ON w.id = p.withdrawal_id WHERE p.batch_id = t.id AND w.reviewer_id IS NOT NULL)`,
  },
  ruleReads: ['makerId', 'submitters', 'reviewers'],
  rowRules: {
    authorise: (row, caller) =>
      Number(row.makerId) === caller.staffId ||
      ((row.submitters ?? []) as readonly unknown[]).map(Number).includes(caller.staffId)
        ? MAKER
        : ((row.reviewers ?? []) as readonly unknown[]).map(Number).includes(caller.staffId)
          ? REVIEWED
          : undefined,
  },
  handlers: {
    create: async ({ tx, caller, input }) => {
      const chosen = (name: string) => [...new Set(((input[name] ?? []) as readonly number[]).map(Number))];
      const asked = { statements: chosen('settlements'), withdrawals: chosen('withdrawals') };
      if (asked.statements.length + asked.withdrawals.length === 0)
        throw invalid({ settlements: ['请选择结算单或提现', 'Choose statements or withdrawals'] });
      const batch = await makeBatch(tx, caller, asked, String(input.note ?? ''));
      return {
        id: batch.id,
        ...(batch.left.length > 0 ? { remark: batch.left.map((one) => one[0]).join('；') } : {}),
      };
    },
    authorise,
    cancel: async ({ tx, id }) => {
      await run(
        tx,
        `UPDATE payout SET state = 'cancelled', ended_at = now(), version = version + 1 WHERE batch_id = $1 AND state = 'waiting'`,
        [id],
      );
    },
  },
  also: {
    options: [payableStatements()],
    effects: payoutEffects(() => bound),
    jobs: payoutJobs(() => bound),
  },
});

/** Batches of payouts. */
export const registration = bound.registration;

/** Another person lets the money go: every statement and withdrawal is being paid, and each payout is sent once this is committed. */
async function authorise({ tx, platform, id, caller }: ActionContext): Promise<ActionResult> {
  await requireStillGood(tx, id);
  const payouts = await run<{
    id: number;
    statement_id: number | null;
    withdrawal_id: number | null;
    tenant_id: number;
    amount: number;
    payout_no: string;
  }>(
    tx,
    `SELECT id, statement_id, withdrawal_id, tenant_id, amount, payout_no FROM payout WHERE batch_id = $1 AND state = 'waiting' ORDER BY statement_id, withdrawal_id`,
    [id],
  );
  for (const one of payouts) {
    if (one.statement_id !== null) {
      await settlements.actAsSystem(tx, platform, 'send', one.statement_id);
      await bookPaying(tx, {
        tenantId: one.tenant_id,
        amount: one.amount,
        source: { type: 'payout', id: one.id },
        staffId: caller.staffId,
      });
    } else {
      // Its money stays frozen until it has arrived.
      await run(tx, 'UPDATE withdrawal SET payer_id = $2 WHERE id = $1', [one.withdrawal_id, caller.staffId]);
      await withdrawals.actAsSystem(tx, platform, 'send', one.withdrawal_id!);
    }
    await run(
      tx,
      `UPDATE payout SET state = 'queued', version = version + 1, updated_at = now() WHERE id = $1`,
      [one.id],
    );
    await addEffect(tx, PAYOUT_EFFECT, { payoutId: one.id }, { key: `${PAYOUT_EFFECT}:${one.payout_no}` });
  }
  platform.changed(STATEMENT);
  platform.changed(WITHDRAWAL);
  platform.changed('payout');
  return { set: { authoriser_id: caller.staffId, authorised_at: new Date() } };
}

/** Statements that wait for a payment, as a batch chooses them. */
function payableStatements(): OptionSource {
  return {
    target: 'payableSettlement',
    anyOf: [SETTLEMENT_MENU],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [scopeCondition(caller, SETTLEMENT_MENU, statementScope('t'), parameters)];
      if (query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      else
        parts.push(
          `t.state IN ('to_pay', 'failed') AND t.pay_amount > 0 AND NOT EXISTS (SELECT FROM payout p WHERE p.statement_id = t.id AND p.state NOT IN ('failed', 'cancelled'))`,
        );
      if (query.searchVal)
        parts.push(
          `position(lower(${parameters.bind(query.searchVal)}) IN lower(t.code || ' ' || m.name)) > 0`,
        );
      const rows = await run<{ id: number; code: string; merchant: string; amount: number }>(
        platform.database.db,
        `SELECT t.id, t.code, m.name AS merchant, coalesce(t.pay_amount, 0)::bigint AS amount FROM statement t JOIN tenant m ON m.id = t.tenant_id
          WHERE ${parts.join(' AND ')} ORDER BY t.id DESC LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({
        id: String(row.id),
        title: row.code,
        note: `${row.merchant} ¥${yuanFromFen(row.amount)}`,
      }));
    },
  };
}
