import type { Label } from '../../kernel/contract/label.ts';
import { floorRatio, requireCount, sumOf, yuanText } from './amounts.rules.ts';
import { splitAmount } from './split.rules.ts';
import type { QuoteOrder, ShareSource, ShareStep } from './quote.rules.ts';

/** An order_share row with what refunds already took from it; amounts in fen, `units` are points or coins. */
export interface ShareState {
  readonly step: ShareStep;
  readonly sourceType: ShareSource;
  readonly sourceId: string | null;
  readonly amount: number;
  readonly platformAmount: number;
  readonly units: number;
  readonly refundedAmount: number;
  readonly refundedUnits: number;
}

/** An order line as refunds see it. Amounts in fen; goods = cash + Σ shares. */
export interface LineState {
  readonly lineNo: number;
  readonly goods: number;
  readonly cash: number;
  /** May be below 0 after a re-check took cash back from a kept line. */
  readonly cashRefunded: number;
  /** Cash of refunded units an auditor kept back: part refunds of what is left must not find it. */
  readonly cashWithheld: number;
  /** Units of the line: pieces, or qty × times for a service of several visits. */
  readonly qty: number;
  readonly qtyShipped: number;
  readonly qtyRefunded: number;
  /** Part of qtyRefunded that was never shipped; the rest came back after shipping. */
  readonly qtyRefundedUnshipped: number;
  /** Visits done; 0 for goods. They stay in n but cannot be refunded. */
  readonly qtyUsed: number;
  readonly shares: readonly ShareState[];
}

/** Codes of sales_order.refund_status. Source: entities.md, shared codes. */
export type RefundStatus = 0 | 10 | 15 | 20;

/** An order as refunds see it; amounts in fen, `paid` = Σ line cash + freight. */
export interface OrderState {
  readonly orderId: string;
  readonly kind: 'goods' | 'service';
  readonly status: number;
  readonly refundStatus: RefundStatus;
  readonly freight: number;
  readonly freightRefunded: number;
  readonly paid: number;
  readonly lines: readonly LineState[];
}

/** What a refund needs to know of a coupon used in the checkout; `sourceId` is the id in its shares. */
export interface CouponTerms {
  readonly sourceId: string;
  readonly step: 20 | 30;
  readonly refundRule: 'share' | 'recheck';
  readonly threshold: number;
  readonly returnable: boolean;
  /** Last valid instant in milliseconds, included. */
  readonly endsAt: number;
  /** Already returned or marked 已退款. */
  readonly settled: boolean;
}

/**
 * What is asked for on a line: units of it, or an amount of its cash in fen (差价, damage). `from: 'shipped'` takes
 * units that come back after shipping; by default unshipped units go first.
 */
export type RefundItem =
  | {
      readonly kind: 'units';
      readonly lineNo: number;
      readonly qty: number;
      readonly from?: 'shipped';
    }
  | { readonly kind: 'amount'; readonly lineNo: number; readonly amount: number };

/** A request for a refund of one order. */
export interface RefundRequest {
  readonly order: OrderState;
  /** The other orders of the checkout: a platform coupon's threshold looks at them too. */
  readonly otherOrders: readonly OrderState[];
  readonly coupons: readonly CouponTerms[];
  readonly items: readonly RefundItem[];
  /** Freight set by staff, fen; absent: the freight rule. */
  readonly freightPart?: number;
  /** How far amount-only items reach; absent: `free`. */
  readonly reach?: RefundReach;
}

/**
 * `free`: what is left of a line without what earlier refunds kept back. `all`: that too, for the platform alone when it
 * names the amount or gives everything back. Source: docs/decisions/0005.
 */
export type RefundReach = 'free' | 'all';

/** Part of one share that lapses or goes back with a refund row; fen and a count. */
export interface RefundShare {
  readonly step: ShareStep;
  readonly sourceType: ShareSource;
  readonly sourceId: string | null;
  readonly amount: number;
  readonly platformAmount: number;
  readonly units: number;
}

/**
 * One refund_line. `cash` − `fee` fen go to the buyer and are booked on the line; the fee stays on it.
 * qty is 0 for amount-only, cancellation and re-check rows.
 */
export interface RefundRow {
  readonly kind: 'units' | 'amount' | 'recheck' | 'cancellation';
  readonly lineNo: number;
  readonly qty: number;
  readonly unshippedQty: number;
  readonly cash: number;
  readonly fee: number;
  /** Cash of the row's units that was not given back when the refund was lowered. */
  readonly withheld: number;
  /** Part of `cash` that was asked for without units; it may be lowered without being withheld. */
  readonly amountPart: number;
  readonly shares: readonly RefundShare[];
  readonly formula: Label;
  readonly cashLeftBefore: number;
  readonly cashLeftAfter: number;
}

/** The split of a refund: cash = Σ row cash + freightPart − fee, all in fen. */
export interface RefundSplit {
  readonly kind: 'units' | 'amount' | 'full';
  readonly rows: readonly RefundRow[];
  readonly freightPart: number;
  readonly fee: number;
  readonly cash: number;
  readonly points: number;
  readonly pointsValue: number;
  readonly coins: number;
  readonly coinsValue: number;
  /** cash + points value + coins value: what the level decision reads. */
  readonly applyPrice: number;
  /** refund.send: some unit of the order was already shipped. */
  readonly send: boolean;
  readonly notices: readonly Label[];
}

/** A cap that would be broken; `most` is what is allowed, in fen (`units`: counted on the line). */
export interface CapBreach {
  readonly cap: 'units' | 'line_cash' | 'freight' | 'order' | 'payment' | 'suggested';
  readonly lineNo: number | null;
  readonly most: number;
  readonly message: Label;
}

/** A refund split, or the first cap it breaks. */
export type RefundAnswer =
  { readonly ok: true; readonly split: RefundSplit } | { readonly ok: false; readonly breach: CapBreach };

