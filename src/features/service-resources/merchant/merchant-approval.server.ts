import type { Label } from '../../../kernel/contract/label.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import type {
  ApprovalKind,
  ApprovalOutcome,
  ApprovalSubject,
  Decider,
} from '../../../domain/approval/approval-kind.server.ts';
import { approvable } from '../../../domain/approval/approvable.server.ts';
import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';

/** Word of the approval engine. */
export const ONBOARDING = 'merchant_onboarding';
/** How the review moves a merchant. */
export const onboarding = approvable(ONBOARDING, {
  waiting: 'in_review',
  passed: 'to_activate',
  refused: 'rejected',
});
/** SQL: applications `t` a staff can decide. */
export const waitsForReview = onboarding.waitsFor;
const MENU = 'residentMerchants';
const AUDIT = `${MENU}:btn_audit`;

/** Where a merchant stands: its own tenant, the projects it sells in, who entered it. */
export const MERCHANT_SCOPE: ScopeColumns = {
  tenant: 't.id',
  project: (ids) =>
    `EXISTS (SELECT FROM tenant_project tp WHERE tp.tenant_id = t.id AND tp.project_id = ANY(${ids}::bigint[]))`,
  owner: 't.created_by',
};

const sight = listSight({
  entity: 'merchant',
  menu: MENU,
  table: 'tenant',
  where: 't.kind = 2',
  scope: MERCHANT_SCOPE,
});

const EVENTS = {
  to_activate: ['通过', 'Approved'],
  rejected: ['驳回', 'Rejected'],
  draft: ['撤回', 'Withdrawn'],
} as const satisfies Readonly<Record<string, Label>>;

/** Onboarding of resident merchants; without a process of its own those decide who hold the audit button in the starter's company. */
export const onboardingApproval: ApprovalKind = {
  kind: ONBOARDING,
  label: ['商户入驻', 'Merchant onboarding'],
  entity: 'merchant',
  sights: { toDecide: sight, outcome: sight },
  moves: true,
  fields: [
    { name: 'capital', label: ['注册资本（万元）', 'Registered capital (10,000 yuan)'], kind: 'number' },
    { name: 'projects', label: ['项目数', 'Projects'], kind: 'number' },
  ],
  facts: async (db, bizId) => {
    const row = await runOne<{ capital: number | null; projects: number }>(
      db,
      'SELECT registered_capital AS capital, (SELECT count(*) FROM tenant_project p WHERE p.tenant_id = t.id)::int AS projects FROM tenant t WHERE id = $1',
      [bizId],
    );
    return { capital: row?.capital ?? null, projects: row?.projects ?? 0 };
  },
  samples: async (db, caller) => {
    const parameters = new Parameters();
    const seen = scopeCondition(caller, MENU, MERCHANT_SCOPE, parameters);
    return run<{ id: number; title: string }>(
      db,
      `SELECT t.id, t.name AS title FROM tenant t WHERE t.kind = 2 AND t.merchant_kind = 'resident' AND ${seen} ORDER BY t.id DESC LIMIT 20`,
      parameters.values,
    );
  },
  route: (bizId) => `/serviceSourceManager/residentMerchantsDetails/view/${bizId}`,
  approvers: (tx, subject) => holdersOf(tx, subject.tenantId, AUDIT, [subject.starterId]),
  decidable: (_db: Executor, decider: Decider, subjects: readonly ApprovalSubject[]) =>
    Promise.resolve(new Set(decider.elements.has(AUDIT) ? subjects.map((subject) => subject.bizId) : [])),
  onApproved: (outcome) => end(outcome, 'to_activate'),
  onRejected: (outcome) => end(outcome, 'rejected'),
  onWithdrawn: (outcome) => end(outcome, 'draft'),
};

/** Writes the outcome on the merchant; its own action writes state, timeline and audit itself. */
async function end(outcome: ApprovalOutcome, to: keyof typeof EVENTS): Promise<void> {
  const { tx, bizId, caller, opinion } = outcome;
  await run(
    tx,
    `UPDATE tenant SET state_reason = $2${outcome.insideAction ? '' : ', merchant_state = $3, version = version + 1, updated_at = now()'} WHERE id = $1`,
    outcome.insideAction
      ? [bizId, to === 'rejected' ? opinion : '']
      : [bizId, to === 'rejected' ? opinion : '', to],
  );
  if (outcome.insideAction) return;
  outcome.platform.changed('merchant');
  await writeTimeline(tx, {
    entity: 'merchant',
    entityId: bizId,
    ...(caller.staffId === 0 ? {} : { caller }),
    action: to,
    label: EVENTS[to],
    from: 'in_review',
    to,
    remark: opinion,
  });
  await writeAudit(tx, {
    ...(caller.staffId === 0 ? {} : { caller }),
    facts: outcome.facts,
    menu: MENU,
    action: to,
    entity: 'merchant',
    entityId: bizId,
    before: { state: 'in_review' },
    after: { state: to, opinion },
  });
}
