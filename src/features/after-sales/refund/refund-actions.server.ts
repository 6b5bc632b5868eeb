import type { Label } from '../../../kernel/contract/label.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import type { Binding, DbRow } from '../../../kernel/server/resource/binding.ts';
import { holds, type Caller } from '../../../kernel/server/people/caller.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { forbidden, invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { checkAttachable } from '../../../kernel/server/files/files.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { TRADE_SCOPE } from './refund-scope.server.ts';
import { checkAuditor, lowerRefund, passRefund } from '../../../domain/trade-money/refund.rules.ts';
import { forceRefund } from './refund-apply.server.ts';
import { isNothingPaid } from './refund-asked.server.ts';
import { refundLimits, refundedByStaff, releaseRefund } from './refund-end.server.ts';
import { lockTrade, type OrderRow, type PaymentRow, type RefundRecord } from './refund-order.server.ts';
import { BY_RECEIPTS, channelPlan, startSending } from './refund-send.server.ts';
import { storedSplit } from './refund-split.server.ts';
import { bookSuccess } from './refund-success.server.ts';
import { ORDER_EVENTS, addNotice, noteOrder, noteRefund } from './refund-transition.server.ts';

const AUDIT = 'mm_orderRefund:btn_audit';
const FINANCE = 'mm_orderRefund:btn_auditFinance';
const RESTART = 'mm_orderRefund:btn_restart';
const OFFLINE = 'mm_orderRefund:btn_offline';

/**
 * Condition of the tab 待我审核 and of the badge: level and right fit, neither own nor passed by the same person. What was
 * recorded as paid offline waits for the second person alone.
 */
export const waitingForMe: NonNullable<Binding['tabs']>[string] = (caller, parameters) => {
  const turns: string[] = [];
  const me = parameters.bind(caller.staffId);
  if (holds(caller, AUDIT)) turns.push('(t.level = 1 AND t.offline_by IS NULL)');
  if (holds(caller, FINANCE))
    turns.push(`(t.level = 2 AND t.offline_by IS NULL AND t.auditor1 IS DISTINCT FROM ${me})`);
  if (holds(caller, OFFLINE)) turns.push(`t.offline_by <> ${me}`);
  if (turns.length === 0) return `${me}::bigint IS NULL`;
  return `t.state = 'reviewing' AND t.applicant_id IS DISTINCT FROM ${me} AND (${turns.join(' OR ')})`;
};

/** Why a staff may not take an action on a refund; hides the button and refuses the call (30101). */
export const rowRules: NonNullable<Binding['rowRules']> = {
  approve: unlessByReceipts((row, caller) =>
    isLevelTwo(row) ? FINANCE_TURN : refusalOfAuditor(row, caller),
  ),
  bulkPass: unlessByReceipts((row, caller) =>
    isLevelTwo(row) ? FINANCE_TURN : refusalOfAuditor(row, caller),
  ),
  approveFinance: unlessByReceipts((row, caller) =>
    isLevelTwo(row) ? refusalOfAuditor(row, caller) : NOT_LEVEL_TWO,
  ),
  reject: unlessPaidOffline((row, caller) =>
    isLevelTwo(row) ? FINANCE_TURN : refusalOfAuditor(row, caller),
  ),
  rejectFinance: unlessPaidOffline((row, caller) =>
    isLevelTwo(row) ? refusalOfAuditor(row, caller) : NOT_LEVEL_TWO,
  ),
  passAgain: unlessByReceipts((row, caller) =>
    holds(caller, RESTART) ? RESTART_INSTEAD : refusalOfAuditor(row, caller),
  ),
  restart: unlessByReceipts(() => undefined),
  offline: unlessPaidOffline((row) =>
    row.state === 'reviewing' && !row.channelForbidden ? USE_CHANNEL : undefined,
  ),
  confirmOffline: (row, caller) => {
    if (row.offlineBy === null) return NOT_RECORDED;
    if (row.offlineBy === caller.staffId) return SECOND_PERSON;
    return row.applicantId === caller.staffId ? OWN_REFUND : undefined;
  },
  withdrawOffline: (row) => (row.offlineBy === null ? NOT_RECORDED : undefined),
};

type RowRule = NonNullable<NonNullable<Binding['rowRules']>[string]>;