/** Sums of an order's and its payment's other refunds, in fen: `refunded` in state 2, `inProgress` in 0, 1, 3. */
export interface RefundTotals {
  readonly orderPaid: number;
  readonly orderRefunded: number;
  readonly orderInProgress: number;
  readonly paymentPaid: number;
  readonly paymentRefunded: number;
  readonly paymentInProgress: number;
}

/** Part of a line: what k of its n units left are worth; `total` = cash + Σ share amounts, in fen. */
export interface LinePart {
  readonly total: number;
  readonly cash: number;
  readonly shares: readonly RefundShare[];
}

/**
 * A priced order as refunds see it: nothing shipped, used or refunded yet; amounts in fen. `times` is the number of
 * visits of one unit by line number (default 1): a line of qty × times visits. Source: group 07, capacity rule 8.
 */
export function openOrderState(
  order: QuoteOrder,
  sales: Pick<OrderState, 'orderId' | 'kind' | 'status'>,
  times: Readonly<Record<number, number>> = {},
): OrderState {
  return {
    ...sales,
    refundStatus: 0,
    freight: order.freight,
    freightRefunded: 0,
    paid: order.payable,
    lines: order.lines.map((line) => ({
      lineNo: line.lineNo,
      goods: line.goods,
      cash: line.cash,
      cashRefunded: 0,
      cashWithheld: 0,
      qty: line.qty * (times[line.lineNo] ?? 1),
      qtyShipped: 0,
      qtyRefunded: 0,
      qtyRefundedUnshipped: 0,
      qtyUsed: 0,
      shares: line.shares.map((share) => ({ ...share, refundedAmount: 0, refundedUnits: 0 })),
    })),
  };
}

/**
 * What k of the n units left of a line are worth, in fen: T = floor(Σ left × k / n); each share gives
 * floor(left × k / n), cash the rest up to the cash left, missing fen go to points, coins, platform coupon, merchant
 * coupon. k = n gives everything left. Throws RangeError unless 1 ≤ k ≤ n.
 * Source: group 08, Money engine, part of a line.
 */
export function partOfLine(line: LineState, k: number): LinePart {
  const n = unitsLeft(line);
  if (!Number.isSafeInteger(k) || k < 1 || k > n) throw new RangeError(`${k} of ${n} units`);
  const lefts = line.shares.map(shareLeft);
  const cashLeft = cashLeftOf(line);
  if (k === n) {
    const shares = line.shares.map((share, index) => takeFromShare(share, lefts[index] ?? 0));
    return { total: cashLeft + sumOf(lefts, (left) => left), cash: cashLeft, shares };
  }

  const total = floorRatio(cashLeft + sumOf(lefts, (left) => left), k, n);
  const amounts = lefts.map((left) => floorRatio(left, k, n));
  const cash = Math.min(cashLeft, total - sumOf(amounts, (amount) => amount));
  let missing = total - cash - sumOf(amounts, (amount) => amount);
  // Decision: 改价 is a component but not in the file's order for missing fen, so it comes last; Σ left ≥ T, so with
  // it the missing fen always find a place.
  for (const step of [40, 45, 30, 20, 60] as const) {
    line.shares.forEach((share, index) => {
      if (share.step !== step) return;
      const more = Math.min(missing, (lefts[index] ?? 0) - (amounts[index] ?? 0));
      amounts[index] = (amounts[index] ?? 0) + more;
      missing -= more;
    });
  }
  const shares = line.shares.map((share, index) => takeFromShare(share, amounts[index] ?? 0));
  return { total, cash, shares };
}

/**
 * The suggested refund of a request: part-of-a-line for units, cash for amount-only items, the freight rule, then the
 * coupons' refund rules (re-check not applied when the refund's cash would fall below 0). Amounts in fen. The answer
 * is a broken cap when units, line cash or freight asked for exceed what is left.
 * Throws RangeError for an empty request, an unknown line, a line asked twice in the same way, or a quantity or
 * amount below 1. Source: group 21, Refund engine (suggested amount, coupon rules); group 08, part of a line.
 */
export function suggestRefund(request: RefundRequest): RefundAnswer {
  const { items } = request;
  const freightAsked = request.freightPart ?? 0;
  requireCount(freightAsked, 'freightPart');
  if (items.length === 0 && freightAsked === 0) throw new RangeError('nothing is asked for');
  if (new Set(items.map((item) => `${item.kind} ${item.lineNo}`)).size !== items.length)
    throw new RangeError('a line is asked twice');

  let { order } = request;
  const rows: RefundRow[] = [];
  const take = (row: RefundRow) => {
    rows.push(row);
    order = bookRow(order, row);
  };
  // Units first: a part of a line is defined over what earlier refunds left, amount-only items take from the rest.
  for (const item of items) {
    if (item.kind !== 'units') continue;
    const line = lineOf(order, item.lineNo);
    if (requireCount(item.qty, 'qty') === 0) throw new RangeError('qty is 0');
    const free = item.from === 'shipped' ? shippedLeft(line) : unitsLeft(line) - line.qtyUsed;
    if (item.qty > free) return { ok: false, breach: unitsBreach(line, free) };
    take(unitsRow(line, item.qty, item.from));
  }
  for (const item of items) {
    if (item.kind !== 'amount') continue;
    const line = lineOf(order, item.lineNo);
    if (requireCount(item.amount, 'amount') === 0) throw new RangeError('amount is 0');
    const most = cashReach(line, request.reach);
    if (item.amount > most)
      return {
        ok: false,
        breach: moneyBreach('line_cash', line.lineNo, most, line.cashRefunded, 0),
      };
    take(amountRow(line, item.amount, most));
  }

  const freightLeft = request.order.freight - request.order.freightRefunded;
  if (freightAsked > freightLeft)
    return {
      ok: false,
      breach: moneyBreach('freight', null, freightLeft, request.order.freightRefunded, 0),
    };
  const freightPart = request.freightPart ?? freightByRule(request.order, order, items);
  const notices: Label[] = [];
  for (const coupon of [...request.coupons].sort((a, b) => a.step - b.step)) {
    const undone = recheckRows(coupon, order, request);
    if (undone.length === 0) continue;
    const cash = sumOf(rows, (row) => row.cash) + freightPart + sumOf(undone, (row) => row.cash);
    if (cash < 0) notices.push(['门槛不足，仍按分摊计算', 'Below the threshold, still by share']);
    else undone.forEach(take);
  }
  return { ok: true, split: closeSplit(request.order, order, rows, freightPart, notices) };
}

