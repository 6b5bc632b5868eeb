import type {
  ApprovalKind,
  ApprovalOutcome,
  ApprovalSubject,
  Decider,
} from '../../../domain/approval/approval-kind.server.ts';
import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import { submitApproval, type ApprovalBy } from '../../../domain/approval/approve.server.ts';
import { holdBudget, platformTenant } from '../../../domain/points-ledger/points-budget.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { SEND_MENU } from './send.contract.ts';
import { TWO_APPROVE } from './send-audience.server.ts';
import { BATCH_SCOPE, batchSight } from './send-scope.server.ts';

/** Word of the approval engine. */
export const GRANT_APPROVAL = 'points_grant';
const ELEMENT = `${SEND_MENU}:btn_approve`;
const ACTIONS = { to_send: 'approve', rejected: 'reject', draft: 'withdraw', reviewing: 'approve' } as const;
const EVENTS = {
  to_send: ['通过', 'Approved'],
  rejected: ['驳回', 'Rejected'],
  draft: ['撤回审核', 'Withdrawn'],
  reviewing: ['一审通过，待二审', 'Approved once, a second one is asked'],
} as const satisfies Readonly<Record<string, Label>>;

/** A batch as approvals know it. */
interface Batch {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly tenantId: number;
  readonly budgetId: number;
  readonly members: number;
  readonly total: number;
  readonly version: number;
  readonly submittedBy: number;
  readonly madeBy: number | null;
  readonly approvedBy: number | null;
  readonly reason: string;
}

/** A batch by its id. */
export async function batchOf(db: Executor, id: number): Promise<Batch> {
  return (await runOne<Batch>(
    db,
    `SELECT id, code, name, tenant_id AS "tenantId", budget_id AS "budgetId", members, total, version, submitted_by AS "submittedBy",
            created_by AS "madeBy", approved_by AS "approvedBy", reason_text AS reason FROM points_grant_batch WHERE id = $1`,
    [id],
  ))!;
}

/** Gives what a batch holds of its budget back to it. */
export async function releaseBudget(tx: Tx, batch: Batch, amount = batch.total): Promise<void> {
  if (amount === 0) return;
  await holdBudget(tx, {
    budgetId: batch.budgetId,
    amount: -amount,
    source: { type: 'points_grant_batch', id: String(batch.id), purpose: `release:${batch.version}` },
  });
}

/** Asks for the approval of a batch; starterId is the applicant, also where a second one is asked. */
export async function askApproval(tx: Tx, platform: Platform, batch: Batch, by?: ApprovalBy): Promise<void> {
  const figures = (value: number): Label => [value.toLocaleString('en-US'), value.toLocaleString('en-US')];
  await submitApproval(
    tx,
    platform,
    {
      kind: GRANT_APPROVAL,
      bizId: batch.id,
      tenantId: batch.tenantId,
      title: [`积分发放 ${batch.name}`, `Points granted: ${batch.name}`],
      summary: [
        { label: ['人数', 'Members'], value: figures(batch.members) },
        { label: ['总积分', 'Total'], value: figures(batch.total) },
        { label: ['原因', 'Reason'], value: [batch.reason, batch.reason] },
      ],
      starterId: batch.submittedBy,
    },
    by,
  );
}

/** Batches above what may be given freely; above a million two approve in turn, neither of them the applicant. */
export const grantApproval: ApprovalKind = {
  kind: GRANT_APPROVAL,
  label: ['积分发放', 'Points granted'],
  entity: 'pointsGrantBatch',
  sights: { toDecide: batchSight, outcome: batchSight },
  moves: true,
  fields: [
    { name: 'members', label: ['人数', 'Members'], kind: 'number' },
    { name: 'total', label: ['总积分', 'Total'], kind: 'number' },
  ],
  facts: async (db, bizId) => {
    const known = await runOne(db, 'SELECT 1 FROM points_grant_batch WHERE id = $1', [bizId]);
    if (!known) return { members: null, total: null };
    const { members, total } = await batchOf(db, bizId);
    return { members, total };
  },
  samples: async (db, caller) => {
    const parameters = new Parameters();
    const seen = scopeCondition(caller, SEND_MENU, BATCH_SCOPE, parameters);
    return run<{ id: number; title: string }>(
      db,
      `SELECT t.id, t.name AS title FROM points_grant_batch t WHERE ${seen} ORDER BY t.id DESC LIMIT 20`,
      parameters.values,
    );
  },
  route: (bizId) => `/vipAccount/${SEND_MENU}?detail=${bizId}`,
  approvers: async (tx, subject) => {
    const { approvedBy, madeBy } = await batchOf(tx, subject.bizId);
    const out = [subject.starterId, approvedBy, madeBy].filter((id) => id !== null);
    const own = await holdersOf(tx, subject.tenantId, ELEMENT, out);
    return own.length > 0 ? own : holdersOf(tx, await platformTenant(tx), ELEMENT, out);
  },
  decidable: async (db: Executor, decider: Decider, subjects: readonly ApprovalSubject[]) => {
    if (!decider.elements.has(ELEMENT)) return new Set<number>();
    const once = await run<{ id: number }>(
      db,
      'SELECT id FROM points_grant_batch WHERE id = ANY($1::bigint[]) AND $2 IN (approved_by, created_by, submitted_by)',
      [subjects.map((subject) => subject.bizId), decider.staffId],
    );
    return new Set(
      subjects.map((subject) => subject.bizId).filter((id) => !once.some((row) => row.id === id)),
    );
  },
  onApproved: async (outcome) => {
    const batch = await batchOf(outcome.tx, outcome.bizId);
    const second = batch.total > TWO_APPROVE && batch.approvedBy === null;
    await run(outcome.tx, 'UPDATE points_grant_batch SET approved_by = $2 WHERE id = $1', [
      batch.id,
      outcome.caller.staffId,
    ]);
    if (second) await askApproval(outcome.tx, outcome.platform, batch);
    await end(outcome, second ? 'reviewing' : 'to_send');
  },
  onRejected: async (outcome) => {
    await releaseBudget(outcome.tx, await batchOf(outcome.tx, outcome.bizId));
    await end(outcome, 'rejected');
  },
  onWithdrawn: async (outcome) => {
    await releaseBudget(outcome.tx, await batchOf(outcome.tx, outcome.bizId));
    await end(outcome, 'draft');
  },
};

/** Writes the outcome; the row's own action writes state, timeline and audit itself. */
async function end(outcome: ApprovalOutcome, to: keyof typeof EVENTS): Promise<void> {
  const { tx, bizId, caller, opinion, insideAction } = outcome;
  outcome.platform.changed('pointsBudget');
  if (insideAction) return;
  await run(
    tx,
    'UPDATE points_grant_batch SET state = $2, version = version + 1, updated_at = now() WHERE id = $1',
    [bizId, to],
  );
  outcome.platform.changed('pointsGrantBatch');
  const by = caller.staffId === 0 ? {} : { caller };
  const said = { entity: 'pointsGrantBatch', entityId: bizId, action: ACTIONS[to], ...by };
  await writeTimeline(tx, { ...said, label: EVENTS[to], from: 'reviewing', to, remark: opinion });
  await writeAudit(tx, {
    ...said,
    facts: outcome.facts,
    menu: SEND_MENU,
    before: { state: 'reviewing' },
    after: { state: to, opinion },
  });
}
