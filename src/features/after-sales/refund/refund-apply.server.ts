import type { Label } from '../../../kernel/contract/label.ts';
import { fill } from '../../../kernel/contract/label.ts';
import { SYSTEM_NAME, holds, type Caller, type RequestFacts } from '../../../kernel/server/caller.ts';
import { nextCode } from '../../../kernel/server/codes.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { insertRow } from '../../../kernel/server/run-action.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit.ts';
import {
  checkAfterSaleWindow,
  checkCaps,
  checkRefundable,
  lowerRefund,
  startRefund,
  suggestFullRefund,
  suggestRefund as suggestByRules,
  type RefundAnswer,
  type RefundItem,
  type RefundLimits,
  type RefundSplit,
} from '../../shared/trade-money/refund.rules.ts';
import { refund as contract, type RefundReason } from './refund.contract.ts';
import {
  businessTypeOf,
  loadTrade,
  lockRefund,
  lockTrade,
  orderStatusCode,
  refundTotals,
  writeSplitRows,
  type OrderRow,
  type PaymentRow,
  type Trade,
} from './refund-order.server.ts';
import { channelPlan, startSending } from './refund-send.server.ts';
import { ORDER_EVENTS, moveRefund, noteOrder, noteRefund } from './refund-transition.server.ts';

/** What is asked for on a line of the order: units of it, or an amount of its cash in fen (差价, damage). */
export type RefundLineRequest =
  | { readonly lineId: number; readonly qty: number; readonly from?: 'shipped' }
  | { readonly lineId: number; readonly amount: number };

/** An application for a refund. Amounts in fen. */
export interface RefundApplication {
  readonly platform: Platform;
  /** The staff who applies. Without one: the system when `system` is true, else the buyer. */
  readonly caller?: Caller | undefined;
  readonly facts?: RequestFacts | undefined;
  readonly system?: boolean;
  /** 1 buyer, 2 staff (also the system), as the refund paths send it. */
  readonly applicantType: 1 | 2;
  readonly orderId: number;
  /** `all`: every unit and all money left, freight included. */
  readonly lines: readonly RefundLineRequest[] | 'all';
  /** Freight set by staff; absent: all freight left when nothing was shipped and every unit goes back, else 0. */
  readonly freight?: number;
  /** Cash agreed below the suggested one; never above. */
  readonly agreedCash?: number;
  /** Why cash was lowered or freight set; required with either. */
  readonly cashReason?: string;
  readonly reasonCode?: RefundReason;
  readonly reason?: string;
  readonly liable?: 'merchant' | 'platform';
  readonly afterSaleId?: number;
}

/** The refund an application made; cash in fen. */
export interface AppliedRefund {
  readonly id: number;
  readonly code: string;
  readonly state: 'reviewing' | 'refunding' | 'succeeded';
  readonly level: 1 | 2;
  readonly cash: number;
  readonly points: number;
  readonly applyPrice: number;
}

/**
 * Creates a refund of one order and, where the rules allow it, passes it at once. Locks the order and its payment,
 * checks every cap behind the locks and reserves the cash on the payment. The caller has checked the data scope.
 * Throws 404 for an unknown order, 422 for lines that are not the order's, and 30101: 该订单有未完成的退款, unpaid, still
 * grouping or closed order, 已超过售后期限, 最多可退{x}元（已退{y}，处理中{z}）.
 * Source: group 21, Refund engine.
 */
export async function applyRefund(tx: Tx, application: RefundApplication): Promise<AppliedRefund> {
  return create(tx, application, application.system ? 'system' : application.caller ? 'staff' : 'buyer');
}

/**
 * Force pass by order (btn_force, platform only): creates the refund of everything left and passes level 1; from
 * `refund.finance_from` on level 2 still waits for another person. Throws as {@link applyRefund}.
 */
export async function forceRefund(
  tx: Tx,
  request: { readonly platform: Platform; readonly caller: Caller; readonly facts: RequestFacts; readonly orderId: number; readonly reason: string },
): Promise<AppliedRefund> {
  return create(tx, { ...request, applicantType: 2, lines: 'all', reasonCode: 'force' }, 'force');
}

/**
 * What a refund of these lines would be, with formulas before and after; nothing is written or locked. The answer is
 * the first broken cap when more is asked for than is left. Throws 404 and 422 as {@link applyRefund}.
 */