/**
 * Everything left of an order: all units not used and all freight, for the full paths (team failed, late payment,
 * force), which also return what earlier refunds kept back. Amounts in fen. Throws RangeError when nothing is left.
 * Source: group 21, Refund engine (force pass); group 08, order state machine (full refund incl. freight, no audit).
 */
export function suggestFullRefund(order: OrderState, reach: RefundReach = 'all'): RefundSplit {
  const units = order.lines.flatMap((line): RefundItem[] => {
    const qty = unitsLeft(line) - line.qtyUsed;
    return qty > 0 ? [{ kind: 'units', lineNo: line.lineNo, qty }] : [];
  });
  // What staff kept back of earlier units, and cash of a line whose units are gone.
  const rest = order.lines.flatMap((line): RefundItem[] => {
    const withheld = reach === 'all' ? line.cashWithheld : 0;
    const amount = unitsLeft(line) === 0 ? cashReach(line, reach) : withheld;
    return amount > 0 ? [{ kind: 'amount', lineNo: line.lineNo, amount }] : [];
  });
  const answer = suggestRefund({
    order,
    otherOrders: [],
    coupons: [],
    items: [...units, ...rest],
    freightPart: order.freight - order.freightRefunded,
    reach,
  });
  if (!answer.ok) throw new RangeError(answer.breach.message[1]);
  return answer.split;
}

/**
 * The split with its cash lowered by staff to `agreedCash` fen (0 ≤ agreed ≤ suggested). The reduction is split over
 * the rows' positive cash by largest remainder and reaches the freight part last; units, points, coins and coupon
 * shares stay. What is taken from units is withheld, so that the next units of the line are worth their price and not
 * more (docs/decisions/0005). Refused above the suggested cash. Throws RangeError for a negative or unsafe amount.
 * Source: group 21, Refund engine (staff may lower cash; never above).
 */
export function lowerRefund(split: RefundSplit, agreedCash: number): RefundAnswer {
  requireCount(agreedCash, 'agreedCash');
  if (agreedCash > split.cash) return { ok: false, breach: moneyBreach('suggested', null, split.cash, 0, 0) };
  const off = split.cash - agreedCash;
  if (off === 0) return { ok: true, split };
  const weights = split.rows.map((row) => Math.max(0, row.cash - row.fee));
  const fromRows = Math.min(
    off,
    sumOf(weights, (weight) => weight),
  );
  const parts = splitAmount(fromRows, weights);
  const rows = split.rows.map((row, index): RefundRow => {
    const part = parts[index] ?? 0;
    if (part === 0) return row;
    const withheld = Math.max(0, part - row.amountPart);
    const change = `${yuanText(row.cash)} − ${yuanText(part)} = ${yuanText(row.cash - part)}`;
    const kept = yuanText(row.withheld + withheld);
    return {
      ...row,
      cash: row.cash - part,
      withheld: row.withheld + withheld,
      amountPart: row.amountPart - (part - withheld),
      cashLeftAfter: row.cashLeftAfter + part - withheld,
      formula: [
        `${row.formula[0]}；同意金额 ${change}${withheld > 0 ? `，少退 ${kept} 不再计入可退` : ''}`,
        `${row.formula[1]}; agreed ${change}${withheld > 0 ? `, ${kept} kept back` : ''}`,
      ],
    };
  });
  const lowered = {
    ...split,
    rows,
    freightPart: split.freightPart - (off - fromRows),
    cash: agreedCash,
    applyPrice: split.applyPrice - off,
  };
  // Money stays behind, so it is no longer the refund of everything.
  return {
    ok: true,
    split: { ...lowered, kind: split.kind === 'full' ? 'units' : split.kind },
  };
}

/**
 * First cap a split breaks on the order as it stands under the lock, or null: units, line cash, freight, then Σ cash
 * of the order's refunds ≤ paid and the same over all orders of the payment; amounts in fen.
 * Source: group 21, Refund engine, caps.
 */
export function checkCaps(
  order: OrderState,
  totals: RefundTotals,
  split: RefundSplit,
  reach: RefundReach = 'free',
): CapBreach | null {
  for (const line of order.lines) {
    const rows = split.rows.filter((row) => row.lineNo === line.lineNo);
    const free = unitsLeft(line) - line.qtyUsed;
    if (sumOf(rows, (row) => row.qty) > free) return unitsBreach(line, free);
    const most = cashReach(line, reach);
    if (sumOf(rows, (row) => row.cash) > most)
      return moneyBreach('line_cash', line.lineNo, most, line.cashRefunded, 0);
  }
  const freightLeft = order.freight - order.freightRefunded;
  if (split.freightPart > freightLeft)
    return moneyBreach('freight', null, freightLeft, order.freightRefunded, 0);
  const orderMost = totals.orderPaid - totals.orderRefunded - totals.orderInProgress;
  if (split.cash > orderMost)
    return moneyBreach('order', null, orderMost, totals.orderRefunded, totals.orderInProgress);
  const paymentMost = totals.paymentPaid - totals.paymentRefunded - totals.paymentInProgress;
  if (split.cash > paymentMost)
    return moneyBreach('payment', null, paymentMost, totals.paymentRefunded, totals.paymentInProgress);
  return null;
}

