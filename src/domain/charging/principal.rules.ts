import { divideHalfEven, roundFen, type Rounding } from './exact.rules.ts';
import {
  addDays,
  daysBetween,
  daysOf,
  firstOfMonth,
  overlap,
  type Day,
  type Period,
} from './calendar.rules.ts';
import { ONE, readFormula, type Values } from './expression.rules.ts';

/** How the amount of a period comes about. Source: group 06, Rules of charging 2. */
export const FORMULAS = {
  built_area: { label: ['建筑面积 × 单价', 'Built area × price'], code: 1 },
  inner_area: { label: ['套内面积 × 单价', 'Inner area × price'], code: 2 },
  fixed: { label: ['固定金额', 'Fixed'], code: 3 },
  rent: { label: ['租金', 'Rent'], code: 4 },
  rent_step: { label: ['递增租金', 'Rising rent'], code: 5 },
  usage: { label: ['用量 × 单价', 'Usage × price'], code: 6 },
  meter: {
    label: ['抄表：（本次 − 上次）× 倍率 × 单价', 'Meter: (this − last) × multiplier × price'],
    code: 7,
  },
  meter_tier: { label: ['抄表阶梯', 'Meter with tiers'], code: 8 },
  shared: { label: ['公摊', 'Shared'], code: 9 },
  imported: { label: ['导入金额', 'Imported amount'], code: 10 },
  custom: { label: ['自定义公式', 'Custom formula'], code: 11 },
} as const;
export type FormulaKind = keyof typeof FORMULAS;

/** Formulas that charge what meters showed; a custom one may too. */
export const METERED = ['usage', 'meter', 'meter_tier', 'shared'] as const satisfies readonly FormulaKind[];

/** A price in force from a day on: 0.0001 yuan a unit, and fen on top. */
export interface PriceVersion {
  readonly from: Day;
  readonly price: number;
  readonly extra: number;
}

/** What an item says about its amount. */
export interface FeeTerms {
  readonly formula: FormulaKind;
  readonly expression: string;
  readonly rounding: Rounding;
  /** Rising rent: ppm more every so many months from the start of the assignment. */
  readonly stepPpm: number;
  readonly stepMonths: number;
  /** In months, how long the whole period is; prices are by the month. */
  readonly months: number;
}

/** What a house brings: areas in 0.01 m². */
export interface HouseFacts {
  readonly builtArea: number;
  readonly innerArea: number | null;
  readonly floor: number;
  readonly residents: number;
  /** Areas by the day they bill from, oldest first; absent: the house always had the ones above. */
  readonly areas?: readonly AreaVersion[] | undefined;
}

/** Areas of a house from a day on, in 0.01 m². */
export interface AreaVersion {
  readonly from: Day;
  readonly builtArea: number;
  readonly innerArea: number | null;
}

/** Days of the assignment, and its own price in 0.0001 yuan where it has one. */
export interface AssignmentFacts {
  readonly from: Day;
  readonly to: Day | null;
  readonly price: number | null;
}

/** One span of one price inside of a period. */
export interface AmountLine {
  readonly from: Day;
  readonly to: Day;
  readonly days: number;
  readonly daysInPeriod: number;
  readonly price: number;
  /** Exact amount of the span in fen, as a fraction. */
  readonly exact: readonly [n: bigint, d: bigint];
}

/** Amount of a period in fen and the spans it is made of; why there is none instead. */
export type PeriodAmount =
  | { readonly amount: number; readonly lines: readonly AmountLine[] }
  | { readonly missing: 'price' | 'innerArea' | 'assignment' | 'imported' };

const YUAN_E4 = 10_000n;

/**
 * Principal of a period: cut where prices or areas change and where the assignment begins or ends, each span by its days, rounded once.
 * Throws FormulaProblem when a custom formula divides by zero. Source: group 06, Rules of charging 1, 2 and 4.
 */
export function principalOf(
  terms: FeeTerms,
  prices: readonly PriceVersion[],
  house: HouseFacts,
  assignment: AssignmentFacts,
  period: Period,
): PeriodAmount {
  if (terms.formula === 'imported') return { missing: 'imported' };
  const held = overlap(period, assignment);
  if (!held) return { missing: 'assignment' };
  const daysInPeriod = daysOf(period);
  const areas = house.areas ?? [];
  const spans = spansOf(terms, prices, assignment, held, areas);
  if (
    terms.formula === 'inner_area' &&
    (spans ?? [held]).some((span) => areaOn(house, span.from).innerArea === null)
  )
    return { missing: 'innerArea' };
  if (!spans) return { missing: 'price' };
  const lines = spans.map((span): AmountLine => {
    const days = daysOf(span);
    const [n, d] = wholePeriod(terms, span, areaOn(house, span.from), { days, daysInPeriod });
    return {
      from: span.from,
      to: span.to,
      days,
      daysInPeriod,
      price: span.price,
      exact: days === daysInPeriod ? [n, d] : [n * BigInt(days), d * BigInt(daysInPeriod)],
    };
  });
  const [n, d] = lines.reduce<readonly [bigint, bigint]>(
    ([n1, d1], { exact: [n2, d2] }) => [n1 * d2 + n2 * d1, d1 * d2],
    [0n, 1n],
  );
  return { amount: roundFen(n, d, terms.rounding), lines };
}

