import type { Label } from '../../../kernel/contract/label.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { SYSTEM_NAME, type Caller, type RequestFacts } from '../../../kernel/server/people/caller.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { checkAttachable } from '../../../kernel/server/files/files.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { insertRow } from '../../../kernel/server/resource/run-action.ts';
import { addEffect } from '../../../kernel/server/tasks/outbox.ts';
import {
  CASE_ENTITY,
  CASE_MENU,
  CLAIMED,
  type CaseReason,
  type CaseType,
} from '../../../domain/after-sale/case.rules.ts';
import { auditDeadline, noteCase } from '../../../domain/after-sale/move-case.server.ts';
import { checkAfterSaleWindow, type RefundSplit } from '../../../domain/trade-money/refund.rules.ts';
import { afterSaleDays } from '../refund/refund-checks.server.ts';
import { lockTrade, type OrderRow } from '../refund/refund-order.server.ts';
import { caseSplit, mostLabel } from './case-money.server.ts';
import { CASE_NOTICE } from './case-notice.server.ts';

/** What is asked for on a line: units, for an exchange with the spec wanted instead, or an amount of its cash in fen. */
export type CaseLineRequest =
  | { readonly lineId: number; readonly qty: number; readonly newSpecId?: number }
  | { readonly lineId: number; readonly amount: number };

/** An application. Without a caller it is the buyer's, who is named by `memberId`. Amounts in fen. */
export interface CaseApplication {
  readonly orderId: number;
  /** The member who asks; an order of somebody else answers 404. */
  readonly memberId?: number;
  /** Staff who ask in the buyer's name. They have checked the data scope. */
  readonly caller?: Caller;
  readonly facts?: RequestFacts;
  readonly type: CaseType;
  readonly lines: readonly CaseLineRequest[];
  /** Cash asked for; absent: the suggested amount. */
  readonly amount?: number;
  readonly reasonCode: CaseReason;
  readonly reason: string;
  readonly evidence?: readonly string[];
  readonly video?: string;
}

/** The case an application made. */
export interface AppliedCase {
  readonly id: number;
  readonly code: string;
  readonly appliedCash: number;
  readonly suggestedCash: number;
  readonly deadline: Date;
}

/**
 * Applies for an after-sale case: 待审核 with the deadline of the merchant's answer. Everything is looked at behind the lock of
 * the order. Throws 404 for an order that is not the member's, 422 for lines that are not the order's, and 30101:
 * 订单未支付, 订单已关闭, 已超过售后期限, 该商品已申请售后, units that were not received, 差价商品请走退货退款, 最多可退{x}元.
 */