/**
 * The order with a succeeded refund booked on its lines, shares and freight; amounts in fen. State and refund_status
 * are set by {@link settleOrder}. Throws RangeError when the split does not fit what is left.
 * Source: group 21, Refund engine, success.
 */
export function bookRefund(order: OrderState, split: RefundSplit): OrderState {
  let booked = order;
  for (const row of split.rows) booked = bookRow(booked, row);
  const freightRefunded = booked.freightRefunded + requireCount(split.freightPart, 'freightPart');
  if (freightRefunded > booked.freight) throw new RangeError('freight refunded above freight');
  for (const line of booked.lines) {
    if (line.cash - line.cashRefunded < 0)
      throw new RangeError(`cash refunded above the cash of line ${line.lineNo}`);
  }
  return { ...booked, freightRefunded };
}

/**
 * The order with the state and refund_status that follow from its booked refunds. `hasUnfinishedRefund`: a refund in
 * 0, 1 or 3 exists. Source: group 08, order state machine (refund_status; 申请退款 row); services: group 07.
 */
export function settleOrder(order: OrderState, hasUnfinishedRefund: boolean): OrderState {
  return {
    ...order,
    status: orderStatusOf(order),
    refundStatus: hasUnfinishedRefund ? 10 : refundedStatusOf(order),
  };
}

/**
 * Coupons to settle after a refund was booked: those whose shares left are 0 on all lines of all orders of the
 * checkout and that are not settled yet. `return` gives a new member coupon, `mark` only sets 已退款 (not returnable,
 * or past its end at `now`, milliseconds). Source: group 21, Refund engine, coupon rules.
 */
export function couponsToSettle(
  orders: readonly OrderState[],
  coupons: readonly CouponTerms[],
  now: number,
): { readonly sourceId: string; readonly outcome: 'return' | 'mark' }[] {
  const shares = orders.flatMap((order) => order.lines.flatMap((line) => line.shares));
  return coupons.flatMap((coupon) => {
    const own = shares.filter((share) => isOf(share, coupon));
    if (coupon.settled || own.length === 0 || own.some((share) => shareLeft(share) > 0)) return [];
    const outcome = coupon.returnable && now <= coupon.endsAt ? 'return' : 'mark';
    return [{ sourceId: coupon.sourceId, outcome }];
  });
}

/** Units that a refund or shipment can still find unshipped on a line. Source: group 08, shipment and state machine. */
export function unshippedLeft(line: LineState): number {
  return line.qty - line.qtyShipped - line.qtyRefundedUnshipped;
}

/** n of the part-of-a-line rule: units not refunded yet, visits done included. Source: group 08; group 07, rule 8. */
export function unitsLeft(line: LineState): number {
  return line.qty - line.qtyRefunded;
}

/** Settings refund.* that decide levels, in fen. Source: settings.csv, owner group 21. */
export interface RefundLimits {
  readonly autoPassMax: number;
  readonly staffDirectMax: number;
  readonly financeFrom: number;
}

/** Refund state 0 (退款审核中) with the level that must act, or 1 (退款中). */
export type RefundStart = { readonly status: 0; readonly level: 1 | 2 } | { readonly status: 1 };

/**
 * State a new refund starts in, from its apply_price in fen. `system`: team failed, late payment, activity cancelled,
 * overdue choice. `force`: btn_force by the platform.
 * Source: group 21, states and transitions (first three rows) and force pass.
 */
export function startRefund(
  applicant:
    | { readonly kind: 'buyer' }
    | {
        readonly kind: 'staff';
        readonly holdsAudit: boolean;
        /** What staff passed alone on the order before, in fen. */
        readonly direct?: number;
        /** What staff refunded on the order before without finance, in fen; holds `direct` too. */
        readonly withoutFinance?: number;
      }
    | { readonly kind: 'system' }
    | { readonly kind: 'force'; readonly withoutFinance?: number },
  split: Pick<RefundSplit, 'applyPrice' | 'send'>,
  limits: RefundLimits,
): RefundStart {
  const { applyPrice, send } = split;
  switch (applicant.kind) {
    case 'buyer':
      return !send && applyPrice <= limits.autoPassMax ? { status: 1 } : { status: 0, level: 1 };
    case 'staff': {
      const { holdsAudit, direct = 0, withoutFinance = 0 } = applicant;
      // Pieces add up on their order, see docs/decisions/0007. Whoever sets the direct limit above the finance level
      // lets one person alone refund that much.
      const isSmall =
        applyPrice + direct <= limits.staffDirectMax &&
        applyPrice + withoutFinance <= Math.max(limits.staffDirectMax, limits.financeFrom - 1);
      return holdsAudit && isSmall ? { status: 1 } : { status: 0, level: 1 };
    }
    case 'system':
      return { status: 1 };
    case 'force':
      // Decision: the table sends a forced refund to 1, the text says it "passes level 1". Both hold below
      // refund.finance_from; from there on the second level stays, so that one person alone never moves 2,000.00.
      return passRefund({ level: 1, applyPrice, withoutFinance: applicant.withoutFinance ?? 0 }, limits);
  }
}

/**
 * Outcome of a pass at the refund's level: from refund.finance_from (fen) the first pass leads to level 2, else to 1.
 * `withoutFinance`: what staff refunded on the order before without finance (fen) counts along.
 * Source: group 21, states and transitions (pass level 1); docs/decisions/0007.
 */
export function passRefund(
  refund: { readonly level: 1 | 2; readonly applyPrice: number; readonly withoutFinance?: number },
  limits: RefundLimits,
): RefundStart {
  return refund.level === 1 && refund.applyPrice + (refund.withoutFinance ?? 0) >= limits.financeFrom
    ? { status: 0, level: 2 }
    : { status: 1 };
}