/** The money of a recorded offline refund is out of the house: until it is confirmed or taken back nothing else is due. */
function unlessPaidOffline(rule: RowRule): RowRule {
  return (row, caller) => (row.offlineBy === null ? rule(row, caller) : OFFLINE_WAITS);
}

/** Money that came by receipts goes back offline: no way through the channel is offered. */
function unlessByReceipts(rule: RowRule): RowRule {
  return unlessPaidOffline((row, caller) => rule(row, caller) ?? (row.byReceipts ? BY_RECEIPTS : undefined));
}

/** What the staff actions of a refund do inside their transaction. Source: group 21, states and transitions. */
export const handlers: NonNullable<Binding['handlers']> = {
  approve: (context) => pass(context, 1),
  approveFinance: (context) => pass(context, 2),
  bulkPass: async (context) => {
    const most = await context.platform.settings.numberIn(context.tx, 'refund.bulk_max');
    const refund = recordOf(context);
    if (refund.cash > most) throw ruleBroken(fill(BULK_MAX, { max: yuanFromFen(most) }));
    return pass(context, 1);
  },
  reject: (context) => reject(context),
  rejectFinance: (context) => reject(context),
  passAgain: (context) => sendAgain(context),
  restart: (context) => sendAgain(context),
  offline: async (context) => {
    const refund = recordOf(context);
    const { payment } = await lockTrade(context.tx, refund.order_id);
    await requireOffline(context, refund, payment);
    await checkAttachable(context.tx, context.caller, 'voucher', context.input.voucher as string[]);
    // The payee stands in its masked field alone: remarks are read by everybody who sees the refund.
    await noteRefund(context.tx, refund.id, {
      from: refund.state,
      to: refund.state,
      who: context.caller.name,
      remark: OFFLINE_NOTED[0],
    });
    return {
      set: {
        offline_payee: String(context.input.payee),
        offline_voucher: context.input.voucher,
        offline_by: context.caller.staffId,
      },
    };
  },
  confirmOffline: async (context) => {
    const { tx, platform, caller } = context;
    const refund = recordOf(context);
    const { order, payment } = await lockTrade(tx, refund.order_id);
    await requireOffline(context, refund, payment);
    await bookSuccess(tx, platform, refund, order, payment, caller);
    await noteRefund(tx, refund.id, { from: refund.state, to: 'succeeded', who: caller.name });
    return { set: { way: 'offline', succeeded_at: payment.now, auditor2: refund.auditor2 } };
  },
  withdrawOffline: async (context) => {
    const refund = recordOf(context);
    const reason = String(context.input.reason);
    await noteRefund(context.tx, refund.id, {
      from: refund.state,
      to: refund.state,
      who: context.caller.name,
      remark: `${OFFLINE_WITHDRAWN[0]} ${reason}`,
    });
    return { set: { offline_by: null, offline_payee: '', offline_voucher: [] }, remark: reason };
  },
  force: async ({ tx, platform, caller, facts, input }) => {
    if (caller.tenantKind !== 3) throw forbidden();
    const parameters = new Parameters();
    const code = parameters.bind(input.orderCode);
    // Platform staff may be limited to projects or rows of their own too.
    const scope = scopeCondition(caller, 'mm_orderRefund', TRADE_SCOPE, parameters);
    const order = await runOne<{ id: number }>(
      tx,
      `SELECT t.id FROM sales_order t WHERE t.code = ${code} AND ${scope}`,
      parameters.values,
    );
    if (!order) throw notFound();
    const made = await forceRefund(tx, {
      platform,
      caller,
      facts,
      orderId: order.id,
      reason: String(input.reason),
    });
    return {
      result: {
        id: String(made.id),
        code: made.code,
        state: made.state,
        level: made.level,
        cash: yuanFromFen(made.cash),
      },
    };
  },
};

