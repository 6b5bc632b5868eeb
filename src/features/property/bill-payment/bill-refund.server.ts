import type { ApprovalKind, ApprovalOutcome } from '../../../domain/approval/approval-kind.server.ts';
import { submitApproval } from '../../../domain/approval/approve.server.ts';
import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import { keepBillTrade, refundableOf, tooMuch } from '../../../domain/charging/bill-refund.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { Refusal, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf, type Caller, type RequestFacts } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { applyRefund } from '../../after-sales/refund/refund-apply.server.ts';
import { PAYMENT_MENU } from './bill-payment.contract.ts';

/** Word of the approval engine. */
const KIND = 'bill_refund';
const AUDIT = `${PAYMENT_MENU}:btn_refundAudit`;
const WAITS: Label = ['已有待审批的退款', 'A refund of it waits for approval already'];

/** A request (`t`) stands where its payment does. */
const SCOPE: ScopeColumns = {
  tenant: '(SELECT p.tenant_id FROM bill_payment p WHERE p.id = t.payment_id)',
  project: '(SELECT p.project_id FROM bill_payment p WHERE p.id = t.payment_id)',
  owner: 't.created_by',
};

/** Requests as those read of them who see the payment. */
export const refundRequestSight = listSight({
  entity: 'billRefundRequest',
  menu: PAYMENT_MENU,
  table: 'bill_refund_request',
  scope: SCOPE,
});

/**
 * Asks for a refund of a payment: into the refund audit, above `fee.refund.approval` by way of an approval. Throws 30101 above what
 * can be paid back and while another refund of it is under way. Source: group 06, Rules of charging 12.
 */
export async function askRefund(context: ActionContext): Promise<ActionResult> {
  const { id, row, input } = context;
  const amount = Number(input.amount);
  return askRefundOf(
    context,
    {
      id,
      receiptNo: String(row.receipt_no),
      tenantId: Number(row.tenant_id),
      projectId: Number(row.project_id),
    },
    { amount, of: amount, reason: String(input.reason) },
  );
}

/** Asks for a refund of one locked payment; the limit looks at `of`, of which the amount may be a part. */
export async function askRefundOf(
  context: Pick<ActionContext, 'tx' | 'platform' | 'caller' | 'facts'>,
  payment: {
    readonly id: number;
    readonly receiptNo: string;
    readonly tenantId: number;
    readonly projectId: number;
  },
  { amount, of, reason }: { readonly amount: number; readonly of: number; readonly reason: string },
): Promise<ActionResult> {
  const { tx, platform, caller, facts } = context;
  const { id } = payment;
  await requireRoom(tx, id, amount);
  const waits = await runOne(
    tx,
    `SELECT id FROM bill_refund_request WHERE payment_id = $1 AND state = 'waiting'`,
    [id],
  );
  if (waits) throw ruleBroken(WAITS);
  const money = yuanFromFen(amount);
  const limit = await platform.settings.numberIn(tx, 'fee.refund.approval', {
    projectId: payment.projectId,
  });
  // Pieces add up.
  const before = (await runOne<{ sum: number }>(
    tx,
    'SELECT coalesce(-sum(amount), 0)::bigint AS sum FROM bill_payment WHERE refund_of = $1',
    [id],
  ))!;
  if (of + before.sum <= limit) {
    const refund = await openRefund(tx, platform, { paymentId: id, amount, reason }, { caller, facts });
    return { remark: `${money} · ${reason}`, result: { refund: refund.code } };
  }
  const request = (await runOne<{ id: number }>(
    tx,
    'INSERT INTO bill_refund_request (payment_id, amount, reason, created_by) VALUES ($1, $2, $3, $4) RETURNING id',
    [id, amount, reason, staffIdOf(caller)],
  ))!;
  await submitApproval(
    tx,
    platform,
    {
      kind: KIND,
      bizId: request.id,
      tenantId: payment.tenantId,
      projectId: payment.projectId,
      title: [`费用退款 ${payment.receiptNo}`, `Bill refund ${payment.receiptNo}`],
      summary: [
        { label: ['退款金额', 'Refund'], value: [`¥${money}`, `¥${money}`] },
        { label: ['原因', 'Reason'], value: [reason, reason] },
      ],
      starterId: caller.staffId,
    },
    { caller, facts },
  );
  return { event: ['提交退款审批', 'Refund handed in for approval'], remark: `${money} · ${reason}` };
}

async function requireRoom(tx: Tx, paymentId: number, amount: number): Promise<void> {
  const most = await refundableOf(tx, paymentId);
  if (amount > most) throw tooMuch(most);
}

interface Wanted {
  readonly paymentId: number;
  readonly amount: number;
  readonly reason: string;
}

/** Puts a refund of a locked payment into the audit, where another person pays it back. */
async function openRefund(
  tx: Tx,
  platform: Platform,
  { paymentId, amount, reason }: Wanted,
  by: { readonly caller?: Caller; readonly facts?: RequestFacts },
) {
  const { orderId, lineId } = await keepBillTrade(tx, paymentId);
  return applyRefund(tx, {
    platform,
    ...by,
    // What bills and accounts still hold decides: neither window nor level of the applicant is asked.
    system: true,
    applicantType: 2,
    orderId,
    lines: [{ lineId, amount }],
    reasonCode: 'other',
    reason,
  });
}