/**
 * Why a staff may not pass or reject a refund, or null: own application; at level 2 the one who passed level 1.
 * Source: group 21, states and transitions (four eyes).
 */
export function checkAuditor(
  refund: {
    readonly applicantStaffId: string | null;
    readonly level: 1 | 2;
    readonly auditor1Id: string | null;
  },
  staffId: string,
): Label | null {
  if (refund.applicantStaffId === staffId)
    return ['不能审核自己发起的退款', 'You cannot audit a refund you applied for'];
  if (refund.level === 2 && refund.auditor1Id === staffId)
    return ['二级审核须由另一人完成', 'The second level needs another person'];
  return null;
}

/**
 * Why no refund can be created, or null: unfinished refund, order 待支付 or 拼团中 or closed, payment not paid, business
 * type differs. The system's own refunds may come from 拼团中 and 已关闭 (team failed, paid after closing).
 * Source: group 21, Refund engine, "Before anything"; group 08, mm_groupManagement.
 */
export function checkRefundable(facts: {
  readonly orderStatus: number;
  readonly hasUnfinishedRefund: boolean;
  /** payment.state; null: no payment. */
  readonly paymentState: 1 | 2 | 3 | null;
  readonly paymentBusinessType: 0 | 1 | 2;
  readonly refundBusinessType: 0 | 1 | 2;
  readonly bySystem: boolean;
}): Label | null {
  if (facts.hasUnfinishedRefund) return ['该订单有未完成的退款', 'The order has an unfinished refund'];
  if (facts.orderStatus === 5) return ['订单待支付，请直接关闭订单', 'The order is unpaid, close it instead'];
  if (facts.orderStatus === 6 && !facts.bySystem)
    return [
      '拼团进行中，成团前不可申请退款',
      'The group is still forming; no refund can be applied for before it is complete',
    ];
  if (facts.orderStatus === 45 && !facts.bySystem) return ['订单已关闭', 'The order is closed'];
  if (facts.paymentState !== 2) return ['订单没有已支付的款项', 'The order has no paid payment'];
  if (facts.paymentBusinessType !== facts.refundBusinessType)
    return ['业务类型不匹配', 'The business type does not match the payment'];
  return null;
}

/**
 * Refusal when a completed order is past its after-sale window, else null. Instants in milliseconds, days × 24 h, the
 * last instant included; the platform is never refused (btn_returnAudit).
 * Source: group 21, Refund engine ("After completion"); settings refund.quality_days.
 */
export function checkAfterSaleWindow(facts: {
  readonly completedAt: number;
  readonly now: number;
  readonly actor: 'buyer' | 'merchant' | 'platform';
  readonly isQualityReason: boolean;
  readonly afterSaleDays: number;
  readonly qualityDays: number;
}): Label | null {
  // Decision: a quality reason never shortens an agreement's longer window, so the greater of the two counts.
  const days = facts.isQualityReason ? Math.max(facts.afterSaleDays, facts.qualityDays) : facts.afterSaleDays;
  if (facts.actor === 'platform' || facts.now <= facts.completedAt + days * DAY_MS) return null;
  return ['已超过售后期限', 'The after-sale period is over'];
}

/** Cancellation tiers of a service: percent by minutes before the visit. Source: settings.csv service.cancel_tiers. */
export interface CancelTiers {
  /** Percent when more than so many minutes are left; the longest matching one counts. */
  readonly before: readonly { readonly moreThanMinutes: number; readonly percent: number }[];
  /** Percent from there until the start. */
  readonly untilStart: number;
  /** Percent after the start and for no_show. */
  readonly afterStart: number;
}

/** > 24 h: 0 %, 24 h–start: 30 %, after start or no_show: 100 %. Source: group 07, capacity rule 8. */
export const DEFAULT_CANCEL_TIERS: CancelTiers = {
  before: [{ moreThanMinutes: 1440, percent: 0 }],
  untilStart: 30,
  afterStart: 100,
};

/** Who or what ends a paid visit. */
export type CancelCause = 'member' | 'staff' | 'merchant' | 'no_show';

/**
 * Percent of the cancellation fee. Exactly 24 h before is "24 h–start", exactly the start is still before it;
 * cancelled by the merchant or waived: 0. Source: group 07, capacity rule 8.
 */
export function cancelPercent(
  tiers: CancelTiers,
  visit: { readonly cause: CancelCause; readonly minutesBeforeStart: number; readonly waived: boolean },
): number {
  if (visit.waived || visit.cause === 'merchant') return 0;
  if (visit.cause === 'no_show' || visit.minutesBeforeStart < 0) return tiers.afterStart;
  const tier = [...tiers.before]
    .sort((a, b) => b.moreThanMinutes - a.moreThanMinutes)
    .find((candidate) => visit.minutesBeforeStart > candidate.moreThanMinutes);
  return tier?.percent ?? tiers.untilStart;
}

/** Refund of a cancelled service (null: nothing is returned) and the state the order ends in. */
export interface Cancellation {
  readonly percent: number;
  readonly fee: number;
  readonly split: RefundSplit | null;
  readonly orderStatus: 35 | 45;
}

/**
 * Refund of a paid service order cancelled at `percent`: fee = floor(cash of the unused units × percent / 100) per
 * line, in fen. With a fee the refund is amount-only, points, coins and coupon shares of the unused units go back or
 * lapse, and the order ends 35; without one it is a refund of the units and the order ends 45 (35 when visits were
 * done); at 100 % nothing is returned. Throws RangeError for a percent above 100 or when nothing is left.
 * Source: group 07, capacity rule 8; group 21, worked example 5.
 */
