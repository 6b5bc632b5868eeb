import type {
  ApprovalKind,
  ApprovalOutcome,
  ApprovalSubject,
  Decider,
} from '../../../domain/approval/approval-kind.server.ts';
import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import { loadBudget, platformTenant } from '../../../domain/points-ledger/points-budget.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { SEND_MENU } from './send.contract.ts';
import { changeSight, scopeOfBudget } from './send-scope.server.ts';

/** Word of the approval engine. */
export const BUDGET_APPROVAL = 'points_budget';
/** Above it somebody else decides. Source: group 22, btn_budget. */
export const BUDGET_FREE = 100_000;
const ELEMENT = `${SEND_MENU}:btn_budget`;
const EVENTS = {
  booked: ['通过', 'Approved'],
  rejected: ['驳回', 'Rejected'],
  withdrawn: ['撤回', 'Withdrawn'],
} as const satisfies Readonly<Record<string, Label>>;

/** Books a change of a budget that was decided, or needs no decision. */
export async function bookChange(tx: Tx, id: number): Promise<void> {
  const row = (await runOne<{ budget_id: number; amount: number; reason: string; created_by: number }>(
    tx,
    'SELECT budget_id, amount, reason, created_by FROM points_budget_change WHERE id = $1',
    [id],
  ))!;
  await loadBudget(tx, {
    budgetId: row.budget_id,
    amount: row.amount,
    reference: String(id),
    staffId: row.created_by,
    note: row.reason,
  });
}

/** Loads and reductions above {@link BUDGET_FREE}. */
export const budgetApproval: ApprovalKind = {
  kind: BUDGET_APPROVAL,
  label: ['积分预算', 'Points budget'],
  entity: 'pointsBudgetChange',
  sights: { toDecide: changeSight, outcome: changeSight },
  moves: true,
  fields: [{ name: 'amount', label: ['变动积分', 'Points'], kind: 'number' }],
  facts: async (db, bizId) => {
    const row = await runOne<{ amount: number }>(
      db,
      'SELECT amount FROM points_budget_change WHERE id = $1',
      [bizId],
    );
    return { amount: row?.amount ?? null };
  },
  samples: async (db, caller) => {
    const parameters = new Parameters();
    const seen = scopeCondition(caller, SEND_MENU, scopeOfBudget('t.budget_id'), parameters);
    return run<{ id: number; title: string }>(
      db,
      `SELECT t.id, t.code || ' ' || t.amount AS title FROM points_budget_change t WHERE ${seen} ORDER BY t.id DESC LIMIT 20`,
      parameters.values,
    );
  },
  route: () => `/vipAccount/${SEND_MENU}?view=budgets`,
  approvers: async (tx, subject) => {
    const own = await holdersOf(tx, subject.tenantId, ELEMENT, [subject.starterId]);
    return own.length > 0 ? own : holdersOf(tx, await platformTenant(tx), ELEMENT, [subject.starterId]);
  },
  decidable: (_db: Executor, decider: Decider, subjects: readonly ApprovalSubject[]) =>
    Promise.resolve(new Set(decider.elements.has(ELEMENT) ? subjects.map((subject) => subject.bizId) : [])),
  onApproved: async (outcome) => {
    await bookChange(outcome.tx, outcome.bizId);
    await end(outcome, 'booked');
  },
  onRejected: (outcome) => end(outcome, 'rejected'),
  onWithdrawn: (outcome) => end(outcome, 'withdrawn'),
};

/** Writes the outcome; the row's own action writes state, timeline and audit itself. */
async function end(outcome: ApprovalOutcome, to: keyof typeof EVENTS): Promise<void> {
  const { tx, bizId, caller, opinion, insideAction } = outcome;
  outcome.platform.changed('pointsBudget');
  if (insideAction) return;
  await run(
    tx,
    'UPDATE points_budget_change SET state = $2, opinion = $3, version = version + 1, updated_at = now() WHERE id = $1',
    [bizId, to, opinion],
  );
  outcome.platform.changed('pointsBudgetChange');
  const by = caller.staffId === 0 ? {} : { caller };
  const said = { entity: 'pointsBudgetChange', entityId: bizId, action: to, ...by };
  await writeTimeline(tx, { ...said, label: EVENTS[to], from: 'reviewing', to, remark: opinion });
  await writeAudit(tx, {
    ...said,
    facts: outcome.facts,
    menu: SEND_MENU,
    before: { state: 'reviewing' },
    after: { state: to, opinion },
  });
}
