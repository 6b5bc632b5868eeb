import type { Choice } from '../../kernel/contract/fields.ts';
import type { PaidFacts } from '../rebate/rebate.rules.ts';
import { monthsAhead } from '../rebate/rebate.rules.ts';

/** What a payment has to reach. */
export const GIFT_CONDITIONS = {
  amount: { label: ['缴费满额（元）', 'Amount paid (yuan)'], code: 1 },
  months: { label: ['预缴月数', 'Months paid ahead'], code: 2 },
  early: { label: ['提前天数', 'Days before due'], code: 3 },
} as const satisfies Readonly<Record<string, Choice>>;

/** What is given. */
export const GIFT_KINDS = {
  points: { label: ['积分', 'Points'], code: 1 },
  coupon: { label: ['优惠券', 'Coupon'], code: 2 },
  prepaid: { label: ['预存金额', 'Prepaid credit'], code: 3 },
} as const satisfies Readonly<Record<string, Choice>>;

/** A step: what is reached, and how much of the gift it is worth. */
export interface GiftTier {
  readonly threshold: number;
  readonly quantity: number;
}

/** What an activity asks for. */
export interface GiftTerms {
  readonly condition: keyof typeof GIFT_CONDITIONS;
  readonly itemIds: readonly number[];
  readonly tiers: readonly GiftTier[];
}

/** What a payment reached: the principal that counts in fen, and the highest step, if any. */
export interface Reached {
  readonly paid: number;
  readonly tier: GiftTier | undefined;
}

/** Days from one day to another. */
const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000);

/**
 * The highest step a payment reaches by what it put into the activity's fee items, late fees left out. Paid early counts by the bill
 * that was nearest to its due date. Source: group 06, cs_payCourtesy rules.
 */
export function reachedBy(terms: GiftTerms, payment: PaidFacts): Reached {
  const lines = payment.lines.filter((line) => terms.itemIds.includes(line.itemId) && line.amount > 0);
  const paid = lines.reduce((sum, line) => sum + line.amount, 0);
  if (paid === 0) return { paid: 0, tier: undefined };
  const value =
    terms.condition === 'amount'
      ? paid / 100
      : terms.condition === 'months'
        ? monthsAhead(payment.day, lines)
        : Math.min(...lines.map((line) => daysBetween(payment.day, line.due)));
  const tier = [...terms.tiers]
    .sort((a, b) => b.threshold - a.threshold)
    .find((one) => value >= one.threshold);
  return { paid, tier };
}

/** What of a gift is left when only a part of its payment still stands, half up. */
export function leftOf(quantity: number, paid: number, still: number): number {
  if (still >= paid) return quantity;
  if (still <= 0) return 0;
  return Number((BigInt(quantity) * BigInt(still) * 2n + BigInt(paid)) / (2n * BigInt(paid)));
}
