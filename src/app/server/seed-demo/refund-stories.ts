import {
  lowerRefund,
  type RefundItem,
  type RefundSplit,
  startRefund,
  suggestFullRefund,
  suggestRefund,
  unitsLeft,
} from '../../../domain/trade-money/refund.rules.ts';
import { type Market, staffNamed } from './market.ts';
import { applyRefund, cancelRefund, couponTerms, passRefund, succeedRefund } from './refund-desk.ts';
import type { SeedOrder } from './trade.ts';
import { HOUR, MINUTE } from './world.ts';

/** Settings refund.auto_pass_max, refund.staff_direct_max and refund.finance_from in fen. Source: settings.csv. */
export const REFUND_LIMITS = { autoPassMax: 20_000, staffDirectMax: 50_000, financeFrom: 200_000 };

/** The buyer changes his mind before anything is sent; what is left ships afterwards through `ship`. */
export function refundBeforeShipping(
  market: Market,
  order: SeedOrder,
  paidAt: number,
  ship: (at: number) => void,
): void {
  const at = paidAt + market.random.int(15, 150) * MINUTE;
  market.queue.add(at, () => {
    const done = runStory(market, order, at, market.random.chance(0.5) ? 'all' : 'units');
    if (done === null) return ship(at);
    market.queue.add(done, () => {
      if (order.state.status === 10) ship(done);
    });
  });
}

/** Something is wrong with what arrived; the shop or the platform decides within a day or so. */
export function refundAfterShipping(market: Market, order: SeedOrder, shippedAt: number): void {
  const at = shippedAt + market.random.int(26, 110) * HOUR;
  const want = market.random.weighted(['units', 'amount', 'reject'] as const, (way) => WAYS[way]);
  market.queue.add(at, () => {
    if ([20, 35].includes(order.state.status)) runStory(market, order, at, want);
  });
}

/** The team was not complete in time: everything goes back without an audit. */
export function refundFailedTeam(market: Market, order: SeedOrder, at: number): void {
  const split = suggestFullRefund(order.state);
  const refund = applyRefund(market, order, { at, applicant: 'system', split, state: 'refunding' });
  market.queue.add(at + 2 * MINUTE, () => succeedRefund(market, refund, at + 2 * MINUTE));
}

/** What a buyer could ask for on an order now, or null when nothing sensible is left. */
export function splitFor(
  market: Market,
  order: SeedOrder,
  want: 'all' | 'units' | 'amount',
): RefundSplit | null {
  const { random } = market;
  const open = order.state.lines.filter((line) => unitsLeft(line) > 0);
  if (open.length === 0) return null;
  const line = random.pick(open);
  const cashLeft = line.cash - line.cashRefunded;
  let items: RefundItem[];
  if (want === 'all')
    items = open.map(({ lineNo, ...rest }) => ({ kind: 'units', lineNo, qty: rest.qty - rest.qtyRefunded }));
  else if (want === 'amount' && cashLeft >= 1_000) {
    items = [
      {
        kind: 'amount',
        lineNo: line.lineNo,
        amount: Math.floor((cashLeft * random.int(10, 30)) / 10_000) * 100 || 100,
      },
    ];
  } else items = [{ kind: 'units', lineNo: line.lineNo, qty: random.int(1, unitsLeft(line)) }];
  const answer = suggestRefund({
    order: order.state,
    otherOrders: order.checkout.orders.filter((other) => other !== order).map((other) => other.state),
    coupons: couponTerms(order),
    items,
  });
  return answer.ok && answer.split.cash > 0 ? answer.split : null;
}

/** Runs a refund from application to its end and returns that instant; null when it would not end before now. */
function runStory(
  market: Market,
  order: SeedOrder,
  at: number,
  want: 'all' | 'units' | 'amount' | 'reject',
): number | null {
  const { random, queue, world } = market;
  if (order.refunds.some((refund) => refund.state !== 'succeeded' && refund.state !== 'cancelled'))
    return null;
  const split = splitFor(market, order, want === 'reject' ? 'units' : want);
  if (!split) return null;
  const start = startRefund({ kind: 'buyer' }, split, REFUND_LIMITS);
  const auditAt = start.status === 1 ? at : at + random.int(60, 25 * 60) * MINUTE;
  const needsFinance = split.applyPrice >= REFUND_LIMITS.financeFrom;
  const endAt = auditAt + (needsFinance ? 40 * MINUTE : 0) + random.int(40, 200) * 1_000;
  if (endAt > world.now.getTime() - HOUR) return null;
  if (start.status === 1) {
    const refund = applyRefund(market, order, { at, applicant: null, split, state: 'refunding' });
    queue.add(endAt, () => succeedRefund(market, refund, endAt));
    return endAt + 1_000;
  }
  const agreed =
    want === 'units' && random.chance(0.1) ? lowerRefund(split, Math.floor(split.cash * 0.9)) : null;
  const lowered = agreed?.ok && split.applyPrice < REFUND_LIMITS.financeFrom ? agreed.split : undefined;
  const refund = applyRefund(market, order, { at, applicant: null, split, state: 'reviewing', lowered });
  const auditor = staffNamed(market, random.pick(['audit1', 'audit2', `merchant${order.merchant.no}`]));
  if (want === 'reject') {
    queue.add(auditAt, () => cancelRefund(market, refund, auditAt, random.chance(0.75) ? auditor : null));
    return auditAt + 1_000;
  }
  queue.add(auditAt, () => {
    passRefund(market, refund, auditAt, auditor, needsFinance ? staffNamed(market, 'finance1') : undefined);
    queue.add(endAt, () => succeedRefund(market, refund, endAt));
  });
  return endAt + 1_000;
}

const WAYS = { units: 60, amount: 18, reject: 30 };
