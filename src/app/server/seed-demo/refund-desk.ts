import {
  bookRefund,
  type CouponTerms,
  couponsToSettle,
  type RefundSplit,
  settleOrder,
} from '../../../domain/trade-money/refund.rules.ts';
import { logOrder, type Market } from './market.ts';
import type { RefundWord, SeedOrder, SeedRefund } from './trade.ts';
import type { SeedStaff } from './world.ts';

/** Who asks for a refund: the buyer (null), a staff, or the system. */
export type Applicant = SeedStaff | 'system' | null;

/** Creates a refund of an order in its first state and notes it on both timelines. */
export function applyRefund(
  market: Market,
  order: SeedOrder,
  request: {
    at: number;
    applicant: Applicant;
    split: RefundSplit;
    state: 'reviewing' | 'refunding';
    lowered?: RefundSplit;
  },
): SeedRefund {
  const { at, applicant, split } = request;
  const staff = applicant !== null && applicant !== 'system' ? applicant : null;
  const refund: SeedRefund = {
    id: 0,
    order,
    createdAt: at,
    applicant: staff,
    applicantType: applicant === null ? 1 : 2,
    applicantName: staff?.name ?? (applicant === 'system' ? market.texts.system : order.checkout.member.name),
    reason:
      applicant === 'system'
        ? ['system', market.texts.closeReasons.team]
        : market.random.pick(market.texts.refundReasons),
    suggestedCash: split.cash,
    split: request.lowered ?? split,
    cashReason: request.lowered ? market.texts.cashReason : '',
    events: [],
    state: request.state,
    level: 1,
    auditor1: null,
    auditor1At: null,
    auditor2: null,
    auditor2At: null,
    rejectReason: '',
    channelCode: '',
    channelMessage: '',
    attempts: 0,
    sentAt: null,
    succeededAt: null,
    updatedAt: at,
  };
  order.refunds.push(refund);
  market.refunds.push(refund);
  order.state = settleOrder(order.state, true);
  const first = applicant === 'system' ? 'refunding' : 'reviewing';
  const who = staff ?? (applicant === 'system' ? market.texts.system : market.texts.buyer);
  note(market, refund, at, 'apply', null, who, refund.reason[1], first);
  logOrder(market, order, at, 'apply_refund', order.state.status === 35 ? 50 : null, who, {
    from: order.state.status,
    remark: refund.reason[1],
  });
  if (request.state === 'refunding') {
    if (applicant !== 'system') note(market, refund, at, 'auto_pass', 'reviewing', market.texts.system, '');
    send(market, refund, at);
  }
  return refund;
}

/** Passes a waiting refund: at level 1, and by finance when level 2 is asked for. Then it goes to the channel. */
export function passRefund(
  market: Market,
  refund: SeedRefund,
  at: number,
  auditor: SeedStaff,
  finance?: SeedStaff,
): void {
  refund.auditor1 = auditor;
  refund.auditor1At = at;
  if (finance) {
    refund.level = 2;
    note(market, refund, at, 'pass', 'reviewing', auditor, '', 'reviewing');
    refund.auditor2 = finance;
    refund.auditor2At = at + 40 * 60_000;
  }
  const last = refund.auditor2At ?? at;
  refund.state = 'refunding';
  note(market, refund, last, finance ? 'pass_finance' : 'pass', 'reviewing', finance ?? auditor, '');
  const { order, split } = refund;
  const remark = (split.cash / 100).toFixed(2);
  logOrder(market, order, last, 'audit_refund', 45, finance ?? auditor, { from: order.state.status, remark });
  send(market, refund, last);
}

/** The first of two levels is passed; finance has to act next. */
export function raiseLevel(market: Market, refund: SeedRefund, at: number, auditor: SeedStaff): void {
  refund.level = 2;
  refund.auditor1 = auditor;
  refund.auditor1At = at;
  note(market, refund, at, 'pass', 'reviewing', auditor, '');
}

