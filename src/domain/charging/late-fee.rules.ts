import { addDays, firstOfMonth, type Day } from './calendar.rules.ts';
import { divideHalfEven } from './exact.rules.ts';

/** What overdue principal costs. Source: group 06, Rules of charging 6. */
export interface LateFeeTerms {
  readonly graceDays: number;
  /** Parts per million of the outstanding principal for each charged day. */
  readonly dailyPpm: number;
  /** Added on the first charged day: fen, and ppm of the principal outstanding then. */
  readonly onceFen: number;
  readonly oncePpm: number;
  /** Most late fee, in percent of the billed principal. */
  readonly capPercent: number;
  /** Most late fee of one calendar month in fen; none when null. */
  readonly monthCap: number | null;
}

/** Without a policy: five days, 500 ppm a day, 30 % at most. */
export const DEFAULT_TERMS: LateFeeTerms = {
  graceDays: 5,
  dailyPpm: 500,
  onceFen: 0,
  oncePpm: 0,
  capPercent: 30,
  monthCap: null,
};

/** What the late fee of a bill depends on. Amounts in fen. */
export interface LateFeeFacts {
  readonly dueDate: Day;
  readonly billed: number;
  /** By how much the outstanding principal changed on which day: payments negative, refunds and additions positive. */
  readonly changes: readonly { readonly on: Day; readonly amount: number }[];
  /** Days in dispute, both included; an open end is null. They are never charged, later neither. */
  readonly disputes: readonly { readonly from: Day; readonly to: Day | null }[];
}

/** A span of charged days with the same outstanding principal. */
export interface LateFeeSpan {
  readonly from: Day;
  readonly to: Day;
  readonly days: number;
  readonly base: number;
}

/** Late fee in all and how it comes about. */
export interface LateFee {
  readonly amount: number;
  readonly spans: readonly LateFeeSpan[];
  readonly once: number;
  readonly capped: boolean;
}

const MILLION = 1_000_000n;
const DAY_MS = 86_400_000;
const numberOf = (day: Day): number => Date.parse(`${day}T00:00:00Z`) / DAY_MS;
const dayOfNumber = (day: number): Day => new Date(day * DAY_MS).toISOString().slice(0, 10);

function monthStarts(from: number, end: number): number[] {
  const starts: number[] = [];
  for (let day = firstOfMonth(dayOfNumber(from), 1); numberOf(day) < end; day = firstOfMonth(day, 1))
    starts.push(numberOf(day));
  return starts;
}

/**
 * Late fee of a bill up to and with a day: what was outstanding at 00:00 of each charged day, summed exactly and rounded once; the
 * first charged day is the one behind the grace. Base is principal only. Source: group 06, Rules of charging 6.
 */
export function lateFeeOn(terms: LateFeeTerms, facts: LateFeeFacts, on: Day): LateFee {
  const first = numberOf(addDays(facts.dueDate, terms.graceDays + 1));
  const end = numberOf(on) + 1;
  const changes = facts.changes.map((one) => ({ from: numberOf(one.on) + 1, amount: one.amount }));
  const disputes = facts.disputes.map((one) => ({
    from: numberOf(one.from),
    end: one.to === null ? Infinity : numberOf(one.to) + 1,
  }));
  // Between two of these days nothing changes.
  const cuts = [
    first,
    end,
    ...changes.map((one) => one.from),
    ...disputes.flatMap((one) => [one.from, one.end]),
    ...monthStarts(first, end),
  ]
    .filter((day) => day >= first && day <= end)
    .sort((a, b) => a - b);
  const spans: LateFeeSpan[] = [];
  const months = new Map<string, bigint>();
  let once = 0n;
  let charged = false;
  for (let index = 1; index < cuts.length; index += 1) {
    const [from, until] = [cuts[index - 1]!, cuts[index]!];
    const days = until - from;
    if (days === 0 || disputes.some((one) => from >= one.from && from < one.end)) continue;
    const outstanding = changes.reduce(
      (sum, one) => (one.from <= from ? sum + one.amount : sum),
      facts.billed,
    );
    if (outstanding <= 0) continue;
    const month = dayOfNumber(from).slice(0, 7);
    let fee = BigInt(outstanding) * BigInt(terms.dailyPpm) * BigInt(days);
    if (!charged) {
      charged = true;
      once = BigInt(terms.onceFen) * MILLION + BigInt(outstanding) * BigInt(terms.oncePpm);
      fee += once;
    }
    months.set(month, (months.get(month) ?? 0n) + fee);
    const last = spans.at(-1);
    const to = dayOfNumber(until - 1);
    if (last && last.base === outstanding && numberOf(last.to) + 1 === from)
      spans[spans.length - 1] = { ...last, to, days: last.days + days };
    else spans.push({ from: dayOfNumber(from), to, days, base: outstanding });
  }
  const monthCap = terms.monthCap === null ? undefined : BigInt(terms.monthCap) * MILLION;
  let sum = 0n;
  let capped = false;
  for (const fee of months.values()) {
    const over = monthCap !== undefined && fee > monthCap;
    capped ||= over;
    sum += over ? monthCap : fee;
  }
  const most = Number((BigInt(facts.billed) * BigInt(terms.capPercent)) / 100n);
  const amount = Number(divideHalfEven(sum, MILLION));
  return {
    amount: Math.min(amount, most),
    spans,
    once: Number(divideHalfEven(once, MILLION)),
    capped: capped || amount > most,
  };
}
