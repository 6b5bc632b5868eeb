import type { Label } from '../../../kernel/contract/label.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import {
  cancelService,
  checkAfterSaleWindow,
  checkRefundable,
  lowerRefund,
  suggestFullRefund,
  suggestRefund as suggestByRules,
  type RefundAnswer,
  type RefundItem,
  type RefundReach,
  type RefundSplit,
} from '../../../domain/trade-money/refund.rules.ts';
import type { RefundApplication } from './refund-apply.server.ts';
import {
  businessTypeOf,
  orderStatusCode,
  type OrderRow,
  type PaymentRow,
  type Trade,
} from './refund-order.server.ts';

/** Who asks for a refund, as the rules tell them apart. */
export type Applicant = 'buyer' | 'staff' | 'system' | 'force';

/** Everything that can be said before the caps: order, payment, window, and the suggestion of the rules. */
export async function checkedSuggestion(
  tx: Tx,
  application: RefundApplication,
  applicant: Applicant,
  order: OrderRow,
  payment: PaymentRow,
  trade: Trade,
): Promise<RefundSplit> {
  const businessType = businessTypeOf(order.kind);
  const isPaid = order.paid_at !== null || (await isPaidLate(tx, order.id));
  const refused = checkRefundable({
    orderStatus: orderStatusCode(order.state),
    hasUnfinishedRefund: false,
    // The payment of a checkout may be paid for other orders than one that was closed before.
    paymentState: isPaid ? payment.state : 1,
    paymentBusinessType: businessType,
    refundBusinessType: businessType,
    // The platform may still return what was kept back from an order that its refunds have closed.
    bySystem: applicant === 'system' || (applicant === 'force' && order.state === 'closed'),
  });
  // An order that was closed by its own refunds is told what is left of it: 0.00.
  const emptied = order.state === 'closed' && order.refund_status === 'full' && payment.state === 2;
  if (refused && !emptied) throw ruleBroken(refused);
  if (order.completed_at && order.state === 'completed' && application.afterSaleId === undefined) {
    const late = checkAfterSaleWindow({
      completedAt: order.completed_at.getTime(),
      now: payment.now.getTime(),
      actor:
        applicant === 'buyer'
          ? 'buyer'
          : application.caller?.tenantKind === 3 || applicant === 'system'
            ? 'platform'
            : 'merchant',
      isQualityReason: application.reasonCode === 'quality',
      afterSaleDays: await afterSaleDays(tx, order),
      qualityDays: await application.platform.settings.numberIn(tx, 'refund.quality_days'),
    });
    if (late) throw ruleBroken(late);
  }
  if (application.cancelPercent !== undefined && !refused) {
    const { split } = cancelService(trade.order, application.cancelPercent);
    if (!split) throw ruleBroken(['按规则不予退款', 'Nothing is returned by the rule']);
    return split;
  }
  const answer =
    order.paid_at === null && application.lines === 'all'
      ? moneyAlone(trade)
      : suggestion(application, trade, reachOf(applicant, application.caller));
  if (!answer.ok) throw ruleBroken(answer.breach.message);
  if (refused) throw ruleBroken(refused);
  return answer.split;
}

/** Cash kept back by an earlier refund is the platform's alone to return. Source: docs/decisions/0005. */
export function reachOf(applicant: Applicant, caller: Pick<Caller, 'tenantKind'> | undefined): RefundReach {
  return applicant === 'system' || applicant === 'force' || caller?.tenantKind === 3 ? 'all' : 'free';
}

/** The rules' answer to a request; 422 for lines that are not the order's or asked for twice. */
export function suggestion(
  request: Pick<RefundApplication, 'lines' | 'freight'>,
  trade: Trade,
  reach: RefundReach,
): RefundAnswer {
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
  if (new Set(items.map((item) => `${item.kind} ${item.lineNo}`)).size !== items.length)
    throw invalid({ lines: NO_LINES });
  return suggestByRules({
    order: trade.order,
    otherOrders: trade.otherOrders,
    coupons: trade.coupons,
    items,
    reach,
    ...(request.freight === undefined ? {} : { freightPart: request.freight }),
  });
}

function everything(trade: Trade): RefundAnswer {
  const { order } = trade;
  const isOpen = order.lines.some(
    (line) =>
      line.qty - line.qtyRefunded > line.qtyUsed ||
      line.cashWithheld > 0 ||
      (line.qtyRefunded >= line.qty && line.cashRefunded < line.cash),
  );
  if (isOpen || order.freightRefunded < order.freight) return { ok: true, split: suggestFullRefund(order) };
  // Visits that were made are used: their money is there and goes back by an amount that staff names, not by itself.
  if (order.lines.some((line) => line.cashRefunded < line.cash)) {
    const back = yuanFromFen(
      order.lines.reduce((sum, line) => sum + line.cashRefunded, order.freightRefunded),
    );
    throw ruleBroken([
      `最多可退0.00元（已退${back}，处理中0.00）`,
      `At most 0.00 can be refunded (refunded ${back}, in progress 0.00)`,
    ]);
  }
  return nothingLeft(trade);
}

/** What is left of the money that came after an order was closed: nothing of it was sold, so no unit comes back. */
function moneyAlone(trade: Trade): RefundAnswer {
  const { order } = trade;
  const items = order.lines
    .filter((line) => line.cashRefunded < line.cash)
    .map((line): RefundItem => ({
      kind: 'amount',
      lineNo: line.lineNo,
      amount: line.cash - line.cashRefunded,
    }));
  const freightPart = order.freight - order.freightRefunded;
  if (items.length === 0 && freightPart === 0) return nothingLeft(trade);
  return suggestByRules({ order, otherOrders: [], coupons: [], items, freightPart, reach: 'all' });
}

/** The refusal when everything is back: the rules say it with the right words, asked for a fen more than is left. */
function nothingLeft({ order }: Trade): RefundAnswer {
  return suggestByRules({
    order,
    otherOrders: [],
    coupons: [],
    items: [{ kind: 'amount', lineNo: order.lines[0]!.lineNo, amount: 1 }],
    reach: 'all',
  });
}

/** True for an order whose money came after it was closed: event 42 says which orders of the checkout that was. */
async function isPaidLate(tx: Tx, orderId: number): Promise<boolean> {
  const row = await runOne(tx, 'SELECT 1 FROM order_event WHERE order_id = $1 AND code = 42 LIMIT 1', [
    orderId,
  ]);
  return row !== undefined;
}

/** The split with what staff agreed: cash lowered, freight set, each with its reason (422). */
export function agreedSplit(application: RefundApplication, suggested: RefundSplit): RefundSplit {
  const changed =
    application.freight !== undefined ||
    (application.agreedCash !== undefined && application.agreedCash !== suggested.cash);
  if (changed && !application.cashReason?.trim()) throw invalid({ cashReason: NO_REASON });
  if (application.agreedCash === undefined) return suggested;
  const lowered = lowerRefund(suggested, application.agreedCash);
  if (!lowered.ok) throw ruleBroken(lowered.breach.message);
  return lowered.split;
}

const NO_LINES: Label = ['请选择退款商品', 'Please choose what to refund'];
const WRONG_LINE: Label = ['商品不属于该订单', 'The line is not of this order'];
const NO_REASON: Label = ['请填写调整原因', 'Please say why the amount was changed'];

/** Days after completion in which a buyer may ask, by the agreement the order was made under. */
export async function afterSaleDays(
  tx: Executor,
  order: Pick<OrderRow, 'tenant_id' | 'agreement_version'>,
): Promise<number> {
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
