import type {
  ApprovalKind,
  ApprovalOutcome,
  ApprovalSubject,
  Decider,
} from '../../../domain/approval/approval-kind.server.ts';
import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { PUSH_MENU } from './coupon-push.contract.ts';
import { needOf } from './push-audience.server.ts';

/** Word of the approval engine. */
export const PUSH_APPROVAL = 'coupon_push';
const AUDIT = `${PUSH_MENU}:btn_audit`;

/** A push (`t`) stands where its coupon does. */
export const PUSH_SCOPE: ScopeColumns = {
  tenant: 't.tenant_id',
  project: (ids) =>
    `EXISTS (SELECT FROM coupon c WHERE c.id = t.coupon_id AND (c.project_ids && ${ids}::bigint[] OR (c.project_ids = '{}' AND cardinality(${ids}::bigint[]) > 0)))`,
  owner: 't.created_by',
};

/** Pushes as those read of them who see the list. */
export const pushSight = listSight({
  entity: 'couponPush',
  menu: PUSH_MENU,
  table: 'coupon_push',
  scope: PUSH_SCOPE,
});

const EVENTS = {
  passed: ['通过', 'Approved'],
  refused: ['驳回', 'Refused'],
  none: ['撤回审批', 'Withdrawn from review'],
} as const satisfies Readonly<Record<string, Label>>;
const ACTIONS = { passed: 'approve', refused: 'reject', none: 'withdraw' } as const;

/** Pushes whose cost ceiling is above `coupon.push.approve_limit`; the platform decides. */
export const pushApproval: ApprovalKind = {
  kind: PUSH_APPROVAL,
  label: ['定向发券', 'Coupons sent'],
  entity: 'couponPush',
  sights: { toDecide: pushSight, outcome: pushSight },
  moves: true,
  fields: [
    { name: 'people', label: ['人数', 'People'], kind: 'number' },
    { name: 'cost', label: ['成本上限（元）', 'Cost ceiling (yuan)'], kind: 'number' },
  ],
  facts: async (db, bizId) => {
    const known = await runOne(db, 'SELECT 1 FROM coupon_push WHERE id = $1', [bizId]);
    if (!known) return { people: null, cost: null };
    const need = await needOf(db, bizId);
    return { people: need.people, cost: need.ceiling / 100 };
  },
  samples: async (db, caller) => {
    const parameters = new Parameters();
    const seen = scopeCondition(caller, PUSH_MENU, PUSH_SCOPE, parameters);
    return run<{ id: number; title: string }>(
      db,
      `SELECT t.id, t.name AS title FROM coupon_push t WHERE ${seen} ORDER BY t.id DESC LIMIT 20`,
      parameters.values,
    );
  },
  route: (bizId) => `/merchantManager/${PUSH_MENU}?detail=${bizId}`,
  approvers: (tx, subject) => holdersOf(tx, subject.tenantId, AUDIT, [subject.starterId]),
  decidable: (_db: Executor, decider: Decider, subjects: readonly ApprovalSubject[]) =>
    Promise.resolve(new Set(decider.elements.has(AUDIT) ? subjects.map((subject) => subject.bizId) : [])),
  onApproved: (outcome) => end(outcome, 'passed'),
  onRejected: (outcome) => end(outcome, 'refused'),
  onWithdrawn: (outcome) => end(outcome, 'none'),
};

/** Writes the outcome on the push; what does not pass is a draft again. Its own action writes state, timeline and audit itself. */
async function end(outcome: ApprovalOutcome, to: keyof typeof EVENTS): Promise<void> {
  const { tx, bizId, caller, opinion, insideAction } = outcome;
  const state = to === 'passed' ? 'scheduled' : 'draft';
  await run(
    tx,
    insideAction
      ? 'UPDATE coupon_push SET review_state = $2 WHERE id = $1'
      : 'UPDATE coupon_push SET review_state = $2, state = $3, version = version + 1, updated_at = now() WHERE id = $1',
    insideAction ? [bizId, to] : [bizId, to, state],
  );
  if (to !== 'passed') await run(tx, 'DELETE FROM coupon_push_item WHERE push_id = $1', [bizId]);
  if (insideAction) return;
  outcome.platform.changed('couponPush');
  const by = caller.staffId === 0 ? {} : { caller };
  await writeTimeline(tx, {
    entity: 'couponPush',
    entityId: bizId,
    ...by,
    action: ACTIONS[to],
    label: EVENTS[to],
    from: 'draft',
    to: state,
    remark: opinion,
  });
  await writeAudit(tx, {
    ...by,
    facts: outcome.facts,
    menu: PUSH_MENU,
    action: ACTIONS[to],
    entity: 'couponPush',
    entityId: bizId,
    before: { state: 'draft' },
    after: { state, opinion },
  });
}