interface RequestRow {
  readonly id: number;
  readonly payment_id: number;
  readonly amount: number;
  readonly reason: string;
  readonly receipt: string;
  readonly paid: number;
  readonly staff_id: number;
  readonly staff: string;
}

const readRequest = (db: Executor, id: number) =>
  runOne<RequestRow>(
    db,
    `SELECT q.id, q.payment_id, q.amount, q.reason, p.receipt_no AS receipt, p.amount AS paid, s.id AS staff_id, s.name AS staff
       FROM bill_refund_request q JOIN bill_payment p ON p.id = q.payment_id JOIN staff s ON s.id = q.created_by WHERE q.id = $1`,
    [id],
  );

/** Refunds above `fee.refund.approval`; whoever asked for one decides it neither here nor in the audit. */
export const refundApproval: ApprovalKind = {
  kind: KIND,
  label: ['费用退款', 'Bill refund'],
  entity: 'billRefundRequest',
  sights: { toDecide: refundRequestSight, outcome: refundRequestSight },
  moves: true,
  fields: [{ name: 'amount', label: ['退款金额（元）', 'Refund (yuan)'], kind: 'number' }],
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
        title: ['费用退款', 'Bill refund'],
        values: [
          said('receipt', ['收据号', 'Receipt'], row.receipt),
          said('paid', ['实收', 'Paid'], yuanFromFen(row.paid)),
          said('amount', ['退款金额', 'Refund'], yuanFromFen(row.amount)),
          said('reason', ['原因', 'Reason'], row.reason),
        ],
      },
    ];
  },
  samples: async (db, caller) => {
    const parameters = new Parameters();
    const seen = scopeCondition(caller, PAYMENT_MENU, SCOPE, parameters);
    return run<{ id: number; title: string }>(
      db,
      `SELECT t.id, p.receipt_no AS title FROM bill_refund_request t JOIN bill_payment p ON p.id = t.payment_id WHERE ${seen} ORDER BY t.id DESC LIMIT 20`,
      parameters.values,
    );
  },
  route: () => `/companymanager/${PAYMENT_MENU}`,
  approvers: (tx, subject) => holdersOf(tx, subject.tenantId, AUDIT, [subject.starterId]),
  decidable: (_db, decider, subjects) =>
    Promise.resolve(new Set(decider.elements.has(AUDIT) ? subjects.map((subject) => subject.bizId) : [])),
  onApproved: (outcome) => end(outcome, 'passed'),
  onRejected: (outcome) => end(outcome, 'refused'),
  onWithdrawn: (outcome) => end(outcome, 'withdrawn'),
};

const EVENTS = {
  passed: ['退款审批通过', 'Refund approved'],
  refused: ['退款审批驳回', 'Refund refused'],
  withdrawn: ['撤回退款审批', 'Refund withdrawn'],
} as const;

async function end(outcome: ApprovalOutcome, state: keyof typeof EVENTS): Promise<void> {
  const { tx, platform, bizId, caller, opinion, facts } = outcome;
  const request = (await readRequest(tx, bizId))!;
  await run(tx, 'SELECT FROM bill_payment WHERE id = $1 FOR UPDATE', [request.payment_id]);
  await run(tx, 'UPDATE bill_refund_request SET state = $2, ended_at = now() WHERE id = $1', [bizId, state]);
  let note = '';
  if (state === 'passed') {
    try {
      await requireRoom(tx, request.payment_id, request.amount);
      const refund = await openRefund(
        tx,
        platform,
        { paymentId: request.payment_id, amount: request.amount, reason: request.reason },
        {},
      );
      // Whoever asked for it is its applicant, so that the audit is another person's.
      await run(
        tx,
        'UPDATE refund SET applicant_id = $2, applicant_name = $3, created_by = $2, updated_by = $2 WHERE id = $1',
        [refund.id, request.staff_id, request.staff],
      );
      await run(tx, 'UPDATE bill_refund_request SET refund_id = $2 WHERE id = $1', [bizId, refund.id]);
      note = refund.code;
    } catch (error) {
      // Paid back or spent in between: the approval stands, the money cannot go.
      if (!(error instanceof Refusal)) throw error;
      note = error.label[0];
    }
  }
  await run(tx, 'UPDATE bill_payment SET version = version + 1, updated_at = now() WHERE id = $1', [
    request.payment_id,
  ]);
  platform.changed('billPayment');
  const by = caller.staffId === 0 ? {} : { caller };
  await writeTimeline(tx, {
    entity: 'billPayment',
    entityId: request.payment_id,
    ...by,
    action: 'refund',
    label: EVENTS[state],
    remark: [yuanFromFen(request.amount), note, opinion].filter(Boolean).join(' · '),
  });
  await writeAudit(tx, {
    ...by,
    facts,
    menu: PAYMENT_MENU,
    action: `refund.${state}`,
    entity: 'billPayment',
    entityId: request.payment_id,
    after: { amount: request.amount, refund: note, opinion },
  });
}