export function cancelService(order: OrderState, percent: number): Cancellation {
  if (requireCount(percent, 'percent') > 100) throw new RangeError(`percent is above 100: ${percent}`);
  const open = order.lines.filter((line) => unitsLeft(line) > line.qtyUsed);
  if (open.length === 0) throw new RangeError('no unit is left');
  const parts = open.map((line) => {
    // With visits done only the unused part is cancelled; without any this is everything left of the line.
    const part = partOfLine(line, unitsLeft(line) - line.qtyUsed);
    return { line, part, fee: floorRatio(part.cash, percent, 100) };
  });
  const fee = sumOf(parts, (part) => part.fee);
  if (percent === 100) return { percent, fee, split: null, orderStatus: 35 };
  if (fee === 0) {
    const split = suggestFullRefund(order, 'free');
    const ended = settleOrder(bookRefund({ ...order, status: 115 }, split), false).status;
    return { percent, fee, split, orderStatus: ended === 45 ? 45 : 35 };
  }
  let booked = order;
  const rows = parts.map(({ line, part, fee: kept }): RefundRow => {
    const cash = yuanText(part.cash);
    const numbers = `floor(${cash} × ${percent} / 100) = ${yuanText(kept)}`;
    const rest = `${cash} − ${yuanText(kept)} = ${yuanText(part.cash - kept)}`;
    const row: RefundRow = {
      kind: 'cancellation',
      lineNo: line.lineNo,
      qty: 0,
      unshippedQty: 0,
      cash: part.cash,
      fee: kept,
      withheld: 0,
      amountPart: part.cash,
      shares: part.shares,
      formula: [`违约金 ${numbers}；退款 ${rest}`, `Fee ${numbers}; refund ${rest}`],
      cashLeftBefore: cashLeftOf(line),
      cashLeftAfter: cashLeftOf(line) - part.cash + kept,
    };
    booked = bookRow(booked, row);
    return row;
  });
  return { percent, fee, split: closeSplit(order, booked, rows, 0, []), orderStatus: 35 };
}

/** Settings refund.channel_*. Source: settings.csv, owner group 21. */
export interface ChannelLimits {
  readonly days: number;
  readonly maxParts: number;
  readonly gapSeconds: number;
}

/** What may be done with the channel: no call needed, send now, wait (排队中) until `notBefore`, or refused. */
export type ChannelAnswer =
  | { readonly kind: 'no_call' }
  | { readonly kind: 'send' }
  | { readonly kind: 'wait'; readonly notBefore: number; readonly message: Label }
  | { readonly kind: 'refused'; readonly message: Label };

/**
 * Whether a refund of `cash` fen may go to the channel now. `parts` counts the payment's other refunds the channel
 * was asked for, `lastPartAt` is the latest of them; instants in milliseconds. Cash 0 or a payment of channel 0 needs
 * no call. Refusals name the offline way. Source: group 21, Refund engine, channel rules.
 */
export function checkChannel(
  facts: {
    readonly cash: number;
    readonly channel: number;
    readonly paidAt: number;
    readonly now: number;
    readonly parts: number;
    readonly lastPartAt: number | null;
  },
  limits: ChannelLimits,
): ChannelAnswer {
  if (facts.cash === 0 || facts.channel === 0) return { kind: 'no_call' };
  if (facts.now > facts.paidAt + limits.days * DAY_MS)
    return {
      kind: 'refused',
      message: [
        `已超过渠道退款期限${limits.days}天，请使用线下退款`,
        `The channel refunds within ${limits.days} days of payment only; use the offline refund`,
      ],
    };
  if (facts.parts >= limits.maxParts)
    return {
      kind: 'refused',
      message: [
        `该支付单退款次数已达${limits.maxParts}次，请使用线下退款`,
        `The payment already has ${limits.maxParts} refunds; use the offline refund`,
      ],
    };
  const notBefore = facts.lastPartAt === null ? facts.now : facts.lastPartAt + limits.gapSeconds * 1000;
  if (facts.now < notBefore) return { kind: 'wait', notBefore, message: ['排队中', 'Queued'] };
  return { kind: 'send' };
}

const DAY_MS = 86_400_000;

const SHARE_LABELS: Readonly<Record<ShareStep, Label>> = {
  20: ['商户券', 'merchant coupon'],
  30: ['平台券', 'platform coupon'],
  40: ['积分', 'points'],
  45: ['代币', 'coins'],
  60: ['改价', 'price reduction'],
};

function shareLeft(share: ShareState): number {
  return share.amount - share.refundedAmount;
}

function cashLeftOf(line: LineState): number {
  return line.cash - line.cashRefunded - line.cashWithheld;
}

function cashReach(line: LineState, reach: RefundReach | undefined): number {
  return cashLeftOf(line) + (reach === 'all' ? line.cashWithheld : 0);
}

function shippedLeft(line: LineState): number {
  return line.qtyShipped - (line.qtyRefunded - line.qtyRefundedUnshipped);
}

function isOf(share: ShareState, coupon: CouponTerms): boolean {
  return (
    share.sourceType === 'member_coupon' && share.step === coupon.step && share.sourceId === coupon.sourceId
  );
}

function lineOf(order: OrderState, lineNo: number): LineState {
  const line = order.lines.find((candidate) => candidate.lineNo === lineNo);
  if (!line) throw new RangeError(`no line ${lineNo} in order ${order.orderId}`);
  return line;
}

/**
 * Part of a share with its counts. Decision: order_share stores refunded_amount but no refunded platform_amount, so
 * the platform's part is the difference of floor(platform × refunded / amount) after and before: it sums to
 * platform_amount and never exceeds the part.
 */
function takeFromShare(share: ShareState, amount: number): RefundShare {
  const left = shareLeft(share);
  const platformTaken = (refunded: number) =>
    share.amount === 0 ? 0 : floorRatio(share.platformAmount, refunded, share.amount);
  const unitsOpen = share.units - share.refundedUnits;
  return {
    step: share.step,
    sourceType: share.sourceType,
    sourceId: share.sourceId,
    amount,
    platformAmount: platformTaken(share.refundedAmount + amount) - platformTaken(share.refundedAmount),
    units: left === 0 ? 0 : floorRatio(unitsOpen, amount, left),
  };
}

