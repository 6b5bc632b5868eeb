import { approvable } from '../../../domain/approval/approvable.server.ts';
import type { ApprovalKind, ApprovalOutcome } from '../../../domain/approval/approval-kind.server.ts';
import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { agreementSnapshot } from './agreement-snapshot.server.ts';
import { putInForce } from './agreement-terms.server.ts';
import { OF_MERCHANT } from '../../../domain/merchant/merchant-scope.server.ts';

/** Word of the approval engine. */
export const AGREEMENT_APPROVAL = 'merchant_agreement';
/** How the approval moves a version. */
export const agreementReview = approvable(AGREEMENT_APPROVAL, {
  waiting: 'in_review',
  passed: 'active',
  refused: 'draft',
});
const MENU = 'ssm_merchantManager';
/** Whoever audits merchants, under either menu. */
const AUDITS = [`${MENU}:btn_audit`, 'residentMerchants:btn_audit'];

/** Versions that messages tell of. */
export const agreementSight = listSight({
  entity: 'merchantAgreement',
  menu: MENU,
  table: 'merchant_agreement',
  scope: OF_MERCHANT,
});

const EVENTS = {
  active: ['审批通过，已生效', 'Approved and agreed'],
  draft: ['退回草稿', 'Back to a draft'],
} as const satisfies Readonly<Record<string, Label>>;

/** New terms of merchants that trade; who made or handed in a version never passes it. */
export const agreementApproval: ApprovalKind = {
  kind: AGREEMENT_APPROVAL,
  label: ['商户协议', 'Merchant agreement'],
  entity: 'merchantAgreement',
  sights: { toDecide: agreementSight, outcome: agreementSight },
  moves: true,
  route: () => `/serviceSourceManager/${MENU}`,
  fields: [
    { name: 'commission', label: ['默认佣金（%）', 'Commission (%)'], kind: 'number' },
    { name: 'deposit', label: ['保证金', 'Deposit'], kind: 'money' },
  ],
  facts: async (db, bizId) => {
    const terms = await runOne<{ bp: number; deposit: number }>(
      db,
      'SELECT commission_bp AS bp, deposit FROM merchant_agreement WHERE id = $1',
      [bizId],
    );
    return { commission: terms ? terms.bp / 100 : null, deposit: terms?.deposit ?? null };
  },
  snapshot: agreementSnapshot,
  samples: async (db, caller) => {
    const parameters = new Parameters();
    const seen = scopeCondition(caller, MENU, OF_MERCHANT, parameters);
    return run<{ id: number; title: string }>(
      db,
      `SELECT t.id, m.name || ' V' || t.agreement_version AS title FROM merchant_agreement t JOIN tenant m ON m.id = t.tenant_id
        WHERE m.merchant_kind = 'resident' AND ${seen} ORDER BY t.id DESC LIMIT 20`,
      parameters.values,
    );
  },
  approvers: async (tx, subject) => {
    const maker = await runOne<{ by: number | null }>(
      tx,
      'SELECT created_by AS by FROM merchant_agreement WHERE id = $1',
      [subject.bizId],
    );
    const barred = [subject.starterId, ...(maker?.by ? [maker.by] : [])];
    const found = new Set<number>();
    for (const element of AUDITS)
      for (const id of await holdersOf(tx, subject.tenantId, element, barred)) found.add(id);
    return [...found];
  },
  decidable: async (db, decider, subjects) => {
    if (!AUDITS.some((element) => decider.elements.has(element))) return new Set();
    const own = await run<{ id: number }>(
      db,
      'SELECT id FROM merchant_agreement WHERE id = ANY($1::bigint[]) AND created_by = $2',
      [subjects.map((one) => one.bizId), decider.staffId],
    );
    const made = new Set(own.map((one) => one.id));
    return new Set(subjects.map((one) => one.bizId).filter((id) => !made.has(id)));
  },
  onApproved: (outcome) => end(outcome, 'active'),
  onRejected: (outcome) => end(outcome, 'draft'),
  onWithdrawn: (outcome) => end(outcome, 'draft'),
};

/** Writes the outcome on the version; its own action writes state, timeline and audit itself. */
async function end(outcome: ApprovalOutcome, to: keyof typeof EVENTS): Promise<void> {
  const { tx, platform, bizId, caller, opinion } = outcome;
  // What passes takes effect in the one transaction of the decision, or the decision is refused.
  if (to === 'active') await putInForce(tx, bizId);
  if (outcome.insideAction) return;
  await run(
    tx,
    'UPDATE merchant_agreement SET state = $2, version = version + 1, updated_at = now() WHERE id = $1',
    [bizId, to],
  );
  platform.changed('merchantAgreement');
  const by = caller.staffId === 0 ? {} : { caller };
  const said = { entity: 'merchantAgreement', entityId: bizId, action: to, ...by };
  await writeTimeline(tx, { ...said, label: EVENTS[to], from: 'in_review', to, remark: opinion });
  await writeAudit(tx, {
    ...said,
    facts: outcome.facts,
    menu: MENU,
    before: { state: 'in_review' },
    after: { state: to, opinion },
  });
}
