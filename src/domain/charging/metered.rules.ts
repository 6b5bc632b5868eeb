import { addDays, daysOf, type Day, type Period } from './calendar.rules.ts';
import { roundFen, type Rounding } from './exact.rules.ts';
import { ONE, readFormula } from './expression.rules.ts';
import { formulaValues, type AmountLine, type HouseFacts, type PriceVersion } from './principal.rules.ts';

/** What an item says about its amount by readings. */
export interface MeteredTerms {
  readonly formula: 'usage' | 'meter' | 'meter_tier' | 'shared' | 'custom';
  readonly expression: string;
  readonly rounding: Rounding;
  /** Only of `meter_tier`. */
  readonly tiers: readonly Tier[];
}

/** From this usage of a bill on, in 0.001, a unit costs so much more than the price in force, in 0.0001 yuan. */
export interface Tier {
  readonly above: number;
  readonly more: number;
}

/** What a meter showed at the end of some days; readings and usage in 0.001. */
export interface Reading extends Period {
  readonly last: number;
  readonly this: number;
  readonly multiplier: number;
  /** Times the multiplier already; negative for a counter-reading that lowers. */
  readonly usage: number;
  /** A counter-reading corrects a billed one: it is charged at its days and tiers and bears no further `extra`. */
  readonly counter: boolean;
  /** Usage before it at its tiers, in 0.001: of a counter-reading what was billed of the one it corrects. */
  readonly base: number;
}

/** One span of one price inside of a reading; `usage` is that of the whole reading, absent for what is added once. */
export interface UsageLine extends AmountLine {
  readonly usage?: number;
}

export type MeteredAmount =
  | { readonly amount: number; readonly lines: readonly UsageLine[] }
  | { readonly missing: 'price' | 'reading' };

/** 0.001 units × 0.0001 yuan = 0.00001 fen. */
const FEN_E5 = 100_000n;

/**
 * Principal of readings that are billed together: each by its usage at the prices and tiers of its days, where a price changes by
 * days, the extra amount once, rounded once. Source: group 06, Rules of charging 1, 2 (6–8 and 11) and 4.
 */
export function meteredPrincipal(
  terms: MeteredTerms,
  prices: readonly PriceVersion[],
  ownPrice: number | null,
  readings: readonly Reading[],
  house: HouseFacts,
): MeteredAmount {
  if (readings.length === 0) return { missing: 'reading' };
  const plain = readings.filter((one) => !one.counter);
  const whole: Period = {
    from: least((plain.length > 0 ? plain : readings).map((one) => one.from)),
    to: most((plain.length > 0 ? plain : readings).map((one) => one.to)),
  };
  const lines: UsageLine[] = [];
  const add = (
    period: Period,
    usage: number | undefined,
    exact: (span: Priced) => readonly [bigint, bigint],
  ) => {
    const spans = pricedSpans(prices, ownPrice, period);
    if (!spans) return false;
    const daysInPeriod = daysOf(period);
    for (const span of spans) {
      const days = daysOf(span);
      const [n, d] = exact(span);
      lines.push({
        from: span.from,
        to: span.to,
        days,
        daysInPeriod,
        price: span.price,
        exact: [n * BigInt(days), d * BigInt(daysInPeriod)],
        ...(usage === undefined ? {} : { usage }),
      });
    }
    return true;
  };
  if (terms.formula === 'custom') {
    const formula = readFormula(terms.expression);
    const read = {
      last: readings[0]!.last,
      this: readings.at(-1)!.this,
      multiplier: readings.at(-1)!.multiplier,
      usage: readings.reduce((sum, one) => sum + one.usage, 0),
    };
    const days = daysOf(whole);
    const found = add(whole, read.usage, (span) => [
      formula(formulaValues({ months: 1 }, span, house, { days: daysOf(span), daysInPeriod: days }, read)) *
        100n,
      ONE,
    ]);
    if (!found) return { missing: 'price' };
  } else {
    for (const one of readings)
      if (
        !add({ from: one.from, to: one.to }, one.usage, ({ price }) => [
          atTiers(terms.tiers, price, one.base + one.usage) - atTiers(terms.tiers, price, one.base),
          FEN_E5,
        ])
      )
        return { missing: 'price' };
    // What is added once: where only corrections are billed, it was with what they correct.
    const extra = lines.length;
    if (plain.length > 0) add(whole, undefined, (span) => [BigInt(span.extra), 1n]);
    for (let index = lines.length - 1; index >= extra; index -= 1)
      if (lines[index]!.exact[0] === 0n) lines.splice(index, 1);
  }
  const [n, d] = lines.reduce<readonly [bigint, bigint]>(
    ([n1, d1], { exact: [n2, d2] }) => (d1 === d2 ? [n1 + n2, d1] : [n1 * d2 + n2 * d1, d1 * d2]),
    [0n, 1n],
  );
  return { amount: roundFen(n, d, terms.rounding), lines };
}

/** Usage from nothing on at a price and the tiers above it, in 0.00001 fen. */
function atTiers(tiers: readonly Tier[], price: number, usage: number): bigint {
  let sum = BigInt(usage) * BigInt(price);
  let before = 0;
  for (const tier of tiers) {
    if (usage > tier.above) sum += BigInt(usage - tier.above) * BigInt(tier.more - before);
    before = tier.more;
  }
  return sum;
}

interface Priced extends Period {
  readonly price: number;
  readonly extra: number;
}

function pricedSpans(
  prices: readonly PriceVersion[],
  ownPrice: number | null,
  period: Period,
): Priced[] | undefined {
  const known = [...prices].sort((a, b) => (a.from < b.from ? -1 : 1));
  const cuts = [...new Set([period.from, ...known.map((one) => one.from)])]
    .filter((day) => day >= period.from && day <= period.to)
    .sort();
  const spans: Priced[] = [];
  for (const [index, from] of cuts.entries()) {
    const next = cuts[index + 1];
    const version = known.findLast((one) => one.from <= from);
    if (!version && ownPrice === null) return undefined;
    spans.push({
      from,
      to: next === undefined ? period.to : addDays(next, -1),
      price: ownPrice ?? version!.price,
      extra: version?.extra ?? 0,
    });
  }
  return spans;
}

const least = (days: readonly Day[]): Day => days.reduce((a, b) => (a < b ? a : b));
const most = (days: readonly Day[]): Day => days.reduce((a, b) => (a > b ? a : b));

/** Usage above which a reading asks for confirmation, times the average of the half year before. */
export const ABSURD = 3;

/** Whether a usage over some days is more than three times the average of the half year before; amounts in 0.001. */
export function isAbsurd(
  usage: number,
  days: number,
  before: { readonly usage: number; readonly days: number },
): boolean {
  return before.days > 0 && before.usage > 0 && usage * before.days > ABSURD * before.usage * days;
}
