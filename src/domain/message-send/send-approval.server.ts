import type { Label } from '../../kernel/contract/label.ts';
import { writeAudit, writeTimeline } from '../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor } from '../../kernel/server/database.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../kernel/server/people/scope.ts';
import type {
  ApprovalKind,
  ApprovalOutcome,
  ApprovalSubject,
  Decider,
} from '../approval/approval-kind.server.ts';
import { holdersOf } from '../approval/approvers.server.ts';
import { listSight } from '../notification/row-sight.server.ts';

/** A send stands in the projects it speaks to; one without any stands everywhere. Merchants see their own. */
export const MESSAGE_SCOPE: ScopeColumns = {
  tenant: 't.tenant_id',
  project: (ids) =>
    `(t.place_ids && ${ids}::bigint[] OR (t.place_ids IS NULL AND cardinality(${ids}::bigint[]) > 0))`,
  owner: 't.created_by',
};

/** What timelines and audit records call sends, whichever menu they are handled under. */
export const ENTITY = 'messageSend';

/** A menu that shows sends, with how its approvals are called. */
export interface SendMenu {
  readonly menu: string;
  /** Group path of the menu. */
  readonly path: string;
  /** Word of the approval engine. */
  readonly approval: string;
  readonly label: Label;
  /** Name of its rows in messages to staff. */
  readonly sight: string;
  readonly origin: 'staff' | 'ops_push';
}

/** Sends as those read of them who see the list of the menu. */
export const sendSight = ({ menu, sight, origin }: SendMenu) =>
  listSight({
    entity: sight,
    menu,
    table: 'message_send',
    ...(origin === 'ops_push' ? { where: `t.origin = 'ops_push'` } : {}),
    scope: MESSAGE_SCOPE,
  });

const EVENTS = {
  scheduled: ['通过', 'Approved'],
  refused: ['驳回', 'Rejected'],
  withdrawn: ['撤回审核', 'Withdrawn from review'],
} as const satisfies Readonly<Record<string, Label>>;
const ACTIONS = { scheduled: 'approve', refused: 'reject', withdrawn: 'withdraw' } as const;

/** Approvals of sends of a menu: who wrote or handed one in never decides. */
export function sendApproval(of: SendMenu): ApprovalKind {
  const audit = `${of.menu}:btn_audit`;
  const sight = sendSight(of);
  return {
    kind: of.approval,
    label: of.label,
    entity: ENTITY,
    sights: { toDecide: sight, outcome: sight },
    moves: true,
    fields: [{ name: 'people', label: ['人数', 'People'], kind: 'number' }],
    facts: async (db, bizId) => {
      const row = await runOne<{ people: number }>(
        db,
        'SELECT estimated AS people FROM message_send WHERE id = $1',
        [bizId],
      );
      return { people: row?.people ?? null };
    },
    samples: async (db, caller) => {
      const parameters = new Parameters();
      const seen = scopeCondition(caller, of.menu, MESSAGE_SCOPE, parameters);
      return run<{ id: number; title: string }>(
        db,
        `SELECT t.id, t.name AS title FROM message_send t WHERE ${seen} AND t.origin = ${parameters.bind(of.origin)} ORDER BY t.id DESC LIMIT 20`,
        parameters.values,
      );
    },
    route: (bizId) =>
      of.origin === 'ops_push'
        ? `${of.path}/${of.menu}?detail=${bizId}`
        : `${of.path}/${of.menu}_view?id=${bizId}`,
    approvers: async (tx, subject) => {
      const row = await runOne<{ author: number | null }>(
        tx,
        'SELECT created_by AS author FROM message_send WHERE id = $1',
        [subject.bizId],
      );
      const out = [subject.starterId, ...(row?.author ? [row.author] : [])];
      return holdersOf(tx, subject.tenantId, audit, out);
    },
    decidable: async (db: Executor, decider: Decider, subjects: readonly ApprovalSubject[]) => {
      if (!decider.elements.has(audit)) return new Set<number>();
      const ids = subjects.map((subject) => subject.bizId);
      const own = await run<{ id: number }>(
        db,
        'SELECT id FROM message_send WHERE id = ANY($1::bigint[]) AND $2 IN (created_by, submitted_by)',
        [ids, decider.staffId],
      );
      return new Set(ids.filter((id) => !own.some((row) => row.id === id)));
    },
    onApproved: (outcome) => end(of, outcome, 'scheduled'),
    onRejected: (outcome) => end(of, outcome, 'refused'),
    onWithdrawn: (outcome) => end(of, outcome, 'withdrawn'),
  };
}

/** Writes the outcome on the send; its own action writes state, timeline and audit itself. */
async function end(of: SendMenu, outcome: ApprovalOutcome, to: keyof typeof EVENTS): Promise<void> {
  const { tx, bizId, caller, opinion, insideAction } = outcome;
  const state = to === 'scheduled' ? 'scheduled' : 'draft';
  await run(tx, 'UPDATE message_send SET reject_reason = $2 WHERE id = $1', [
    bizId,
    to === 'refused' ? (opinion ?? '') : '',
  ]);
  if (insideAction) return;
  await run(
    tx,
    'UPDATE message_send SET state = $2, version = version + 1, updated_at = now() WHERE id = $1',
    [bizId, state],
  );
  outcome.platform.changed(ENTITY);
  const by = caller.staffId === 0 ? {} : { caller };
  const what = { entity: ENTITY, entityId: bizId, action: ACTIONS[to] };
  await writeTimeline(tx, {
    ...what,
    ...by,
    label: EVENTS[to],
    from: 'reviewing',
    to: state,
    remark: opinion,
  });
  await writeAudit(tx, {
    ...what,
    ...by,
    facts: outcome.facts,
    menu: of.menu,
    before: { state: 'reviewing' },
    after: { state, opinion },
  });
}