export async function applyCase(
  tx: Tx,
  platform: Platform,
  application: CaseApplication,
): Promise<AppliedCase> {
  const { caller, type, reasonCode } = application;
  const { order, payment } = await lockTrade(tx, application.orderId);
  if (application.memberId !== undefined && order.member_id !== application.memberId) throw notFound();
  // Their cases know rooms and warranties (group 14).
  if (order.kind === 'home_decor')
    throw ruleBroken(['美居订单请在美居管理中申请售后', 'Decor orders have cases of their own']);
  if (order.kind === 'property_fee' || order.kind === 'work_order')
    throw ruleBroken([
      '该类订单没有售后，请在其页面退款',
      'Such orders have no cases: refund them on their own screen',
    ]);
  requireLive(order, payment.state);
  await requireInTime(tx, platform, application, order, payment.now);
  const lines = await checkedLines(tx, order, application);
  const split: RefundSplit | undefined =
    type === 'exchange' ? undefined : await caseSplit(tx, order.id, type, lines);
  const suggested = split?.cash ?? 0;
  const cash = type === 'exchange' ? 0 : (application.amount ?? suggested);
  if (cash > suggested) {
    const label = await mostLabel(tx, order.id, suggested);
    throw ruleBroken(label, { fields: { amount: label } });
  }
  const evidence = application.evidence ?? [];
  if (caller) {
    await checkAttachable(tx, caller, 'evidence', evidence);
    if (application.video) await checkAttachable(tx, caller, 'video', [application.video]);
  }
  const code = await nextCode(tx, 'AS');
  const deadline = await auditDeadline(tx, platform, order, payment.now);
  const who = caller?.name ?? BUYER[0];
  const names = lines.map((line) => line.product_name);
  const id = await insertRow(tx, 'after_sale', {
    code,
    order_id: order.id,
    order_kind: order.kind,
    tenant_id: order.tenant_id,
    project_id: order.project_id,
    member_id: order.member_id,
    type,
    stage: order.state === 'completed' ? 'after' : 'before',
    state: 'applied',
    reason_code: reasonCode,
    reason: application.reason,
    evidence,
    video_id: application.video ?? null,
    applicant_type: caller ? 2 : 1,
    applicant_id: caller?.staffId ?? null,
    applicant_name: caller?.name ?? '',
    applied_at: payment.now,
    applied_cash: cash,
    suggested_cash: suggested,
    snapshot: JSON.stringify(split ?? {}),
    deadline,
    product_name: names.length > 1 ? `${names[0]} 等${names.length}种` : names[0],
    item_count: lines.reduce((sum, line) => sum + line.qty, 0),
    created_by: caller?.staffId ?? null,
    updated_by: caller?.staffId ?? null,
  });
  for (const line of lines)
    await insertRow(tx, 'after_sale_line', {
      after_sale_id: id,
      line_id: line.line_id,
      qty: line.qty,
      amount: line.amount,
      new_spec_id: line.new_spec_id,
    });
  const { reason } = application;
  await noteCase(
    tx,
    { id, code, order_id: order.id, state: 'applied' },
    { label: APPLY, to: 'applied', code: 50, remark: reason, who },
  );
  await writeTimeline(tx, {
    entity: CASE_ENTITY,
    entityId: id,
    caller: caller ?? { staffId: null as unknown as number, name: who || SYSTEM_NAME },
    action: 'apply',
    label: APPLY,
    to: 'applied',
    remark: reason,
  });
  await writeAudit(tx, {
    ...(caller ? { caller } : {}),
    ...(application.facts ? { facts: application.facts } : {}),
    menu: CASE_MENU,
    action: 'apply',
    entity: CASE_ENTITY,
    entityId: id,
    after: { code, order: order.code, type, lines: application.lines, appliedCash: cash, reason },
  });
  await addEffect(tx, CASE_NOTICE, { caseId: id, what: 'applied' }, { key: `${CASE_NOTICE}:${id}:applied` });
  platform.changed(CASE_ENTITY);
  return { id, code, appliedCash: cash, suggestedCash: suggested, deadline };
}

const BUYER: Label = ['买家', 'Buyer'];
const APPLY: Label = ['申请售后', 'After-sale applied'];
const NO_LINES: Label = ['请选择售后商品', 'Please choose the goods'];
const WRONG_LINE: Label = ['商品不属于该订单', 'The line is not of this order'];
const UNSHIPPED: Label = [
  '未发货商品请直接申请退款',
  'The goods were not shipped, apply for a refund instead',
];
const NOT_RECEIVED: Label = ['数量超过已收货数量', 'More units than were received'];
const TOO_MANY: Label = ['数量超过购买数量', 'More units than were bought'];
const NO_SPEC: Label = ['请选择换货规格', 'Please choose the spec wanted instead'];
const OTHER_PRICE: Label = ['差价商品请走退货退款', 'Another price: return and refund instead'];
const GONE_SPEC: Label = ['换货规格已停售', 'The spec is not sold any more'];
const ONLY_REFUND: Label = ['仅退款才能按金额申请', 'An amount alone is a refund only'];

function requireLive(order: OrderRow, paymentState: number): void {
  if (order.state === 'pending_payment' || order.paid_at === null || paymentState !== 2)
    throw ruleBroken(['订单未支付', 'The order is not paid']);
  if (order.state === 'grouping')
    throw ruleBroken(['拼团进行中，成团前不可申请售后', 'The group is still forming']);
  if (order.state === 'closed') throw ruleBroken(['订单已关闭', 'The order is closed']);
}

async function requireInTime(
  tx: Tx,
  platform: Platform,
  application: CaseApplication,
  order: OrderRow,
  now: Date,
): Promise<void> {
  if (order.state !== 'completed' || !order.completed_at) return;
  const late = checkAfterSaleWindow({
    completedAt: order.completed_at.getTime(),
    now: now.getTime(),
    actor: !application.caller ? 'buyer' : application.caller.tenantKind === 3 ? 'platform' : 'merchant',
    isQualityReason: application.reasonCode === 'quality',
    afterSaleDays: await afterSaleDays(tx, order),
    qualityDays: await platform.settings.numberIn(tx, 'refund.quality_days'),
  });
  if (late) throw ruleBroken(late);
}

