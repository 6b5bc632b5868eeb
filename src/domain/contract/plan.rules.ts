import { addDays, daysBetween } from '../../kernel/contract/time.rules.ts';

/** What a price is for. */
export const PRICE_BASES = {
  month: { label: ['按月', 'Monthly price'] },
  day: { label: ['按天', 'Daily price'] },
  whole: { label: ['总价', 'Price of the whole term'] },
} as const;
/** What part of a month is charged by. */
export const PRORATES = {
  actual_month: { label: ['按合同月实际天数', 'Days of the contract month'] },
  fixed_30: { label: ['按 30 天', '30 days a month'] },
  year_365: { label: ['年租 ÷ 365', 'Year’s rent ÷ 365'] },
} as const;
/** How many months a line of the plan covers. */
export const INTERVALS = {
  '1': { label: ['每月', 'Monthly'] },
  '3': { label: ['每季', 'Quarterly'] },
  '6': { label: ['每半年', 'Half-yearly'] },
  '12': { label: ['每年', 'Yearly'] },
  once: { label: ['一次付清', 'Once'] },
} as const;
/** Whether a line is due at the beginning or the end of its period. */
export const TIMINGS = {
  prepaid: { label: ['预付', 'In advance'] },
  postpaid: { label: ['后付', 'Afterwards'] },
} as const;
/** How a step changes the price. */
export const STEP_KINDS = {
  percent: { label: ['按比例', 'By percent'] },
  add: { label: ['加减金额', 'By an amount'] },
  set: { label: ['改为', 'Set to'] },
} as const;
/** What a line of the plan is. */
export const LINE_KINDS = {
  rent: { label: ['租金', 'Rent'] },
  deposit: { label: ['押金', 'Deposit'] },
  deposit_return: { label: ['退押金', 'Deposit returned'] },
  fee: { label: ['其他费用', 'Fee'] },
  adjustment: { label: ['调整', 'Adjustment'] },
} as const;

/** A position for a part of the term; days are inclusive, price is fen by the price basis. */
export interface PlanPosition {
  readonly label: string;
  readonly from: string;
  readonly to: string;
  readonly price: number;
}

/** A step from a contract month on; `value` is basis points for percent, else fen. */
export interface PriceStep {
  readonly fromMonth: number;
  readonly kind: keyof typeof STEP_KINDS;
  readonly value: number;
}

/** What a plan of payments follows from. Amounts are fen, days are business days. */
export interface PlanTerms {
  readonly startsOn: string;
  readonly endsOn: string;
  readonly basis: keyof typeof PRICE_BASES;
  readonly prorate: keyof typeof PRORATES;
  readonly interval: keyof typeof INTERVALS;
  readonly timing: keyof typeof TIMINGS;
  readonly dueOffset: number;
  readonly positions: readonly PlanPosition[];
  readonly steps: readonly PriceStep[];
  readonly free: readonly { readonly from: string; readonly to: string }[];
  readonly fees: readonly { readonly name: string; readonly amount: number; readonly dueOn: string }[];
  readonly deposit: number;
  readonly depositDueOn: string | null;
  /** Last day that is charged, of a term that ends early; the deposit and later fees fall away. */
  readonly stopOn?: string;
}

/** Why a line has its amount: a position in a contract month. */
export interface Factor {
  readonly label: string;
  /** Contract month, from 1; 0 for a price of the whole term. */
  readonly month: number;
  readonly price: number;
  readonly days: number;
  /** What the days are held against: those of the month, 30, or 365. */
  readonly of: number;
  readonly amount: number;
}

/** A line of a plan. `key` finds it again after a change. */
export interface PlanLine {
  readonly key: string;
  readonly kind: 'rent' | 'deposit' | 'fee';
  readonly name: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly dueOn: string;
  readonly amount: number;
  readonly explain: readonly Factor[];
}

/** The day `months` after a day, always counted from it: 31 January, 28 February, 31 March. */
export function addMonths(day: string, months: number): string {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  const at = year * 12 + month - 1 + months;
  const last = new Date(Date.UTC(Math.floor(at / 12), (at % 12) + 1, 0)).getUTCDate();
  const two = (value: number) => String(value).padStart(2, '0');
  return `${String(Math.floor(at / 12)).padStart(4, '0')}-${two((at % 12) + 1)}-${two(Math.min(date, last))}`;
}