const FINANCE_TURN: Label = ['等待二级审核', 'Waiting for the second level'];
const NOT_LEVEL_TWO: Label = ['该退款不需要二级审核', 'The refund needs no second level'];
const USE_CHANNEL: Label = ['可原路退回，不能线下退款', 'It can go back the way it came; no offline refund'];
const NOT_RECORDED: Label = ['尚未登记线下退款', 'No offline refund was recorded'];
const OFFLINE_WAITS: Label = [
  '已登记线下退款，请先确认或撤销登记',
  'An offline refund is recorded; confirm it or withdraw the record first',
];
const OFFLINE_WITHDRAWN: Label = ['撤销线下退款登记', 'Record of the offline refund withdrawn'];
const SECOND_PERSON: Label = ['须由另一人确认线下退款', 'Another person has to confirm the offline refund'];
const OWN_REFUND: Label = ['不能审核自己发起的退款', 'You cannot audit a refund you applied for'];
const BULK_MAX: Label = ['批量通过单笔不超过{max}元', 'At most {max} each when passing several'];
const RESTART_INSTEAD: Label = ['请使用重新退款', 'Please use Restart'];
/** Refusal of another amount once the channel has heard of the first one. */
export const FIXED_CASH: Label = [
  '已向渠道发起，金额不能再改',
  'The channel was asked already; the amount cannot change',
];
const NO_REASON: Label = ['请填写调低原因', 'Please say why the amount is lowered'];
const PASSED: Label = ['审核通过', 'Passed'];
const TO_FINANCE: Label = ['一级通过，转二级审核', 'Passed, to the second level'];
const REJECTED: Label = ['退款驳回', 'Refund rejected'];
const OFFLINE_NOTED: Label = ['登记线下退款', 'Offline refund recorded'];
const MAYBE_PAID: Label = [
  '渠道未确认未出款，暂不能操作，请稍后重试',
  'The channel has not confirmed that no money moved, please try again later',
];

async function pass(context: ActionContext, level: 1 | 2): Promise<ActionResult> {
  const { tx, platform, caller } = context;
  const { order, payment } = await lockTrade(tx, Number(context.row.order_id));
  const lowered = await lower(context, recordOf(context));
  const refund = lowered ?? recordOf(context);
  const columns = lowered
    ? {
        cash: refund.cash,
        freight_part: refund.freight_part,
        kind: refund.kind,
        cash_reason: context.input.cashReason,
      }
    : {};
  const audit =
    level === 1
      ? { auditor1: caller.staffId, auditor1_at: payment.now }
      : { auditor2: caller.staffId, auditor2_at: payment.now };
  // Of what staff apply for, earlier pieces of the order count along; a buyer's refund stands for itself.
  const before = refund.applicant_id === null ? undefined : await refundedByStaff(tx, order.id);
  const outcome = passRefund(
    { level, applyPrice: refund.apply_price, withoutFinance: before?.withoutFinance ?? 0 },
    await refundLimits(tx, platform),
  );
  if (outcome.status === 0) {
    // Nobody passes level 1 of what the channel forbids: finance would find a dead end.
    const plan = await channelPlan(tx, platform, refund, payment);
    if (plan.kind === 'refused') throw ruleBroken(plan.message);
    await noteRefund(tx, refund.id, {
      from: 'reviewing',
      to: 'reviewing',
      who: caller.name,
      remark: TO_FINANCE[0],
    });
    return { to: 'reviewing', set: { ...columns, ...audit, level: outcome.level }, event: TO_FINANCE };
  }
  const sent = await send(context, refund, order, payment);
  await noteOrder(tx, order, {
    action: 'audit_refund',
    label: PASSED,
    code: ORDER_EVENTS.audited,
    remark: yuanFromFen(refund.cash),
    caller,
  });
  return { ...sent, set: { ...sent.set, ...columns, ...audit } };
}

/** A failed refund was audited before it was sent: it goes out again with its number, whatever the button is called. */
async function sendAgain(context: ActionContext): Promise<ActionResult> {
  const refund = recordOf(context);
  const { order, payment } = await lockTrade(context.tx, refund.order_id);
  return send(context, refund, order, payment);
}

async function send(
  context: ActionContext,
  refund: RefundRecord,
  order: OrderRow,
  payment: PaymentRow,
): Promise<ActionResult> {
  const plan = await startSending(context.tx, context.platform, refund, order, payment);
  await noteRefund(context.tx, refund.id, {
    from: refund.state,
    to: plan.to,
    who: context.caller.name,
    remark: plan.remark,
  });
  return { to: plan.to, set: plan.set, remark: plan.remark };
}