/** Books a refund the channel has paid: order, shares, stock, points and coupons. */
export function succeedRefund(market: Market, refund: SeedRefund, at: number): void {
  const { order, split } = refund;
  refund.state = 'succeeded';
  refund.succeededAt = at;
  note(market, refund, at, 'succeed', 'refunding', market.texts.system, '');
  const from = order.state.status;
  order.state = settleOrder(bookRefund(order.state, split), false);
  order.refundedAt = at;
  for (const row of split.rows) {
    const line = order.lines.find((candidate) => candidate.lineNo === row.lineNo)!;
    if (row.unshippedQty > 0) market.stock.takeBack(line.spec, row.unshippedQty, at, refund);
  }
  if (split.points > 0) market.points.refund(order.hold!, split.points, at, refund);
  settleCoupons(market, order, at);
  if (order.state.status === 45 && from !== 45) {
    order.closedAt = at;
    order.closeReason = market.texts.closeReasons.refunded;
  }
  logOrder(market, order, at, 'refund', 60, market.texts.system, {
    from,
    remark: (split.cash / 100).toFixed(2),
  });
}

/** Rejects (by a staff) or withdraws (by the buyer) a waiting refund: the order is as before. */
export function cancelRefund(
  market: Market,
  refund: SeedRefund,
  at: number,
  auditor: SeedStaff | null,
): void {
  const { order } = refund;
  refund.state = 'cancelled';
  if (auditor) {
    refund.rejectReason = market.random.pick(market.texts.rejectReasons);
    refund.auditor1 = auditor;
    refund.auditor1At = at;
  }
  const who = auditor ?? market.texts.buyer;
  note(market, refund, at, auditor ? 'reject' : 'withdraw', 'reviewing', who, refund.rejectReason);
  order.state = settleOrder(order.state, false);
  if (auditor) logOrder(market, order, at, 'reject_refund', 46, auditor, { remark: refund.rejectReason });
}

/** The channel refuses a refund that was sent. */
export function failRefund(market: Market, refund: SeedRefund, at: number): void {
  const [code, message] = market.random.pick(market.texts.failures);
  refund.state = 'failed';
  refund.channelCode = code;
  refund.channelMessage = message;
  note(market, refund, at, 'fail', 'refunding', market.texts.system, '', 'failed', `${code} ${message}`);
}

/** A coupon used in a checkout in the words of the refund rules. */
export function couponTerms(order: SeedOrder): CouponTerms[] {
  return order.checkout.coupons.map((row) => ({
    sourceId: String(row.id),
    step: row.coupon.issuer === 'merchant' ? 20 : 30,
    refundRule: row.coupon.rule,
    threshold: row.coupon.threshold,
    returnable: true,
    endsAt: row.coupon.endsAt.getTime(),
    settled: row.status === 'refunded',
  }));
}

function settleCoupons(market: Market, order: SeedOrder, at: number): void {
  const { checkout } = order;
  const states = checkout.orders.map((any) => any.state);
  for (const { sourceId, outcome } of couponsToSettle(states, couponTerms(order), at)) {
    const coupon = checkout.coupons.find((row) => String(row.id) === sourceId)!;
    coupon.status = 'refunded';
    if (outcome === 'return') market.returned.push({ from: coupon, at });
  }
}

function send(market: Market, refund: SeedRefund, at: number): void {
  if (refund.split.cash === 0) return;
  refund.attempts = 1;
  refund.sentAt = at + 2_000;
  note(market, refund, at + 3_000, 'accepted', 'refunding', market.texts.system, '', 'refunding', 'ACCEPTED');
}

function note(
  market: Market,
  refund: SeedRefund,
  at: number,
  action: string,
  from: RefundWord | null,
  who: SeedStaff | string,
  remark: string,
  to: RefundWord = refund.state,
  channelAnswer = '',
): void {
  refund.events.push({
    at,
    action,
    label: market.texts.refundActions[action]!,
    from,
    to,
    who: typeof who === 'string' ? who : who.name,
    staffId: typeof who === 'string' ? null : who.id,
    remark,
    channelAnswer,
  });
  refund.updatedAt = at;
}
