import { addDays, daysBetween, type Day } from './calendar.rules.ts';
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

/**
 * Late fee of a bill up to and with a day: what was outstanding at 00:00 of each charged day, summed exactly and rounded once; the
 * first charged day is the one behind the grace. Base is principal only. Source: group 06, Rules of charging 6.
 */
export function lateFeeOn(terms: LateFeeTerms, facts: LateFeeFacts, on: Day): LateFee {
  const first = addDays(facts.dueDate, terms.graceDays + 1);
  const changes = [...facts.changes].sort((a, b) => (a.on < b.on ? -1 : a.on > b.on ? 1 : 0));
  const disputed = (day: Day) =>
    facts.disputes.some((one) => day >= one.from && (one.to === null || day <= one.to));
  const spans: LateFeeSpan[] = [];
  const months = new Map<string, bigint>();
  let outstanding = facts.billed;
  let next = 0;
  let once = 0n;
  let charged = false;
  for (let day = first, left = daysBetween(first, on); left >= 0; day = addDays(day, 1), left -= 1) {
    while (next < changes.length && changes[next]!.on < day) outstanding += changes[next++]!.amount;
    if (outstanding <= 0 || disputed(day)) continue;
    const month = day.slice(0, 7);
    let fee = BigInt(outstanding) * BigInt(terms.dailyPpm);
    if (!charged) {
      charged = true;
      once = BigInt(terms.onceFen) * MILLION + BigInt(outstanding) * BigInt(terms.oncePpm);
      fee += once;
    }
    months.set(month, (months.get(month) ?? 0n) + fee);
    const last = spans.at(-1);
    if (last && last.base === outstanding && addDays(last.to, 1) === day)
      spans[spans.length - 1] = { ...last, to: day, days: last.days + 1 };
    else spans.push({ from: day, to: day, days: 1, base: outstanding });
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