export async function suggestRefund(
  db: Executor,
  request: Pick<RefundApplication, 'orderId' | 'lines' | 'freight'>,
): Promise<RefundAnswer> {
  const order = await runOne<OrderRow>(db, 'SELECT * FROM sales_order WHERE id = $1', [request.orderId]);
  if (!order) throw notFound();
  return suggestion(request, await loadTrade(db, order.id, order.payment_id));
}

/** The buyer or the applicant takes a refund back: 退款审核中 → 退款取消. Throws 30101 该退款已被处理 in another state. */
export async function withdrawRefund(
  tx: Tx,
  request: { readonly platform: Platform; readonly refundId: number; readonly caller?: Caller; readonly facts?: RequestFacts },
): Promise<void> {
  const refund = await lockRefund(tx, request.refundId);
  if (request.caller && refund.applicant_id !== request.caller.staffId)
    throw ruleBroken(['只有申请人可以撤回', 'Only the applicant can withdraw it']);
  await moveRefund(tx, refund, {
    from: ['reviewing'],
    to: 'cancelled',
    action: 'withdraw',
    label: ['撤回', 'Withdraw'],
    caller: request.caller,
    facts: request.facts,
  });
  await releaseRefund(tx, refund);
  request.platform.changed('refund');
}

/** Gives a refund that is cancelled back its reserved cash and the order its refund_status. Refund must be locked. */
export async function releaseRefund(
  tx: Tx,
  refund: { readonly order_id: number; readonly cash: number },
): Promise<{ order: OrderRow; payment: PaymentRow }> {
  const { order, payment } = await lockTrade(tx, refund.order_id);
  await run(tx, 'UPDATE payment SET refunding = refunding - $2 WHERE id = $1', [payment.id, refund.cash]);
  // What it was before follows from what is booked; the order's state never left its place.
  await run(
    tx,
    `UPDATE sales_order o SET version = version + 1, updated_at = now(), refund_status = CASE
        WHEN NOT EXISTS (SELECT FROM order_line l WHERE l.order_id = o.id AND l.qty_refunded < l.qty) THEN 'full'
        WHEN EXISTS (SELECT FROM refund r WHERE r.order_id = o.id AND r.state = 'succeeded') THEN 'part' ELSE 'none' END
      WHERE o.id = $1`,
    [order.id],
  );
  return { order, payment };
}

/** Settings that decide levels, in fen. */
export async function refundLimits(tx: Executor, platform: Platform): Promise<RefundLimits> {
  const setting = (name: string) => platform.settings.numberIn(tx, `refund.${name}`);
  return {
    autoPassMax: await setting('auto_pass_max'),
    staffDirectMax: await setting('staff_direct_max'),
    financeFrom: await setting('finance_from'),
  };
}

type Applicant = 'buyer' | 'staff' | 'system' | 'force';

const MORE: Label = ['{name} 等{n}种', '{name} and more ({n} kinds)'];
const APPLY: Label = ['申请退款', 'Apply for a refund'];
const BUYER: Label = ['买家', 'Buyer'];
const AUTO: Label = ['自动通过', 'Passed automatically'];
const NO_LINES: Label = ['请选择退款商品', 'Please choose what to refund'];
const WRONG_LINE: Label = ['商品不属于该订单', 'The line is not of this order'];
const NO_REASON: Label = ['请填写调整原因', 'Please say why the amount was changed'];

