/**
 * What a merchant gets of a sale, and gives back with a refund. Integer fen everywhere.
 * Source: group 13, The engine, rules 1, 2 and 4.
 */

/** What an order's agreement says about its money. */
export interface Terms {
  readonly commissionBase: 'gross' | 'cash';
  readonly pointsBearer: 'platform' | 'merchant';
  readonly coinBearer: 'platform' | 'merchant';
}

/** Money of a line by who bore it. */
export interface Parts {
  readonly cash: number;
  /** Coupons the platform bears. */
  readonly platformCoupon: number;
  readonly points: number;
  readonly coins: number;
}

/** The money of a row. */
export interface RowMoney {
  readonly cash: number;
  readonly subsidy: number;
  readonly gross: number;
  readonly commission: number;
  readonly channelFee: number;
  readonly net: number;
}

/** A sale on its statement, with what refunds took of it so far (cash and gross as positive amounts). */
export interface SoldRow extends RowMoney {
  readonly commissionBase: 'gross' | 'cash';
  readonly commissionBp: number;
}

/** Half up of value × part ÷ whole, exact beyond 2⁵³; below zero away from it. */
export function shareOf(value: number, part: number, whole: number): number {
  if (whole === 0) return 0;
  const product = BigInt(value) * BigInt(part);
  const size = product < 0n ? -product : product;
  const rounded = Number((size * 2n + BigInt(whole)) / (BigInt(whole) * 2n));
  return product < 0n ? -rounded : rounded;
}

/** What the platform adds to the cash of a line. */
export function subsidyOf(parts: Parts, terms: Terms): number {
  return (
    parts.platformCoupon +
    (terms.pointsBearer === 'platform' ? parts.points : 0) +
    (terms.coinBearer === 'platform' ? parts.coins : 0)
  );
}

/** Rule 1: the row of a sale; `channelFee` is its share of the payment's fee. */
export function saleRow(parts: Parts, terms: Terms, commissionBp: number, channelFee: number): RowMoney {
  const subsidy = subsidyOf(parts, terms);
  const gross = parts.cash + subsidy;
  const base = terms.commissionBase === 'cash' ? parts.cash : gross;
  const commission = shareOf(base, commissionBp, 10_000);
  return { cash: parts.cash, subsidy, gross, commission, channelFee, net: gross - commission - channelFee };
}

/**
 * Rule 2: the row of a refund, all amounts below zero. `before` is what earlier refunds of the same sale took. The commission
 * and the fee that are kept are reckoned on what is left, so that rows of a sale that is refunded in pieces add up to nothing.
 */
export function refundRow(
  sold: SoldRow,
  before: { readonly cash: number; readonly gross: number },
  back: { readonly cash: number; readonly subsidy: number },
  feeRefundable: boolean,
): RowMoney {
  const gross = back.cash + back.subsidy;
  const base = (cash: number, all: number) => (sold.commissionBase === 'cash' ? cash : all);
  const keptAt = (cash: number, all: number) =>
    shareOf(base(sold.cash, sold.gross) - base(cash, all), sold.commissionBp, 10_000);
  const feeAt = (cash: number) =>
    feeRefundable && sold.cash > 0 ? shareOf(sold.channelFee, sold.cash - cash, sold.cash) : sold.channelFee;
  const commission =
    keptAt(before.cash, before.gross) - keptAt(before.cash + back.cash, before.gross + gross);
  const channelFee = feeAt(before.cash) - feeAt(before.cash + back.cash);
  return {
    cash: -back.cash,
    subsidy: -back.subsidy,
    gross: -gross,
    commission: -commission,
    channelFee: -channelFee,
    // Amounts that are nothing stay 0, never -0.
    net: 0 - (gross - commission - channelFee),
  };
}

/** Rule 4: what is paid of a sum, and what the next statement takes over. */
export function payOrCarry(payable: number, least: number): { readonly pay: number; readonly carry: number } {
  const pay = payable > 0 && payable >= least ? payable : 0;
  return { pay, carry: payable - pay };
}

/** A settlement cycle. */
export type Cycle = 'day' | 'week' | 'half_month' | 'month';

/** The last period of a cycle that was over before a business day: weeks from Monday, half months 1–15 and 16–end. */
export function lastPeriod(cycle: Cycle, today: string): { readonly from: string; readonly to: string } {
  const date = (year: number, month: number, day: number) =>
    new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);
  const [year, month, day] = today.split('-').map(Number) as [number, number, number];
  switch (cycle) {
    case 'day':
      return { from: date(year, month - 1, day - 1), to: date(year, month - 1, day - 1) };
    case 'week': {
      const weekday = (new Date(`${today}T00:00:00Z`).getUTCDay() + 6) % 7;
      return { from: date(year, month - 1, day - weekday - 7), to: date(year, month - 1, day - weekday - 1) };
    }
    case 'half_month':
      return day > 15
        ? { from: date(year, month - 1, 1), to: date(year, month - 1, 15) }
        : { from: date(year, month - 2, 16), to: date(year, month - 1, 0) };
    case 'month':
      return { from: date(year, month - 2, 1), to: date(year, month - 1, 0) };
  }
}
