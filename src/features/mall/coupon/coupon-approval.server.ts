import type {
  ApprovalKind,
  ApprovalOutcome,
  ApprovalSubject,
  Decider,
} from '../../../domain/approval/approval-kind.server.ts';
import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import { costCeiling, percentOff, valueText, type CouponTerms } from '../../../domain/coupon/coupon.rules.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { scopeCondition, Parameters } from '../../../kernel/server/people/scope.ts';
import { COUPON_MENU } from './coupon.contract.ts';
import { COUPON_SCOPE, couponSight } from './coupon-scope.server.ts';

/** Word of the approval engine. */
export const COUPON_APPROVAL = 'coupon';
const AUDIT = `${COUPON_MENU}:btn_audit`;

const EVENTS = {
  passed: ['通过', 'Approved'],
  refused: ['驳回', 'Refused'],
  none: ['撤回审批', 'Withdrawn from review'],
} as const satisfies Readonly<Record<string, Label>>;

/** The terms of a coupon row. */
export function termsOf(row: Readonly<Record<string, unknown>>): CouponTerms {
  const fen = (value: unknown) => (value === null || value === undefined ? null : Number(value));
  return {
    type: row.type as CouponTerms['type'],
    face: fen(row.face),
    rate: fen(row.rate),
    maxDiscount: fen(row.max_discount),
    threshold: Number(row.threshold ?? 0),
    total: Number(row.total),
    budget: fen(row.budget_fen),
  };
}

/** Merchant coupons above the review limits; the platform decides, whoever started it. */
export const couponApproval: ApprovalKind = {
  kind: COUPON_APPROVAL,
  label: ['优惠券', 'Coupon'],
  entity: 'coupon',
  sights: { toDecide: couponSight, outcome: couponSight },
  moves: true,
  fields: [
    { name: 'percentOff', label: ['优惠力度（%）', 'Per cent off'], kind: 'number' },
    { name: 'cost', label: ['成本上限（元）', 'Cost ceiling (yuan)'], kind: 'number' },
  ],
  facts: async (db, bizId) => {
    const row = await runOne<Record<string, unknown>>(db, 'SELECT * FROM coupon WHERE id = $1', [bizId]);
    if (!row) return { percentOff: null, cost: null };
    const terms = termsOf(row);
    return { percentOff: Math.round(percentOff(terms) * 100) / 100, cost: costCeiling(terms) / 100 };
  },
  snapshot: async (db, bizId) => {
    const row = (await runOne<Record<string, unknown>>(
      db,
      `SELECT c.*, t.name AS merchant FROM coupon c JOIN tenant t ON t.id = c.tenant_id WHERE c.id = $1`,
      [bizId],
    ))!;
    const terms = termsOf(row);
    const said = (field: string, label: Label, value: string) => ({
      field,
      label,
      value: [value, value] as const,
    });
    return [
      {
        title: ['优惠券', 'Coupon'],
        values: [
          said('name', ['名称', 'Name'], String(row.name)),
          said('merchant', ['商户', 'Merchant'], String(row.merchant)),
          { field: 'value', label: ['面值', 'Value'], value: valueText(terms) },
          said('total', ['总量', 'Total'], String(terms.total)),
          said('percentOff', ['优惠力度', 'Per cent off'], `${percentOff(terms).toFixed(1)}%`),
          said('cost', ['成本上限', 'Cost ceiling'], `¥${yuanFromFen(costCeiling(terms))}`),
        ],
      },
    ];
  },
  samples: async (db, caller) => {
    const parameters = new Parameters();
    const seen = scopeCondition(caller, COUPON_MENU, COUPON_SCOPE, parameters);
    return run<{ id: number; title: string }>(
      db,
      `SELECT t.id, t.name AS title FROM coupon t WHERE t.issuer = 'merchant' AND ${seen} ORDER BY t.id DESC LIMIT 20`,
      parameters.values,
    );
  },
  route: (bizId) => `/merchantManager/${COUPON_MENU}?detail=${bizId}`,
  approvers: (tx, subject) => holdersOf(tx, subject.tenantId, AUDIT, [subject.starterId]),
  decidable: (_db: Executor, decider: Decider, subjects: readonly ApprovalSubject[]) =>
    Promise.resolve(new Set(decider.elements.has(AUDIT) ? subjects.map((subject) => subject.bizId) : [])),
  onApproved: (outcome) => end(outcome, 'passed'),
  onRejected: (outcome) => end(outcome, 'refused'),
  onWithdrawn: (outcome) => end(outcome, 'none'),
};

/** Writes the outcome on the coupon; what passes is published at once. Its own action writes state, timeline and audit itself. */
async function end(outcome: ApprovalOutcome, to: keyof typeof EVENTS): Promise<void> {
  const { tx, bizId, caller, opinion, insideAction } = outcome;
  const state = to === 'passed' ? 'published' : 'draft';
  await run(
    tx,
    insideAction
      ? 'UPDATE coupon SET review_state = $2 WHERE id = $1'
      : 'UPDATE coupon SET review_state = $2, status = $3, version = version + 1, updated_at = now() WHERE id = $1',
    insideAction ? [bizId, to] : [bizId, to, state],
  );
  if (to === 'passed')
    await run(
      tx,
      'INSERT INTO coupon_batch (coupon_id, qty, created_by) SELECT id, total, review_by FROM coupon WHERE id = $1',
      [bizId],
    );
  if (insideAction) return;
  outcome.platform.changed('coupon');
  const by = caller.staffId === 0 ? {} : { caller };
  await writeTimeline(tx, {
    entity: 'coupon',
    entityId: bizId,
    ...by,
    action: to === 'passed' ? 'approve' : to === 'refused' ? 'reject' : 'withdraw',
    label: EVENTS[to],
    from: 'draft',
    to: state,
    remark: opinion,
  });
  await writeAudit(tx, {
    ...by,
    facts: outcome.facts,
    menu: COUPON_MENU,
    action: to === 'passed' ? 'approve' : to === 'refused' ? 'reject' : 'withdraw',
    entity: 'coupon',
    entityId: bizId,
    before: { state: 'draft' },
    after: { state, opinion },
  });
}