/** The last day of a term as long as another that follows it: as many months where those were whole ones, else as many days. */
export function endOfRenewal(startsOn: string, endsOn: string): string {
  const next = addDays(endsOn, 1);
  const months =
    (Number(next.slice(0, 4)) - Number(startsOn.slice(0, 4))) * 12 +
    Number(next.slice(5, 7)) -
    Number(startsOn.slice(5, 7));
  return months > 0 && addMonths(startsOn, months) === next
    ? addDays(addMonths(next, months), -1)
    : addDays(endsOn, daysBetween(startsOn, endsOn));
}

/** `value × times ÷ by` in whole fen, half up; exact for every sum the product accepts. */
export function portion(value: number, times: number, by: number): number {
  const [full, divisor] = [BigInt(value) * BigInt(times), BigInt(by)];
  const negative = full < 0n;
  const size = negative ? -full : full;
  const rounded = Number((size * 2n + divisor) / (divisor * 2n));
  return negative ? -rounded : rounded;
}

/** The price in a contract month, by all steps up to it in their order; percent compounds, nothing falls below 0. */
export function priceIn(month: number, base: number, steps: readonly PriceStep[]): number {
  return steps
    .filter((step) => step.fromMonth <= month)
    .toSorted((a, b) => a.fromMonth - b.fromMonth)
    .reduce((price, { kind, value }) => {
      const next =
        kind === 'percent' ? portion(price, 10_000 + value, 10_000) : kind === 'add' ? price + value : value;
      return Math.max(0, next);
    }, base);
}

/** What a price comes to a month, to be held against prices by the month: a daily one over a year, one of a term over its days. */
export function monthlyPrice(basis: PlanTerms['basis'], price: number, days: number): number {
  if (basis === 'month') return price;
  return basis === 'day' ? portion(price, 365, 12) : portion(price, 365, 12 * days);
}

/** The contract months of a term: first and last day of each whole month, and the last day that belongs to the term. */
export function contractMonths(
  startsOn: string,
  endsOn: string,
): readonly { readonly no: number; readonly from: string; readonly whole: string; readonly to: string }[] {
  const months = [];
  for (let no = 1; no <= 240; no++) {
    const from = addMonths(startsOn, no - 1);
    if (from > endsOn) break;
    const whole = addDays(addMonths(startsOn, no), -1);
    months.push({ no, from, whole, to: whole < endsOn ? whole : endsOn });
  }
  return months;
}

const later = (a: string, b: string) => (a > b ? a : b);
const earlier = (a: string, b: string) => (a < b ? a : b);
const span = (from: string, to: string) => (to < from ? 0 : daysBetween(from, to));

/** Days of a range that are charged: none of the free ones. */
function chargedDays(from: string, to: string, free: PlanTerms['free']): number {
  let days = span(from, to);
  // Free periods do not overlap: what is free twice is refused where they are written.
  for (const one of free) days -= span(later(from, one.from), earlier(to, one.to));
  return Math.max(0, days);
}

/**
 * The plan of payments of a contract: rent by interval, fees and the deposit, in the order they are due. A line is the sum of
 * its months; several positions add up after rounding each. Source: group 17, plan formula.
 */
export function planOf(terms: PlanTerms): readonly PlanLine[] {
  const lines = [...rentLines(terms)];
  const twice = new Map<string, number>();
  for (const fee of terms.fees) {
    if (terms.stopOn !== undefined && fee.dueOn > terms.stopOn) continue;
    const key = `fee:${fee.name}:${fee.dueOn}`;
    const n = (twice.get(key) ?? 0) + 1;
    twice.set(key, n);
    lines.push({
      key: n === 1 ? key : `${key}:${n}`,
      kind: 'fee',
      name: fee.name,
      from: null,
      to: null,
      dueOn: fee.dueOn,
      amount: fee.amount,
      explain: [],
    });
  }
  if (terms.deposit > 0 && terms.stopOn === undefined)
    lines.push({
      key: 'deposit',
      kind: 'deposit',
      name: '',
      from: null,
      to: null,
      dueOn: terms.depositDueOn ?? terms.startsOn,
      amount: terms.deposit,
      explain: [],
    });
  const order = { deposit: 0, rent: 1, fee: 2 };
  return lines.toSorted(
    (a, b) => a.dueOn.localeCompare(b.dueOn) || order[a.kind] - order[b.kind] || a.key.localeCompare(b.key),
  );
}