/** The house with the areas it has on a day. */
function areaOn(house: HouseFacts, day: Day): HouseFacts {
  const area = (house.areas ?? []).findLast((one) => one.from <= day);
  return area ? { ...house, builtArea: area.builtArea, innerArea: area.innerArea } : house;
}

interface Span extends Period {
  readonly price: number;
  readonly extra: number;
}

function spansOf(
  terms: FeeTerms,
  prices: readonly PriceVersion[],
  assignment: AssignmentFacts,
  held: Period,
  areas: readonly AreaVersion[],
): Span[] | undefined {
  const known = [...prices].sort((a, b) => (a.from < b.from ? -1 : 1));
  const steps = terms.formula === 'rent_step' ? stepDays(assignment.from, terms.stepMonths, held.to) : [];
  const cuts = [
    ...new Set([held.from, ...known.map((one) => one.from), ...areas.map((one) => one.from), ...steps]),
  ]
    .filter((day) => day >= held.from && day <= held.to)
    .sort();
  const spans: Span[] = [];
  for (const [index, from] of cuts.entries()) {
    const next = cuts[index + 1];
    const version = known.findLast((one) => one.from <= from);
    if (!version && assignment.price === null) return undefined;
    const base = assignment.price ?? version!.price;
    spans.push({
      from,
      to: next === undefined ? held.to : addDays(next, -1),
      price: terms.formula === 'rent_step' ? risen(base, terms, assignment.from, from) : base,
      extra: version?.extra ?? 0,
    });
  }
  return spans;
}

function stepDays(start: Day, months: number, until: Day): Day[] {
  const days: Day[] = [];
  if (months < 1) return days;
  for (let n = 1; n < 1_000; n += 1) {
    const day = anniversary(start, n * months);
    if (day > until) break;
    days.push(day);
  }
  return days;
}

/** The same day some months later, the last of the month where it has no such day. */
function anniversary(start: Day, months: number): Day {
  const first = firstOfMonth(start, months);
  const last = daysBetween(first, firstOfMonth(first, 1));
  return `${first.slice(0, 8)}${String(Math.min(Number(start.slice(8)), last)).padStart(2, '0')}`;
}

function risen(base: number, terms: FeeTerms, start: Day, on: Day): number {
  let price = BigInt(base);
  for (const day of stepDays(start, terms.stepMonths, on))
    if (day <= on) price = divideHalfEven(price * BigInt(1_000_000 + terms.stepPpm), 1_000_000n);
  return Number(price);
}

/** Exact fen of a whole period at one price. */
function wholePeriod(
  terms: FeeTerms,
  span: Span,
  house: HouseFacts,
  days: { readonly days: number; readonly daysInPeriod: number },
): readonly [bigint, bigint] {
  const price = BigInt(span.price);
  const months = BigInt(terms.months);
  const extra = BigInt(span.extra);
  switch (terms.formula) {
    // 0.01 m² × 0.0001 yuan = 0.0001 fen.
    case 'built_area':
      return [(BigInt(house.builtArea) * price + extra * YUAN_E4) * months, YUAN_E4];
    case 'inner_area':
      return [(BigInt(house.innerArea ?? 0) * price + extra * YUAN_E4) * months, YUAN_E4];
    case 'fixed':
    case 'rent':
    case 'rent_step':
      return [(price + extra * 100n) * months, 100n];
    case 'usage':
    case 'meter':
    case 'meter_tier':
    case 'shared':
    case 'imported':
      throw new Error(`${terms.formula} is not charged by the period`);
    case 'custom': {
      const yuan = readFormula(terms.expression)(formulaValues(terms, span, house, days));
      return [yuan * 100n, ONE];
    }
  }
}

/** The variables of a custom formula in millionths, as a house and a span of days give them. */
export function formulaValues(
  terms: Pick<FeeTerms, 'months'>,
  span: { readonly price: number; readonly extra: number },
  house: HouseFacts,
  days: { readonly days: number; readonly daysInPeriod: number },
  read: ReadFacts = NOT_READ,
): Values {
  const whole = (value: number) => BigInt(value) * ONE;
  return {
    builtArea: BigInt(house.builtArea) * 10_000n,
    innerArea: BigInt(house.innerArea ?? 0) * 10_000n,
    price: BigInt(span.price) * 100n,
    extra: BigInt(span.extra) * 10_000n,
    months: whole(terms.months),
    days: whole(days.days),
    daysInPeriod: whole(days.daysInPeriod),
    floor: whole(house.floor),
    residents: whole(house.residents),
    rent: BigInt(span.price) * 100n,
    usage: BigInt(read.usage) * 1_000n,
    lastReading: BigInt(read.last) * 1_000n,
    thisReading: BigInt(read.this) * 1_000n,
    multiplier: whole(read.multiplier),
  };
}

/** What a meter brings to a custom formula; readings and usage in 0.001. */
export interface ReadFacts {
  readonly last: number;
  readonly this: number;
  readonly multiplier: number;
  readonly usage: number;
}
const NOT_READ: ReadFacts = { last: 0, this: 0, multiplier: 1, usage: 0 };