async function create(tx: Tx, application: RefundApplication, applicant: Applicant): Promise<AppliedRefund> {
  const { platform, caller } = application;
  const { order, payment } = await lockTrade(tx, application.orderId);
  const trade = await loadTrade(tx, order.id, payment.id);
  const suggested = await checked(tx, application, applicant, order, payment, trade);
  const split = agreed(application, suggested);
  const breach = checkCaps(trade.order, await refundTotals(tx, order, payment), split);
  if (breach) throw ruleBroken(breach.message);

  const limits = await refundLimits(tx, platform);
  const start = startRefund(
    applicant === 'staff' ? { kind: 'staff', holdsAudit: holds(caller!, 'mm_orderRefund:btn_audit') } : { kind: applicant },
    split,
    limits,
  );
  const code = await nextCode(tx, contract.prefix!);
  const member = await runOne<{ name: string }>(tx, `SELECT coalesce(nullif(name, ''), nickname) AS name FROM member WHERE id = $1`, [order.member_id]);
  // Timelines are not masked, so the buyer stays without a name there.
  const who = caller?.name ?? (applicant === 'buyer' ? BUYER[0] : SYSTEM_NAME);
  const level = start.status === 0 ? start.level : 1;
  const id = await insertRow(tx, 'refund', {
    code,
    order_id: order.id,
    payment_id: payment.id,
    after_sale_id: application.afterSaleId ?? null,
    tenant_id: order.tenant_id,
    project_id: order.project_id,
    member_id: order.member_id,
    business_type: businessTypeOf(order.kind),
    applicant_type: application.applicantType,
    applicant_id: caller?.staffId ?? null,
    applicant_name: caller?.name ?? (applicant === 'buyer' ? member!.name : SYSTEM_NAME),
    state: 'reviewing',
    level,
    ...amounts(split),
    apply_price: split.applyPrice,
    suggested_cash: suggested.cash,
    item_count: split.rows.reduce((sum, row) => sum + row.qty, 0),
    product_name: productName(split, trade),
    shipped: split.send,
    liable: application.liable ?? 'merchant',
    reason_code: application.reasonCode ?? (applicant === 'system' ? 'system' : 'other'),
    reason: application.reason ?? '',
    cash_reason: application.cashReason ?? '',
    ...(applicant === 'force' ? { auditor1: caller!.staffId, auditor1_at: payment.now } : {}),
    channel_refund_no: `CR${code.slice(2)}`,
    snapshot: JSON.stringify(suggested),
    created_by: caller?.staffId ?? null,
    updated_by: caller?.staffId ?? null,
  });
  await writeSplitRows(tx, id, split, trade);
  await run(tx, 'UPDATE payment SET refunding = refunding + $2 WHERE id = $1', [payment.id, split.cash]);
  await run(tx, `UPDATE sales_order SET refund_status = 'refunding', version = version + 1, updated_at = now() WHERE id = $1`, [order.id]);
  await noteRefund(tx, id, { from: null, to: 'reviewing', who, remark: application.reason });
  await writeTimeline(tx, { entity: contract.name, entityId: id, ...(caller ? { caller } : {}), action: 'apply', label: APPLY, to: 'reviewing', remark: application.reason ?? '' });
  await writeAudit(tx, {
    ...(caller ? { caller } : {}),
    ...(application.facts ? { facts: application.facts } : {}),
    menu: contract.menu,
    action: applicant === 'force' ? 'force' : 'apply',
    entity: contract.name,
    entityId: id,
    after: { code, order: order.code, ...amounts(split), reason: application.reason },
  });
  await noteOrder(tx, order, {
    action: 'apply_refund',
    label: APPLY,
    ...(order.state === 'completed' ? { code: ORDER_EVENTS.afterSale } : {}),
    remark: application.reason ?? '',
    caller,
    who,
  });
  const state = start.status === 1 ? await passAtOnce(tx, application, id, order) : 'reviewing';
  platform.changed('refund');
  platform.changed('goodsOrder');
  return { id, code, state, level, cash: split.cash, points: split.points, applyPrice: split.applyPrice };
}

/** Everything that can be said before the caps: order, payment, window, and the suggestion of the rules. */
async function checked(
  tx: Tx,
  application: RefundApplication,
  applicant: Applicant,
  order: OrderRow,
  payment: PaymentRow,
  trade: Trade,
): Promise<RefundSplit> {
  const open = await runOne(tx, `SELECT 1 FROM refund WHERE order_id = $1 AND state IN ('reviewing', 'refunding', 'failed')`, [order.id]);
  const businessType = businessTypeOf(order.kind);
  const refused = checkRefundable({
    orderStatus: orderStatusCode(order.state),
    hasUnfinishedRefund: open !== undefined,
    paymentState: payment.state,
    paymentBusinessType: businessType,
    refundBusinessType: businessType,
    bySystem: applicant === 'system',
  });
  // An order that was closed by its own refunds is told what is left of it: 0.00.
  const emptied = order.state === 'closed' && order.refund_status === 'full' && payment.state === 2;
  if (refused && !emptied) throw ruleBroken(refused);
  if (order.completed_at && order.state === 'completed') {
    const late = checkAfterSaleWindow({
      completedAt: order.completed_at.getTime(),
      now: payment.now.getTime(),
      actor: applicant === 'buyer' ? 'buyer' : application.caller?.tenantKind === 3 || applicant === 'system' ? 'platform' : 'merchant',
      isQualityReason: application.reasonCode === 'quality',
      afterSaleDays: await afterSaleDays(tx, order),
      qualityDays: await application.platform.settings.numberIn(tx, 'refund.quality_days'),
    });
    if (late) throw ruleBroken(late);
  }
  const answer = suggestion(application, trade);
  if (!answer.ok) throw ruleBroken(answer.breach.message);
  if (refused) throw ruleBroken(refused);
  return answer.split;
}