/** Lowers the cash of a refund that was not sent yet, on its rows and on the reserved cash of the payment. */
async function lower(context: ActionContext, refund: RefundRecord): Promise<RefundRecord | undefined> {
  const { tx, input } = context;
  const cash = input.agreedCash as number | null | undefined;
  if (cash === undefined || cash === null || cash === refund.cash) return undefined;
  if (refund.attempts > 0) throw ruleBroken(FIXED_CASH);
  if (!input.cashReason) throw invalid({ cashReason: NO_REASON });
  const answer = lowerRefund(await storedSplit(tx, refund), cash);
  if (!answer.ok) throw ruleBroken(answer.breach.message);
  const { split } = answer;
  for (const row of split.rows)
    await run(
      tx,
      `UPDATE refund_line SET cash = $3, withheld = $5, amount_part = $6
        WHERE refund_id = $1 AND line_id = (SELECT id FROM order_line WHERE order_id = $4 AND line_no = $2)
          AND kind = $7`,
      [
        refund.id,
        row.lineNo,
        row.cash,
        refund.order_id,
        row.withheld,
        row.amountPart,
        row.kind === 'recheck' ? 'recheck' : 'part',
      ],
    );
  // The books below read the refund's own row.
  await run(tx, 'UPDATE refund SET cash = $2, freight_part = $3, kind = $4 WHERE id = $1', [
    refund.id,
    split.cash,
    split.freightPart,
    split.kind,
  ]);
  await run(tx, 'UPDATE payment SET refunding = refunding - $2 WHERE id = $1', [
    refund.payment_id,
    refund.cash - split.cash,
  ]);
  return { ...refund, cash: split.cash, freight_part: split.freightPart, kind: split.kind };
}

async function reject(context: ActionContext): Promise<ActionResult> {
  const { tx, caller } = context;
  const refund = recordOf(context);
  const reason = String(context.input.reason);
  if (refund.state === 'failed') requireNothingPaid(context, refund);
  const { order, payment } = await releaseRefund(tx, context.platform, refund, { reason, caller });
  await noteRefund(tx, refund.id, { from: refund.state, to: 'cancelled', who: caller.name, remark: reason });
  await noteOrder(tx, order, {
    action: 'reject_refund',
    label: REJECTED,
    code: ORDER_EVENTS.rejected,
    remark: reason,
    caller,
  });
  await addNotice(tx, refund, 'cancelled');
  context.platform.changed('goodsOrder');
  const audit =
    refund.level === 2
      ? { auditor2: caller.staffId, auditor2_at: payment.now }
      : { auditor1: refund.auditor1 ?? caller.staffId, auditor1_at: context.row.auditor1_at ?? payment.now };
  return { set: { reject_reason: reason, ...(refund.state === 'reviewing' ? audit : {}) }, remark: reason };
}

/** Offline only where the normal way is closed: after a failure, or when a channel rule forbids it; never twice. */
async function requireOffline(
  context: ActionContext,
  refund: RefundRecord,
  payment: PaymentRow,
): Promise<void> {
  if (refund.state === 'reviewing') {
    const plan = await channelPlan(context.tx, context.platform, refund, payment);
    if (plan.kind !== 'refused') throw ruleBroken(USE_CHANNEL);
    return;
  }
  requireNothingPaid(context, refund);
}

/** Anything but the channel's clear no is refused. */
function requireNothingPaid(context: ActionContext, refund: RefundRecord): void {
  if (!isNothingPaid(context.facts, refund)) throw ruleBroken(MAYBE_PAID);
}

/** Why a staff may not audit a refund as its row stands: an own application, an own first level. */
export function refusalOfAuditor(row: DbRow, caller: Caller): Label | undefined {
  const text = (id: unknown) => (id === null ? null : String(id));
  const facts = {
    applicantStaffId: text(row.applicantId),
    level: row.levelNo as 1 | 2,
    auditor1Id: text(row.auditor1Id),
  };
  return checkAuditor(facts, String(caller.staffId)) ?? undefined;
}

function isLevelTwo(row: DbRow): boolean {
  return row.state === 'reviewing' && row.levelNo === 2;
}

function recordOf(context: ActionContext): RefundRecord {
  return context.row as unknown as RefundRecord;
}
