import type { ApprovalKind, ApprovalOutcome } from '../../../domain/approval/approval-kind.server.ts';
import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import { submitApproval, type ApprovalBy } from '../../../domain/approval/approve.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { batchSight, BATCH_SCOPE } from './batch-scope.server.ts';
import { BATCH_MENU } from './distribution.contract.ts';

/** Word of the approval engine. */
export const BATCH_APPROVAL = 'butler_incentive';
const ELEMENT = `${BATCH_MENU}:btn_approve`;
const ACTIONS = { approved: 'approve', rejected: 'reject', draft: 'withdraw' } as const;
const EVENTS = {
  approved: ['通过', 'Approved'],
  rejected: ['驳回', 'Rejected'],
  draft: ['撤回', 'Withdrawn'],
} as const satisfies Readonly<Record<string, Label>>;

interface Batch {
  readonly id: number;
  readonly code: string;
  readonly month: string;
  readonly tenantId: number;
  readonly makerId: number;
  readonly butlers: number;
  readonly net: number;
}

async function batchOf(db: Executor, id: number): Promise<Batch | undefined> {
  return runOne<Batch>(
    db,
    'SELECT id, code, month, tenant_id AS "tenantId", maker_id AS "makerId", butlers, net FROM incentive_batch WHERE id = $1',
    [id],
  );
}

/** Asks for the approval of a batch. */
export async function askApproval(
  tx: Tx,
  platform: Platform,
  id: number,
  starterId: number,
  by: ApprovalBy,
): Promise<void> {
  const batch = (await batchOf(tx, id))!;
  const same = (text: string): Label => [text, text];
  await submitApproval(
    tx,
    platform,
    {
      kind: BATCH_APPROVAL,
      bizId: id,
      tenantId: batch.tenantId,
      title: [`管家激励 ${batch.code}`, `Incentives of butlers ${batch.code}`],
      summary: [
        { label: ['月份', 'Month'], value: same(batch.month) },
        { label: ['管家数', 'Butlers'], value: same(String(batch.butlers)) },
        { label: ['应发', 'Net'], value: same(yuanFromFen(batch.net)) },
      ],
      starterId,
    },
    by,
  );
}

/** Batches of incentives, approved by somebody else than their maker. */
export const batchApproval: ApprovalKind = {
  kind: BATCH_APPROVAL,
  label: ['管家激励发放', 'Incentives of butlers'],
  entity: 'incentiveBatch',
  sights: { toDecide: batchSight, outcome: batchSight },
  moves: true,
  fields: [
    { name: 'butlers', label: ['管家数', 'Butlers'], kind: 'number' },
    { name: 'net', label: ['应发（分）', 'Net (fen)'], kind: 'number' },
  ],
  facts: async (db, bizId) => {
    const batch = await batchOf(db, bizId);
    return { butlers: batch?.butlers ?? null, net: batch?.net ?? null };
  },
  samples: async (db, caller) => {
    const parameters = new Parameters();
    const seen = scopeCondition(caller, BATCH_MENU, BATCH_SCOPE, parameters);
    return run<{ id: number; title: string }>(
      db,
      `SELECT t.id, t.code AS title FROM incentive_batch t WHERE ${seen} ORDER BY t.id DESC LIMIT 20`,
      parameters.values,
    );
  },
  route: (bizId) => `/butlermanager/${BATCH_MENU}?detail=${bizId}`,
  approvers: async (tx, subject) => {
    const batch = (await batchOf(tx, subject.bizId))!;
    const out = [subject.starterId, batch.makerId];
    const own = await holdersOf(tx, subject.tenantId, ELEMENT, out);
    if (own.length > 0) return own;
    const platform = (await runOne<{ id: number }>(
      tx,
      'SELECT id FROM tenant WHERE kind = 3 ORDER BY id LIMIT 1',
    ))!;
    return holdersOf(tx, platform.id, ELEMENT, out);
  },
  decidable: async (db, decider, subjects) => {
    if (!decider.elements.has(ELEMENT)) return new Set<number>();
    const own = await run<{ id: number }>(
      db,
      'SELECT id FROM incentive_batch WHERE id = ANY($1::bigint[]) AND maker_id = $2',
      [subjects.map((subject) => subject.bizId), decider.staffId],
    );
    return new Set(
      subjects.map((subject) => subject.bizId).filter((id) => !own.some((row) => row.id === id)),
    );
  },
  onApproved: (outcome) => end(outcome, 'approved'),
  onRejected: (outcome) => end(outcome, 'rejected'),
  onWithdrawn: (outcome) => end(outcome, 'draft'),
};

/** Writes the outcome; the row's own action writes state, timeline and audit itself. */
async function end(outcome: ApprovalOutcome, to: keyof typeof EVENTS): Promise<void> {
  const { tx, bizId, caller, opinion, insideAction } = outcome;
  if (insideAction) return;
  await run(
    tx,
    'UPDATE incentive_batch SET state = $2, version = version + 1, updated_at = now() WHERE id = $1',
    [bizId, to],
  );
  outcome.platform.changed('incentiveBatch');
  const by = caller.staffId === 0 ? {} : { caller };
  const said = { entity: 'incentiveBatch', entityId: bizId, action: ACTIONS[to], ...by };
  await writeTimeline(tx, { ...said, label: EVENTS[to], from: 'in_review', to, remark: opinion });
  await writeAudit(tx, {
    ...said,
    facts: outcome.facts,
    menu: BATCH_MENU,
    before: { state: 'in_review' },
    after: { state: to, opinion },
  });
}
