import { passRefund as decidePass, startRefund } from '../../../domain/trade-money/refund.rules.ts';
import { type Market, staffNamed } from './market.ts';
import { applyRefund, failRefund, passRefund, raiseLevel } from './refund-desk.ts';
import { REFUND_LIMITS, splitFor } from './refund-stories.ts';
import type { SeedOrder, SeedRefund } from './trade.ts';
import { DAY, HOUR, MINUTE } from './world.ts';

/**
 * Adds the refunds that are under way now: more than 105 waiting for an audit (so that the platform's badge says
 * 99+), exactly three of them at merchant 7 and none at merchant 8, some at level 2, some sent, some failed.
 */
export function addOpenRefunds(market: Market): void {
  const { random } = market;
  const orders = random.shuffle(market.checkouts.flatMap((checkout) => checkout.orders));
  const recent = orders.filter((order) => isRecent(market, order));
  // Behind the window only the platform's own staff may ask; that fills up quiet weeks.
  const late = new Set(orders.filter((order) => order.state.status === 35 && !isRecent(market, order)));
  const candidates = [...recent, ...late];
  const ofMerchant = (no: number) => candidates.filter((order) => order.merchant.no === no);
  const others = candidates.filter((order) => order.merchant.no < 7);
  // Large ones first: they are rare and show the second level.
  others.sort((a, b) => Number(late.has(a)) - Number(late.has(b)) || Number(isLarge(b)) - Number(isLarge(a)));
  take(market, ofMerchant(7), WAITING_OF_MERCHANT_7, (order) => wait(market, order, false));
  let levelTwo = 0;
  take(market, others, WAITING - WAITING_OF_MERCHANT_7, (order) => {
    const raised = levelTwo < LEVEL_TWO && isLarge(order);
    const refund = wait(market, order, raised);
    if (refund?.level === 2) levelTwo += 1;
    return refund;
  });
  const left = random.shuffle(recent.filter((order) => order.merchant.no < 7 && !hasOpen(order)));
  take(market, left, REFUNDING, (order) => sendNow(market, order));
  take(market, left, FAILED, (order) => fail(market, order));
}

const WAITING = 116;
const WAITING_OF_MERCHANT_7 = 3;
const LEVEL_TWO = 6;
const REFUNDING = 8;
const FAILED = 7;

function take(
  market: Market,
  orders: readonly SeedOrder[],
  count: number,
  make: (order: SeedOrder) => SeedRefund | null,
): void {
  let made = 0;
  for (const order of orders) {
    if (made === count) return;
    if (hasOpen(order)) continue;
    if (make(order)) made += 1;
  }
  if (made < count) throw new Error(`Only ${made} of ${count} open refunds found an order`);
}

function hasOpen(order: SeedOrder): boolean {
  return order.refunds.some((refund) => ['reviewing', 'refunding', 'failed'].includes(refund.state));
}

/** Received within the after-sale window, on its way, or not sent yet. */
function isRecent(market: Market, order: SeedOrder): boolean {
  const { status } = order.state;
  if (status === 35)
    return (order.completedAt ?? 0) > market.world.now.getTime() - order.merchant.afterSaleDays * DAY;
  return status === 20 || status === 15 || status === 10;
}

function isLarge(order: SeedOrder): boolean {
  return order.quote.payable >= REFUND_LIMITS.financeFrom;
}

/** When it was asked for: after the order's last event, the last days more often. */
function applyTime(market: Market, order: SeedOrder): number | null {
  const latest = market.world.now.getTime() - 6 * MINUTE;
  const earliest = Math.max(order.lastEventAt + 5 * MINUTE, latest - 6 * DAY);
  if (earliest >= latest) return null;
  return Math.floor(latest - (latest - earliest) * market.random.next() ** 1.5);
}

function wait(market: Market, order: SeedOrder, raised: boolean): SeedRefund | null {
  const { random } = market;
  const at = applyTime(market, order);
  const split = splitFor(
    market,
    order,
    isLarge(order) ? 'all' : random.weighted(['all', 'units', 'amount'] as const, (w) => WANTS[w]),
  );
  if (at === null || !split) return null;
  const staff =
    random.chance(0.2) || !isRecent(market, order)
      ? staffNamed(market, random.pick(['service1', 'service2']))
      : null;
  const asked = staff ? ({ kind: 'staff', holdsAudit: false } as const) : ({ kind: 'buyer' } as const);
  if (startRefund(asked, split, REFUND_LIMITS).status !== 0) return null;
  const refund = applyRefund(market, order, { at, applicant: staff, split, state: 'reviewing' });
  const outcome = decidePass({ level: 1, applyPrice: split.applyPrice }, REFUND_LIMITS);
  if (raised && outcome.status === 0) {
    const passedAt = at + Math.floor((market.world.now.getTime() - at) / 2);
    raiseLevel(market, refund, passedAt, staffNamed(market, 'audit1'));
  }
  return refund;
}

function sendNow(market: Market, order: SeedOrder): SeedRefund | null {
  const now = market.world.now.getTime();
  const split = splitFor(market, order, 'units');
  const at = now - market.random.int(100, 300) * MINUTE;
  if (!split || order.lastEventAt >= at || split.applyPrice >= REFUND_LIMITS.financeFrom) return null;
  const refund = applyRefund(market, order, { at, applicant: null, split, state: 'reviewing' });
  passRefund(market, refund, now - market.random.int(3, 80) * MINUTE, staffNamed(market, 'audit2'));
  return refund;
}

function fail(market: Market, order: SeedOrder): SeedRefund | null {
  const now = market.world.now.getTime();
  const split = splitFor(market, order, 'units');
  const at = now - market.random.int(30, 70) * HOUR;
  if (!split || order.lastEventAt >= at || split.applyPrice >= REFUND_LIMITS.financeFrom) return null;
  const refund = applyRefund(market, order, { at, applicant: null, split, state: 'reviewing' });
  const sentAt = at + market.random.int(60, 600) * MINUTE;
  passRefund(market, refund, sentAt, staffNamed(market, 'audit2'));
  failRefund(market, refund, sentAt + 5 * MINUTE);
  return refund;
}

const WANTS = { all: 30, units: 50, amount: 20 };