function unitsRow(line: LineState, qty: number, from: 'shipped' | undefined): RefundRow {
  const n = unitsLeft(line);
  const part = partOfLine(line, qty);
  const left = cashLeftOf(line) + sumOf(line.shares, shareLeft);
  const taken = part.shares.filter((share) => share.amount > 0);
  const terms = (language: 0 | 1) =>
    taken.map((share) => ` − ${SHARE_LABELS[share.step][language]} ${yuanText(share.amount)}`).join('');
  const total = `floor(${yuanText(left)} × ${qty} / ${n}) = ${yuanText(part.total)}`;
  const result = yuanText(part.cash);
  return {
    kind: 'units',
    lineNo: line.lineNo,
    qty,
    unshippedQty: from === 'shipped' ? 0 : Math.min(qty, unshippedLeft(line)),
    cash: part.cash,
    fee: 0,
    withheld: 0,
    amountPart: 0,
    shares: part.shares,
    formula: [
      `${total}；现金 ${yuanText(part.total)}${terms(0)} = ${result}`,
      `${total}; cash ${yuanText(part.total)}${terms(1)} = ${result}`,
    ],
    cashLeftBefore: cashLeftOf(line),
    cashLeftAfter: cashLeftOf(line) - part.cash,
  };
}

function amountRow(line: LineState, amount: number, left: number): RefundRow {
  const numbers = `${yuanText(left)} − ${yuanText(amount)} = ${yuanText(left - amount)}`;
  return {
    kind: 'amount',
    lineNo: line.lineNo,
    qty: 0,
    unshippedQty: 0,
    cash: amount,
    fee: 0,
    withheld: 0,
    amountPart: amount,
    shares: [],
    formula: [`剩余现金 ${numbers}`, `Cash left ${numbers}`],
    cashLeftBefore: left,
    cashLeftAfter: left - amount,
  };
}

/**
 * Rows that undo a coupon on the kept lines, none when its rule or the goods do not ask for it. `order` already has
 * the refund's other rows booked. Decisions:
 * - Only a request that returns units in the coupon's scope is re-checked; an amount-only refund keeps all goods.
 * - Kept goods are measured as the threshold was at the quote: goods for a merchant coupon, goods less the merchant
 *   coupon's shares left for a platform coupon.
 * - A platform coupon's kept goods count over all orders of the checkout, but only lines of this order get a row: a
 *   refund moves the money of one order. Lines of other orders keep their shares until they are refunded themselves.
 */
function recheckRows(coupon: CouponTerms, order: OrderState, request: RefundRequest): RefundRow[] {
  if (coupon.refundRule !== 'recheck' || coupon.settled) return [];
  const inScope = (line: LineState) => line.shares.some((share) => isOf(share, coupon));
  const returnsUnits = request.items.some(
    (item) => item.kind === 'units' && inScope(lineOf(order, item.lineNo)),
  );
  if (!returnsUnits) return [];
  const keptGoods = (line: LineState) => {
    const goods = line.qty === 0 ? 0 : floorRatio(line.goods, unitsLeft(line), line.qty);
    if (coupon.step === 20) return goods;
    const merchantLeft = sumOf(line.shares, (share) => (share.step === 20 ? shareLeft(share) : 0));
    return Math.max(0, goods - merchantLeft);
  };
  const scope = [order, ...request.otherOrders].flatMap((each) => each.lines.filter(inScope));
  const kept = sumOf(scope, keptGoods);
  if (kept >= coupon.threshold) return [];
  return order.lines.flatMap((line): RefundRow[] => {
    const share = line.shares.find((candidate) => isOf(candidate, coupon));
    const left = share ? shareLeft(share) : 0;
    if (!share || left === 0 || unitsLeft(line) === 0) return [];
    const before = cashLeftOf(line);
    const test = `${yuanText(kept)} < ${yuanText(coupon.threshold)}`;
    return [
      {
        kind: 'recheck',
        lineNo: line.lineNo,
        qty: 0,
        unshippedQty: 0,
        cash: -left,
        fee: 0,
        withheld: 0,
        amountPart: 0,
        shares: [takeFromShare(share, left)],
        formula: [
          `保留商品 ${test} 门槛，收回优惠 −${yuanText(left)}`,
          `Kept goods ${test} threshold, discount taken back −${yuanText(left)}`,
        ],
        cashLeftBefore: before,
        cashLeftAfter: before + left,
      },
    ];
  });
}

/**
 * The rows of a split with those of a line added up: the rules give a row for its units and one for the re-check of what
 * is kept of it, a refund is stored and shown with one per line.
 */
export function rowPerLine(rows: readonly RefundRow[]): RefundRow[] {
  const merged = new Map<number, RefundRow>();
  for (const row of rows) {
    const before = merged.get(row.lineNo);
    if (!before) {
      merged.set(row.lineNo, row);
      continue;
    }
    const shares = [...before.shares];
    for (const share of row.shares) {
      const at = shares.findIndex(
        (one) =>
          one.step === share.step && one.sourceType === share.sourceType && one.sourceId === share.sourceId,
      );
      const old = shares[at];
      if (old)
        shares[at] = {
          ...old,
          amount: old.amount + share.amount,
          platformAmount: old.platformAmount + share.platformAmount,
          units: old.units + share.units,
        };
      else shares.push(share);
    }
    merged.set(row.lineNo, {
      ...before,
      kind: before.kind === 'recheck' ? row.kind : before.kind,
      qty: before.qty + row.qty,
      unshippedQty: before.unshippedQty + row.unshippedQty,
      cash: before.cash + row.cash,
      fee: before.fee + row.fee,
      withheld: before.withheld + row.withheld,
      amountPart: before.amountPart + row.amountPart,
      shares,
    });
  }
  return [...merged.values()].sort((a, b) => a.lineNo - b.lineNo);
}

