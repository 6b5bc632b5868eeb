import { fill, type Label } from '../../../kernel/contract/label.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { SYSTEM_NAME, holds, type Caller, type RequestFacts } from '../../../kernel/server/people/caller.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { insertRow } from '../../../kernel/server/resource/run-action.ts';
import {
  checkCaps,
  startRefund,
  type RefundAnswer,
  type RefundSplit,
} from '../../../domain/trade-money/refund.rules.ts';
import { requireUnclaimed } from '../../../domain/after-sale/claims.server.ts';
import { refund as contract, type RefundReason } from './refund.contract.ts';
import {
  agreedSplit,
  checkedSuggestion,
  reachOf,
  suggestion,
  type Applicant,
} from './refund-checks.server.ts';
import { refundLimits, refundedByStaff } from './refund-end.server.ts';
import {
  businessTypeOf,
  loadTrade,
  lockRefund,
  lockTrade,
  refundTotals,
  type OrderRow,
  type Trade,
} from './refund-order.server.ts';
import { channelPlan, startSending } from './refund-send.server.ts';
import { writeSplitRows } from './refund-split.server.ts';
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
  /** The case that decided it: whether its time was over was asked when it was applied for. */
  readonly afterSaleId?: number;
  /** A paid service is cancelled with this fee in percent of its unused visits; lines and freight are not asked. */
  readonly cancelPercent?: number;
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
 * grouping or closed order, 该商品已申请售后, 已超过售后期限, 最多可退{x}元（已退{y}，处理中{z}）.
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
  request: {
    readonly platform: Platform;
    readonly caller: Caller;
    readonly facts: RequestFacts;
    readonly orderId: number;
    readonly reason: string;
  },
): Promise<AppliedRefund> {
  return create(tx, { ...request, applicantType: 2, lines: 'all', reasonCode: 'force' }, 'force');
}

/**
 * What a refund of these lines would be, with formulas before and after; nothing is written or locked. The answer is
 * the first broken cap when more is asked for than is left. Throws 404 and 422 as {@link applyRefund}.
 */
export async function suggestRefund(
  db: Executor,
  request: Pick<RefundApplication, 'orderId' | 'lines' | 'freight' | 'caller'>,
): Promise<RefundAnswer> {
  const order = await runOne<OrderRow>(db, 'SELECT * FROM sales_order WHERE id = $1', [request.orderId]);
  if (!order) throw notFound();
  const trade = await loadTrade(db, order.id, order.payment_id);
  return suggestion(request, trade, reachOf(request.caller ? 'staff' : 'buyer', request.caller));
}

const MORE: Label = ['{name} 等{n}种', '{name} and more ({n} kinds)'];
const APPLY: Label = ['申请退款', 'Apply for a refund'];
const BUYER: Label = ['买家', 'Buyer'];
const AUTO: Label = ['自动通过', 'Passed automatically'];
const OPEN: Label = ['该订单有未完成的退款', 'The order has an unfinished refund'];

/** Their own screens know what can go back of them. */
const ELSEWHERE: Readonly<Record<string, Label>> = {
  home_decor: ['美居订单请在美居管理中退款', 'Decor orders are refunded on their own screens'],
  property_fee: [
    '物业缴费请在物业缴费账单中退款',
    'Payments of property fees are refunded on their own screen',
  ],
  work_order: ['请在该订单的页面退款', 'The order is refunded on its own screen'],
};

async function create(tx: Tx, application: RefundApplication, applicant: Applicant): Promise<AppliedRefund> {
  const { platform, caller } = application;
  // Asked before the lock too, so that a crowd on one order does not queue for what is refused anyway.
  if (await hasOpenRefund(tx, application.orderId)) throw ruleBroken(OPEN);
  const { order, payment } = await lockTrade(tx, application.orderId);
  if (await hasOpenRefund(tx, order.id)) throw ruleBroken(OPEN);
  const elsewhere = ELSEWHERE[order.kind];
  if (elsewhere && applicant !== 'system') throw ruleBroken(elsewhere);
  await requireUnclaimed(
    tx,
    order.id,
    application.lines === 'all'
      ? 'all'
      : application.lines.flatMap((line) => ('qty' in line ? [{ lineId: line.lineId, qty: line.qty }] : [])),
    application.afterSaleId,
  );
  const trade = await loadTrade(tx, order.id, payment.id);
  const suggested = await checkedSuggestion(tx, application, applicant, order, payment, trade);
  const split = agreedSplit(application, suggested);
  const totals = await refundTotals(tx, order, payment);
  const breach = checkCaps(trade.order, totals, split, reachOf(applicant, caller));
  if (breach) throw ruleBroken(breach.message);

  const limits = await refundLimits(tx, platform);
  // Nobody gets around the next person in pieces: what staff refunded on the order before counts along.
  const before = caller ? await refundedByStaff(tx, order.id) : undefined;
  const start = startRefund(
    applicant === 'staff'
      ? { kind: 'staff', holdsAudit: holds(caller!, 'mm_orderRefund:btn_audit'), ...before }
      : { kind: applicant, ...before },
    split,
    limits,
  );
  const code = await nextCode(tx, contract.prefix!);
  const member = await runOne<{ name: string }>(
    tx,
    `SELECT coalesce(nullif(name, ''), nickname) AS name FROM member WHERE id = $1`,
    [order.member_id],
  );
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
  await run(
    tx,
    `UPDATE sales_order SET refund_status = 'refunding', version = version + 1, updated_at = now() WHERE id = $1`,
    [order.id],
  );
  await noteRefund(tx, id, { from: null, to: 'reviewing', who, remark: application.reason });
  await writeTimeline(tx, {
    entity: contract.name,
    entityId: id,
    ...(caller ? { caller } : {}),
    action: 'apply',
    label: APPLY,
    to: 'reviewing',
    remark: application.reason ?? '',
  });
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
    // A case has said so when it was applied for.
    ...(order.state === 'completed' && application.afterSaleId === undefined
      ? { code: ORDER_EVENTS.afterSale }
      : {}),
    remark: application.reason ?? '',
    caller,
    who,
  });
  const state = start.status === 1 ? await passAtOnce(tx, application, id, order) : 'reviewing';
  platform.changed('refund');
  for (const entity of ['goodsOrder', 'serviceOrder']) platform.changed(entity);
  return { id, code, state, level, cash: split.cash, points: split.points, applyPrice: split.applyPrice };
}

async function hasOpenRefund(tx: Tx, orderId: number): Promise<boolean> {
  const open = await runOne(
    tx,
    `SELECT 1 FROM refund WHERE order_id = $1 AND state IN ('reviewing', 'refunding', 'failed')`,
    [orderId],
  );
  return open !== undefined;
}

async function passAtOnce(
  tx: Tx,
  application: RefundApplication,
  id: number,
  order: OrderRow,
): Promise<AppliedRefund['state']> {
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
  await moveRefund(tx, refund, {
    from: ['reviewing'],
    to: plan.to,
    action: 'auto_pass',
    label: AUTO,
    set: plan.set,
    remark: plan.remark,
    caller: application.caller,
    facts: application.facts,
  });
  return plan.to;
}

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