interface CheckedLine {
  readonly line_id: number;
  readonly qty: number;
  readonly amount: number | null;
  readonly accepted_qty: null;
  readonly new_spec_id: number | null;
  readonly product_name: string;
}

interface UnitRow {
  readonly id: number;
  readonly line_no: number;
  readonly product_id: number;
  readonly product_name: string;
  readonly unit_price: number;
  readonly list_price: number;
  readonly qty: number;
  readonly shipped_left: number;
  readonly qty_shipped: number;
  readonly taken: number;
}

async function checkedLines(tx: Tx, order: OrderRow, application: CaseApplication): Promise<CheckedLine[]> {
  const { type, lines } = application;
  if (lines.length === 0) throw invalid({ lines: NO_LINES });
  if (new Set(lines.map((line) => line.lineId)).size !== lines.length) throw invalid({ lines: NO_LINES });
  const units = await run<UnitRow>(
    tx,
    `SELECT l.id, l.line_no, l.product_id, l.product_name, l.unit_price, l.list_price, l.qty, l.qty_shipped,
            l.qty_shipped - (l.qty_refunded - l.qty_refunded_unshipped) AS shipped_left,
            (l.qty_refunded + l.qty_claimed + coalesce((SELECT sum(x.qty) FROM refund_line x JOIN refund r ON r.id = x.refund_id
               WHERE x.line_id = l.id AND r.after_sale_id IS NULL AND r.state IN ('reviewing', 'refunding', 'failed')), 0))::integer AS taken
       FROM order_line l WHERE l.order_id = $1 ORDER BY l.line_no`,
    [order.id],
  );
  const checked: CheckedLine[] = [];
  for (const unit of units) {
    const asked = lines.find((line) => line.lineId === unit.id);
    if (!asked) continue;
    const base = { line_id: unit.id, accepted_qty: null, product_name: unit.product_name };
    if ('amount' in asked) {
      if (type !== 'refund_only') throw invalid({ lines: ONLY_REFUND });
      if (!Number.isSafeInteger(asked.amount) || asked.amount < 1) throw invalid({ lines: NO_LINES });
      checked.push({ ...base, qty: 0, amount: asked.amount, new_spec_id: null });
      continue;
    }
    if (!Number.isSafeInteger(asked.qty) || asked.qty < 1) throw invalid({ lines: NO_LINES });
    if (asked.qty > unit.qty) throw ruleBroken(TOO_MANY);
    if (asked.qty > unit.qty - unit.taken) throw ruleBroken(CLAIMED);
    if (type !== 'refund_only') {
      if (unit.qty_shipped === 0) throw ruleBroken(UNSHIPPED);
      if (asked.qty > unit.shipped_left) throw ruleBroken(NOT_RECEIVED);
    }
    const newSpec = type === 'exchange' ? await exchangeSpec(tx, unit, asked.newSpecId) : null;
    checked.push({ ...base, qty: asked.qty, amount: null, new_spec_id: newSpec });
  }
  if (checked.length !== lines.length) throw invalid({ lines: WRONG_LINE });
  return checked;
}

/** The spec wanted instead: of the same product, on sale, at the price that was paid for. */
async function exchangeSpec(tx: Tx, unit: UnitRow, specId: number | undefined): Promise<number> {
  if (specId === undefined) throw invalid({ lines: NO_SPEC });
  const spec = await runOne<{ id: number; price: number; enabled: boolean }>(
    tx,
    'SELECT id, price, enabled FROM product_spec WHERE id = $1 AND product_id = $2',
    [specId, unit.product_id],
  );
  if (!spec) throw invalid({ lines: NO_SPEC });
  if (!spec.enabled) throw ruleBroken(GONE_SPEC);
  // A promotion lowers what was paid, not what the goods cost.
  if (spec.price !== unit.unit_price && spec.price !== unit.list_price) throw ruleBroken(OTHER_PRICE);
  return spec.id;
}
