import { approvable } from '../../../domain/approval/approvable.server.ts';
import type {
  ApprovalKind,
  ApprovalOutcome,
  ApprovalSubject,
  Decider,
} from '../../../domain/approval/approval-kind.server.ts';
import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import {
  bookWithdrawalBack,
  WITHDRAWAL,
  withdrawalOf,
} from '../../../domain/settlement/withdrawal.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { bossWithdrawal, infoWithdrawal, withdrawal } from './withdrawal.contract.ts';
import { OF_MERCHANT } from '../../../domain/merchant/merchant-scope.server.ts';

/** How the review moves a withdrawal. */
export const review = approvable(WITHDRAWAL, {
  waiting: 'reviewing',
  passed: 'to_pay',
  refused: 'rejected',
});

/** Withdrawals that messages tell of: to who reviews, and to their merchant. */
export const reviewSight = listSight({
  entity: WITHDRAWAL,
  menu: withdrawal.menu,
  table: 'withdrawal',
  scope: OF_MERCHANT,
});
export const merchantSight = listSight({
  entity: WITHDRAWAL,
  menu: infoWithdrawal.menu,
  table: 'withdrawal',
  scope: OF_MERCHANT,
});

/** Either desk may review. */
const AUDITS = [withdrawal, bossWithdrawal].map((one) => `${one.menu}:btn_withdrawAudit`);

const EVENTS = {
  to_pay: ['审核通过', 'Approved'],
  rejected: ['审核驳回', 'Rejected'],
  cancelled: ['撤销', 'Cancelled'],
} as const satisfies Readonly<Record<string, Label>>;

/** Withdrawals of merchants: those of the platform decide who review them, never who asked. */
export const withdrawalApproval: ApprovalKind = {
  kind: WITHDRAWAL,
  label: ['提现', 'Withdrawal'],
  entity: WITHDRAWAL,
  sights: { toDecide: reviewSight, outcome: merchantSight },
  moves: true,
  route: () => `/financialManage/${withdrawal.menu}?as=withdrawals`,
  fields: [{ name: 'amount', label: ['提现金额', 'Amount'], kind: 'money' }],
  facts: async (db, bizId) => {
    const row = await runOne<{ amount: number }>(db, 'SELECT amount FROM withdrawal WHERE id = $1', [bizId]);
    return { amount: row?.amount ?? null };
  },
  snapshot: async (db, bizId) => {
    const row = (await runOne<Record<string, string | number>>(
      db,
      `SELECT t.code, m.name AS merchant, t.amount, t.fee, t.net, trim(t.payee_bank || ' ****' || t.payee_tail) AS payee
         FROM withdrawal t JOIN tenant m ON m.id = t.tenant_id WHERE t.id = $1`,
      [bizId],
    ))!;
    const value = (field: string, label: Label, text: string) => ({
      field,
      label,
      value: [text, text] as const,
    });
    return [
      {
        title: ['提现', 'Withdrawal'],
        values: [
          value('code', ['提现单号', 'Withdrawal no.'], String(row.code)),
          value('merchant', ['商户', 'Merchant'], String(row.merchant)),
          value('amount', ['提现金额', 'Amount'], yuanFromFen(Number(row.amount))),
          value('fee', ['手续费', 'Fee'], yuanFromFen(Number(row.fee))),
          value('net', ['到账金额', 'Arrives'], yuanFromFen(Number(row.net))),
          value('payee', ['收款账户', 'Payee'], String(row.payee)),
        ],
      },
    ];
  },
  samples: async (db, caller) => {
    const parameters = new Parameters();
    const seen = scopeCondition(caller, withdrawal.menu, OF_MERCHANT, parameters);
    return run<{ id: number; title: string }>(
      db,
      `SELECT t.id, t.code AS title FROM withdrawal t WHERE ${seen} ORDER BY t.id DESC LIMIT 20`,
      parameters.values,
    );
  },
  approvers: async (tx, subject) => {
    const platform = (await runOne<{ id: number }>(
      tx,
      'SELECT id FROM tenant WHERE kind = 3 ORDER BY id LIMIT 1',
    ))!;
    const found = new Set<number>();
    for (const element of AUDITS)
      for (const id of await holdersOf(tx, platform.id, element, [subject.starterId])) found.add(id);
    return [...found];
  },
  decidable: (_db: Executor, decider: Decider, subjects: readonly ApprovalSubject[]) =>
    Promise.resolve(
      new Set(
        AUDITS.some((element) => decider.elements.has(element)) ? subjects.map((one) => one.bizId) : [],
      ),
    ),
  onApproved: (outcome) => end(outcome, 'to_pay'),
  onRejected: (outcome) => end(outcome, 'rejected'),
  onWithdrawn: (outcome) => end(outcome, 'cancelled'),
};

/** Writes the outcome; what does not pass goes back to the wallet. Its own action writes state, timeline and audit itself. */
async function end(outcome: ApprovalOutcome, to: keyof typeof EVENTS): Promise<void> {
  const { tx, platform, bizId, caller, opinion, insideAction } = outcome;
  const reviewer = to === 'cancelled' ? null : staffIdOf(caller);
  await run(
    tx,
    `UPDATE withdrawal SET reviewer_id = $2, reviewed_at = CASE WHEN $2::bigint IS NULL THEN NULL ELSE now() END, opinion = $3
            ${insideAction ? '' : ', state = $4, version = version + 1, updated_at = now()'} WHERE id = $1`,
    insideAction ? [bizId, reviewer, opinion] : [bizId, reviewer, opinion, to],
  );
  if (to !== 'to_pay') await bookWithdrawalBack(tx, await withdrawalOf(tx, bizId));
  for (const entity of [WITHDRAWAL, 'merchantFund', 'merchantInfo']) platform.changed(entity);
  if (insideAction) return;
  const by = caller.staffId === 0 ? {} : { caller };
  const said = { entity: WITHDRAWAL, entityId: bizId, action: to, ...by };
  await writeTimeline(tx, { ...said, label: EVENTS[to], from: 'reviewing', to, remark: opinion });
  await writeAudit(tx, {
    ...said,
    facts: outcome.facts,
    menu: withdrawal.menu,
    before: { state: 'reviewing' },
    after: { state: to, opinion },
  });
}