/** The formula of a row as a merchant may read it: a re-check counts what is kept of other merchants' goods too. */
export function formulaForMerchant(row: Pick<RefundRow, 'kind' | 'cash' | 'formula'>): Label {
  if (row.kind !== 'recheck') return row.formula;
  const taken = yuanText(row.cash);
  return [
    `保留商品未达门槛，收回优惠 ${taken}`,
    `Kept goods below the threshold, discount taken back ${taken}`,
  ];
}

function freightByRule(before: OrderState, after: OrderState, items: readonly RefundItem[]): number {
  const asksUnits = items.some((item) => item.kind === 'units');
  const nothingShipped = before.lines.every((line) => line.qtyShipped === 0 && line.qtyUsed === 0);
  const everyUnit = after.lines.every((line) => unitsLeft(line) === 0);
  return asksUnits && nothingShipped && everyUnit ? before.freight - before.freightRefunded : 0;
}

function closeSplit(
  before: OrderState,
  after: OrderState,
  rows: readonly RefundRow[],
  freightPart: number,
  notices: readonly Label[],
): RefundSplit {
  const shares = rows.flatMap((row) => row.shares);
  const amountOf = (step: ShareStep) => sumOf(shares, (share) => (share.step === step ? share.amount : 0));
  const unitsOf = (step: ShareStep) => sumOf(shares, (share) => (share.step === step ? share.units : 0));
  const fee = sumOf(rows, (row) => row.fee);
  const cash = sumOf(rows, (row) => row.cash) + freightPart - fee;
  const everything =
    after.lines.every((line) => unitsLeft(line) === 0 && cashLeftOf(line) === 0) &&
    after.freightRefunded + freightPart === after.freight;
  const pointsValue = amountOf(40);
  const coinsValue = amountOf(45);
  return {
    kind: rows.some((row) => row.qty > 0) ? (everything ? 'full' : 'units') : 'amount',
    rows,
    freightPart,
    fee,
    cash,
    points: unitsOf(40),
    pointsValue,
    coins: unitsOf(45),
    coinsValue,
    applyPrice: cash + pointsValue + coinsValue,
    send: before.lines.some((line) => line.qtyShipped > 0),
    notices,
  };
}

/** Books a row; cash below 0 in between is possible only for re-check rows, so limits are checked by the callers. */
function bookRow(order: OrderState, row: RefundRow): OrderState {
  const line = lineOf(order, row.lineNo);
  if (row.qty > unitsLeft(line)) throw new RangeError(`units refunded above the units of line ${row.lineNo}`);
  const shares = line.shares.map((share) => {
    const part = row.shares.find(
      (candidate) =>
        candidate.step === share.step &&
        candidate.sourceType === share.sourceType &&
        candidate.sourceId === share.sourceId,
    );
    if (!part) return share;
    const refundedAmount = share.refundedAmount + requireCount(part.amount, 'share');
    const refundedUnits = share.refundedUnits + requireCount(part.units, 'units');
    if (refundedAmount > share.amount || refundedUnits > share.units)
      throw new RangeError(`share of step ${share.step} refunded above its amount on line ${row.lineNo}`);
    return { ...share, refundedAmount, refundedUnits };
  });
  const cashRefunded = line.cashRefunded + row.cash - row.fee;
  const booked: LineState = {
    ...line,
    cashRefunded,
    // An amount the platform returns of what was kept back makes that smaller; the free part goes first.
    cashWithheld: Math.min(line.cashWithheld + row.withheld, line.cash - cashRefunded),
    qtyRefunded: line.qtyRefunded + row.qty,
    qtyRefundedUnshipped: line.qtyRefundedUnshipped + row.unshippedQty,
    shares,
  };
  return { ...order, lines: order.lines.map((other) => (other.lineNo === row.lineNo ? booked : other)) };
}

function orderStatusOf(order: OrderState): number {
  const { status } = order;
  const allRefunded = order.lines.every((line) => unitsLeft(line) === 0);
  const open = [6, 10, 15, 20, 110, 115].includes(status);
  if (open && allRefunded) return 45;
  if (status === 15 && order.lines.every((line) => unshippedLeft(line) === 0)) return 20;
  // Services: what is not refunded was visited, so no visit is left to wait for (group 07: 35 when times left = 0).
  const isService = status === 110 || status === 115;
  if (isService && order.lines.every((line) => unitsLeft(line) === line.qtyUsed)) return 35;
  return status;
}

/**
 * Decision: "refunded cash + points 0 → 无退款" is read as "nothing went back": coins count as well, and refunded units
 * too, else an order paid by coupons alone would be closed by a full refund and still say 无退款.
 */
function refundedStatusOf(order: OrderState): RefundStatus {
  const { lines } = order;
  if (lines.every((line) => unitsLeft(line) === 0)) return 20;
  const movedMoney =
    order.freightRefunded > 0 ||
    lines.some((line) => line.cashRefunded !== 0 || line.qtyRefunded > 0) ||
    lines.some((line) => line.shares.some((share) => share.refundedUnits > 0));
  return movedMoney ? 15 : 0;
}

function unitsBreach(line: LineState, free: number): CapBreach {
  const most = free > 0 ? partOfLine(line, free).cash : 0;
  return { ...moneyBreach('units', line.lineNo, most, line.cashRefunded, 0), most: free };
}

function moneyBreach(
  cap: CapBreach['cap'],
  lineNo: number | null,
  most: number,
  refunded: number,
  inProgress: number,
): CapBreach {
  const x = yuanText(Math.max(0, most));
  const y = yuanText(refunded);
  const z = yuanText(inProgress);
  return {
    cap,
    lineNo,
    most: Math.max(0, most),
    message: [
      `最多可退${x}元（已退${y}，处理中${z}）`,
      `At most ${x} can be refunded (refunded ${y}, in progress ${z})`,
    ],
  };
}
