import type {
  ApprovalKind,
  ApprovalOutcome,
  ApprovalSubject,
  Decider,
} from '../../../domain/approval/approval-kind.server.ts';
import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import { platformTenant } from '../../../domain/points-ledger/points-budget.server.ts';
import { adjustPoints } from '../../../domain/points-ledger/points-take-back.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { ACCOUNT_MENU } from './account.contract.ts';
import { adjustmentSight, scopeOfMember } from './account-scope.server.ts';

/** Word of the approval engine. */
export const ADJUST_APPROVAL = 'points_adjust';
const ELEMENT = `${ACCOUNT_MENU}:btn_adjust`;
const EVENTS = {
  booked: ['通过', 'Approved'],
  rejected: ['驳回', 'Rejected'],
  withdrawn: ['撤回', 'Withdrawn'],
} as const satisfies Readonly<Record<string, Label>>;

/** Books a correction that was decided, or needs no decision. */
export async function bookAdjustment(tx: Tx, platform: Platform, id: number): Promise<void> {
  const row = (await runOne<{
    member_id: number;
    amount: number;
    allow_debt: boolean;
    reason: string;
    created_by: number;
  }>(tx, 'SELECT member_id, amount, allow_debt, reason, created_by FROM points_adjustment WHERE id = $1', [
    id,
  ]))!;
  await adjustPoints(tx, platform.settings, {
    memberId: row.member_id,
    amount: row.amount,
    allowDebt: row.allow_debt,
    source: { type: 'points_adjustment', id: String(id), purpose: 'adjust' },
    staffId: row.created_by,
    note: row.reason,
  });
}

/** Corrections above `points.adjust.max`. */
export const adjustApproval: ApprovalKind = {
  kind: ADJUST_APPROVAL,
  label: ['积分调整', 'Points adjusted'],
  entity: 'pointsAdjustment',
  sights: { toDecide: adjustmentSight, outcome: adjustmentSight },
  moves: true,
  fields: [{ name: 'amount', label: ['调整积分', 'Points'], kind: 'number' }],
  facts: async (db, bizId) => {
    const row = await runOne<{ amount: number }>(db, 'SELECT amount FROM points_adjustment WHERE id = $1', [
      bizId,
    ]);
    return { amount: row?.amount ?? null };
  },
  samples: async (db, caller) => {
    const parameters = new Parameters();
    const seen = scopeCondition(caller, ACCOUNT_MENU, scopeOfMember('t.member_id'), parameters);
    return run<{ id: number; title: string }>(
      db,
      `SELECT t.id, t.code || ' ' || t.amount AS title FROM points_adjustment t WHERE ${seen} ORDER BY t.id DESC LIMIT 20`,
      parameters.values,
    );
  },
  route: (bizId) => `/vipAccount/${ACCOUNT_MENU}?adjustment=${bizId}`,
  approvers: async (tx, subject) => {
    const own = await holdersOf(tx, subject.tenantId, ELEMENT, [subject.starterId]);
    return own.length > 0 ? own : holdersOf(tx, await platformTenant(tx), ELEMENT, [subject.starterId]);
  },
  decidable: (_db: Executor, decider: Decider, subjects: readonly ApprovalSubject[]) =>
    Promise.resolve(new Set(decider.elements.has(ELEMENT) ? subjects.map((subject) => subject.bizId) : [])),
  onApproved: async (outcome) => {
    await bookAdjustment(outcome.tx, outcome.platform, outcome.bizId);
    await end(outcome, 'booked');
  },
  onRejected: (outcome) => end(outcome, 'rejected'),
  onWithdrawn: (outcome) => end(outcome, 'withdrawn'),
};

/** Writes the outcome; the row's own action writes state, timeline and audit itself. */
async function end(outcome: ApprovalOutcome, to: keyof typeof EVENTS): Promise<void> {
  const { tx, bizId, caller, opinion, insideAction } = outcome;
  if (insideAction) return;
  await run(
    tx,
    `UPDATE points_adjustment SET state = $2, opinion = $3, booked_at = CASE WHEN $2 = 'booked' THEN now() END, version = version + 1, updated_at = now() WHERE id = $1`,
    [bizId, to, opinion],
  );
  outcome.platform.changed('pointsAdjustment');
  outcome.platform.changed('pointsAccount');
  const by = caller.staffId === 0 ? {} : { caller };
  const said = { entity: 'pointsAdjustment', entityId: bizId, action: to, ...by };
  await writeTimeline(tx, { ...said, label: EVENTS[to], from: 'reviewing', to, remark: opinion });
  await writeAudit(tx, {
    ...said,
    facts: outcome.facts,
    menu: ACCOUNT_MENU,
    before: { state: 'reviewing' },
    after: { state: to, opinion },
  });
}
