/** A day as `YYYY-MM-DD`. */
export type Day = string;

/** How often an item is billed. `indirect` follows readings. Source: group 06, Rules of charging 4. */
export type Cycle = 'once' | 'month' | 'quarter' | 'half_year' | 'year' | 'indirect';
export const MONTHS: Readonly<Record<Exclude<Cycle, 'once' | 'indirect'>, number>> = {
  month: 1,
  quarter: 3,
  half_year: 6,
  year: 12,
};

/** Months a period of a cycle has. */
export const monthsOfCycle = (cycle: Cycle): number =>
  cycle === 'once' || cycle === 'indirect' ? 1 : MONTHS[cycle];

const DAY_MS = 86_400_000;
const timeOf = (day: Day): number => Date.parse(`${day}T00:00:00Z`);
const dayOf = (time: number): Day => new Date(time).toISOString().slice(0, 10);

/** The day some days later, or earlier with a negative number. */
export const addDays = (day: Day, days: number): Day => dayOf(timeOf(day) + days * DAY_MS);

/** Days from one to another; 0 for the same. */
export const daysBetween = (from: Day, to: Day): number => Math.round((timeOf(to) - timeOf(from)) / DAY_MS);

/** The first day of the month some months later. */
export function firstOfMonth(day: Day, later = 0): Day {
  const [year, month] = day.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, month - 1 + later, 1)).toISOString().slice(0, 10);
}

/** A span of days, both included. */
export interface Period {
  readonly from: Day;
  readonly to: Day;
}

/** Days of a period. */
export const daysOf = (period: Period): number => daysBetween(period.from, period.to) + 1;

/** The part of a period that lies in another one, or undefined. */
export function overlap(a: Period, b: { readonly from: Day; readonly to: Day | null }): Period | undefined {
  const from = a.from > b.from ? a.from : b.from;
  const to = b.to === null || a.to < b.to ? a.to : b.to;
  return from <= to ? { from, to } : undefined;
}

/**
 * The period of a cycle that a month belongs to: months, quarters, half years and years of the calendar. An item charged once, or
 * by readings, has the month itself.
 */
export function periodOf(cycle: Cycle, month: Day): Period {
  const months = monthsOfCycle(cycle);
  const index = Number(month.slice(5, 7)) - 1;
  const from = firstOfMonth(month, -(index % months));
  return { from, to: addDays(firstOfMonth(from, months), -1) };
}

/**
 * Due date of a period: the bill day of its first month when it is paid in advance, of the month behind its end when it is paid
 * afterwards, and the days of payment on top. Source: group 06, Rules of charging 4.
 */
export function dueDate(period: Period, timing: 'pre' | 'post', billDay: number, dueDays: number): Day {
  const month = timing === 'pre' ? period.from : firstOfMonth(period.to, 1);
  return addDays(`${month.slice(0, 8)}${String(billDay).padStart(2, '0')}`, dueDays);
}