function suggestion(request: Pick<RefundApplication, 'lines' | 'freight'>, trade: Trade): RefundAnswer {
  if (request.lines === 'all') return everything(trade);
  if (request.lines.length === 0 && !request.freight) throw invalid({ lines: NO_LINES });
  const items = request.lines.map((line): RefundItem => {
    const lineNo = trade.lineNos.get(line.lineId);
    if (lineNo === undefined) throw invalid({ lines: WRONG_LINE });
    const count = 'qty' in line ? line.qty : line.amount;
    if (!Number.isSafeInteger(count) || count < 1) throw invalid({ lines: NO_LINES });
    return 'qty' in line
      ? { kind: 'units', lineNo, qty: line.qty, ...(line.from ? { from: line.from } : {}) }
      : { kind: 'amount', lineNo, amount: line.amount };
  });
  if (new Set(items.map((item) => `${item.kind} ${item.lineNo}`)).size !== items.length) throw invalid({ lines: NO_LINES });
  return suggestByRules({
    order: trade.order,
    otherOrders: trade.otherOrders,
    coupons: trade.coupons,
    items,
    ...(request.freight === undefined ? {} : { freightPart: request.freight }),
  });
}

function everything(trade: Trade): RefundAnswer {
  const { order } = trade;
  const left = order.lines.some((line) => line.qtyRefunded < line.qty || line.cashRefunded < line.cash);
  if (left || order.freightRefunded < order.freight) return { ok: true, split: suggestFullRefund(order) };
  // The rules say it with the right words: one more unit than none.
  return suggestByRules({ order, otherOrders: [], coupons: [], items: [{ kind: 'units', lineNo: order.lines[0]!.lineNo, qty: 1 }] });
}

function agreed(application: RefundApplication, suggested: RefundSplit): RefundSplit {
  const changed = application.freight !== undefined || (application.agreedCash !== undefined && application.agreedCash !== suggested.cash);
  if (changed && !application.cashReason?.trim()) throw invalid({ cashReason: NO_REASON });
  if (application.agreedCash === undefined) return suggested;
  const lowered = lowerRefund(suggested, application.agreedCash);
  if (!lowered.ok) throw ruleBroken(lowered.breach.message);
  return lowered.split;
}

async function passAtOnce(tx: Tx, application: RefundApplication, id: number, order: OrderRow): Promise<AppliedRefund['state']> {
  const { platform } = application;
  const refund = await lockRefund(tx, id);
  const { payment } = await lockTrade(tx, order.id);
  const forbidden = await channelPlan(tx, platform, refund, payment);
  if (forbidden.kind === 'refused') {
    // The application stands; staff finish it with the offline refund.
    await noteRefund(tx, id, { from: 'reviewing', to: 'reviewing', remark: forbidden.message[0] });
    return 'reviewing';
  }
  const plan = await startSending(tx, platform, refund, { ...order, refund_status: 'refunding' }, payment);
  await moveRefund(tx, refund, { from: ['reviewing'], to: plan.to, action: 'auto_pass', label: AUTO, set: plan.set, remark: plan.remark, caller: application.caller, facts: application.facts });
  return plan.to;
}

async function afterSaleDays(tx: Tx, order: OrderRow): Promise<number> {
  const row = await runOne<{ days: number }>(
    tx,
    `SELECT after_sale_days AS days FROM merchant_agreement WHERE tenant_id = $1 AND ($2::int IS NULL OR agreement_version = $2)
      ORDER BY agreement_version DESC LIMIT 1`,
    [order.tenant_id, order.agreement_version],
  );
  return row?.days ?? AFTER_SALE_DAYS;
}

/** Days of an agreement that says nothing. Source: group 21, "Before anything". */
const AFTER_SALE_DAYS = 7;

function amounts(split: RefundSplit): Record<string, unknown> {
  return {
    kind: split.kind,
    cash: split.cash,
    freight_part: split.freightPart,
    fee: split.fee,
    points: split.points,
    points_value: split.pointsValue,
    coins: split.coins,
    coins_value: split.coinsValue,
  };
}

function productName(split: RefundSplit, trade: Trade): string {
  const named = split.rows.filter((row) => row.kind !== 'recheck');
  const first = trade.lines.find((line) => line.line_no === named[0]?.lineNo) ?? trade.lines[0];
  const kinds = new Set(named.map((row) => row.lineNo)).size;
  const name = first?.product_name ?? '';
  return kinds > 1 ? fill(MORE, { name, n: kinds })[0] : name;
}
