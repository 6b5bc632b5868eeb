import type {
  ApprovalKind,
  ApprovalOutcome,
  ApprovalSubject,
  Decider,
} from '../../../domain/approval/approval-kind.server.ts';
import { submitApproval } from '../../../domain/approval/approve.server.ts';
import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { ORDER_MENU } from './package-order.contract.ts';
import { orderRequestSight, REQUEST_SCOPE } from './package-order-scope.server.ts';

const AUDIT = `${ORDER_MENU}:btn_audit`;

type Kind = 'discount' | 'cancel';

const KINDS = {
  discount: {
    approval: 'package_discount',
    label: ['套餐优惠', 'Package discount'],
    amount: ['优惠金额', 'Discount'],
  },
  cancel: {
    approval: 'package_cancel',
    label: ['套餐退订', 'Package cancellation'],
    amount: ['退款金额', 'Refund'],
  },
} as const satisfies Record<Kind, { approval: string; label: Label; amount: Label }>;

interface Request {
  readonly order_id: number;
  readonly amount: number;
  readonly reason: string;
  readonly code: string;
  readonly state: string;
}

const readRequest = (db: Executor, id: number) =>
  runOne<Request>(
    db,
    `SELECT q.order_id, q.amount, q.reason, o.code, o.state FROM package_order_request q
       JOIN package_order o ON o.id = q.order_id WHERE q.id = $1`,
    [id],
  );

const EVENTS = {
  passed: ['审批通过', 'approved'],
  refused: ['审批驳回', 'refused'],
  withdrawn: ['撤回审批', 'withdrawn'],
} as const satisfies Readonly<Record<string, Label>>;

/** Discounts and refunds above the limit; whoever asked does not decide. Source: group 19, orderEdit and orderDetails. */
export function orderApprovals(bound: () => BoundResource): readonly ApprovalKind[] {
  return (Object.keys(KINDS) as Kind[]).map((kind) => ({
    kind: KINDS[kind].approval,
    label: KINDS[kind].label,
    entity: 'packageOrderRequest',
    sights: { toDecide: orderRequestSight, outcome: orderRequestSight },
    moves: true,
    fields: [{ name: 'amount', label: ['金额（元）', 'Amount (yuan)'], kind: 'number' }],
    facts: async (db, bizId) => ({ amount: ((await readRequest(db, bizId))?.amount ?? 0) / 100 }),
    snapshot: async (db, bizId) => {
      const row = (await readRequest(db, bizId))!;
      const said = (field: string, label: Label, value: string) => ({
        field,
        label,
        value: [value, value] as const,
      });
      return [
        {
          title: KINDS[kind].label,
          values: [
            said('order', ['套餐订单', 'Package order'], row.code),
            said('amount', KINDS[kind].amount, `¥${yuanFromFen(row.amount)}`),
            said('reason', ['原因', 'Reason'], row.reason),
          ],
        },
      ];
    },
    samples: async (db, caller) => {
      const parameters = new Parameters();
      const seen = scopeCondition(caller, ORDER_MENU, REQUEST_SCOPE, parameters);
      return run<{ id: number; title: string }>(
        db,
        `SELECT t.id, o.code AS title FROM package_order_request t JOIN package_order o ON o.id = t.order_id
          WHERE t.kind = ${parameters.bind(kind)} AND ${seen} ORDER BY t.id DESC LIMIT 20`,
        parameters.values,
      );
    },
    route: () => `/lifeService/${ORDER_MENU}`,
    approvers: (tx, subject) => holdersOf(tx, subject.tenantId, AUDIT, [subject.starterId]),
    decidable: (_db: Executor, decider: Decider, subjects: readonly ApprovalSubject[]) =>
      Promise.resolve(new Set(decider.elements.has(AUDIT) ? subjects.map((subject) => subject.bizId) : [])),
    onApproved: (outcome) => end(outcome, kind, 'passed', bound),
    onRejected: (outcome) => end(outcome, kind, 'refused', bound),
    onWithdrawn: (outcome) => end(outcome, kind, 'withdrawn', bound),
  }));
}

async function end(
  outcome: ApprovalOutcome,
  kind: Kind,
  state: keyof typeof EVENTS,
  bound: () => BoundResource,
): Promise<void> {
  const { tx, bizId, caller, opinion, platform } = outcome;
  const request = (await readRequest(tx, bizId))!;
  await run(tx, 'UPDATE package_order_request SET state = $2, ended_at = now() WHERE id = $1', [
    bizId,
    state,
  ]);
  await run(
    tx,
    `UPDATE package_order SET frozen = CASE WHEN $2 = 'cancel' THEN false ELSE frozen END,
            discount_passed = CASE WHEN $2 = 'discount' AND $3 = 'passed' THEN $4 ELSE discount_passed END,
            version = version + 1, updated_at = now() WHERE id = $1`,
    [request.order_id, kind, state, request.amount],
  );
  const by = caller.staffId === 0 ? {} : { caller };
  const { label } = KINDS[kind];
  await writeTimeline(tx, {
    entity: 'packageOrder',
    entityId: request.order_id,
    ...by,
    action: kind,
    label: [`${label[0]}${EVENTS[state][0]}`, `${label[1]} ${EVENTS[state][1]}`],
    remark: [yuanFromFen(request.amount), opinion].filter(Boolean).join(' · '),
  });
  await writeAudit(tx, {
    ...by,
    facts: outcome.facts,
    menu: ORDER_MENU,
    action: `${kind}.${state}`,
    entity: 'packageOrder',
    entityId: request.order_id,
    after: { amount: request.amount, opinion },
  });
  if (kind === 'cancel' && state === 'passed')
    await bound().actAsSystem(tx, platform, 'cancelApproved', request.order_id);
  platform.changed('packageOrder');
}

/** Hands a discount or a cancellation in for approval. Throws 30101 while another request of the order waits. */
export async function askForOrder(
  { tx, platform, caller, facts, id, row }: ActionContext,
  kind: Kind,
  asked: { readonly amount: number; readonly reason: string },
): Promise<ActionResult> {
  const made = await runOne<{ id: number }>(
    tx,
    `INSERT INTO package_order_request (order_id, kind, amount, reason, as_of, created_by) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (order_id) WHERE state = 'waiting' DO NOTHING RETURNING id`,
    [id, kind, asked.amount, asked.reason, businessDayOf(new Date()), staffIdOf(caller)],
  );
  if (!made) throw ruleBroken(['已有待审批的申请', 'A request of it waits for approval already']);
  const money = yuanFromFen(asked.amount);
  const { approval, label, amount } = KINDS[kind];
  await submitApproval(
    tx,
    platform,
    {
      kind: approval,
      bizId: made.id,
      tenantId: caller.tenantId,
      projectId: Number(row.project_id),
      title: [`${label[0]} ${String(row.code)}`, `${label[1]} ${String(row.code)}`],
      summary: [
        { label: amount, value: [`¥${money}`, `¥${money}`] },
        { label: ['原因', 'Reason'], value: [asked.reason, asked.reason] },
      ],
      starterId: caller.staffId,
    },
    { caller, facts },
  );
  return {
    to: String(row.state),
    event: [`提交${label[0]}审批`, `${label[1]} handed in for approval`],
    remark: `${money} · ${asked.reason}`,
  };
}