function rentLines(terms: PlanTerms): PlanLine[] {
  const months = contractMonths(terms.startsOn, terms.endsOn);
  const step = terms.interval === 'once' ? months.length : Number(terms.interval);
  const stop = terms.stopOn === undefined ? terms.endsOn : earlier(terms.stopOn, terms.endsOn);
  const groups: (typeof months)[] = [];
  for (let at = 0; at < months.length; at += step) groups.push(months.slice(at, at + step));
  const whole = terms.basis === 'whole' ? wholeShares(terms, groups) : undefined;
  return groups.flatMap((group, index): PlanLine[] => {
    const from = group[0]!.from;
    if (from > stop) return [];
    const full = group.at(-1)!.to;
    const to = earlier(full, stop);
    const explain = whole
      ? terms.positions.flatMap((position, at): Factor[] => {
          const of = chargedIn(terms, position, from, full);
          const days = chargedIn(terms, position, from, to);
          const share = whole[at]![index]!;
          const amount = of === 0 ? 0 : portion(share, days, of);
          return of === 0 ? [] : [{ label: position.label, month: 0, price: share, days, of, amount }];
        })
      : terms.positions.flatMap((position) =>
          group.flatMap((month) => factorOf(terms, position, month, stop)),
        );
    return [
      {
        key: `rent:${from}`,
        kind: 'rent',
        name: '',
        from,
        to,
        dueOn: addDays(terms.timing === 'prepaid' ? from : to, terms.dueOffset),
        amount: explain.reduce((sum, one) => sum + one.amount, 0),
        explain,
      },
    ];
  });
}

const chargedIn = (terms: PlanTerms, position: PlanPosition, from: string, to: string) =>
  chargedDays(later(from, position.from), earlier(to, position.to), terms.free);

function factorOf(
  terms: PlanTerms,
  position: PlanPosition,
  month: ReturnType<typeof contractMonths>[number],
  stop: string,
): Factor[] {
  const days = chargedIn(terms, position, month.from, earlier(month.to, stop));
  const inside = later(month.from, position.from) <= earlier(earlier(month.to, stop), position.to);
  if (!inside) return [];
  const price = priceIn(month.no, position.price, terms.steps);
  const length = daysBetween(month.from, month.whole);
  const about = { label: position.label, month: month.no, price, days };
  if (terms.basis === 'day') return [{ ...about, of: 1, amount: price * days }];
  switch (terms.prorate) {
    case 'actual_month':
      return [{ ...about, of: length, amount: portion(price, days, length) }];
    case 'fixed_30':
      return [
        { ...about, of: 30, amount: days === length ? price : Math.min(price, portion(price, days, 30)) },
      ];
    case 'year_365':
      return [{ ...about, of: 365, amount: portion(price, 12 * days, 365) }];
  }
}

/** The total of each position over the intervals by charged days, largest remainder: together exactly the total. */
function wholeShares(
  terms: PlanTerms,
  groups: readonly (readonly { readonly from: string; readonly to: string }[])[],
): readonly (readonly number[])[] {
  return terms.positions.map((position) =>
    spread(
      position.price,
      groups.map((group) => chargedIn(terms, position, group[0]!.from, group.at(-1)!.to)),
    ),
  );
}

/** An amount in parts by weight, largest remainder first, the earlier one where they are equal. Nothing weighs: all to the first. */
export function spread(amount: number, weights: readonly number[]): readonly number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return weights.map((_, index) => (index === 0 ? amount : 0));
  const parts = weights.map((weight) => Number((BigInt(amount) * BigInt(weight)) / BigInt(total)));
  let rest = amount - parts.reduce((sum, part) => sum + part, 0);
  const order = weights
    .map((weight, index) => ({ index, rest: Number((BigInt(amount) * BigInt(weight)) % BigInt(total)) }))
    .toSorted((a, b) => b.rest - a.rest || a.index - b.index);
  for (const { index } of order) {
    if (rest <= 0) break;
    parts[index]! += 1;
    rest -= 1;
  }
  return parts;
}

/** What a contract comes to: rent and fees, the deposit apart. */
export function contractAmount(lines: readonly Pick<PlanLine, 'kind' | 'amount'>[]): number {
  return lines.reduce((sum, line) => (line.kind === 'deposit' ? sum : sum + line.amount), 0);
}
