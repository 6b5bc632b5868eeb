import {
  monthlyPrice,
  contractMonths,
  priceIn,
  spread,
  type PriceStep,
} from '../../../domain/contract/plan.rules.ts';
import { daysBetween } from '../../../kernel/contract/time.rules.ts';

/** What of an amount falls on some days of its period: evenly a day, the first days take what is left over. Amounts are fen. */
export function amountWithin(
  amount: number,
  period: { readonly from: string; readonly to: string },
  from: string,
  to: string,
): number {
  const first = from > period.from ? from : period.from;
  const last = to < period.to ? to : period.to;
  if (last < first) return 0;
  const size = Math.abs(amount);
  const days = daysBetween(period.from, period.to);
  const [each, more] = [Math.floor(size / days), size % days];
  const before = daysBetween(period.from, first) - 1;
  const counted = daysBetween(first, last);
  const part = each * counted + Math.max(0, Math.min(more, before + counted) - before);
  return amount < 0 ? -part : part;
}

/** A position of a contract: its code is what the working of a line calls it. */
export interface PlaceOfContract {
  readonly place: string;
  readonly code: string;
  readonly price: number;
}

/** An amount of a line over the positions of its contract: by its working, else by their prices, else alike. */
export function overPlaces(
  amount: number,
  explain: readonly { readonly label: string; readonly amount: number }[],
  places: readonly PlaceOfContract[],
): readonly number[] {
  const worked = places.map((place) =>
    explain.reduce((sum, one) => (one.label === place.code ? sum + one.amount : sum), 0),
  );
  const any = (weights: readonly number[]) => weights.some((weight) => weight > 0);
  const prices = places.map((place) => place.price);
  const weights = any(worked) ? worked : any(prices) ? prices : places.map(() => 1);
  const parts = spread(Math.abs(amount), weights);
  return amount < 0 ? parts.map((part) => -part) : parts;
}

/** A position as a contract lets it. */
export interface LetTerms {
  readonly startsOn: string;
  readonly endsOn: string;
  readonly basis: 'month' | 'day' | 'whole';
  readonly from: string;
  readonly to: string;
  readonly price: number;
  readonly steps: readonly PriceStep[];
}

/** What a position brings a month on a day, by its contract. */
export function rentOn(terms: LetTerms, day: string): number {
  const price =
    terms.basis === 'whole'
      ? terms.price
      : priceIn(
          contractMonths(terms.startsOn, terms.endsOn).findLast((month) => month.from <= day)?.no ?? 1,
          terms.price,
          terms.steps,
        );
  return monthlyPrice(terms.basis, price, daysBetween(terms.from, terms.to));
}

/** Items by a key, in their order. */
export function groupBy<T>(items: readonly T[], key: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const own = groups.get(key(item));
    if (own) own.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}
